//! A text as tokens: words, figures, two words side by side, two or three signs of a script without spaces.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`. It goes by bytes, and tells only what somebody wants to know of:
//! every character of a long turn comes by here.

use std::ops::Range;

use super::counts::{Count, Counts};
use super::name::{Eight, Name, both, is_letter, mixed};

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
    TwoSigns(u64),
    /// Three signs, of the first of which a part counts.
    ThreeSigns(u64),
}

impl Last {
    /// A token that ends with this comes where a listener wants one of these.
    pub(super) fn hashes(self) -> impl Iterator<Item = u64> {
        let n_before = if matches!(self, Last::TwoSigns(_)) { 1 << BITS_BEFORE } else { 1 };
        (0..n_before).map(move |before: u64| match self {
            Last::Word(hash) => hash,
            Last::TwoSigns(signs) | Last::ThreeSigns(signs) => hash_of_last(signs + (before << (2 * SIGN))),
        })
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

    /// Whether it may want to know of two signs with this hash.
    fn wants_two_signs(&self, hash: u64) -> bool {
        self.wants(hash)
    }

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
        wanted: [(0, 0); RUN],
    };
    while let Some(first) = walker.bytes.get(walker.at).copied() {
        let class = Class::of(first);
        if class == Class::Sign && !(first == 0xef && narrow(walker.bytes, walker.at).is_some()) {
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
    wanted: [(u64, usize); RUN],
}

/// How many signs are asked for before the wanted ones are told of.
const RUN: usize = 16;

/// Signs are numbers of so many bits: of one of three bytes those that are not the same in all of them, of one of four bytes
/// one bit more.
const SIGN: u32 = 21;
const WIDE_BITS: u64 = WIDER - 1;
const WIDER: u64 = 1 << (SIGN - 1);
const WIDEST: u64 = (1 << SIGN) - 1;
/// What is added to a character of four bytes, the first of which is U+10000 and the last U+10FFFF.
const WIDER_FROM: u64 = WIDER - 0x1_0000;
/// Nearly all signs: behind the Chinese punctuation and before the wide forms of other characters.
const COMMON_SIGNS: Range<u64> = 0xe3_8100..0xef_b800;
/// Two signs and three of them as one number; the same with some bits only of the first; and what keeps it apart from a
/// word.
const TWO: u64 = (1 << (2 * SIGN)) - 1;
const THREE: u64 = (1 << (3 * SIGN)) - 1;
const BITS_BEFORE: u32 = 4;
const LAST_BITS: u32 = 2 * SIGN + BITS_BEFORE;
const LAST: u64 = (1 << LAST_BITS) - 1;
const SIGNS: u64 = 1 << 63;

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
        if self.listener.wants(token.hash) {
            self.give(token);
        }
    }

    /// Gives a token that is wanted.
    #[inline]
    fn give(&mut self, token: Token) {
        if let Some(row) = self.listener.take(token)
            && let Some(count) = self.counts.result(token, row)
        {
            self.tell_count(&count);
        }
    }

    fn tell_count(&mut self, count: &Count) {
        if self.listener.wants(count.token.hash) && self.counts.is_one_phrase(count) {
            self.listener.take(count.token);
        }
    }

    /// Tells of the last two and the last three of these signs, which end here.
    fn tell_signs(&mut self, signs: u64, end: usize) {
        let [first, second, third] = [signs >> (2 * SIGN) & WIDEST, signs >> SIGN & WIDEST, signs & WIDEST];
        if second == 0 {
            return;
        }
        let n_bytes = |sign: u64| if sign < WIDER { 3 } else { 4 };
        let start = end - n_bytes(second) - n_bytes(third);
        let hash = hash_of_signs(signs & TWO);
        if self.listener.wants_two_signs(hash) {
            self.give(Token { hash, start, end, kind: Kind::TwoSigns, last: Last::TwoSigns(signs & TWO) });
        }
        let hash = hash_of_signs(signs & THREE);
        if first > 0 && self.listener.wants(hash) {
            let (start, last) = (start - n_bytes(first), Last::ThreeSigns(signs & LAST));
            self.give(Token { hash, start, end, kind: Kind::ThreeSigns, last });
        }
    }

