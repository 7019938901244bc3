//! One client for many rows of a contract: prompts come one by one, and before each the hook is told what to do. What
//! the client did is read from its stream, its requests and its transcript.
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};
use stop_auditor::hosts::claude_code::Event;
use stop_auditor::hosts::contract::{End, Handler, Run};

use super::{client, tell_hook, transcript, write_hook};
use crate::kit::processes::{self, eventually};
use crate::kit::sandbox::Sandbox;
use crate::model::anthropic::Anthropic;

/// A turn that takes longer than this hangs.
const WATCHDOG: Duration = Duration::from_secs(50);

/// What the settings say of the hook; rows that agree in it can share a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) event: Event,
    pub(crate) in_background: bool,
    /// The client ends the hook after a second.
    pub(crate) times_out: bool,
    /// The command is no file.
    pub(crate) is_missing: bool,
}

impl Setup {
    /// What the settings have to say for a run to end like this.
    pub(crate) fn of(event: Event, handler: Handler, end: End) -> Self {
        Self {
            event,
            in_background: handler == Handler::AsyncCommand,
            times_out: end == End::TimedOut,
            is_missing: end == End::NotStarted,
        }
    }
}

/// A client that waits for its next prompt.
pub(crate) struct Session {
    sandbox: Sandbox,
    model: Anthropic,
    child: Child,
    stdin: Option<ChildStdin>,
    stream: Receiver<Value>,
    n_requests: usize,
    /// The hook's command, as registered.
    pub(crate) command: String,
}

/// What came of one prompt.
pub(crate) struct Turn {
    /// The prompt, which no other turn has.
    pub(crate) prompt: String,
    /// The client's stream, up to the result.
    pub(crate) stream: Vec<Value>,
    /// The last request before it, if there was one.
    pub(crate) before: Option<Value>,
    /// Its requests to the model.
    pub(crate) requests: Vec<Value>,
    /// How often the hook ran.
    pub(crate) n_hook_runs: usize,
}

impl Session {
    /// # Panics
    /// When the client does not start.
    pub(crate) fn start(setup: Setup) -> Self {
        let sandbox = Sandbox::new();
        let program = sandbox.path(if setup.is_missing { "missing" } else { "hook" });
        let program = program.to_string_lossy();
        // Not every shell hands its place over by itself, and one that stays reports a signal as an exit code.
        let command = if setup.is_missing { program.into_owned() } else { format!("exec {program}") };
        let mut handler = json!({"type": "command", "command": command});
        if setup.in_background {
            handler["async"] = true.into();
        }
        if setup.times_out {
            handler["timeout"] = 1.into();
        }
        let model = Anthropic::without_tools(|n| format!("REPLY-{n}"));
        write_hook(&sandbox);
        let mut client = client(&sandbox, &model, setup.event.name(), &handler);
        client.args(["--input-format", "stream-json"]);
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = client.spawn().expect("the client starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (tell, stream) = channel();
        thread::spawn(move || {
            let events = stdout.lines().map_while(Result::ok);
            for event in events.filter_map(|line| serde_json::from_str(&line).ok()) {
                // Nobody listens after a failure.
                let _ = tell.send(event);
            }
        });
        Self { sandbox, model, child, stdin, stream, n_requests: 0, command }
    }

    /// Gives the client one prompt. The hook does this as often as told, and nothing when it runs again.
    ///
    /// # Panics
    /// When the client ends, or gives no result in time.
    pub(crate) fn turn(&mut self, prompt: &str, run: &Run, n_times: usize) -> Turn {
        tell_hook(&self.sandbox, run, n_times);
        let message = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        let stdin = self.stdin.as_mut().expect("open until the end");
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).expect("the client takes a prompt");
        let mut stream = Vec::new();
        while stream.last().is_none_or(|event: &Value| event["type"] != "result") {
            stream.push(self.stream.recv_timeout(WATCHDOG).expect("the client goes on"));
        }
        let mut bodies: Vec<Value> = self.model.bodies().into_iter().map(|(_, body)| body).collect();
        let requests = bodies.split_off(self.n_requests);
        self.n_requests += requests.len();
        let ran = fs::read_to_string(self.sandbox.path("row/ran")).unwrap_or_default();
        Turn {
            prompt: prompt.to_owned(),
            stream,
            before: bodies.pop(),
            requests,
            n_hook_runs: ran.lines().count(),
        }
    }

    /// Lets the client end; its exit code and its transcript.
    ///
    /// # Panics
    /// When it does not end, or leaves a process.
    pub(crate) fn finish(mut self) -> (Option<i32>, Vec<Value>) {
        drop(self.stdin.take());
        let ended = eventually(WATCHDOG, || matches!(self.child.try_wait(), Ok(Some(_))));
        assert!(ended, "the client goes on after its last prompt");
        let code = self.child.wait().ok().and_then(|status| status.code());
        let gone = eventually(Duration::from_secs(5), || self.left().is_empty());
        assert!(gone, "left: {:?}", self.left());
        (code, transcript(&self.sandbox))
    }

    fn left(&self) -> Vec<(i32, String)> {
        processes::with_environment(self.sandbox.root())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for (id, _) in self.left() {
            processes::end(id);
        }
        drop(self.child.wait());
    }
}
