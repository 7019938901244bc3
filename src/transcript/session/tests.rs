//! How far back is read, which branches count, and what becomes of rows that stand twice.

use std::io::Write;

use serde_json::json;

use super::super::turn::{Call, Outcome};
use super::*;

/// A transcript, line by line.
struct Lines(String);

impl Lines {
    fn new() -> Self {
        Lines(String::new())
    }

    /// A row; gives its offset.
    fn add(&mut self, row: &serde_json::Value) -> u64 {
        let offset = self.0.len() as u64;
        self.0 += &row.to_string();
        self.0.push('\n');
        offset
    }

    fn prompt(&mut self, id: &str, parent: &str) -> u64 {
        self.add(&json!({"type": "user", "uuid": id, "parentUuid": parent, "promptId": format!("id-{id}"),
            "promptSource": "typed", "message": {"content": id}}))
    }

    fn reply(&mut self, id: &str, parent: &str) -> u64 {
        self.add(&json!({"type": "assistant", "uuid": id, "parentUuid": parent,
            "message": {"id": id, "content": [{"type": "text", "text": id}]}}))
    }

    /// A turn of a prompt, a call with an output of 1,000 characters, and a reply.
    fn turn(&mut self, n: usize) {
        self.prompt(&format!("p{n}"), &format!("r{}", n - 1));
        let call = format!("c{n}");
        self.add(&json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "x"}}]}}));
        self.add(&json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": call, "content": "x".repeat(1_000)}]}}));
        self.reply(&format!("r{n}"), &format!("p{n}"));
    }

    fn file(&self) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(self.0.as_bytes()).unwrap();
        file
    }
}

const EXTENT: Extent<'_> =
    Extent { skip: 0, until: None, share: &|_| usize::MAX, give_up: &|| false, measure: &|_, _| 50 };

/// The words of all turns, the nearest first.
fn words<'a>(turns: impl IntoIterator<Item = &'a Turn>) -> Vec<&'a str> {
    turns.into_iter().map(|turn| turn.opener.words.as_str()).collect()
}

/// Characters of all outputs.
fn outputs(turn: &Turn) -> usize {
    let of_entry = |entry: &Entry| match entry {
        Entry::Call(Call { outcome: Outcome::Ok(output), .. }) => output.text.len(),
        _ => 0,
    };
    turn.entries.iter().map(of_entry).sum()
}

#[test]
fn r4_31_reading_goes_on_until_the_earlier_turns_take_more_than_their_share() {
    let mut lines = Lines::new();
    (1..=6).for_each(|n| lines.turn(n));
    let file = lines.file();
    for (share, wanted) in [(0, 1), (99, 2), (100, 3), (101, 3), (usize::MAX, 5)] {
        let extent = Extent { share: &|_| share, ..EXTENT };
        let session = read(file.path(), &extent).unwrap().unwrap();
        assert_eq!(session.earlier.len(), wanted, "{share}");
        assert_eq!((session.is_whole, session.from == 0), (wanted == 5, wanted == 5), "{share}");
    }
}

#[test]
fn r4_21_outputs_are_held_whole_of_the_current_turn_and_the_one_before() {
    let mut lines = Lines::new();
    (1..=5).for_each(|n| lines.turn(n));
    let file = lines.file();
    for (skip, last) in [(0, 5), (1, 4), (2, 3)] {
        let session = read(file.path(), &Extent { skip, ..EXTENT }).unwrap().unwrap();
        let turns = || std::iter::once(&session.current).chain(&session.earlier);
        let wanted: Vec<String> = (1..=last).rev().map(|n| format!("p{n}")).collect();
        assert_eq!(words(turns()), wanted, "{skip}");
        let held: Vec<bool> = turns().map(|turn| outputs(turn) == 1_000).collect();
        let nearest: Vec<bool> = (0..last).map(|distance| distance < 2).collect();
        assert_eq!(held, nearest, "{skip}");
    }
    assert!(read(file.path(), &Extent { skip: 5, ..EXTENT }).unwrap().is_none());
}

