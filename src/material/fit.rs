//! Everything together within the room there is (4.31-4.36).
//!
//! What gives way first is decided by one list of candidates, each showing less than the one before; the first that
//! fits is taken, so more room never shows less.

use serde::{Deserialize, Serialize};

use super::earlier;
use super::evidence::Evidence;
use super::section::Section;
use super::tier::{self, Tiers, WHOLE};
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

/// What a cut keeps between head and tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// What the turn's claims lean on (4.37).
    Evidence,
    /// Nothing: what `scripts/evidence-bench` compares with.
    Nothing,
}

impl Between {
    /// What is to be kept of the current turn and of the one before it.
    fn evidence(self, current: &Turn, previous: Option<&Turn>) -> [Evidence; 2] {
        let turns: Vec<&Turn> = std::iter::once(current).chain(previous).collect();
        let found = match self {
            Between::Evidence => Evidence::of(&turns),
            Between::Nothing => Vec::new(),
        };
        let mut found = found.into_iter();
        [(); 2].map(|()| found.next().unwrap_or_else(Evidence::none))
    }
}

/// The most that earlier turns together can get of `room` beside this current turn: what its mildest cut leaves, and
/// never less than [`EARLIER_FLOOR`]. What lies beyond need not be read.
pub fn share_of_earlier(current: &Turn, room: usize) -> usize {
    let plain = Evidence::none();
    let mut section = Section::new(current, &plain);
    section.set(&Tiers::all(tier::mildest()));
    room.saturating_sub(section.chars()).max(EARLIER_FLOOR)
}

/// Puts the current turn and the turns before it (nearest first) into at most `room` characters, unless what must
/// stay is longer. `is_whole`: there are no turns beyond those given.
pub fn fit(
    current: &Turn,
    earlier_turns: &[Turn],
    is_whole: bool,
    room: usize,
    between: Between,
) -> Material {
    let previous = earlier_turns.first();
    // Of the turn before nearly always something is cut; of the current one alone often nothing.
    let evidence = previous.map(|_| between.evidence(current, previous));
    let plain = Evidence::none();
    let of_previous = evidence.as_ref().map_or(&plain, |[_, previous]| previous);
    let earlier = told_earlier(earlier_turns, of_previous);
    let all = earlier.len();
    let told = |shown: usize, current: &Section<'_>| {
        let is_short = shown < all || !is_whole;
        let earlier = earlier.get(..shown).unwrap_or(&earlier);
        (earlier_chars(earlier, is_short) + current.chars() <= room)
            .then(|| format!("{}{}", earlier_section(earlier, is_short), current.text()))
    };
    let result = |text: String, shown: usize, current_cut: bool| Material {
        text,
        shortened: Shortened { current_cut, earlier_shown: shown, earlier_dropped: all - shown },
    };

    let mut whole = Section::new(current, &plain);
    if !whole.is_longer_than(room) {
        whole.set(&Tiers::all(WHOLE));
        if let Some(text) = told(all, &whole) {
            return result(text, all, false);
        }
    }
    let [evidence, _] = evidence.unwrap_or_else(|| between.evidence(current, previous));
    let mut section = Section::new(current, &evidence);
    let steps = steps(&earlier);
    // Halving finds the first step that fits where none behind it is longer; and whatever the lengths are, with more
    // room it never ends at a later step.
    let (mut first, mut last) = (0, steps.len().saturating_sub(1));
    let mut found = None;
    while first < last {
        let middle = first.midpoint(last);
        let Some(step) = steps.get(middle) else { break };
        section.set(&step.tiers);
        match told(step.shown, &section) {
            Some(text) => (last, found) = (middle, Some(text)),
            None => first = middle + 1,
        }
    }
    // The last step shows what must stay, however long it is.
    let shown = steps.get(last).map_or(0, |step| step.shown);
    let text = found.unwrap_or_else(|| {
        let before = earlier_section(&[], all > 0 || !is_whole);
        section.set(&Tiers::all(tier::tightest()));
        format!("{before}{}", section.text())
    });
    result(text, shown, true)
}

/// One way to make things fit.
struct Step {
    tiers: Tiers,
    /// How many earlier turns are shown.
    shown: usize,
}

/// Everything that can give way, in the order of 4.36; no step shows more than the one before.
fn steps(earlier: &[Told]) -> Vec<Step> {
    let all = earlier.len();
    let floor = (0..all).rev().find(|n| chars_of(earlier, *n) <= EARLIER_FLOOR).unwrap_or(0);
    let floor = if chars_of(earlier, all) <= EARLIER_FLOOR { all } else { floor };
    let with = |tier| move |shown| Step { tiers: Tiers::all(tier), shown };
    let mild = tier::mild().into_iter().map(|tiers| Step { tiers, shown: all });
    let tight = tier::tight().into_iter().map(|tiers| Step { tiers, shown: floor });
    mild.chain((floor..all).rev().map(with(tier::mildest())))
        .chain(tight)
        .chain((0..floor).rev().map(with(tier::tightest())))
        .collect()
}

