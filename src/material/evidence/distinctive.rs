//! How much a claimed token weighs by its looks alone. How rare it is in the turn comes later.

use super::tables::{
    COUNT, JOINED, JOINTS, ONE_DIGIT, PLAIN, PLAIN_MIN, QUOTED_MAX, QUOTED_THREE_SIGNS, QUOTED_TWO_SIGNS,
    QUOTES, SIDE_BY_SIDE, SIDE_MIN, THREE_SIGNS, TWO_DIGITS, WHOLE,
};
use super::tokens::{Kind, Token};

/// In thousandths; 0 where the token is too common anywhere to be looked for. `quoted` are the text's quotations.
/// `words` are the last ones met, the newest first.
pub(super) fn weight(text: &str, token: Token, words: [Option<Token>; 2], quoted: &[(usize, usize)]) -> u32 {
    let written = || text.get(token.start..token.end).unwrap_or_default();
    let is_quoted = || quoted.iter().any(|(start, end)| *start <= token.start && token.end <= *end);
    match token.kind {
        Kind::Figure => match written().chars().filter(|c| c.is_numeric()).count() {
            1 => ONE_DIGIT,
            2 => TWO_DIGITS,
            _ => WHOLE,
        },
        Kind::Word => match written() {
            word if word.chars().nth(2).is_some() && (is_name(word) || is_quoted()) => WHOLE,
            word if word.chars().nth(PLAIN_MIN - 1).is_some() => PLAIN,
            _ => 0,
        },
        Kind::Pair => pair(text, words, is_quoted),
        Kind::TwoSigns if is_quoted() => QUOTED_TWO_SIGNS,
        Kind::Part | Kind::TwoSigns => 0,
        Kind::Count => COUNT,
        Kind::ThreeSigns if is_quoted() => QUOTED_THREE_SIGNS,
        Kind::ThreeSigns => THREE_SIGNS,
    }
}

/// Of two words side by side, the newest first.
fn pair(text: &str, words: [Option<Token>; 2], is_quoted: impl FnOnce() -> bool) -> u32 {
    let [Some(second), Some(first)] = words else { return 0 };
    let gap = text.get(first.end..second.start).unwrap_or_default();
    match (first.kind == Kind::Figure, second.kind == Kind::Figure) {
        // Times and dates.
        (true, true) => return 0,
        (false, false) if !JOINTS.contains(&gap) => {}
        _ => return JOINED,
    }
    let is_long = |word: Token| {
        text.get(word.start..word.end).is_some_and(|word| word.chars().nth(SIDE_MIN - 1).is_some())
    };
    match is_long(first) && is_long(second) {
        true if is_quoted() => JOINED,
        true => SIDE_BY_SIDE,
        false => 0,
    }
}

/// A name of a program's: with a digit, an underscore, or a capital inside.
fn is_name(word: &str) -> bool {
    word.contains(|c: char| c == '_' || c.is_ascii_digit()) || word.chars().skip(1).any(char::is_uppercase)
}

/// The opening marks that a text has: most have none.
pub(super) fn opening_marks(text: &str) -> Vec<char> {
    QUOTES.into_iter().map(|(opening, _)| opening).filter(|opening| text.contains(*opening)).collect()
}

/// What stands between quotation marks, as ranges of bytes; of a part of a text that has these opening marks.
pub(super) fn quotations(text: &str, openings: &[char]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if !openings.iter().any(|opening| text.contains(*opening)) {
        return found;
    }
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text.char_indices() {
        open = match open {
            Some((_, start)) if at - start > QUOTED_MAX => None,
            Some((close, start)) if c == close => {
                found.push((start, at));
                None
            }
            Some(_) => open,
            None => {
                let marks = QUOTES.iter().find(|(opening, _)| *opening == c);
                marks.map(|(_, close)| (*close, at + c.len_utf8()))
            }
        };
    }
    found
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::walk::tests::tokens;
    use super::*;

    /// The weights of a text's tokens that weigh anything, with what they are.
    fn weights(text: &str) -> Vec<(&str, u32)> {
        let quoted = quotations(text, &opening_marks(text));
        let mut words = [None; 2];
        let mut found = Vec::new();
        for token in tokens(text) {
            if matches!(token.kind, Kind::Word | Kind::Figure) {
                words = [Some(token), words[0]];
            }
            found.push((&text[token.start..token.end], weight(text, token, words, &quoted)));
        }
        found.retain(|(_, weight)| *weight > 0);
        found
    }

    #[test]
    fn what_is_rare_by_its_looks_weighs_more() {
        assert_eq!(weights("7"), [("7", ONE_DIGIT)]);
        assert_eq!(weights("77"), [("77", TWO_DIGITS)]);
        assert_eq!(weights("1,777"), [("1,777", WHOLE)]);
        assert_eq!(weights("parse_order"), [("parse_order", WHOLE)]);
        assert_eq!(weights("parseOrder"), [("parseOrder", WHOLE)]);
        assert_eq!(weights("batch"), [("batch", PLAIN)]);
        assert_eq!(weights("the"), []);
        assert_eq!(weights("“the”"), [("the", WHOLE)]);
        assert_eq!(weights("沈砚秋"), [("沈砚秋", THREE_SIGNS)]);
        assert_eq!(weights("「沈砚」"), [("沈砚", QUOTED_TWO_SIGNS)]);
        assert_eq!(weights("「沈砚秋」").last(), Some(&("沈砚秋", QUOTED_THREE_SIGNS)));
        // Only what stands between the marks is quoted.
        assert_eq!(weights("the “old” one"), [("old", WHOLE)]);
    }

    #[test]
    fn words_that_are_joined_weigh_more_than_words_side_by_side() {
        assert_eq!(weights("file.yaml").last(), Some(&(".yaml", JOINED)));
        assert_eq!(weights("file name").last(), Some(&(" name", SIDE_BY_SIDE)));
        assert_eq!(weights("“file name”").last(), Some(&(" name", JOINED)));
        assert_eq!(weights("file of"), []);
        assert_eq!(weights("of name"), []);
        assert_eq!(weights("exit 1").last(), Some(&(" 1", JOINED)));
        assert_eq!(weights("12 34"), [("12", TWO_DIGITS), ("34", TWO_DIGITS)]);
    }

    #[test]
    fn quotations_end_where_they_are_closed_and_are_short() {
        let [most, more, far] = [QUOTED_MAX, QUOTED_MAX + 1, 500].map(|n| "x".repeat(n));
        let signs = "沈".repeat(QUOTED_MAX);
        for (text, quoted) in [
            ("a `b` c", &["b"][..]),
            ("“b” and “c”", &["b", "c"]),
            ("「b", &[]),
            (&format!("{far}`b`"), &["b"]),
            (&format!("a \"{most}\""), &[&most]),
            (&format!("a \"{more}\""), &[]),
            // What is not closed in time is none, and the next one is found.
            (&format!("a \"{far} \"b\""), &["b"]),
            (&format!("a \"{signs} \"b\""), &["b"]),
        ] {
            let found = quotations(text, &opening_marks(text));
            let found: Vec<&str> = found.into_iter().map(|(start, end)| &text[start..end]).collect();
            assert_eq!(found, quoted, "{text}");
        }
    }
}
