//! A text as tokens: words, figures, two words side by side, two or three signs of a script without spaces.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`. It goes by bytes, and tells only what somebody wants to know of:
//! every character of a long turn comes by here.

use super::counts::{Candidate, Counts};
use super::name::{Eight, Name, both, is_letter};
use super::signs::{Signs, common_sign, narrow, rare_sign};

/// A token and where it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// Equal for equal tokens; nobody looks behind it.
    pub(super) hash: u64,
    /// Its first byte.
    pub(super) start: usize,
    /// The byte behind it.
    pub(super) end: usize,
    /// What it is.
    pub(super) kind: Kind,
    /// What it ends with.
    pub(super) last: Last,
}

/// What a token ends with: nearly all text is asked for that alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// A word, by its hash.
    Word(u64),
    /// Two signs behind any other.
    TwoSigns(Signs),
    /// Three signs, of the first of which a part counts.
    ThreeSigns(Signs),
}

impl Last {
    /// A token that ends with this comes where a listener wants one of these.
    pub(super) fn hashes(self) -> impl Iterator<Item = u64> {
        let (one, two_signs) = match self {
            Last::Word(hash) => (Some(hash), None),
            Last::TwoSigns(signs) => (None, Some(signs)),
            Last::ThreeSigns(signs) => (Some(signs.hash_of_end()), None),
        };
        one.into_iter().chain(two_signs.into_iter().flat_map(Signs::hashes_of_end_behind_any))
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and `_`.
    Word,
    /// Digits alone, with the signs that belong to a figure.
    Figure,
    /// What stands inside a longer figure or before its unit: `4519` in `4519ms` and in `4519.2`. Only material is asked
    /// for it.
    Part,
    /// Two words with at most [`PAIR_GAP`] bytes between them, on one line.
    Pair,
    /// Two signs side by side of a script that is written without spaces.
    TwoSigns,
    /// Three of them.
    ThreeSigns,
    /// A figure together with the result it counts.
    Count,
}

/// The most bytes between the two words of a pair: `a.b`, `a::b`, `a = b`, one wide sign.
const PAIR_GAP: usize = 3;

/// Who is told of tokens.
pub(super) trait Listener {
    /// Whether it may want to know of tokens that end with this: see [`Last::hashes`]. Nearly all text gets this one
    /// question.
    fn wants_end(&self, _: u64) -> bool {
        true
    }

    /// Whether it may want to know of tokens with this hash.
    fn wants(&self, hash: u64) -> bool;

    /// Takes a token that it wants; gives the row of the results that it belongs to.
    fn take(&mut self, token: Token) -> Option<usize>;
}

/// Tells of every token that is wanted, in order of their ends.
pub(super) fn walk(text: &str, listener: &mut impl Listener) {
    let mut walker = Walker {
        bytes: text.as_bytes(),
        at: 0,
        listener,
        before: None,
        counts: Counts::of(text),
        wanted: [(Signs::default(), 0); RUN],
    };
    while let Some(first) = walker.bytes.get(walker.at).copied() {
        let class = Class::of(first);
        if class == Class::Sign && walker.narrow().is_none() {
            walker.signs();
        } else if class == Class::Gap {
            if first == b'\n' {
                walker.before = None;
            }
            walker.at += 1;
        } else {
            walker.word(first);
        }
    }
}

/// What a character is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Of nothing, or of punctuation.
    Gap,
    /// Of a word, also a digit.
    Letter,
    /// Of three or four bytes: a sign, punctuation, a wide letter.
    Sign,
}

impl Class {
    #[expect(clippy::indexing_slicing, reason = "a constant: a wrong index does not compile")]
    const ALL: [Class; 256] = {
        let mut all = [Class::Gap; 256];
        let mut byte = 0_u8;
        // No arithmetic: a change in it would keep the compiler busy for ever.
        loop {
            all[byte as usize] = match byte {
                0xe0.. => Class::Sign,
                _ if is_letter(byte) || is_letter_lead(byte) => Class::Letter,
                _ => Class::Gap,
            };
            match byte.checked_add(1) {
                Some(next) => byte = next,
                None => break all,
            }
        }
    };

    #[inline]
    fn of(first: u8) -> Self {
        Self::ALL.get(usize::from(first)).copied().unwrap_or(Class::Gap)
    }
}

