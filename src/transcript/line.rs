//! What a line tells without being read as a row: rows that mean nothing have ids too, and prompts answer them.

use super::json;

/// Whether the line is the row with this id, not one that only names it.
pub fn is_row(line: &[u8], uuid: &str) -> bool {
    memchr::memmem::find(line, uuid.as_bytes()).is_some() && self::uuid(line).as_deref() == Some(uuid)
}

/// The row's own id.
pub fn uuid(line: &[u8]) -> Option<String> {
    json::parse_object(line)?.text("uuid")
}

/// The client's version that wrote the row.
pub fn version(line: &[u8]) -> Option<String> {
    json::parse_object(line)?.text("version")
}
