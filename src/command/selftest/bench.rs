//! A place to run the hook in: one temporary directory an item, with home, log and session inside.
//! The hook runs as the client runs it: `sh -c`, in a process group of its own, which a watchdog ends.

use super::Commands;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const TRANSCRIPT: &str = include_str!("transcript.jsonl");
/// Session and turn of the transcript, as the client would send them.
pub(super) const SESSION: &str = "5e1f7e57-0000-4000-8000-000000000000";
const PROMPT: &str = "5e1f7e57-aaaa-4000-8000-000000000002";
const REPLY: &str = "测试跑完了，7319 个全部通过。";
/// No item takes a hook that works more than two seconds.
const WATCHDOG: Duration = Duration::from_secs(20);
/// What a hook gets to end its auditor after SIGTERM (6.15).
const GRACE: Duration = Duration::from_secs(2);

/// The directory and the commands under test.
pub(super) struct Bench<'a> {
    dir: TempDir,
    commands: &'a Commands,
}

/// One run of the hook.
#[derive(Debug)]
pub(super) struct Run {
    /// The command as a person would type it.
    pub(super) shown: String,
    pub(super) ended: Ended,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Code(i32),
    Signal(i32),
    /// The watchdog ended it.
    TooLate,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "退出码 {code}"),
            Self::Signal(signal) => write!(f, "被信号 {signal} 结束"),
            Self::TooLate => write!(f, "超过 {} 秒，被自测结束", WATCHDOG.as_secs()),
        }
    }
}

impl Run {
    /// What the hook says, when that is one JSON object.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_str::<Value>(&self.stdout).ok().filter(Value::is_object)
    }

    pub(super) fn is_silent(&self) -> bool {
        self.stdout.is_empty() && self.ended == Ended::Code(0)
    }
}

impl<'a> Bench<'a> {
    pub(super) fn new(commands: &'a Commands) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("stop-auditor-selftest.").tempdir()?;
        for name in ["home", "tmp", "logs", "project"] {
            fs::create_dir(dir.path().join(name))?;
        }
        fs::write(dir.path().join("transcript.jsonl"), TRANSCRIPT)?;
        Ok(Self { dir, commands })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A path for use in a shell command.
    pub(super) fn quoted(&self, name: &str) -> io::Result<String> {
        let path = self.path(name);
        let quoted = path.to_str().and_then(|path| shlex::try_quote(path).ok());
        Ok(quoted.ok_or_else(|| io::Error::other("临时目录的路径不是 UTF-8"))?.into_owned())
    }

    /// One Stop of the made-up turn.
    pub(super) fn stop(&self, auditor: &str, is_continued: bool, env: &[(&str, &str)]) -> io::Result<Run> {
        let event = json!({
            "session_id": SESSION,
            "transcript_path": self.path("transcript.jsonl"),
            "cwd": self.path("project"),
            "prompt_id": PROMPT,
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": is_continued,
            "last_assistant_message": REPLY,
            "background_tasks": [],
        });
        let env = [&[("STOP_AUDITOR_CMD", auditor)], env].concat();
        self.run(&self.commands.stop, &event, &env)
    }

    /// The person's next message.
    pub(super) fn prompt_submit(&self) -> io::Result<Run> {
        let event = json!({
            "session_id": SESSION,
            "transcript_path": self.path("transcript.jsonl"),
            "cwd": self.path("project"),
            "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit",
            "prompt": "接着做。",
        });
        self.run(&self.commands.prompt_submit, &event, &[])
    }

    /// Every line of the log, in order of the files' names.
    pub(super) fn log(&self) -> io::Result<Vec<Value>> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.path("logs"))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        let mut lines = Vec::new();
        for file in files {
            let text = fs::read_to_string(file)?;
            lines.extend(text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| line.into())));
        }
        Ok(lines)
    }

    fn run(&self, command: &str, event: &Value, env: &[(&str, &str)]) -> io::Result<Run> {
        let [stdin, stdout, stderr] = ["stdin", "stdout", "stderr"].map(|name| self.path(name));
        File::create(&stdin)?.write_all(event.to_string().as_bytes())?;
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()))
            .env("LANG", "C.UTF-8")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("STOP_AUDITOR_LOG_DIR", self.path("logs"))
            .env("CLAUDE_PROJECT_DIR", self.path("project"))
            .envs(env.iter().copied())
            .current_dir(self.path("project"))
            .process_group(0)
            // Files and not pipes: nobody has to read along, and what outlives the hook holds nobody up.
            .stdin(File::open(&stdin)?)
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?);
        let ended = wait(shell.spawn()?)?;
        let text = |path| io::Result::Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned());
        Ok(Run { shown: shown(command, event, env), ended, stdout: text(&stdout)?, stderr: text(&stderr)? })
    }
}

fn shown(command: &str, event: &Value, env: &[(&str, &str)]) -> String {
    let quote = |text: &str| shlex::try_quote(text).map_or_else(|_| text.to_owned(), Cow::into_owned);
    let mut words: Vec<String> = env.iter().map(|(name, value)| format!("{name}={}", quote(value))).collect();
    words.push(format!("sh -c {}", quote(command)));
    let name = event.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let flag = match event.get("stop_hook_active") {
        Some(flag) => format!("，stop_hook_active {flag}"),
        None => String::new(),
    };
    format!("{}（输入 {name}{flag}）", words.join(" "))
}

/// Waits for the child, and past the watchdog ends its group: gently first, so that a hook can end its auditor.
fn wait(mut child: Child) -> io::Result<Ended> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (sender, receiver) = mpsc::channel();
    let waiter = thread::spawn(move || sender.send(child.wait()));
    let mut limits = [(WATCHDOG, Signal::TERM), (GRACE, Signal::KILL)].into_iter();
    let mut is_late = false;
    let status = loop {
        let Some((limit, signal)) = limits.next() else {
            break receiver.recv().map_err(io::Error::other)?;
        };
        match receiver.recv_timeout(limit) {
            Ok(status) => break status,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("等子进程的线程没了")),
            Err(RecvTimeoutError::Timeout) => is_late = true,
        }
        match group.map(|group| kill_process_group(group, signal)) {
            // It ended by itself just now.
            None | Some(Ok(()) | Err(Errno::SRCH)) => {}
            Some(Err(error)) => return Err(error.into()),
        }
    };
    if waiter.join().is_err() {
        return Err(io::Error::other("等子进程的线程没了"));
    }
    Ok(if is_late { Ended::TooLate } else { ended(status?) })
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Code(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}
