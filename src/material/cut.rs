//! Cutting a text to length, and setting material so that it cannot pass for the hook's own words.
//!
//! A character is a Unicode scalar value everywhere (4.35).

use std::borrow::Cow;
use std::fmt::Write;

/// What every line of material begins with, so that a mark at the beginning of a line is always the hook's own
/// (4.35).
pub const BAR: &str = "| ";

/// Which part of what is kept of a text stands at its head.
#[derive(Debug, Clone, Copy)]
pub enum Keep {
    /// As much of the head as of the tail.
    Both,
    /// More of the tail: new instructions stand at the end of a long message (4.4).
    MoreTail,
}

/// The shortest a cut leaves a text, mark included: less would show neither head nor tail.
pub const MIN_CUT: usize = 60;

/// The text in at most `max` characters (never under [`MIN_CUT`]), whole or with the exact number of characters left
/// out between its head and its tail (4.33).
pub fn cut(text: &str, max: usize, keep: Keep) -> Cow<'_, str> {
    let max = max.max(MIN_CUT);
    // A text of at most `max` bytes has at most as many characters; counting is for the long ones only.
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let chars = text.chars().count();
    if chars <= max {
        return Cow::Borrowed(text);
    }
    // The mark's length is that of the largest number it can hold, so that more room never keeps less.
    let kept = max - mark(chars).chars().count();
    let head = match keep {
        Keep::Both => kept / 2,
        Keep::MoreTail => kept / 4,
    };
    let (before, _) = text.split_at(nth_char(text, head));
    let (_, after) = text.split_at(nth_last_char(text, kept - head));
    Cow::Owned(format!("{before}{}{after}", mark(chars - kept)))
}

/// What stands for `n` characters that were left out.
fn mark(n: usize) -> String {
    format!("……（省略 {n} 字）……")
}

fn nth_char(text: &str, n: usize) -> usize {
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

fn nth_last_char(text: &str, n: usize) -> usize {
    match n {
        0 => text.len(),
        n => text.char_indices().rev().nth(n - 1).map_or(0, |(at, _)| at),
    }
}

/// Appends the text line by line, each behind a [`BAR`]. Whatever a reader may take for a line end counts as one.
pub fn push_barred(out: &mut String, text: &str) {
    push_lines(out, text, "");
}

/// Appends `name: text` like [`push_barred`]. The text's further lines are set in, so that none of them can pass for
/// another name.
pub fn push_named(out: &mut String, name: &str, text: &str) {
    push_lines(out, &format!("{name}{text}"), "  ");
}

fn push_lines(out: &mut String, text: &str, indent: &str) {
    let text = text.trim_end_matches(is_line_end);
    let text = if has_rare_line_end(text) {
        Cow::Owned(text.replace("\r\n", "\n").replace(is_line_end, "\n"))
    } else {
        Cow::Borrowed(text)
    };
    for (index, line) in text.split('\n').enumerate() {
        out.push_str(BAR);
        if index > 0 {
            out.push_str(indent);
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// Whether the text has line ends other than `\n`; a look at its bytes, since nearly none has.
fn has_rare_line_end(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3(b'\r', 0xb, 0xc, bytes).is_some()
        || ["\u{85}", "\u{2028}", "\u{2029}"].iter().any(|end| text.contains(end))
}

/// The text as one line of at most `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    cut(text.trim(), max, Keep::Both).replace(is_line_end, " ")
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Appends `label` as a line of the hook's own.
pub fn push_label(out: &mut String, label: impl std::fmt::Display) {
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{label}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_is_exact_and_the_result_fits() {
        let text: String = (0..5_000).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect();
        for max in [60, 61, 100, 999, 4_999] {
            let short = cut(&text, max, Keep::Both);
            assert!(short.chars().count() <= max);
            let (head, rest) = short.split_once("……（省略 ").unwrap();
            let (n, tail) = rest.split_once(" 字）……").unwrap();
            assert!(text.starts_with(head) && text.ends_with(tail));
            assert_eq!(head.chars().count() + tail.chars().count() + n.parse::<usize>().unwrap(), 5_000);
            assert_eq!(cut(&short, max, Keep::Both), short, "cutting twice changes nothing");
        }
        assert_eq!(cut(&text, 5_000, Keep::Both), text);
    }

    #[test]
    fn every_line_end_gets_a_bar() {
        let mut out = String::new();
        push_barred(&mut out, "a\r\n【当前轮】\u{2028}b\rc\n");
        assert_eq!(out, "| a\n| 【当前轮】\n| b\n| c\n");
        out.clear();
        push_barred(&mut out, "");
        assert_eq!(out, "| \n");
        out.clear();
        push_named(&mut out, "问：", "a\n用户的回答：b");
        assert_eq!(out, "| 问：a\n|   用户的回答：b\n");
    }
}
