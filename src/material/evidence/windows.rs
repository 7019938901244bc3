//! The weightiest places of an entry as windows of its texts.

use std::cmp::Reverse;
use std::ops::Range;

use super::hits::Voice;
use super::places::Place;
use super::tables::{ENOUGH, ENOUGH_DONE, STRETCH, WINDOWS};
use super::{Kept, Window};

/// What is to be kept of an entry with these places. `is_cut_last`: it counts as referred to anyway.
pub(super) fn chosen(places: &[Place<'_>], is_cut_last: bool) -> Kept {
    let is_named = is_cut_last || places.iter().any(|place| place.is_named);
    let is_change = |place: &Place<'_>| is_cut_last && place.of.voice == Voice::Input && place.weight > 0;
    let is_enough =
        |place: &Place<'_>| place.weight >= if place.of.voice == Voice::Input { ENOUGH_DONE } else { ENOUGH };
    let mut places: Vec<&Place<'_>> =
        places.iter().filter(|place| is_enough(place) || is_change(place)).collect();
    // Of equals the first one stays the first: the sort is stable.
    places.sort_by_key(|place| Reverse(place.weight));
    // Of each text of what was changed the weightiest place comes first, however little it weighs.
    let mut changed = Vec::new();
    let (mut chosen, others): (Vec<&Place<'_>>, Vec<&Place<'_>>) = places.into_iter().partition(|place| {
        let is_first = is_change(place) && !changed.contains(&place.of.number);
        changed.extend(is_first.then_some(place.of.number));
        is_first
    });
    chosen.extend(others.into_iter().filter(|place| is_enough(place)));
    chosen.truncate(WINDOWS);
    let n_texts = chosen.iter().map(|place| place.of.number + 1).max().unwrap_or_default();
    let mut pieces: Vec<(&str, Vec<Range<usize>>)> = vec![("", Vec::new()); n_texts];
    for place in chosen {
        if let Some((text, pieces)) = pieces.get_mut(place.of.number) {
            *text = place.of.text;
            let piece = piece(place, pieces);
            pieces.extend((!piece.is_empty()).then_some(piece));
        }
    }
    let windows = pieces.into_iter().map(|(text, pieces)| counted(text, pieces));
    Kept { is_named, windows: windows.collect() }
}

/// The line with its ends where it is short, else what stands round the tokens; without what other windows show.
fn piece(place: &Place<'_>, others: &[Range<usize>]) -> Range<usize> {
    let Range { mut start, mut end } = if place.is_short {
        place.line.start.saturating_sub(1)..place.of.text.len().min(place.line.end + 1)
    } else {
        stretch(place)
    };
    for other in others {
        if other.contains(&start) {
            start = other.end;
        }
        if (start..end).contains(&other.start) {
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
    let part = |part: Range<usize>| place.of.text.get(part).unwrap_or_default();
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
    use super::super::hits::Looked;
    use super::*;

    fn looked(text: &str, number: usize, voice: Voice) -> Looked<'_> {
        Looked { source: Source::FIRST, number, text, voice, hits: 0..0 }
    }

    fn place<'t>(of: &'t Looked<'t>, what: &str, weight: u32) -> Place<'t> {
        let text = of.text;
        let start = text.find(what).unwrap();
        let before = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let after = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Place {
            of,
            span: start..start + what.len(),
            line: before..after,
            hits: 0..0,
            weight,
            is_short: after - before <= 100,
            is_named: true,
        }
    }

    fn shown<'t>(text: &'t str, places: &[(&str, u32)]) -> Vec<&'t str> {
        let looked = looked(text, 0, Voice::Output);
        let places: Vec<Place<'_>> =
            places.iter().map(|(what, weight)| place(&looked, what, *weight)).collect();
        let kept = chosen(&places, false);
        for window in kept.of(0) {
            assert_eq!(text[..window.bytes.start].chars().count(), window.chars.start);
            assert_eq!(text[..window.bytes.end].chars().count(), window.chars.end);
            assert_eq!(text.chars().count(), window.text_chars);
        }
        kept.of(0).iter().map(|window| &text[window.bytes.clone()]).collect()
    }

    #[test]
    fn a_short_line_is_whole_and_the_weightiest_comes_first() {
        let text = "一\ntwo here\n三\nfour\n五";
        assert_eq!(shown(text, &[("two", 400), ("four", 900)]), ["\nfour\n", "\ntwo here\n"]);
    }

    #[test]
    fn windows_do_not_overlap() {
        let text = "one\ntwo\nthree";
        assert_eq!(shown(text, &[("two", 900), ("one", 400)]), ["\ntwo\n", "one"]);
        assert_eq!(shown(text, &[("two", 900), ("wo", 400)]), ["\ntwo\n"]);
        assert_eq!(shown(text, &[("two", 900), ("three", 400), ("one", 350)]), ["\ntwo\n", "three", "one"]);
        // Of a long line the lighter one has what the heavier one leaves, on either side.
        let gap = |n| "、".repeat(n);
        let text = format!("{}ERR_10{}ERR_20{}ERR_30{}", gap(99), gap(60), gap(60), gap(99));
        let expected = [
            format!("{}ERR_20{}", gap(37), gap(37)),
            format!("{}ERR_10{}", gap(37), gap(23)),
            format!("{}ERR_30{}", gap(23), gap(37)),
        ];
        assert_eq!(shown(&text, &[("ERR_20", 900), ("ERR_10", 400), ("ERR_30", 350)]), expected);
        assert!(expected[0].chars().count() == STRETCH, "as much as a window may show");
    }

    #[test]
    fn of_a_long_line_a_stretch_without_half_words_is_kept() {
        let words = "abc ".repeat(100);
        let text = format!("{words}ERR_7 {words}");
        let [window] = shown(&text, &[("ERR_7", 900)])[..] else { panic!("one window") };
        assert!(window.contains("ERR_7") && window.chars().count() <= STRETCH);
        assert!(window.split_whitespace().all(|word| ["abc", "ERR_7"].contains(&word)), "{window}");
    }

    #[test]
    fn a_side_ends_before_the_word_that_would_be_cut() {
        for (outwards, n_chars, shown) in [
            (" abc def", 3, " "),
            (" abc def", 4, " abc"),
            (" abc def", 5, " abc "),
            (" abc def", 6, " abc "),
            (" abc def", 8, " abc def"),
            (" abc def", 9, " abc def"),
            (" ab_cd", 3, " "),
            (" ab.cd", 3, " "),
            (" ab-cd", 3, " ab"),
            (" 中文字", 3, " 中文"),
            ("é、ab、cd", 5, "é、ab、"),
            // Nothing else is there.
            ("abcdef", 3, "abc"),
            ("", 3, ""),
        ] {
            let n_bytes = bytes_of_side(outwards.chars(), n_chars);
            assert_eq!(&outwards[..n_bytes], shown, "{n_chars} of {outwards}");
        }
    }

    #[test]
    fn each_text_of_a_change_has_a_window_however_little_its_places_weigh() {
        let texts = ["one\ntwo\nthree", "four\nfive", "six", "seven\neight"];
        let voices = [Voice::Input, Voice::Input, Voice::Input, Voice::Output];
        let looked: Vec<Looked<'_>> =
            (0..4).map(|number| looked(texts[number], number, voices[number])).collect();
        let places = [
            place(&looked[0], "one", 2),
            place(&looked[0], "two", 3),
            place(&looked[1], "four", 1),
            place(&looked[1], "five", ENOUGH_DONE),
            // One of no weight at all is none.
            place(&looked[2], "six", 0),
            // What came back is no change.
            place(&looked[3], "seven", ENOUGH - 1),
        ];
        let windows = |is_cut_last| {
            let kept = chosen(&places, is_cut_last);
            [0, 1, 2, 3].map(|text| {
                let windows = kept.of(text).iter();
                windows.map(|window| texts[text][window.bytes.clone()].trim()).collect::<Vec<_>>()
            })
        };
        assert_eq!(windows(true), [vec!["two"], vec!["five"], vec![], vec![]], "the weightiest");
        assert_eq!(windows(false), [vec![], vec!["five"], vec![], vec![]]);
    }

    #[test]
    fn of_many_windows_the_first_one_of_each_text_of_a_change_comes_before_heavier_ones() {
        let lines: Vec<String> = (0..20).map(|n| format!("line{n:02}")).collect();
        let first = lines.join("\n");
        let texts =
            [(first.as_str(), Voice::Input), ("small", Voice::Input), (first.as_str(), Voice::Output)];
        let looked: Vec<Looked<'_>> =
            (0..3).map(|number| looked(texts[number].0, number, texts[number].1)).collect();
        let mut places: Vec<Place<'_>> = lines.iter().map(|line| place(&looked[0], line, 900)).collect();
        places.push(place(&looked[1], "small", 1));
        places.push(place(&looked[2], "line07", 950));
        let n_windows = |is_cut_last| {
            let kept = chosen(&places, is_cut_last);
            [0, 1, 2].map(|text| kept.of(text).len())
        };
        assert_eq!(n_windows(true), [WINDOWS - 2, 1, 1]);
        assert_eq!(n_windows(false), [WINDOWS - 1, 0, 1]);
    }

    #[test]
    fn an_entry_counts_as_referred_to_where_one_of_its_places_is_or_it_is_cut_last() {
        let looked = looked("one\ntwo", 0, Voice::Output);
        let places = |is_named: [bool; 2]| {
            let [one, two] = [("one", is_named[0]), ("two", is_named[1])]
                .map(|(what, is_named)| Place { is_named, ..place(&looked, what, 900) });
            [one, two]
        };
        for (is_named, is_cut_last, expected) in [
            ([false, false], false, false),
            ([false, true], false, true),
            ([false, false], true, true),
            ([true, true], true, true),
        ] {
            assert_eq!(
                chosen(&places(is_named), is_cut_last).is_named,
                expected,
                "{is_named:?} {is_cut_last}"
            );
        }
        assert_eq!([false, true].map(|is_cut_last| chosen(&[], is_cut_last).is_named), [false, true]);
    }

    #[test]
    fn what_weighs_too_little_has_no_window_and_there_are_eight_at_most() {
        let text: Vec<String> = (0..20).map(|n| format!("line{n:02}\n")).collect();
        let text = text.concat();
        let names: Vec<String> = (0..20).map(|n| format!("line{n:02}")).collect();
        let places = |weight| names.iter().map(|name| (name.as_str(), weight)).collect::<Vec<_>>();
        assert_eq!(shown(&text, &places(ENOUGH)).len(), WINDOWS);
        assert!(shown(&text, &places(ENOUGH - 1)).is_empty());
        // What Claude did needs less.
        let looked = looked(&text, 0, Voice::Input);
        let n_windows = [ENOUGH_DONE - 1, ENOUGH_DONE]
            .map(|weight| chosen(&[place(&looked, "line07", weight)], false).of(0).len());
        assert_eq!(n_windows, [0, 1]);
    }
}
