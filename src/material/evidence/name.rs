//! The hash of a word, made eight bytes at a time: every character of a long turn comes by here.
//!
//! Letters are small and narrow in it, so that words are equal however they are written.

/// Whether a byte is of a word: an ASCII letter in small or in capitals, a digit, `_`.
#[inline]
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The hash of two tokens as one.
#[inline]
pub(super) fn both(first: u64, second: u64) -> u64 {
    mixed(first.rotate_left(23).wrapping_add(second))
}

/// Another number for each number, whose low bits hang on all of its bits (multiplication by the golden section: Knuth).
#[inline]
pub(super) const fn mixed(value: u64) -> u64 {
    value.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(16)
}

/// The low half of a hash, which is enough for a gate.
#[inline]
pub(super) fn half(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).unwrap_or_default()
}

/// Eight bytes of a text as one number, the first one lowest: a word is told from what is round it without a look at each
/// of its bytes. What belongs to no text is 0.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

/// Of each of eight bytes the highest bit, the lowest bit, the rest.
const HIGH: u64 = 0x8080_8080_8080_8080;
const ONES: u64 = HIGH >> 7;
const LOW: u64 = !HIGH;
/// What makes small letters of capitals and leaves digits alone; `_` becomes a byte that nothing else becomes.
const SMALL: u64 = ONES * 0x20;

impl Eight {
    #[inline]
    pub(super) fn at(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        let eight = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut eight = [0; 8];
            eight.iter_mut().zip(rest).for_each(|(into, byte)| *into = *byte);
            eight
        });
        Eight(u64::from_le_bytes(eight))
    }

    /// The highest bit of each byte that lies between these two, where none of `bytes` is above 127.
    #[inline]
    const fn between(bytes: u64, first: u8, last: u8) -> u64 {
        (bytes + ONES * (0x80 - first as u64)) & !(bytes + ONES * (0x7f - last as u64)) & HIGH
    }

    /// The highest bit of each byte for which [`is_letter`] holds.
    #[inline]
    fn letters(self) -> u64 {
        let bytes = self.0 & LOW;
        let letters = Self::between(bytes | SMALL, b'a', b'z') | Self::between(bytes, b'_', b'_');
        (letters | Self::between(bytes, b'0', b'9')) & !self.0
    }

    /// How many bytes come before the first with a bit in this.
    #[inline]
    fn before(bits: u64) -> usize {
        // At most 64 / 8.
        usize::try_from(bits.trailing_zeros() / 8).unwrap_or_default()
    }

    /// How many letters it begins with.
    #[inline]
    pub(super) fn n_letters(self) -> usize {
        Self::before(!self.letters() & HIGH)
    }

    /// How many digits it begins with.
    #[inline]
    pub(super) fn n_digits(self) -> usize {
        Self::before((!Self::between(self.0 & LOW, b'0', b'9') | self.0) & HIGH)
    }

    /// The first of them alone, as they are in a [`Name`].
    #[inline]
    pub(super) fn first(self, n: usize) -> u64 {
        let all = self.0 | SMALL;
        if n < 8 { all & !(u64::MAX << (n * 8)) } else { all }
    }
}

/// The hash of a word in the making, eight bytes at a time; letters are small and narrow in it.
#[derive(Default)]
pub(super) struct Name {
    hash: u64,
    /// Bytes behind the last eight, and how many.
    open: u64,
    n_open: usize,
}

impl Name {
    /// One ASCII byte more.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.push_wide(byte | 0x20);
    }

    /// One byte more of a letter that has several.
    #[inline]
    pub(super) fn push_wide(&mut self, byte: u8) {
        self.open |= u64::from(byte) << (self.n_open * 8);
        self.n_open += 1;
        if self.n_open == 8 {
            *self = Name { hash: self.hash(), open: 0, n_open: 0 };
        }
    }

    /// Whether its bytes so far are whole eights.
    #[inline]
    pub(super) fn is_even(&self) -> bool {
        self.n_open == 0
    }

    /// So many bytes more, where [`Name::is_even`].
    #[inline]
    pub(super) fn push_first(&mut self, n: usize, eight: Eight) {
        self.open = eight.first(n);
        self.n_open = n;
        if n == 8 {
            *self = Name { hash: self.hash(), open: 0, n_open: 0 };
        }
    }

    #[inline]
    pub(super) fn hash(&self) -> u64 {
        mixed(self.hash ^ self.open)
    }
}
