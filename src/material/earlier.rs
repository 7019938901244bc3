//! The turns before the current one: the nearer, the more is told (4.20-4.23).
//!
//! A turn of hundreds of calls is told more shortly instead of being dropped whole: what the person said and what
//! was agreed in it still binds.

use super::cut::{Keep, cut, push_barred, push_label};
use super::evidence::{Evidence, Kept};
use super::render;
use super::tier::{PREVIOUS, Tier, Tiers};
use crate::transcript::turn::{Entry, Turn};

/// Limit of the person's words in an earlier turn: what was agreed there still binds, so they are cut late.
const WORDS: usize = PREVIOUS.words;

/// Limit of the final reply two turns back and earlier.
const REPLY: usize = 2_000;

/// Up to this distance actions are told one by one, and interrupts and background results are told at all.
const NEAR: usize = 3;

/// What the previous turn and each of the two before it may take before they are told more shortly.
const PREVIOUS_MAX: usize = 16_000;
const NEAR_MAX: usize = 8_000;

/// How an earlier turn is told.
#[derive(Clone, Copy)]
enum Form {
    /// Everything in order (4.21).
    Timeline(Tiers),
    /// One line an action, of this many characters, and background results (4.22).
    Actions {
        /// The characters.
        max: usize,
        /// Whether what became of what is told of an edit: only the turn before is read with it.
        changes: bool,
    },
    /// The person's words, counts, the final reply (4.23).
    Words,
}

/// How short the previous turn's entries get, after [`PREVIOUS`].
const SHORT: Tier = Tier { said: 300, input: 200, change: 400, output: 200, background: 500, ..PREVIOUS };
const LINES: Tier = Tier { said: 200, call_line: Some(240), ..SHORT };
const SHORTEST: Tier =
    Tier { said: 120, reply: 2_000, call_line: Some(120), background: 200, other: 120, ..SHORT };

/// Forms of the previous turn, the fullest first; what nothing refers to gives its room away first (4.37).
const PREVIOUS_FORMS: [Form; 8] = [
    Form::Timeline(Tiers::all(PREVIOUS)),
    Form::Timeline(Tiers { named: PREVIOUS, unnamed: SHORT }),
    Form::Timeline(Tiers { named: PREVIOUS, unnamed: LINES }),
    Form::Timeline(Tiers { named: SHORT, unnamed: SHORTEST }),
    Form::Timeline(Tiers { named: LINES, unnamed: SHORTEST }),
    Form::Timeline(Tiers::all(SHORTEST)),
    Form::Actions { max: 60, changes: true },
    Form::Words,
];

/// Forms of the two turns before it.
const NEAR_FORMS: [Form; 3] =
    [Form::Actions { max: 160, changes: false }, Form::Actions { max: 60, changes: false }, Form::Words];

/// An earlier turn, by its distance from the current one (1: the turn before).
pub fn turn(turn: &Turn, distance: usize) -> String {
    turn_round(turn, distance, &Evidence::none())
}

/// The same with what is to be kept of it, which is looked at in the turn before only.
pub fn turn_round(turn: &Turn, distance: usize, evidence: &Evidence) -> String {
    let (forms, max): (&[Form], usize) = match distance {
        1 => (&PREVIOUS_FORMS, PREVIOUS_MAX),
        2..=NEAR => (&NEAR_FORMS, NEAR_MAX),
        _ => (&[Form::Words], usize::MAX),
    };
    let mut told = String::new();
    for form in forms {
        told = in_form(turn, distance, *form, evidence);
        if told.chars().count() <= max {
            break;
        }
    }
    told
}

