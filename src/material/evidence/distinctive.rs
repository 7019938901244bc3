//! How much a claimed token weighs by its looks alone. How rare it is in the turn comes later.

use super::tables::{
    JOINED, JOINTS, ONE_DIGIT, PLAIN, PLAIN_MIN, QUOTED_MAX, QUOTED_THREE_SIGNS, QUOTED_TWO_SIGNS, QUOTES,
    SIDE_BY_SIDE, SIDE_MIN, THREE_SIGNS, TWO_DIGITS, TWO_SIGNS, WHOLE,
};
use super::tokens::{Kind, Token};

/// In thousandths; 0 where the token is too common anywhere to be looked for. `quoted` are the text's quotations.
pub(super) fn weight(text: &str, token: Token, quoted: &[(usize, usize)]) -> u32 {
    let written = text.get(token.start..token.end).unwrap_or_default();
    let is_quoted = || quoted.iter().any(|(start, end)| *start <= token.start && token.end <= *end);
    match token.kind {
        Kind::Figure => match written.chars().filter(|c| c.is_numeric()).count() {
            1 => ONE_DIGIT,
            2 => TWO_DIGITS,
            _ => WHOLE,
        },
        Kind::Word => match written.chars().count() {
            3.. if is_name(written) || is_quoted() => WHOLE,
            PLAIN_MIN.. => PLAIN,
            _ => 0,
        },
        Kind::Part => 0,
        Kind::Pair => {
            // A pair begins where its first word ends.
            let first = text.get(..token.start).unwrap_or_default();
            let second = written.trim_start_matches(|c| !is_of_word(c));
            let gap = written.strip_suffix(second).unwrap_or_default();
            let (mut n_first, mut is_first_figure) = (0, true);
            for c in first.chars().rev().take_while(|c| is_of_word(*c)).take(SIDE_MIN) {
                n_first += 1;
                is_first_figure &= c.is_numeric();
            }
            let is_second_figure = second.chars().all(char::is_numeric);
            match (is_first_figure, is_second_figure) {
                // Times and dates.
                (true, true) => return 0,
                (false, false) if !JOINTS.contains(&gap) => {}
                _ => return JOINED,
            }
            match n_first >= SIDE_MIN && second.chars().count() >= SIDE_MIN {
                true if is_quoted() => JOINED,
                true => SIDE_BY_SIDE,
                false => 0,
            }
        }
        Kind::TwoSigns if is_quoted() => QUOTED_TWO_SIGNS,
        Kind::TwoSigns => TWO_SIGNS,
        Kind::ThreeSigns if is_quoted() => QUOTED_THREE_SIGNS,
        Kind::ThreeSigns => THREE_SIGNS,
    }
}

/// A name of a program's: with a digit, an underscore, or a capital inside.
fn is_name(word: &str) -> bool {
    word.contains(|c: char| c == '_' || c.is_ascii_digit()) || word.chars().skip(1).any(char::is_uppercase)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands between quotation marks, as ranges of bytes.
pub(super) fn quotations(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text.char_indices() {
        open = match open {
            Some((close, start)) if c == close => {
                found.push((start, at));
                None
            }
            Some((_, start)) if at - start > QUOTED_MAX => None,
            Some(_) => open,
            None => {
                let marks = QUOTES.iter().find(|(opening, _)| *opening == c);
                marks.map(|(_, close)| (*close, at + c.len_utf8()))
            }
        };
    }
    found
}
