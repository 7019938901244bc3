//! One event given to the hook, and what came of it. The hook gets an environment built from nothing, the way the
//! client starts it (`sh -c`, a process group of its own), and is ended when it does not end.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use stop_auditor::hosts::claude_code;

use super::auditors::{self, Recording};
use super::environment::Environment;
use super::hook;
pub(crate) use super::run::{Given, Run};

/// A hook that takes longer than this hangs.
const WATCHDOG: Duration = Duration::from_secs(30);

/// How long after the hook's end its output may stay open before somebody else must be holding it.
const OUTPUT_GRACE: Duration = Duration::from_secs(1);

/// An event on its way to the hook.
#[derive(Clone)]
pub(crate) struct Event {
    pub(crate) json: Value,
    root: PathBuf,
    env: Environment,
    watchdog: Duration,
    nobody_reads: bool,
    shell: String,
}

impl Event {
    pub(crate) fn new(root: &Path, json: Value) -> Self {
        let at = |name: &str| root.join(name).to_string_lossy().into_owned();
        let own = |name: &'static str| std::env::var(name).ok().map(|value| (name, value));
        let pairs = [
            ("HOME", at("home")),
            ("TMPDIR", at("tmp")),
            ("STOP_AUDITOR_LOG_DIR", at("logs")),
            ("LANG", "C.UTF-8".to_owned()),
        ];
        // The report's coverage and the date in a log's name need the machine's own settings, where it has them.
        let of_the_machine = ["PATH", "TZ", "LLVM_PROFILE_FILE"].into_iter().filter_map(own);
        let env = pairs.into_iter().chain(of_the_machine).collect();
        Self {
            json,
            root: root.to_owned(),
            env,
            watchdog: WATCHDOG,
            nobody_reads: false,
            shell: "{hook}".into(),
        }
    }

