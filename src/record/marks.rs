//! What the person says of an audit: right or wrong. Kept beside the log, as private as it; marks are only ever added,
//! and of several for one record the newest counts.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Broken, Record, Word};
use crate::hook::{journal, private};

/// The marks of one log.
#[derive(Debug, Clone)]
pub struct Marks {
    directory: PathBuf,
}

/// One mark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// When it was made: local time with its offset, RFC 3339.
    pub time: String,
    /// The record's id ([`Record::id`]).
    pub id: String,
    /// The record's verdict.
    pub verdict: Word,
    /// The record's text, so that a wrong one can be told after its line is gone.
    pub text: String,
    /// The record's time.
    pub audited: String,
    /// Whether the auditor was right.
    pub right: bool,
    /// Why, in the person's words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Mark {
    /// What the person says of a record.
    pub fn of(record: &Record, right: bool, why: &str, time: String) -> Mark {
        Mark {
            time,
            id: record.id(),
            verdict: record.verdict,
            text: record.text.clone(),
            audited: record.time.clone(),
            right,
            why: why.to_owned(),
        }
    }
}

impl Marks {
    /// Those of the log in this folder, which need not exist.
    pub fn beside(log_directory: &Path) -> Marks {
        Marks { directory: log_directory.join("marks") }
    }

    /// The file that holds them.
    pub fn file(&self) -> PathBuf {
        self.directory.join("ratings.jsonl")
    }

    /// Adds a mark.
    ///
    /// # Errors
    /// Those of writing; the file then ends as it did.
    pub fn add(&self, mark: &Mark) -> io::Result<()> {
        private::closed_directory(&self.directory)?;
        let line = serde_json::to_string(mark)?;
        let _lock = private::lock(&self.directory)?;
        journal::append_line(&mut private::append(&self.file())?, &line)
    }

    /// The newest mark of each record, in the order in which these were made, and the lines that are none.
    ///
    /// # Errors
    /// Those of reading, save that there are no marks yet.
    pub fn newest(&self) -> io::Result<(Vec<Mark>, Vec<Broken>)> {
        let file = match File::open(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
            file => file?,
        };
        let mut marks: Vec<Mark> = Vec::new();
        let mut broken = Vec::new();
        for (number, line) in (1..).zip(BufReader::new(file).split(b'\n')) {
            let line = line?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(mark) => marks.push(mark),
                Err(error) => {
                    broken.push(Broken { file: self.file(), line: Some(number), cause: error.to_string() });
                }
            }
        }
        let last: HashMap<String, usize> =
            marks.iter().enumerate().map(|(index, mark)| (mark.id.clone(), index)).collect();
        let mut index = 0;
        marks.retain(|mark| {
            index += 1;
            last.get(&mark.id) == Some(&(index - 1))
        });
        Ok((marks, broken))
    }
}
