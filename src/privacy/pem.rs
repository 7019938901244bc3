//! A private key in PEM, as people and tools print it: whole, cut off, in one line, with line numbers or marks of a diff
//! before each line, escaped in JSON.
//!
//! The words `-----BEGIN … PRIVATE KEY-----` alone are no key: code that looks for keys holds them too.

/// What a block begins with.
pub(super) const BEGIN: &str = "-----BEGIN ";

/// What the rest of a beginning and of an end may hold before their dashes.
const LABEL_MAX: usize = 40;

/// Characters in a row that make a line one of a key: they have 64 and more. Words and paths are shorter.
const LINE: usize = 40;

/// No block is longer, in characters: one of an RSA key of 16,384 bits has a fifth of it.
const MAX: usize = 65_536;

/// The shortest rest of a key in its last line, where no end follows.
const LAST_LINE: usize = 8;

/// Bytes behind [`BEGIN`] that belong to the block; `None` where there is none.
pub(super) fn length(behind: &str) -> Option<usize> {
    // Nothing is looked at for two beginnings, so that many of them cost no more than their length.
    let behind = behind.split(BEGIN).next().unwrap_or_default();
    let behind = behind.char_indices().nth(MAX).and_then(|(at, _)| behind.get(..at)).unwrap_or(behind);
    let label = label(behind)?;
    let mut rest = behind.get(label..)?;
    let mut end = None;
    loop {
        let line = first_line(rest);
        let tokens = tokens(line);
        let is_key = tokens.iter().any(|token| token.len() >= LINE);
        let is_between = tokens.is_empty() || (end.is_none() && is_header(line));
        let closing = line.find("-----END ").filter(|_| is_key || end.is_some());
        let last = closing.or_else(|| {
            // The last line of a key may have any length; its end stands behind it.
            let next = rest.get(line.len()..).map(|rest| first_line(after_line_end(rest)));
            next?.contains("-----END ").then_some(line.len()).filter(|_| end.is_some())
        });
        if closing.is_some() {
            return closing_length(behind, rest, last?);
        }
        if is_key || last.is_some() {
            end = Some(behind.len() - rest.len() + line.len());
        } else if !is_between {
            return end.map(|end| end + torn(behind.get(end..).unwrap_or_default()));
        }
        let after = after_line_end(rest.get(line.len()..)?);
        if after.is_empty() {
            return end;
        }
        rest = after;
    }
}

/// What is the same of a key however it is printed: its long runs of base64.
pub(super) fn identity(block: &str) -> String {
    let block = block.replace("\\n", "\n");
    tokens(&block).into_iter().filter(|token| token.len() >= LINE).collect()
}

/// The rest of `-----BEGIN RSA PRIVATE KEY-----`.
fn label(behind: &str) -> Option<usize> {
    let end = behind.find("-----").filter(|end| *end <= LABEL_MAX)?;
    behind.get(..end)?.contains("PRIVATE KEY").then_some(end + 5)
}

/// Up to the dashes behind `-----END …`, which stands at `at` in the last line.
fn closing_length(behind: &str, rest: &str, at: usize) -> Option<usize> {
    let from = behind.len() - rest.len() + at + "-----END ".len();
    let label = behind.get(from..)?.find("-----").filter(|end| *end <= LABEL_MAX);
    Some(label.map_or(from, |label| from + label + 5))
}

/// Where the output was cut off in the middle of a line.
fn torn(behind: &str) -> usize {
    let at = behind.len() - after_line_end(behind).len();
    let line = behind.get(at..).map(first_line).unwrap_or_default();
    let tokens = tokens(line);
    let is_rest = tokens.len() <= 2 && tokens.last().is_some_and(|token| token.len() >= LAST_LINE);
    if is_rest { at + line.len() } else { 0 }
}

/// A line without its end; `\n` may be written out.
fn first_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    line.split("\\n").next().unwrap_or_default()
}

fn after_line_end(text: &str) -> &str {
    text.strip_prefix('\n').or_else(|| text.strip_prefix("\\n")).unwrap_or(text)
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Comment: …`, behind line numbers at most.
fn is_header(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Runs of base64 characters that are no mere numbers.
fn tokens(line: &str) -> Vec<&str> {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    line.split(|c| !is_base64(c))
        .filter(|token| token.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'+'))
        .collect()
}
