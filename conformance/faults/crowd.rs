//! Fifty hooks at once, as many sessions or one (1.3, 6.15, 7.4, 8.1, 8.3): each has its verdict, its note and its line.
use std::time::Duration;

use serde_json::{Value, json};

use crate::kit::auditors::{fake_with_pids, says};
use crate::kit::check::checks;
use crate::kit::event::Running;
use crate::kit::sandbox::{Run, Sandbox};
use crate::kit::{journal, processes};

const N_HOOKS: usize = 50;

/// What fifty hooks may take on two busy cores.
const PATIENCE: Duration = Duration::from_secs(90);

checks! {
    /// 7.4, 8.3: in fifty sessions.
    fn r8_3_fifty_sessions_at_once_lose_no_line_and_no_note(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let id = |n: usize| format!("session-{n:02}");
        let stop = |n: usize| {
            let stop = sandbox.stop().set("session_id", id(n)).within(PATIENCE);
            stop.auditor(&says(&format!("VERDICT: NOTE - 记号{n:02}"))).start()
        };
        let runs = all((0..N_HOOKS).map(stop).collect());
        for (n, run) in runs.iter().enumerate() {
            let ok = run.code == Some(0) && run.message().contains(&format!("记号{n:02}"));
            c.that("6.8", format!("hook {n}"), ok, "its note", run.seen());
        }
        let lines = sandbox.log_lines();
        c.equal("8.1", "lines in the log", lines.len(), N_HOOKS);
        for n in 0..N_HOOKS {
            let own = |line: &&Value| line.is_object() && journal::has(line, &json!(id(n)));
            c.equal("8.3", format!("whole lines of hook {n}"), lines.iter().filter(own).count(), 1);
        }
        let prompt =
            |n: usize| sandbox.prompt_submit("接着做").set("session_id", id(n)).within(PATIENCE).start();
        for (n, run) in all((0..N_HOOKS).map(prompt).collect()).iter().enumerate() {
            let own =
                run.stdout.matches("记号").count() == 1 && run.stdout.contains(&format!("- 记号{n:02}"));
            c.that("7.4", format!("message {n}"), own, "its own note, once", run.seen());
        }
    }

    /// 1.3: of one turn of one session.
    fn r1_3_fifty_hooks_of_one_turn_make_two_audits(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let calls = sandbox.path("calls");
        let command = format!("echo call >>{}; {}", calls.display(), says("VERDICT: FAIL - x"));
        let stop = |_| sandbox.stop().again().auditor(&command).within(PATIENCE).start();
        let runs = all((0..N_HOOKS).map(stop).collect());
        let n_blocks = runs.iter().filter(|run| run.blocked()).count();
        let n_silent = runs.iter().filter(|run| run.silent()).count();
        c.equal("1.3", "blocks", n_blocks, 2);
        c.equal("6.5", "silent ones", n_silent, N_HOOKS - 2);
        let n_calls = std::fs::read_to_string(calls).unwrap_or_default().lines().count();
        c.equal("1.3", "audits", n_calls, 2);
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.equal(
            "6.5",
            "lines that say SKIP",
            words.iter().filter(|word| *word == "SKIP").count(),
            N_HOOKS - 2,
        );
    }

    /// 6.15: Esc in fifty sessions, while all of them wait for their auditors.
    fn r6_15_fifty_hooks_that_are_ended_leave_nothing(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let command = format!("cat >/dev/null; exec {}", fake_with_pids("ignores-term", &sandbox.pids()));
        let stop = |n: usize| {
            let stop = sandbox.stop().set("session_id", format!("session-{n:02}")).within(PATIENCE);
            stop.auditor(&format!("{command} 120")).start()
        };
        let hooks: Vec<Running> = (0..N_HOOKS).map(stop).collect();
        // Each auditor has a child.
        let n_started = || processes::ids_in(&sandbox.pids()).len();
        let all_started = processes::eventually(PATIENCE, || n_started() == 2 * N_HOOKS);
        c.that("6.15", "all auditors had started", all_started, "100", n_started().to_string());
        hooks.iter().for_each(Running::terminate);
        let runs = all(hooks);
        c.that(
            "6.15",
            "all have ended, and printed nothing",
            runs.iter().all(|run| run.stdout.is_empty() && !run.hung),
            "nothing",
            format!("{runs:?}"),
        );
        let left =
            || processes::ids_in(&sandbox.pids()).into_iter().filter(|id| processes::runs(*id)).count();
        let gone = processes::eventually(Duration::from_secs(10), || left() == 0);
        c.that("6.15", "no auditor is left", gone, "none", left().to_string());
        let logged = processes::eventually(Duration::from_secs(10), || sandbox.log_lines().len() == N_HOOKS);
        c.that("6.15", "each is in the log", logged, "50", sandbox.log_lines().len().to_string());
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.that("6.15", "as an error", words.iter().all(|word| word == "ERROR"), "ERROR", words.join(" "));
    }
}

fn all(running: Vec<Running>) -> Vec<Run> {
    running.into_iter().map(Running::finish).collect()
}
