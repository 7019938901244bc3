//! The log as it is read: one reader for every command (section 8).
//!
//! A record that an older version wrote lacks fields; a line that is no record is counted and named, never fatal.

pub mod broken;
mod log;
pub mod marks;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::material::fit::Shortened;
use crate::paths;
pub use broken::Broken;
pub use log::{Log, Reader};

/// The verdict of a record (8.1), spelled in the log as here in capitals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Word {
    /// Nothing to report.
    Pass,
    /// A remark.
    Note,
    /// Sent back.
    Fail,
    /// Not audited.
    #[default]
    Error,
    /// The turn has had its audits.
    Skip,
}

impl Word {
    /// All of them, the best first.
    pub const ALL: [Word; 5] = [Word::Pass, Word::Note, Word::Fail, Word::Error, Word::Skip];

    /// As the log spells it.
    pub fn name(self) -> &'static str {
        match self {
            Word::Pass => "PASS",
            Word::Note => "NOTE",
            Word::Fail => "FAIL",
            Word::Error => "ERROR",
            Word::Skip => "SKIP",
        }
    }

    /// A record's text without the word that it begins with, where it stands beside the word anyway.
    pub fn said(self, text: &str) -> &str {
        match text.strip_prefix(self.name()) {
            Some("") => "",
            Some(rest) => rest.strip_prefix(" - ").unwrap_or(text),
            None => text,
        }
    }

    /// The word of this name, in any case.
    pub fn of(name: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|word| word.name().eq_ignore_ascii_case(name))
    }
}

/// What the commands need of a record. The person's words, the reply and the calls are not among it: they are most of
/// the log's bytes, and only `log show` prints them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Record {
    /// Local time with its offset, RFC 3339.
    pub time: String,
    /// The session.
    pub session_id: String,
    /// The folder's name that the session was started in; empty where an older version wrote it.
    pub project: String,
    /// What became of the turn.
    pub verdict: Word,
    /// What the VERDICT line says, or the cause of an error.
    pub text: String,
    /// Which audit of the turn; 0 where none was started.
    pub audit: u32,
    /// How long the auditor took.
    pub duration_ms: u64,
    /// The prompt's length in characters; 0 where none was sent.
    pub prompt_chars: u64,
    /// As the client gave it.
    pub stop_hook_active: bool,
    /// Tokens that the auditor read and wrote, where it told.
    pub tokens: Option<(u64, u64)>,
    /// What of the session was left out of the prompt.
    pub shortened: Option<Shortened>,
    /// The transcript's length in bytes when the turn was read.
    pub transcript_bytes: Option<u64>,
    /// The same moment as `time`.
    #[serde(skip)]
    pub at: Timestamp,
}

/// Why a line is no record.
#[derive(Debug)]
pub enum NoRecord {
    /// It is not JSON, or a field is of another type.
    Json(serde_json::Error),
    /// It names no time, or none that can be read.
    Time(String),
}

impl fmt::Display for NoRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRecord::Json(error) => write!(f, "{error}"),
            NoRecord::Time(time) if time.is_empty() => f.write_str("没有时间"),
            NoRecord::Time(time) => write!(f, "时间读不懂：{time}"),
        }
    }
}

impl Record {
    /// Reads one line.
    ///
    /// # Errors
    /// [`NoRecord`] where it is none.
    pub fn read(line: &[u8]) -> Result<Record, NoRecord> {
        let mut record: Record = serde_json::from_slice(line).map_err(NoRecord::Json)?;
        record.at = record.time.parse().map_err(|_| NoRecord::Time(record.time.clone()))?;
        Ok(record)
    }

    /// What names this record: eight characters made from its verdict, session, audit and time, so it is the same
    /// wherever and whenever the line is read, also for lines that older versions wrote.
    pub fn id(&self) -> String {
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let named = format!("{}\0{}\0{}\0{}", self.verdict.name(), self.session_id, self.audit, self.time);
        let hash = paths::fnv1a(named.as_bytes());
        let hash = hash ^ (hash >> 40);
        (0..8)
            .filter_map(|n| ALPHABET.get(usize::from((hash >> (5 * n)).to_le_bytes()[0] % 32)))
            .map(|byte| char::from(*byte))
            .collect()
    }

    /// The day in the time zone that the record was written in: `2026-11-29`.
    pub fn day(&self) -> &str {
        self.time.get(..10).unwrap_or_default()
    }

    /// Whether the auditor was asked.
    pub fn is_audit(&self) -> bool {
        self.audit > 0 && self.verdict != Word::Skip
    }

    /// Whether this is the first record of its turn: a second audit and a SKIP go on with one.
    pub fn begins_turn(&self) -> bool {
        match self.verdict {
            Word::Skip => false,
            Word::Pass | Word::Note | Word::Fail | Word::Error => {
                self.audit == 1 || (self.audit == 0 && !self.stop_hook_active)
            }
        }
    }
}

#[cfg(test)]
mod tests;
