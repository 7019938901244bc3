//! A terminal with the interactive client in it. What the person sees is read as bytes; what happened is read from
//! events, requests and files, never from the screen, which changes with every version.
use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use super::desk::Desk;
use super::installed;
use super::kit::processes::eventually;

/// How long something on the screen may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Ended with this value.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts the client with its first prompt already given.
    ///
    /// # Panics
    /// When there is no terminal or no client.
    pub(crate) fn start(desk: &Desk, prompt: &str) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(50, 140)).expect("with a size");
        let (env, directory) = desk.environment();
        let command = Command::new(installed::claude()).args(["--model", "opus", prompt]);
        let command = command.env_clear().envs(env.pairs()).env("TERM", "xterm-256color");
        let child = command.current_dir(directory).spawn(pts).expect("the client starts");
        let (pty, screen) = (Arc::new(pty), Arc::new(Mutex::new(Vec::new())));
        let (reader, sink) = (Arc::clone(&pty), Arc::clone(&screen));
        thread::spawn(move || {
            let mut buffer = [0; 1 << 13];
            while let Ok(n_bytes @ 1..) = (&*reader).read(&mut buffer) {
                sink.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..n_bytes]);
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

    /// Types a message and sends it once its last word stands in the box, where blanks may be moves of the cursor: a line
    /// end that comes in one piece with the text is taken for a part of it. Gives whether it was seen there.
    pub(crate) fn send(&self, message: &str) -> bool {
        let word = message.rsplit(' ').next().unwrap_or(message);
        let before = self.text().matches(word).count();
        self.press(message);
        let seen = eventually(PATIENCE, || self.text().matches(word).count() > before);
        self.press("\r");
        seen
    }

    /// Whether the client ends by itself within this time.
    pub(crate) fn has_ended(&mut self, limit: Duration) -> bool {
        eventually(limit, || matches!(self.child.try_wait(), Ok(Some(_))))
    }

    /// All that was written to the screen, control sequences included.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