/// What one pass makes of these lines, having this many bytes to look for siblings in.
fn one_pass(lines: &Lines, look_back: u64) -> (Vec<String>, Vec<String>, u64) {
    let file = lines.file();
    let first_places = FirstPlaces::default();
    let tail = Tail::new(file.as_file(), lines.0.len() as u64, &|| false);
    let mut pass = Pass::new(tail, &first_places);
    pass.look_back = look_back;
    pass.run(&EXTENT).unwrap();
    let told = |turn: &Turn| format!("{} {}", turn.opener.words, turn.reply());
    (pass.turns.iter().map(told).collect(), pass.abandoned, pass.look_back)
}

#[test]
fn r4_13_a_rewound_branch_of_several_prompts_is_found_as_far_back_as_is_looked() {
    let mut lines = Lines::new();
    lines.prompt("p1", "none");
    lines.reply("r1", "p1");
    let begins = lines.prompt("p2", "r1");
    lines.reply("r2", "p2");
    let looked_from = lines.prompt("p3", "r2");
    lines.reply("r3", "p3");
    lines.prompt("p4", "r1");
    lines.reply("r4", "p4");
    let needed = looked_from - begins;
    let (turns, abandoned, left) = one_pass(&lines, needed);
    assert_eq!(turns, ["p4 r4", "p1 r1"]);
    assert_eq!(abandoned, ["id-p3"]);
    assert_eq!(left, needed);
    // The chain counts as broken then, and nothing is lost.
    let (turns, abandoned, left) = one_pass(&lines, needed - 1);
    assert_eq!(turns, ["p4 r4", "p3 r3", "p2 r2", "p1 r1"]);
    assert!(abandoned.is_empty());
    assert_eq!(left, 0);
}

/// 4.13: only a prompt, or what the person ran, shows that there was a rewind; a reply that answers the same row does not.
#[test]
fn r4_13_a_broken_chain_is_no_rewind() {
    let mut lines = Lines::new();
    lines.prompt("first", "");
    lines.reply("one", "first");
    lines.reply("more", "one");
    lines.prompt("second", "more");
    lines.reply("two", "second");
    lines.prompt("third", "one");
    let file = lines.file();
    let session = read(file.path(), &EXTENT).unwrap().unwrap();
    assert_eq!(words([&session.current].into_iter().chain(&session.earlier)), ["third", "second", "first"]);
    assert_eq!(session.abandoned, [""; 0]);
}

#[test]
fn r4_13_a_rewound_branch_may_be_megabytes_long() {
    let mut lines = Lines::new();
    lines.prompt("p1", "none");
    lines.prompt("p2", "p1");
    lines.add(&json!({"type": "mode", "filler": "x".repeat(2_000_000)}));
    lines.prompt("p3", "p2");
    lines.prompt("p4", "p1");
    let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
    assert_eq!(words(std::iter::once(&session.current).chain(&session.earlier)), ["p4", "p1"]);
}

#[test]
fn r4_13_what_was_looked_through_in_vain_is_not_looked_through_without_end() {
    let mut lines = Lines::new();
    for _ in 0..5 {
        lines.add(&json!({"type": "mode"}));
    }
    let looked_from = lines.prompt("p1", "none");
    lines.reply("r1", "p1");
    lines.prompt("p2", "gone");
    lines.reply("r2", "p2");
    let (turns, _, left) = one_pass(&lines, 10_000);
    assert_eq!((turns.len(), left), (2, 10_000 - looked_from));

    // Nor behind the row that is answered, wherever it stands.
    let mut lines = Lines::new();
    lines.add(&json!({"type": "mode"}));
    let answered = lines.reply("r0", "none");
    let looked_from = lines.prompt("p1", "none");
    lines.reply("r1", "p1");
    lines.prompt("p2", "r0");
    lines.reply("r2", "p2");
    let (turns, _, left) = one_pass(&lines, 10_000);
    assert_eq!((turns.len(), left), (2, 10_000 - (looked_from - answered)));

    // Where each prompt answers what stands before it nothing is looked for.
    let mut sound = Lines::new();
    (1..=4).for_each(|n| sound.turn(n));
    let (turns, _, left) = one_pass(&sound, 10_000);
    assert_eq!((turns.len(), left), (4, 10_000));
}

