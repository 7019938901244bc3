//! A text as tokens: words, figures, two words side by side, two or three signs of a script without spaces.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`.

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
}

/// The most bytes between the two words of a pair: `a.b`, `a::b`, `a = b`, one wide sign.
const PAIR_GAP: usize = 3;

/// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// One more part of a token.
#[inline]
pub(super) fn mixed(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(PRIME)
}

/// Calls `found` with every token, in order of their ends. It goes by bytes: every character of a long turn comes by here.
pub(super) fn walk(text: &str, mut found: impl FnMut(Token)) {
    let mut walker = Walker { bytes: text.as_bytes(), at: 0, before: None, signs: [(0, 0); 2] };
    while let Some(first) = walker.bytes.get(walker.at).copied() {
        match first {
            b'\n' => {
                walker.before = None;
                walker.gap(1);
            }
            0xe0.. => walker.wide(first, &mut found),
            _ if folded(first) != 0 || is_letter_lead(first) => walker.word(&mut found),
            _ => walker.gap(1),
        }
    }
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Hash and end of the word before, on the same line.
    before: Option<(u64, usize)>,
    /// The sign before and the one before that, each with its start; 0 stands for none.
    signs: [(u64, usize); 2],
}

impl Walker<'_> {
    #[inline]
    fn gap(&mut self, n_bytes: usize) {
        self.at += n_bytes;
        self.signs = [(0, 0); 2];
    }

    /// A word or a figure, to its end.
    #[inline]
    fn word(&mut self, found: &mut impl FnMut(Token)) {
        let start = self.at;
        let (mut hash, mut is_figure, mut has_groups) = (OFFSET, true, false);
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let (value, n_bytes) = match folded(byte) {
                0 if is_letter_lead(byte) => (self.value(2), 2),
                0 if byte == 0xef => match self.narrow() {
                    Some(narrow) => (narrow, 3),
                    None => break,
                },
                0 if is_figure
                    && matches!(byte, b',' | b'.')
                    && self.is_inside_figure(byte, start, has_groups) =>
                {
                    if byte == b'.' {
                        found(Token { hash, start, end: self.at, kind: Kind::Part });
                        hash = mixed(hash, u64::from(byte));
                    }
                    has_groups |= byte == b',';
                    self.at += 1;
                    continue;
                }
                0 => break,
                b'_' if is_figure && self.is_inside_figure(byte, start, has_groups) => {
                    has_groups = true;
                    self.at += 1;
                    continue;
                }
                folded => (u64::from(folded), 1),
            };
            if is_figure && !u8::try_from(value).is_ok_and(|byte| byte.is_ascii_digit()) {
                // A unit may follow a figure without a space.
                if self.at > start + 1 {
                    found(Token { hash, start, end: self.at, kind: Kind::Part });
                }
                is_figure = false;
            }
            hash = mixed(hash, value);
            self.at += n_bytes;
        }
        let end = self.at;
        found(Token { hash, start, end, kind: if is_figure { Kind::Figure } else { Kind::Word } });
        if let Some((before, before_end)) = self.before
            && start - before_end <= PAIR_GAP
        {
            found(Token { hash: mixed(before, hash), start: before_end, end, kind: Kind::Pair });
        }
        self.before = Some((hash, end));
        self.signs = [(0, 0); 2];
    }

    /// Whether this sign stands inside a figure: `1,234`, `1_234`, `12.5`.
    fn is_inside_figure(&self, sign: u8, start: usize, has_groups: bool) -> bool {
        let is_digit = |offset: usize| self.bytes.get(self.at + offset).is_some_and(u8::is_ascii_digit);
        if self.at == start {
            return false;
        }
        if sign == b'.' {
            return is_digit(1);
        }
        let is_group = (1..=3).all(is_digit) && !is_digit(4);
        is_group && (self.at - start <= 3 || has_groups)
    }

    /// A character of three or four bytes.
    fn wide(&mut self, first: u8, found: &mut impl FnMut(Token)) {
        let n_bytes = if first < 0xf0 { 3 } else { 4 };
        match (first, self.bytes.get(self.at + 1)) {
            // Wide forms of digits and letters, among other forms.
            (0xef, Some(0xb8..)) if self.narrow().is_some() => self.word(found),
            // Punctuation and symbols; the signs of Chinese punctuation.
            (0xe2, _) | (0xe3, Some(0x80)) | (0xef, Some(0xb8..)) => self.gap(n_bytes),
            _ => self.sign(n_bytes, found),
        }
    }

    /// A character of a script without spaces.
    #[inline]
    fn sign(&mut self, n_bytes: usize, found: &mut impl FnMut(Token)) {
        let (value, end) = (self.value(n_bytes), self.at + n_bytes);
        let [(last, last_start), (first, first_start)] = self.signs;
        if last != 0 {
            let hash = mixed(mixed(OFFSET, last), value);
            found(Token { hash, start: last_start, end, kind: Kind::TwoSigns });
            if first != 0 {
                found(Token { hash: mixed(hash, first), start: first_start, end, kind: Kind::ThreeSigns });
            }
        }
        self.signs = [(value, self.at), (last, last_start)];
        self.before = None;
        self.at = end;
    }

    /// The next bytes as a number; which one does not matter.
    #[inline]
    fn value(&self, n_bytes: usize) -> u64 {
        let bytes = self.bytes.get(self.at..self.at + n_bytes).unwrap_or_default();
        bytes.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte))
    }

    /// The digit or letter whose wide form comes next: U+FF10-19, FF21-3A, FF41-5A.
    fn narrow(&self) -> Option<u64> {
        let (second, third) = (*self.bytes.get(self.at + 1)?, *self.bytes.get(self.at + 2)?);
        match (second, third) {
            (0xbc, 0x90..=0x99) => Some(u64::from(b'0' + third - 0x90)),
            (0xbc, 0xa1..=0xba) => Some(u64::from(b'a' + third - 0xa1)),
            (0xbd, 0x81..=0x9a) => Some(u64::from(b'a' + third - 0x81)),
            _ => None,
        }
    }
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}

/// A letter in small, a digit, `_`; 0 for what belongs to no word.
#[inline]
fn folded(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'_' => byte,
        b'A'..=b'Z' => byte.to_ascii_lowercase(),
        _ => 0,
    }
}
