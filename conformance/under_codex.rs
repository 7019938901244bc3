//! Codex runs hooks in Claude Code's manner. Registered there our hook says nothing and keeps nothing, whatever file it
//! is pointed at. What Codex 0.171.0 sends was recorded with a scripted model; the suite `clients` shows it at work.
use serde_json::{Value, json};

use crate::kit::auditors::fake;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::sandbox::{Event, Sandbox};

/// The beginning of a session's file as Codex writes it, long texts left out.
const ROLLOUT: &str = r#"{"timestamp":"2026-11-29T22:20:33.000Z","type":"session_meta","payload":{"id":"01a22965-477b-7b81-8a8f-020f684405ec"}}
{"timestamp":"2026-11-29T22:20:33.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Is it done?"}]}}
{"timestamp":"2026-11-29T22:20:33.200Z","type":"response_item","payload":{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"done"}]}}
"#;

/// An event of Codex's: the fields that it sends, and no others.
fn codex(sandbox: &Sandbox, transcript: &Value, fields: Value) -> Event {
    let mut event = sandbox.stop();
    event.json = json!({"session_id": sandbox.session_id(), "turn_id": "01a22965-4798-7bd1-b5e9-84c9c6a7fd11",
                        "transcript_path": transcript, "cwd": sandbox.path("project"), "model": "gpt-6.1-sol",
                        "permission_mode": "bypassPermissions"});
    if let (Value::Object(all), Value::Object(fields)) = (&mut event.json, fields) {
        all.extend(fields);
    }
    event
}

fn stop_fields() -> Value {
    json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "done"})
}

checks! {
    /// H.5: a Stop, with no file, with Codex's own, and with one that could be audited.
    #[own]
    fn h5_a_stop_of_codex_is_silent(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let rollout = sandbox.path("rollout.jsonl");
        write(&rollout, ROLLOUT);
        for (name, transcript) in [
            ("null", json!(null)),
            ("a rollout file", json!(rollout)),
            ("a file that is gone", json!(sandbox.path("gone.jsonl"))),
            ("a transcript of Claude Code", json!(sandbox.path("transcript.jsonl"))),
        ] {
            for active in [false, true] {
                let event = codex(&sandbox, &transcript, stop_fields()).set("stop_hook_active", active);
                let (recording, run) = event.record("VERDICT: FAIL - x");
                let silent = run.silent() && run.stderr.is_empty();
                c.that("H.5", format!("{name}: silent"), silent, "silence", run.seen());
                c.equal("H.5", format!("{name}: nobody is asked"), recording.n_calls(), 0);
            }
        }
        c.that("H.5", "no log", !sandbox.path("logs").exists(), "no folder", "a folder");
        c.equal("H.5", "no state", sandbox.files_below("tmp"), Vec::new());
        // The twin: the same event with Claude Code's id is audited.
        let event = codex(&sandbox, &json!(sandbox.path("transcript.jsonl")), stop_fields());
        let run = event.set("prompt_id", "p1").auditor(&fake("fail")).run();
        c.that("H.5", "an event with a prompt_id is Claude Code's", run.blocked(), "a block", run.seen());
    }

    /// H.5: a prompt, even where a note of a session with that id waits.
    #[own]
    fn h5_a_prompt_of_codex_is_silent(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("note")).run();
        c.that("H.5", "a note waits", sandbox.pending().is_file(), "a file", "none");
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
        let run = codex(&sandbox, &json!(null), prompt.clone()).run();
        let silent = run.silent() && run.stderr.is_empty();
        c.that("H.5", "silent", silent, "silence", run.seen());
        c.that("H.5", "the note still waits", sandbox.pending().is_file(), "a file", "none");
        let run = codex(&sandbox, &json!(null), prompt).unset("turn_id").run();
        c.that("H.5", "without turn_id it is handed over", !run.silent(), "the note", run.seen());
    }
}
