//! Files whose contents are never sent: `STOP_AUDITOR_IGNORE`, patterns as in `.gitignore`, several behind each other with
//! `:` as in `GLOBIGNORE` of the shell.
//!
//! A pattern that cannot be understood stops the audit: a file that it was to keep back would be sent.

use std::env;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};
use serde_json::Value;

use crate::transcript::session::Session;
use crate::transcript::turn::{Call, Entry, Outcome};

/// Holds the patterns.
pub const VARIABLE: &str = "STOP_AUDITOR_IGNORE";

/// Tools whose arguments and outputs are a shell's: what a command reads is not known.
const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

/// A longer argument is no path.
const PATH_MAX: usize = 4_096;

/// How far into a line of a search's output the file's name may reach.
const NAME_MAX: usize = 512;

/// One letter more or less in capitals makes no other file on many machines, and keeping back more does no harm.
const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: false,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// The files whose contents are kept back.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    patterns: Vec<Kind>,
    written: Vec<String>,
    home: Option<PathBuf>,
    base: Option<PathBuf>,
}

#[derive(Debug, Clone)]
enum Kind {
    /// One name anywhere on the path.
    Name(Pattern),
    /// The whole path of a file, or of a folder above it.
    Path(Pattern),
}

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPattern {
    pattern: String,
    cause: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{VARIABLE} 里的 {} 看不懂：{}。为免把不该发的发出去，改好之前不审",
            self.pattern, self.cause
        )
    }
}

impl Ignored {
    /// What the environment asks for.
    ///
    /// # Errors
    /// [`BadPattern`] for the first pattern that is none.
    pub fn from_environment() -> Result<Ignored, BadPattern> {
        let Some(value) = env::var_os(VARIABLE) else { return Ok(Ignored::default()) };
        let Some(value) = value.to_str() else {
            let pattern = value.to_string_lossy().into_owned();
            return Err(BadPattern { pattern, cause: "不是 UTF-8".to_owned() });
        };
        Ignored::parse(value, env::home_dir(), env::current_dir().ok())
    }

    /// Reads patterns. `base` is the folder that relative paths of a session begin in.
    ///
    /// # Errors
    /// [`BadPattern`] for the first pattern that is none.
    pub fn parse(value: &str, home: Option<PathBuf>, base: Option<PathBuf>) -> Result<Ignored, BadPattern> {
        let home = home.filter(|home| !home.as_os_str().is_empty());
        let written = value.split([':', '\n']).map(str::trim).filter(|pattern| !pattern.is_empty());
        let written: Vec<String> = written.map(str::to_owned).collect();
        let patterns: Result<Vec<Kind>, BadPattern> =
            written.iter().map(|written| kind(written, home.as_deref())).collect();
        Ok(Ignored { patterns: patterns?, written, home, base })
    }

    /// Adds patterns.
    ///
    /// # Errors
    /// [`BadPattern`] for the first pattern that is none.
    pub fn also(&mut self, value: &str) -> Result<(), BadPattern> {
        let Ignored { patterns, written, .. } = Ignored::parse(value, env::home_dir(), None)?;
        self.patterns.extend(patterns);
        self.written.extend(written);
        Ok(())
    }

