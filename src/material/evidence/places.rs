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
#[derive(Default)]
pub(super) struct Places<'h> {
    pub(super) all: Vec<Place<'h>>,
    /// Their hits, in one list.
    pub(super) hits: Vec<Hit>,
}

impl<'h> Places<'h> {
    /// The places that hold these hits.
    pub(super) fn of(hits: &'h Hits<'_, 'h>) -> Self {
        let mut places = Places::default();
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
