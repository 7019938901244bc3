//! The figures of small logs, counted by hand.

use super::figures::{AfterBlock, Cause, Collector, Cut, Figures, NotesHandedOn, Tokens, bars, percentile};
use crate::material::fit::Shortened;
use crate::record::marks::Mark;
use crate::record::{Record, Word};

fn record(session: &str, verdict: Word, audit: u32) -> Record {
    let (time, session_id) = ("2026-11-29T10:00:00.000+08:00".to_owned(), session.to_owned());
    Record { time, session_id, verdict, audit, stop_hook_active: audit == 2, ..Record::default() }
}

fn figures(records: &[Record]) -> Figures {
    let mut collector = Collector::default();
    for record in records {
        collector.take(record);
    }
    collector.finish(|_| 0, Vec::new())
}

fn skip(session: &str) -> Record {
    Record { stop_hook_active: true, ..record(session, Word::Skip, 0) }
}

#[test]
fn an_empty_log_has_no_figures_and_no_division_by_zero() {
    let empty = figures(&[]);
    assert_eq!((empty.records, empty.turns, empty.days.len()), (0, 0, 0));
    assert_eq!(percentile(&empty.durations_ms, 50), None);
    assert_eq!(bars(&empty.days, 31), (1, vec![]));
}

#[test]
fn what_followed_a_block_is_the_next_record_of_its_session() {
    use Word::{Error, Fail, Note, Pass};
    let log = [
        record("passed", Fail, 1),
        record("noted", Fail, 1),
        record("other", Pass, 1),
        record("passed", Pass, 2),
        record("noted", Note, 2),
        record("again", Fail, 1),
        record("again", Fail, 2),
        skip("again"),
        record("errored", Fail, 1),
        record("errored", Error, 2),
        record("new turn", Fail, 1),
        record("new turn", Pass, 1),
        record("new turns", Fail, 1),
        record("new turns", Fail, 1),
        record("new turns", Error, 1),
        record("left", Fail, 1),
    ];
    let figures = figures(&log);
    let want = AfterBlock { passed: 2, failed_again: 1, errored: 1, none_came: 4 };
    assert_eq!(figures.after_block, want);
    assert_eq!(want.all(), 8);
    assert_eq!((figures.turns, figures.of(Fail)), (11, 9));
}

#[test]
fn errors_are_told_by_cause_and_by_their_longest_run() {
    let error = |text: &str| Record { text: text.to_owned(), ..record("s", Word::Error, 1) };
    let log = [
        error("审计员出错，退出码 1：no network"),
        error("审计员出错，退出码 1：quota"),
        record("s", Word::Pass, 1),
        error("超过 150 秒没有答复"),
        skip("s"),
        error("审计员出错，退出码 1：x"),
        error("超过 150 秒没有答复"),
    ];
    let figures = figures(&log);
    let cause = |cause: &str, count| Cause { told: cause.to_owned(), count, newest: log[0].time.clone() };
    assert_eq!(figures.errors, [cause("审计员出错，退出码 1", 3), cause("超过 150 秒没有答复", 2)]);
    assert_eq!(figures.longest_errors, 3, "a SKIP asked nobody");
}

#[test]
fn measures_are_those_of_audits() {
    let shortened =
        |current_cut, earlier_dropped| Some(Shortened { current_cut, earlier_shown: 1, earlier_dropped });
    let audit = |n: u64| Record {
        duration_ms: n * 1_000,
        prompt_chars: n * 100,
        tokens: (n <= 2).then_some((n * 10, n)),
        shortened: shortened(n > 18, if n > 15 { 3 } else { 0 }),
        ..record("s", Word::Pass, 1)
    };
    let mut log: Vec<Record> = (1..=20).rev().map(audit).collect();
    log.push(skip("s"));
    let figures = figures(&log);
    assert_eq!(percentile(&figures.durations_ms, 50), Some(10_000));
    assert_eq!(percentile(&figures.durations_ms, 95), Some(19_000));
    assert_eq!(percentile(&figures.prompt_chars, 100), Some(2_000));
    assert_eq!(figures.cut, Cut { known: 20, current: 2, earlier: 5 });
    assert_eq!(figures.tokens, Tokens { audits: 2, read: 30, written: 3 });
}

#[test]
fn days_without_audits_are_days() {
    let on = |day: &str| Record { time: format!("{day}T23:59:00.000+08:00"), ..record("s", Word::Pass, 1) };
    let days = figures(&[on("2026-02-27"), on("2026-03-01"), on("2026-03-01")]).days;
    let told: Vec<_> = days.iter().map(|day| (day.day.as_str(), day.audits())).collect();
    assert_eq!(told, [("2026-02-27", 1), ("2026-02-28", 0), ("2026-03-01", 2)]);
    let (per_bar, two) = bars(&days, 2);
    let told: Vec<_> = two.iter().map(|day| (day.day.as_str(), day.audits())).collect();
    assert_eq!((per_bar, told), (2, vec![("2026-02-27", 1), ("2026-03-01", 2)]));
    // A typing error in a year: more than eleven years are not filled up.
    for (first, count) in [("2015-03-21", 4_000), ("2015-03-20", 2), ("0001-01-01", 2)] {
        assert_eq!(figures(&[on(first), on("2026-03-02")]).days.len(), count, "{first}");
    }
}

#[test]
fn notes_that_wait_are_not_handed_on() {
    let mut collector = Collector::default();
    for session in ["a", "a", "b", "c"] {
        collector.take(&record(session, Word::Note, 1));
    }
    let waiting = |session: &str| match session {
        // One of before this period waits too.
        "a" => 3,
        "b" => 1,
        _ => 0,
    };
    assert_eq!(collector.finish(waiting, Vec::new()).notes, NotesHandedOn { all: 4, waiting: 3 });
}

#[test]
fn precision_is_that_of_the_marks() {
    let mark =
        |session: &str, verdict, right| Mark::of(&record(session, verdict, 1), right, "", String::new());
    let marks = vec![
        mark("a", Word::Fail, true),
        mark("b", Word::Fail, false),
        mark("c", Word::Fail, true),
        mark("d", Word::Note, false),
        mark("e", Word::Pass, false),
    ];
    let wrong: Vec<Mark> = [1, 3, 4].into_iter().map(|n: usize| marks[n].clone()).collect();
    let judged = Collector::default().finish(|_| 0, marks).judged;
    assert_eq!((judged.blocks, judged.notes, judged.passes), ((3, 2), (1, 0), (1, 0)));
    assert_eq!(judged.wrong, wrong);
}
