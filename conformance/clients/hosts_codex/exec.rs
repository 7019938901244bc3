//! `codex exec` in a home: one prompt to its end, with the hooks run whether they are trusted or not.
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::home::Home;
use super::script::{REPLY, messages};

/// A client that takes longer than this hangs.
const WATCHDOG: Duration = Duration::from_secs(40);

/// What a script that runs it sees, and what its model was asked.
#[derive(Debug)]
pub(super) struct Exec {
    /// `None`: ended by a signal, or by the watchdog.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) requests: Vec<Value>,
}

impl Exec {
    /// The statuses of an event's hooks, as stderr tells them.
    pub(super) fn statuses(&self, event: &str) -> Vec<String> {
        let start = format!("hook: {event} ");
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix(&start));
        lines.map(str::to_owned).collect()
    }

    /// Whether it printed the model's reply.
    pub(super) fn replied(&self) -> bool {
        self.stdout.contains(REPLY)
    }

    /// The last message of the user that the model was sent.
    pub(super) fn last_message(&self) -> String {
        let messages = self.requests.last().map(|request| messages(request, "user"));
        messages.and_then(|mut messages| messages.pop()).unwrap_or_default()
    }
}

/// A client that runs.
pub(super) struct Running<'a> {
    home: &'a Home,
    child: Child,
    n_requests: usize,
    n: usize,
}

/// Runs a prompt to its end, with `--dangerously-bypass-hook-trust`.
pub(super) fn exec(home: &Home, arguments: &[&str], prompt: &str) -> Exec {
    let mut all = vec!["--dangerously-bypass-hook-trust"];
    all.extend(arguments);
    start(home, home.command(), &all, prompt).finish()
}

/// Starts a prompt with these arguments of `codex exec`.
///
/// # Panics
/// When the client does not start.
pub(super) fn start<'a>(
    home: &'a Home,
    mut command: Command,
    arguments: &[&str],
    prompt: &str,
) -> Running<'a> {
    let n = home.sandbox.files_below("exec").len() / 2;
    fs::create_dir_all(home.sandbox.path("exec")).expect("a directory");
    let file = |name: &str| File::create(home.sandbox.path(&format!("exec/{n}-{name}"))).expect("a file");
    command.arg("exec").arg("--skip-git-repo-check").args(arguments).arg(prompt);
    command.process_group(0).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    let n_requests = home.model.requests().len();
    Running { home, child: command.spawn().expect("the client starts"), n_requests, n }
}

impl Running<'_> {
    /// What Ctrl-C does.
    pub(super) fn interrupt(&self) {
        // One that has ended is found out by its exit code.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::INT);
    }

    pub(super) fn finish(mut self) -> Exec {
        let group = Pid::from_child(&self.child);
        let (tell, told) = channel();
        // Nobody listens after the watchdog.
        thread::spawn(move || drop(tell.send(self.child.wait())));
        let status = told.recv_timeout(WATCHDOG).ok().and_then(Result::ok);
        if status.is_none() {
            // It may have ended in between.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let text = |name: &str| {
            let path = self.home.sandbox.path(&format!("exec/{}-{name}", self.n));
            String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
        };
        Exec {
            code: status.and_then(|status| status.code()),
            stdout: text("out"),
            stderr: text("err"),
            requests: self.home.model.bodies_since(self.n_requests),
        }
    }
}
