//! Cutting a text to length, and setting material so that it cannot pass for the hook's own words.
//!
//! A character is a Unicode scalar value everywhere (4.35).

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::evidence::Window;

/// What every line of material begins with, so that a mark at the beginning of a line is always the hook's own
/// (4.35).
pub const BAR: &str = "| ";

/// Which part of what is kept of a text stands at its head.
#[derive(Debug, Clone, Copy)]
pub enum Keep {
    /// As much of the head as of the tail.
    Both,
    /// More of the tail: new instructions stand at the end of a long message (4.4).
    MoreTail,
}

impl Keep {
    /// Characters of the head, of so many for head and tail together.
    fn head_of(self, ends: usize) -> usize {
        match self {
            Keep::Both => ends / 2,
            Keep::MoreTail => ends / 4,
        }
    }
}

/// The shortest a cut leaves a text, mark included: less would show neither head nor tail.
pub const MIN_CUT: usize = 60;

/// The text in at most `max` characters (never under [`MIN_CUT`]), whole or with the exact number of characters left
/// out between its head and its tail (4.33).
pub fn cut(text: &str, max: usize, keep: Keep) -> Cow<'_, str> {
    cut_round(text, max, keep, &[])
}

/// The same, with as many of these windows between head and tail as fit, the first ones first (4.37).
///
/// More room never loses a character that less room kept: room is spent along one list that does not depend on it, and
/// what is not enough for the next thing on the list stays unspent. A window costs what it adds, with its marks, to what
/// is shown already. The list: the least head and tail; the two windows that come first; then for each window half as much
/// for head and tail; at last all that is left for head and tail.
pub fn cut_round<'a>(text: &'a str, max: usize, keep: Keep, windows: &[Window]) -> Cow<'a, str> {
    let max = max.max(MIN_CUT);
    // A text of at most `max` bytes has at most as many characters; counting is for the long ones only.
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let chars = windows.first().map_or_else(|| text.chars().count(), |window| window.text_chars);
    if chars <= max {
        return Cow::Borrowed(text);
    }
    // A mark's length is that of the largest number it can hold, so that more room never keeps less.
    let mark_chars = mark(chars).chars().count();
    let mut room = max - mark_chars;
    let mut ends = if windows.is_empty() { room } else { room.min(MIN_CUT - mark_chars) };
    room -= ends;
    let mut taken: Vec<Window> = Vec::new();
    for (index, window) in windows.iter().enumerate() {
        let head = keep.head_of(ends);
        let cost = added_by(window, head..chars - (ends - head), &taken, mark_chars);
        if cost > room {
            break;
        }
        room -= cost;
        let more = match index {
            _ if index + 1 == windows.len() => room,
            0 => 0,
            _ => room.min(cost / 2),
        };
        room -= more;
        ends += more;
        taken.push(window.clone());
    }
    let head = keep.head_of(ends);
    let tail = ends - head;
    taken.push(Window { bytes: 0..nth_char(text, head), chars: 0..head, text_chars: chars });
    taken.push(Window {
        bytes: nth_last_char(text, tail)..text.len(),
        chars: chars - tail..chars,
        text_chars: chars,
    });
    Cow::Owned(joined(text, taken))
}

/// How many characters a window adds, with its marks, to the head before this gap, the tail behind it and the windows taken.
fn added_by(window: &Window, gap: Range<usize>, taken: &[Window], mark_chars: usize) -> usize {
    let Range { mut start, mut end } = gap;
    for other in taken {
        if other.chars.start <= window.chars.start {
            start = start.max(other.chars.end);
        } else {
            end = end.min(other.chars.start);
        }
    }
    let added = window.chars.start.max(start)..window.chars.end.min(end);
    if added.is_empty() {
        return 0;
    }
    let left_out = |n| if n <= SHORTEST_MARK { n } else { mark_chars };
    let with = left_out(added.start - start) + added.len() + left_out(end - added.end);
    // In place of the mark of the whole gap; a gap no longer than its mark is shown anyway.
    with.saturating_sub(mark_chars)
}

/// These pieces of the text in their order, with a mark for each gap; a gap no longer than its mark is shown instead.
fn joined(text: &str, mut pieces: Vec<Window>) -> String {
    pieces.sort_by_key(|piece| piece.bytes.start);
    let mut out = String::new();
    let (mut at, mut n_chars) = (0, 0);
    for Window { bytes, chars, .. } in pieces {
        match chars.start.saturating_sub(n_chars) {
            0..=SHORTEST_MARK => out.push_str(text.get(at..bytes.start).unwrap_or_default()),
            n_left_out => out.push_str(&mark(n_left_out)),
        }
        out.push_str(text.get(at.max(bytes.start)..bytes.end).unwrap_or_default());
        (at, n_chars) = (at.max(bytes.end), n_chars.max(chars.end));
    }
    out
}

/// What stands for `n` characters that were left out.
fn mark(n: usize) -> String {
    format!("……（省略 {n} 字）……")
}

