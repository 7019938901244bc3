//! Lines and files of the log that could not be read: named so that a person finds them, and never fatal.

use std::fmt;
use std::path::PathBuf;

/// A place in the log that is no record.
#[derive(Debug)]
pub struct Broken {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1; `None` where the whole file cannot be read.
    pub line: Option<u64>,
    /// Why.
    pub cause: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} 第 {line} 行：{}", self.file.display(), self.cause),
            None => write!(f, "{}：{}", self.file.display(), self.cause),
        }
    }
}

/// At most this many are named one by one.
const MAX_NAMED: usize = 5;

/// What is said of them, one line each; nothing where there are none.
pub fn told(broken: &[Broken]) -> Vec<String> {
    if broken.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("日志里有 {} 处读不懂，跳过了：", broken.len())];
    lines.extend(broken.iter().take(MAX_NAMED).map(|one| format!("  {one}")));
    if broken.len() > MAX_NAMED {
        lines.push(format!("  …… 还有 {} 处", broken.len() - MAX_NAMED));
    }
    lines
}
