//! Shell commands of the fake auditors in `fake-auditors/`, ready for `STOP_AUDITOR_CMD`.
//! Each gets what it needs as arguments, since a hook may give its auditor another environment than its own.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::hook::{self, quoted};

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

/// One that outlasts the time limit, the short one or the spec's, and still ends by itself where a hook leaves it.
pub(crate) fn outlasting(name: &str, pids: &Path) -> String {
    let seconds = if hook::short_limit().is_some() { 20 } else { hook::SPEC_HOOK_TIMEOUT_S };
    format!("{} {seconds}", fake_with_pids(name, pids))
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

/// Answers that come one after the other, with the prompts that they answered.
pub(crate) struct InTurn {
    dir: PathBuf,
    command: String,
}

impl InTurn {
    /// Keeps its prompts and gates in `dir`.
    ///
    /// # Panics
    /// When the directory cannot be made.
    pub(crate) fn new(dir: &Path, answers: &[&str]) -> Self {
        fs::create_dir_all(dir).expect("a directory");
        let answers: Vec<String> = answers.iter().map(|answer| quoted(answer)).collect();
        let command = format!("{} {} {}", fake("in-turn"), quoted(&dir.to_string_lossy()), answers.join(" "));
        Self { dir: dir.to_owned(), command }
    }
    /// For `STOP_AUDITOR_CMD`.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }
    /// The prompt of the n-th call, from 1 on; "" when there was none.
    pub(crate) fn prompt(&self, n: usize) -> String {
        String::from_utf8_lossy(&fs::read(self.dir.join(format!("prompt.{n}"))).unwrap_or_default())
            .into_owned()
    }
    /// Whether the n-th call has read its prompt.
    pub(crate) fn has_read(&self, n: usize) -> bool {
        self.dir.join(format!("prompt.{n}")).is_file()
    }
    /// How often it was called.
    pub(crate) fn n_calls(&self) -> usize {
        (1..100).take_while(|n| self.dir.join(format!("call.{n}")).is_dir()).count()
    }
    /// A FIFO at which the n-th call waits until somebody opens it for writing.
    pub(crate) fn gate(&self, n: usize) -> PathBuf {
        self.fifo(&format!("gate.{n}"))
    }
    /// A FIFO that the n-th call opens for writing: its reader waits for that.
    pub(crate) fn opens(&self, n: usize) -> PathBuf {
        self.fifo(&format!("opens.{n}"))
    }

    fn fifo(&self, name: &str) -> PathBuf {
        let path = self.dir.join(name);
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
        assert!(made.success(), "{} is made", path.display());
        path
    }
}