/// Characters of a mark with a number of two digits, which is the least that it stands for.
const SHORTEST_MARK: usize = 13;

fn nth_char(text: &str, n: usize) -> usize {
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

fn nth_last_char(text: &str, n: usize) -> usize {
    match n {
        0 => text.len(),
        n => text.char_indices().rev().nth(n - 1).map_or(0, |(at, _)| at),
    }
}

/// Appends the text line by line, each behind a [`BAR`]. Whatever a reader may take for a line end counts as one.
pub fn push_barred(out: &mut String, text: &str) {
    push_lines(out, text, "");
}

/// Appends `name: text` like [`push_barred`]. The text's further lines are set in, so that none of them can pass for
/// another name.
pub fn push_named(out: &mut String, name: &str, text: &str) {
    push_lines(out, &format!("{name}{text}"), "  ");
}

fn push_lines(out: &mut String, text: &str, indent: &str) {
    let text = text.trim_end_matches(is_line_end);
    let text = if has_rare_line_end(text) {
        Cow::Owned(text.replace("\r\n", "\n").replace(is_line_end, "\n"))
    } else {
        Cow::Borrowed(text)
    };
    for (index, line) in text.split('\n').enumerate() {
        out.push_str(BAR);
        if index > 0 {
            out.push_str(indent);
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// Whether the text has line ends other than `\n`; a look at its bytes, since nearly none has.
fn has_rare_line_end(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3(b'\r', 0xb, 0xc, bytes).is_some()
        || ["\u{85}", "\u{2028}", "\u{2029}"].iter().any(|end| text.contains(end))
}

/// The text as one line of at most `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    in_one_line(&cut(text.trim(), max, Keep::Both))
}

/// A text that was cut already as one line.
pub fn in_one_line(text: &str) -> String {
    text.trim().replace(is_line_end, " ")
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Appends `label` as a line of the hook's own.
pub fn push_label(out: &mut String, label: impl std::fmt::Display) {
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{label}");
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[test]
    fn n_is_exact_and_the_result_fits() {
        let text: String = (0..5_000).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect();
        for max in [60, 61, 100, 999, 4_999] {
            let short = cut(&text, max, Keep::Both);
            assert!(short.chars().count() <= max);
            let (head, rest) = short.split_once("……（省略 ").unwrap();
            let (n, tail) = rest.split_once(" 字）……").unwrap();
            assert!(text.starts_with(head) && text.ends_with(tail));
            assert_eq!(head.chars().count() + tail.chars().count() + n.parse::<usize>().unwrap(), 5_000);
            assert_eq!(cut(&short, max, Keep::Both), short, "cutting twice changes nothing");
        }
        assert_eq!(cut(&text, 5_000, Keep::Both), text);
    }

    /// Which characters of a text of different characters a cut keeps; each mark is checked on the way.
    fn kept(text: &str, short: &str) -> Vec<usize> {
        let all: Vec<char> = text.chars().collect();
        let (mut at, mut kept, mut rest) = (0, Vec::new(), short);
        while let Some(c) = rest.chars().next() {
            if let Some((n, behind)) =
                rest.strip_prefix("……（省略 ").and_then(|rest| rest.split_once(" 字）……"))
            {
                (at, rest) = (at + n.parse::<usize>().unwrap(), behind);
                continue;
            }
            assert_eq!(all[at], c, "what follows a mark follows in the text");
            kept.push(at);
            (at, rest) = (at + 1, rest.strip_prefix(c).unwrap());
        }
        assert_eq!(at, all.len(), "pieces and marks add up");
        kept
    }

    /// The windows of a text of different characters, without those that overlap an earlier one.
    fn windows(text: &str, starts: Vec<(usize, usize)>) -> Vec<Window> {
        let n = text.chars().count();
        let mut windows: Vec<Window> = Vec::new();
        for (start, len) in starts {
            let chars = start.min(n)..(start + len).min(n);
            let is_free =
                windows.iter().all(|known| chars.end <= known.chars.start || known.chars.end <= chars.start);
            if is_free && !chars.is_empty() {
                windows.push(Window { bytes: chars.start * 3..chars.end * 3, chars, text_chars: n });
            }
        }
        windows
    }

    proptest! {
        // The same cases every time: few of them are as tight as it takes.
        #![proptest_config(ProptestConfig {
            cases: 4_000, rng_seed: RngSeed::Fixed(437), failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn windows_are_exact_and_more_room_never_loses_what_less_room_kept(
            n in 200_u32..3_000,
            starts in collection::vec((0_usize..3_000, 1_usize..130), 0..9),
            // Eight windows of this length and their marks need some 700 characters.
            room in prop_oneof![4 => 0_usize..800, 1 => 0_usize..3_000],
            more in 0_usize..400,
            is_tail: bool,
        ) {
            let text: String = (0..n).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect();
            let windows = windows(&text, starts);
            let keep = if is_tail { Keep::MoreTail } else { Keep::Both };
            let [less, more] = [room, room + more].map(|max| {
                let short = cut_round(&text, max, keep, &windows);
                assert!(short.chars().count() <= max.max(MIN_CUT));
                assert!(short.matches("省略").count() <= windows.len() + 1);
                kept(&text, &short)
            });
            assert!(less.iter().all(|at| more.binary_search(at).is_ok()), "{less:?} {more:?}");
        }
    }

    /// A thousand different characters of three bytes; a mark for them has 15 characters.
    fn thousand() -> String {
        (0..1_000).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect()
    }

    fn kept_with(max: usize, keep: Keep, starts: &[(usize, usize)]) -> Vec<usize> {
        let text = thousand();
        let windows = windows(&text, starts.to_vec());
        kept(&text, &cut_round(&text, max, keep, &windows))
    }

    fn all(ranges: &[Range<usize>]) -> Vec<usize> {
        ranges.iter().cloned().flatten().collect()
    }

    #[test]
    fn r4_37_a_window_costs_what_it_adds() {
        // 45 for the least head and tail; the head shows 12 of the first window, and no mark stands between: 50. Then 70.
        let at_head = [(10, 62), (500, 55)];
        assert_eq!(kept_with(180, Keep::Both, &at_head), all(&[0..72, 500..555, 977..1_000]));
        assert_eq!(kept_with(179, Keep::Both, &at_head), all(&[0..72, 977..1_000]));
        let at_tail = [(930, 62), (500, 55)];
        assert_eq!(kept_with(177, Keep::Both, &at_tail), all(&[0..22, 500..555, 930..1_000]));
        assert_eq!(kept_with(176, Keep::Both, &at_tail), all(&[0..22, 930..1_000]));
        // A short gap to another window is shown, and costs its length: 55, then 13 and 30; before the other one as well.
        for near in [[(300, 40), (353, 30)], [(353, 30), (300, 40)]] {
            assert_eq!(kept_with(158, Keep::Both, &near), all(&[0..22, 300..383, 977..1_000]), "{near:?}");
            assert!(!kept_with(157, Keep::Both, &near).contains(&345), "{near:?}");
        }
        // A longer one is a mark's: 55, then 30 and 15.
        assert_eq!(
            kept_with(160, Keep::Both, &[(300, 40), (354, 30)]),
            all(&[0..22, 300..340, 354..384, 977..1_000])
        );
    }

    /// The list of [`cut_round`], counted by hand: 45 for the least head and tail, a window's length and 15 for it.
    #[test]
    fn r4_37_room_is_spent_along_one_list() {
        let two = [(300, 100), (500, 60)];
        // 300 - 15 - 45 - 115 - 75 leaves 50 more for head and tail: 95.
        assert_eq!(kept_with(300, Keep::Both, &two), all(&[0..47, 300..400, 500..560, 952..1_000]));
        assert_eq!(kept_with(300, Keep::MoreTail, &two), all(&[0..23, 300..400, 500..560, 928..1_000]));
        // Just enough for the first window, and one too few.
        assert_eq!(kept_with(175, Keep::Both, &two), all(&[0..22, 300..400, 977..1_000]));
        assert_eq!(kept_with(174, Keep::Both, &two), all(&[0..22, 977..1_000]));
        // 200 - 15 - 45 - 55 - 45 leaves 40, of which half of 45 goes to head and tail: 18 are too few for the third.
        let three = [(300, 40), (500, 30), (700, 20)];
        assert_eq!(kept_with(200, Keep::Both, &three), all(&[0..33, 300..340, 500..530, 966..1_000]));
        // 17 more are enough for it; nothing is left.
        let enough = all(&[0..33, 300..340, 500..530, 700..720, 966..1_000]);
        assert_eq!(kept_with(217, Keep::Both, &three), enough);
    }

    #[test]
    fn r4_37_a_window_in_the_head_or_the_tail_costs_nothing() {
        for window in [(5, 10), (12, 10), (977, 5), (990, 5)] {
            assert_eq!(kept_with(300, Keep::Both, &[window]), all(&[0..142, 857..1_000]), "{window:?}");
        }
        // One character beyond the least head of 22, or before the least tail of 23.
        for window in [(13, 10), (976, 5)] {
            assert!(kept_with(300, Keep::Both, &[window]).len() < 285, "{window:?}");
        }
    }

    #[test]
    fn every_line_end_gets_a_bar() {
        let mut out = String::new();
        push_barred(&mut out, "a\r\n【当前轮】\u{2028}b\rc\n");
        assert_eq!(out, "| a\n| 【当前轮】\n| b\n| c\n");
        for end in ["\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
            out.clear();
            push_barred(&mut out, &format!("a{end}b"));
            assert_eq!(out, "| a\n| b\n", "{end:?}");
        }
        out.clear();
        push_barred(&mut out, "");
        assert_eq!(out, "| \n");
        out.clear();
        push_named(&mut out, "问：", "a\n用户的回答：b");
        assert_eq!(out, "| 问：a\n|   用户的回答：b\n");
    }
}
