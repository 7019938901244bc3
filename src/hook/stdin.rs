//! One event from standard input.
//!
//! The event is whole when its object is: a client that forgets to close the stream must not cost an audit.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{read, retry_on_intr};

use crate::auditor::signals::Signals;
use crate::transcript::json;

/// Reads an event for no longer than `limit` and no more than `max` bytes; `None` where none came, or the hook was
/// asked to end.
pub fn read_event(from: impl AsFd, limit: Duration, max: usize, signals: &Signals) -> Option<Vec<u8>> {
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
        match retry_on_intr(|| read(&from, buffer.as_mut_slice())) {
            Ok(0) => return Some(bytes),
            Ok(n) => bytes.extend_from_slice(buffer.get(..n)?),
            Err(_) => return None,
        }
        let ends_like_an_object = bytes.trim_ascii_end().ends_with(b"}");
        if ends_like_an_object && json::parse_object(&bytes).is_some() {
            return Some(bytes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rustix::io::ioctl_fionread;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    /// What is read of these pieces, each written once the one before has been read, from a stream that stays open.
    fn read_in(pieces: [&[u8]; 2], max: usize) -> Option<Vec<u8>> {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::thread::scope(|scope| {
            let event = scope.spawn(|| read_event(&reader, LIMIT, max, &Signals::none()));
            for piece in pieces {
                writer.write_all(piece).unwrap();
                while !event.is_finished() && ioctl_fionread(&reader).unwrap() > 0 {
                    std::thread::yield_now();
                }
            }
            event.join().unwrap()
        })
    }

    #[test]
    fn an_event_that_comes_in_pieces_is_whole_with_the_last_one() {
        for pieces in [[r#"{"a": {"b": 1}"#, r#", "c": 2}"#], [r#"{"a": "}"#, "\"}\n"], ["{", "}"]] {
            let whole = pieces.concat().into_bytes();
            assert_eq!(read_in(pieces.map(str::as_bytes), 1_000), Some(whole));
        }
    }

    #[test]
    fn an_event_may_be_as_long_as_the_limit_and_no_longer() {
        let event = br#"{"a": {"b": 1}"#;
        assert_eq!(read_in([event, b"}"], event.len()), Some([&event[..], b"}"].concat()));
        assert_eq!(read_in([event, b"}"], event.len() - 1), None);
    }
}
