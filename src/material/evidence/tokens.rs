//! A text as tokens: words, figures, two words side by side, two or three signs of a script without spaces.
//!
//! Claims and material go through this one walk, so that a token is the same on both sides however it is written:
//! `1,234` is `1234`, `FAILED` is `failed`, `１２` is `12`. It goes by bytes, and tells only what somebody wants to know of:
//! every character of a long turn comes by here.

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

/// A number for each byte of a word, the same for a letter in small and in capitals; 0 for what belongs to no word.
const LETTERS: [u64; 256] = letters();

#[expect(
    clippy::indexing_slicing,
    reason = "worked out when it is compiled: an index too great would not build"
)]
const fn letters() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[byte as usize] = spread(byte.to_ascii_lowercase() as u64 + 1);
        }
        byte += 1;
    }
    table
}

#[inline]
fn letter(byte: u8) -> u64 {
    LETTERS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Mixes all bits of a number (SplitMix64: Steele, Lea, Flood, 2014).
const fn spread(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// One more part of a token; a rotation, because it waits for the one before.
#[inline]
fn with(hash: u64, part: u64) -> u64 {
    hash.rotate_left(9) ^ part
}

/// The hash of two tokens as one.
#[inline]
pub(super) fn both(first: u64, second: u64) -> u64 {
    let mixed = first.rotate_left(23).wrapping_add(second).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

/// Who is told of tokens.
pub(super) trait Listener {
    /// Whether it may want to know of tokens with this hash.
    fn wants(&self, hash: u64) -> bool;

    /// Takes a token that it wants, or a figure.
    fn take(&mut self, token: Token);
}

/// Tells of every figure, and of every other token that is wanted, in order of their ends.
pub(super) fn walk(text: &str, listener: &mut impl Listener) {
    let mut walker =
        Walker { bytes: text.as_bytes(), at: 0, listener, before: None, signs: Signs::default() };
    while let Some(first) = walker.bytes.get(walker.at).copied() {
        if letter(first) != 0 || is_letter_lead(first) || (first == 0xef && walker.narrow().is_some()) {
            walker.word(first);
        } else if first >= 0xe0 {
            walker.wide(first);
        } else {
            if first == b'\n' {
                walker.before = None;
            }
            walker.at += 1;
            walker.signs = Signs::default();
        }
    }
}

struct Walker<'a, L> {
    bytes: &'a [u8],
    at: usize,
    listener: &'a mut L,
    /// Hash and end of the word before, on the same line.
    before: Option<(u64, usize)>,
    signs: Signs,
}

/// What came just before a sign.
#[derive(Default, Clone, Copy)]
struct Signs {
    /// The sign before, with its start; 0 stands for none.
    last: (u64, usize),
    /// The hash of the two signs before, with their start; 0 stands for none.
    two: (u64, usize),
}

impl<L: Listener> Walker<'_, L> {
    /// A word or a figure, to its end.
    #[inline]
    fn word(&mut self, first: u8) {
        let start = self.at;
        let mut hash = 0;
        let is_figure = if first.is_ascii_digit() {
            self.figure(&mut hash) || self.letters(&mut hash)
        } else {
            self.letters(&mut hash);
            first == 0xef && self.is_wide_figure(start)
        };
        self.signs = Signs::default();
        let (hash, end) = (spread(hash), self.at);
        let before = self.before.replace((hash, end));
        if is_figure && !self.is_of_time(start) {
            self.listener.take(Token { hash, start, end, kind: Kind::Figure });
        } else if !is_figure {
            self.tell(Token { hash, start, end, kind: Kind::Word });
        }
        if let Some((before, before_end)) = before
            && start - before_end <= PAIR_GAP
        {
            self.tell(Token { hash: both(before, hash), start: before_end, end, kind: Kind::Pair });
        }
    }

    #[inline]
    fn tell(&mut self, token: Token) {
        if self.listener.wants(token.hash) {
            self.listener.take(token);
        }
    }

    /// Letters, digits and `_`, narrow and wide, to the end of the word, which is no figure.
    #[inline]
    fn letters(&mut self, hash: &mut u64) -> bool {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let (part, n_bytes) = match letter(byte) {
                0 if is_letter_lead(byte) => (spread(self.value(2)), 2),
                0 if byte == 0xef => match self.narrow() {
                    Some(narrow) => (letter(narrow), 3),
                    None => return false,
                },
                0 => return false,
                part => (part, 1),
            };
            *hash = with(*hash, part);
            self.at += n_bytes;
        }
        false
    }

    /// Whether the word that began here is one of wide digits.
    #[inline]
    fn is_wide_figure(&self, start: usize) -> bool {
        let is_digit = |sign: &[u8]| matches!(sign, [0xef, 0xbc, 0x90..=0x99]);
        self.bytes.get(start..self.at).is_some_and(|word| word.chunks(3).all(is_digit))
    }

    /// Digits with what belongs to a figure, to its end; whether it is one, and not the beginning of a word.
    #[inline]
    fn figure(&mut self, hash: &mut u64) -> bool {
        let start = self.at;
        let mut has_groups = false;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'0'..=b'9' => *hash = with(*hash, letter(byte)),
                b',' | b'_' if self.is_group(start, has_groups) => has_groups = true,
                b'.' if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                    self.tell(Token { hash: spread(*hash), start, end: self.at, kind: Kind::Part });
                    *hash = with(*hash, spread(u64::from(byte)));
                }
                // A unit may follow without a space.
                _ if letter(byte) != 0
                    || is_letter_lead(byte)
                    || (byte == 0xef && self.narrow().is_some()) =>
                {
                    if self.at > start + 1 {
                        self.tell(Token { hash: spread(*hash), start, end: self.at, kind: Kind::Part });
                    }
                    return false;
                }
                _ => return true,
            }
            self.at += 1;
        }
        true
    }

    /// Whether a group of three digits goes on with the figure: `1,234`, `1_234`.
    fn is_group(&self, start: usize, has_groups: bool) -> bool {
        let is_digit = |offset: usize| self.bytes.get(self.at + offset).is_some_and(u8::is_ascii_digit);
        (1..=3).all(is_digit) && !is_digit(4) && (self.at - start <= 3 || has_groups)
    }

    /// Whether this figure of one or two digits is a part of `07:18:54`: such figures stand everywhere and tell nothing.
    #[inline]
    fn is_of_time(&self, start: usize) -> bool {
        let is_digit = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_digit);
        let is_colon = |at: usize| self.bytes.get(at) == Some(&b':');
        self.at - start <= 2
            && ((is_colon(self.at) && is_digit(self.at + 1))
                || (start > 1 && is_colon(start - 1) && is_digit(start - 2)))
    }

    /// A character of three or four bytes that belongs to no word.
    #[inline]
    fn wide(&mut self, first: u8) {
        let n_bytes = if first < 0xf0 { 3 } else { 4 };
        let start = self.at;
        let value = self.value(n_bytes);
        self.at += n_bytes;
        let before = std::mem::take(&mut self.signs);
        // Punctuation and symbols; the signs of Chinese punctuation; wide forms of signs.
        if first == 0xe2 || matches!(value >> 8, 0xe380 | 0xefb8..) && n_bytes == 3 {
            return;
        }
        self.before = None;
        self.signs.last = (value, start);
        let (last, last_start) = before.last;
        if last == 0 {
            return;
        }
        let two = both(last, value);
        self.signs.two = (two, last_start);
        self.tell(Token { hash: two, start: last_start, end: self.at, kind: Kind::TwoSigns });
        if let (two @ 1.., start) = before.two {
            self.tell(Token { hash: both(two, value), start, end: self.at, kind: Kind::ThreeSigns });
        }
    }

    /// The next bytes as a number; which one does not matter.
    #[inline]
    fn value(&self, n_bytes: usize) -> u64 {
        let byte = |index: usize| self.bytes.get(self.at + index).map_or(0, |byte| u64::from(*byte));
        let two = (byte(0) << 8) | byte(1);
        match n_bytes {
            2 => two,
            3 => (two << 8) | byte(2),
            _ => (two << 16) | (byte(2) << 8) | byte(3),
        }
    }

    /// The digit or letter whose wide form comes next: U+FF10-19, FF21-3A, FF41-5A.
    fn narrow(&self) -> Option<u8> {
        let (second, third) = (*self.bytes.get(self.at + 1)?, *self.bytes.get(self.at + 2)?);
        match (second, third) {
            (0xbc, 0x90..=0x99) => Some(third - 0x90 + b'0'),
            (0xbc, 0xa1..=0xba) => Some(third - 0xa1 + b'a'),
            (0xbd, 0x81..=0x9a) => Some(third - 0x81 + b'a'),
            _ => None,
        }
    }
}

