//! Reading from the end gives what reading everything gives, whatever the file holds and wherever it is cut off.
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use stop_auditor::prompt;
use stop_auditor::transcript::session::{self, Session};

use crate::forward;
use crate::kit::check::checks;
use crate::kit::generated;
use crate::kit::rows::Rows;

/// What the fast reader makes of these bytes.
fn fast(bytes: &[u8]) -> Option<Session> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    session::read(file.path(), &prompt::extent(0)).unwrap()
}

/// The prompts that the fast reader and the slow one make of the same bytes.
fn prompts(bytes: &[u8]) -> (Option<String>, Option<String>) {
    let fast = fast(bytes);
    let slow = forward::read(bytes, fast.as_ref().map_or(0, |session| session.from));
    let build = |session| prompt::build(&session, None).text;
    (fast.map(build), slow.map(build))
}

/// A session of about 20 MB; where it is broken, no prompt answers a row that is there.
fn long_session(is_broken: bool) -> Vec<u8> {
    const N_TURNS: usize = 150;
    let output = "o".repeat(20_000_000 / N_TURNS);
    let mut rows = Rows::new();
    for n in 0..N_TURNS {
        if is_broken {
            rows.hang_on(Some(format!("eeeeeeee-0000-4000-8000-{n:012}")));
        }
        rows.person(format!("PROMPT-{n:03}"));
        let id = format!("toolu_{n}");
        rows.call(&id, "Bash", json!({"command": "make"})).result(&id, output.as_str()).says("ok");
    }
    let (mut written, mut out) = (0, Vec::new());
    lines(&mut rows, &mut written, &mut out);
    out
}

/// How long reading takes, and what it gives.
fn timed(bytes: &[u8]) -> (Duration, Session) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let start = Instant::now();
    let session = session::read(file.path(), &prompt::extent(0)).unwrap().unwrap();
    (start.elapsed(), session)
}

/// The first line in which two prompts differ.
fn difference(fast: Option<&str>, slow: Option<&str>) -> String {
    match (fast, slow) {
        (Some(fast), Some(slow)) => fast
            .lines()
            .zip(slow.lines())
            .find(|(a, b)| a != b)
            .map_or("one is longer".into(), |(a, b)| format!("fast: {a:?}, slow: {b:?}")),
        (fast, slow) => format!("a turn: fast {}, slow {}", fast.is_some(), slow.is_some()),
    }
}

pub(crate) fn transcripts() -> Vec<PathBuf> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                into.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts"), &mut found);
    found.sort();
    found
}

/// Generated sessions in a run of the suite. Some thousands were tried when this was written; for a change of the reader
/// try as many (`CONFORMANCE_CASES`).
const N_GENERATED: u32 = 60;

/// Places in one transcript at which it is cut off, evenly spread: behind each row where it has fewer.
const MAX_CUTS: usize = 12;

/// What one step of a made-up session does.
#[derive(Debug, Clone)]
enum Step {
    Person(usize),
    Program,
    Says(usize),
    Calls(Vec<usize>),
    /// An edit, with a result or without.
    Edit(usize, bool),
    Notification(u8),
    Steer,
    Peer,
    Feedback,
    Interrupt,
    Compact,
    /// Compaction that writes the rows so far again, as the second one of a process does.
    Replay,
    /// The next prompt answers what an earlier prompt answered, this many prompts back.
    Rewind(u8),
    Broken(u8),
    /// A row that means nothing and has the id of the row so many rows back.
    Blank(u8),
    /// One with the id of the row that comes next.
    BlankBefore,
    Sidechain,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![4 => 1..200_usize, 1 => 2_000..9_000_usize];
    let step = prop_oneof![
        5 => length.clone().prop_map(Step::Person),
        1 => Just(Step::Program),
        5 => length.clone().prop_map(Step::Says),
        5 => prop::collection::vec(length.clone(), 1..4).prop_map(Step::Calls),
        2 => (length, any::<bool>()).prop_map(|(length, is_done)| Step::Edit(length, is_done)),
        2 => any::<u8>().prop_map(Step::Notification),
        1 => Just(Step::Steer),
        1 => Just(Step::Peer),
        1 => Just(Step::Feedback),
        1 => Just(Step::Interrupt),
        1 => Just(Step::Compact),
        1 => Just(Step::Replay),
        2 => (1..4_u8).prop_map(Step::Rewind),
        2 => (0..8_u8).prop_map(Step::Broken),
        1 => (1..4_u8).prop_map(Step::Blank),
        1 => Just(Step::BlankBefore),
        1 => Just(Step::Sidechain),
    ];
    prop::collection::vec(step, 1..60)
}

