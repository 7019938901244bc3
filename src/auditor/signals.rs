//! Signals as bytes in pipes, so that one `poll` can wait for them beside everything else.
//!
//! The client ends a hook with SIGTERM to its process group (facts, part 0, 20). The auditor is in a group of its
//! own and would go on, and cost; so the hook must live long enough to end it (6.15).

use std::cell::Cell;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::low_level::pipe;

/// The signals that concern the hook.
pub struct Signals {
    ended: UnixStream,
    child: UnixStream,
    was_ended: Cell<bool>,
}

impl Signals {
    /// Catches SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGXFSZ from now on.
    ///
    /// # Errors
    /// Those of making a pipe or of registering a handler.
    pub fn catch() -> io::Result<Self> {
        let (ended, write_end) = UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            pipe::register(signal, write_end.try_clone()?)?;
        }
        let (child, write_end) = UnixStream::pair()?;
        pipe::register(SIGCHLD, write_end)?;
        // Where files may not grow (`ulimit -f`), a write is to be an error and not the hook's end.
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        ended.set_nonblocking(true)?;
        child.set_nonblocking(true)?;
        Ok(Signals { ended, child, was_ended: Cell::new(false) })
    }

    /// Readable once somebody asked the hook to end.
    pub fn ended_fd(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    /// Readable when a child may have ended.
    pub fn child_fd(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    /// Whether the hook was asked to end.
    pub fn is_ended(&self) -> bool {
        if drain(&self.ended) {
            self.was_ended.set(true);
        }
        self.was_ended.get()
    }

    /// Forgets the child signals that came so far.
    pub fn forget_child(&self) {
        drain(&self.child);
    }
}

#[cfg(test)]
impl Signals {
    /// None, ever: catching them would keep the test program from being ended.
    pub(crate) fn none() -> Self {
        let silent = || {
            let (read_end, write_end) = UnixStream::pair().unwrap();
            read_end.set_nonblocking(true).unwrap();
            // A closed one would be readable.
            std::mem::forget(write_end);
            read_end
        };
        Signals { ended: silent(), child: silent(), was_ended: Cell::new(false) }
    }
}

fn drain(mut stream: &UnixStream) -> bool {
    let mut buffer = [0; 64];
    let mut any = false;
    while let Ok(n) = stream.read(&mut buffer) {
        if n == 0 {
            break;
        }
        any = true;
    }
    any
}
