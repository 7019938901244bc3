//! What changed in a text, for people: line by line with numbers (10.1), or as a unified diff. Settings may hold keys,
//! and a screen is shared easily: they are blotted out.

use crate::redact;
use similar::{ChangeTag, TextDiff};

/// The changed lines, each as `第 3 行 + …` (number in the new text) or `第 3 行 - …` (in the old one).
pub(super) fn lines(old: &str, new: &str) -> Vec<String> {
    TextDiff::from_lines(old, new)
        .iter_all_changes()
        .filter_map(|change| {
            let (sign, index) = match change.tag() {
                ChangeTag::Delete => ('-', change.old_index()),
                ChangeTag::Insert => ('+', change.new_index()),
                ChangeTag::Equal => return None,
            };
            let text = change.value().trim_end_matches(['\r', '\n']);
            Some(redact::error_text(&format!("第 {} 行 {sign} {text}", index.unwrap_or_default() + 1)))
        })
        .collect()
}

/// A diff as `diff -u` prints it; empty when nothing changed.
pub(super) fn unified(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(path, path).to_string();
    redact::error_text(&diff)
}

#[cfg(test)]
mod tests {
    use super::{lines, unified};

    #[test]
    fn r10_1_changed_lines_carry_their_numbers() {
        let (old, new) = ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
        assert_eq!(
            lines(old, new),
            ["第 2 行 -   \"a\": 1", "第 2 行 +   \"a\": 1,", "第 3 行 +   \"b\": 2"]
        );
        assert_eq!(lines(new, new), Vec::<String>::new());
        assert_eq!(unified("s", new, new), "");
        assert!(unified("s", old, new).contains("\n+  \"b\": 2\n"));
    }
}
