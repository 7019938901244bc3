//! Auditors that misbehave in rarer ways than those of `../auditors.rs` (6.3, 6.9, 6.14).
use std::time::Duration;

use crate::kit::auditors::outlasting;
use crate::kit::check::checks;
use crate::kit::hook::quoted;
use crate::kit::processes;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;

/// A gigabyte through a pipe, on a busy machine.
const FLOODED: Duration = Duration::from_secs(120);

checks! {
    /// 6.3: a gigabyte of noise, and less of it in one line and on the other stream. The twin in `auditors` is smaller.
    #[slow]
    fn r6_3_a_gigabyte_of_noise_does_not_hide_the_verdict(c: &mut Checks) {
        for (name, noise) in [
            ("a gigabyte in lines", "yes 'no verdict yet' | head -c 1000000000"),
            ("in one line", "head -c 100000000 /dev/zero"),
            ("on stderr", "yes 'no verdict yet' | head -c 100000000 >&2"),
        ] {
            let sandbox = Sandbox::with_two_turns();
            let command = format!("cat >/dev/null; {noise}; printf '\\nVERDICT: FAIL - 在最后\\n'");
            let run = sandbox.stop().within(FLOODED).auditor(&command).run();
            let got = format!("{:?}: {}", run.elapsed, run.seen());
            c.that(
                "6.3",
                format!("{name}: the verdict counts"),
                run.reason().contains("在最后"),
                "a block",
                got,
            );
        }
    }

    /// 6.14: noise without an end is ended at the limit.
    #[timed]
    fn r6_14_noise_without_an_end_is_ended_at_the_limit(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().short_limit().auditor("cat >/dev/null; exec yes VERDICT: FAIL - x").run();
        c.that("6.9", "an error line", run.not_audited(), "not audited", run.seen());
        let left = || processes::with_environment(sandbox.root());
        let alone = processes::eventually(Duration::from_secs(5), || left().is_empty());
        c.that("6.14", "nothing is left", alone, "nothing", format!("{:?}", left()));
    }

    /// 6.9: one that closes its input at once, and one that reads a little, on a prompt of more than a pipe holds.
    fn r6_9_an_auditor_that_closes_its_input_early_may_still_judge(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person(format!("{}，说说看", "很长的粘贴内容。".repeat(15_000))).says("看完了。");
        for (name, reading) in
            [("at once", "exec 0<&-"), ("after some bytes", "head -c 10 >/dev/null; exec 0<&-")]
        {
            let sandbox = Sandbox::new();
            sandbox.transcript(rows.rows());
            let run = sandbox.stop().auditor(&format!("{reading}; echo 'VERDICT: FAIL - 读到一半'")).run();
            let ok = run.reason().contains("读到一半") || run.not_audited();
            c.that(
                "6.9",
                format!("{name}: its verdict, or an error"),
                ok,
                "a block, or not audited",
                run.seen(),
            );
        }
    }

    /// 6.14: what detached itself writes behind the auditor's end: too late to be the answer, and nobody waits.
    #[timed]
    fn r6_14_what_is_written_after_the_end_is_no_answer(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        // It waits until the hook has its verdict, which stands in the log; then it writes another one.
        let logs = quoted(&sandbox.path("logs").to_string_lossy());
        let late = format!(
            "echo $$ >>{}; n=0; while [ $n -lt 400 ] && ! grep -qs x {logs}/*.jsonl; do sleep 0.05; n=$((n+1)); done; \
             echo VERDICT: FAIL - late",
            quoted(&sandbox.pids().to_string_lossy())
        );
        let command = format!("cat >/dev/null; setsid sh -c {} & echo 'VERDICT: PASS'", quoted(&late));
        let run = sandbox.stop().auditor(&command).run();
        c.that("6.14", "the verdict in time counts", run.silent(), "a pass", run.seen());
        c.that(
            "6.14",
            "nobody waits for the rest",
            run.elapsed < Duration::from_secs(8),
            "< 8 s",
            format!("{:?}", run.elapsed),
        );
    }

    /// 6.14: what the auditor left in its own group ends with it, also where the auditor ended well.
    fn r6_14_children_of_an_auditor_that_has_judged_are_ended(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let pids = quoted(&sandbox.pids().to_string_lossy());
        let command = format!(
            "cat >/dev/null; sleep 60 & echo $! >>{pids}; (trap '' TERM HUP; sleep 60) & echo $! >>{pids}; echo 'VERDICT: PASS'"
        );
        let run = sandbox.stop().auditor(&command).run();
        c.that("6.14", "nobody waits for them", run.silent(), "a pass", run.seen());
        let ids = processes::ids_in(&sandbox.pids());
        c.equal("6.14", "children that it had", ids.len(), 2);
        let gone =
            processes::eventually(Duration::from_secs(5), || !ids.iter().any(|id| processes::runs(*id)));
        c.that("6.14", "none is left", gone, "none", format!("{ids:?}"));
    }

    /// 6.9: a crowd of processes, each with the output open.
    #[timed]
    fn r6_14_two_hundred_children_are_ended_at_the_limit(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let child = outlasting("timeout", &sandbox.pids());
        let command = format!("n=0; while [ $n -lt 200 ]; do {child} & n=$((n+1)); done; wait");
        let run = sandbox.stop().short_limit().auditor(&command).run();
        c.that("6.9", "an error line", run.not_audited(), "not audited", run.seen());
        let left =
            || processes::ids_in(&sandbox.pids()).into_iter().filter(|id| processes::runs(*id)).count();
        let gone = processes::eventually(Duration::from_secs(10), || left() == 0);
        c.that("6.14", "none is left", gone, "none", left().to_string());
    }
}
