//! What a line becomes, and what names it.

use std::collections::HashSet;
use std::fs;
use std::io;

use super::*;

fn line(time: &str, rest: &str) -> String {
    format!(r#"{{"time":"{time}","session_id":"s-1","verdict":"PASS"{rest}}}"#)
}

#[test]
fn r8_1_a_record_of_an_older_version_is_read() {
    let record = Record::read(line("2026-11-29T09:00:00.000+08:00", "").as_bytes()).unwrap();
    assert_eq!((record.verdict, record.audit, record.project.as_str()), (Word::Pass, 0, ""));
    assert_eq!(record.day(), "2026-11-29");
    assert_eq!(record.at.to_string(), "2026-11-29T01:00:00Z");
    let newer = line("2026-11-29T09:00:00Z", r#","not_yet_known":{"x":[1]},"tokens":[3,4]"#);
    assert_eq!(Record::read(newer.as_bytes()).unwrap().tokens, Some((3, 4)));
}

#[test]
fn r8_1_a_line_that_is_no_record_says_why() {
    for (line, why) in [
        ("{\"time\":\"2026-11-", "EOF"),
        ("7", "invalid type"),
        ("[]", "没有时间"),
        (r#"{"verdict":"PASS"}"#, "没有时间"),
        (r#"{"time":"yesterday","verdict":"PASS"}"#, "yesterday"),
        (r#"{"time":"2026-11-29T09:00:00Z","verdict":"MAYBE"}"#, "MAYBE"),
        (r#"{"time":"2026-11-29T09:00:00Z","audit":"two"}"#, "two"),
    ] {
        let error = Record::read(line.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{line}: {error}");
    }
}

#[test]
fn an_id_depends_on_what_never_changes_and_on_nothing_else() {
    let read = |line: String| Record::read(line.as_bytes()).unwrap().id();
    let time = "2026-11-29T09:00:00.123+08:00";
    assert_eq!(read(line(time, "")), read(line(time, r#","text":"x","project":"later""#)));
    assert_ne!(read(line(time, "")), read(line("2026-11-29T09:00:00.124+08:00", "")));
    assert_ne!(read(line(time, r#","audit":1"#)), read(line(time, r#","audit":2"#)));
    assert_eq!(read(line(time, "")).len(), 8);
    // People have written ids down: FNV-1a of "PASS\0s\0" + "1\0" + time, by another program.
    let known = Record {
        time: time.to_owned(),
        session_id: "s".to_owned(),
        verdict: Word::Pass,
        audit: 1,
        ..Record::default()
    };
    assert_eq!(known.id(), "xhp813z6");
}

#[test]
fn fifty_thousand_records_have_as_many_ids() {
    let ids: HashSet<String> = (0..50_000)
        .map(|n| {
            let session_id = format!("session-{}", n % 300);
            let time = format!(
                "2026-11-{:02}T09:{:02}:{:02}.{:03}+08:00",
                n % 28 + 1,
                n / 60 % 60,
                n % 60,
                n % 1000
            );
            Record { time, session_id, audit: n / 40_000 + 1, ..Record::default() }.id()
        })
        .collect();
    assert_eq!(ids.len(), 50_000);
}

#[test]
fn r6_4_a_turn_begins_with_its_first_audit() {
    let record =
        |verdict, audit, stop_hook_active| Record { verdict, audit, stop_hook_active, ..Record::default() };
    for (verdict, audit, active, begins) in [
        (Word::Pass, 1, false, true),
        // Another hook's block, or a new prompt under the flag (6.4).
        (Word::Pass, 1, true, true),
        (Word::Fail, 2, true, false),
        (Word::Skip, 0, true, false),
        (Word::Error, 0, false, true),
        (Word::Error, 0, true, false),
    ] {
        assert_eq!(record(verdict, audit, active).begins_turn(), begins, "{verdict:?} {audit} {active}");
    }
}

#[test]
fn an_audit_is_what_an_auditor_was_asked_for() {
    let record = |verdict, audit| Record { verdict, audit, ..Record::default() };
    for (verdict, audit, asked) in [
        (Word::Pass, 1, true),
        (Word::Error, 2, true),
        (Word::Error, 0, false),
        (Word::Skip, 0, false),
        // A turn that has had its two audits is let through without a third.
        (Word::Skip, 2, false),
    ] {
        assert_eq!(record(verdict, audit).is_audit(), asked, "{verdict:?} {audit}");
    }
}

#[test]
fn five_broken_places_are_named_and_the_rest_counted() {
    let broken = |n: u64| -> Vec<Broken> {
        (1..=n).map(|line| Broken { file: "f".into(), line: Some(line), cause: "c".into() }).collect()
    };
    assert_eq!(broken::told(&broken(0)), Vec::<String>::new());
    let five = broken::told(&broken(5));
    assert_eq!(five.len(), 6, "a headline and each of them: {five:?}");
    let seven = broken::told(&broken(7));
    assert_eq!(
        seven.get(..6),
        Some([&["日志里有 7 处读不懂，跳过了：".to_owned()], &five[1..]].concat().as_slice())
    );
    assert_eq!(seven.get(6..), Some(["  …… 还有 2 处".to_owned()].as_slice()));
}

/// What cannot be read is told: it is no log that is not there yet.
#[test]
fn a_file_in_the_place_of_the_folder_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(Log::in_folder(file.path()).files().is_err());
    assert!(marks::Marks::beside(file.path()).newest().is_err());
}

/// A log of years is not read for the last week.
#[test]
fn days_before_the_one_before_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for day in ["2026-11-27", "2026-11-28", "2026-11-29"] {
        fs::write(folder.path().join(format!("{day}.jsonl")), "broken\n").unwrap();
    }
    let read = |since: &str| Log::in_folder(folder.path()).read(since.parse().ok(), |_, _| ()).unwrap().len();
    assert_eq!(read("2026-11-29T12:00:00Z"), 2);
    assert_eq!(read("2026-11-27T12:00:00Z"), 3);
}

#[test]
fn a_log_is_read_day_by_day_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::in_folder(folder.path());
    let at = |name: &str| folder.path().join(name);
    let times = |reader: &mut Reader| {
        let mut times = Vec::new();
        let broken = reader.go_on(|record, _| times.push(record.time)).unwrap();
        (times, broken.len())
    };
    let mut reader = log.follow(None);
    assert_eq!(times(&mut reader), (vec![], 0), "there is no log yet");
    fs::write(
        at("2026-11-29.jsonl"),
        line("2026-11-29T09:00:00Z", "") + "\nbroken\n" + &line("2026-11-29T10:00:00Z", ""),
    )
    .unwrap();
    fs::write(at("2026-11-28.jsonl"), line("2026-11-28T09:00:00Z", "") + "\n").unwrap();
    fs::write(at("notes.txt"), "no log").unwrap();
    let first = vec!["2026-11-28T09:00:00Z".to_owned(), "2026-11-29T09:00:00Z".to_owned()];
    assert_eq!(times(&mut reader), (first.clone(), 1), "the last line may still grow");
    fs::OpenOptions::new()
        .append(true)
        .open(at("2026-11-29.jsonl"))
        .and_then(|mut file| io::Write::write_all(&mut file, b"\n"))
        .unwrap();
    let last = "2026-11-29T10:00:00Z".to_owned();
    assert_eq!(times(&mut reader), (vec![last.clone()], 0));
    assert_eq!(times(&mut reader), (vec![], 0));

    let mut all = Vec::new();
    let broken = log.read(None, |record, _| all.push(record.time)).unwrap();
    assert_eq!(all, [first, vec![last.clone()]].concat());
    let [broken] = broken.as_slice() else { panic!("{broken:?}") };
    assert_eq!((broken.file.clone(), broken.line), (at("2026-11-29.jsonl"), Some(2)));
    let mut late = Vec::new();
    log.read("2026-11-29T09:30:00Z".parse().ok(), |record, _| late.push(record.time)).unwrap();
    assert_eq!(late, [last]);
}

#[test]
fn of_several_marks_the_newest_counts() {
    use marks::{Mark, Marks};
    let folder = tempfile::tempdir().unwrap();
    let marks = Marks::beside(folder.path());
    assert_eq!(marks.newest().unwrap().0, []);
    let record = Record { time: "t".to_owned(), verdict: Word::Fail, ..Record::default() };
    let other = Record { time: "u".to_owned(), ..record.clone() };
    for (record, right) in [(&record, true), (&other, true), (&record, false)] {
        marks.add(&Mark::of(record, right, "why", String::new())).unwrap();
    }
    fs::OpenOptions::new()
        .append(true)
        .open(marks.file())
        .and_then(|mut file| io::Write::write_all(&mut file, b"{torn"))
        .unwrap();
    marks.add(&Mark::of(&other, true, "again", String::new())).unwrap();
    let (newest, broken) = marks.newest().unwrap();
    let told: Vec<_> = newest.iter().map(|mark| (mark.id.clone(), mark.right, mark.why.as_str())).collect();
    assert_eq!(told, [(record.id(), false, "why"), (other.id(), true, "again")]);
    assert_eq!(broken.len(), 1, "{broken:?}");
}
