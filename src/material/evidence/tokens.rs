//! A text as tokens: words, figures, two words side by side, two or three signs of a script without spaces.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`. It goes by bytes, and tells only what somebody wants to know of:
//! every character of a long turn comes by here.

use super::counts::Counts;
use super::name::{Eight, Name, both, half, is_letter, mixed};

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
    /// The low half of the hash of what it ends with: its last word, its last two signs.
    pub(super) last: u32,
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
    /// Whether it may want to know of tokens that end with this word or these two signs. Nearly all text gets this one
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
    let mut walker =
        Walker { text, bytes: text.as_bytes(), at: 0, listener, before: None, counts: Counts::of(text) };
    while let Some(first) = walker.bytes.get(walker.at).copied() {
        if first >= 0xe0 && !(first == 0xef && walker.narrow(walker.at).is_some()) {
            walker.signs();
        } else if is_letter(first) || is_letter_lead(first) || first == 0xef {
            walker.word(first);
        } else {
            if first == b'\n' {
                walker.before = None;
            }
            walker.at += 1;
        }
    }
}

struct Walker<'a, L> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    listener: &'a mut L,
    /// Hash and end of the word before, on the same line.
    before: Option<(u64, usize)>,
    counts: Counts<'a>,
}

/// Signs are numbers of so many bits: of one of three bytes those that are not the same in all of them, of one of four bytes
/// one bit more.
const SIGN: u32 = 21;
const WIDE_BITS: u64 = WIDER - 1;
const WIDER: u64 = 1 << (SIGN - 1);
const WIDEST: u64 = (1 << SIGN) - 1;
/// What is added to a character of four bytes, the first of which is U+10000 and the last U+10FFFF.
const WIDER_FROM: u64 = WIDER - 0x1_0000;
/// Two signs and three of them as one number; and what keeps it apart from a word.
const TWO: u64 = (1 << (2 * SIGN)) - 1;
const THREE: u64 = (1 << (3 * SIGN)) - 1;
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
            let figure = Token { hash, start, end, kind: Kind::Figure, last: half(hash) };
            if is_wanted {
                self.tell(figure);
            }
            if let Some(count) = self.counts.figure(figure) {
                self.tell(count);
            }
        } else if !is_figure && is_wanted {
            self.tell(Token { hash, start, end, kind: Kind::Word, last: half(hash) });
        }
        if is_wanted
            && let Some((before, before_end)) = before
            && start - before_end <= PAIR_GAP
        {
            let pair = both(before, hash);
            self.tell(Token { hash: pair, start: before_end, end, kind: Kind::Pair, last: half(hash) });
        }
    }

    #[inline]
    fn tell(&mut self, token: Token) {
        if self.listener.wants(token.hash)
            && let Some(row) = self.listener.take(token)
            && let Some(count) = self.counts.result(token, row)
            && self.listener.wants(count.hash)
        {
            self.listener.take(count);
        }
    }

    /// Tells of the last two and the last three of these signs, which end here.
    fn tell_signs(&mut self, signs: u64, end: usize) {
        let n_bytes = |sign: u64| if sign < WIDER { 3 } else { 4 };
        let [first, second, third] = [signs >> (2 * SIGN), (signs & TWO) >> SIGN, signs & WIDEST];
        if second == 0 {
            return;
        }
        let start = end - n_bytes(second) - n_bytes(third);
        let two = hash_of_signs(signs & TWO);
        self.tell(Token { hash: two, start, end, kind: Kind::TwoSigns, last: half(two) });
        if first > 0 {
            let start = start - n_bytes(first);
            let three = hash_of_signs(signs);
            self.tell(Token { hash: three, start, end, kind: Kind::ThreeSigns, last: half(two) });
        }
    }

    /// Letters, digits and `_`, narrow and wide, to the end of the word.
    #[inline]
    fn letters(&mut self, name: &mut Name) {
        loop {
            let eight = Eight::at(self.bytes, self.at);
            let n = eight.n_letters();
            name.push_first(n, eight);
            self.at += n;
            if n < 8 && !self.wide_letters(name) {
                return;
            }
        }
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
            } else if let Some(narrow) = self.narrow(self.at) {
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
                        || (byte == 0xef && self.narrow(self.at).is_some()) =>
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
        self.tell(Token { hash, start, end, kind: Kind::Part, last: half(hash) });
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

    /// Characters of three or four bytes that belong to no word.
    #[inline]
    fn signs(&mut self) {
        let (mut at, mut signs, mut is_any) = (self.at, 0, false);
        while let Some(value) = self.wide(at) {
            let sign = match value {
                0..0xe0_0000 => break,
                0xf0_0000.. => {
                    let sign = self.text.get(at..at + 4).and_then(|text| text.chars().next());
                    at += 1;
                    sign.map_or(0, |sign| u64::from(sign) + WIDER_FROM)
                }
                0xef_b800.. if self.narrow(at).is_some() => break,
                // Punctuation and symbols; the signs of Chinese punctuation; wide forms of signs.
                0xe2_0000..0xe3_0000 | 0xe3_8000..0xe3_8100 | 0xef_b800.. => 0,
                _ => value & WIDE_BITS,
            };
            at += 3;
            if sign == 0 {
                signs = 0;
                continue;
            }
            is_any = true;
            signs = ((signs << SIGN) + sign) & THREE;
            if self.listener.wants_end(hash_of_signs(signs & TWO)) {
                self.tell_signs(signs, at);
            }
        }
        self.at = at;
        if is_any {
            self.before = None;
        }
    }

    /// The next three bytes as a number, the first one highest.
    #[inline]
    fn wide(&self, at: usize) -> Option<u64> {
        let rest = self.bytes.get(at..)?;
        if let Some(four) = rest.first_chunk() {
            return Some(u64::from(u32::from_be_bytes(*four) >> 8));
        }
        let [first, second, third] = rest.first_chunk()?;
        Some(u64::from(u32::from_be_bytes([0, *first, *second, *third])))
    }

    /// The digit or letter whose wide form stands here: U+FF10-19, FF21-3A, FF41-5A.
    #[inline]
    fn narrow(&self, at: usize) -> Option<u8> {
        match self.bytes.get(at..)? {
            [0xef, 0xbc, third @ 0x90..=0x99, ..] => Some(third - 0x90 + b'0'),
            [0xef, 0xbc, third @ 0xa1..=0xba, ..] => Some(third - 0xa1 + b'a'),
            [0xef, 0xbd, third @ 0x81..=0x9a, ..] => Some(third - 0x81 + b'a'),
            _ => None,
        }
    }
}

/// The hash of two or three signs, made of them as one number.
#[inline]
fn hash_of_signs(signs: u64) -> u64 {
    mixed(signs.wrapping_add(SIGNS))
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
pub(super) mod tests;
