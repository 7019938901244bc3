//! Everything together within the room there is (4.31-4.36).
//!
//! What gives way first is decided by one list of candidates, each showing less than the one before; the first that
//! fits is taken, so more room never shows less.

use serde::{Deserialize, Serialize};

use super::cut::push_label;
use super::tier::{self, OPENER_LIMIT, Tier, WHOLE};
use super::{earlier, render};
use crate::transcript::turn::Turn;

/// Earlier turns give way, oldest first, down to this many characters together before the current turn is cut
/// tightly (4.36).
pub const EARLIER_FLOOR: usize = 20_000;

/// What the auditor is to see of a session.
pub struct Material {
    /// The two sections, each line ended.
    pub text: String,
    /// How it was made to fit.
    pub shortened: Shortened,
}

/// What had to be left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shortened {
    /// Whether entries of the current turn were cut.
    pub current_cut: bool,
    /// Earlier turns that are shown.
    pub earlier_shown: usize,
    /// Earlier turns that were read but had to go. There may be more that were not read.
    pub earlier_dropped: usize,
}

/// The most that earlier turns together can get of `room` beside this current turn: what its mildest cut leaves, and
/// never less than [`EARLIER_FLOOR`]. What lies beyond need not be read.
pub fn share_of_earlier(current: &Turn, room: usize) -> usize {
    let cut = tier::mild().last().unwrap_or(WHOLE);
    let current = Told::new(current_section(current, &cut)).chars;
    room.saturating_sub(current).max(EARLIER_FLOOR)
}

/// Puts the current turn and the turns before it (nearest first) into at most `room` characters, unless what must
/// stay is longer. `is_whole`: there are no turns beyond those given.
pub fn fit(current: &Turn, earlier_turns: &[Turn], is_whole: bool, room: usize) -> Material {
    let earlier: Vec<Told> = earlier_turns
        .iter()
        .enumerate()
        .map(|(index, turn)| Told::new(earlier::turn(turn, index + 1)))
        .collect();
    let all = earlier.len();
    let told = |shown: usize, current: &Told| {
        let before = earlier_section(earlier.get(..shown).unwrap_or(&earlier), shown < all || !is_whole);
        (before.chars + current.chars <= room).then(|| format!("{}{}", before.text, current.text))
    };
    let result = |text: String, shown: usize, current_cut: bool| Material {
        text,
        shortened: Shortened { current_cut, earlier_shown: shown, earlier_dropped: all - shown },
    };

    // Mild tiers, with every earlier turn.
    let mut mildest = Told::default();
    for tier in std::iter::once(WHOLE).chain(tier::mild()) {
        if is_hopeless(current, &tier, room) {
            continue;
        }
        mildest = Told::new(current_section(current, &tier));
        if let Some(text) = told(all, &mildest) {
            return result(text, all, tier.said != usize::MAX);
        }
    }
    if mildest.text.is_empty() {
        mildest =
            tier::mild().last().map(|tier| Told::new(current_section(current, &tier))).unwrap_or_default();
    }
    // Then earlier turns go, oldest first.
    let mut shown = all;
    while shown > 0 && chars_of(&earlier, shown) > EARLIER_FLOOR {
        shown -= 1;
        if let Some(text) = told(shown, &mildest) {
            return result(text, shown, true);
        }
    }
    // Then the tight tiers.
    let mut tightest = mildest;
    for tier in tier::tight() {
        tightest = Told::new(current_section(current, &tier));
        if let Some(text) = told(shown, &tightest) {
            return result(text, shown, true);
        }
    }
    // Then the rest of the earlier turns, the previous one last; what is left is what must stay.
    while shown > 0 {
        shown -= 1;
        if let Some(text) = told(shown, &tightest) {
            return result(text, shown, true);
        }
    }
    let before = earlier_section(&[], all > 0 || !is_whole);
    result(format!("{}{}", before.text, tightest.text), 0, true)
}

/// A text and its length in characters, counted once.
#[derive(Default)]
struct Told {
    text: String,
    chars: usize,
}

impl Told {
    fn new(text: String) -> Self {
        let chars = text.chars().count();
        Told { text, chars }
    }
}

fn chars_of(earlier: &[Told], shown: usize) -> usize {
    earlier.iter().take(shown).map(|told| told.chars).sum()
}

/// The earlier turns, oldest first. One line says that there were others (4.36); it gives no number, that would mean
/// reading the whole file.
fn earlier_section(shown: &[Told], is_short: bool) -> Told {
    if shown.is_empty() && !is_short {
        return Told::default();
    }
    let mut text = String::from("【之前的轮次】\n");
    if is_short {
        push_label(&mut text, "（更早的轮次因为长度没有列出）");
    }
    for told in shown.iter().rev() {
        text.push_str(&told.text);
    }
    text.push('\n');
    Told::new(text)
}

fn current_section(turn: &Turn, tier: &Tier) -> String {
    let mut text = String::from("【当前轮】\n");
    render::opener(&mut text, &turn.opener, OPENER_LIMIT);
    render::timeline(&mut text, turn, tier);
    text.push('\n');
    text
}

/// Whether the turn cannot fit uncut, so that a long text is not built for nothing.
fn is_hopeless(turn: &Turn, tier: &Tier, room: usize) -> bool {
    use crate::transcript::turn::{Entry, Outcome};
    if tier.said != usize::MAX {
        return false;
    }
    // A character has at most four bytes.
    let bytes: usize = turn
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Said(said) => said.text.len(),
            Entry::Call(call) => {
                let output = match &call.outcome {
                    Outcome::Ok(output) | Outcome::Failed(output) => output.text.len(),
                    Outcome::NeverRan { .. } | Outcome::Pending => 0,
                };
                output + call.input.iter().map(|field| field.text.len()).sum::<usize>()
            }
            _ => 0,
        })
        .sum();
    bytes / 4 > room
}
