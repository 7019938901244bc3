//! Where a turn's needles are met.
//!
//! A needle met too often is looked for no longer: that is what makes one walk through a long turn cheap.

use std::ops::Range;

use super::claims::{Needle, Needles, Source};
use super::gate::{Closing, Gate};
use super::numbers::Number;
use super::tables::{FAILURE, RESULTS};
use super::tokens::{Last, Listener, Token};
use super::walk::walk;

/// A needle that was met, in bytes of its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    start: u32,
    end: u32,
    pub(super) needle: Number,
    /// It is met as a result of this kind, not as a claim.
    pub(super) result: Option<u8>,
}

impl Hit {
    /// There is none behind the first 4 GB of a text.
    #[inline]
    fn of(token: Token, needle: Number, result: Option<u8>) -> Option<Self> {
        Some(Hit { start: token.start.try_into().ok()?, end: token.end.try_into().ok()?, needle, result })
    }

    /// Its first byte.
    pub(super) fn start(&self) -> usize {
        self.start.try_into().unwrap_or(usize::MAX)
    }

    /// The byte behind it.
    pub(super) fn end(&self) -> usize {
        self.end.try_into().unwrap_or(usize::MAX)
    }
}

/// Kinds of results: a row of [`RESULTS`], as usual or in capitals. `FAILED` tells something else than the `0 failed`
/// beside it.
pub(super) const N_KINDS: usize = RESULTS.len() * 2;

