//! The hook ended at every place of its way that anybody can notice: reading, waiting for the auditor, writing its state,
//! printing, logging (6.5, 6.15, 7.4, 8.3). No third audit, no note lost or doubled, no torn line.
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::kit::auditors::says;
use crate::kit::check::{Checks, checks};
use crate::kit::hook::quoted;
use crate::kit::run::Run;
use crate::kit::sandbox::Sandbox;
use crate::kit::traced::{self, Call, Traced};
use crate::kit::{journal, processes};

/// A hook has fewer system calls that count.
const MANY: usize = 400;

/// 6.15, and what a loaded machine adds.
const ENDS: Duration = Duration::from_secs(4);

/// A note that waits from an earlier turn, and one that the killed Stop may have left.
const BEFORE: &str = "先前的提醒";
const OWN: &str = "被杀那次的提醒";

checks! {
    /// 7.4, 1.3, 8.3: a crash, or the kernel's want of memory, at each of these places of a Stop.
    #[own]
    fn r7_4_a_stop_that_is_killed_anywhere_leaves_all_in_order(c: &mut Checks) {
        let n_places = at_every_place(|place| {
            let sandbox = with_a_note();
            let stop = sandbox.stop().auditor(&counting(&sandbox, &format!("VERDICT: NOTE - {OWN}")));
            let traced =
                traced::run(&stop, |call| call.n_before == place, |call| call.signal(Signal::SIGKILL));
            if traced.acted {
                let shown = traced.stdout.contains(OWN);
                c.that(
                    "6.11",
                    format!("place {place}: what was printed"),
                    whole_or_nothing(&traced),
                    "one object or nothing",
                    traced.stdout,
                );
                afterwards(c, place, &sandbox, shown);
            }
            traced.acted
        });
        c.that("7.4", "places of a Stop", n_places > 30, "over 30", n_places.to_string());
    }

    /// 6.15, 1.3: Esc at each of these places.
    #[own]
    fn r6_15_a_stop_that_is_ended_anywhere_ends_soon_and_leaves_all_in_order(c: &mut Checks) {
        let n_places = at_every_place(|place| {
            let sandbox = with_a_note();
            let stop = sandbox.stop().auditor(&counting(&sandbox, &format!("VERDICT: NOTE - {OWN}")));
            let start = Instant::now();
            let traced =
                traced::run(&stop, |call| call.n_before == place, |call| call.signal(Signal::SIGTERM));
            if traced.acted {
                let took = start.elapsed();
                c.that(
                    "6.15",
                    format!("place {place}: it ends soon"),
                    took < ENDS,
                    "2 s",
                    format!("{took:?}"),
                );
                let printed = traced.stdout.clone();
                c.that(
                    "6.11",
                    format!("place {place}: what was printed"),
                    whole_or_nothing(&traced),
                    "one object or nothing",
                    printed,
                );
                let is_told =
                    traced.stdout.contains(OWN) || sandbox.log_lines().len() == 2 || n_audits(&sandbox) == 0;
                c.that(
                    "6.15",
                    format!("place {place}: an audit that began is told of"),
                    is_told,
                    "shown or logged",
                    sandbox.log_text(),
                );
                let wanted = if traced.stdout.contains(OWN) { "NOTE" } else { "ERROR" };
                let words = journal::verdict_of_each(&sandbox.log_lines());
                let fits = words.get(1).is_none_or(|word| word == wanted);
                c.that("6.15", format!("place {place}: its verdict"), fits, wanted, words.join(" "));
                let left = || processes::with_environment(sandbox.root());
                let alone = processes::eventually(ENDS, || left().is_empty());
                c.that(
                    "6.15",
                    format!("place {place}: nothing is left running"),
                    alone,
                    "nothing",
                    format!("{:?}", left()),
                );
                afterwards(c, place, &sandbox, traced.stdout.contains(OWN));
            }
            traced.acted
        });
        c.that("6.15", "places of a Stop", n_places > 30, "over 30", n_places.to_string());
    }

    /// 7.4: a message's hook killed at each of these places: its notes were printed, or the next message gets them, once.
    #[own]
    fn r7_4_a_hand_over_that_is_killed_anywhere_loses_and_doubles_nothing(c: &mut Checks) {
        let n_places = at_every_place(|place| {
            let sandbox = with_a_note();
            note(&sandbox, OWN);
            let prompt = sandbox.prompt_submit("接着做");
            let traced =
                traced::run(&prompt, |call| call.n_before == place, |call| call.signal(Signal::SIGKILL));
            if traced.acted {
                note(&sandbox, "之后的提醒");
                c.that(
                    "6.11",
                    format!("place {place}: what was printed"),
                    whole_or_nothing(&traced),
                    "one object or nothing",
                    traced.stdout.clone(),
                );
                let next = context(&sandbox.prompt_submit("再接着做").run());
                for text in [BEFORE, OWN] {
                    let (printed, after) = (traced.stdout.matches(text).count(), next.matches(text).count());
                    // A client that sees the hook die does not take what it printed: then it may come again.
                    let ok = printed <= 1 && after <= 1 && printed + after >= 1;
                    c.that(
                        "7.4",
                        format!("place {place}: {text}"),
                        ok,
                        "once",
                        format!("{printed} times, then {after} times"),
                    );
                }
                c.equal(
                    "7.4",
                    format!("place {place}: the note after it"),
                    next.matches("之后的提醒").count(),
                    1,
                );
                let run = sandbox.prompt_submit("第三句").run();
                c.that(
                    "7.4",
                    format!("place {place}: then nothing waits"),
                    run.silent(),
                    "silence",
                    run.seen(),
                );
            }
            traced.acted
        });
        c.that("7.4", "places of a hand-over", n_places > 6, "over 6", n_places.to_string());
    }

    /// 7.4: killed at the same place again and again, each time with one more note.
    #[own]
    fn r7_4_hand_overs_that_are_killed_one_after_the_other_lose_nothing(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for n in 1..=4 {
            note(&sandbox, &format!("第{n}条"));
            let prompt = sandbox.prompt_submit("接着做");
            // Once they are printed it forgets them.
            let traced = traced::run(&prompt, Call::removes_a_file, |call| call.signal(Signal::SIGKILL));
            c.that("7.4", format!("killed while it holds note {n}"), traced.acted, "killed", traced.stdout);
        }
        let got = context(&sandbox.prompt_submit("接着做").run());
        for n in 1..=4 {
            c.equal("7.4", format!("note {n}"), got.matches(&format!("第{n}条")).count(), 1);
        }
        let order: Vec<Option<usize>> = (1..=4).map(|n| got.find(&format!("第{n}条"))).collect();
        c.that("7.1", "oldest first", order.is_sorted(), "in order", got);
        let run = sandbox.prompt_submit("再接着做").run();
        c.that("7.4", "then nothing waits", run.silent(), "silence", run.seen());
    }
}

