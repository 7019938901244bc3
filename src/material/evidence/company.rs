//! What a line shares with the sentences that claim something of it.
//!
//! Here common tokens count too, little as they tell: between two lines with the same figure they decide.

use super::claims::{Needle, Needles};
use super::hits::Hits;
use super::numbers::Number;
use super::places::Place;
use super::tables::{COMMON, STRETCH};
use super::tokens::{self, Listener, Token};

/// The line that is looked at.
pub(super) struct Company<'n> {
    needles: &'n Needles,
    /// What each needle tells: the rarer the more, but a common one still something.
    weights: Vec<u32>,
    /// What the line shares with each sentence, by its number.
    shared: Vec<u32>,
    /// The needles on the line.
    on_line: Vec<Number>,
    /// On which line each needle was met last; and which line it is.
    lines: Vec<u32>,
    line: u32,
}

impl<'n> Company<'n> {
    /// No line looked at yet.
    pub(super) fn new(hits: &Hits<'n, '_>) -> Self {
        let weight = |(number, needle): (Number, &Needle)| {
            let rarity = hits.count(number).unwrap_or(COMMON + 1).max(1).ilog2() + 1;
            needle.weight / rarity
        };
        Company {
            needles: hits.needles,
            weights: (0..).zip(hits.needles.all()).map(weight).collect(),
            shared: vec![0; hits.needles.n_sentences() + 1],
            on_line: Vec::new(),
            lines: vec![0; hits.needles.all().len()],
            line: 0,
        }
    }

    /// Looks at a place's line; of a long one at what is near the place.
    pub(super) fn look(&mut self, place: &Place<'_>) {
        let mut on_line = OnLine { needles: self.needles, found: std::mem::take(&mut self.on_line) };
        on_line.found.clear();
        tokens::walk(near(place), &mut on_line);
        let found = on_line.found;
        self.shared.fill(0);
        self.line += 1;
        for number in &found {
            let Some(line) = self.lines.get_mut(usize::from(*number)).filter(|line| **line < self.line)
            else {
                continue;
            };
            *line = self.line;
            let (weight, needle) = (self.weight(*number), self.needles.get(*number));
            for sentence in needle.into_iter().flat_map(|needle| needle.sentences.iter()) {
                if let Some(shared) = self.shared.get_mut(usize::from(sentence)) {
                    *shared += weight;
                }
            }
        }
        self.on_line = found;
    }

    /// What the line shares besides this needle with that sentence of those that claim it with which it shares most.
    pub(super) fn of(&self, needle: Number) -> u32 {
        let own = self.weight(needle);
        let sentences = self.needles.get(needle).into_iter().flat_map(|needle| needle.sentences.iter());
        let shared = sentences.filter_map(|sentence| self.shared.get(usize::from(sentence)));
        shared.map(|shared| shared.saturating_sub(own)).max().unwrap_or_default()
    }

    fn weight(&self, needle: Number) -> u32 {
        self.weights.get(usize::from(needle)).copied().unwrap_or_default()
    }
}

/// Every needle on a line.
struct OnLine<'n> {
    needles: &'n Needles,
    found: Vec<Number>,
}

impl Listener for OnLine<'_> {
    #[inline]
    fn wants_end(&self, hash: u64) -> bool {
        self.needles.ends().may_hold(hash)
    }

    #[inline]
    fn wants(&self, hash: u64) -> bool {
        self.needles.gate().may_hold(hash)
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        let needle = self.needles.find(token.hash)?;
        self.found.push(needle);
        self.needles.result(needle)
    }
}

fn near<'h>(place: &Place<'h>) -> &'h str {
    let mut part = place.line.clone();
    if !place.is_short {
        part.start = part.start.max(place.span.start.saturating_sub(STRETCH));
        part.end = part.end.min(place.span.end + STRETCH);
        while !place.of.text.is_char_boundary(part.start) {
            part.start += 1;
        }
        while !place.of.text.is_char_boundary(part.end) {
            part.end -= 1;
        }
    }
    place.of.text.get(part).unwrap_or_default()
}
