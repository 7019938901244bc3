//! What a line shares with the sentences that claim something of it.
//!
//! Here common tokens count too, little as they tell: between two lines with the same figure they decide.

use super::claims::Needles;
use super::counts::Counts;
use super::hits::Hits;
use super::places::Place;
use super::tables::{COMMON, STRETCH};
use super::tokens::{self, Listener, Token};

/// The line that is looked at.
pub(super) struct Company<'h, 'n, 't> {
    hits: &'h Hits<'n, 't>,
    /// What the line shares with each sentence, by its number.
    shared: Vec<u32>,
    /// The needles on the line.
    on_line: Vec<usize>,
}

impl<'h, 'n, 't> Company<'h, 'n, 't> {
    /// No line looked at yet.
    pub(super) fn new(hits: &'h Hits<'n, 't>) -> Self {
        Company { hits, shared: vec![0; hits.needles.n_sentences() + 1], on_line: Vec::new() }
    }

    /// Looks at a place's line; of a long one at what is near the place.
    pub(super) fn look(&mut self, place: &Place<'_>) {
        for needle in std::mem::take(&mut self.on_line) {
            self.for_sentences(needle, |shared, _| *shared = 0);
        }
        let mut on_line =
            OnLine { needles: self.hits.needles, counting: Counts::default(), found: Vec::new() };
        tokens::walk(near(place), &mut on_line);
        let mut found = on_line.found;
        found.sort_unstable();
        found.dedup();
        for needle in &found {
            self.for_sentences(*needle, |shared, weight| *shared += weight);
        }
        self.on_line = found;
    }

    /// What the line shares besides this needle with that sentence of those that claim it with which it shares most.
    pub(super) fn of(&self, needle: usize) -> u32 {
        let own = self.weight(needle);
        let sentences = self.hits.needles.get(needle).into_iter().flat_map(|needle| needle.sentences.iter());
        let shared = sentences.filter_map(|sentence| self.shared.get(usize::from(sentence)));
        shared.map(|shared| shared.saturating_sub(own)).max().unwrap_or_default()
    }

    fn for_sentences(&mut self, needle: usize, mut change: impl FnMut(&mut u32, u32)) {
        let weight = self.weight(needle);
        let Some(needle) = self.hits.needles.get(needle) else { return };
        for sentence in needle.sentences.iter() {
            if let Some(shared) = self.shared.get_mut(usize::from(sentence)) {
                change(shared, weight);
            }
        }
    }

    /// The rarer the weightier, but a common one still tells something.
    fn weight(&self, needle: usize) -> u32 {
        let rarity = self.hits.count(needle).unwrap_or(COMMON + 1).max(1).ilog2() + 1;
        self.hits.needles.get(needle).map_or(0, |needle| needle.weight / rarity)
    }
}

/// Every needle on a line.
struct OnLine<'n> {
    needles: &'n Needles,
    counting: Counts,
    found: Vec<usize>,
}

impl Listener for OnLine<'_> {
    fn wants(&self, hash: u64) -> bool {
        self.needles.gate().may_hold(hash)
    }

    fn take(&mut self, token: Token) {
        let needle = self.needles.find(token.hash);
        self.found.extend(needle);
        let row = needle.and_then(|needle| self.needles.result(needle));
        self.found.extend(self.counting.next(token, row).and_then(|count| self.needles.find(count.hash)));
    }
}

fn near<'t>(place: &Place<'t>) -> &'t str {
    let mut part = place.line.clone();
    if !place.is_short {
        part.start = part.start.max(place.span.start.saturating_sub(STRETCH));
        part.end = part.end.min(place.span.end + STRETCH);
        while !place.text.is_char_boundary(part.start) {
            part.start += 1;
        }
        while !place.text.is_char_boundary(part.end) {
            part.end -= 1;
        }
    }
    place.text.get(part).unwrap_or_default()
}
