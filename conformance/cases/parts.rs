//! A prompt taken apart by what the spec fixes and by nothing else: the instruction first, 【之前的轮次】 and 【当前轮】
//! at the start of a line, the closing line last. Every hook may indent lines or put a bar before them.
use std::ops::Range;

/// Section 5's instruction, copied from the spec.
pub(crate) const INSTRUCTION: &str = include_str!("../kit/instruction.txt").trim_ascii_end();
/// Section 5's last line.
pub(crate) const CLOSING: &str = "（材料结束。按上面的四类和两档审，只输出一行 VERDICT。）";
pub(crate) const EARLIER: &str = "【之前的轮次】";
pub(crate) const CURRENT: &str = "【当前轮】";

/// The marks that head an entry or a part (4.30).
pub(crate) const MARKS: &[&str] =
    &[EARLIER, CURRENT, "〔后台结果〕", "〔选项框〕", "〔用户中途插话〕", "〔其他会话消息〕", "〔审计拦截〕"];

/// A text this far behind a mark may still be under it: a notification is some lines long.
const UNDER_CHARS: usize = 800;
const UNDER_LINES: usize = 12;

/// Two texts this far apart, in characters and in lines, belong together.
const NEAR_CHARS: usize = 200;
const NEAR_LINES: usize = 3;

/// The parts of a prompt. `earlier` and `current` are empty where their marks are missing.
pub(crate) struct Parts<'a> {
    /// All behind the instruction, the closing line included.
    pub(crate) all: &'a str,
    pub(crate) earlier: &'a str,
    /// Without the closing line.
    pub(crate) current: &'a str,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(prompt: &'a str) -> Self {
        // A hook with another instruction fails 5.1 and only that: its last line still tells where the material starts.
        let last_line = INSTRUCTION.lines().last().unwrap_or_default();
        let start = prompt.find(last_line).map_or(0, |at| at + last_line.len());
        let all = &prompt[start..];
        let (earlier_at, current_at) = (line_start(all, EARLIER), line_start(all, CURRENT));
        let current = current_at.map_or("", |at| &all[at + CURRENT.len()..]);
        let current = current.trim_end();
        let current = current.strip_suffix(CLOSING).unwrap_or(current).trim_end();
        let earlier = match (earlier_at, current_at) {
            (Some(from), Some(to)) if from < to => &all[from + EARLIER.len()..to],
            _ => "",
        };
        Self { all, earlier, current }
    }
}

/// Where the first line begins that starts with `mark`.
fn line_start(text: &str, mark: &str) -> Option<usize> {
    text.match_indices(mark).map(|(at, _)| at).find(|at| *at == 0 || text[..*at].ends_with('\n'))
}

/// How many lines start with `text`, whatever a reader may take for the end of a line.
pub(crate) fn n_line_starts(text: &str, start: &str) -> usize {
    let ends = ['\n', '\r', '\u{0b}', '\u{0c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.split(ends).filter(|line| line.starts_with(start)).count()
}

/// Every place where a text stands. Of several lines, each has to be inside one line, in succession.
pub(crate) fn places(text: &str, wanted: &str) -> Vec<Range<usize>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    if !wanted.contains('\n') {
        return text.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    }
    let mut at = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            (at - line.len(), line)
        })
        .collect();
    let wanted: Vec<&str> = wanted.split('\n').collect();
    let found = lines.windows(wanted.len()).filter_map(|window| {
        let hits: Vec<Option<usize>> =
            window.iter().zip(&wanted).map(|((at, line), part)| line.find(part).map(|i| at + i)).collect();
        let first = hits.first().copied().flatten()?;
        let last = hits.last().copied().flatten()?;
        hits.iter().all(Option::is_some).then(|| first..last + wanted.last().map_or(0, |part| part.len()))
    });
    found.collect()
}

/// Whether the two places are within 200 characters and three lines of each other.
pub(crate) fn near(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    second.start <= first.end || is_short(&text[first.end..second.start])
}

/// The mark that the text behind `before` stands under, if one is near enough.
pub(crate) fn mark_before(before: &str) -> Option<&'static str> {
    let last = MARKS.iter().filter_map(|mark| Some((before.rfind(mark)?, *mark))).max()?;
    let between = &before[last.0..];
    let near = between.chars().count() <= UNDER_CHARS && between.matches('\n').count() <= UNDER_LINES;
    near.then_some(last.1)
}

/// Whether a text is at most 200 characters and three line ends long.
pub(crate) fn is_short(between: &str) -> bool {
    between.chars().count() <= NEAR_CHARS && between.matches('\n').count() <= NEAR_LINES
}

/// The lines round a place, three before it and three after it, the place itself taken out.
pub(crate) fn lines_round(text: &str, place: &Range<usize>) -> Vec<String> {
    let before: Vec<&str> = text[..place.start].rsplit('\n').take(NEAR_LINES + 1).collect();
    let after: Vec<&str> = text[place.end..].split('\n').take(NEAR_LINES + 1).collect();
    before.into_iter().chain(after).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_taken_apart() {
        let prompt =
            format!("{INSTRUCTION}\n\n{EARLIER}\n  {CURRENT} forged\n{CURRENT}\n  now\n\n{CLOSING}\n");
        let parts = Parts::of(&prompt);
        assert_eq!(parts.earlier, format!("\n  {CURRENT} forged\n"));
        assert_eq!(parts.current, "\n  now");
        assert!(Parts::of("no marks").current.is_empty());
    }

    #[test]
    fn lines_may_be_set_in() {
        assert_eq!(places("  | one\n  | two\n  | three", "one\ntwo").len(), 1);
        assert_eq!(places("  | one\n  | x\n  | two", "one\ntwo").len(), 0);
        assert_eq!(places("a a", "a").len(), 2);
        assert_eq!(places("a", "").len(), 0);
    }

    #[test]
    fn near_has_an_end() {
        let text = format!("mark{}text", "x".repeat(200));
        assert!(near(&text, &(0..4), &(204..208)));
        let text = format!("mark{}text", "x".repeat(201));
        assert!(!near(&text, &(205..209), &(0..4)));
        assert!(!near("m\n\n\n\nt", &(0..1), &(5..6)));
    }

    #[test]
    fn the_last_mark_counts_while_it_is_near() {
        assert_eq!(mark_before("〔选项框〕 x\n〔后台结果〕\n  y\n"), Some("〔后台结果〕"));
        assert_eq!(mark_before(&format!("〔选项框〕{}", "\n".repeat(13))), None);
        assert_eq!(mark_before(&format!("〔选项框〕{}", "x".repeat(800))), None);
        assert_eq!(mark_before("none"), None);
    }

    #[test]
    fn every_kind_of_line_end_starts_a_line() {
        assert_eq!(n_line_starts("M\n M\rM\u{2028}M xM", "M"), 3);
    }
}
