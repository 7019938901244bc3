//! The hash of a word, made eight bytes at a time: every character of a long turn comes by here.
//!
//! Letters are small and narrow in it, so that words are equal however they are written.

/// Whether a byte is of a word: an ASCII letter in small or in capitals, a digit, `_`.
#[inline]
pub(super) const fn is_letter(byte: u8) -> bool {
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
        let eight = bytes.get(at..).and_then(|rest| rest.first_chunk().copied());
        Eight(u64::from_le_bytes(eight.unwrap_or_else(|| Self::at_end(bytes, at))))
    }

    #[cold]
    fn at_end(bytes: &[u8], at: usize) -> [u8; 8] {
        let mut eight = [0; 8];
        eight.iter_mut().zip(bytes.get(at..).unwrap_or_default()).for_each(|(into, byte)| *into = *byte);
        eight
    }

    /// The highest bit of each byte that lies between these two, where none of `bytes` is above 127.
    #[inline]
    const fn between(bytes: u64, first: u8, last: u8) -> u64 {
        (bytes + ONES * (0x80 - first as u64)) & !(bytes + ONES * (0x7f - last as u64)) & HIGH
    }

    /// The highest bit of each byte for which [`is_letter`] holds.
    #[inline]
    fn marked_letters(self) -> u64 {
        let bytes = self.0 & LOW;
        let letters = Self::between(bytes | SMALL, b'a', b'z') + Self::between(bytes, b'_', b'_');
        (letters + Self::between(bytes, b'0', b'9')) & !self.0
    }

    /// The letters that it begins with.
    #[inline]
    pub(super) fn letters(self) -> Part {
        self.before(!self.marked_letters() & HIGH)
    }

    /// The digits that it begins with.
    #[inline]
    pub(super) fn digits(self) -> Part {
        self.before((!Self::between(self.0 & LOW, b'0', b'9') | self.0) & HIGH)
    }

    /// What comes before the first byte with a bit in this, which holds none but highest bits.
    #[inline]
    fn before(self, ends: u64) -> Part {
        // All bits below the lowest one; where there is none, all.
        let ones = ends >> 7;
        let bytes = (self.0 | SMALL) & ones.wrapping_sub(1) & !ones;
        // At most 64 / 8.
        let n = usize::try_from(ends.trailing_zeros() / 8).unwrap_or_default();
        let behind = self.0.checked_shr(ends.trailing_zeros() & !7).unwrap_or_default();
        let [next, ..] = behind.to_le_bytes();
        Part { n, bytes, next }
    }
}

/// The first bytes of eight.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// How many they are.
    pub(super) n: usize,
    /// They alone, as they are in a [`Name`].
    bytes: u64,
    /// The byte behind them; 0 where they are all eight.
    pub(super) next: u8,
}

impl Part {
    /// The hash of a word that ends with them, or goes on where they are eight. `hash` is that of what stands before them in
    /// it, 0 where nothing does.
    #[inline]
    pub(super) fn hash_behind(self, hash: u64) -> u64 {
        mixed(hash ^ self.bytes)
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
        self.push_all(1, byte.into());
    }

    /// These bytes more.
    #[inline]
    pub(super) fn push_part(&mut self, part: Part) {
        self.push_all(part.n, part.bytes);
    }

    /// So many bytes more, at most eight; the rest of them is 0.
    #[inline]
    fn push_all(&mut self, n: usize, bytes: u64) {
        let n_bits = self.n_open * 8;
        self.open += bytes << n_bits;
        self.n_open += n;
        if self.n_open >= 8 {
            // In two steps, as all 64 bits may be gone.
            *self = Name { hash: self.hash(), open: bytes >> 8 >> (56 - n_bits), n_open: self.n_open - 8 };
        }
    }

    #[inline]
    pub(super) fn hash(&self) -> u64 {
        mixed(self.hash ^ self.open)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const DIGITS: &[u8] = b"0123456789";

    /// The hash of a word whose bytes come one by one.
    fn one_by_one(word: &[u8]) -> u64 {
        let mut name = Name::default();
        for byte in word {
            name.push(*byte);
        }
        name.hash()
    }

    #[test]
    fn eight_bytes_at_once_are_told_as_each_of_them_is() {
        let n_first = |bytes: &[u8], of: &[u8]| bytes.iter().take_while(|byte| of.contains(byte)).count();
        for byte in 0..=u8::MAX {
            assert_eq!(is_letter(byte), LETTERS.contains(&byte), "{byte}");
            for (around, at) in
                [b'a', b'7', b'Z'].into_iter().flat_map(|around| (0..8).map(move |at| (around, at)))
            {
                let mut bytes = [around; 8];
                bytes[at] = byte;
                let eight = Eight::at(&bytes, 0);
                for (part, of) in [(eight.letters(), LETTERS), (eight.digits(), DIGITS)] {
                    let n = n_first(&bytes, of);
                    let next = bytes.get(n).copied().unwrap_or_default();
                    assert_eq!((part.n, part.next), (n, next), "{bytes:?}");
                }
            }
        }
        // What is behind the end of a text belongs to nothing.
        let n_letters = |at| Eight::at(b"123 abcde", at).letters().n;
        assert_eq!([0, 1, 3, 4, 5, 8, 9, 20].map(n_letters), [3, 2, 0, 5, 4, 1, 0, 0]);
    }

    #[test]
    fn a_word_has_one_hash_in_whatever_pieces_it_comes() {
        let word = b"Parse_ORDER_items_4417_of_all";
        for (start, n) in (0..word.len()).flat_map(|start| (1..=8).map(move |n| (start, n))) {
            let (first, rest) = word.split_at(start);
            let mut name = Name::default();
            for byte in first {
                name.push(*byte);
            }
            for (piece, end) in rest.chunks(n).zip((start + n..).step_by(n)) {
                name.push_part(Eight::at(piece, 0).letters());
                assert_eq!(name.hash(), one_by_one(&word[..end.min(word.len())]), "{start} {end} {n}");
            }
        }
        // What stands behind the first of eight bytes is not in it.
        let mut name = Name::default();
        name.push_part(Eight::at(b"abc-efgh", 0).letters());
        assert_eq!(name.hash(), one_by_one(b"ABC"));
    }

    #[test]
    fn other_words_have_other_hashes() {
        let mut words: BTreeSet<Vec<u8>> = BTreeSet::new();
        for before in ["", "ab", "abcdefg", "abcdefgh", "abcdefghijk", "abcdefghijklmnop"] {
            for first in b"abcdefghijklmnopqrstuvwxyz0123456789_." {
                words.insert([before.as_bytes(), &[*first]].concat());
                words.insert([&[*first], before.as_bytes()].concat());
                words.extend((1..18).map(|n| [before.as_bytes(), &vec![*first; n]].concat()));
            }
        }
        let hashes: BTreeSet<u64> = words.iter().map(|word| one_by_one(word)).collect();
        assert_eq!(hashes.len(), words.len());
        let some: Vec<u64> = hashes.iter().copied().take(60).collect();
        let pairs = some.iter().flat_map(|one| some.iter().map(|other| both(*one, *other)));
        assert_eq!(pairs.collect::<BTreeSet<u64>>().len(), 60 * 60);
    }
}
