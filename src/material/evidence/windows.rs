//! The weightiest places of an entry as windows of its texts.

use std::ops::Range;

use super::places::Place;
use super::tables::{ENOUGH, STRETCH, WINDOWS};
use super::{Kept, Window};

/// What is to be kept of an entry with so many texts. `is_cut_last`: it counts as referred to anyway.
pub(super) fn chosen(mut places: Vec<Place<'_>>, n_texts: usize, is_cut_last: bool) -> Kept {
    let is_named = is_cut_last || places.iter().any(|place| place.is_named);
    places.retain(|place| place.weight >= ENOUGH);
    // Of equals the first one stays the first: the sort is stable.
    places.sort_by_key(|place| u32::MAX - place.weight);
    places.truncate(WINDOWS);
    let mut windows: Vec<Vec<Window>> = Vec::new();
    if !places.is_empty() {
        windows.resize(n_texts, Vec::new());
    }
    for place in places {
        if let Some(windows) = windows.get_mut(place.number) {
            windows.extend(window(&place, windows));
        }
    }
    Kept { is_named, windows }
}

/// The line with its ends where it is short, else what stands round the tokens; without what other windows show.
fn window(place: &Place<'_>, others: &[Window]) -> Option<Window> {
    let text = place.text;
    let Range { mut start, mut end } = if place.is_short {
        place.line.start.saturating_sub(1)..text.len().min(place.line.end + 1)
    } else {
        stretch(place)
    };
    for other in others {
        if other.bytes.start <= start && start < other.bytes.end {
            start = other.bytes.end;
        }
        if start < other.bytes.start && other.bytes.start < end {
            end = other.bytes.start;
        }
    }
    let before = text.get(..start)?.chars().count();
    let n_chars = text.get(start..end)?.chars().count();
    (n_chars > 0).then(|| Window { bytes: start..end, chars: before..before + n_chars })
}

/// The tokens and as many characters on both sides as a window has left, no word cut in two.
fn stretch(place: &Place<'_>) -> Range<usize> {
    let part = |part: Range<usize>| place.text.get(part).unwrap_or_default();
    let side = STRETCH.saturating_sub(part(place.span.clone()).chars().count()) / 2;
    let before = part(place.line.start..place.span.start).chars().rev();
    let after = part(place.span.end..place.line.end).chars();
    place.span.start - bytes_of_side(before, side)..place.span.end + bytes_of_side(after, side)
}

/// How many bytes of the characters that lead away from the tokens a window shows: at most this many characters, and
/// not the beginning of a word that would be cut, unless it is all there is.
fn bytes_of_side(outwards: impl Iterator<Item = char>, n_chars: usize) -> usize {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (mut bytes, mut last_gap) = (0, 0);
    for (index, c) in outwards.enumerate() {
        if index == n_chars {
            return if is_of_word(c) && last_gap > 0 { last_gap } else { bytes };
        }
        bytes += c.len_utf8();
        if !is_of_word(c) {
            last_gap = bytes;
        }
    }
    bytes
}