    pub(crate) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Value::Object(map) = &mut self.json {
            map.insert(key.to_owned(), value.into());
        }
        self
    }

    pub(crate) fn unset(mut self, key: &str) -> Self {
        if let Value::Object(map) = &mut self.json {
            map.remove(key);
        }
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.set(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    pub(crate) fn auditor(self, command: &str) -> Self {
        self.env("STOP_AUDITOR_CMD", command)
    }

    /// The turn goes on after a block: `stop_hook_active` is true.
    pub(crate) fn again(self) -> Self {
        self.set("stop_hook_active", true)
    }

    /// The short time limit, where the hook under test has one; else the watchdog waits as long as the client.
    pub(crate) fn short_limit(self) -> Self {
        match hook::short_limit() {
            Some((name, value)) => self.env(&name, &value),
            None => self.patient(),
        }
    }

    /// The watchdog waits only so long: for what hangs where it is wrong, and is done at once where it is right.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.watchdog = limit;
        self
    }

    /// The watchdog waits as long as the client would.
    pub(crate) fn patient(mut self) -> Self {
        self.watchdog = Duration::from_secs(hook::SPEC_HOOK_TIMEOUT_S);
        self
    }

    /// The client has gone: nobody reads the hook's stdout, and every write to it fails.
    pub(crate) fn nobody_reads(mut self) -> Self {
        self.nobody_reads = true;
        self
    }

    /// The shell line that the hook stands in, as `{hook}`: a limit or a redirection round it.
    pub(crate) fn through(mut self, shell: &str) -> Self {
        shell.clone_into(&mut self.shell);
        self
    }

    /// Our own binary without a shell round it, for who wants to be its parent.
    pub(crate) fn direct(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
        command.env_clear().envs(self.env.pairs()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    /// Runs the hook to its end.
    pub(crate) fn run(self) -> Run {
        self.start().finish()
    }

    /// Runs the hook with these bytes on stdin.
    pub(crate) fn run_raw(self, stdin: &[u8]) -> Run {
        self.start_raw(Some(stdin)).finish()
    }

    /// Runs the hook with no stdin at all (`/dev/null`).
    pub(crate) fn run_without_stdin(self) -> Run {
        self.start_raw(None).finish()
    }

    /// Runs the hook with the recording auditor, which says PASS, and gives the prompt that it got.
    pub(crate) fn prompt(self) -> String {
        self.prompt_and_run("VERDICT: PASS").0
    }

    pub(crate) fn prompt_and_run(self, says: &str) -> (String, Run) {
        let (recording, run) = self.record(says);
        (recording.prompt(), run)
    }

    /// Runs the hook with the recording auditor and gives all that it recorded.
    pub(crate) fn record(self, says: &str) -> (Recording, Run) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("recording-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = self.root.join(name);
        let command = auditors::recorder(&dir, says);
        let run = self.auditor(&command).run();
        (Recording::of(&dir), run)
    }

    /// Starts the hook.
    pub(crate) fn start(self) -> Running {
        let text = self.json.to_string();
        self.start_raw(Some(text.as_bytes()))
    }

    /// Starts the hook with these bytes on a stdin that stays open.
    pub(crate) fn start_open(self, stdin: &[u8]) -> (Running, OpenInput) {
        let (running, pipe) = self.spawn(true);
        let (tell, told) = channel();
        let bytes = stdin.to_vec();
        thread::spawn(move || {
            let Some(mut pipe) = pipe else { return };
            if pipe.write_all(&bytes).is_ok() {
                // Nobody listens once the test is over, and then the pipe is closed.
                let _ = tell.send(pipe);
            }
        });
        (running, OpenInput(told))
    }

    fn start_raw(self, stdin: Option<&[u8]>) -> Running {
        let (running, pipe) = self.spawn(stdin.is_some());
        if let (Some(mut pipe), Some(bytes)) = (pipe, stdin) {
            let bytes = bytes.to_vec();
            // A hook that does not read its input makes this fail, and has the right to.
            thread::spawn(move || drop(pipe.write_all(&bytes)));
        }
        running
    }

    /// The hook, and the writing end of its stdin where it has one.
    fn spawn(self, has_stdin: bool) -> (Running, Option<ChildStdin>) {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(self.shell.replace("{hook}", &hook::command()));
        command.env_clear().envs(self.env.pairs());
        command.current_dir(env!("CARGO_MANIFEST_DIR")).process_group(0);
        command.stdin(if has_stdin { Stdio::piped() } else { Stdio::null() });
        command.stderr(Stdio::piped());
        // The writing end of a pipe that is no longer read.
        let unread = self.nobody_reads.then(|| std::io::pipe().expect("a pipe").1);
        command.stdout(unread.map_or_else(Stdio::piped, Stdio::from));
        let start = Instant::now();
        let mut child = command.spawn().expect("sh starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map_or_else(Output::none, Output::of);
        let stderr = Output::of(child.stderr.take().expect("piped"));
        let group = Pid::from_child(&child);
        let given = given(&self.json);
        let running =
            Running { given, group, ended: ended(child), stdout, stderr, start, watchdog: self.watchdog };
        (running, stdin)
    }
}

/// A stdin that was not closed.
pub(crate) struct OpenInput(Receiver<ChildStdin>);

impl OpenInput {
    /// The writing end, once all bytes are written; `None` where nobody reads them.
    pub(crate) fn written(&self, limit: Duration) -> Option<ChildStdin> {
        self.0.recv_timeout(limit).ok()
    }
}

/// A hook that runs.
pub(crate) struct Running {
    given: Given,
    group: Pid,
    ended: Receiver<(ExitStatus, Instant)>,
    stdout: Output,
    stderr: Output,
    start: Instant,
    watchdog: Duration,
}

impl Running {
    /// What the client does on Esc and at its own time-out: SIGTERM to the hook's process group.
    pub(crate) fn terminate(&self) {
        // A hook that is already gone is found out by what it left.
        let _ = kill_process_group(self.group, Signal::TERM);
    }

    /// Ends the hook's process group the hard way, as a crash would.
    pub(crate) fn kill(&self) {
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    /// Waits for the hook's end.
    pub(crate) fn finish(self) -> Run {
        let ended = match self.ended.recv_timeout(self.watchdog) {
            Ok(ended) => Some(ended),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                self.kill();
                None
            }
        };
        let end = ended.map_or_else(Instant::now, |(_, at)| at);
        let (stdout, stdout_held) = self.stdout.take();
        let (stderr, stderr_held) = self.stderr.take();
        Run {
            given: self.given,
            code: ended.and_then(|(status, _)| status.code()),
            stdout,
            stderr,
            elapsed: end.duration_since(self.start),
            hung: ended.is_none(),
            held_open: stdout_held || stderr_held,
        }
    }
}

/// A stream that is read to its end in a thread, or as far as it came.
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Output {
    fn of(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (done, closed) = channel();
        let sink = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut buffer = [0; 1 << 13];
            while let Ok(n_bytes @ 1..) = pipe.read(&mut buffer) {
                sink.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..n_bytes]);
            }
            // Nobody listens once the grace is over.
            let _ = done.send(());
        });
        Self { bytes, closed }
    }

    /// Of a stream that nobody reads.
    fn none() -> Self {
        Self::of(std::io::empty())
    }

    /// The text, and whether somebody still holds the stream open.
    fn take(self) -> (String, bool) {
        let held = self.closed.recv_timeout(OUTPUT_GRACE) == Err(RecvTimeoutError::Timeout);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&bytes).into_owned(), held)
    }
}

/// What the client would know of the event.
fn given(json: &Value) -> Given {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let situation = claude_code::Situation {
        command: hook::command(),
        prompt: text("prompt"),
        blocks_in_a_row: usize::from(json["stop_hook_active"] == true),
    };
    Given { event: claude_code::Event::named(&text("hook_event_name")), situation }
}

/// Tells when the process has ended, and reaps it.
fn ended(mut child: Child) -> Receiver<(ExitStatus, Instant)> {
    let (tell, told) = channel();
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            // Nobody listens after the watchdog.
            let _ = tell.send((status, Instant::now()));
        }
    });
    told
}

/// Makes a file, with its directories.
///
/// # Panics
/// When it cannot be written.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let dir = path.parent().expect("a file has a directory");
    fs::create_dir_all(dir).expect("its directory is made");
    fs::write(path, bytes).expect("the file is written");
}