fn lines(rows: &mut Rows, written: &mut usize, out: &mut Vec<u8>) {
    for row in &rows.rows()[*written..] {
        out.extend_from_slice(row.to_string().as_bytes());
        out.push(b'\n');
    }
    *written = rows.rows().len();
}

/// A row of no type with the id of another row.
fn blank(of: &Value) -> String {
    format!("{}\n", json!({"uuid": of["uuid"], "parentUuid": null}))
}

/// The bytes of a session that takes these steps.
fn session_of(steps: &[Step]) -> Vec<u8> {
    let (mut rows, mut written, mut out) = (Rows::new(), 0, Vec::new());
    let mut parents: Vec<Value> = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let text = |length: usize| format!("{n} {}", "字 word\n".repeat(length / 7 + 1));
        match step {
            Step::Person(length) => {
                rows.person(text(*length));
                parents.push(rows.rows().last().unwrap()["parentUuid"].clone());
            }
            Step::Program => drop(rows.program(text(30))),
            Step::Says(length) => drop(rows.says(&text(*length))),
            Step::Calls(lengths) => {
                for (k, _) in lengths.iter().enumerate() {
                    rows.call(&format!("toolu_{n}_{k}"), "Bash", json!({"command": text(40)}));
                }
                for (k, length) in lengths.iter().enumerate().rev() {
                    rows.result(&format!("toolu_{n}_{k}"), text(*length));
                }
            }
            Step::Edit(length, is_done) => {
                let id = format!("toolu_{n}");
                let input = json!({"file_path": "/a.rs", "old_string": text(*length), "new_string": "x"});
                rows.call(&id, "Edit", input);
                if *is_done {
                    rows.result(&id, "done");
                }
            }
            Step::Notification(id) => drop(rows.notification(&format!(
                "<task-notification>\n<task-id>b{id}</task-id>\n<status>completed</status>\n</task-notification>"
            ))),
            Step::Steer => drop(rows.queued(text(20))),
            Step::Peer => drop(rows.peer("other", &text(20))),
            Step::Feedback => drop(rows.feedback("独立审计员（m）判定本轮存在偏差：无证据\n处理要求：…")),
            Step::Interrupt => drop(rows.interrupt()),
            Step::Compact => drop(rows.compact_boundary().summary("so far")),
            Step::Replay => {
                lines(&mut rows, &mut written, &mut out);
                let copies = out.clone();
                rows.compact_boundary();
                lines(&mut rows, &mut written, &mut out);
                if copies.len() < 400_000 {
                    out.extend(copies);
                }
            }
            Step::Rewind(back) => {
                lines(&mut rows, &mut written, &mut out);
                let Some(parent) = parents.len().checked_sub(usize::from(*back)).map(|at| parents[at].clone()) else {
                    continue;
                };
                parents.truncate(parents.len() - usize::from(*back) + 1);
                rows.person(text(10));
                let mut row = rows.rows()[written].clone();
                row["parentUuid"] = parent;
                out.extend_from_slice(row.to_string().as_bytes());
                out.push(b'\n');
                written += 1;
            }
            Step::Broken(kind) => {
                lines(&mut rows, &mut written, &mut out);
                let junk: [&[u8]; 8] = [
                    b"{\"type\":\"user\",\"message\":{\"content\":\"torn\n",
                    b"\0\0\0\0\n",
                    b"[1,2]\n",
                    b"\n\n",
                    b"\xff\xfe\"user\"\n",
                    b"{\"type\":\"attachment\"}\n",
                    b"\"user\"\r\n",
                    b"{\"type\":\"user\",\"uuid\":7,\"message\":null}\n",
                ];
                out.extend_from_slice(junk[usize::from(*kind)]);
            }
            Step::Blank(back) => {
                lines(&mut rows, &mut written, &mut out);
                let at = written.checked_sub(usize::from(*back));
                let row = at.and_then(|at| rows.rows().get(at));
                out.extend_from_slice(row.map_or_else(String::new, blank).as_bytes());
            }
            Step::BlankBefore => {
                lines(&mut rows, &mut written, &mut out);
                rows.says(&text(10));
                out.extend_from_slice(blank(&rows.rows()[written]).as_bytes());
            }
            Step::Sidechain => {
                let mut row = json!({"type": "user", "message": {"role": "user", "content": "SIDE"}});
                row["isSidechain"] = true.into();
                rows.raw(row);
            }
        }
    }
    lines(&mut rows, &mut written, &mut out);
    out
}

