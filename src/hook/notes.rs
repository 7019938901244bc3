//! A NOTE on its way to the person's next message (section 7).
//!
//! A file is taken away under another name before its notes are printed: a hook that dies in between leaves them to
//! the next one, and a file that cannot be taken away is not handed on again and again. It is only renamed: were it
//! copied, a hook that dies before the old file goes would leave every note twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::private;
use crate::paths;

/// Notes that wait at most; the newest stay (7.1).
pub const MAX_PENDING: usize = 5;

#[derive(Debug, Default, Serialize)]
struct Pending {
    notes: Vec<String>,
}

/// The notes of all sessions.
pub struct Notes {
    directory: PathBuf,
}

/// Notes that were taken out. They are handed on once [`Taken::done`] is called.
pub struct Taken {
    /// The notes, oldest first.
    pub notes: Vec<String>,
    leaving: Vec<PathBuf>,
    /// Held until the notes are printed, so that no other hook finds them left behind.
    _lock: private::Lock,
}

impl Notes {
    /// Notes in the log's folder, which need not exist.
    pub fn new(log_directory: &Path) -> Self {
        Notes { directory: log_directory.join("pending") }
    }

    /// Keeps a note for a session's next message.
    ///
    /// # Errors
    /// Those of writing; what waited before still waits.
    pub fn keep(&self, session_id: &str, note: &str) -> io::Result<()> {
        if let Some(log_directory) = self.directory.parent() {
            private::directory(log_directory)?;
        }
        private::closed_directory(&self.directory)?;
        let lock = private::lock(&self.directory)?;
        let path = self.path(session_id, "json");
        let mut pending = read(&path)?;
        pending.notes.push(note.to_owned());
        newest(&mut pending.notes);
        lock.replace(&path, &serde_json::to_vec(&pending)?)
    }

    /// How many notes wait for a session; none where this cannot be read.
    pub fn waiting(&self, session_id: &str) -> usize {
        let mut files = self.left_behind(session_id);
        files.push(self.path(session_id, "json"));
        let count = |path: &PathBuf| read(path).map_or(0, |pending| pending.notes.len());
        files.iter().map(count).sum::<usize>().min(MAX_PENDING)
    }

    /// Takes what waits for a session; `None` where nothing does.
    ///
    /// # Errors
    /// Those of reading and of taking the file away; the notes then wait on.
    pub fn take(&self, session_id: &str) -> io::Result<Option<Taken>> {
        let path = self.path(session_id, "json");
        if !path.exists() && !self.leaving(session_id, 0).exists() {
            return Ok(None);
        }
        let lock = private::lock(&self.directory)?;
        let mut leaving = self.left_behind(session_id);
        if path.exists() {
            let next = self.leaving(session_id, leaving.len());
            fs::rename(&path, &next)?;
            leaving.push(next);
        }
        let mut notes = Vec::new();
        for left in &leaving {
            notes.extend(read(left)?.notes);
        }
        newest(&mut notes);
        let taken = Taken { notes, leaving, _lock: lock };
        if taken.notes.is_empty() {
            taken.done()?;
            return Ok(None);
        }
        Ok(Some(taken))
    }

    /// Each hook that died while it handed on has left a file, the oldest first.
    fn left_behind(&self, session_id: &str) -> Vec<PathBuf> {
        let mut left_behind = Vec::new();
        loop {
            let next = self.leaving(session_id, left_behind.len());
            if !next.exists() {
                return left_behind;
            }
            left_behind.push(next);
        }
    }

    fn leaving(&self, session_id: &str, n: usize) -> PathBuf {
        let number = if n == 0 { String::new() } else { n.to_string() };
        self.path(session_id, &format!("leaving{number}"))
    }

    fn path(&self, session_id: &str, extension: &str) -> PathBuf {
        self.directory.join(paths::session_file_name(session_id, extension))
    }
}

impl Taken {
    /// Forgets the notes, once they have been printed.
    ///
    /// # Errors
    /// Those of removing a file.
    pub fn done(self) -> io::Result<()> {
        // The first one is looked for first, so it goes last.
        self.leaving.iter().rev().try_for_each(fs::remove_file)
    }
}

fn newest(notes: &mut Vec<String>) {
    let excess = notes.len().saturating_sub(MAX_PENDING);
    notes.drain(..excess);
}

/// A file of another make may hold its notes as a bare list or as objects with a text; what is no JSON holds none, and
/// is replaced by the next note.
fn read(path: &Path) -> io::Result<Pending> {
    let Some(bytes) = private::read_if_there(path)? else { return Ok(Pending::default()) };
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let list = value.get("notes").unwrap_or(&value).as_array().cloned().unwrap_or_default();
    let text = |note: &Value| match note {
        Value::String(text) => Some(text.clone()),
        Value::Object(note) => {
            ["text", "note"].iter().find_map(|name| note.get(*name)?.as_str()).map(str::to_owned)
        }
        _ => None,
    };
    Ok(Pending { notes: list.iter().filter_map(text).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7.4: two hooks died while they handed on, and a third note came since.
    #[test]
    fn notes_that_two_dead_hooks_left_wait_with_the_new_one() {
        let directory = tempfile::tempdir().expect("a folder");
        let notes = Notes::new(directory.path());
        for note in ["one", "two"] {
            notes.keep("s", note).expect("kept");
            drop(notes.take("s").expect("taken"));
        }
        notes.keep("s", "three").expect("kept");
        assert_eq!(notes.waiting("s"), 3);
        let taken = notes.take("s").expect("taken").expect("some wait");
        assert_eq!(taken.notes, ["one", "two", "three"]);
        taken.done().expect("forgotten");
        assert_eq!(notes.waiting("s"), 0);
    }

    #[test]
    fn notes_of_another_make_are_read_and_what_is_no_note_is_none() {
        let directory = tempfile::tempdir().expect("a folder");
        let notes = Notes::new(directory.path());
        for (file, wanted) in [
            (r#"{"notes": ["one", {"text": "two"}, {"note": "three"}]}"#, &["one", "two", "three"][..]),
            (r#"["one", {"at": 5, "text": "two"}]"#, &["one", "two"]),
            (r#"{"notes": [5, null, {"at": 5}, ["one"], "two"]}"#, &["two"]),
            (r#"{"notes": {"text": "one"}}"#, &[]),
            (r#"{"notes": ["one""#, &[]),
        ] {
            notes.keep("s", "there before").expect("kept");
            fs::write(notes.path("s", "json"), file).expect("replaced");
            assert_eq!(notes.waiting("s"), wanted.len(), "{file}");
            let taken = notes.take("s").expect("taken");
            assert_eq!(taken.as_ref().map_or(&[][..], |taken| &taken.notes), wanted, "{file}");
            taken.map_or(Ok(()), Taken::done).expect("forgotten");
            assert!(notes.take("s").expect("taken").is_none(), "{file}");
        }
    }
}
