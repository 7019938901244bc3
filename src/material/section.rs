//! The section of the current turn, entry by entry, so that a tier tells anew only what it changes.

use super::evidence::{Evidence, texts};
use super::render;
use super::tier::{OPENER_LIMIT, Tier, Tiers};
use crate::transcript::turn::{Entry, Turn};

const BEGIN: &str = "【当前轮】\n";

/// The current turn as the auditor is to see it.
pub(super) struct Section<'t> {
    turn: &'t Turn,
    evidence: &'t Evidence,
    reply: Option<usize>,
    opener: Told,
    entries: Vec<Told>,
    chars: usize,
}

/// A part as it is told now.
#[derive(Default)]
struct Told {
    text: String,
    chars: usize,
    /// The tier in which it was told.
    tier: Option<Tier>,
    /// No text of it is longer than this, in bytes; where this is not known, no limit is great enough.
    longest: usize,
}

impl<'t> Section<'t> {
    /// Nothing told yet.
    pub(super) fn new(turn: &'t Turn, evidence: &'t Evidence) -> Self {
        let mut opener = Told::default();
        render::opener(&mut opener.text, &turn.opener, OPENER_LIMIT, evidence.opener());
        opener.chars = opener.text.chars().count();
        let entries = turn.entries.iter().map(|entry| Told { longest: longest(entry), ..Told::default() });
        Section { turn, evidence, reply: turn.reply_index(), opener, entries: entries.collect(), chars: 0 }
    }

    /// Whether the turn cannot fit uncut, so that a long text is not built for nothing.
    pub(super) fn is_longer_than(&self, room: usize) -> bool {
        let bytes: usize = self.turn.entries.iter().flat_map(texts::of).map(str::len).sum();
        // A character has at most four bytes.
        bytes / 4 > room
    }

    /// Tells every entry in its tier.
    pub(super) fn set(&mut self, tiers: &Tiers) {
        for (index, (entry, told)) in self.turn.entries.iter().zip(&mut self.entries).enumerate() {
            let kept = self.evidence.entry(index);
            let tier = tiers.of(kept.is_named);
            if told.tier.is_some_and(|before| is_same(&before, tier, told.longest)) {
                continue;
            }
            let said = if Some(index) == self.reply { tiers.named.reply } else { tier.said };
            told.text.clear();
            render::entry(&mut told.text, entry, tier, said, kept);
            told.chars = told.text.chars().count();
            told.tier = Some(*tier);
        }
        let entries: usize = self.entries.iter().map(|told| told.chars).sum();
        self.chars = BEGIN.chars().count() + self.opener.chars + entries + 1;
    }

    /// Its length in characters.
    pub(super) fn chars(&self) -> usize {
        self.chars
    }

    /// The whole section.
    pub(super) fn text(&self) -> String {
        let parts = std::iter::once(&self.opener).chain(&self.entries).map(|told| told.text.as_str());
        [BEGIN].into_iter().chain(parts).chain(["\n"]).collect()
    }
}

/// Whether an entry whose texts are no longer than this is told the same in both tiers.
fn is_same(one: &Tier, other: &Tier, longest: usize) -> bool {
    let is_whole = |tier: &Tier| tier.call_line.is_none() && longest <= tier.least();
    one == other || (is_whole(one) && is_whole(other))
}

/// The reply has a limit of its own, which no other is below.
fn longest(entry: &Entry) -> usize {
    match entry {
        Entry::Said(_) | Entry::Call(_) | Entry::BackgroundResult(_) => {
            texts::of(entry).into_iter().map(str::len).max().unwrap_or_default()
        }
        Entry::Asked(_)
        | Entry::Steer(_)
        | Entry::Peer { .. }
        | Entry::Scheduled(_)
        | Entry::Interrupted(_)
        | Entry::Bang { .. }
        | Entry::AuditBlock(_)
        | Entry::OtherHook(_)
        | Entry::StillRunning(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::tier;
    use crate::transcript::turn::{Opener, Said};

    #[test]
    fn its_length_is_that_of_its_text_in_every_tier() {
        let said = |text: String| Entry::Said(Said { text, message_id: None, block_index: None });
        let entries = vec![said("话".repeat(2_000)), said("说".repeat(300)), said("答".repeat(20_000))];
        let opener = Opener { words: "问题".to_owned(), ..Opener::default() };
        let turn = Turn { opener, entries, ..Turn::default() };
        let evidence = Evidence::none();
        let mut section = Section::new(&turn, &evidence);
        let mut lengths = Vec::new();
        for tiers in [Tiers::all(tier::WHOLE)].into_iter().chain(tier::mild()).chain(tier::tight()) {
            section.set(&tiers);
            assert_eq!(section.chars(), section.text().chars().count());
            let mut anew = Section::new(&turn, &evidence);
            anew.set(&tiers);
            assert_eq!(section.text(), anew.text(), "what was told before leaves nothing");
            lengths.push(section.chars());
        }
        assert!(lengths.is_sorted_by(|more, less| more >= less), "{lengths:?}");
        // The labels, the bars, and the texts.
        assert_eq!(lengths.first(), Some(&(6 + (6 + 5) + 3 * 4 + 3 * 3 + 22_300 + 1)));
    }
}
