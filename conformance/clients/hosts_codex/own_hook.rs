//! Our own hook, registered with Codex as with Claude Code: it says nothing, does nothing and keeps nothing.
use std::fs;

use serde_json::json;
use stop_auditor::hosts::codex::Event;

use super::super::kit::auditors::{Recording, recorder};
use super::super::kit::check::{Checks, checks};
use super::super::kit::hook::quoted;
use super::exec::exec;
use super::home::Home;
use super::lab::{FREE, Lab};
use super::script::{PLAIN, TOOL};

/// Registers it beside the hook script; its auditor would fail every turn.
fn register(home: &Home) {
    let own = quoted(env!("CARGO_BIN_EXE_stop-auditor"));
    let auditor = recorder(&home.sandbox.path("recording"), "VERDICT: FAIL - 不该审");
    let with = |name: &str| format!("{name}={}", quoted(&home.sandbox.path("logs").to_string_lossy()));
    let command = format!("STOP_AUDITOR_CMD={} {} {own}", quoted(&auditor), with("STOP_AUDITOR_LOG_DIR"));
    let group = |event| json!([{"hooks": [{"type": "command", "command": command}, home.handler(event, 0)]}]);
    home.register(&json!({"Stop": group(Event::Stop), "UserPromptSubmit": group(Event::UserPromptSubmit)}));
}

/// It asked nobody, and left nothing.
fn left_nothing(c: &mut Checks, home: &Home) {
    let n_calls = Recording::of(&home.sandbox.path("recording")).n_calls();
    c.equal("H.5", "audits", n_calls, 0);
    let files = home.sandbox.files_below("logs");
    c.equal("H.5", "files in its log folder", files, Vec::new());
    let state = fs::read_dir(home.sandbox.path("tmp")).into_iter().flatten().flatten();
    let own = state.filter(|entry| entry.file_name().to_string_lossy().starts_with("stop-auditor"));
    c.equal("H.5", "its state", own.count(), 0);
}

checks! {
    #[own]
    fn h5_under_codex_our_hook_is_silent(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        register(&lab.home);
        lab.trust();
        let (thread, file) = lab.thread();
        lab.turn(&thread, TOOL);
        lab.turn(&thread, PLAIN);
        c.equal("H.5", "requests: nobody is sent back", lab.home.model.requests().len(), 3);
        for event in [Event::Stop, Event::UserPromptSubmit] {
            let runs = lab.hook_runs(event, 0);
            c.equal("H.5", format!("runs of {}", event.name()), runs.len(), 4);
            for run in runs {
                let seen = (&run["status"], &run["entries"]);
                c.equal(
                    "H.5",
                    format!("{}: status and words", event.name()),
                    seen,
                    (&json!("completed"), &json!([])),
                );
            }
            let told = lab.home.told(event).pop().unwrap_or_default();
            let path = told["transcript_path"].as_str().unwrap_or_default();
            c.equal(
                "H.5",
                format!("{}: the transcript", event.name()),
                path,
                file.to_string_lossy().as_ref(),
            );
            c.that(
                "H.5",
                "turn_id",
                told["turn_id"].is_string() && told["prompt_id"].is_null(),
                "and no prompt_id",
                told.to_string(),
            );
        }
        left_nothing(c, &lab.home);
        lab.close(c);
    }

    /// A session that Codex keeps nothing of has no transcript.
    #[own]
    fn h5_and_so_it_is_without_a_transcript(c: &mut Checks) {
        let home = Home::new(FREE);
        register(&home);
        let run = exec(&home, &["--ephemeral"], PLAIN);
        c.equal("H.5", "exit code of exec", run.code, Some(0));
        c.equal("H.5", "requests", run.requests.len(), 1);
        for event in [Event::Stop, Event::UserPromptSubmit] {
            c.equal("H.5", event.name(), run.statuses(event.name()), vec!["Completed".to_owned(); 2]);
            let told = home.told(event).pop().unwrap_or_default();
            c.equal("H.5", "the transcript", &told["transcript_path"], &json!(null));
        }
        left_nothing(c, &home);
        home.nothing_is_left(c);
    }
}