checks! {
    /// Every transcript of the kit, whole and cut off behind every row.
    #[own]
    fn r4_13_tail_and_forward_reading_agree_on_every_transcript(c: &mut Checks) {
        for path in transcripts() {
            let bytes = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let ends: Vec<usize> =
                bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
            let step = ends.len().div_ceil(MAX_CUTS).max(1);
            for end in ends.into_iter().rev().step_by(step).chain([bytes.len()]) {
                let (fast, slow) = prompts(&bytes[..end]);
                let same = fast == slow;
                c.that(
                    "4.13",
                    format!("{name} up to byte {end}"),
                    same,
                    "the same prompt",
                    if same { String::new() } else { difference(fast.as_deref(), slow.as_deref()) },
                );
            }
        }
    }

    /// The reader takes 256 KiB at a time: a row before a session makes every byte of it the first one of a chunk, and
    /// the last, in turn.
    #[own]
    fn r4_13_a_chunk_may_begin_at_every_byte_of_a_session(c: &mut Checks) {
        const CHUNK: usize = 256 * 1024;
        let mut rows = Rows::new();
        rows.person("先看一下 字🙂")
            .call("toolu_1", "Bash", json!({"command": "ls"}))
            .result("toolu_1", "a\nb");
        rows.says("好。").person("再看一下").says("看完了");
        let (mut written, mut session) = (0, Vec::new());
        lines(&mut rows, &mut written, &mut session);
        let (_, wanted) = prompts(&session);
        // Behind the session stands nothing, so a chunk begins where it is `CHUNK` bytes to the end.
        let row = |length: usize| format!("{{\"type\":\"progress\",\"x\":\"{}\"}}\n", "x".repeat(length));
        let frame = row(0).len();
        let mut behind: Vec<usize> = Vec::new();
        for at in 0..session.len() {
            let mut bytes = session.clone();
            bytes.extend_from_slice(row(CHUNK - frame - (session.len() - at)).as_bytes());
            let prompt = fast(&bytes).map(|session| prompt::build(&session, None).text);
            if prompt != wanted {
                behind.push(at);
            }
        }
        let n_bytes = session.len();
        c.that(
            "4.13",
            format!("{n_bytes} places of a chunk's beginning"),
            behind.is_empty(),
            "the same prompt",
            format!("{behind:?}"),
        );
        c.that("4.13", "there is a prompt to compare", wanted.is_some(), "a prompt", "none");
    }

    /// What earlier turns take is known before they are told: reading goes no further back than their share.
    #[own]
    fn r4_13_reading_ends_where_earlier_turns_fill_their_share(c: &mut Checks) {
        let mut rows = Rows::new();
        for n in 0..200 {
            rows.person(format!("{n} {}", "问".repeat(2_000))).says(&"答".repeat(1_500));
        }
        let (mut written, mut session) = (0, Vec::new());
        lines(&mut rows, &mut written, &mut session);
        let n_earlier = fast(&session).map_or(0, |session| session.earlier.len());
        // Some 3,500 characters each, of at most 60,000.
        let n_wanted = 14..=25;
        c.that("4.13", "turns read of 199", n_wanted.contains(&n_earlier), "14 to 25", n_earlier.to_string());
    }

    /// A chain that is broken everywhere costs no look through the whole file for each prompt, and loses no turn.
    #[own]
    fn r4_13_a_broken_chain_is_read_in_time(c: &mut Checks) {
        let (sound, _) = timed(&long_session(false));
        let (broken, session) = timed(&long_session(true));
        // Half a second and one and a half where nothing else runs; a look back for each prompt takes fifteen.
        let got = format!("{broken:?} and {sound:?}");
        c.that("4.13", "20 MB, broken and sound", broken < sound * 12, "at most 12 times as long", got);
        c.equal("4.13", "the current turn", session.current.opener.words.as_str(), "PROMPT-149");
        let words: Vec<&str> =
            session.earlier.iter().map(|turn| turn.opener.words.as_str()).take(3).collect();
        c.equal("4.13", "the turns before", words, vec!["PROMPT-148", "PROMPT-147", "PROMPT-146"]);
    }

    /// Found by fuzzing: where rows were written again, a row that means nothing and has another's id was taken for its
    /// first place, and the other one was lost.
    #[own]
    fn r4_13_a_row_of_no_type_takes_the_place_of_none(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("看一下").call("toolu_1", "Bash", json!({"command": "ls"}));
        let (mut written, mut before, mut after) = (0, Vec::new(), Vec::new());
        lines(&mut rows, &mut written, &mut before);
        rows.result("toolu_1", "OUTPUT-7431").says("看完了");
        lines(&mut rows, &mut written, &mut after);
        let copied = [&after[..], &after[..]].concat();
        let blank = blank(&rows.rows()[2]);
        for (name, session) in [
            ("before it", [&before[..], blank.as_bytes(), &copied].concat()),
            ("behind it", [&before[..], &copied, blank.as_bytes()].concat()),
            ("round it", [&before[..], blank.as_bytes(), &copied, blank.as_bytes()].concat()),
            ("twice before it", [&before[..], blank.as_bytes(), blank.as_bytes(), &copied].concat()),
        ] {
            let (fast, slow) = prompts(&session);
            c.contains("4.13", name, fast.as_deref().unwrap_or_default(), "OUTPUT-7431");
            c.equal("4.13", format!("{name}, both readers"), fast == slow, true);
        }
    }

    /// A prompt may answer a row that means nothing; where all was written again, its copy is not the row.
    #[own]
    fn r4_13_a_rewind_to_a_row_of_no_meaning_is_seen_through_a_replay(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("FIRST").says("one").system(json!({"subtype": "turn_duration"}));
        let silent = rows.last_uuid();
        rows.person("LEFT").says("two");
        let (mut written, mut session) = (0, Vec::new());
        lines(&mut rows, &mut written, &mut session);
        let copies = session.clone();
        rows.compact_boundary();
        lines(&mut rows, &mut written, &mut session);
        session.extend(copies);
        rows.hang_on(silent).person("ASKED").says("three");
        lines(&mut rows, &mut written, &mut session);
        let (fast, slow) = prompts(&session);
        let prompt = fast.clone().unwrap_or_default();
        c.contains("4.13", "the turn before the rewind", &prompt, "FIRST");
        c.absent("4.13", "the branch that was left", &prompt, "LEFT");
        c.equal("4.13", "both readers", fast == slow, true);
    }

    /// Sessions made at random, seeded: rewinds, replays, broken rows, long texts.
    #[own]
    fn r4_13_tail_and_forward_reading_agree_on_generated_sessions(c: &mut Checks) {
        generated::check(
            c,
            "4.13",
            "the same prompts",
            (N_GENERATED, "conformance/seeds/reading.txt"),
            &steps(),
            |steps| {
                let (fast, slow) = prompts(&session_of(&steps));
                prop_assert!(fast == slow, "{}", difference(fast.as_deref(), slow.as_deref()));
                Ok(())
            },
        );
    }
}
