//! A set of hashes that may hold a few more than were added: nearly every token of the material ends here.

/// A bit for each value of the low bits of a hash.
pub(super) struct Gate([u64; N_WORDS]);

/// How many values the low bits have, and how many words hold a bit for each: some claims and their parts fill some
/// hundredths, and it stays in the nearest cache.
const N_BITS: usize = 65_536;
const N_WORDS: usize = 1_024;
const _: () = assert!(N_WORDS * 64 == N_BITS);

impl Gate {
    /// Lets everything pass.
    pub(super) const OPEN: Gate = Gate([u64::MAX; N_WORDS]);

    /// Lets nothing pass.
    pub(super) fn closed() -> Self {
        Gate([0; N_WORDS])
    }

    /// Lets this hash pass.
    pub(super) fn add(&mut self, hash: u64) {
        self.set(hash, true);
    }

    /// Whether the hash may have been added.
    #[inline]
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let low = low_of(hash);
        self.0.get(low / 64).is_some_and(|word| (word >> (low % 64)) & 1 != 0)
    }

    fn set(&mut self, hash: u64, is_set: bool) {
        let low = low_of(hash);
        if let Some(word) = self.0.get_mut(low / 64) {
            let bit = 1 << (low % 64);
            if is_set {
                *word |= bit;
            } else {
                *word &= !bit;
            }
        }
    }
}

/// A gate from which hashes can be taken again.
pub(super) struct Closing {
    gate: Gate,
    /// How many of those that were added need each bit. So many that they are not counted keep it set.
    users: Vec<u8>,
}

impl Closing {
    /// Lets these hashes pass, each as often as it comes.
    pub(super) fn of(hashes: impl Iterator<Item = u64>) -> Self {
        let mut closing = Closing { gate: Gate::closed(), users: vec![0; N_BITS] };
        for hash in hashes {
            closing.gate.add(hash);
            if let Some(n) = closing.users.get_mut(low_of(hash)) {
                *n = n.saturating_add(1);
            }
        }
        closing
    }

    /// Takes away a hash that was given once; others may need its bit.
    pub(super) fn remove(&mut self, hash: u64) {
        let Some(n) = self.users.get_mut(low_of(hash)) else { return };
        if *n < u8::MAX {
            *n = n.saturating_sub(1);
        }
        if *n == 0 {
            self.gate.set(hash, false);
        }
    }

    /// Lets pass what is there still.
    #[inline]
    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }
}

#[inline]
fn low_of(hash: u64) -> usize {
    usize::try_from(hash % (N_BITS as u64)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_passes() {
        let mut gate = Gate::closed();
        for hash in [7, 8, 70, 7] {
            gate.add(hash);
        }
        assert!([7, 8, 70].iter().all(|hash| gate.may_hold(*hash)));
        assert!([0, 6, 9, 71, 7 + N_BITS as u64 / 2].iter().all(|hash| !gate.may_hold(*hash)));
    }

    #[test]
    fn a_bit_stays_until_nobody_needs_it() {
        // The low bits of both are the same.
        let other = 7 + N_BITS as u64;
        let mut closing = Closing::of([7, 8, other].into_iter());
        closing.remove(7);
        assert!(closing.gate().may_hold(other) && closing.gate().may_hold(8));
        closing.remove(other);
        assert!(!closing.gate().may_hold(7) && closing.gate().may_hold(8));
    }

    #[test]
    fn what_too_many_need_stays() {
        let mut closing = Closing::of(std::iter::repeat_n(7, 300));
        (0..300).for_each(|_| closing.remove(7));
        assert!(closing.gate().may_hold(7));
    }
}
