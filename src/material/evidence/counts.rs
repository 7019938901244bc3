//! A figure together with the result it counts, however a language puts it: `12 passed`, `12 个测试通过`, `失败：3`.
//!
//! Both are of one phrase: of `12 passed, 3 failed` no three passed.

use std::ops::Range;

use super::name::both;
use super::tables::{COUNT_AHEAD, COUNT_BEHIND, PHRASE_ENDS};
use super::tokens::{Kind, Last, Token};

/// What was met last in a text.
pub(super) struct Counts<'t> {
    text: &'t str,
    figure: Option<Figure>,
    /// A row of the results, and where its word ended.
    result: Option<(usize, usize)>,
}

/// A figure, by its hash, and where it stands.
#[derive(Clone, Copy)]
struct Figure {
    hash: u64,
    start: usize,
    end: usize,
}

impl<'t> Counts<'t> {
    /// Nothing met yet.
    pub(super) fn of(text: &'t str) -> Self {
        Counts { text, figure: None, result: None }
    }

    /// Takes the next figure; gives the count that it may complete.
    #[inline]
    pub(super) fn figure(&mut self, figure: Token) -> Option<Candidate> {
        let Token { hash, start, end, .. } = figure;
        let figure = Figure { hash, start, end };
        self.figure = Some(figure);
        let (row, end) = self.result.filter(|(_, end)| figure.start.saturating_sub(*end) <= COUNT_BEHIND)?;
        Some(Candidate { token: count(figure, row, figure.start, figure.end), between: end..figure.start })
    }

    /// Takes the next result, with its row; gives the count that it may complete.
    pub(super) fn result(&mut self, result: Token, row: usize) -> Option<Candidate> {
        self.result = Some((row, result.end));
        let figure = self.figure.filter(|figure| result.end.saturating_sub(figure.end) <= COUNT_AHEAD)?;
        Some(Candidate {
            token: count(figure, row, figure.start, result.end),
            between: figure.end..result.start,
        })
    }

    /// Whether it is one.
    pub(super) fn is_one_phrase(&self, count: &Candidate) -> bool {
        !self.text.get(count.between.clone()).is_some_and(|between| between.contains(PHRASE_ENDS))
    }
}

/// A figure and a result near each other, which are a count if they are of one phrase.
pub(super) struct Candidate {
    pub(super) token: Token,
    /// What stands between them, which costs more to look at than to ask whether anybody wants to know.
    between: Range<usize>,
}

fn count(figure: Figure, row: usize, start: usize, end: usize) -> Token {
    let hash = both(figure.hash, row as u64);
    Token { hash, start, end, kind: Kind::Count, last: Last::Word(hash) }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::tokens::Listener;
    use super::super::walk::walk;
    use super::*;

    /// The counts of a text in which these words are results of one row.
    fn counts(text: &str) -> Vec<u64> {
        struct Counted<'t>(&'t str, Vec<u64>);
        impl Listener for Counted<'_> {
            fn wants(&self, _: u64) -> bool {
                true
            }
            fn take(&mut self, token: Token) -> Option<usize> {
                if token.kind == Kind::Count {
                    self.1.push(token.hash);
                }
                ["passed", "通过"].contains(&&self.0[token.start..token.end]).then_some(2)
            }
        }
        let mut counted = Counted(text, Vec::new());
        walk(text, &mut counted);
        counted.1
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
    fn what_stands_between_ends_no_phrase() {
        let twelve = counts("12 passed");
        for one in ["12 passed, 3", "3; 12 passed. 4", "共 12 项通过，3 项", "3\n12 passed\n4"] {
            assert_eq!(counts(one), twelve, "{one}");
        }
        for end in ["\n", ", ", "; ", ". ", "! ", "? ", "，", "；", "、", "。", "！", "？"] {
            for none in [format!("12{end}passed"), format!("passed{end}12"), format!("12{end}通过")] {
                assert_eq!(counts(&none), Vec::<u64>::new(), "{none}");
            }
        }
        // A table's cells.
        assert_eq!(counts("| passed | 12 |"), twelve);
    }

    #[test]
    fn each_result_has_the_figure_before_it() {
        assert_eq!(counts("3 of 12 passed"), counts("12 passed"));
    }
}
