//! Shell commands of the fake auditors in `fake-auditors/`, ready for `STOP_AUDITOR_CMD`.
//! Each gets what it needs as arguments, since a hook may give its auditor another environment than its own.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fs;
use std::path::{Path, PathBuf};

use super::hook::quoted;

/// The command of one file of `fake-auditors/`.
///
/// # Panics
/// When there is no such file: a hook would report an error, which some checks expect.
pub(crate) fn fake(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake-auditors").join(name);
    assert!(path.is_file(), "fake-auditors/{name} is missing");
    format!("sh {}", quoted(&path.to_string_lossy()))
}

/// The same, with a file to which it writes the id of each process that it starts, itself included.
pub(crate) fn fake_with_pids(name: &str, pids: &Path) -> String {
    format!("{} {}", fake(name), quoted(&pids.to_string_lossy()))
}

/// Reads stdin whole, prints `text`, exits 0.
pub(crate) fn says(text: &str) -> String {
    format!("cat >/dev/null; printf '%s\\n' {}", quoted(text))
}

/// Reads stdin whole, prints the bytes of a file unchanged, exits 0.
pub(crate) fn says_file(path: &Path) -> String {
    format!("cat >/dev/null; cat {}", quoted(&path.to_string_lossy()))
}

/// A program that does not exist.
pub(crate) fn missing_program() -> String {
    "/nonexistent/missing-program --flag".into()
}

/// Writes what it was given into `dir` (see [`Recording`]), then prints `says`.
pub(crate) fn recorder(dir: &Path, says: &str) -> String {
    format!("{} {} {}", fake("record"), quoted(&dir.to_string_lossy()), quoted(says))
}

/// What the recording auditor wrote.
pub(crate) struct Recording(PathBuf);

impl Recording {
    pub(crate) fn of(dir: &Path) -> Self {
        Self(dir.to_owned())
    }
    /// How often the auditor was called.
    pub(crate) fn n_calls(&self) -> usize {
        self.lines("calls").len()
    }
    /// The last prompt, whole; "" when it was never called.
    pub(crate) fn prompt(&self) -> String {
        self.text("prompt")
    }
    /// The directory that the last call ran in.
    pub(crate) fn cwd(&self) -> PathBuf {
        PathBuf::from(self.text("cwd").trim_end_matches('\n'))
    }
    /// What that directory held.
    pub(crate) fn listing(&self) -> Vec<String> {
        self.lines("listing")
    }
    /// Names of the environment variables of the last call.
    pub(crate) fn environment(&self) -> Vec<String> {
        self.lines("environment")
    }
    /// Arguments of the last call, without the directory and the answer.
    pub(crate) fn argv(&self) -> Vec<String> {
        self.lines("argv")
    }
    /// The value of `STOP_AUDITOR_INSIDE` in the last call.
    pub(crate) fn inside(&self) -> String {
        self.text("inside")
    }

    fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.0.join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
    fn lines(&self, name: &str) -> Vec<String> {
        self.text(name).lines().map(str::to_owned).collect()
    }
}
