//! Signs of a script without spaces, the last ones of a run as one number: two or three of them are a token.
//!
//! A sign is a number of [`BITS`] bits: of a character of three bytes those that are not the same in all of them, of one of
//! four bytes one bit more.

use std::ops::Range;

use super::name::mixed;

const BITS: u32 = 21;
const ONE: u64 = (1 << BITS) - 1;
const TWO: u64 = (1 << (2 * BITS)) - 1;
const THREE: u64 = (1 << (3 * BITS)) - 1;

/// The first number of a sign of four bytes, and what makes it of U+10000, the first such character.
const FIRST_WIDER: u64 = 1 << (BITS - 1);
const WIDER: u64 = FIRST_WIDER - 0x1_0000;

/// How many bits of the sign before two others count where it is asked for what a token ends with.
const BITS_BEFORE: u32 = 4;

/// Nearly all signs, by their three bytes: behind the Chinese punctuation and before the wide forms of other characters.
const COMMON: Range<u64> = 0xe3_8100..0xef_b800;

/// The last signs of a run, the newest one lowest; of those before the last three nothing counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Signs(u64);

impl Signs {
    #[inline]
    pub(super) fn push(&mut self, sign: u64) {
        self.0 = (self.0 << BITS) + sign;
    }

    /// Of these bytes of three signs of three bytes.
    #[inline]
    pub(super) fn of_bytes(first: u64, second: u64, third: u64) -> Self {
        Signs((number(first) << (2 * BITS)) + (number(second) << BITS) + number(third))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The last two alone, where there are two.
    #[inline]
    pub(super) fn two(self) -> Option<Signs> {
        self.at_least(2, TWO)
    }

    /// The last three alone, where there are three.
    #[inline]
    pub(super) fn three(self) -> Option<Signs> {
        self.at_least(3, THREE)
    }

    #[inline]
    fn at_least(self, n: u32, mask: u64) -> Option<Signs> {
        (self.sign(n) > 0).then_some(Signs(self.0 & mask))
    }

    /// The sign that is so many before the end, from 1; 0 where there is none.
    #[inline]
    fn sign(self, n: u32) -> u64 {
        (self.0 >> ((n - 1) * BITS)) & ONE
    }

    /// Bytes of the last three.
    #[inline]
    pub(super) fn n_bytes(self) -> usize {
        (1..=3)
            .map(|n| match self.sign(n) {
                0 => 0,
                1..FIRST_WIDER => 3,
                FIRST_WIDER.. => 4,
            })
            .sum()
    }

    /// The hash of the token that they are, which no word has.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        mixed(self.0.wrapping_add(1 << 63))
    }

    /// The hash of the last two and a part of the one before, whatever else there is before them: of signs of three bytes
    /// that of [`hash_of_last`].
    pub(super) fn hash_of_end(self) -> u64 {
        let [last, second, third] = [1, 2, 3].map(|n| self.sign(n));
        hash_of_last((third << 48) + ((second + SIGN_BYTES) << 24) + last + SIGN_BYTES)
    }

    /// That of two signs behind each other one.
    pub(super) fn hashes_of_end_behind_any(self) -> impl Iterator<Item = u64> {
        (0..1 << BITS_BEFORE).map(move |before| Signs(self.0 + (before << (2 * BITS))).hash_of_end())
    }
}

/// What the number of a sign of three bytes lacks of them.
const SIGN_BYTES: u64 = 0xe0_0000;

/// The number of a sign of these three bytes.
#[inline]
pub(super) fn number(bytes: u64) -> u64 {
    bytes & (FIRST_WIDER - 1)
}

/// The hash of the signs of three bytes that eight bytes end with: two of them, and a part of the byte before.
#[inline]
pub(super) fn hash_of_last(eight: u64) -> u64 {
    mixed(eight << (u64::BITS - 48 - BITS_BEFORE))
}

/// The three bytes here, as a number.
#[inline]
pub(super) fn three_bytes(rest: &[u8]) -> Option<u64> {
    let [first, second, third] = *rest.first_chunk()?;
    Some(u32::from_be_bytes([0, first, second, third]).into())
}

/// Whether these three bytes are one of nearly all signs.
#[inline]
pub(super) fn is_common(bytes: u64) -> bool {
    COMMON.contains(&bytes)
}

/// Whether punctuation or a symbol of three bytes stands here.
#[inline]
pub(super) fn is_mark(rest: &[u8]) -> bool {
    match three_bytes(rest) {
        // Punctuation and symbols; the signs of Chinese punctuation.
        Some(0xe2_0000..0xe3_8100) => true,
        // Wide forms of signs.
        Some(0xef_b800..0xf0_0000) => narrow(rest).is_none(),
        _ => false,
    }
}

/// The sign that stands here, which is no common one and no mark, and how many bytes it has.
#[inline(never)]
pub(super) fn rare_sign(rest: &[u8]) -> Option<(u64, usize)> {
    match three_bytes(rest)? {
        0..0xe0_0000 | 0xef_b800..0xf0_0000 => None,
        0xf0_0000.. => {
            let sign = rest.get(..4).and_then(|sign| std::str::from_utf8(sign).ok()?.chars().next());
            Some((sign.map_or(0, |sign| u64::from(sign) + WIDER), 4))
        }
        bytes => Some((number(bytes), 3)),
    }
}

/// The digit or letter whose wide form stands here: U+FF10-19, FF21-3A, FF41-5A.
#[inline]
pub(super) fn narrow(rest: &[u8]) -> Option<u8> {
    match rest {
        [0xef, 0xbc, third @ 0x90..=0x99, ..] => Some(third - 0x90 + b'0'),
        [0xef, 0xbc, third @ 0xa1..=0xba, ..] => Some(third - 0xa1 + b'a'),
        [0xef, 0xbd, third @ 0x81..=0x9a, ..] => Some(third - 0x81 + b'a'),
        _ => None,
    }
}
