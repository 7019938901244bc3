//! A figure together with the result it counts, however a language puts it: `12 passed`, `12 个测试通过`, `失败：3`.

use super::tables::{COUNT_AHEAD, COUNT_BEHIND};
use super::tokens::{Kind, Token, both};

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
    Token { hash: both(figure.hash, row as u64), start, end, kind: Kind::Pair }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::tokens::tests::tokens;
    use super::*;

    /// The counts of a text in which these words are results of one row.
    fn counts(text: &str) -> Vec<u64> {
        let mut counts = Counts::default();
        let row = |token: &Token| ["passed", "通过"].contains(&&text[token.start..token.end]).then_some(2);
        tokens(text)
            .into_iter()
            .filter_map(|token| counts.next(token, row(&token)))
            .map(|count| count.hash)
            .collect()
    }

    #[test]
    fn a_figure_counts_a_result_however_it_is_put() {
        let twelve = counts("12 passed");
        assert_eq!(twelve.len(), 1);
        for same in ["12 个测试通过", "通过：12", "passed: 12", "共 12 项通过"] {
            assert_eq!(counts(same), twelve, "{same}");
        }
        for other in
            ["13 passed", "12 failed", "12 of the many, many tests here passed", "passed in the end: 12"]
        {
            assert_ne!(counts(other), twelve, "{other}");
        }
    }

    #[test]
    fn each_result_has_the_figure_before_it() {
        assert_eq!(counts("3 of 12 passed"), counts("12 passed"));
    }
}
