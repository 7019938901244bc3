//! `stop-auditor explain` says of a stranger's settings which hooks the real client runs.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::desk::Desk;
use super::kit::auditors::fake;
use super::kit::check::checks;
use super::kit::event::write;
use super::kit::hook::quoted;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::says;

/// One settings file with every kind of entry that this client was seen to take or to drop: a command of its own for
/// each, and what else stands in the handler.
fn entries() -> Value {
    let plain = || json!({});
    json!({
        "Stop": [
            [plain(), {"timeout": 0}, {"timeout": "5"}, {"timeout": 0.5}, {"timeoutt": 5}],
            [{"if": "Bash(ls)"}, {"type": "webhook"}, {"type": null}, {"async": true}],
        ],
        "Stopp": [[plain()]],
        "stop": [[plain()]],
        "UserPromptSubmit": [[plain()]],
        "SessionStart": [[plain()]],
        "SessionEnd": [[plain()]],
    })
}

/// The settings, with a matcher that no Stop matches; each command leaves a file named by its place.
fn settings(marks: &str) -> Value {
    let of_event = |groups: &Value, event: &str| -> Value {
        let groups = groups.as_array().unwrap().iter().zip(1..).map(|(handlers, group)| {
            let handlers = handlers.as_array().unwrap().iter().zip(1..).map(|(more, n)| {
                let mark = quoted(&format!("{marks}/{event} 第 {group} 组第 {n} 个"));
                let mut handler = json!({"type": "command", "command": format!(": >{mark}")});
                handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                handler
            });
            json!({"matcher": "Nothing", "hooks": handlers.collect::<Vec<Value>>()})
        });
        let mut groups: Vec<Value> = groups.collect();
        if event != "Stop" {
            for group in &mut groups {
                group.as_object_mut().unwrap().remove("matcher");
            }
        }
        groups.into()
    };
    let entries = entries();
    let events = entries.as_object().unwrap().iter();
    let mut hooks: Map<String, Value> =
        events.map(|(event, groups)| (event.clone(), of_event(groups, event))).collect();
    // No list of groups, and a group that is a handler: each takes only itself down.
    hooks.insert("SubagentStop".to_owned(), json!({"hooks": []}));
    hooks["Stop"].as_array_mut().unwrap().push(json!({"type": "command", "command": "true"}));
    json!({ "hooks": hooks })
}

/// A desk, and an empty folder for what hooks leave.
fn desk_with_marks() -> (Desk, PathBuf) {
    let desk = Desk::new(Sandbox::new(), fake("pass").as_str(), vec![says("好的")]);
    let marks = desk.sandbox.path("marks");
    fs::create_dir(&marks).unwrap();
    (desk, marks)
}

checks! {
    /// Recognised, parsed and run are three tables; the client has the last word on each.
    #[own]
    fn r3_3_explain_names_the_hooks_that_the_client_runs(c: &mut Checks) {
        let (desk, marks) = desk_with_marks();
        let settings = settings(&marks.to_string_lossy());
        write(&desk.settings(), settings.to_string());
        let explained = desk.own(&["explain", "--json"]);
        c.equal("3.3", "mistakes make exit code 1", explained.status.code(), Some(1));
        let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
        let handlers = explained["handlers"].as_array().unwrap();
        let mut said: Vec<&str> = handlers
            .iter()
            .filter(|handler| handler["reached"] == "run")
            .map(|handler| handler["place"].as_str().unwrap())
            .collect();
        said.sort_unstable();
        desk.print(c, "你好");
        let mut ran: Vec<String> = fs::read_dir(&marks)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        ran.sort_unstable();
        c.equal(
            "3.3",
            "hooks said to run, and hooks that ran",
            said,
            ran.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        c.equal("3.3", "entries explained", handlers.len(), 16);
        desk.nothing_is_left(c);
    }

    /// Which variables the quotes keep from the shell, `explain` knows as the client's shell does.
    #[own]
    fn r3_3_explain_fills_in_what_the_shell_fills_in(c: &mut Checks) {
        let (desk, marks) = desk_with_marks();
        for folder in ["home", "project"] {
            let script = desk.sandbox.path(folder).join("leave-a-mark");
            write(&script, format!("#!/bin/sh\n: >{}/\"$1\"\n", quoted(&marks.to_string_lossy())));
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let spellings = [
            "$HOME/leave-a-mark",
            "\"$HOME\"/leave-a-mark",
            "\"${HOME}/leave-a-mark\"",
            "'$HOME/leave-a-mark'",
            "'${HOME}/leave-a-mark'",
            "\\$HOME/leave-a-mark",
            "~/leave-a-mark",
            "\"~/leave-a-mark\"",
            "'~'/leave-a-mark",
            "sh '$HOME/leave-a-mark'",
            "sh \"$HOME/leave-a-mark\"",
            "'${CLAUDE_PROJECT_DIR}/leave-a-mark'",
            "'$CLAUDE_PROJECT_DIR/leave-a-mark'",
            "\"$CLAUDE_PROJECT_DIR\"/leave-a-mark",
        ];
        let handlers = spellings.iter().enumerate();
        let handlers: Vec<Value> = handlers
            .map(|(n, spelling)| json!({"type": "command", "command": format!("{spelling} {n}")}))
            .collect();
        write(&desk.settings(), json!({"hooks": {"Stop": [{"hooks": handlers}]}}).to_string());
        let explained = desk.own(&["explain", "--json"]);
        let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
        desk.print(c, "你好");
        let handlers = explained["handlers"].as_array().unwrap();
        c.equal("3.3", "entries explained", handlers.len(), spellings.len());
        for (n, (spelling, handler)) in spellings.iter().zip(handlers).enumerate() {
            let is_fine = handler["findings"].as_array().is_some_and(Vec::is_empty);
            c.equal("3.3", *spelling, is_fine, marks.join(n.to_string()).exists());
        }
        desk.nothing_is_left(c);
    }
}
