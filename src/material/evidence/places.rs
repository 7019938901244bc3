//! Hits become places: a short line is one, of a long line each stretch that holds hits.

use std::ops::Range;

use super::claims::Source;
use super::hits::{Hit, Hits, Looked, Voice};
use super::tables::{LINE, SPAN};

/// A line, or a stretch of a long one, that holds something that is looked for.
#[derive(Debug)]
pub(super) struct Place<'t> {
    /// Where the text stands.
    pub(super) source: Source,
    /// Which text of that entry.
    pub(super) number: usize,
    /// The whole text.
    pub(super) text: &'t str,
    /// Who wrote it.
    pub(super) voice: Voice,
    /// From the first token to the last, in bytes.
    pub(super) span: Range<usize>,
    /// The line without its end, in bytes.
    pub(super) line: Range<usize>,
    /// Whether the line is shown whole.
    pub(super) is_short: bool,
    /// The different needles met there that are not common, and results.
    pub(super) hits: Vec<Hit>,
    /// What it is worth, in thousandths of a vote.
    pub(super) weight: u32,
    /// Whether a claim leans on it, or it is a result of a rare kind.
    pub(super) is_named: bool,
}

/// All places, in the order in which they were met.
pub(super) fn of<'t>(hits: &Hits<'_, 't>) -> Vec<Place<'t>> {
    let mut places = Vec::new();
    for looked in &hits.texts {
        let of_text = hits.all.get(looked.hits.clone()).unwrap_or_default();
        // What turned out to be common in the end is no hit.
        let of_text = of_text.iter().filter(|hit| hit.result.is_some() || hits.count(hit.needle).is_some());
        push_places(&mut places, looked, of_text);
    }
    places
}

fn push_places<'h, 't>(into: &mut Vec<Place<'t>>, looked: &Looked<'t>, hits: impl Iterator<Item = &'h Hit>) {
    let Looked { source, number, text, voice, .. } = looked;
    let chars = |part: Range<usize>| text.get(part).map_or(0, |part| part.chars().count());
    let mut open: Option<Place<'t>> = None;
    for hit in hits {
        if let Some(place) = &mut open
            && hit.end <= place.line.end
            && (place.is_short || chars(place.span.start..hit.end) <= SPAN)
        {
            place.span = place.span.start.min(hit.start)..hit.end;
            if !place.hits.iter().any(|known| (known.needle, known.result) == (hit.needle, hit.result)) {
                place.hits.push(*hit);
            }
            continue;
        }
        let known = open.take().map(|place| {
            let line = (place.line.clone(), place.is_short);
            into.push(place);
            line
        });
        let (line, is_short) = known.filter(|(line, _)| hit.end <= line.end).unwrap_or_else(|| {
            let line = line_round(text.as_bytes(), hit.start, hit.end);
            let is_short = line.len() <= LINE || chars(line.clone()) <= LINE;
            (line, is_short)
        });
        open = Some(Place {
            source: *source,
            number: *number,
            text,
            voice: *voice,
            span: hit.start..hit.end,
            line,
            is_short,
            hits: vec![*hit],
            weight: 0,
            is_named: false,
        });
    }
    into.extend(open);
}

/// The line that holds these bytes.
fn line_round(bytes: &[u8], start: usize, end: usize) -> Range<usize> {
    let before = bytes.get(..start).and_then(|before| memchr::memrchr(b'\n', before));
    let after = bytes.get(end..).and_then(|after| memchr::memchr(b'\n', after));
    before.map_or(0, |at| at + 1)..after.map_or(bytes.len(), |at| end + at)
}
