//! Lengths of generated turns (4.31-4.36): whatever a turn is made of, each cut keeps head and tail with the exact number
//! between, every tool call is there, and the prompt is over the limit only where nothing is left to give way.
use std::io::Write as _;

use proptest::prelude::*;
use serde_json::json;
use stop_auditor::prompt;
use stop_auditor::transcript::session;

use crate::cases::parts::{INSTRUCTION, Parts};
use crate::kit::check::checks;
use crate::kit::generated;
use crate::kit::rows::Rows;
use crate::prompt::cuts::{emoji, follow_from, kept_chars, words};

/// The soft limit (4.31), with what the second audit's block and layout may add.
const LIMIT: usize = 60_000;

/// Some words at the beginning of a cut text tell which text it is.
const HEAD: usize = 18;

/// What one entry may keep when everything gives way: a line of label and outcome, and a text cut to about 200 characters.
const LEAST: usize = 400;

/// What stays of a message that the person sent in mid-turn, of a peer's, of a background result.
const LEAST_OF_WORDS: usize = 1_400;

/// One entry of a turn, with lengths in characters.
#[derive(Debug, Clone)]
enum Made {
    Says(usize),
    Bash(usize, usize, bool),
    Edit(usize, usize),
    Write(usize),
    Other(usize, usize),
    Result(usize),
    Steer(usize),
}

fn made() -> impl Strategy<Value = Made> {
    let length = || prop_oneof![4 => 40..300_usize, 3 => 300..4_000_usize, 2 => 4_000..30_000_usize];
    prop_oneof![
        2 => length().prop_map(Made::Says),
        4 => (length(), length(), any::<bool>()).prop_map(|(a, b, failed)| Made::Bash(a, b, failed)),
        2 => (length(), length()).prop_map(|(a, b)| Made::Edit(a, b)),
        1 => length().prop_map(Made::Write),
        1 => (length(), length()).prop_map(|(a, b)| Made::Other(a, b)),
        1 => length().prop_map(Made::Result),
        1 => length().prop_map(Made::Steer),
    ]
}

/// A text that is in the session, and whether it may be left out where a call is told in one line.
struct Text {
    text: String,
    may_go: bool,
}

/// The rows of a turn, and the texts that stand in it.
#[derive(Default)]
struct Turn {
    texts: Vec<Text>,
    calls: Vec<String>,
    least: usize,
}

impl Turn {
    /// A text with a name of its own; every third one of characters of many widths.
    fn text(&mut self, n: usize, part: char, length: usize, may_go: bool) -> String {
        let name = format!("{part}{n:03}");
        let text = if n % 3 == 2 {
            let rest = emoji(n, length);
            format!("{name}000000_{rest}").chars().take(length).collect()
        } else {
            words(&name, length)
        };
        self.texts.push(Text { text: text.clone(), may_go });
        text
    }

    /// A command or a path is what a call is known by, also where it is one line.
    fn known_by(&mut self, text: &str) {
        self.calls.push(text.chars().take(HEAD).collect());
    }

    fn write(&mut self, rows: &mut Rows, n: usize, made: &Made) {
        let id = format!("toolu_{n}");
        self.least += LEAST;
        match made {
            Made::Says(length) => drop(rows.says(&self.text(n, 's', *length, false))),
            Made::Bash(command, output, failed) => {
                let command = self.text(n, 'c', *command, false);
                self.known_by(&command);
                rows.call(&id, "Bash", json!({"command": command}));
                let output = self.text(n, 'o', *output, true);
                let _ = if *failed { rows.result_error(&id, output) } else { rows.result(&id, output) };
            }
            Made::Edit(old, new) => {
                let path = format!("/home/u/e{n:03}.rs");
                self.known_by(&path);
                let (old, new) = (self.text(n, 'x', *old, false), self.text(n, 'y', *new, false));
                rows.call(&id, "Edit", json!({"file_path": path, "old_string": old, "new_string": new}));
                rows.result(&id, "updated");
            }
            Made::Write(content) => {
                let path = format!("/home/u/w{n:03}.rs");
                self.known_by(&path);
                let content = self.text(n, 'w', *content, false);
                rows.call(&id, "Write", json!({"file_path": path, "content": content}))
                    .result(&id, "created");
            }
            Made::Other(field, output) => {
                let field = self.text(n, 'f', *field, false);
                self.known_by(&field);
                rows.call(&id, "mcp__a__b", json!({"field": field}));
                let output = self.text(n, 'p', *output, true);
                rows.result(&id, json!([{"type": "text", "text": output}]));
            }
            Made::Result(length) => {
                self.least += LEAST_OF_WORDS;
                // Where it is cut depends on the markup round it; the kit follows one in `r4_33`.
                rows.notification(&words(&format!("r{n:03}"), *length));
            }
            Made::Steer(length) => {
                self.least += LEAST_OF_WORDS;
                rows.queued(self.text(n, 'q', *length, false));
            }
        }
    }
}

