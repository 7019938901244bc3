//! The numbers of hashes, in the order in which they were met: a table that fits into the nearest cache, since thousands of
//! tokens of a turn are looked up in it.

/// A number of a hash; small, so that many lie close together.
pub(super) type Number = u16;

/// The hashes by their numbers, and a table in which a hash is found by some of its bits.
pub(super) struct Numbers {
    hashes: Vec<u64>,
    /// Of each place the number of its hash and 1; 0 where it is free. At most half of them are taken.
    places: Vec<Number>,
}

/// Places from the beginning: enough for most turns.
const USUAL: usize = 4_096;

impl Numbers {
    /// No hash met yet.
    pub(super) fn new() -> Self {
        Numbers { hashes: Vec::with_capacity(USUAL), places: vec![0; USUAL] }
    }

    /// The number of this hash, where it was met.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<Number> {
        let mut place = self.first_place(hash);
        loop {
            let number = self.places.get(place).copied()?.checked_sub(1)?;
            if self.hashes.get(usize::from(number)) == Some(&hash) {
                return Some(number);
            }
            place = (place + 1) % self.places.len();
        }
    }

    /// The number of this hash, which may be the next one; `None` where there are no more numbers.
    pub(super) fn of(&mut self, hash: u64) -> Option<Number> {
        if let Some(number) = self.find(hash) {
            return Some(number);
        }
        let number = Number::try_from(self.hashes.len()).ok().filter(|number| *number < Number::MAX)?;
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.places.len() {
            self.places = vec![0; self.places.len() * 2];
            let all = (0..=number).zip(std::mem::take(&mut self.hashes));
            for (number, hash) in all {
                self.put(hash, number);
                self.hashes.push(hash);
            }
        } else {
            self.put(hash, number);
        }
        Some(number)
    }

    /// The hashes, in the order of their numbers.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes.iter().copied()
    }

    fn put(&mut self, hash: u64, number: Number) {
        let mut place = self.first_place(hash);
        while self.places.get(place).is_some_and(|taken| *taken > 0) {
            place = (place + 1) % self.places.len();
        }
        if let Some(free) = self.places.get_mut(place) {
            *free = number + 1;
        }
    }

    /// Where to look first; the number of places is a power of two.
    #[inline]
    fn first_place(&self, hash: u64) -> usize {
        usize::try_from(hash & (self.places.len() as u64 - 1)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::name::mixed;
    use super::*;

    #[test]
    fn each_hash_has_a_number_of_its_own_however_many_there_are() {
        let mut numbers = Numbers::new();
        // Some of them fall on one place.
        let hashes: Vec<u64> = (0..10_000).map(|n| if n % 2 == 0 { mixed(n) } else { n }).collect();
        for round in 0..2 {
            for (number, hash) in (0..).zip(&hashes) {
                assert_eq!(numbers.find(*hash), (round > 0).then_some(number));
                assert_eq!(numbers.of(*hash), Some(number));
            }
        }
        assert_eq!(numbers.find(mixed(10_001)), None);
        assert!(numbers.hashes().eq(hashes));
    }

    #[test]
    fn a_hash_is_found_at_once() {
        let mut numbers = Numbers::new();
        let first: BTreeSet<usize> = (0..USUAL as u64).map(|hash| numbers.first_place(hash)).collect();
        assert_eq!(first.len(), USUAL, "each of the places is the first for some");
        let mut n_places = Vec::new();
        for n in 0..=USUAL as u64 {
            numbers.of(mixed(n));
            n_places.push(numbers.places.len());
        }
        // At most half of them are taken, and there are no more than that needs.
        assert_eq!(
            [1, USUAL / 2, USUAL / 2 + 1, USUAL, USUAL + 1].map(|n| n_places[n - 1] / USUAL),
            [1, 1, 2, 2, 4]
        );
    }

    #[test]
    fn where_numbers_end_the_rest_has_none() {
        let mut numbers = Numbers::new();
        let n_numbered = (0..70_000).filter(|n| numbers.of(mixed(*n)).is_some()).count();
        assert_eq!(n_numbered, usize::from(Number::MAX));
        assert_eq!((numbers.find(mixed(0)), numbers.find(mixed(69_999))), (Some(0), None));
    }
}