    /// Letters, digits and `_`, narrow and wide, to the end of the word.
    #[inline]
    fn letters(&mut self, name: &mut Name) {
        // Most words end in the first eight bytes.
        if self.eight_letters(name) {
            while self.eight_letters(name) {}
        }
    }

    /// The next letters, eight at most and the wide ones behind them; whether there may be more.
    #[expect(clippy::inline_always, reason = "the first eight of a word are told in half the steps")]
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
            } else if let Some(narrow) = narrow(self.bytes, self.at) {
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
                Some(byte)
                    if is_letter(byte)
                        || is_letter_lead(byte)
                        || (byte == 0xef && narrow(self.bytes, self.at).is_some()) =>
                {
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
        let (mut signs, mut is_end) = (0, false);
        // First some signs are asked for, then those that are wanted are told of: two short loops.
        while !is_end {
            let mut n_wanted = 0;
            while let Some(wanted) = self.wanted.get_mut(n_wanted) {
                let sign = if let Some(value) = first_three(rest)
                    && COMMON_SIGNS.contains(&value)
                {
                    rest = rest.get(3..).unwrap_or_default();
                    value & WIDE_BITS
                } else {
                    let rare = rest.first().filter(|first| Class::of(**first) == Class::Sign);
                    let Some((sign, n_bytes)) = rare.and_then(|_| rare_sign(rest)) else {
                        is_end = true;
                        break;
                    };
                    rest = rest.get(n_bytes..).unwrap_or_default();
                    if sign == 0 {
                        signs = 0;
                        continue;
                    }
                    sign
                };
                signs = (signs << SIGN) + sign;
                *wanted = (signs, rest.len());
                n_wanted += usize::from(self.listener.wants_end(hash_of_last(signs)));
            }
            for index in 0..n_wanted {
                if let Some((signs, n_behind)) = self.wanted.get(index).copied() {
                    self.tell_signs(signs, self.bytes.len() - n_behind);
                }
            }
        }
        self.at = self.bytes.len() - rest.len();
        // One sign is as near as a word may be; one and punctuation are too far already.
        if signs > 0 {
            self.before = None;
        }
    }
}

/// The first three of at least four bytes as a number, the first one highest.
#[inline]
fn first_three(rest: &[u8]) -> Option<u64> {
    rest.first_chunk().map(|four| u64::from(u32::from_be_bytes(*four) >> 8))
}

/// The sign that stands here and how many bytes it has; 0 for punctuation and symbols, and nothing where a word begins.
#[inline(never)]
fn rare_sign(rest: &[u8]) -> Option<(u64, usize)> {
    let [first, second, third] = *rest.first_chunk()?;
    let value = u64::from(u32::from_be_bytes([0, first, second, third]));
    match value {
        0xf0_0000.. => {
            let sign = rest.get(..4).and_then(|sign| std::str::from_utf8(sign).ok()?.chars().next());
            Some((sign.map_or(0, |sign| u64::from(sign) + WIDER_FROM), 4))
        }
        0xef_b800.. if narrow(rest, 0).is_some() => None,
        // Punctuation and symbols; the signs of Chinese punctuation; wide forms of signs.
        0xe2_0000..0xe3_8100 | 0xef_b800.. => Some((0, 3)),
        _ => Some((value & WIDE_BITS, 3)),
    }
}

/// The digit or letter whose wide form stands here: U+FF10-19, FF21-3A, FF41-5A.
#[inline]
fn narrow(bytes: &[u8], at: usize) -> Option<u8> {
    match bytes.get(at..)? {
        [0xef, 0xbc, third @ 0x90..=0x99, ..] => Some(third - 0x90 + b'0'),
        [0xef, 0xbc, third @ 0xa1..=0xba, ..] => Some(third - 0xa1 + b'a'),
        [0xef, 0xbd, third @ 0x81..=0x9a, ..] => Some(third - 0x81 + b'a'),
        _ => None,
    }
}

/// The hash of two or three signs, made of them as one number.
#[inline]
fn hash_of_signs(signs: u64) -> u64 {
    mixed(signs.wrapping_add(SIGNS))
}

/// The hash of the last two signs and a part of the one before, whatever else there is before them.
#[inline]
fn hash_of_last(signs: u64) -> u64 {
    mixed(signs << (u64::BITS - LAST_BITS))
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
const fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
pub(super) mod tests;