/// The row of a kind.
pub(super) fn row_of(kind: u8) -> usize {
    usize::from(kind / 2)
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

/// How often a needle is met: in how many places, up to one more than tell something; what people say does not count.
/// One that nobody claims tells nothing from the beginning.
#[derive(Debug, Clone, Copy)]
struct Count {
    is: u8,
    most: u8,
    /// Where the claim stands: no text is evidence for itself.
    claimed: Source,
}

/// Everything that was met in a turn.
pub(super) struct Hits<'n, 't> {
    pub(super) needles: &'n Needles,
    pub(super) all: Vec<Hit>,
    pub(super) texts: Vec<Looked<'t>>,
    counts: Vec<Count>,
    /// How many texts hold results of each kind.
    pub(super) result_texts: [usize; N_KINDS],
    /// The needles that are not common yet, and what they end with.
    live: Closing,
    live_ends: Closing,
}

impl<'n, 't> Hits<'n, 't> {
    /// Nothing met yet.
    pub(super) fn new(needles: &'n Needles) -> Self {
        let count = |needle: &Needle| Count {
            is: u8::from(needle.weight == 0),
            most: needle.most(),
            claimed: needle.source,
        };
        Hits {
            needles,
            // A needle is met some times before it is common; room that grows would be copied.
            all: Vec::with_capacity(needles.all().len().saturating_mul(6)),
            texts: Vec::new(),
            counts: needles.all().iter().map(count).collect(),
            result_texts: [0; N_KINDS],
            live: Closing::of(needles.wanted().map(|(hash, _)| hash)),
            live_ends: Closing::of(needles.wanted().flat_map(|(_, needle)| needle.last.hashes())),
        }
    }

    /// How many places hold the needle; `None` where they are too many to tell.
    pub(super) fn count(&self, needle: Number) -> Option<u8> {
        let Count { is, most, .. } = self.counts.get(usize::from(needle)).copied()?;
        (is <= most).then_some(is)
    }

    /// Looks through one text.
    pub(super) fn look(&mut self, source: Source, number: usize, text: &'t str, voice: Voice) {
        let from = self.all.len();
        let mut looking = Looking { into: self, source, text, voice, ends: [None; N_KINDS] };
        walk(text, &mut looking);
        let ends = looking.ends;
        if voice == Voice::Output {
            for (kind, ends) in (0..).zip(ends) {
                let Some((first, last)) = ends else { continue };
                if let Some(n_texts) = self.result_texts.get_mut(usize::from(kind)) {
                    *n_texts += 1;
                }
                self.insert(from, last.unwrap_or(first));
                if let Some(first) = last.and((row_of(kind) == FAILURE).then_some(first)) {
                    self.insert(from, first);
                }
            }
        }
        self.texts.push(Looked { source, number, text, voice, hits: from..self.all.len() });
    }

    /// Adds a hit where it ends; the walk gives them in order of their ends.
    fn insert(&mut self, from: usize, hit: Hit) {
        let known = self.all.get(from..).unwrap_or_default();
        let at = known.binary_search_by_key(&hit.end, |known| known.end).unwrap_or_else(|at| at);
        self.all.insert(from + at, hit);
    }

    #[inline]
    fn meet(&mut self, source: Source, needle: Number, token: Token, voice: Voice) {
        let Some(count) = self.counts.get_mut(usize::from(needle)) else { return };
        if count.is > count.most || count.claimed == source {
            return;
        }
        count.is += u8::from(voice != Voice::Words);
        if count.is <= count.most {
            if let Some(hit) = Hit::of(token, needle, None) {
                self.all.push(hit);
            }
        } else if self.needles.result(needle).is_none() {
            self.close(needle, token.hash);
        }
    }

    /// Looks for a needle no longer.
    fn close(&mut self, needle: Number, hash: u64) {
        self.live.remove(hash);
        let last = self.needles.get(needle).map(|needle| needle.last);
        last.into_iter().flat_map(Last::hashes).for_each(|hash| self.live_ends.remove(hash));
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
    fn ends(&self) -> &Gate {
        self.into.live_ends.gate()
    }

    #[inline]
    fn wants(&self, hash: u64) -> bool {
        self.into.live.gate().may_hold(hash)
    }

    #[inline]
    fn take(&mut self, token: Token) -> Option<usize> {
        let needle = self.into.needles.find(token.hash)?;
        let row = self.into.needles.result(needle);
        if let Some(row) = row {
            self.meet_result(needle, token, row);
        }
        self.into.meet(self.source, needle, token, self.voice);
        row
    }
}

impl Looking<'_, '_, '_> {
    fn meet_result(&mut self, needle: Number, token: Token, row: usize) {
        let is_loud = self.text.as_bytes().get(token.start).is_some_and(u8::is_ascii_uppercase);
        let kind = row * 2 + usize::from(is_loud);
        let hit = Hit::of(token, needle, u8::try_from(kind).ok());
        if let (Some(ends), Some(hit)) = (self.ends.get_mut(kind), hit) {
            *ends = Some(ends.map_or((hit, None), |(first, _)| (first, Some(hit))));
        }
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::tables::{COMMON, WEAK_RARE};
    use super::super::tests::with_hits;
    use super::*;

    /// What is met in this output when Claude replies this: claims, and results with their rows.
    fn met(reply: &str, output: &str) -> Vec<(String, Option<usize>)> {
        with_hits(reply, &[(Voice::Output, output)], |hits| {
            let met = |hit: &Hit| (output[hit.start()..hit.end()].trim().to_owned(), hit.result.map(row_of));
            hits.all.iter().map(met).collect()
        })
    }

    #[test]
    fn of_results_the_last_one_counts_and_of_failures_the_first_one_too_in_small_and_in_capitals() {
        let output = "exit code 3\nFAILED a\nerror ERR_7\nfatal\nfailed b\nFAILED c\nexit code 1\n4 passed\nERR_7\nPASSED\n9 passed";
        let found = met("ERR_7。", output);
        let found: Vec<(&str, Option<usize>)> =
            found.iter().map(|(written, row)| (written.as_str(), *row)).collect();
        let expected = [
            ("FAILED", Some(0)),
            ("error", Some(0)),
            ("ERR_7", None),
            ("failed", Some(0)),
            ("FAILED", Some(0)),
            ("code", Some(1)),
            ("ERR_7", None),
            ("PASSED", Some(2)),
            ("passed", Some(2)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_that_hold_a_result_are_counted_by_its_kind() {
        let texts = [
            (Voice::Output, "error, failed, FATAL"),
            (Voice::Output, "error"),
            (Voice::Output, "exit status 1 of error, PASSED"),
            (Voice::Input, "passed"),
            (Voice::Words, "passed"),
        ];
        let n_texts = with_hits("好了。", &texts, |hits| hits.result_texts);
        // Failures in small and in capitals, codes, successes.
        assert_eq!(n_texts, [3, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn what_is_met_too_often_tells_nothing_and_what_people_say_is_not_counted() {
        let (common, rare) = (usize::from(COMMON), usize::from(WEAK_RARE));
        for (reply, word, n, voice, count, n_hits) in [
            ("ERR_7", "ERR_7", common, Voice::Output, Some(COMMON), common),
            ("ERR_7", "ERR_7", common + 1, Voice::Output, None, common),
            ("ERR_7", "ERR_7", common, Voice::Input, Some(COMMON), common),
            ("ERR_7", "ERR_7", common + 1, Voice::Words, Some(0), common + 1),
            // A word that anybody may use.
            ("batch", "batch", rare, Voice::Output, Some(WEAK_RARE), rare),
            ("batch", "batch", rare + 1, Voice::Output, None, rare),
            // A claimed result is met as the first and as the last one, however often.
            ("error", "error", 300, Voice::Output, None, rare + 2),
            // What nobody claims.
            ("ERR_8", "ERR_7", 3, Voice::Output, Some(0), 0),
        ] {
            let text = format!("{word}\n").repeat(n);
            let found = with_hits(reply, &[(voice, &text)], |hits| {
                let numbers = (0..).zip(hits.needles.all());
                let claimed: Vec<Number> =
                    numbers.filter(|(_, needle)| needle.weight > 0).map(|(number, _)| number).collect();
                let count = claimed.first().and_then(|number| hits.count(*number));
                (claimed.len(), count, hits.all.len())
            });
            assert_eq!(found, (1, count, n_hits), "{reply}: {n} of {word}, {voice:?}");
        }
        let unclaimed = with_hits("好了。", &[(Voice::Output, "error")], |hits| hits.count(0));
        assert_eq!(unclaimed, None);
    }
}
