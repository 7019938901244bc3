//! Signs side by side in a text, and which of them are asked for. Every sign of a long turn comes by here.
//!
//! A gate is asked by the last bytes as they stand there; only where it lets them pass the signs are made of them.

use super::gate::Gate;
use super::signs::{Signs, hash_of_last, is_common, is_mark, number, rare_sign, three_bytes};

/// A run of signs, up to where it was looked at.
pub(super) struct Run<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Where the common signs began that end here.
    start: usize,
    /// What stands before these without a gap.
    before: Signs,
    /// From here on the last eight bytes hold no rare sign of which something counts, and there are eight.
    asked_from: usize,
}

/// Bytes of the last eight before a sign of three.
const BEFORE: usize = 5;

impl<'t> Run<'t> {
    /// Nothing looked at yet.
    pub(super) fn new(bytes: &'t [u8], at: usize) -> Self {
        Run { bytes, at, start: at, before: Signs::default(), asked_from: at.max(BEFORE) }
    }

    /// The same run behind `before`, which ends with a rare sign: the next two signs are told of unasked.
    fn behind(before: Signs, bytes: &'t [u8], at: usize) -> Self {
        Run { bytes, at, start: at, before, asked_from: at + 6 }
    }

    /// Where what was looked at ends.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    /// Whether signs stand there, and not punctuation.
    pub(super) fn ends_with_sign(&self) -> bool {
        self.at > self.start || !self.before.is_empty()
    }

    /// The last signs up to the next one with which something may end that this gate lets pass; none where the run ends.
    #[expect(
        clippy::inline_always,
        reason = "most runs are short: a call for each would cost as much as they do"
    )]
    #[inline(always)]
    pub(super) fn next(&mut self, ends: &Gate) -> Option<Signs> {
        loop {
            if self.is_at_wanted(ends) {
                return Some(self.last());
            }
            let rest = self.bytes.get(self.at..).filter(|rest| matches!(rest.first(), Some(0xe0..)))?;
            if is_mark(rest) {
                *self = Run::new(self.bytes, self.at + 3);
                continue;
            }
            let (sign, n_bytes) = rare_sign(rest)?;
            let mut signs = self.last();
            signs.push(sign);
            *self = Run::behind(signs, self.bytes, self.at + n_bytes);
            return Some(signs);
        }
    }

    /// Goes behind the next common sign that may be wanted, or to the end of the common ones.
    #[inline]
    fn is_at_wanted(&mut self, ends: &Gate) -> bool {
        if self.at < self.asked_from {
            let is_sign = self.bytes.get(self.at..).and_then(three_bytes).is_some_and(is_common);
            self.at += if is_sign { 3 } else { 0 };
            return is_sign;
        }
        let Some(mut rest) = self.bytes.get(self.at - BEFORE..) else { return false };
        let mut is_wanted = false;
        while !is_wanted && let Some(eight) = rest.first_chunk() {
            let eight = u64::from_be_bytes(*eight);
            if !is_common(eight & 0xff_ffff) {
                break;
            }
            is_wanted = ends.may_hold(hash_of_last(eight));
            rest = rest.get(3..).unwrap_or_default();
        }
        self.at = self.bytes.len() + BEFORE - rest.len();
        is_wanted
    }

    /// The last signs that end here.
    #[inline]
    fn last(&self) -> Signs {
        let eight = |end: usize| {
            let eight = self.bytes.get(end - 8..).and_then(|rest| rest.first_chunk());
            eight.map(|eight| u64::from_be_bytes(*eight))
        };
        if self.at - self.start >= 9
            && let Some((before, last)) = eight(self.at - 1).zip(eight(self.at))
        {
            return Signs::of_bytes(before >> 40, last >> 24, last);
        }
        self.last_of_few()
    }

    #[inline(never)]
    fn last_of_few(&self) -> Signs {
        let mut signs = self.before;
        let common = self.bytes.get(self.start..self.at).unwrap_or_default();
        common.chunks(3).filter_map(three_bytes).for_each(|bytes| signs.push(number(bytes)));
        signs
    }
}
