//! A person at the terminal whose session is recorded: each step waits for what the client did, as its files and
//! events tell it. After the first step that went wrong nothing is waited for.
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::desk::Desk;
use crate::kit::auditors::InTurn;
use crate::kit::check::Checks;
use crate::kit::event::write;
use crate::kit::processes::eventually;
use crate::kit::sandbox::Sandbox;
use crate::model::anthropic::{Part, tool};
use crate::terminal::Terminal;

use serde_json::json;

pub(super) const PASS: &str = "VERDICT: PASS";

/// How often a key is pressed that may not be heard.
const N_PRESSES: u32 = 8;

/// What stood on the screen where a scenario broke.
pub(super) const SCREEN: &str = "screen";

/// How long a step of the client may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// See the head of this file.
pub(super) struct Seat<'a> {
    desk: &'a Desk,
    terminal: Terminal,
    n_ended: usize,
}

impl<'a> Seat<'a> {
    /// Starts a session with its first prompt.
    pub(super) fn take(desk: &'a Desk, prompt: &str) -> Self {
        let n_ended = desk.sandbox.log_lines().len();
        Self { desk, terminal: Terminal::start(desk, prompt), n_ended }
    }

    /// Presses a key.
    pub(super) fn press(&self, keys: &str) {
        self.terminal.press(keys);
    }

    /// Presses Esc until that is so: a box that is only just drawn may not hear it.
    pub(super) fn escape(&self, c: &mut Checks, what: &str, holds: impl Fn(&Desk) -> bool) {
        let seen = c.hold()
            && (0..N_PRESSES).any(|_| {
                self.press("\u{1b}");
                eventually(PATIENCE / N_PRESSES, || holds(self.desk))
            });
        c.that("4.9", what.to_owned(), seen, "seen", self.terminal.text());
    }

    /// Sends a message.
    pub(super) fn send(&self, c: &mut Checks, message: &str) {
        let seen = c.hold() && self.terminal.send(message);
        c.that("4.9", format!("typed: {message}"), seen, "seen", self.terminal.text());
    }

    /// Sends one and waits for the turn's end.
    pub(super) fn turn(&mut self, c: &mut Checks, message: &str) {
        self.send(c, message);
        self.ended(c);
    }

    /// Waits for the end of one more turn: our hook has written its line, and the client the row behind all its hooks.
    /// Before that row a line end may be lost.
    pub(super) fn ended(&mut self, c: &mut Checks) {
        self.n_ended += 1;
        let n = self.n_ended;
        self.see(c, &format!("the end of turn {n}"), |desk| {
            let n_rows = file_of(desk).matches("\"stop_hook_summary\"").count();
            desk.sandbox.log_lines().len() >= n && n_rows >= n
        });
    }

    /// Waits until that is so.
    pub(super) fn see(&self, c: &mut Checks, what: &str, holds: impl Fn(&Desk) -> bool) {
        let seen = c.hold() && eventually(PATIENCE, || holds(self.desk));
        c.that("4.9", what.to_owned(), seen, "seen", self.terminal.text());
    }

    /// Waits until a session's file holds this.
    pub(super) fn written(&self, c: &mut Checks, text: &str) {
        self.see(c, &format!("in the file: {text}"), |desk| file_of(desk).contains(text));
    }

    /// Waits until this stands on the screen.
    pub(super) fn shown(&self, c: &mut Checks, text: &str) {
        self.screen(c, text, |screen| screen.contains(text));
    }

    /// Waits until the screen is so.
    pub(super) fn screen(&self, c: &mut Checks, what: &str, is_so: impl Fn(&str) -> bool) {
        let seen = c.hold() && eventually(PATIENCE, || is_so(&self.terminal.text()));
        c.that("4.9", format!("on the screen: {what}"), seen, "seen", self.terminal.text());
    }

    /// Leaves as a person does, so that the client writes what it writes at the end.
    pub(super) fn leave(mut self, c: &mut Checks) {
        self.press("/exit");
        self.shown(c, "/exit");
        self.press("\r");
        let ended = c.hold() && self.terminal.has_ended(PATIENCE);
        c.that("4.9", "the client ends", ended, "it ends", self.terminal.text());
        if !c.hold() {
            write(&self.desk.sandbox.path(SCREEN), self.terminal.text());
        }
    }
}

/// The text of every session's file.
pub(super) fn file_of(desk: &Desk) -> String {
    let paths =
        desk.events().into_iter().filter_map(|event| event["transcript_path"].as_str().map(PathBuf::from));
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    paths.dedup();
    paths.iter().map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}

/// A desk whose auditor lets everything pass, and which asks for no permission for the tools of a script.
pub(super) fn desk(steps: Vec<Vec<Part>>) -> (Desk, InTurn) {
    desk_of(Sandbox::new(), &[PASS], steps)
}

/// The same with these answers of the auditor.
pub(super) fn desk_of(sandbox: Sandbox, answers: &[&str], steps: Vec<Vec<Part>>) -> (Desk, InTurn) {
    // Below the project: the client asks before a command reads elsewhere.
    let auditor = InTurn::new(&sandbox.path("project/auditor"), answers);
    let desk = Desk::new(sandbox, auditor.command(), steps);
    desk.edit_settings(|settings| {
        // Else it asks a model of its vendor about each call.
        settings["permissions"] =
            json!({"defaultMode": "default", "allow": ["Bash", "Read", "Edit", "Write", "Agent"]});
    });
    (desk, auditor)
}

/// A command.
pub(super) fn bash(command: &str) -> Part {
    tool("Bash", json!({"command": command, "description": "a command"}))
}

/// Adds a hook of somebody else, which prints this.
pub(super) fn with_hook(desk: &Desk, event: &str, output: &serde_json::Value) {
    let command = format!("cat >/dev/null; printf '%s' '{output}'");
    desk.edit_settings(|settings| {
        let groups = settings["hooks"][event].as_array_mut().expect("hooks are registered");
        groups.push(json!({"hooks": [{"type": "command", "command": command}]}));
    });
}
