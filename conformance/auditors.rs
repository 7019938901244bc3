//! What happens to an auditor that fails, hangs, floods or leaves something behind (3.4, 6.9, 6.14, 6.15).
//! Process ids come from the fake auditors themselves.
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::auditors::{fake, fake_with_pids, missing_program, outlasting};
use crate::kit::check::{Checks, checks};
use crate::kit::hook::{self, OWN_LIMIT_S};
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;
use crate::kit::{journal, processes};

/// How much later than the limit a hook may end on a loaded machine.
const MARGIN: Duration = Duration::from_secs(3);

/// What a loaded machine adds to two seconds.
const LOADED: Duration = Duration::from_secs(1);

/// 6.15: the client's user waits this long at most after Esc.
const AFTER_SIGTERM: Duration = Duration::from_secs(2);

checks! {
    /// 3.4: the limit takes decimals, and what is no number is no limit.
    #[own]
    fn r3_4_the_limit_takes_decimals_and_no_junk(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let command = fake_with_pids("timeout", &sandbox.pids());
        let run = sandbox.stop().env("STOP_AUDITOR_TIMEOUT", "0.25").auditor(&command).run();
        let soon = run.elapsed < Duration::from_secs_f64(0.25) + MARGIN;
        c.that("3.4", "a quarter of a second", run.not_audited() && soon, "an error line", run.seen());
        for value in ["", "abc", "-1", "0", "NaN", "inf", "1e999"] {
            let sandbox = Sandbox::with_two_turns();
            let run = sandbox.stop().env("STOP_AUDITOR_TIMEOUT", value).auditor(&fake("fail")).run();
            c.that("3.4", format!("{value:?} is no limit"), run.blocked(), "an audit", run.seen());
        }
    }

    /// 6.9: what cannot be started, and what ends with an error, is an error.
    fn r6_9_what_cannot_run_is_an_error(c: &mut Checks) {
        for command in [missing_program(), fake("exit-nonzero"), "/".to_owned()] {
            let sandbox = Sandbox::with_two_turns();
            let run = sandbox.stop().auditor(&command).run();
            let program = command.rsplit('/').next().unwrap_or_default();
            c.that("6.9", format!("…/{program} is an error"), run.not_audited(), "an error line", run.seen());
            c.equal(
                "6.9",
                "verdicts in the log",
                journal::verdict_of_each(&sandbox.log_lines()),
                vec!["ERROR".to_owned()],
            );
        }
    }

    /// 6.9, 6.14: an auditor that hangs.
    #[timed]
    fn r6_14_a_hanging_auditor_is_ended_at_the_limit(c: &mut Checks) {
        ended_at_the_limit(c, "timeout", Rows::two_turns(), 1);
    }

    /// 6.14: a grandchild that holds stdout open is in the same group, and is neither waited for nor left.
    #[timed]
    fn r6_14_a_grandchild_is_ended_too(c: &mut Checks) {
        ended_at_the_limit(c, "timeout-with-grandchild", Rows::two_turns(), 2);
    }

    /// 6.14: SIGTERM alone would not end it.
    #[timed]
    fn r6_14_what_ignores_sigterm_is_ended_too(c: &mut Checks) {
        ended_at_the_limit(c, "ignores-term", Rows::two_turns(), 2);
    }

    /// 6.9: a prompt of more than a pipe holds does not make the hook wait for a reader.
    #[timed]
    fn r6_9_an_auditor_that_never_reads_is_ended_at_the_limit(c: &mut Checks) {
        ended_at_the_limit(c, "timeout", long_prompt(), 1);
    }

    /// Waiting for an answer of minutes may not heat the person's machine: two seconds of it take no half second of
    /// processor time.
    #[own]
    fn r6_14_waiting_takes_no_processor_time(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let times = sandbox.path("times");
        let auditor = format!(
            "cat >/dev/null; sleep 2; cut -d ' ' -f 14,15 /proc/$PPID/stat >{}; echo VERDICT: PASS",
            hook::quoted(&times.to_string_lossy())
        );
        let run = sandbox.stop().auditor(&auditor).run();
        c.that("6.2", "it passed", run.silent(), "silence", run.seen());
        if cfg!(target_os = "linux") {
            let times = std::fs::read_to_string(times).unwrap_or_default();
            let ticks: Vec<u64> = times.split_whitespace().filter_map(|ticks| ticks.parse().ok()).collect();
            // A tick is a hundredth of a second; in user mode and in the kernel.
            let few = ticks.len() == 2 && ticks.iter().sum::<u64>() < 50;
            c.that("6.14", "ticks of the waiting hook", few, "fewer than 50 of 200", format!("{ticks:?}"));
        }
    }

    /// 6.9: one that answers without reading is no reason to crash: its verdict counts, or it is an error.
    fn r6_9_an_auditor_that_answers_unread_does_no_harm(c: &mut Checks) {
        let sandbox = Sandbox::new();
        sandbox.transcript(long_prompt().rows());
        let run = sandbox.stop().auditor(&fake("never-reads-stdin")).run();
        c.that(
            "6.9",
            "a pass or an error line",
            run.silent() || run.not_audited(),
            "a pass or an error",
            run.seen(),
        );
        c.that(
            "6.9",
            "at once",
            run.elapsed < Duration::from_secs(10),
            "< 10 s",
            format!("{:?}", run.elapsed),
        );
    }

    /// 6.3: 20 MB of noise do not hide the verdict, nor do bytes that are no UTF-8.
    fn r6_3_floods_and_broken_bytes_do_not_hide_the_verdict(c: &mut Checks) {
        for (name, reason) in [("floods-stdout", "洪水之后的判定"), ("not-utf8", "in the middle")] {
            let sandbox = Sandbox::with_two_turns();
            let run = sandbox.stop().auditor(&fake(name)).run();
            let ok = run.blocked() && run.reason().contains(reason);
            c.that("6.3", format!("{name}: the verdict counts"), ok, reason, run.seen());
        }
    }

    /// 6.14: a verdict is a verdict, and what detached itself is not waited for.
    fn r6_14_a_detached_child_is_not_waited_for(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor(&fake_with_pids("holds-stdout", &sandbox.pids())).run();
        c.that("6.14", "the verdict counts", run.reason().contains("说完就走"), "a block", run.seen());
        c.that(
            "6.14",
            "the child is not waited for",
            run.elapsed < Duration::from_secs(6),
            "< 6 s of its 8 s",
            format!("{:?}", run.elapsed),
        );
        c.that(
            "6.14",
            "the client is not kept waiting either",
            !run.held_open,
            "stdout and stderr closed",
            "held open",
        );
        let ids = processes::ids_in(&sandbox.pids());
        c.equal("6.14", "children that the auditor left", ids.len(), 1);
    }

    /// 6.14 for our own hook: the log names what was left.
    #[own]
    fn r6_14_a_detached_child_is_named_in_the_log(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake_with_pids("holds-stdout", &sandbox.pids())).run();
        let ids = processes::ids_in(&sandbox.pids());
        let named = |line: &Value| {
            ids.iter().any(|id| journal::mentions(line, &id.to_string()) || journal::has(line, &json!(id)))
        };
        let found = sandbox.log_lines().iter().any(named);
        c.that("6.14", "its process id is in the line", found, format!("{ids:?}"), sandbox.log_text());
    }

    /// 6.14 for our own hook: also where the auditor's time was over, and nobody held its output.
    #[own]
    fn r6_14_what_a_late_auditor_left_is_named_in_the_log(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let pids = hook::quoted(&sandbox.pids().to_string_lossy());
        let left =
            format!("setsid sh -c 'echo $$ >>\"$0\"; exec sleep 60' {pids} </dev/null >/dev/null 2>&1");
        let auditor = format!("cat >/dev/null; {left} & sleep 60");
        let run = sandbox.stop().env("STOP_AUDITOR_TIMEOUT", "1").auditor(&auditor).run();
        c.that("6.14", "it took too long", run.not_audited(), "not audited", run.seen());
        let ids = processes::ids_in(&sandbox.pids());
        let line = sandbox.log_lines().pop().unwrap_or_default();
        let named: Vec<String> = ids.iter().map(|id| format!("{id} sleep")).collect();
        c.equal("6.14", "processes that were left", named.len(), 1);
        c.equal("6.14", "who is named", line["detached"].clone(), json!(named));
    }

    /// 6.15: Esc, or the client's own time-out.
    fn r6_15_sigterm_ends_the_auditor_too(c: &mut Checks) {
        for (name, n_processes) in [("timeout", 1), ("timeout-with-grandchild", 2), ("ignores-term", 2)] {
            let sandbox = Sandbox::with_two_turns();
            // An auditor that has read its prompt is one that the hook has finished starting.
            let command = format!("cat >/dev/null; exec {}", fake_with_pids(name, &sandbox.pids()));
            let hook = sandbox.stop().auditor(&command).start();
            let started = processes::eventually(Duration::from_secs(20), || {
                processes::ids_in(&sandbox.pids()).len() == n_processes
            });
            c.that("6.15", format!("{name}: the auditor had started"), started, "started", "not started");
            let signal = Instant::now();
            hook.terminate();
            let gone = processes::eventually(AFTER_SIGTERM, || {
                !processes::ids_in(&sandbox.pids()).into_iter().any(processes::runs)
            });
            c.that(
                "6.15",
                format!("{name}: the auditor's group is gone"),
                gone,
                "gone within 2 s",
                "still there",
            );
            let left = (AFTER_SIGTERM + LOADED).saturating_sub(signal.elapsed());
            let logged = processes::eventually(left, || !sandbox.log_lines().is_empty());
            let took = format!("{:?}", signal.elapsed());
            c.that("6.15", format!("{name}: a line is logged in time"), logged, "within 2 s", took);
            let run = hook.finish();
            let ended = !run.hung && !run.held_open;
            c.that("6.15", format!("{name}: the hook has ended too"), ended, "ended", run.seen());
            c.equal("6.15", format!("{name}: nothing is printed"), run.stdout.as_str(), "");
            c.equal(
                "6.15",
                "verdicts in the log",
                journal::verdict_of_each(&sandbox.log_lines()),
                vec!["ERROR".to_owned()],
            );
            let words = ["SIGTERM", "signal", "terminated", "cancel", "信号", "终止", "中断", "取消", "结束"];
            let cause =
                sandbox.log_lines().iter().any(|line| words.iter().any(|word| journal::mentions(line, word)));
            c.that("6.15", format!("{name}: with that cause"), cause, words.join(" or "), sandbox.log_text());
        }
    }

    /// 3.4: after the limit the hook needs only moments to tell and to log.
    #[own]
    fn r3_4_the_hook_is_done_soon_after_the_limit(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().short_limit().auditor(&outlasting("ignores-term", &sandbox.pids())).run();
        let limit = Duration::from_secs_f64(OWN_LIMIT_S);
        c.that(
            "3.4",
            "done soon after the limit",
            run.elapsed < limit + MARGIN,
            "within 3 s",
            format!("{:?}", run.elapsed),
        );
        c.that("3.4", "the JSON is written", run.not_audited(), "an error line", run.seen());
        c.equal("3.4", "the log is written", sandbox.log_lines().len(), 1);
    }

    /// 3.4: whatever somebody sets, 150 s is the most.
    #[own]
    #[slow]
    fn r3_4_no_setting_gives_more_than_150_seconds(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let command = format!("{} 185", fake_with_pids("timeout", &sandbox.pids()));
        let run = sandbox.stop().patient().env("STOP_AUDITOR_TIMEOUT", "1000").auditor(&command).run();
        c.that("3.4", "an error line", run.not_audited(), "an error line", run.seen());
        let (least, most) = (Duration::from_secs(149), Duration::from_secs(150) + MARGIN);
        c.that(
            "3.4",
            "at 150 s",
            run.elapsed > least && run.elapsed < most,
            "150 s",
            format!("{:?}", run.elapsed),
        );
    }
}

