//! Which hooks run, and when: trust, managed hooks, `notify`, what is asked for leave, and the order of a turn.
use std::fs;
use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stop_auditor::hosts::codex::conduct::CONDUCT;
use stop_auditor::hosts::codex::rows::{configurations, rows, several};
use stop_auditor::hosts::codex::rules::RULES;
use stop_auditor::hosts::codex::{CLIENT, Event};
use stop_auditor::hosts::contract::{Proof, Run};

use super::super::kit::check::checks;
use super::super::kit::event::write;
use super::super::kit::processes::eventually;
use super::super::model::raw::closed_port;
use super::exec::{exec, start};
use super::home::Home;
use super::lab::{ASKING, FREE, Lab};
use super::script::{AGENTS, ASK, ERROR, NOWHERE, PLAIN, TOOL};

/// A block of Stop's, and a deny of PreToolUse's.
const BLOCK: &str = r#"{"decision":"block","reason":"R"}"#;
const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;

/// Whether the lab's one Stop hook runs in a turn, and what the client says of it beforehand.
fn trusted(lab: &Lab) -> (bool, Value) {
    let status = lab.listed()["hooks"][0]["trustStatus"].clone();
    let from = lab.server.n_notes();
    let n_told = lab.home.told(Event::Stop).len();
    let (thread, _) = lab.thread();
    lab.turn(&thread, PLAIN);
    let told = lab.home.told(Event::Stop).len() > n_told;
    let warned = lab.server.notes(from).iter().any(|note| note["method"] == "warning");
    (told || warned, status)
}

/// How many rows there are, and what of them is not run.
fn counts() -> String {
    let not_run: Vec<String> = CONDUCT
        .iter()
        .filter_map(|row| match row.proof {
            Proof::Run => None,
            Proof::NotRun { why } => Some(format!("not run: {} ({why})\n", row.says)),
        })
        .collect();
    let (outputs, several, files) = (rows().len(), several().len(), configurations().len());
    let n_conduct = CONDUCT.len();
    let run = outputs + several + files + n_conduct - not_run.len();
    format!(
        "\nCodex {CLIENT}: {outputs} rows of outputs, {several} of several hooks, {files} of files, {n_conduct} of conduct; \
         {run} run, {} not; {} rules of the study\n{}",
        not_run.len(),
        RULES.len(),
        not_run.concat()
    )
}

/// Codex on a machine whose `/etc` holds these managed hooks and little else.
fn managed(home: &Home, hooks: &str) -> Command {
    let etc = home.sandbox.path("etc");
    write(&etc.join("codex/requirements.toml"), format!("[hooks]\n{hooks}"));
    for name in ["passwd", "group", "hosts"] {
        // A machine without one of them has none in its stead.
        drop(fs::copy(format!("/etc/{name}"), etc.join(name)));
    }
    let codex = home.command();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", "mount --bind \"$0\" /etc && exec \"$@\""]).arg(etc).arg("codex");
    command.env_clear().envs(codex.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(home.sandbox.path("project"));
    command
}