/// A text and its length in characters, counted once.
struct Told {
    text: String,
    chars: usize,
}

/// The earlier turns, nearest first.
fn told_earlier(turns: &[Turn], of_previous: &Evidence) -> Vec<Told> {
    let plain = Evidence::none();
    let told = |(index, turn)| {
        let evidence = if index == 0 { of_previous } else { &plain };
        let text = earlier::turn_round(turn, index + 1, evidence);
        Told { chars: text.chars().count(), text }
    };
    turns.iter().enumerate().map(told).collect()
}

fn chars_of(earlier: &[Told], shown: usize) -> usize {
    earlier.iter().take(shown).map(|told| told.chars).sum()
}

const EARLIER: &str = "【之前的轮次】\n";
const NOT_LISTED: &str = "（更早的轮次因为长度没有列出）\n";

/// The earlier turns, oldest first. One line says that there were others (4.36); it gives no number, that would mean
/// reading the whole file.
fn earlier_section(shown: &[Told], is_short: bool) -> String {
    if shown.is_empty() && !is_short {
        return String::new();
    }
    let mut text = String::from(EARLIER);
    if is_short {
        text.push_str(NOT_LISTED);
    }
    for told in shown.iter().rev() {
        text.push_str(&told.text);
    }
    text.push('\n');
    text
}

/// The length of that section in characters.
fn earlier_chars(shown: &[Told], is_short: bool) -> usize {
    let around = match (shown.is_empty(), is_short) {
        (true, false) => return 0,
        (false, false) => EARLIER.chars().count() + 1,
        (_, true) => EARLIER.chars().count() + NOT_LISTED.chars().count() + 1,
    };
    around + chars_of(shown, shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::turn::{Entry, Opener, Said};

    fn said(text: String) -> Entry {
        Entry::Said(Said { text, message_id: None, block_index: None })
    }

    fn turn(words: usize, reply: usize) -> Turn {
        let opener = Opener { words: "问".repeat(words), ..Opener::default() };
        Turn { opener, entries: vec![said("答".repeat(reply))], ..Turn::default() }
    }

    fn fitted(current: &Turn, earlier: &[Turn], is_whole: bool, room: usize) -> (bool, Shortened, usize) {
        let Material { text, shortened } = fit(current, earlier, is_whole, room, Between::Evidence);
        (text.contains(NOT_LISTED), shortened, text.chars().count())
    }

    /// 4.36: one line says that there were others, where there were.
    #[test]
    fn r4_36_what_is_not_listed_is_told_and_nothing_else_is() {
        let earlier = vec![turn(2_000, 100); 40];
        let all = |shown, dropped, cut| Shortened {
            current_cut: cut,
            earlier_shown: shown,
            earlier_dropped: dropped,
        };
        let few = earlier.get(..2).unwrap_or_default();
        for (is_whole, is_told) in [(true, false), (false, true)] {
            let (told, shortened, _) = fitted(&turn(10, 10), few, is_whole, 50_000);
            assert_eq!((told, shortened), (is_told, all(2, 0, false)), "all are shown");
            let (told, shortened, _) = fitted(&turn(10, 10), &[], is_whole, 50_000);
            assert_eq!((told, shortened), (is_told, all(0, 0, false)), "there is none");
            // The person's words and the reply's 8,000 characters must stay, however little room there is.
            let (told, shortened, _) = fitted(&turn(9_000, 9_000), &[], is_whole, 1_000);
            assert_eq!((told, shortened), (is_told, all(0, 0, true)), "there is none, and no room");
        }
        let (told, shortened, chars) = fitted(&turn(10, 10), &earlier, true, 50_000);
        assert!(told && chars <= 50_000, "{chars}");
        assert!(shortened.earlier_shown > 5 && shortened.earlier_dropped > 5, "{shortened:?}");
        assert_eq!(shortened.earlier_shown + shortened.earlier_dropped, 40);
        let (told, shortened, _) = fitted(&turn(9_000, 9_000), few, true, 1_000);
        assert_eq!((told, shortened), (true, all(0, 2, true)));
    }

    /// 4.31: the last character that there is room for is used, and what fits is not cut.
    #[test]
    fn r4_31_what_just_fits_is_not_cut() {
        for (current, earlier) in [
            (turn(10, 30_000), vec![]),
            (turn(10, 300), vec![turn(3, 3)]),
            (turn(10, 300), vec![turn(3, 3); 2]),
        ] {
            for is_whole in [true, false] {
                let (_, _, chars) = fitted(&current, &earlier, is_whole, 60_000);
                let cut = |room| {
                    let (_, shortened, _) = fitted(&current, &earlier, is_whole, room);
                    shortened.current_cut || shortened.earlier_dropped > 0
                };
                assert_eq!((cut(chars), cut(chars - 1)), (false, true), "{} {is_whole}", earlier.len());
            }
        }
    }
}