fn long_prompt() -> Rows {
    let mut rows = Rows::new();
    rows.person(format!("{}，说说看", "很长的粘贴内容。".repeat(15_000))).says("看完了。");
    rows
}

fn ended_at_the_limit(c: &mut Checks, name: &str, rows: Rows, n_processes: usize) {
    let sandbox = Sandbox::new();
    sandbox.transcript(rows.rows());
    let run = sandbox.stop().short_limit().auditor(&outlasting(name, &sandbox.pids())).run();
    c.that("6.9", format!("{name}: an error line"), run.not_audited(), "an error line", run.seen());
    c.equal(
        "6.9",
        "verdicts in the log",
        journal::verdict_of_each(&sandbox.log_lines()),
        vec!["ERROR".to_owned()],
    );
    let ids = processes::ids_in(&sandbox.pids());
    c.equal("6.14", format!("{name}: processes that had started"), ids.len(), n_processes);
    // A killed process takes a moment to vanish; 20 s of sleep do not.
    let gone = processes::eventually(Duration::from_secs(1), || !ids.iter().any(|id| processes::runs(*id)));
    c.that("6.14", format!("{name}: nothing of the group is left"), gone, "gone", format!("{ids:?}"));
    c.that("6.14", format!("{name}: nobody holds the output"), !run.held_open, "closed", "held open");
    // A foreign hook's limit has no known unit; that it is short enough for the watchdog is all that is known.
    if !hook::foreign() {
        let limit = Duration::from_secs_f64(OWN_LIMIT_S);
        let near = run.elapsed >= limit && run.elapsed < limit + MARGIN;
        c.that(
            "6.14",
            format!("{name}: ended at the limit"),
            near,
            "1 s to 4 s",
            format!("{:?}", run.elapsed),
        );
    }
}
