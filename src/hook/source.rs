//! Where a session's transcript is, and the turn it holds now.
//!
//! The client writes transcripts late and moves them (facts, B1, B6): a reply that is not there yet is waited for a
//! little, a file that is gone is looked for once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::clock;
use super::event::Stop;
use crate::auditor::signals::Signals;
use crate::paths;
use crate::prompt;
use crate::transcript::session::{self, Extent, Session};
use crate::transcript::turn::Entry;

/// How long a reply that the file does not hold yet is waited for: what was called before it may be missing too.
const LATE_LIMIT: Duration = Duration::from_millis(600);
const LATE_STEP: Duration = Duration::from_millis(40);

/// How often a file may become shorter while it is read; one that always does is not waited for.
const MAX_SHRINKS: usize = 4;

/// Why there is nothing to audit (6.10).
#[derive(Debug)]
pub enum NoTurn {
    /// The event names no transcript.
    NoPath,
    /// There is no such file, here or under the projects folder.
    Missing(PathBuf),
    /// A folder or a pipe has the file's name.
    NoFile(PathBuf),
    /// The file is there and cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The file holds no turn.
    Empty(PathBuf),
    /// The file could not be read in time.
    TooSlow(PathBuf),
    /// The turn that has ended is not the file's: its prompt stands beside a later one, as where two terminals go on
    /// with one session (facts, B17).
    Beside(PathBuf),
}

impl std::fmt::Display for NoTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTurn::NoPath => f.write_str("没有给会话记录的路径"),
            NoTurn::Missing(path) => write!(f, "会话记录不存在：{}", path.display()),
            NoTurn::NoFile(path) => write!(f, "会话记录不是普通文件：{}", path.display()),
            NoTurn::Unreadable(path, error) => write!(f, "会话记录读不了：{}：{error}", path.display()),
            NoTurn::TooSlow(path) => write!(f, "会话记录太久没读完：{}", path.display()),
            NoTurn::Beside(path) => {
                write!(f, "会话记录里这一轮旁边还有另一轮，像是两个终端在用同一个会话：{}", path.display())
            }
            NoTurn::Empty(path) => write!(f, "会话记录里找不到当前轮：{}", path.display()),
        }
    }
}

/// The session with its current turn complete: the late reply added, running work listed.
///
/// # Errors
/// [`NoTurn`] where there is nothing to audit.
pub fn read(stop: &Stop, signals: &Signals, deadline: Instant) -> Result<Session, NoTurn> {
    let give_up = || clock::is_past(deadline) || signals.is_ended();
    let mut session = find(stop, &give_up)?;
    let reply = stop.last_assistant_message.as_str();
    let until = Instant::now() + LATE_LIMIT;
    while !reply.trim().is_empty() && !session.current.holds_reply(reply) && !clock::is_past(until) {
        thread::sleep(LATE_STEP);
        if signals.is_ended() {
            break;
        }
        if let Ok(later) = find(stop, &give_up) {
            session = later;
        }
    }
    if let Some(id) = &stop.prompt_id
        && session.abandoned.contains(id)
        && !session.current.prompt_ids.contains(id)
    {
        return Err(NoTurn::Beside(PathBuf::from(&stop.transcript_path)));
    }
    session.current.complete(reply);
    session.current.entries.extend(stop.still_running.iter().cloned().map(Entry::StillRunning));
    Ok(session)
}

fn find(stop: &Stop, give_up: &dyn Fn() -> bool) -> Result<Session, NoTurn> {
    let given = given_path(&stop.transcript_path);
    let first = match &given {
        Some(path) => read_file(path, give_up),
        None => Err(NoTurn::NoPath),
    };
    match first {
        Err(NoTurn::NoPath | NoTurn::Missing(_) | NoTurn::Empty(_)) => {
            match of_session(&stop.session_id, given.as_deref()) {
                Some(path) => read_file(&path, give_up),
                None => first,
            }
        }
        found => found,
    }
}

fn read_file(path: &Path, give_up: &dyn Fn() -> bool) -> Result<Session, NoTurn> {
    let extent = Extent { give_up, ..prompt::extent(0) };
    let mut read = session::read(path, &extent);
    for _ in 0..MAX_SHRINKS {
        // Somebody made the file shorter, or put a shorter one in its place: what it is now is read from its new end.
        // Any other error stays what it is.
        if read.is_ok() {
            break;
        }
        read = session::read(path, &extent);
    }
    match read {
        Ok(Some(session)) => Ok(session),
        Ok(None) => Err(NoTurn::Empty(path.to_owned())),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                NoTurn::Missing(path.to_owned())
            }
            io::ErrorKind::TimedOut => NoTurn::TooSlow(path.to_owned()),
            io::ErrorKind::InvalidInput => NoTurn::NoFile(path.to_owned()),
            _ => NoTurn::Unreadable(path.to_owned(), error),
        }),
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

/// The session's file in whichever project folder it is now, if not at the place `given`; sub-agents' files have other
/// names.
pub fn of_session(session_id: &str, given: Option<&Path>) -> Option<PathBuf> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_in_time_is_told_as_that() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "{}\n").unwrap();
        let path = file.path().to_string_lossy().into_owned();
        let stop = Stop { transcript_path: path.clone(), ..Stop::default() };
        let read_until = |deadline| read(&stop, &Signals::none(), deadline).map(drop);
        let too_slow = read_until(Instant::now()).unwrap_err();
        assert!(matches!(too_slow, NoTurn::TooSlow(_)), "{too_slow:?}");
        assert_eq!(too_slow.to_string(), format!("会话记录太久没读完：{path}"));
        // The same file with time enough.
        let empty = read_until(Instant::now() + Duration::from_secs(60)).unwrap_err();
        assert!(matches!(empty, NoTurn::Empty(_)), "{empty:?}");
    }
}
