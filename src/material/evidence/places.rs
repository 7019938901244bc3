//! Hits become places: a short line is one, of a long line each stretch that holds hits.

use std::ops::Range;

use super::hits::{Hit, Hits, Looked};
use super::tables::{LINE, SPAN};

/// A line, or a stretch of a long one, that holds something that is looked for.
#[derive(Debug, Clone)]
pub(super) struct Place<'h> {
    /// The text.
    pub(super) of: &'h Looked<'h>,
    /// From the first token to the last, in bytes.
    pub(super) span: Range<usize>,
    /// The line without its end, in bytes.
    pub(super) line: Range<usize>,
    /// The different needles met there that are not common, and results: which of [`Places::hits`].
    pub(super) hits: Range<usize>,
    /// What it is worth, in thousandths of a vote.
    pub(super) weight: u32,
    /// Whether the line is shown whole.
    pub(super) is_short: bool,
    /// Whether a claim leans on it, or it is a result of a rare kind.
    pub(super) is_named: bool,
}

/// All places, in the order in which they were met.
pub(super) struct Places<'h> {
    pub(super) all: Vec<Place<'h>>,
    /// Their hits, in one list.
    pub(super) hits: Vec<Hit>,
}

impl<'h> Places<'h> {
    /// The places that hold these hits.
    pub(super) fn of(hits: &'h Hits<'_, 'h>) -> Self {
        // Most are of a token that turned out to be common.
        let n = hits.all.len().div_ceil(3);
        let mut places = Places { all: Vec::with_capacity(n.div_ceil(2)), hits: Vec::with_capacity(n) };
        for looked in &hits.texts {
            let of_text = hits.all.get(looked.hits.clone()).unwrap_or_default();
            // What turned out to be common in the end is no hit.
            let of_text =
                of_text.iter().filter(|hit| hit.result.is_some() || hits.count(hit.needle).is_some());
            places.push(looked, of_text);
        }
        places
    }

    fn push(&mut self, of: &'h Looked<'h>, hits: impl Iterator<Item = &'h Hit>) {
        let mut open: Option<Place<'h>> = None;
        for hit in hits {
            if let Some(place) = &mut open
                && hit.end() <= place.line.end
                && (place.is_short || has_at_most(of.text, place.span.start..hit.end(), SPAN))
            {
                place.span = place.span.start.min(hit.start())..hit.end();
                let known = self.hits.get(place.hits.clone()).unwrap_or_default();
                if !known.iter().any(|known| (known.needle, known.result) == (hit.needle, hit.result)) {
                    self.hits.push(*hit);
                    place.hits.end += 1;
                }
                continue;
            }
            let known = open.take().map(|place| {
                let line = (place.line.clone(), place.is_short);
                self.all.push(place);
                line
            });
            let (line, is_short) = known.filter(|(line, _)| hit.end() <= line.end).unwrap_or_else(|| {
                let line = line_round(of.text.as_bytes(), hit.start(), hit.end());
                let is_short = has_at_most(of.text, line.clone(), LINE);
                (line, is_short)
            });
            let first = self.hits.len();
            self.hits.push(*hit);
            open = Some(Place {
                of,
                span: hit.start()..hit.end(),
                line,
                hits: first..first + 1,
                weight: 0,
                is_short,
                is_named: false,
            });
        }
        self.all.extend(open);
    }
}

/// Whether a part of a text has at most so many characters; each has one to four bytes.
fn has_at_most(text: &str, part: Range<usize>, n_chars: usize) -> bool {
    part.len() <= n_chars
        || (part.len() <= n_chars * 4 && text.get(part).map_or(0, |part| part.chars().count()) <= n_chars)
}

/// The line that holds these bytes.
fn line_round(bytes: &[u8], start: usize, end: usize) -> Range<usize> {
    let before = bytes.get(..start).and_then(|before| memchr::memrchr(b'\n', before));
    let after = bytes.get(end..).and_then(|after| memchr::memchr(b'\n', after));
    before.map_or(0, |at| at + 1)..after.map_or(bytes.len(), |at| end + at)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::hits::Voice;
    use super::super::tests::with_hits;
    use super::*;

    /// The places of an output when Claude names `ERR_1`, `ERR_2` and `ERR_3`: the line, what of it was met, how many
    /// different tokens that are, and whether the line is short.
    fn places(output: &str) -> Vec<(String, String, usize, bool)> {
        with_hits("ERR_1。ERR_2。ERR_3。", &[(Voice::Output, output)], |hits| {
            let places = Places::of(hits);
            let told = |place: &Place<'_>| {
                let n_hits = places.hits[place.hits.clone()].len();
                (
                    output[place.line.clone()].to_owned(),
                    output[place.span.clone()].to_owned(),
                    n_hits,
                    place.is_short,
                )
            };
            places.all.iter().map(told).collect()
        })
    }

    #[test]
    fn a_short_line_is_one_place_whatever_stands_on_it() {
        let output = "x\nsee ERR_1, ERR_2 and ERR_1 of 9\ny\nERR_2\nERR_3";
        let line = |line: &str, span: &str, n_hits| (line.to_owned(), span.to_owned(), n_hits, true);
        let expected = [
            line("see ERR_1, ERR_2 and ERR_1 of 9", "ERR_1, ERR_2 and ERR_1", 2),
            line("ERR_2", "ERR_2", 1),
            line("ERR_3", "ERR_3", 1),
        ];
        assert_eq!(places(output), expected);
    }

    #[test]
    fn a_line_is_short_and_a_place_on_a_long_one_ends_by_characters_not_by_bytes() {
        for filler in ["-", "§", "、", "🙂"] {
            let line = |n_chars: usize| format!("{}ERR_1", filler.repeat(n_chars - 5));
            let is_short = [LINE - 1, LINE, LINE + 1, LINE * 5].map(|n_chars| {
                let line = line(n_chars);
                let places = places(&format!("ERR_2\n{line}\nERR_3"));
                let lines: Vec<&str> = places.iter().map(|(line, ..)| line.as_str()).collect();
                assert_eq!(lines, ["ERR_2", &line, "ERR_3"]);
                places[1].3
            });
            assert_eq!(is_short, [true, true, false, false], "{filler}");

            // From the beginning of one token to the end of the other.
            let n_places = [SPAN - 1, SPAN, SPAN + 1, SPAN * 5].map(|n_chars| {
                let between = filler.repeat(n_chars - 10);
                let places = places(&format!("{}ERR_1{between}ERR_2\n", filler.repeat(LINE)));
                let spans: Vec<&str> = places.iter().map(|(_, span, ..)| span.as_str()).collect();
                assert!(
                    spans[0].starts_with("ERR_1") && spans.last().unwrap().ends_with("ERR_2"),
                    "{spans:?}"
                );
                places.len()
            });
            assert_eq!(n_places, [1, 1, 2, 2], "{filler}");
        }
    }
}