/// Tries one place after the other until the way is at its end; gives how many there were.
fn at_every_place(mut kill: impl FnMut(usize) -> bool) -> usize {
    (0..MANY).find(|place| !kill(*place)).unwrap_or(MANY)
}

/// What must hold after a Stop that was ended: nobody audits a third time, every note comes once, every line is whole.
fn afterwards(c: &mut Checks, place: usize, sandbox: &Sandbox, shown: bool) {
    for _ in 0..2 {
        let run = sandbox.stop().again().auditor(&counting(sandbox, "VERDICT: PASS")).run();
        c.that(
            "6.5",
            format!("place {place}: the next Stop"),
            run.silent(),
            "a pass, or no third audit",
            run.seen(),
        );
    }
    let n_audits = n_audits(sandbox);
    // The note from before is another turn's.
    c.that(
        "1.3",
        format!("place {place}: audits of the turn"),
        (1..=2).contains(&n_audits),
        "1 or 2",
        n_audits.to_string(),
    );
    let got = context(&sandbox.prompt_submit("接着做").run());
    c.equal("7.4", format!("place {place}: the note from before"), got.matches(BEFORE).count(), 1);
    let n_own = got.matches(OWN).count();
    c.that(
        "7.4",
        format!("place {place}: its own note"),
        n_own == 1 || (n_own == 0 && !shown),
        "once, where it was shown",
        got,
    );
    note(sandbox, "之后的提醒");
    sandbox.prompt_submit("再接着做").run();
    let left = half_written(sandbox);
    c.that(
        "7.4",
        format!("place {place}: nothing half-written piles up"),
        left.is_empty(),
        "only what a whole hook leaves",
        format!("{left:?}"),
    );
    let torn: Vec<Value> = sandbox.log_lines().into_iter().filter(|line| !line.is_object()).collect();
    c.equal("8.3", format!("place {place}: torn lines"), torn, vec![]);
    let words = journal::verdict_of_each(&sandbox.log_lines());
    let told = !words.contains(&"?".to_owned());
    c.that("8.1", format!("place {place}: each line has its verdict"), told, "one each", words.join(" "));
}

/// Files beside the notes and the counts that are neither.
fn half_written(sandbox: &Sandbox) -> Vec<PathBuf> {
    let beside = ["logs/pending", "tmp"].into_iter().flat_map(|folder| sandbox.files_below(folder));
    let known = |path: &PathBuf| path.ends_with(".lock") || path.extension().is_some_and(|end| end == "json");
    beside.filter(|path| !known(path)).collect()
}

fn with_a_note() -> Sandbox {
    let sandbox = Sandbox::with_two_turns();
    note(&sandbox, BEFORE);
    sandbox
}

fn note(sandbox: &Sandbox, text: &str) {
    let run = sandbox.stop().auditor(&says(&format!("VERDICT: NOTE - {text}"))).run();
    assert!(run.message().contains(text), "the note is made: {}", run.seen());
}

/// An auditor that leaves a line for each time it was asked.
fn counting(sandbox: &Sandbox, verdict: &str) -> String {
    let calls = quoted(&sandbox.path("calls").to_string_lossy());
    format!("echo call >>{calls}; cat >/dev/null; echo {}", quoted(verdict))
}

fn n_audits(sandbox: &Sandbox) -> usize {
    std::fs::read_to_string(sandbox.path("calls")).unwrap_or_default().lines().count()
}

fn whole_or_nothing(traced: &Traced) -> bool {
    let text = traced.stdout.as_str();
    text.is_empty() || serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

fn context(run: &Run) -> String {
    let output = run.json().unwrap_or_default();
    output["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}
