//! The log: one file a day, one line a Stop (section 8).
//!
//! A line is written whole or not at all, whatever else writes at the same time and whatever a crash left behind.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::ZonedDateTime;
use serde::Serialize;

use super::private;
use crate::material::fit::Shortened;
use crate::paths;
use crate::record::Word;

/// What is logged of a Stop (8.1). Lengths are in characters, times in milliseconds.
#[derive(Debug, Default, Serialize)]
pub struct Record {
    /// Local time with its offset, RFC 3339.
    pub time: String,
    /// The session.
    pub session_id: String,
    /// The folder's name that the session was started in, without what lies above it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// What became of the turn.
    pub verdict: Word,
    /// What the VERDICT line says, or the cause of an error.
    pub text: String,
    /// Which audit of the turn; 0 where none was started.
    pub audit: u32,
    /// The auditor's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub auditor: String,
    /// How long the auditor took.
    pub duration_ms: u64,
    /// The prompt's length.
    pub prompt_chars: usize,
    /// What of the session was left out of the prompt (4.36).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortened: Option<Shortened>,
    /// The transcript's length in bytes when the turn was read: what was added later is no part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_bytes: Option<u64>,
    /// As the client gave it.
    pub stop_hook_active: bool,
    /// The first 500 characters of the person's words.
    pub person: String,
    /// The last 1,500 characters of the final reply.
    pub reply: String,
    /// Number of tool calls in the turn.
    pub tool_calls: usize,
    /// The last 8 calls, one line each.
    pub last_calls: Vec<String>,
    /// Tokens that the auditor read and wrote, where it told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<(u64, u64)>,
    /// The client's version, where the transcript names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// Processes that left the auditor's group and still ran (6.14).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detached: Vec<String>,
    /// What the auditor warned of (2.2).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Adds a line to the file of the day.
///
/// # Errors
/// Those of writing; the file then ends as it did.
pub fn write(directory: &Path, record: &Record, now: &ZonedDateTime) -> io::Result<()> {
    // A folder of our name is closed; one that the person chose stays as it is.
    if directory.ends_with(paths::LOG_FOLDER) {
        private::closed_directory(directory)?;
    } else {
        private::directory(directory)?;
    }
    let line = serde_json::to_string(record)?;
    let _lock = private::lock(directory)?;
    append_line(&mut private::append(&path(directory, now))?, &line)
}

/// The file of a day.
pub fn path(directory: &Path, now: &ZonedDateTime) -> PathBuf {
    directory.join(format!("{}.jsonl", now.date()))
}

/// Adds a line to a file, whole or not at all, whatever the file ends with.
///
/// # Errors
/// Those of writing; the file then ends as it did.
pub(crate) fn append_line(file: &mut File, line: &str) -> io::Result<()> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if end > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    // A line that a crash has torn must not swallow this one.
    let break_first = if last == [b'\n'] { "" } else { "\n" };
    let written = file.write_all(format!("{break_first}{line}\n").as_bytes());
    if written.is_err() {
        file.set_len(end)?;
    }
    written
}
