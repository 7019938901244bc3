//! What the commands know of the screen they print on: its width, whether it shows colours, how wide a text is there.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::num::NonZero;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::record::Word;

/// A screen, or what stands in its place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Screen {
    /// Columns; `None` where lines may be as long as they are.
    pub(super) width: Option<usize>,
    /// Whether colours are shown.
    pub(super) colours: bool,
}

/// Where a terminal does not tell its width.
const USUAL_WIDTH: usize = 80;

impl Screen {
    /// Standard output: colours only on a terminal, and never where `NO_COLOR` is set to something.
    pub(super) fn of_stdout() -> Screen {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return Screen::default();
        }
        let told = rustix::termios::tcgetwinsize(&stdout).ok().and_then(|size| NonZero::new(size.ws_col));
        let width = told.map_or(USUAL_WIDTH, |columns| columns.get().into());
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Screen { width: Some(width), colours: !no_color }
    }

    /// The text in the colour of its verdict.
    pub(super) fn coloured(self, text: &str, word: Word) -> String {
        let code = match word {
            Word::Pass => "32",
            Word::Note => "33",
            Word::Fail => "31",
            Word::Error => "35",
            Word::Skip => "2",
        };
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// The text as one line that can do nothing to a terminal: what the auditor wrote is not to be trusted. Control
/// characters, those that turn the direction of writing among them, become blanks.
pub(super) fn plain(text: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(is_harmful, " ")
}

/// The same, line by line.
pub(super) fn plain_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(plain)
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most so many columns, `…` for what does not fit.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// The text in exactly so many columns, cut or filled up with blanks behind it.
pub(super) fn left(text: &str, columns: usize) -> String {
    let text = fitted(text, columns);
    let blanks = columns.saturating_sub(width(&text));
    format!("{text}{:blanks$}", "")
}

/// The same, filled up before it.
pub(super) fn right(text: &str, columns: usize) -> String {
    let text = fitted(text, columns);
    let blanks = columns.saturating_sub(width(&text));
    format!("{:blanks$}{text}", "")
}

/// A number with its thousands apart: `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds as seconds with one decimal: `12.3`.
pub(super) fn seconds(duration_ms: u64) -> String {
    let tenths = duration_ms.saturating_add(50) / 100;
    let mut out = String::new();
    // Writing into a String cannot fail.
    let _ = write!(out, "{}.{}", tenths / 10, tenths % 10);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((width("项目a"), width("é"), width("")), (5, 1, 0));
        assert_eq!(left("项目", 6), "项目  ");
        assert_eq!(right("12", 4), "  12");
        for columns in 0..8 {
            assert!(width(&left("项目abc项目", columns)) == columns, "{columns}");
        }
        assert_eq!(fitted("项目名", 4), "项…");
        assert_eq!(fitted("项目名", 5), "项目…");
        assert_eq!(fitted("项目名", 6), "项目名");
    }

    #[test]
    fn a_text_of_the_log_cannot_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2J\r\nb\u{202e}c\u{9b}d"), "a [2J  b c d");
    }

    #[test]
    fn numbers_are_told_shortly() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 49, 50, 12_345, 59_999].map(seconds), ["0.0", "0.0", "0.1", "12.3", "60.0"]);
    }
}
