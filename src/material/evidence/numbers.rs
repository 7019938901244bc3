//! The numbers of hashes, in the order in which they were met: small, so that many lie close together.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A number of a hash.
pub(super) type Number = u16;

/// The hashes by their numbers, and their numbers.
pub(super) struct Numbers {
    hashes: Vec<u64>,
    numbers: HashMap<u64, Number, BuildHasherDefault<Hashed>>,
}

impl Numbers {
    /// None yet, and room for so many.
    pub(super) fn with_capacity(n: usize) -> Self {
        let numbers = HashMap::with_capacity_and_hasher(n, BuildHasherDefault::default());
        Numbers { hashes: Vec::with_capacity(n), numbers }
    }

    /// The number of this hash, where it was met.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<Number> {
        self.numbers.get(&hash).copied()
    }

    /// The number of this hash, which may be the next one; `None` where there are no more numbers.
    pub(super) fn of(&mut self, hash: u64) -> Option<Number> {
        if let Some(number) = self.find(hash) {
            return Some(number);
        }
        let number = self.hashes.len().try_into().ok()?;
        self.hashes.push(hash);
        self.numbers.insert(hash, number);
        Some(number)
    }

    /// The hashes, in the order of their numbers.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes.iter().copied()
    }
}

/// A hash is one already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::name::mixed;
    use super::*;

    #[test]
    fn each_hash_has_a_number_of_its_own_as_long_as_there_are_any() {
        let mut numbers = Numbers::with_capacity(3);
        let hashes: Vec<u64> = (0..70_000).map(mixed).collect();
        for round in 0..2 {
            for (index, hash) in hashes.iter().enumerate() {
                let number = Number::try_from(index).ok();
                assert_eq!(numbers.find(*hash), number.filter(|_| round > 0));
                assert_eq!(numbers.of(*hash), number);
            }
        }
        assert!(numbers.hashes().eq(hashes.into_iter().take(65_536)));
    }
}
