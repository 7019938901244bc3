//! A terminal with the interactive client in it. What happened is read from events, requests and files; the screen, which
//! changes with every version, only tells when a key can be pressed.
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use vt100::Parser;

use super::desk::Desk;
use super::installed;
use super::kit::processes::eventually;

/// How long something on the screen may take.
const PATIENCE: Duration = Duration::from_secs(20);

const N_ROWS: NonZero<u16> = NonZero::new(50).expect("more than none");
const N_COLUMNS: NonZero<u16> = NonZero::new(140).expect("more than none");

/// Ended with this value.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Mutex<Parser>>,
}

impl Terminal {
    /// Starts the client with its first prompt already given.
    ///
    /// # Panics
    /// When there is no terminal or no client.
    pub(crate) fn start(desk: &Desk, prompt: &str) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(N_ROWS.get(), N_COLUMNS.get())).expect("with a size");
        let (env, directory) = desk.environment();
        let command = Command::new(installed::claude()).args(["--model", "opus", prompt]);
        let command = command.env_clear().envs(env.pairs()).env("TERM", "xterm-256color");
        let child = command.current_dir(directory).spawn(pts).expect("the client starts");
        let (pty, screen) = (Arc::new(pty), Arc::new(Mutex::new(Parser::new(N_ROWS, N_COLUMNS, 0))));
        let (reader, sink) = (Arc::clone(&pty), Arc::clone(&screen));
        thread::spawn(move || {
            let mut buffer = [0; 1 << 13];
            while let Ok(n_bytes @ 1..) = (&*reader).read(&mut buffer) {
                sink.lock().unwrap_or_else(PoisonError::into_inner).process(&buffer[..n_bytes]);
            }
        });
        Self { pty, child, screen }
    }

    /// Presses a key, or pastes.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub(crate) fn press(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Types a message and sends it once it stands in the box: a line end that comes in one piece with the text is taken
    /// for a part of it. Gives whether it was seen there.
    pub(crate) fn send(&self, message: &str) -> bool {
        let before = self.text().matches(message).count();
        self.press(message);
        let seen = eventually(PATIENCE, || self.text().matches(message).count() > before);
        self.press("\r");
        seen
    }

    /// Whether the client ends by itself within this time.
    pub(crate) fn has_ended(&mut self, limit: Duration) -> bool {
        eventually(limit, || matches!(self.child.try_wait(), Ok(Some(_))))
    }

    /// What stands on the screen.
    pub(crate) fn text(&self) -> String {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).screen().contents()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
