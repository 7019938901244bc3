//! Long texts of counted words without white space, so that a cut can be followed from its first character to its last.
use std::fmt::Write as _;

/// A text is told from all others by so many of its first characters.
const N_HEAD: usize = 24;

/// Exactly `n_chars` characters of counted words, without white space.
pub(crate) fn words(name: &str, n_chars: usize) -> String {
    let mut text = String::new();
    for i in 0.. {
        if text.len() >= n_chars {
            break;
        }
        let _ = write!(text, "{name}{i:06}_");
    }
    text.truncate(n_chars);
    text
}

/// Exactly `n_chars` characters of many widths; joined emoji are several.
pub(crate) fn emoji(name: usize, n_chars: usize) -> String {
    let words = (0..n_chars).map(|i| format!("{name}🙂é中{i:05}👩\u{200d}👩\u{200d}👧e\u{301}"));
    words.flat_map(|word| word.chars().collect::<Vec<char>>()).take(n_chars).collect()
}

/// The pieces of `original` that are in `text`, as ranges of characters. Between two pieces there has to be the mark
/// with exactly the number of characters that are missing; round the mark, layout (white space, bars) is allowed.
pub(crate) fn follow(text: &str, original: &str) -> Result<Vec<(usize, usize)>, String> {
    follow_from(text, original, N_HEAD)
}

/// The same for a text that is told from all others by its first `n_head` characters.
pub(crate) fn follow_from(text: &str, original: &str, n_head: usize) -> Result<Vec<(usize, usize)>, String> {
    let original: Vec<char> = original.chars().collect();
    let mut rest = beginning(text, &original, n_head).ok_or("its beginning is not there")?;
    let (mut at, mut pieces) = (0, Vec::new());
    loop {
        let n_same = n_same(rest, &original[at..]);
        if n_same == 0 {
            return Err(format!(
                "after {pieces:?} comes something else: {:?}",
                rest.chars().take(60).collect::<String>()
            ));
        }
        pieces.push((at, at + n_same));
        at += n_same;
        if at == original.len() {
            return Ok(pieces);
        }
        rest = without(rest, n_same);
        let Some((n_left_out, behind)) = behind_mark(rest) else {
            return Err(format!(
                "after {pieces:?} there is no mark: {:?}",
                rest.chars().take(60).collect::<String>()
            ));
        };
        at += n_left_out.parse::<usize>().map_err(|_| format!("no number: {n_left_out:?}"))?;
        if at >= original.len() {
            return Err(format!("after {pieces:?} the mark counts {n_left_out}, which leaves no tail"));
        }
        rest = behind;
    }
}

/// The same whatever the marks count: how much of a text is kept is one question (4.34), what a mark says another (4.33).
pub(crate) fn pieces(text: &str, original: &str) -> Vec<(usize, usize)> {
    // A word and a bit of the next: it stands in one place.
    const N_SURE: usize = 14;
    let original: Vec<char> = original.chars().collect();
    let Some(mut rest) = beginning(text, &original, N_HEAD) else { return Vec::new() };
    let (mut at, mut pieces) = (0, Vec::new());
    loop {
        let n_same = n_same(rest, &original[at..]);
        pieces.push((at, at + n_same));
        at += n_same;
        let Some((_, behind)) = behind_mark(without(rest, n_same)) else { return pieces };
        let next: Vec<char> = behind.chars().take(N_SURE).collect();
        let Some(gap) = original[at..].windows(N_SURE).position(|window| window == next) else {
            return pieces;
        };
        at += gap;
        rest = behind;
    }
}

/// The text from where `original` begins in it.
fn beginning<'a>(text: &'a str, original: &[char], n_head: usize) -> Option<&'a str> {
    let head: String = original.iter().take(n_head).collect();
    text.find(&head).map(|start| &text[start..])
}

fn n_same(text: &str, original: &[char]) -> usize {
    text.chars().zip(original).take_while(|(seen, wanted)| seen == *wanted).count()
}

fn without(text: &str, n_chars: usize) -> &str {
    &text[text.char_indices().nth(n_chars).map_or(text.len(), |(i, _)| i)..]
}

/// What a mark counts, and the text behind it, where a text begins with one.
fn behind_mark(text: &str) -> Option<(&str, &str)> {
    let layout = |sign: char| sign.is_whitespace() || "|│┃>".contains(sign);
    let inside = text.trim_start_matches(layout).strip_prefix("……（省略 ")?;
    let (number, behind) = inside.split_once(" 字）……")?;
    Some((number, behind.trim_start_matches(layout)))
}

pub(crate) fn kept_chars(pieces: &[(usize, usize)]) -> usize {
    pieces.iter().map(|(from, to)| to - from).sum()
}

/// Whether a head, a tail and a gap are there.
pub(crate) fn is_cut(kept: &Result<Vec<(usize, usize)>, String>, n_chars: usize) -> bool {
    kept.as_ref().is_ok_and(|pieces| {
        pieces.len() > 1
            && pieces.first().is_some_and(|(from, _)| *from == 0)
            && pieces.last().is_some_and(|(_, to)| *to == n_chars)
    })
}

#[test]
fn following_a_cut_finds_mistakes() {
    let text = words("w", 100);
    let cut = |n: usize| format!("  | {}……（省略 {n} 字）……{}\n", &text[..40], &text[90..]);
    assert_eq!(follow(&cut(50), &text), Ok(vec![(0, 40), (90, 100)]));
    assert!(follow(&cut(49), &text).is_err() && follow(&cut(51), &text).is_err(), "a wrong number");
    let wrong = format!("{}……（省略 7 字）……{}\n", &text[..40], &text[80..]);
    assert_eq!(pieces(&wrong, &text), vec![(0, 40), (80, 100)], "whatever the mark counts");
    assert_eq!(pieces(&text[..40], &text), vec![(0, 40)]);
    assert!(follow(&text[..40], &text).is_err(), "no mark");
    assert!(follow(&format!("{}……（省略 60 字）……", &text[..40]), &text).is_err(), "no tail");
    assert_eq!(follow(&format!("x{text}x"), &text), Ok(vec![(0, 100)]));
    assert!(!is_cut(&Ok(vec![(0, 100)]), 100));
    assert_eq!(emoji(1, 1_000).chars().count(), 1_000);
}