/// The first byte of a letter of two bytes: Latin with marks, Greek, Cyrillic, Hebrew, Arabic.
#[inline]
fn is_letter_lead(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xdf)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
pub(super) mod tests {
    use super::*;

    /// Hears everything.
    #[derive(Default)]
    pub(in crate::material::evidence) struct All(pub(in crate::material::evidence) Vec<Token>);

    impl Listener for All {
        fn wants(&self, _: u64) -> bool {
            true
        }

        fn take(&mut self, token: Token) {
            self.0.push(token);
        }
    }

    pub(in crate::material::evidence) fn tokens(text: &str) -> Vec<Token> {
        let mut all = All::default();
        walk(text, &mut all);
        all.0
    }

    fn told(text: &str) -> Vec<(Kind, &str)> {
        tokens(text).into_iter().map(|token| (token.kind, &text[token.start..token.end])).collect()
    }

    /// The hash of the last token, which for one word is that word.
    fn hash(text: &str) -> u64 {
        tokens(text).last().unwrap().hash
    }

    #[test]
    fn words_figures_pairs_and_signs_in_order_of_their_ends() {
        use Kind::*;
        assert_eq!(
            told("12 passed\nERR_7"),
            [(Figure, "12"), (Word, "passed"), (Pair, " passed"), (Word, "ERR_7")]
        );
        assert_eq!(
            told("a沈砚秋"),
            [(Word, "a"), (TwoSigns, "沈砚"), (TwoSigns, "砚秋"), (ThreeSigns, "沈砚秋")]
        );
        assert_eq!(told("沈、砚。秋\u{3000}中"), []);
        assert_eq!(
            told("4519ms 2.5"),
            [(Part, "4519"), (Word, "4519ms"), (Part, "2"), (Figure, "2.5"), (Pair, " 2.5"),]
        );
    }

