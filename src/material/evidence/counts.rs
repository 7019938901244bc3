//! A figure together with the result it counts, however a language puts it: `12 passed`, `12 个测试通过`, `失败：3`.

use super::tables::{COUNT_AHEAD, COUNT_BEHIND};
use super::tokens::{Kind, Token, mixed};

/// What was met last in a text.
#[derive(Default)]
pub(super) struct Counts {
    figure: Option<Token>,
    /// A row of the results, and where its word ended.
    result: Option<(usize, usize)>,
}

impl Counts {
    /// Takes the next token, with the row of results it belongs to; gives the count that it completes.
    #[inline]
    pub(super) fn next(&mut self, token: Token, result: Option<usize>) -> Option<Token> {
        if let Some(row) = result {
            self.result = Some((row, token.end));
            let figure = self.figure.filter(|figure| token.end.saturating_sub(figure.end) <= COUNT_AHEAD)?;
            return Some(count(figure, row, figure.start, token.end));
        }
        if token.kind != Kind::Figure {
            return None;
        }
        self.figure = Some(token);
        let (row, _) = self.result.filter(|(_, end)| token.start.saturating_sub(*end) <= COUNT_BEHIND)?;
        Some(count(token, row, token.start, token.end))
    }
}

fn count(figure: Token, row: usize, start: usize, end: usize) -> Token {
    Token { hash: mixed(mixed(figure.hash, u64::from(u32::MAX)), row as u64), start, end, kind: Kind::Pair }
}
