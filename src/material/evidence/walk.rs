//! The walk through a text that tells of its tokens.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`. It goes by bytes, and tells only what somebody wants to know of:
//! every character of a long turn comes by here.

use super::counts::{Candidate, Counts};
use super::name::both;
use super::runs::Run;
use super::signs::Signs;
use super::tokens::{Kind, Last, Listener, Token};
use super::words::{self, Class, Word, is_of_time, is_wide};

/// The most bytes between the two words of a pair: `a.b`, `a::b`, `a = b`, one wide sign.
const PAIR_GAP: usize = 3;

/// Tells of every token that is wanted, in order of their ends.
pub(super) fn walk(text: &str, listener: &mut impl Listener) {
    let bytes = text.as_bytes();
    let mut walker = Walker { bytes, listener, before: None, counts: Counts::of(text) };
    let mut at = 0;
    while let Some(first) = bytes.get(at).copied() {
        at = match Class::of(first) {
            Class::Sign if first != 0xef || !is_wide(bytes, at) => walker.signs(at),
            Class::Gap => {
                if first == b'\n' {
                    walker.before = None;
                }
                at + 1
            }
            Class::Letter | Class::Sign => match words::narrow_word(bytes, first, at) {
                Some((word, next)) => {
                    let end = word.end;
                    walker.word(bytes, at, word);
                    // Behind most words stands a space, which needs no look of its own.
                    end + usize::from(next == b' ')
                }
                None => walker.any_word(first, at),
            },
        }
    }
}

struct Walker<'a, L> {
    bytes: &'a [u8],
    listener: &'a mut L,
    /// Hash and end of the word before, on the same line.
    before: Option<(u64, usize)>,
    counts: Counts<'a>,
}

impl<L: Listener> Walker<'_, L> {
    /// A word of any kind; gives its end. Out of the way of the short ones.
    #[inline(never)]
    fn any_word(&mut self, first: u8, start: usize) -> usize {
        let word = words::any(self.bytes, first, start, |hash, end| {
            self.tell(Token { hash, start, end, kind: Kind::Part, last: Last::Word(hash) });
        });
        let end = word.end;
        self.word(self.bytes, start, word);
        end
    }

    /// Tells of a word or a figure, and of the pair that it makes with the one before.
    #[expect(
        clippy::inline_always,
        reason = "nearly all of them are wanted by nobody: a call would cost more"
    )]
    #[inline(always)]
    fn word(&mut self, bytes: &[u8], start: usize, Word { hash, end, is_figure }: Word) {
        let before = self.before.replace((hash, end));
        let (is_wanted, last) = (self.listener.ends().may_hold(hash), Last::Word(hash));
        if is_figure && !is_of_time(bytes, start, end) {
            let figure = Token { hash, start, end, kind: Kind::Figure, last };
            if is_wanted {
                self.tell(figure);
            }
            if let Some(count) = self.counts.figure(figure) {
                self.tell_count(&count);
            }
        } else if !is_figure && is_wanted {
            self.tell(Token { hash, start, end, kind: Kind::Word, last });
        }
        if is_wanted
            && let Some((before, before_end)) = before
            && start - before_end <= PAIR_GAP
        {
            self.tell(Token { hash: both(before, hash), start: before_end, end, kind: Kind::Pair, last });
        }
    }

    /// Characters of three or four bytes that belong to no word; gives their end. A function of its own, so that its loop
    /// has all registers.
    #[inline(never)]
    fn signs(&mut self, start: usize) -> usize {
        let mut run = Run::new(self.bytes, start);
        while let Some(signs) = run.next(self.listener.ends()) {
            self.tell_signs(signs, run.end());
        }
        // One sign is as near as a word may be; one and punctuation are too far already.
        if run.ends_with_sign() {
            self.before = None;
        }
        run.end()
    }

    /// Tells of the last two and the last three of these signs, which end here.
    #[inline(never)]
    fn tell_signs(&mut self, signs: Signs, end: usize) {
        if let Some(two) = signs.two()
            && self.listener.wants(two.hash())
        {
            let (start, last) = (end - two.n_bytes(), Last::TwoSigns(two));
            self.take(Token { hash: two.hash(), start, end, kind: Kind::TwoSigns, last });
        }
        if let Some(three) = signs.three()
            && self.listener.wants(three.hash())
        {
            let (start, last) = (end - three.n_bytes(), Last::ThreeSigns(three));
            self.take(Token { hash: three.hash(), start, end, kind: Kind::ThreeSigns, last });
        }
    }

    #[inline]
    fn tell(&mut self, token: Token) {
        if self.listener.wants(token.hash) {
            self.take(token);
        }
    }

    #[inline(never)]
    fn take(&mut self, token: Token) {
        if let Some(row) = self.listener.take(token)
            && let Some(count) = self.counts.result(token, row)
        {
            self.tell_count(&count);
        }
    }

    #[inline(never)]
    fn tell_count(&mut self, count: &Candidate) {
        if self.listener.wants(count.token.hash) && self.counts.is_one_phrase(count) {
            self.listener.take(count.token);
        }
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
pub(super) mod tests;