/// Opener, entries and reply of the current turn, and the turns before it.
type Session = (usize, Vec<Made>, usize, Vec<Vec<Made>>);

fn sessions() -> impl Strategy<Value = Session> {
    let opener = prop_oneof![6 => 10..3_000_usize, 1 => 30_000..230_000_usize];
    let reply = prop_oneof![3 => 10..7_000_usize, 1 => 7_000..40_000_usize];
    let entries = prop_oneof![
        3 => prop::collection::vec(made(), 0..12),
        1 => prop::collection::vec(made(), 60..160),
    ];
    let earlier = prop::collection::vec(prop::collection::vec(made(), 0..4), 0..5);
    (opener, entries, reply, earlier)
}

/// The prompt of a session, and what stands in its current turn.
fn prompt_of((opener, entries, reply, earlier): &Session) -> (String, Turn) {
    let (mut rows, mut n) = (Rows::new(), 0);
    for turn in earlier {
        rows.person(format!("早先的话 {n}"));
        for made in turn {
            n += 1;
            Turn::default().write(&mut rows, n, made);
        }
        rows.says("早先的回复");
    }
    let mut turn = Turn { least: 600, ..Turn::default() };
    // Where the two texts of an edit do not fit into its line, the line is cut as one, and the mark counts the names of
    // the fields too. Where calls may become lines, edits are short here.
    let may_be_lines = *opener > 20_000 || entries.len() > 50;
    rows.person(turn.text(900, 'z', *opener, false));
    for made in entries {
        n += 1;
        match made {
            Made::Edit(old, new) if may_be_lines => {
                turn.write(&mut rows, n, &Made::Edit((*old).min(25), (*new).min(25)));
            }
            made => turn.write(&mut rows, n, made),
        }
    }
    rows.says(&turn.text(901, 'a', *reply, false));
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for row in rows.rows() {
        writeln!(file, "{row}").unwrap();
    }
    let session = session::read(file.path(), &prompt::extent(0)).unwrap().expect("it has a turn");
    (prompt::build(&session, None).text, turn)
}

checks! {
    /// 4.4, 4.31-4.36 on one prompt; each case is looked at for all of it.
    #[own]
    fn r4_33_generated_turns_are_cut_by_the_rules(c: &mut Checks) {
        generated::check(
            c,
            "4.33",
            "cuts of a turn",
            (60, "conformance/seeds/lengths.txt"),
            &sessions(),
            |session| {
                let (prompt, turn) = prompt_of(&session);
                let current = Parts::of(&prompt).current;
                let n_chars = prompt.chars().count();
                prop_assert!(!prompt.contains('\u{fffd}'), "a character was split (4.35)");
                for call in &turn.calls {
                    prop_assert!(current.contains(call.as_str()), "the call {call} is gone (4.32)");
                }
                for Text { text, may_go } in &turn.texts {
                    let n_text = text.chars().count();
                    let head: String = text.chars().take(HEAD.min(n_text)).collect();
                    if *may_go && !current.contains(&head) {
                        prop_assert!(n_chars + n_text > LIMIT, "{head} is left out for nothing (4.31)");
                        continue;
                    }
                    let pieces = follow_from(current, text, HEAD);
                    prop_assert!(pieces.is_ok(), "{head}, {n_text} characters (4.33): {pieces:?}");
                    let pieces = pieces.unwrap_or_default();
                    let kept = kept_chars(&pieces);
                    prop_assert!(kept <= n_text && pieces.last().is_some_and(|(_, to)| *to == n_text));
                    match text.chars().next() {
                        Some('z') => {
                            let least = n_text.min(199_000);
                            prop_assert!(kept >= least, "the message keeps {kept} of {n_text} (4.4)");
                        }
                        Some('a') => prop_assert!(kept >= n_text.min(8_000), "the reply keeps {kept} (4.34)"),
                        _ => {}
                    }
                }
                let (opener, reply) = (session.0.min(200_000), session.2.min(8_200));
                let must_stay = INSTRUCTION.chars().count() + opener + reply + turn.least;
                prop_assert!(
                    n_chars <= LIMIT.max(must_stay),
                    "{n_chars} characters, {must_stay} must stay (4.31)"
                );
                let has_history = prompt.contains("早先的");
                prop_assert!(
                    n_chars <= LIMIT || !has_history,
                    "over the limit, and earlier turns stay (4.36)"
                );
                Ok(())
            },
        );
    }
}