    /// The patterns as they were written.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(String::as_str)
    }

    /// Whether the contents of the file at this path, as a tool was given it, are kept back.
    pub fn holds(&self, path: &str) -> bool {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.contains("://") {
            return false;
        }
        let path = self.whole(path);
        self.patterns.iter().any(|kind| match kind {
            Kind::Name(pattern) => path
                .components()
                .filter_map(|component| match component {
                    Component::Normal(name) => name.to_str(),
                    _ => None,
                })
                .any(|name| pattern.matches_with(name, OPTIONS)),
            Kind::Path(pattern) => path.ancestors().any(|path| pattern.matches_path_with(path, OPTIONS)),
        })
    }

    /// Keeps back the contents of such files: a call that names one shows its paths and the length of all else.
    pub fn withhold(&self, session: &mut Session) {
        if self.patterns.is_empty() {
            return;
        }
        for entry in session.turns_mut().flat_map(|turn| &mut turn.entries) {
            if let Entry::Call(call) = entry {
                self.withhold_call(call);
            }
        }
    }

    fn withhold_call(&self, call: &mut Call) {
        if SHELLS.contains(&call.tool.as_str()) {
            return;
        }
        let output = match &mut call.outcome {
            Outcome::Ok(output) | Outcome::Failed(output) | Outcome::NeverRan { output, .. } => {
                Some(&mut output.text)
            }
            Outcome::Pending => None,
        };
        if !call.input.iter().any(|field| !field.is_change && self.names(&field.text)) {
            // A search in a folder prints lines of whatever files lie there.
            if let Some(output) = output.filter(|_| call.tool == "Grep") {
                *output = self.without_lines(output);
            }
            return;
        }
        for field in &mut call.input {
            if field.is_change || !self.names(&field.text) {
                field.text = length_of(&field.text);
            }
        }
        if let Some(output) = output.filter(|output| !output.is_empty()) {
            *output = length_of(output);
        }
    }

    /// Whether an argument is the path of such a file, or a list with one.
    fn names(&self, argument: &str) -> bool {
        let argument = argument.trim();
        if argument.len() > PATH_MAX || argument.contains('\n') {
            return false;
        }
        match serde_json::from_str(argument) {
            Ok(Value::Array(list)) => {
                let paths: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
                paths.is_some_and(|paths| paths.iter().any(|path| self.holds(path)))
            }
            Ok(_) | Err(_) => self.holds(argument),
        }
    }

    /// Lines of the form `path:12:content` and `path-12-content`, without what such files hold.
    fn without_lines(&self, output: &str) -> String {
        let lines = output.split('\n').map(|line| {
            let ends = line.match_indices([':', '-']).map(|(at, _)| at).take_while(|at| *at <= NAME_MAX);
            let mut names = ends.filter_map(|at| line.split_at_checked(at));
            match names.find(|(name, _)| !name.is_empty() && self.holds(name)) {
                Some((name, rest)) => format!("{name}：{}", length_of(rest)),
                None => line.to_owned(),
            }
        });
        lines.collect::<Vec<String>>().join("\n")
    }

    /// The path from the root on, without `.` and `..`. Links are not followed: the file may be gone, or on another
    /// machine.
    fn whole(&self, path: &str) -> PathBuf {
        let path = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        };
        let path = match &self.base {
            Some(base) => base.join(path),
            None => path,
        };
        let mut whole = PathBuf::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    whole.pop();
                }
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(component),
            }
        }
        whole
    }
}

fn length_of(text: &str) -> String {
    format!("（{} 字，用户设定不送内容）", text.chars().count())
}

fn kind(written: &str, home: Option<&Path>) -> Result<Kind, BadPattern> {
    let bad = |cause: &str| BadPattern { pattern: written.to_owned(), cause: cause.to_owned() };
    // Each would be taken for itself, and silently keep nothing back.
    if written.starts_with('!') {
        return Err(bad("不支持用 ! 排除"));
    }
    if written.contains(['{', '}', ',']) {
        return Err(bad("不支持花括号和逗号，几个模式之间用冒号隔开"));
    }
    if written.contains('\\') {
        return Err(bad("不支持反斜杠，要照字面写 * 就写 [*]"));
    }
    let parsed = |pattern: &str| {
        Pattern::new(pattern).map_err(|error| bad(&format!("第 {} 个字符：{}", error.pos + 1, error.msg)))
    };
    let folder = written.trim_end_matches('/');
    if folder.is_empty() {
        return Err(bad("那是整个磁盘"));
    }
    // What is put before it below would move the place of an error.
    let as_written = parsed(folder)?;
    if let Some(rest) = folder.strip_prefix("~/") {
        let home = home.and_then(Path::to_str).ok_or_else(|| bad("不知道主目录在哪里"))?;
        return Ok(Kind::Path(parsed(&format!("{}/{rest}", Pattern::escape(home)))?));
    }
    Ok(if folder.starts_with('/') {
        Kind::Path(as_written)
    } else if folder.contains('/') {
        Kind::Path(parsed(&format!("**/{folder}"))?)
    } else {
        Kind::Name(as_written)
    })
}

#[cfg(test)]
mod tests;
