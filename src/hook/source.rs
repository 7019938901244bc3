//! Where a session's transcript is, and the turn it holds now.
//!
//! The client writes transcripts late and moves them (facts, B1, B6): a reply that is not there yet is waited for a
//! little, a file that is gone is looked for once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::event::Stop;
use crate::auditor::signals::Signals;
use crate::paths;
use crate::prompt;
use crate::transcript::session::{self, Extent, Session};
use crate::transcript::turn::Entry;

/// How long a reply that the file does not hold yet is waited for: what was called before it may be missing too.
const LATE_LIMIT: Duration = Duration::from_millis(600);
const LATE_STEP: Duration = Duration::from_millis(40);

/// Why there is nothing to audit (6.10).
#[derive(Debug)]
pub enum NoTurn {
    /// The event names no transcript.
    NoPath,
    /// There is no such file, here or under the projects folder.
    Missing(PathBuf),
    /// The file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The file holds no turn.
    Empty(PathBuf),
    /// The file could not be read in time.
    TooSlow(PathBuf),
}

impl std::fmt::Display for NoTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTurn::NoPath => f.write_str("没有给会话记录的路径"),
            NoTurn::Missing(path) => write!(f, "会话记录不存在：{}", path.display()),
            NoTurn::Unreadable(path, error) => write!(f, "会话记录读不了：{}：{error}", path.display()),
            NoTurn::TooSlow(path) => write!(f, "会话记录太久没读完：{}", path.display()),
            NoTurn::Empty(path) => write!(f, "会话记录里找不到当前轮：{}", path.display()),
        }
    }
}

/// The session with its current turn complete: the late reply added, running work listed.
///
/// # Errors
/// [`NoTurn`] where there is nothing to audit.
pub fn read(stop: &Stop, signals: &Signals, deadline: Instant) -> Result<Session, NoTurn> {
    let mut session = find(stop, deadline)?;
    let reply = stop.last_assistant_message.as_str();
    let until = Instant::now() + LATE_LIMIT;
    while !reply.trim().is_empty() && !session.current.holds_reply(reply) && Instant::now() < until {
        thread::sleep(LATE_STEP);
        if signals.is_ended() {
            break;
        }
        if let Ok(later) = find(stop, deadline) {
            session = later;
        }
    }
    session.current.complete(reply);
    session.current.entries.extend(stop.still_running.iter().cloned().map(Entry::StillRunning));
    Ok(session)
}

fn find(stop: &Stop, deadline: Instant) -> Result<Session, NoTurn> {
    let given = given_path(&stop.transcript_path);
    let first = match &given {
        Some(path) => read_file(path, deadline),
        None => Err(NoTurn::NoPath),
    };
    match first {
        Err(NoTurn::NoPath | NoTurn::Missing(_) | NoTurn::Empty(_)) => {
            match moved(&stop.session_id, given.as_deref()) {
                Some(path) => read_file(&path, deadline),
                None => first,
            }
        }
        found => found,
    }
}

fn read_file(path: &Path, deadline: Instant) -> Result<Session, NoTurn> {
    let extent = Extent { deadline: Some(deadline), ..prompt::extent(0) };
    match session::read(path, &extent) {
        Ok(Some(session)) => Ok(session),
        Ok(None) => Err(NoTurn::Empty(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(NoTurn::Missing(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(NoTurn::TooSlow(path.to_owned())),
        Err(error) => Err(NoTurn::Unreadable(path.to_owned(), error)),
    }
}

fn given_path(path: &str) -> Option<PathBuf> {
    if path.is_empty() {
        return None;
    }
    match path.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().map(|home| home.join(rest)),
        None => Some(PathBuf::from(path)),
    }
}

/// The session's file in whichever project folder it is now; sub-agents' files have other names.
fn moved(session_id: &str, given: Option<&Path>) -> Option<PathBuf> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if session_id.is_empty() || !session_id.bytes().all(is_plain) || session_id.starts_with("agent-") {
        return None;
    }
    let name = format!("{session_id}.jsonl");
    let projects = fs::read_dir(paths::config_dir()?.join("projects")).ok()?;
    projects
        .flatten()
        .map(|project| project.path().join(&name))
        // A stub that stayed behind may be the newer file.
        .filter(|path| Some(path.as_path()) != given)
        .filter_map(|path| {
            let metadata = fs::metadata(&path).ok()?;
            metadata.is_file().then(|| (metadata.modified().ok(), path))
        })
        .max()
        .map(|(_, path)| path)
}
