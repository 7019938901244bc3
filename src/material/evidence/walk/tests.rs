//! What a token is, and when two are the same.

use std::collections::BTreeSet;

use super::super::gate::Gate;
use super::*;

/// Hears everything.
#[derive(Default)]
pub(in crate::material::evidence) struct All(pub(in crate::material::evidence) Vec<Token>);

impl Listener for All {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        self.0.push(token);
        None
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
        // Words are taken eight bytes at a time.
        ("parse_order_items", "PARSE_Order_items"),
        ("abcdefgh１２", "abcdefgh12"),
        ("abcdefg１２", "ABCDEFG12"),
        ("12,345,678,901", "12345678901"),
        ("1234_ms", "1234_MS"),
        ("1,234ms", "1234ms"),
        ("1_234_567.5ms", "1234567.5MS"),
        ("12345678_a", "１２３４５６７８_Ａ"),
        ("０１２３４５６７８９", "0123456789"),
        ("ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ", "abcdefghijklmnopqrstuvwxyz"),
        ("ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("café", "CAFé"),
    ] {
        assert_eq!(hash(one), hash(other), "{one} {other}");
    }
    for (one, other) in [
        ("1234", "1235"),
        ("12.5", "125"),
        ("1,23", "123"),
        ("ab", "ba"),
        ("砚秋", "秋砚"),
        ("abcdefgh", "abcdefghi"),
        ("é", "É"),
        ("1234_ms", "5678_ms"),
        ("1234.5", "1235.5"),
        ("a b", "b a"),
        ("ä", "ö"),
        ("д", "ф"),
        // As numbers these two are the same.
        ("aappp", "ッ\u{16161}"),
    ] {
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
    let figures = |text| told(text).into_iter().filter(|(kind, _)| *kind == Kind::Figure).collect::<Vec<_>>();
    assert_eq!(
        figures("07:18:54 900 at a.py:123: 12"),
        [(Kind::Figure, "900"), (Kind::Figure, "123"), (Kind::Figure, "12")]
    );
}

#[test]
fn only_what_is_wanted_is_told() {
    struct Picky(Vec<Kind>);
    impl Listener for Picky {
        fn wants(&self, hash: u64) -> bool {
            hash == super::tests::hash("砚秋")
        }
        fn take(&mut self, token: Token) -> Option<usize> {
            self.0.push(token.kind);
            None
        }
    }
    let mut picky = Picky(Vec::new());
    walk("沈砚秋 had 12 words of 砚秋", &mut picky);
    assert_eq!(picky.0, [Kind::TwoSigns, Kind::TwoSigns]);
}

#[test]
fn words_and_figures_end_where_they_end() {
    use Kind::*;
    for (text, expected) in [
        // Letters of all lengths.
        ("café", &[(Word, "café")][..]),
        ("привет_мир7", &[(Word, "привет_мир7")]),
        ("a\u{a0}b", &[(Word, "a"), (Word, "b"), (Pair, "\u{a0}b")]),
        ("ＥＲＲ_é７ok", &[(Word, "ＥＲＲ_é７ok")]),
        ("parse_order_items_of_all", &[(Word, "parse_order_items_of_all")]),
        ("abcdefghé_ijklmnop", &[(Word, "abcdefghé_ijklmnop")]),
        ("ab、cd", &[(Word, "ab"), (Word, "cd"), (Pair, "、cd")]),
        ("ab—cd", &[(Word, "ab"), (Word, "cd"), (Pair, "—cd")]),
        ("ab中cd", &[(Word, "ab"), (Word, "cd")]),
        ("１２", &[(Figure, "１２")]),
        ("Ｅ２", &[(Word, "Ｅ２")]),
        ("２Ｅ", &[(Word, "２Ｅ")]),
        // Figures, and those with a unit; one digit with a unit tells nothing.
        (
            "4 12 123456789012",
            &[
                (Figure, "4"),
                (Figure, "12"),
                (Pair, " 12"),
                (Figure, "123456789012"),
                (Pair, " 123456789012"),
            ],
        ),
        ("12345678", &[(Figure, "12345678")]),
        ("4ms", &[(Word, "4ms")]),
        ("45ms", &[(Part, "45"), (Word, "45ms")]),
        ("45ß", &[(Part, "45"), (Word, "45ß")]),
        ("45Ｍ", &[(Part, "45"), (Word, "45Ｍ")]),
        ("45中", &[(Figure, "45")]),
        ("45，", &[(Figure, "45")]),
        ("45_", &[(Part, "45"), (Word, "45_")]),
        ("123456789ms", &[(Part, "123456789"), (Word, "123456789ms")]),
        // Behind a text, so that offsets tell.
        ("x，45ms", &[(Word, "x"), (Part, "45"), (Word, "45ms"), (Pair, "，45ms")]),
        ("x，4ms", &[(Word, "x"), (Word, "4ms"), (Pair, "，4ms")]),
        // Points and groups.
        ("12.5", &[(Part, "12"), (Figure, "12.5")]),
        ("1.2.3", &[(Part, "1"), (Part, "1.2"), (Figure, "1.2.3")]),
        ("12.5ms", &[(Part, "12"), (Part, "12.5"), (Word, "12.5ms")]),
        ("12. ", &[(Figure, "12")]),
        ("12.ab", &[(Figure, "12"), (Word, "ab"), (Pair, ".ab")]),
        ("1,234.5", &[(Part, "1,234"), (Figure, "1,234.5")]),
        ("1,234,567", &[(Figure, "1,234,567")]),
        ("123,456", &[(Figure, "123,456")]),
        ("1_234", &[(Figure, "1_234")]),
        ("1,23", &[(Figure, "1"), (Figure, "23"), (Pair, ",23")]),
        ("1,2345", &[(Figure, "1"), (Figure, "2345"), (Pair, ",2345")]),
        ("1234,567", &[(Figure, "1234"), (Figure, "567"), (Pair, ",567")]),
        (
            "é é 1234,567",
            &[
                (Word, "é"),
                (Word, "é"),
                (Pair, " é"),
                (Figure, "1234"),
                (Pair, " 1234"),
                (Figure, "567"),
                (Pair, ",567"),
            ],
        ),
        (
            "中中中 1,234",
            &[(TwoSigns, "中中"), (TwoSigns, "中中"), (ThreeSigns, "中中中"), (Figure, "1,234")],
        ),
        ("1234_567", &[(Part, "1234"), (Word, "1234_567")]),
        // Of a time nothing is a figure of its own, and a pair of two figures tells nothing either.
        ("07:18:54", &[(Pair, ":18"), (Pair, ":54")]),
        ("7:18", &[(Pair, ":18")]),
        (":12", &[(Figure, "12")]),
        ("a:12", &[(Word, "a"), (Figure, "12"), (Pair, ":12")]),
        ("12:a", &[(Figure, "12"), (Word, "a"), (Pair, ":a")]),
        ("1: 12", &[(Figure, "1"), (Figure, "12"), (Pair, ": 12")]),
        ("1 :12", &[(Figure, "1"), (Figure, "12"), (Pair, " :12")]),
        ("123:45", &[(Figure, "123"), (Pair, ":45")]),
        ("12:345", &[(Figure, "345"), (Pair, ":345")]),
        ("中 07:18", &[(Pair, ":18")]),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn signs_are_of_three_or_four_bytes_and_end_at_whatever_else_stands_there() {
    use Kind::*;
    for (text, expected) in [
        ("中文 ab", &[(TwoSigns, "中文"), (Word, "ab")][..]),
        ("中文１２", &[(TwoSigns, "中文"), (Figure, "１２")]),
        ("中文Ｅ", &[(TwoSigns, "中文"), (Word, "Ｅ")]),
        ("中é", &[(Word, "é")]),
        ("中。文", &[]),
        ("中，文", &[]),
        ("中—文", &[]),
        ("中\u{fe0f}文", &[]),
        // Other scripts without spaces, and what looks like them.
        ("ประ", &[(TwoSigns, "ปร"), (TwoSigns, "ระ"), (ThreeSigns, "ประ")]),
        ("かな", &[(TwoSigns, "かな")]),
        ("한글", &[(TwoSigns, "한글")]),
        ("豈更", &[(TwoSigns, "豈更")]),
        // Of four bytes, the first one and the last one too.
        ("𠮷野家", &[(TwoSigns, "𠮷野"), (TwoSigns, "野家"), (ThreeSigns, "𠮷野家")]),
        ("野𠮷家", &[(TwoSigns, "野𠮷"), (TwoSigns, "𠮷家"), (ThreeSigns, "野𠮷家")]),
        ("野家𠮷", &[(TwoSigns, "野家"), (TwoSigns, "家𠮷"), (ThreeSigns, "野家𠮷")]),
        ("\u{10000}\u{10ffff}", &[(TwoSigns, "\u{10000}\u{10ffff}")]),
        ("😀 中文", &[(TwoSigns, "中文")]),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

/// Signs of three and of four bytes that stand side by side in the code or differ in one bit of it.
fn signs() -> Vec<char> {
    let first =
        ['中', '\u{4e00}', '\u{9fff}', '\u{ac00}', '𠮷', '\u{10000}', '\u{10ffff}', '\u{40000}', '\u{fffff}'];
    let near = first.into_iter().flat_map(|sign| {
        let bits = (0..20).map(move |bit| u32::from(sign) ^ (1 << bit));
        [u32::from(sign), u32::from(sign) + 1, u32::from(sign).saturating_sub(1)].into_iter().chain(bits)
    });
    let near: BTreeSet<char> = near.filter_map(char::from_u32).collect();
    let is_sign = |sign: &char| told(&format!("{sign}中")).len() == 1;
    near.into_iter().filter(|sign| *sign >= '\u{3400}').filter(is_sign).collect()
}

#[test]
fn other_signs_are_other_tokens_and_the_same_ones_the_same_wherever_they_stand() {
    let signs = signs();
    assert!(signs.len() > 80, "{}", signs.len());
    let texts: BTreeSet<String> = signs
        .iter()
        .flat_map(|sign| {
            [
                format!("{sign}中"),
                format!("中{sign}"),
                format!("中{sign}文"),
                format!("{sign}中文"),
                format!("文中{sign}"),
            ]
        })
        .collect();
    for text in &texts {
        let behind = ["ab ", "😀，", "，中 "].map(|before| hash(&format!("{before}{text}")));
        assert_eq!(behind, [hash(text); 3], "{text}");
    }
    assert_eq!(texts.iter().map(|text| hash(text)).collect::<BTreeSet<u64>>().len(), texts.len());
}

#[test]
fn signs_are_the_same_tokens_behind_whatever_signs() {
    let [two, three] = ["砚秋", "沈砚秋"].map(hash);
    // Their codes differ in the last bit.
    for before in ["\u{4e00}", "\u{4e01}", "中\u{4e00}", "中\u{4e01}", "𠮷", "\u{20bb6}"] {
        let text = format!("{before}沈砚秋");
        let found: Vec<u64> = tokens(&text).iter().rev().take(2).map(|token| token.hash).collect();
        assert_eq!(found, [three, two], "{text}");
    }
}

#[test]
fn a_token_comes_only_where_what_it_ends_with_is_wanted() {
    /// Wants some ends.
    struct Ends {
        wanted: Gate,
        told: Vec<Token>,
    }
    impl Listener for Ends {
        fn ends(&self) -> &Gate {
            &self.wanted
        }
        fn wants(&self, _: u64) -> bool {
            true
        }
        fn take(&mut self, token: Token) -> Option<usize> {
            self.told.push(token);
            None
        }
    }
    // What a figure begins with ends with nothing that is asked for.
    let without_parts = |mut tokens: Vec<Token>| {
        tokens.retain(|token| token.kind != Kind::Part);
        tokens
    };
    let heard = |text: &str, wanted: &[u64]| {
        let mut ends = Ends { wanted: Gate::closed(), told: Vec::new() };
        for hash in wanted {
            ends.wanted.add(*hash);
        }
        walk(text, &mut ends);
        without_parts(ends.told)
    };
    let text = "07:18 ERR_7: 12 items of 4,519 in 2.5 and １２, 野家中文，本来 in parse_order_items";
    // Where rare signs stand, and where a text begins with signs, some are told of unasked.
    let rare = "野家中文 of 07:18 野𠮷家千本一 in ไทยกขค天地人";
    for (text, has_rare) in [(text, false), (rare, true)] {
        let all = without_parts(tokens(text));
        assert!(all.len() > 25, "{all:?}");
        for wanted in all.iter().map(|token| token.last.hashes().collect()).chain([vec![]]) {
            let is_wanted = |token: &Token| token.last.hashes().any(|hash| wanted.contains(&hash));
            let (expected, others): (Vec<Token>, Vec<Token>) = all.iter().partition(|token| is_wanted(token));
            let heard = heard(text, &wanted);
            if has_rare {
                assert!(expected.iter().all(|token| heard.contains(token)), "{expected:?} {heard:?}");
                let unasked = heard.iter().filter(|token| others.contains(token));
                assert!(
                    unasked
                        .clone()
                        .all(|token| matches!(token.last, Last::TwoSigns(_) | Last::ThreeSigns(_)))
                );
            } else {
                assert_eq!(heard, expected);
            }
        }
    }
}

/// Wants one token, and hears of all that its gate lets pass.
struct One {
    wanted: Token,
    ends: Gate,
    told: Vec<Token>,
}

impl Listener for One {
    fn ends(&self) -> &Gate {
        &self.ends
    }

    fn wants(&self, hash: u64) -> bool {
        hash == self.wanted.hash
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        self.told.push(token);
        None
    }
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

    #[test]
    fn a_token_is_told_of_wherever_it_stands(text in "(parse_order|[a-z]{1,9}|[0-9]{1,9}|[中文标点]{1,5}|[ ,.:\\n，。é１𠮷ไアー]){0,30}") {
        let all = tokens(&text);
        for wanted in &all {
            let mut one = One { wanted: *wanted, ends: Gate::closed(), told: Vec::new() };
            wanted.last.hashes().for_each(|hash| one.ends.add(hash));
            walk(&text, &mut one);
            let expected: Vec<Token> = all.iter().copied().filter(|token| token.hash == wanted.hash).collect();
            assert_eq!(one.told, expected, "{text:?}");
        }
    }
}
