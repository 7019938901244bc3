//! Words and figures as they stand in a text, by bytes: how far they go, and what their hash is.

use super::name::{Eight, Name, is_letter};
use super::signs::narrow;

/// What a character is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
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
    pub(super) fn of(first: u8) -> Self {
        Self::ALL.get(usize::from(first)).copied().unwrap_or(Class::Gap)
    }
}

/// A word or a figure.
pub(super) struct Word {
    pub(super) hash: u64,
    /// The byte behind it.
    pub(super) end: usize,
    pub(super) is_figure: bool,
}

/// The word of narrow letters, or the figure of some digits alone, that begins here, and the byte behind it: nearly all are
/// such.
#[expect(clippy::inline_always, reason = "a call for each word would cost as much as all the rest of it")]
#[inline(always)]
pub(super) fn narrow_word(bytes: &[u8], first: u8, start: usize) -> Option<(Word, u8)> {
    let eight = Eight::at(bytes, start);
    let mut letters = eight.letters();
    let (mut hash, mut end) = (letters.hash_behind(0), start + letters.n);
    let is_figure = first.is_ascii_digit();
    if is_figure && (matches!(letters.next, b',' | b'.') || letters.n == 8 || eight.digits().n != letters.n) {
        return None;
    }
    while letters.n == 8 {
        letters = Eight::at(bytes, end).letters();
        hash = letters.hash_behind(hash);
        end += letters.n;
    }
    let goes_on =
        letters.next >= 0xc3 && (letters.next < 0xe0 || (letters.next == 0xef && is_wide(bytes, end)));
    (!goes_on).then_some((Word { hash, end, is_figure }, letters.next))
}

/// The word that begins here, however long it is and whatever it is made of. `part` takes the hash and the end of each
/// figure that stands at the beginning of a longer one or before its unit.
#[inline]
pub(super) fn any(bytes: &[u8], first: u8, start: usize, part: impl FnMut(u64, usize)) -> Word {
    let mut name = Name::default();
    let (mut end, mut is_figure) = (start, false);
    if first.is_ascii_digit() {
        (end, is_figure) = figure(bytes, start, &mut name, part);
    }
    if !is_figure {
        end = letters(bytes, end, &mut name);
        is_figure = first == 0xef && bytes.get(start..end).is_some_and(is_wide_figure);
    }
    Word { hash: name.hash(), end, is_figure }
}

/// Letters, digits and `_`, narrow and wide; gives the end of the word.
#[inline]
fn letters(bytes: &[u8], mut at: usize, name: &mut Name) -> usize {
    loop {
        let letters = Eight::at(bytes, at).letters();
        name.push_part(letters);
        at += letters.n;
        if letters.n < 8 {
            let end = wide_letters(bytes, at, name);
            if end == at {
                return end;
            }
            at = end;
        }
    }
}

/// Letters of more than one byte; gives their end.
#[inline]
fn wide_letters(bytes: &[u8], mut at: usize, name: &mut Name) -> usize {
    while let Some(lead @ 0xc3..) = bytes.get(at).copied() {
        if is_letter_lead(lead) {
            name.push_wide(lead);
            name.push_wide(bytes.get(at + 1).copied().unwrap_or_default());
            at += 2;
        } else if let Some(narrow) = bytes.get(at..).and_then(narrow) {
            name.push(narrow);
            at += 3;
        } else {
            break;
        }
    }
    at
}

/// Digits with what belongs to a figure; gives their end, and whether they are one and not the beginning of a word.
#[inline]
fn figure(bytes: &[u8], start: usize, name: &mut Name, mut part: impl FnMut(u64, usize)) -> (usize, bool) {
    let (mut at, mut has_groups) = (start, false);
    loop {
        let digits = Eight::at(bytes, at).digits();
        name.push_part(digits);
        at += digits.n;
        if digits.n == 8 {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first().copied() {
            Some(b',' | b'_') if is_group(rest, at - start, has_groups) => has_groups = true,
            Some(b'.') if rest.get(1).is_some_and(u8::is_ascii_digit) => {
                part(name.hash(), at);
                name.push(b'.');
            }
            // A unit may follow without a space. A figure of one digit tells nothing.
            Some(byte) if Class::of(byte) == Class::Letter || narrow(rest).is_some() => {
                if at > start + 1 {
                    part(name.hash(), at);
                }
                return (at, false);
            }
            _ => return (at, true),
        }
        at += 1;
    }
}

/// Whether a group of three digits goes on with a figure of so many bytes: `1,234`, `1_234`. Its sign stands first here.
fn is_group(rest: &[u8], n_bytes: usize, has_groups: bool) -> bool {
    let is_digit = |offset: usize| rest.get(offset).is_some_and(u8::is_ascii_digit);
    (1..=3).all(is_digit) && !is_digit(4) && (n_bytes <= 3 || has_groups)
}

/// Whether this word is one of wide digits.
fn is_wide_figure(word: &[u8]) -> bool {
    word.chunks(3).all(|sign| matches!(sign, [0xef, 0xbc, 0x90..=0x99]))
}

/// Whether the wide form of a digit or letter stands here.
#[inline]
pub(super) fn is_wide(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..).is_some_and(|rest| narrow(rest).is_some())
}

/// Whether this figure of one or two digits is a part of `07:18:54`: such figures stand everywhere and tell nothing.
#[inline]
pub(super) fn is_of_time(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_colon = |at: usize| bytes.get(at) == Some(&b':');
    end - start <= 2
        && ((is_colon(end) && is_digit(end + 1)) || (start > 1 && is_colon(start - 1) && is_digit(start - 2)))
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
const fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}
