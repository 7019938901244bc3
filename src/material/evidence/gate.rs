//! A set of hashes that may hold a few more than were added: nearly every token of the material ends here.

/// A bit for each value of the low bits of a hash.
#[derive(Clone)]
pub(super) struct Gate {
    set: Box<[u64; N_WORDS]>,
    /// Those of several hashes, which stay set.
    shared: Box<[u64; N_WORDS]>,
}

/// How many values the low bits have: some claims and their parts fill a hundredth, and it stays in the nearest cache.
const N_BITS: usize = 1 << 16;
const N_WORDS: usize = N_BITS / 64;

impl Gate {
    /// Lets nothing pass.
    pub(super) fn closed() -> Self {
        Gate { set: Box::new([0; N_WORDS]), shared: Box::new([0; N_WORDS]) }
    }

    /// Lets this hash pass, which was not added before.
    pub(super) fn add(&mut self, hash: u64) {
        let (word, bit) = bit_of(hash);
        if let (Some(set), Some(shared)) = (self.set.get_mut(word), self.shared.get_mut(word)) {
            *shared |= *set & bit;
            *set |= bit;
        }
    }

    /// Lets this hash pass no longer, unless another one needs its bit.
    pub(super) fn remove(&mut self, hash: u64) {
        let (word, bit) = bit_of(hash);
        if let (Some(set), Some(shared)) = (self.set.get_mut(word), self.shared.get(word)) {
            *set &= !bit | shared;
        }
    }

    /// Whether the hash may have been added.
    #[inline]
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = bit_of(hash);
        self.set.get(word).is_some_and(|word| word & bit != 0)
    }
}

#[inline]
fn bit_of(hash: u64) -> (usize, u64) {
    let low = hash % (N_BITS as u64);
    (usize::try_from(low / 64).unwrap_or_default(), 1 << (low % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_passes_until_it_is_removed() {
        let mut gate = Gate::closed();
        assert!(!gate.may_hold(7));
        gate.add(7);
        assert!(gate.may_hold(7) && !gate.may_hold(8));
        gate.remove(7);
        assert!(!gate.may_hold(7));
    }

    #[test]
    fn a_bit_of_two_hashes_stays_when_one_is_removed() {
        let mut gate = Gate::closed();
        let other = 7 + N_BITS as u64;
        gate.add(7);
        gate.add(other);
        gate.remove(7);
        assert!(gate.may_hold(other));
    }
}
