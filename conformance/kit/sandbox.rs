//! Everything that one test touches, in one temporary directory: no real session, log or setting is ever near (9.9).
//! `logs/` is not there at the start: making it is the hook's affair.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::processes;
use super::rows::{Rows, SESSION};

#[allow(unused_imports, reason = "not every target speaks of a run")]
pub(crate) use super::event::{Event, Run};

/// `home/`, `tmp/` (`TMPDIR`), `logs/` (`STOP_AUDITOR_LOG_DIR`), `project/`, `transcript.jsonl`.
pub(crate) struct Sandbox {
    root: TempDir,
    session_id: String,
}

impl Sandbox {
    /// # Panics
    /// When the machine gives no temporary directory.
    pub(crate) fn new() -> Self {
        let root = TempDir::with_prefix("stop-auditor-conformance-").expect("a temporary directory");
        for name in ["home", "tmp", "project", "pids"] {
            fs::create_dir(root.path().join(name)).expect("a directory in it");
        }
        // A hook that does not heed TMPDIR must still not mix up the counts of two tests.
        let mut hasher = DefaultHasher::new();
        (root.path(), std::process::id()).hash(&mut hasher);
        let session_id = format!("5e5510a0-0000-4000-8000-{:012x}", hasher.finish() & 0xffff_ffff_ffff);
        Self { root, session_id }
    }

    /// A sandbox with the transcript of [`Rows::two_turns`].
    pub(crate) fn with_two_turns() -> Self {
        let sandbox = Self::new();
        sandbox.transcript(Rows::two_turns().rows());
        sandbox
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Where a fake auditor writes the ids of its processes; what still runs at the test's end is ended.
    pub(crate) fn pids(&self) -> PathBuf {
        self.path("pids/ids")
    }

    /// Writes `transcript.jsonl`, a row a line.
    pub(crate) fn transcript(&self, rows: &[Value]) -> PathBuf {
        let mut text = String::new();
        for row in rows {
            text.push_str(&row.to_string().replace(SESSION, &self.session_id));
            text.push('\n');
        }
        self.transcript_bytes(text.as_bytes())
    }

    /// Writes `transcript.jsonl` as it is.
    ///
    /// # Panics
    /// When it cannot be written.
    pub(crate) fn transcript_bytes(&self, bytes: &[u8]) -> PathBuf {
        let path = self.path("transcript.jsonl");
        fs::write(&path, bytes).expect("the transcript is written");
        path
    }

    /// What the client sends at the end of a turn.
    pub(crate) fn stop(&self) -> Event {
        self.event(json!({"hook_event_name": "Stop", "stop_hook_active": false}))
    }

    /// What the client sends with a prompt.
    pub(crate) fn prompt_submit(&self, prompt: &str) -> Event {
        self.event(json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}))
    }

    fn event(&self, fields: Value) -> Event {
        let mut payload = json!({"session_id": self.session_id, "transcript_path": self.path("transcript.jsonl"),
                                 "cwd": self.path("project"), "permission_mode": "default"});
        if let (Value::Object(payload), Value::Object(fields)) = (&mut payload, fields) {
            payload.extend(fields);
        }
        Event::new(self.root(), payload)
    }

    /// The `.jsonl` files directly in `logs/`, oldest name first.
    pub(crate) fn log_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("logs")).into_iter().flatten().flatten();
        let is_log = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl") && path.is_file();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_log).collect();
        files.sort();
        files
    }

    /// All lines of all of them. A line that is no JSON object becomes a text.
    pub(crate) fn log_lines(&self) -> Vec<Value> {
        let text = self.log_text();
        let line = |line: &str| match serde_json::from_str(line) {
            Ok(Value::Object(map)) => Value::Object(map),
            Ok(_) | Err(_) => Value::String(line.to_owned()),
        };
        text.split_terminator('\n').map(line).collect()
    }

    /// The same as one text.
    pub(crate) fn log_text(&self) -> String {
        let bytes = self.log_files().into_iter().flat_map(|file| fs::read(file).unwrap_or_default());
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }

    /// The notes that wait for the person's next message.
    pub(crate) fn pending(&self) -> PathBuf {
        self.path("logs/pending").join(format!("{}.json", self.session_id))
    }

    /// Every regular file below a directory of the sandbox.
    pub(crate) fn files_below(&self, name: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut todo = vec![self.path(name)];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => todo.push(entry.path()),
                    Ok(kind) if kind.is_file() => found.push(entry.path()),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for id in processes::ids_in(&self.pids()) {
            if processes::runs(id) {
                processes::end(id);
            }
        }
    }
}
