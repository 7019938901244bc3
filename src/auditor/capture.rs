//! What a child prints, kept within bounds: the beginning and the end of a flood.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags};

/// Bytes kept of the beginning, and as many of the end: 1 MiB.
const KEPT: usize = 1_048_576;

/// Reads, of 8 KiB each, before others get their turn, so that a flood cannot keep the deadline from being seen.
const AT_ONCE: usize = 128;

/// One stream of a child.
pub struct Capture<R> {
    /// `None` once it has ended.
    pipe: Option<R>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl<R: Read + AsFd> Capture<R> {
    /// Captures a stream from now on, without ever waiting for it.
    ///
    /// # Errors
    /// Where the stream cannot be made to not wait.
    pub fn new(pipe: Option<R>) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Capture { pipe, head: Vec::new(), tail: VecDeque::new() })
    }

    /// Whether somebody can still write to it.
    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// To wait for more, while it is open.
    pub fn poll_fd(&self) -> Option<PollFd<'_>> {
        self.pipe.as_ref().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN))
    }

    /// Takes what is there now.
    pub fn read_some(&mut self) {
        let mut buffer = [0; 8_192];
        for _ in 0..AT_ONCE {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(n) => self.keep(buffer.get(..n).unwrap_or_default()),
                // What does not wait is not interrupted either.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
    }

    /// The beginning of what was printed so far.
    pub fn beginning(&self) -> &[u8] {
        &self.head
    }

    /// What was kept; what is not UTF-8 becomes U+FFFD.
    pub fn into_text(self) -> String {
        let mut bytes = self.head;
        bytes.extend(self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let (mut from, to) = std::io::pipe().map(|(r, w)| (Capture::new(Some(r)).unwrap(), w)).unwrap();
        let writer = std::thread::spawn(move || {
            let mut to = to;
            to.write_all(b"first\n").unwrap();
            for _ in 0..40 {
                to.write_all(&vec![b'x'; 100_000]).unwrap();
            }
            to.write_all(b"\nlast").unwrap();
        });
        while from.is_open() {
            let mut fds = [from.poll_fd().unwrap()];
            rustix::event::poll(&mut fds, None).unwrap();
            from.read_some();
        }
        writer.join().unwrap();
        assert!(from.beginning().len() == KEPT && from.beginning().starts_with(b"first\n"));
        let text = from.into_text();
        assert!(text.starts_with("first\n") && text.ends_with("\nlast"));
        assert_eq!(text.len(), 2_097_152, "a megabyte of each");
    }

    struct Broken(io::PipeReader);

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }

    impl AsFd for Broken {
        fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    #[test]
    fn what_is_silent_stays_open_and_what_is_broken_does_not() {
        let (pipe, _to) = io::pipe().unwrap();
        let mut silent = Capture::new(Some(pipe.try_clone().unwrap())).unwrap();
        silent.read_some();
        assert!(silent.is_open());
        let mut broken = Capture::new(Some(Broken(pipe))).unwrap();
        broken.read_some();
        assert!(!broken.is_open() && broken.poll_fd().is_none());
    }
}