#[test]
fn r4_13_rows_that_were_written_again_count_at_their_first_place() {
    let mut lines = Lines::new();
    lines.turn(1);
    lines.turn(2);
    let again = lines.0.clone();
    lines.0 += &again;
    lines.turn(3);
    let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
    assert_eq!(words(std::iter::once(&session.current).chain(&session.earlier)), ["p3", "p2", "p1"]);
    assert!(session.is_whole);

    // Replies alone, behind what they stand in already.
    let mut lines = Lines::new();
    lines.prompt("p1", "none");
    lines.reply("r1", "p1");
    lines.prompt("p2", "r1");
    lines.reply("r2", "p2");
    lines.reply("r1", "p1");
    lines.reply("r2", "p2");
    let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
    assert_eq!((session.current.entries.len(), session.current.reply()), (1, "r2"));
    assert_eq!(words(&session.earlier), ["p1"]);
}

#[test]
fn r4_1_a_command_that_printed_something_is_no_turn_where_nothing_says_that_it_was_sent() {
    let user = |content: &str| json!({"type": "user", "message": {"content": content}});
    let current = |has_output: bool| {
        let mut lines = Lines::new();
        lines.prompt("p1", "none");
        lines.reply("r1", "p1");
        lines.add(&user("<command-name>/fix</command-name>"));
        if has_output {
            lines.add(&user("<local-command-stdout>done</local-command-stdout>"));
        }
        read(lines.file().path(), &EXTENT).unwrap().unwrap().current.opener.words
    };
    assert_eq!(current(true), "p1");
    // At the file's end its answer may not be written yet.
    assert_eq!(current(false), "/fix");
}

#[test]
fn r6_4_the_ids_of_a_turn_are_its_opener_s_and_those_of_what_woke_claude() {
    let mut lines = Lines::new();
    lines.prompt("p1", "none");
    let woken = |id: &str, fields: &serde_json::Value| {
        let mut row = json!({"type": "user", "promptId": id, "message": {"content": "x"}});
        row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        row
    };
    lines.add(&woken("notified", &json!({"turnOrigin": "task_notification"})));
    lines.add(&woken("peer", &json!({"turnOrigin": "peer"})));
    lines.add(&woken("timer", &json!({"turnOrigin": "cron"})));
    lines.add(&woken("interrupt", &json!({"interruptedMessageId": "m"})));
    let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
    assert_eq!(session.current.prompt_ids, ["id-p1", "timer", "peer", "notified"]);
}

#[test]
fn r4_1_a_message_sent_into_a_file_without_a_beginning_opens_its_turn() {
    let steer = |words: &str| json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": words}});
    let mut lines = Lines::new();
    lines.reply("r0", "none");
    lines.add(&steer("first"));
    lines.reply("r1", "none");
    lines.add(&steer("second"));
    lines.reply("r2", "none");
    let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
    assert_eq!(session.current.opener.words, "first");
    assert_eq!((session.current.entries.len(), session.current.reply()), (3, "r2"));
    assert!(session.earlier.is_empty());
}

#[test]
fn r4_1_a_prompt_written_twice_is_one_only_where_nothing_tells_the_two_apart() {
    let ask = |words: &str, id: Option<&str>| json!({"type": "user", "uuid": words, "promptId": id, "promptSource": "typed", "message": {"content": words}});
    for (name, first, is_answered, second, wanted) in [
        ("the same", ask("a", Some("1")), false, ask("a", Some("1")), 1),
        ("other words", ask("a", Some("1")), false, ask("b", Some("1")), 2),
        ("another turn id", ask("a", Some("1")), false, ask("a", Some("2")), 2),
        ("no turn ids", ask("a", None), false, ask("a", None), 2),
        ("answered between", ask("a", Some("1")), true, ask("a", Some("1")), 2),
    ] {
        let mut lines = Lines::new();
        let (mut first, mut second) = (first, second);
        (first["uuid"], second["uuid"]) = (json!("u1"), json!("u2"));
        lines.add(&first);
        if is_answered {
            lines.reply("r1", "u1");
        }
        lines
            .add(&json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "steer"}}));
        lines.add(&second);
        lines.reply("r2", "u2");
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!(1 + session.earlier.len(), wanted, "{name}");
        // What stood between the two is the turn's.
        let steered = matches!(session.current.entries.first(), Some(Entry::Steer(_)));
        assert_eq!(steered, wanted == 1, "{name}");
    }
}