checks! {
    /// A name without a case would be a row that nobody runs.
    #[own]
    fn h4_every_conduct_has_its_case(c: &mut Checks) {
        let registry = crate::registry();
        for row in CONDUCT {
            match row.proof {
                Proof::Run => {
                    let found = registry.iter().any(|named| named.name == row.case);
                    c.that("H.4", row.says, found, row.case, "no such case");
                }
                Proof::NotRun { why } => c.that("H.4", row.says, !why.is_empty(), "a reason", why),
            }
        }
        // Not `print!`, which libtest swallows.
        let written = std::io::stdout().write_all(counts().as_bytes());
        c.that("H.4", "the counts are printed", written.is_ok(), "yes", "no");
    }

    #[own]
    fn h4_trust(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        let one = |handler: Value| json!({"Stop": [{"hooks": [handler]}]});
        lab.home.register(&one(lab.home.handler(Event::Stop, 0)));
        c.equal("H.4", "never trusted", trusted(&lab), (false, json!("untrusted")));
        lab.trust();
        c.equal("H.4", "trusted", trusted(&lab), (true, json!("trusted")));
        let mut changed = lab.home.handler(Event::Stop, 0);
        changed["command"] = format!("{} # more", changed["command"].as_str().unwrap_or_default()).into();
        lab.home.register(&one(changed));
        c.equal("H.4", "changed since", trusted(&lab), (false, json!("modified")));
        lab.trust();
        let config = lab.home.codex_home().join("config.toml");
        let text = fs::read_to_string(&config).unwrap_or_default();
        write(&config, text + "enabled = false\n");
        c.equal("H.4", "turned off", trusted(&lab), (false, json!("trusted")));
        lab.home.write_config(&[]);
        let run = start(&lab.home, lab.home.command(), &[], PLAIN).finish();
        c.equal("H.4", "exec: never trusted", run.statuses("Stop"), Vec::new());
        c.absent("H.4", "exec: and nobody is told", &run.stderr, "hook");
        let run = exec(&lab.home, &[], PLAIN);
        c.equal("H.4", "exec: trust is passed by", run.statuses("Stop"), vec!["Completed".to_owned()]);
        c.contains(
            "H.4",
            "exec: and it says so",
            &run.stderr,
            "`--dangerously-bypass-hook-trust` is enabled",
        );
        lab.close(c);
    }

    /// The system's folder is another one in a namespace of the case's own.
    #[own]
    fn h4_managed(c: &mut Checks) {
        let home = Home::new(FREE);
        let at =
            |event: &str, handler: &str| format!("[[hooks.{event}]]\n[[hooks.{event}.hooks]]\n{handler}\n");
        for (event, handler, words) in [
            ("Stop", "type = \"prompt\"", "prompt hooks are not supported yet"),
            ("Stop", "type = \"agent\"", "agent hooks are not supported yet"),
            ("Stop", "type = \"command\"\ncommand = \" \"", "skipping empty hook command"),
            (
                "SessionEnd",
                "type = \"mcp_tool\"\nserver = \"s\"\ntool = \"t\"",
                "SessionEnd MCP hooks are not supported",
            ),
            ("Stop", "type = \"http\"", "unknown variant `http`"),
        ] {
            let run = start(&home, managed(&home, &at(event, handler)), &[], PLAIN).finish();
            c.equal("H.4", format!("{handler}: exit code"), run.code, Some(1));
            c.equal("H.4", format!("{handler}: requests"), run.requests.len(), 0);
            c.contains("H.4", format!("{handler}: what it says"), &run.stderr, words);
        }
        let handler = home.handler(Event::Stop, 0);
        let command = format!("type = \"command\"\ncommand = {}", handler["command"]);
        let run = start(&home, managed(&home, &at("Stop", &command)), &[], PLAIN).finish();
        let seen = (run.code, run.statuses("Stop"), home.told(Event::Stop).len());
        c.equal("H.4", "a command runs without trust", seen, (Some(0), vec!["Completed".to_owned()], 1));
        home.nothing_is_left(c);
    }

    #[own]
    fn h4_notify(c: &mut Checks) {
        let script = "printf '%s' \"$1\" >\"$TMPDIR/notified.part\"; mv \"$TMPDIR/notified.part\" \"$TMPDIR/notified\"; \
                      echo noise; echo noise >&2; exit 2";
        let notify = format!("notify = {}", json!(["sh", "-c", script, "sh"]));
        let home = Home::new(&[FREE[0], FREE[1], &notify]);
        let run = exec(&home, &[], PLAIN);
        let file = home.sandbox.path("tmp/notified");
        let written = eventually(Duration::from_secs(5), || file.exists());
        c.that("H.4", "it ran", written, "a file", "none");
        let told: Value = serde_json::from_slice(&fs::read(&file).unwrap_or_default()).unwrap_or_default();
        c.equal("H.4", "what it is told", &told["type"], &json!("agent-turn-complete"));
        c.equal("H.4", "exit code of exec", run.code, Some(0));
        c.equal("H.4", "requests: its exit 2 is no block", run.requests.len(), 1);
        c.absent("H.4", "stderr of exec", &run.stderr, "noise");
        c.absent("H.4", "stderr of exec", &run.stderr, "hook:");
        home.nothing_is_left(c);
    }

    #[own]
    fn h4_leave(c: &mut Checks) {
        let lab = Lab::new(Home::new(ASKING));
        let event = Event::PermissionRequest;
        lab.register_at(&[event]);
        let allow =
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
        lab.home.plan(event, &[Run::exited(0, allow, "")]);
        let (thread, _) = lab.thread();
        lab.turn(&thread, ASK);
        c.equal("H.4", "questions after an allowance", lab.server.asked().len(), 0);
        let ran = lab.home.sandbox.path("project/ran");
        c.that("H.4", "the command ran", ran.exists(), "a file", "none");
        lab.turn(&thread, ASK);
        c.equal("H.4", "the hook is asked for the same command again", lab.home.told(event).len(), 2);
        c.equal("H.4", "and so is the person", lab.server.asked().len(), 1);
        let run = exec(&lab.home, &[], ASK);
        c.equal("H.4", "exec asks nobody", lab.home.told(event).len(), 2);
        c.equal("H.4", "exec goes on", run.code, Some(0));
        let run = exec(&lab.home, &["-c", "approval_policy=\"untrusted\""], PLAIN);
        let seen = (run.code, run.requests.len());
        c.equal("H.4", "approval_policy untrusted: exit code, requests", seen, (Some(1), 0));
        lab.close(c);
    }

    #[own]
    fn h4_tools(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        lab.register_at(&[Event::PreToolUse, Event::PostToolUse]);
        let seen = || (lab.home.told(Event::PreToolUse).len(), lab.home.told(Event::PostToolUse).len());
        lab.turn(&lab.thread().0, ERROR);
        c.equal("H.4", "a command that ends with an error: before, after", seen(), (1, 1));
        lab.turn(&lab.thread().0, NOWHERE);
        c.equal("H.4", "a call that cannot run: before, after", seen(), (2, 1));
        for (matcher, meets) in [
            ("Bash", true),
            ("^Bash$", true),
            ("Shell|Bash", true),
            ("Bas.*", true),
            ("*", true),
            ("", true),
            ("Bas", false),
            ("bash", false),
            ("exec_command", false),
            ("Edit", false),
        ] {
            let group = json!({"matcher": matcher, "hooks": [lab.home.handler(Event::PreToolUse, 0)]});
            lab.home.register(&json!({"PreToolUse": [group]}));
            lab.trust();
            lab.home.plan(Event::PreToolUse, &[Run::exited(0, DENY, "")]);
            let from = lab.server.n_notes();
            lab.turn(&lab.thread().0, TOOL);
            let met = !lab.hook_runs(Event::PreToolUse, from).is_empty();
            c.equal("H.4", format!("matcher {matcher:?} meets a shell command"), met, meets);
        }
        lab.close(c);
    }

    #[own]
    fn h4_stops(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        lab.register_at(&[Event::SessionStart, Event::UserPromptSubmit, Event::Stop]);
        let script = format!("echo x >>count; [ $(wc -l <count) -le 12 ] && printf '%s' '{BLOCK}'; exit 0");
        lab.home.plan_script(Event::Stop, 0, &script);
        lab.turn(&lab.thread().0, PLAIN);
        c.equal("H.4", "requests after twelve blocks", lab.home.model.requests().len(), 13);
        let active = lab.home.told(Event::Stop).into_iter();
        let active: Vec<bool> = active.map(|told| told["stop_hook_active"] == true).collect();
        let mut wanted = vec![true; 13];
        wanted[0] = false;
        c.equal("H.4", "stop_hook_active of each Stop", active, wanted);
        c.equal("H.4", "starts of the session", lab.home.told(Event::SessionStart).len(), 1);
        c.equal("H.4", "prompts submitted", lab.home.told(Event::UserPromptSubmit).len(), 1);
        let nowhere = format!("model_providers.scripted.base_url=\"http://127.0.0.1:{}/v1\"", closed_port());
        let run = exec(&lab.home, &["-c", &nowhere], PLAIN);
        c.equal("H.4", "a service that is not there: exit code", run.code, Some(1));
        c.equal("H.4", "and no Stop", lab.home.told(Event::Stop).len(), 13);
        c.equal("H.4", "but a prompt", lab.home.told(Event::UserPromptSubmit).len(), 2);
        lab.close(c);
    }

    #[own]
    fn h4_subagents(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        lab.register_at(&[Event::SubagentStart, Event::SubagentStop, Event::Stop]);
        let n = |event| lab.home.told(event).len();
        lab.turn(&lab.thread().0, PLAIN);
        let seen = (n(Event::SubagentStart), n(Event::SubagentStop), n(Event::Stop));
        c.equal("H.4", "without an agent", seen, (0, 0, 1));
        lab.turn(&lab.thread().0, AGENTS);
        let seen = (n(Event::SubagentStart), n(Event::SubagentStop), n(Event::Stop));
        c.equal("H.4", "with one", seen, (1, 1, 2));
        lab.close(c);
    }
}
