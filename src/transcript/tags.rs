//! The tagged blocks that the client puts round and into texts.
//!
//! They are no XML: what is between two tags may hold anything, so the last closing tag of a name counts.

/// Blocks that the client adds to what a person wrote; taken off at the beginning and the end of a text only.
const ADDED_BLOCKS: [&str; 8] = [
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "artifact-view-context",
    "user-prompt-submit-hook",
    "session-start-hook",
    "local-command-caveat",
];

/// What the first `<name>` of the text holds, up to the last `</name>`.
pub fn inner<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}");
    let (_, after) = text.split_once(&open)?;
    // `<name` must be the whole name: a space before attributes or the end of the tag follows.
    if !after.starts_with(['>', ' ']) {
        return None;
    }
    let (_, content) = after.split_once('>')?;
    let (content, _) = content.rsplit_once(&format!("</{name}>"))?;
    Some(content)
}

/// What the first `<name>` of the text holds, up to the first `</name>`.
pub fn first_inner<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    after.split_once(&format!("</{name}>")).map(|(inner, _)| inner)
}

/// Whether the text begins with the opening tag `<name>` or `<name …>`.
pub fn opens_with(text: &str, name: &str) -> bool {
    text.strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(name))
        .is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
}

/// The value of an attribute in the text's first tag.
pub fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (tag, _) = text.split_once('>')?;
    let (_, after) = tag.split_once(&format!(" {name}=\""))?;
    after.split_once('"').map(|(value, _)| value)
}

/// The text without the blocks that the client added at its ends, trimmed.
pub fn without_added_blocks(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        for name in ADDED_BLOCKS {
            text = strip_first(text, name).unwrap_or(text).trim();
            text = strip_last(text, name).unwrap_or(text).trim();
        }
        if text.len() == before.len() {
            return text;
        }
    }
}

fn strip_first<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if !opens_with(text, name) {
        return None;
    }
    text.split_once(&format!("</{name}>")).map(|(_, rest)| rest)
}

fn strip_last<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let body = text.strip_suffix(&format!("</{name}>"))?;
    let at = body.rfind(&format!("<{name}"))?;
    // The block begins its own line: a tag quoted in the middle of a sentence is the person's.
    let before = body.get(..at)?;
    if before.is_empty() || before.ends_with('\n') { Some(before) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_blocks_go_and_quoted_ones_stay() {
        assert_eq!(without_added_blocks("ok\n\n<system-reminder>\nplan\n</system-reminder>"), "ok");
        assert_eq!(without_added_blocks("<ide_opened_file>x</ide_opened_file>Explain."), "Explain.");
        let quoted = "why <system-reminder>x</system-reminder>";
        assert_eq!(without_added_blocks(quoted), quoted);
        assert_eq!(without_added_blocks("<system-reminder>only</system-reminder>"), "");
    }

    #[test]
    fn inner_takes_the_last_closing_tag() {
        assert_eq!(inner("<result>a</result>b</result>", "result"), Some("a</result>b"));
        assert_eq!(inner("<results>a</results>", "result"), None);
        assert_eq!(attribute("<x from-name=\"p\" a=\"b\">", "from-name"), Some("p"));
    }
}
