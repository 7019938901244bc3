//! One event from standard input.
//!
//! The event is whole when its object is: a client that forgets to close the stream must not cost an audit.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::auditor::signals::Signals;
use crate::transcript::json;

/// Reads an event for no longer than `limit` and no more than `max` bytes; `None` where none came, or the hook was
/// asked to end.
pub fn read_event(
    mut from: impl Read + AsFd,
    limit: Duration,
    max: usize,
    signals: &Signals,
) -> Option<Vec<u8>> {
    let deadline = Instant::now() + limit;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while bytes.len() <= max {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok()?;
        let mut fds = [
            PollFd::from_borrowed_fd(from.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(signals.ended_fd(), PollFlags::IN),
        ];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => return None,
            Ok(_) if signals.is_ended() => return None,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
        }
        match from.read(&mut buffer) {
            Ok(0) => return Some(bytes),
            Ok(n) => bytes.extend_from_slice(buffer.get(..n)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        let ends_like_an_object = bytes.trim_ascii_end().ends_with(b"}");
        if ends_like_an_object && json::parse_object(&bytes).is_some() {
            return Some(bytes);
        }
    }
    None
}
