//! A hook's text that is too long for the model: it gets head and tail, and a file gets all of it. Where the file cannot
//! be written, the middle is simply gone.

/// What a text may hold before it is cut, in tokens as Codex counts them here: a quarter of its bytes, rounded up.
pub const LIMIT: usize = 2_500;

const BYTES_PER_TOKEN: usize = 4;

/// What the model gets of a text under a handler's limit (`additionalContextLimit`; 0 is none); `saved_as` is the file
/// that holds the whole, `None` where the disk took none.
pub fn cut(text: &str, limit: usize, saved_as: Option<&str>) -> String {
    if limit == 0 || tokens(text.len()) <= limit {
        return text.to_owned();
    }
    let footer = saved_as.map(|path| format!("\n\nFull hook output saved to: {path}")).unwrap_or_default();
    let left = limit.saturating_sub(tokens(footer.len())) * BYTES_PER_TOKEN;
    let head = text.get(..floor(text, left / 2)).unwrap_or_default();
    let tail = text.get(ceil(text, text.len() - (left - left / 2))..).unwrap_or_default();
    let gone = tokens(text.len() - head.len() - tail.len());
    let (total, lines) = (tokens(text.len()), text.lines().count());
    format!(
        "Warning: truncated output (original token count: {total})\nTotal output lines: {lines}\n\n\
         {head}…{gone} tokens truncated…{tail}{footer}"
    )
}

/// The same with the usual limit and `<path>` in the file's place: a real path is longer, and leaves less of the text.
pub(super) fn placed(text: &str) -> String {
    cut(text, LIMIT, Some("<path>"))
}

fn tokens(n_bytes: usize) -> usize {
    n_bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The last place up to here where a character ends.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first place from here on where one begins.
fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of 0.171.0, with a path of 115 bytes.
    #[test]
    fn the_figures_are_those_of_the_client() {
        let path = "x".repeat(115);
        for (n, gone) in [(10_001, 37), (10_005, 38), (30_000, 5_036)] {
            let text = "H".repeat(n);
            let cut = cut(&text, LIMIT, Some(&path));
            assert!(cut.contains(&format!("…{gone} tokens truncated…")), "{n}");
            assert_eq!(cut.matches('H').count(), 2 * 4_928);
        }
        assert_eq!(cut(&"H".repeat(10_000), LIMIT, Some(&path)).len(), 10_000);
        assert!(cut(&"H".repeat(30_000), LIMIT, None).contains("…5000 tokens truncated…"));
        assert_eq!(cut(&"H".repeat(30_000), 0, None).len(), 30_000);
        assert!(cut(&"H".repeat(200), 10, Some(&path)).contains("\n\n…50 tokens truncated…\n\nFull"));
    }

    #[test]
    fn no_character_is_split() {
        let text = "汉".repeat(3_400);
        let cut = cut(&text, LIMIT, None);
        assert!(cut.starts_with("Warning: truncated output (original token count: 2550)\n"));
        assert!(cut.contains("汉…") && cut.ends_with('汉'));
    }
}