fn in_form(turn: &Turn, distance: usize, form: Form, evidence: &Evidence) -> String {
    let mut out = String::new();
    match distance {
        1 => push_label(&mut out, "—— 上一轮 ——"),
        _ => push_label(&mut out, format_args!("—— 往前第 {distance} 轮 ——")),
    }
    let words = if distance == 1 { WORDS * 2 } else { WORDS };
    render::opener(&mut out, &turn.opener, words, evidence.opener());
    match form {
        Form::Timeline(tiers) => render::timeline(&mut out, turn, &tiers, evidence),
        Form::Actions { .. } | Form::Words => {
            let reply = turn.reply_index();
            for (index, entry) in turn.entries.iter().enumerate() {
                if Some(index) == reply {
                    push_label(&mut out, "最终回复：");
                    push_barred(&mut out, &cut(turn.reply(), REPLY, Keep::Both));
                }
                told_briefly(&mut out, entry, form, evidence.entry(index));
            }
        }
    }
    push_label(&mut out, format_args!("动作清单：{}", render::action_counts(turn)));
    out
}

fn told_briefly(out: &mut String, entry: &Entry, form: Form, kept: &Kept) {
    let action = if let Form::Actions { max, changes } = form { Some((max, changes)) } else { None };
    match entry {
        Entry::Asked(asked) => render::option_box(out, asked, &PREVIOUS, kept),
        Entry::Steer(words) => render::steer(out, words, WORDS, kept),
        Entry::Call(call) => {
            if let Some((max, changes)) = action {
                push_label(out, render::call_line_without_output(call, max, changes));
            }
            // Their words, however old.
            render::denial(out, call, WORDS, kept);
        }
        Entry::BackgroundResult(_) | Entry::Interrupted(_) if action.is_some() => {
            render::entry(out, entry, &PREVIOUS, 0, kept);
        }
        Entry::BackgroundResult(_)
        | Entry::Interrupted(_)
        | Entry::Said(_)
        | Entry::Peer { .. }
        | Entry::Scheduled(_)
        | Entry::Bang { .. }
        | Entry::AuditBlock(_)
        | Entry::OtherHook(_)
        | Entry::StillRunning(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::turn::{Call, Field, Opener, Outcome, Output, Said};

    /// Texts of 5,000 times one letter each; how often each letter is left tells where its text was cut.
    fn long_turn() -> Turn {
        let long = |letter: &str| letter.repeat(5_000);
        let said = |text: String| Entry::Said(Said { text, message_id: None, block_index: None });
        let call = |name: &str, text: String, is_change, output: &str| {
            let input = vec![Field { name: name.into(), text, is_change }];
            let outcome = Outcome::Ok(Output { text: output.to_owned(), images: 0 });
            Entry::Call(Call { tool: "T".to_owned(), input, outcome, background: false })
        };
        let entries = vec![
            said(long("甲")),
            call("command", long("乙"), false, &long("丙")),
            call("new", long("丁"), true, ""),
            Entry::BackgroundResult(long("戊")),
            Entry::Scheduled(long("辛")),
            said(long("庚")),
        ];
        Turn { opener: Opener { words: "问".to_owned(), ..Opener::default() }, entries, ..Turn::default() }
    }

    /// 4.21, 4.37: what the turn before shows of each kind of text, the fuller way first.
    #[test]
    fn the_turn_before_gets_shorter_step_by_step() {
        /// The characters of a mark that stands for some thousand of them.
        const MARK: usize = 15;
        let turn = long_turn();
        let letters = ["甲", "乙", "丙", "丁", "戊", "辛", "庚"];
        for (tier, limits) in [
            (PREVIOUS, [600, 400, 500, 800, 1_000, 500, 4_000]),
            (SHORT, [300, 200, 200, 400, 500, 500, 4_000]),
            // A line of 240 characters, two thirds for the command, a third for what came back, a sixth for each change;
            // of 120; and no text in fewer than 60.
            (LINES, [200, 160, 80, 80, 500, 500, 4_000]),
            (SHORTEST, [120, 80, 60, 60, 200, 120, 2_000]),
        ] {
            let told = in_form(&turn, 1, Form::Timeline(Tiers::all(tier)), &Evidence::none());
            let left = letters.map(|letter| told.matches(letter).count() + MARK);
            assert_eq!(left, limits, "{tier:?}\n{told}");
        }
    }
}
