//! A person at the terminal while the auditor runs: Esc, and a message typed meanwhile.
use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::desk::Desk;
use super::kit::auditors::{InTurn, fake_with_pids};
use super::kit::check::checks;
use super::kit::hook::quoted;
use super::kit::journal;
use super::kit::processes::{self, eventually};
use super::kit::sandbox::Sandbox;
use super::model::anthropic::says;
use super::terminal::Terminal;

/// How long a step of the client may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

const HANDED_ON: &str = "上一轮回复结束时，独立审计员提了下面的提醒";

/// Whether our hook has been told of that many prompts, and is done with them: the listener's copy of an event may be
/// there before our hook has begun.
fn handed_over(desk: &Desk, n_prompts: usize) -> bool {
    eventually(PATIENCE, || desk.sandbox.files_below("handed-over").len() == n_prompts)
}

checks! {
    /// Esc while "running Stop hook" is on the screen.
    #[own]
    fn r6_15_esc_ends_hook_and_auditor(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = fake_with_pids("timeout", &sandbox.pids());
        let desk = Desk::new(sandbox, &auditor, vec![says("做完了")]);
        let terminal = Terminal::start(&desk, "做一下");
        let asked = eventually(PATIENCE, || !processes::ids_in(&desk.sandbox.pids()).is_empty());
        c.that("6.15", "the auditor was asked", asked, "yes", terminal.text());
        c.that(
            "6.15",
            "hook and auditor run",
            desk.auditing().len() >= 2,
            "both",
            format!("{:?}", desk.auditing()),
        );
        terminal.press("\u{1b}");
        desk.the_audit_is_over(c);
        let logged = eventually(PATIENCE, || !desk.sandbox.log_lines().is_empty());
        c.that("6.15", "a line in the log", logged, "one", "none");
        let verdicts = journal::verdict_of_each(&desk.sandbox.log_lines());
        c.equal("6.15", "verdicts in the log", verdicts, vec!["ERROR".to_owned()]);
        c.equal("6.15", "requests to Claude's model", desk.model.conversations().len(), 1);
        drop(terminal);
        desk.nothing_is_left(c);
    }

    /// The typed message's UserPromptSubmit runs beside the Stop hook, before that has its NOTE: the note goes with the
    /// message after.
    #[own]
    fn r7_4_a_message_typed_while_the_auditor_runs_leaves_its_note_for_the_one_after(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = InTurn::new(&sandbox.path("auditor"), &["VERDICT: NOTE - 次数说多了", "VERDICT: PASS"]);
        let gate = auditor.gate(1);
        let replies = ["跑了三次", "第二条也答了", "第三条也答了"].map(says);
        let desk = Desk::new(sandbox, auditor.command(), replies.to_vec());
        let done = desk.sandbox.path("handed-over");
        fs::create_dir(&done).expect("a directory");
        let done = quoted(&done.to_string_lossy());
        desk.edit_command("UserPromptSubmit", |command| format!("{command}; touch {done}/$$"));
        let terminal = Terminal::start(&desk, "第一条");
        c.that(
            "7.4",
            "the first audit runs",
            eventually(PATIENCE, || auditor.has_read(1)),
            "yes",
            terminal.text(),
        );

        c.that("7.4", "the message is typed", terminal.send("SECOND-MESSAGE"), "seen", terminal.text());
        let fired = handed_over(&desk, 2);
        c.that("7.4", "its UserPromptSubmit runs beside the Stop hook", fired, "yes", terminal.text());
        let prompts = desk.events_named("UserPromptSubmit");
        let last = prompts.last().map(|event| event["prompt"].clone()).unwrap_or_default();
        c.equal("7.4", "its prompt", last, "SECOND-MESSAGE".into());
        c.equal("7.4", "requests so far", desk.model.conversations().len(), 1);
        // Opening it lets the auditor answer.
        c.that("7.4", "the auditor answers", fs::write(&gate, "go").is_ok(), "yes", "no");

        c.that("7.4", "the message is answered", desk.model.has_been_asked(2), "yes", terminal.text());
        let second = desk.model.conversations().get(1).cloned().unwrap_or_default();
        c.contains("7.4", "the second request", &second, "SECOND-MESSAGE");
        c.absent("7.4", "the second request", &second, HANDED_ON);
        c.that(
            "7.4",
            "it is audited",
            eventually(PATIENCE, || desk.sandbox.log_lines().len() == 2),
            "yes",
            "no",
        );
        let session_id = desk.events().last().map(|event| event["session_id"].clone()).unwrap_or_default();
        let pending = desk.pending(session_id.as_str().unwrap_or_default());
        c.that("7.4", "the note waits", pending.is_file(), "pending file", "none");

        c.that("7.4", "a third is typed", terminal.send("THIRD-MESSAGE"), "seen", terminal.text());
        c.that("7.4", "and answered", desk.model.has_been_asked(3), "yes", terminal.text());
        let third = desk.model.conversations().get(2).cloned().unwrap_or_default();
        c.equal("7.2", "notes in the third request", third.matches(HANDED_ON).count(), 1);
        c.contains("7.2", "the third request", &third, "次数说多了");
        c.that("7.2", "the note is gone", !pending.exists(), "no file", "a file");
        c.that(
            "8.1",
            "audited too",
            eventually(PATIENCE, || desk.sandbox.log_lines().len() == 3),
            "yes",
            "no",
        );
        let ids: Vec<Value> = desk.events().iter().map(|event| event["session_id"].clone()).collect();
        c.that("7.4", "one session", ids.iter().all(|id| *id == session_id), "one id", format!("{ids:?}"));
        drop(terminal);
        desk.nothing_is_left(c);
    }
}
