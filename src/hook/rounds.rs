//! Which audit of the turn this is (6.4, 6.5).
//!
//! Every audit that was started counts, so the count is written before the auditor starts; a count that cannot be
//! read or written never leads to a block, because nothing would bound the blocks then.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::Stop;
use super::private;
use crate::paths;

/// Audits of one turn at most (1.3).
pub const MAX_AUDITS: u32 = 2;

/// What is to be done with this Stop.
#[derive(Debug, PartialEq, Eq)]
pub enum Round {
    /// Audit it.
    Audit {
        /// 1 or 2.
        number: u32,
        /// The reason of the audit before, where that was a FAIL (5.3).
        last_reason: Option<String>,
    },
    /// The turn has had its audits.
    Enough,
}

/// Why the count cannot be relied on.
#[derive(Debug)]
pub enum RoundsError {
    /// The file or its folder cannot be read or written.
    Io(PathBuf, io::Error),
    /// The file holds something else. It has been replaced, so that the next turn is audited again.
    Broken(PathBuf),
    /// Between an audit's start and its end the file has gone, or counts something else.
    Changed(PathBuf),
}

impl fmt::Display for RoundsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundsError::Io(path, error) => write!(f, "计数文件读写不了：{}：{error}", path.display()),
            RoundsError::Broken(path) => write!(f, "计数文件坏了，已重置：{}", path.display()),
            RoundsError::Changed(path) => write!(f, "审计期间计数文件被动过：{}", path.display()),
        }
    }
}

/// A session's count, as it is stored.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Count {
    /// The turn that is counted.
    prompt_id: Option<String>,
    /// Audits started.
    audits: u32,
    /// The reason of the newest audit, where that was a FAIL.
    last_reason: Option<String>,
}

/// The counts of all sessions.
pub struct Rounds {
    directory: PathBuf,
}

impl Rounds {
    /// Counts in a folder, which need not exist.
    pub fn new(directory: PathBuf) -> Self {
        Rounds { directory }
    }

    /// Counts this Stop's audit. `woken_by`: the turn ids of openers that the transcript holds; `blocks`: blocks of ours
    /// that it shows since Claude was last woken, a bound on what the count may say when it was lost.
    ///
    /// # Errors
    /// Where the count cannot be relied on.
    pub fn begin(&self, stop: &Stop, woken_by: &[String], blocks: u32) -> Result<Round, RoundsError> {
        let path = self.path(stop);
        let lock = self.open(&path)?;
        let known = read(&lock, &path)?;
        let mut count = match known {
            // The newest id is kept: a row that shows it as an opener may be written late.
            Some(count) if is_same_turn(&count, stop, woken_by) => {
                Count { prompt_id: stop.prompt_id.clone().or(count.prompt_id), ..count }
            }
            _ => Count { prompt_id: stop.prompt_id.clone(), ..Count::default() },
        };
        if stop.stop_hook_active {
            count.audits = count.audits.max(blocks);
        }
        if count.audits >= MAX_AUDITS {
            return Ok(Round::Enough);
        }
        count.audits += 1;
        let last_reason = count.last_reason.take();
        write(&lock, &path, &count)?;
        Ok(Round::Audit { number: count.audits, last_reason })
    }

    /// Keeps the reason of a FAIL for the second audit, if `number` is still the audit that was counted last.
    ///
    /// # Errors
    /// Where the count cannot be relied on.
    pub fn failed(&self, stop: &Stop, number: u32, reason: &str) -> Result<(), RoundsError> {
        let path = self.path(stop);
        let lock = self.open(&path)?;
        let counted = read(&lock, &path)?.filter(|count| count.audits >= number);
        let Some(mut count) = counted else { return Err(RoundsError::Changed(path)) };
        count.last_reason = Some(reason.to_owned());
        write(&lock, &path, &count)
    }

    fn path(&self, stop: &Stop) -> PathBuf {
        self.directory.join(paths::session_file_name(&stop.session_id, "json"))
    }

    fn open(&self, path: &Path) -> Result<private::Lock, RoundsError> {
        let io = |error| RoundsError::Io(path.to_owned(), error);
        private::own_directory(&self.directory).map_err(io)?;
        private::lock(&self.directory).map_err(io)
    }
}

/// Whether a Stop belongs to the turn that was counted.
fn is_same_turn(count: &Count, stop: &Stop, woken_by: &[String]) -> bool {
    match (&count.prompt_id, &stop.prompt_id) {
        (Some(counted), Some(now)) if counted == now => true,
        // After a block the id stays; a new one is a new turn where the flag says so, or the transcript shows who
        // started it.
        (Some(_), Some(now)) => stop.stop_hook_active && !woken_by.contains(now),
        _ => stop.stop_hook_active,
    }
}

fn read(lock: &private::Lock, path: &Path) -> Result<Option<Count>, RoundsError> {
    let bytes = private::read_if_there(path).map_err(|error| RoundsError::Io(path.to_owned(), error))?;
    let Some(bytes) = bytes else { return Ok(None) };
    if let Ok(count) = serde_json::from_slice(&bytes) {
        return Ok(Some(count));
    }
    // As good as audited twice: this turn is not blocked any more, the next one starts anew.
    write(lock, path, &Count { prompt_id: None, audits: MAX_AUDITS, last_reason: None })?;
    Err(RoundsError::Broken(path.to_owned()))
}

fn write(lock: &private::Lock, path: &Path, count: &Count) -> Result<(), RoundsError> {
    let io = |error| RoundsError::Io(path.to_owned(), error);
    let bytes = serde_json::to_vec(count).map_err(|error| io(io::Error::other(error)))?;
    lock.replace(path, &bytes).map_err(io)
}