struct Walker<'a, L> {
    bytes: &'a [u8],
    at: usize,
    listener: &'a mut L,
    /// Hash and end of the word before, on the same line.
    before: Option<(u64, usize)>,
    counts: Counts<'a>,
    /// Signs of a run that somebody wants to know of, and how many bytes are behind them.
    wanted: [(Signs, usize); RUN],
}

/// How many signs are asked for before the wanted ones are told of.
const RUN: usize = 16;

impl<L: Listener> Walker<'_, L> {
    /// A word or a figure, to its end.
    #[inline]
    fn word(&mut self, first: u8) {
        let start = self.at;
        let mut name = Name::default();
        let is_figure = first.is_ascii_digit() && self.figure(&mut name);
        if !is_figure {
            self.letters(&mut name);
        }
        let is_figure = is_figure || (first == 0xef && self.is_wide_figure(start));
        let (hash, end) = (name.hash(), self.at);
        let before = self.before.replace((hash, end));
        let is_wanted = self.listener.wants_end(hash);
        if is_figure && !self.is_of_time(start) {
            let figure = Token { hash, start, end, kind: Kind::Figure, last: Last::Word(hash) };
            if is_wanted {
                self.tell(figure);
            }
            if let Some(count) = self.counts.figure(figure) {
                self.tell_count(&count);
            }
        } else if !is_figure && is_wanted {
            self.tell(Token { hash, start, end, kind: Kind::Word, last: Last::Word(hash) });
        }
        if is_wanted
            && let Some((before, before_end)) = before
            && start - before_end <= PAIR_GAP
        {
            let (pair, last) = (both(before, hash), Last::Word(hash));
            self.tell(Token { hash: pair, start: before_end, end, kind: Kind::Pair, last });
        }
    }

    #[inline]
    fn tell(&mut self, token: Token) {
        if self.listener.wants(token.hash)
            && let Some(row) = self.listener.take(token)
            && let Some(count) = self.counts.result(token, row)
        {
            self.tell_count(&count);
        }
    }

    fn tell_count(&mut self, count: &Candidate) {
        if self.listener.wants(count.token.hash) && self.counts.is_one_phrase(count) {
            self.listener.take(count.token);
        }
    }

    /// Tells of the last two and the last three of these signs, which end here.
    fn tell_signs(&mut self, signs: Signs, end: usize) {
        if let Some(two) = signs.two() {
            let (hash, start, last) = (two.hash(), end - two.n_bytes(), Last::TwoSigns(two));
            self.tell(Token { hash, start, end, kind: Kind::TwoSigns, last });
        }
        if let Some(three) = signs.three() {
            let (hash, start, last) = (three.hash(), end - three.n_bytes(), Last::ThreeSigns(three));
            self.tell(Token { hash, start, end, kind: Kind::ThreeSigns, last });
        }
    }

    /// Letters, digits and `_`, narrow and wide, to the end of the word.
    #[inline]
    fn letters(&mut self, name: &mut Name) {
        // Most words end in the first eight bytes: these have code of their own, in which a new name is known to be empty.
        if self.eight_letters(name) {
            while self.eight_letters(name) {}
        }
    }

    /// The next letters, eight at most and the wide ones behind them; whether there may be more.
    #[expect(
        clippy::inline_always,
        reason = "a call for the first eight would not know that the name is empty"
    )]
    #[inline(always)]
    fn eight_letters(&mut self, name: &mut Name) -> bool {
        let eight = Eight::at(self.bytes, self.at);
        let n = eight.n_letters();
        name.push_first(n, eight);
        self.at += n;
        n == 8 || self.wide_letters(name)
    }

    /// Letters of more than one byte; whether there are any.
    #[inline]
    fn wide_letters(&mut self, name: &mut Name) -> bool {
        let start = self.at;
        while let Some(lead @ 0xc3..) = self.bytes.get(self.at).copied() {
            if is_letter_lead(lead) {
                name.push_wide(lead);
                name.push_wide(self.bytes.get(self.at + 1).copied().unwrap_or_default());
                self.at += 2;
            } else if let Some(narrow) = self.narrow() {
                name.push(narrow);
                self.at += 3;
            } else {
                break;
            }
        }
        self.at > start
    }

    /// Whether the word that began here is one of wide digits.
    #[inline]
    fn is_wide_figure(&self, start: usize) -> bool {
        let is_digit = |sign: &[u8]| matches!(sign, [0xef, 0xbc, 0x90..=0x99]);
        self.bytes.get(start..self.at).is_some_and(|word| word.chunks(3).all(is_digit))
    }

    /// Digits with what belongs to a figure, to its end; whether it is one, and not the beginning of a word.
    #[inline]
    fn figure(&mut self, name: &mut Name) -> bool {
        let (start, mut has_groups) = (self.at, false);
        loop {
            let eight = Eight::at(self.bytes, self.at);
            let n = eight.n_digits();
            name.push_first(n, eight);
            self.at += n;
            if n == 8 {
                continue;
            }
            match self.bytes.get(self.at).copied() {
                Some(b',' | b'_') if self.is_group(start, has_groups) => has_groups = true,
                Some(b'.') if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                    self.tell_part(name.hash(), start, self.at);
                    name.push(b'.');
                }
                // A unit may follow without a space.
                Some(byte) if Class::of(byte) == Class::Letter || self.narrow().is_some() => {
                    self.part(start, self.at, name.hash());
                    return false;
                }
                _ => return true,
            }
            self.at += 1;
        }
    }

    /// The figure that a word begins with; one of one digit tells nothing.
    #[inline]
    fn part(&mut self, start: usize, end: usize, hash: u64) {
        if end > start + 1 {
            self.tell_part(hash, start, end);
        }
    }

    #[inline]
    fn tell_part(&mut self, hash: u64, start: usize, end: usize) {
        self.tell(Token { hash, start, end, kind: Kind::Part, last: Last::Word(hash) });
    }

    /// Whether a group of three digits goes on with the figure: `1,234`, `1_234`.
    fn is_group(&self, start: usize, has_groups: bool) -> bool {
        let is_digit = |offset: usize| self.bytes.get(self.at + offset).is_some_and(u8::is_ascii_digit);
        (1..=3).all(is_digit) && !is_digit(4) && (self.at - start <= 3 || has_groups)
    }

    /// Whether this figure of one or two digits is a part of `07:18:54`: such figures stand everywhere and tell nothing.
    #[inline]
    fn is_of_time(&self, start: usize) -> bool {
        let is_digit = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_digit);
        let is_colon = |at: usize| self.bytes.get(at) == Some(&b':');
        self.at - start <= 2
            && ((is_colon(self.at) && is_digit(self.at + 1))
                || (start > 1 && is_colon(start - 1) && is_digit(start - 2)))
    }

    /// Characters of three or four bytes that belong to no word. A function of its own, as every sign comes by here: its
    /// loop has all registers.
    #[inline(never)]
    fn signs(&mut self) {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let (mut signs, mut is_end) = (Signs::default(), false);
        // First some signs are asked for, then those that are wanted are told of: two short loops.
        while !is_end {
            let mut n_wanted = 0;
            while let Some(wanted) = self.wanted.get_mut(n_wanted) {
                if let Some(sign) = common_sign(rest) {
                    signs.push(sign);
                    rest = rest.get(3..).unwrap_or_default();
                } else if let Some((sign, n_bytes)) = rare_sign(rest) {
                    rest = rest.get(n_bytes..).unwrap_or_default();
                    if sign == 0 {
                        signs = Signs::default();
                        continue;
                    }
                    signs.push(sign);
                } else {
                    is_end = true;
                    break;
                }
                *wanted = (signs, rest.len());
                n_wanted += usize::from(self.listener.wants_end(signs.hash_of_end()));
            }
            for index in 0..n_wanted {
                if let Some((signs, n_behind)) = self.wanted.get(index).copied() {
                    self.tell_signs(signs, self.bytes.len() - n_behind);
                }
            }
        }
        self.at = self.bytes.len() - rest.len();
        // One sign is as near as a word may be; one and punctuation are too far already.
        if !signs.is_empty() {
            self.before = None;
        }
    }

    /// The digit or letter whose wide form stands here.
    #[inline]
    fn narrow(&self) -> Option<u8> {
        narrow(self.bytes.get(self.at..)?)
    }
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
const fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
pub(super) mod tests;
