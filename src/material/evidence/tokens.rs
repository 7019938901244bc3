//! Tokens: words, figures, two words side by side, two or three signs of a script without spaces; and who is told of them.

use super::gate::Gate;
use super::signs::Signs;

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
    TwoSigns(Signs),
    /// Three signs, of the first of which a part counts.
    ThreeSigns(Signs),
}

impl Last {
    /// A token that ends with this comes where a listener wants one of these.
    pub(super) fn hashes(self) -> impl Iterator<Item = u64> {
        let (one, two_signs) = match self {
            Last::Word(hash) => (Some(hash), None),
            Last::TwoSigns(signs) => (None, Some(signs)),
            Last::ThreeSigns(signs) => (Some(signs.hash_of_end()), None),
        };
        one.into_iter().chain(two_signs.into_iter().flat_map(Signs::hashes_of_end_behind_any))
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

/// Who is told of tokens.
pub(super) trait Listener {
    /// Lets pass what tokens end with that it may want to know of: see [`Last::hashes`]. Nearly all text gets this one
    /// question.
    fn ends(&self) -> &Gate {
        &Gate::OPEN
    }

    /// Whether it may want to know of tokens with this hash.
    fn wants(&self, hash: u64) -> bool;

    /// Takes a token that it wants; gives the row of the results that it belongs to.
    fn take(&mut self, token: Token) -> Option<usize>;
}
