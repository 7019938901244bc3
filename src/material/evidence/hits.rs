//! Where a turn's needles are met.
//!
//! A needle met too often is looked for no longer: that is what makes one walk through a long turn cheap.

use std::ops::Range;

use super::claims::{Needles, Source};
use super::gate::Gate;
use super::tables::{FAILURE, RESULTS};
use super::tokens::{self, Listener, Token};

/// A needle that was met, in bytes of its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) needle: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// It is met as a result of this kind, not as a claim.
    pub(super) result: Option<usize>,
}

/// Kinds of results: a row of [`RESULTS`], as usual or in capitals. `FAILED` tells something else than the `0 failed`
/// beside it.
pub(super) const N_KINDS: usize = RESULTS.len() * 2;

/// The row of a kind.
pub(super) fn row_of(kind: usize) -> usize {
    kind / 2
}

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Claude or the person: no evidence, and no outcome.
    Words,
    /// What a tool was given.
    Input,
    /// What a tool, a task, another session gave back.
    Output,
}

/// A text that was looked through.
#[derive(Debug, Clone)]
pub(super) struct Looked<'t> {
    pub(super) source: Source,
    /// Which text of its entry.
    pub(super) number: usize,
    pub(super) text: &'t str,
    pub(super) voice: Voice,
    /// Its hits among all of them.
    pub(super) hits: Range<usize>,
}

/// Everything that was met in a turn.
pub(super) struct Hits<'n, 't> {
    pub(super) needles: &'n Needles,
    pub(super) all: Vec<Hit>,
    pub(super) texts: Vec<Looked<'t>>,
    /// How many places hold each needle, up to one more than tell something; what people say does not count.
    counts: Vec<u32>,
    /// How many texts hold results of each kind.
    pub(super) result_texts: [usize; N_KINDS],
    /// The needles that are not common yet.
    live: Gate,
}

impl<'n, 't> Hits<'n, 't> {
    /// Nothing met yet.
    pub(super) fn new(needles: &'n Needles) -> Self {
        Hits {
            needles,
            all: Vec::new(),
            texts: Vec::new(),
            counts: vec![0; needles.len()],
            result_texts: [0; N_KINDS],
            live: needles.gate().clone(),
        }
    }

    /// How many places hold the needle; `None` where they are too many to tell.
    pub(super) fn count(&self, needle: usize) -> Option<u32> {
        let most = self.needles.get(needle)?.most();
        self.counts.get(needle).copied().filter(|count| *count <= most)
    }

    /// Looks through one text.
    pub(super) fn look(&mut self, source: Source, number: usize, text: &'t str, voice: Voice) {
        let from = self.all.len();
        let mut looking = Looking { into: self, source, text, voice, ends: [None; N_KINDS] };
        tokens::walk(text, &mut looking);
        let ends = looking.ends;
        if voice == Voice::Output {
            for (kind, (n_texts, ends)) in self.result_texts.iter_mut().zip(ends).enumerate() {
                let Some((first, last)) = ends else { continue };
                *n_texts += 1;
                self.all.push(last.unwrap_or(first));
                self.all.extend(last.and((row_of(kind) == FAILURE).then_some(first)));
            }
        }
        // The walk gives them in order of their ends; results were added behind.
        if let Some(hits) = self.all.get_mut(from..).filter(|hits| !hits.is_sorted_by_key(|hit| hit.end)) {
            hits.sort_by_key(|hit| hit.end);
        }
        self.texts.push(Looked { source, number, text, voice, hits: from..self.all.len() });
    }

    #[inline]
    fn meet(&mut self, source: Source, needle: usize, token: Token, voice: Voice) {
        let (Some(known), Some(count)) = (self.needles.get(needle), self.counts.get_mut(needle)) else {
            return;
        };
        if known.weight == 0 || known.source == source {
            return;
        }
        *count += u32::from(voice != Voice::Words);
        if *count <= known.most() {
            self.all.push(Hit { needle, start: token.start, end: token.end, result: None });
        } else if self.needles.result(needle).is_none() {
            self.live.remove(token.hash);
        }
    }
}

/// A text that is being looked through.
struct Looking<'a, 'n, 't> {
    into: &'a mut Hits<'n, 't>,
    source: Source,
    text: &'t str,
    voice: Voice,
    /// The first and the last result of each kind: the ends of a text tell how it went, a hundred results in between tell
    /// no more.
    ends: [Option<(Hit, Option<Hit>)>; N_KINDS],
}

impl Listener for Looking<'_, '_, '_> {
    #[inline]
    fn wants(&self, hash: u64) -> bool {
        self.into.live.may_hold(hash)
    }

    #[inline]
    fn take(&mut self, token: Token) -> Option<usize> {
        let needle = self.into.needles.find(token.hash)?;
        let row = self.into.needles.result(needle);
        if let Some(row) = row {
            let is_loud = self.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_uppercase);
            let kind = row * 2 + usize::from(is_loud);
            let hit = Hit { needle, start: token.start, end: token.end, result: Some(kind) };
            if let Some(ends) = self.ends.get_mut(kind) {
                *ends = Some(ends.map_or((hit, None), |(first, _)| (first, Some(hit))));
            }
        }
        self.into.meet(self.source, needle, token, self.voice);
        row
    }
}