    #[test]
    fn a_token_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("1,234", "1234"),
            ("1_234_567", "1234567"),
            ("FAILED", "failed"),
            ("１２３", "123"),
            ("ＥＲＲ", "err"),
            ("src/a.rs", "SRC/A.rs"),
        ] {
            assert_eq!(hash(one), hash(other), "{one} {other}");
        }
        for (one, other) in
            [("1234", "1235"), ("12.5", "125"), ("1,23", "123"), ("ab", "ba"), ("砚秋", "秋砚")]
        {
            assert_ne!(hash(one), hash(other), "{one} {other}");
        }
        assert_eq!(told("１２")[0].0, Kind::Figure);
    }

    #[test]
    fn a_pair_needs_a_word_before_it_on_the_same_line() {
        let pairs = |text: &str| told(text).iter().filter(|(kind, _)| *kind == Kind::Pair).count();
        assert_eq!(
            ["a", "- a", "a b", "a::b", "a    b", "a\nb", "a，b", "a沈b"].map(pairs),
            [0, 0, 1, 1, 0, 0, 1, 0]
        );
    }

    #[test]
    fn figures_of_a_time_tell_nothing() {
        let figures =
            |text| told(text).into_iter().filter(|(kind, _)| *kind == Kind::Figure).collect::<Vec<_>>();
        assert_eq!(
            figures("07:18:54 900 at a.py:123: 12"),
            [(Kind::Figure, "900"), (Kind::Figure, "123"), (Kind::Figure, "12")]
        );
    }

    #[test]
    fn only_what_is_wanted_and_figures_are_told() {
        struct Picky(Vec<Kind>);
        impl Listener for Picky {
            fn wants(&self, hash: u64) -> bool {
                hash == super::tests::hash("砚秋")
            }
            fn take(&mut self, token: Token) {
                self.0.push(token.kind);
            }
        }
        let mut picky = Picky(Vec::new());
        walk("沈砚秋 had 12 words of 砚秋", &mut picky);
        assert_eq!(picky.0, [Kind::TwoSigns, Kind::Figure, Kind::TwoSigns]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_failure_persistence(
            proptest::test_runner::FileFailurePersistence::Off
        ))]

        #[test]
        fn tokens_stand_inside_the_text_whole_and_in_order(text in "[a-zA-Z0-9_ ,.:\\n中文标点，。éß１ａ\u{10ffff}🙂]{0,60}") {
            let tokens = tokens(&text);
            assert!(tokens.is_sorted_by_key(|token| token.end));
            assert!(tokens.iter().all(|token| text.get(token.start..token.end).is_some_and(|text| !text.is_empty())));
        }
    }
}
