//! The weightiest places of an entry as windows of its texts.

use std::collections::HashSet;
use std::ops::Range;

use super::hits::Voice;
use super::places::Place;
use super::tables::{ENOUGH, ENOUGH_DONE, STRETCH, WINDOWS};
use super::{Kept, Window};

/// What is to be kept of an entry with so many texts. `is_cut_last`: it counts as referred to anyway.
pub(super) fn chosen(mut places: Vec<Place<'_>>, n_texts: usize, is_cut_last: bool) -> Kept {
    let is_named = is_cut_last || places.iter().any(|place| place.is_named);
    // Of equals the first one stays the first: the sort is stable.
    places.sort_by_key(|place| u32::MAX - place.weight);
    // Of each text of what was changed the weightiest place comes first, however little it weighs.
    let mut changed = HashSet::new();
    let (mut chosen, others): (Vec<Place<'_>>, Vec<Place<'_>>) = places.into_iter().partition(|place| {
        let is_change = is_cut_last && place.voice == Voice::Input && place.weight > 0;
        is_change && changed.insert(place.number)
    });
    let enough = |voice| if voice == Voice::Input { ENOUGH_DONE } else { ENOUGH };
    chosen.extend(others.into_iter().filter(|place| place.weight >= enough(place.voice)));
    chosen.truncate(WINDOWS);
    let places = chosen;
    let mut pieces: Vec<(&str, Vec<Range<usize>>)> = Vec::new();
    if !places.is_empty() {
        pieces.resize(n_texts, ("", Vec::new()));
    }
    for place in places {
        if let Some((text, pieces)) = pieces.get_mut(place.number) {
            *text = place.text;
            let piece = piece(&place, pieces);
            pieces.extend((!piece.is_empty()).then_some(piece));
        }
    }
    let windows = pieces.into_iter().map(|(text, pieces)| counted(text, pieces));
    Kept { is_named, windows: windows.collect() }
}

/// The line with its ends where it is short, else what stands round the tokens; without what other windows show.
fn piece(place: &Place<'_>, others: &[Range<usize>]) -> Range<usize> {
    let Range { mut start, mut end } = if place.is_short {
        place.line.start.saturating_sub(1)..place.text.len().min(place.line.end + 1)
    } else {
        stretch(place)
    };
    for other in others {
        if other.start <= start && start < other.end {
            start = other.end;
        }
        if start < other.start && other.start < end {
            end = other.start;
        }
    }
    start..end
}

/// The pieces of a text, in the order given, with their places in characters. The text is counted once.
fn counted(text: &str, pieces: Vec<Range<usize>>) -> Vec<Window> {
    let chars = |part: Range<usize>| text.get(part).map_or(0, |part| part.chars().count());
    let mut windows: Vec<Window> =
        pieces.into_iter().map(|bytes| Window { bytes, chars: Range::default(), text_chars: 0 }).collect();
    let mut in_order: Vec<&mut Window> = windows.iter_mut().collect();
    in_order.sort_by_key(|window| window.bytes.start);
    let (mut at, mut n_chars) = (0, 0);
    for window in in_order {
        let start = n_chars + chars(at..window.bytes.start);
        window.chars = start..start + chars(window.bytes.clone());
        (at, n_chars) = (window.bytes.end, window.chars.end);
    }
    if !windows.is_empty() {
        n_chars += chars(at..text.len());
    }
    for window in &mut windows {
        window.text_chars = n_chars;
    }
    windows
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

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests {
    use super::super::claims::Source;
    use super::*;

    fn place<'t>(text: &'t str, what: &str, weight: u32) -> Place<'t> {
        let start = text.find(what).unwrap();
        let before = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let after = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Place {
            source: Source { turn: 0, entry: Some(0) },
            number: 0,
            text,
            voice: Voice::Output,
            span: start..start + what.len(),
            line: before..after,
            is_short: after - before <= 100,
            hits: Vec::new(),
            weight,
            is_named: true,
        }
    }

    fn shown<'t>(text: &'t str, places: Vec<Place<'t>>) -> Vec<&'t str> {
        let kept = chosen(places, 1, false);
        for window in kept.of(0) {
            assert_eq!(text[..window.bytes.start].chars().count(), window.chars.start);
            assert_eq!(text[..window.bytes.end].chars().count(), window.chars.end);
        }
        kept.of(0).iter().map(|window| &text[window.bytes.clone()]).collect()
    }

    #[test]
    fn a_short_line_is_whole_and_the_weightiest_comes_first() {
        let text = "一\ntwo here\n三\nfour\n五";
        assert_eq!(
            shown(text, vec![place(text, "two", 400), place(text, "four", 900)]),
            ["\nfour\n", "\ntwo here\n"]
        );
    }

    #[test]
    fn windows_do_not_overlap() {
        let text = "one\ntwo\nthree";
        assert_eq!(shown(text, vec![place(text, "two", 900), place(text, "one", 400)]), ["\ntwo\n", "one"]);
        assert_eq!(shown(text, vec![place(text, "two", 900), place(text, "wo", 400)]), ["\ntwo\n"]);
    }

    #[test]
    fn of_a_long_line_a_stretch_without_half_words_is_kept() {
        let words = "abc ".repeat(100);
        let text = format!("{words}ERR_7 {words}");
        let [window] = shown(&text, vec![place(&text, "ERR_7", 900)])[..] else { panic!("one window") };
        assert!(window.contains("ERR_7") && window.chars().count() <= STRETCH);
        assert!(window.split_whitespace().all(|word| ["abc", "ERR_7"].contains(&word)), "{window}");
    }

    #[test]
    fn each_text_of_a_change_has_a_window_however_little_its_places_weigh() {
        let texts = ["one\ntwo\nthree", "four\nfive"];
        let place = |number: usize, what, weight| Place {
            number,
            voice: Voice::Input,
            ..place(texts[number], what, weight)
        };
        let places =
            || vec![place(0, "one", 2), place(0, "two", 3), place(1, "four", 1), place(1, "five", 0)];
        let n_windows = |is_cut_last| [0, 1].map(|text| chosen(places(), 2, is_cut_last).of(text).len());
        assert_eq!((n_windows(true), n_windows(false)), ([1, 1], [0, 0]));
        assert!(chosen(places(), 2, true).of(0)[0].bytes.contains(&4), "the weightiest");
    }

    #[test]
    fn what_weighs_too_little_has_no_window_and_there_are_eight_at_most() {
        let text: Vec<String> = (0..20).map(|n| format!("line{n:02}\n")).collect();
        let text = text.concat();
        let places =
            |weight| (0..20).map(|n| place(&text, &format!("line{n:02}"), weight)).collect::<Vec<_>>();
        assert_eq!(shown(&text, places(ENOUGH)).len(), WINDOWS);
        assert!(shown(&text, places(ENOUGH - 1)).is_empty());
    }
}
