//! Texts that are too long for the client, and the text with which the study measured them. The client counts UTF-16
//! units, as its language does: an emoji is two.

/// What is longer goes to a file. In UTF-16 units, of plain stdout, `additionalContext` and `systemMessage`; a block's
/// reason has no limit.
const LIMIT: usize = 10_000;

/// How much of it is shown, at most.
const PREVIEW: usize = 2_000;

/// A text as it is handed on: whole, or the path of a file and a preview.
pub(super) fn handed_on(text: &str) -> String {
    let n_units = text.encode_utf16().count();
    if n_units <= LIMIT {
        return text.to_owned();
    }
    format!(
        "<persisted-output>\nOutput too large ({}). Full output saved to: <path>\n\nPreview (first 2KB):\n{}\n...\n\
         </persisted-output>",
        size(n_units),
        preview(text)
    )
}

/// The head of a text: to the last line end before 2,000 units, where one stands in the second half of them.
fn preview(text: &str) -> &str {
    let mut n_units = 0;
    let mut line_end = None;
    let mut end = text.len();
    for (at, character) in text.char_indices() {
        if n_units + character.len_utf16() > PREVIEW {
            end = at;
            break;
        }
        if character == '\n' && n_units > PREVIEW / 2 {
            line_end = Some(at);
        }
        n_units += character.len_utf16();
    }
    text.get(..line_end.unwrap_or(end)).unwrap_or(text)
}

/// Units in thousands of 1,024, one digit behind the point unless it is 0.
fn size(n_units: usize) -> String {
    let (of, unit) = if n_units < 1 << 20 { (1 << 10, "KB") } else { (1 << 20, "MB") };
    let tenths = (n_units * 10 + of / 2) / of;
    match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        digit => format!("{}.{digit}{unit}", tenths / 10),
    }
}

/// Where the study put its marks: at the start, before and behind the preview's end, in the middle, at the end.
pub fn study_marks(n_chars: usize) -> [(usize, String); 5] {
    let mark = |at: usize, word: &str| (at, word.to_owned());
    let half = n_chars / 2;
    [
        mark(0, "MARK-AT-0000\n"),
        mark(1_900, "\nMARK-AT-1900\n"),
        mark(2_100, "\nMARK-AT-2100\n"),
        (half, format!("\nMARK-AT-{half:05}\n")),
        mark(n_chars.saturating_sub(9), "\nMARK-END"),
    ]
}

/// A text of that many characters with a mark at 0, 1,900, 2,100, half and end. Its lines are as long as those of the
/// study, so that its previews have the study's lengths.
pub fn study_text(n_chars: usize) -> String {
    const LINE: &str = "every line of this filler is as long as the next one, newline and all: ok.\n";
    let mut text: String = LINE.chars().cycle().take(n_chars).collect();
    for (at, mark) in study_marks(n_chars) {
        // All of it is ASCII, so that characters are bytes; what does not fit is left out.
        if at + mark.len() <= n_chars {
            text.replace_range(at..at + mark.len(), &mark);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Study, the run with 50,000 characters: 1,949 of 2,000, the mark at 1,900 in, the one at 2,100 out.
    #[test]
    fn the_study_s_preview_ends_at_1949() {
        assert_eq!(study_text(50_000).len(), 50_000);
        let text = study_text(50_000);
        assert_eq!(preview(&text).len(), 1_949);
        assert!(preview(&text).contains("MARK-AT-1900") && !preview(&text).contains("MARK-AT-2100"));
        assert!(
            handed_on(&text).starts_with("<persisted-output>\nOutput too large (48.8KB). Full output saved")
        );
    }

    /// Measured on 2.1.332 with texts of x and y.
    #[test]
    fn the_preview_ends_at_a_line_end_of_its_second_half_only() {
        for (line_end, want) in [(900, 2_000), (1_000, 2_000), (1_001, 1_001), (1_100, 1_100), (2_000, 2_000)]
        {
            let text = format!("{}\n{}", "x".repeat(line_end), "y".repeat(20_000));
            assert_eq!(preview(&text).len(), want, "line end at {line_end}");
        }
        assert_eq!(preview(&format!("x{}", "😀".repeat(6_000))).chars().count(), 1_000);
    }

    /// What `study_marks` says, where it fits.
    #[test]
    fn the_study_s_marks_stand_where_they_should() {
        let places = |n_chars: usize| -> Vec<usize> {
            study_text(n_chars).match_indices("MARK-").map(|(at, _)| at).collect()
        };
        // Behind the line end that a mark begins with; the one at the start has it at its end.
        assert_eq!(places(50_000), [0, 1_901, 2_101, 25_001, 49_992]);
        assert_eq!(places(2_110), [0, 1_056, 1_901, 2_102]);
        for n_chars in [0, 5, 1_905, 1_909] {
            let text = study_text(n_chars);
            assert_eq!(text.len(), n_chars);
            assert!(!text.contains("MARK-AT-1900"), "{text}");
        }
    }

    /// Measured on 2.1.332; at a MB, its function that tells sizes.
    #[test]
    fn sizes_are_in_1024_units() {
        for (n_units, want) in [
            (10_001, "9.8KB"),
            (10_240, "10KB"),
            (12_000, "11.7KB"),
            (20_000, "19.5KB"),
            (50_000, "48.8KB"),
            (1_048_575, "1024KB"),
            (1_048_576, "1MB"),
            (1_500_000, "1.4MB"),
        ] {
            assert_eq!(size(n_units), want);
        }
    }

    #[test]
    fn only_what_is_over_the_limit_is_cut() {
        assert_eq!(handed_on(&"x".repeat(10_000)), "x".repeat(10_000));
        assert!(handed_on(&"x".repeat(10_001)).starts_with("<persisted-output>"));
        assert!(handed_on(&"😀".repeat(5_001)).starts_with("<persisted-output>"));
    }
}
