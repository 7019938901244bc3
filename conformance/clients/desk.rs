//! A machine with Claude Code on it, made for one test: its own home and temporary directory, a dummy key, a scripted
//! model, the hook put in by `stop-auditor install`, and beside it a hook that keeps every event the client sends.
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::installed;
use super::kit::check::Checks;
use super::kit::environment::Environment;
use super::kit::event::write;
use super::kit::hook::quoted;
use super::kit::processes::{self, eventually};
use super::kit::sandbox::Sandbox;
use super::model::anthropic::{Anthropic, Part};
use super::model::text_of;

/// A client that takes longer than this hangs.
const WATCHDOG: Duration = Duration::from_secs(50);

/// How long after the end of the client, or after a signal to the hook, a process may go on (6.15).
const GRACE: Duration = Duration::from_secs(2);

/// The client asks once whether to use a key that it finds, and knows it by its last 20 characters.
const KEY: &str = "sk-ant-dummy-dummy-dummy-dummy";

/// See the head of this file.
pub(crate) struct Desk {
    pub(crate) sandbox: Sandbox,
    pub(crate) model: Anthropic,
    env: Environment,
}

impl Desk {
    /// Installs the hook with this auditor command.
    ///
    /// # Panics
    /// When the install fails.
    pub(crate) fn new(sandbox: Sandbox, auditor: &str, steps: Vec<Vec<Part>>) -> Self {
        let model = Anthropic::new(steps);
        let env = environment(&sandbox, &model.url());
        let desk = Self { sandbox, model, env };
        fs::create_dir(desk.sandbox.path("events")).expect("a directory");
        write(&desk.settings(), desk.listener().to_string());
        write(&desk.sandbox.path("home/.claude.json"), desk.first_steps_done().to_string());
        let output = desk.own(&["install", "--auditor-cmd", auditor]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        desk
    }

    /// A variable for the client, and so for its hooks.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.set(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    /// Runs our own binary.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn own(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
        command.args(arguments).env_clear().envs(self.env.pairs()).stdin(Stdio::null());
        command.output().expect("our own binary starts")
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.sandbox.path("home/.claude/settings.json")
    }

    /// Changes the settings as a person would with an editor.
    ///
    /// # Panics
    /// When they are not there.
    pub(crate) fn edit_settings(&self, edit: impl FnOnce(&mut Value)) {
        let text = fs::read_to_string(self.settings()).expect("the settings are there");
        let mut settings = serde_json::from_str(&text).expect("and are JSON");
        edit(&mut settings);
        write(&self.settings(), settings.to_string());
    }

    /// Takes the auditor command out of the settings: the hook then asks Codex. The install named another, so that it
    /// does not depend on a login.
    pub(crate) fn forget_auditor(&self) {
        self.edit_settings(|settings| {
            let env = settings["env"].as_object_mut().expect("the install wrote it");
            env.remove("STOP_AUDITOR_CMD").expect("with the auditor");
        });
    }

    /// Changes the command with which our hook is registered for an event.
    ///
    /// # Panics
    /// When it is not registered.
    pub(crate) fn edit_command(&self, event: &str, edit: impl Fn(&str) -> String) {
        self.edit_settings(|settings| {
            let groups = settings["hooks"][event].as_array_mut().into_iter().flatten();
            let commands = groups.map(|group| &mut group["hooks"][0]["command"]);
            let ours = |command: &&mut Value| {
                command.as_str().is_some_and(|command| command.contains("hooks/stop-auditor"))
            };
            let ours = commands.into_iter().find(ours).expect("our hook is registered");
            *ours = edit(ours.as_str().unwrap_or_default()).into();
        });
    }

    /// The client, with this environment and this directory.
    pub(crate) fn environment(&self) -> (&Environment, PathBuf) {
        (&self.env, self.sandbox.path("project"))
    }

    /// One prompt in print mode.
    pub(crate) fn print(&self, c: &mut Checks, prompt: &str) -> Turn {
        self.run(c, &["-p", prompt])
    }

    /// One more prompt for a session that ended.
    pub(crate) fn resume(&self, c: &mut Checks, session_id: &str, prompt: &str) -> Turn {
        self.run(c, &["--resume", session_id, "-p", prompt])
    }

    /// Print mode with these arguments.
    ///
    /// # Panics
    /// When the client does not start.
    pub(crate) fn run(&self, c: &mut Checks, arguments: &[&str]) -> Turn {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = |name: &str| self.sandbox.path(&format!("{name}-{n}"));
        let (out, err) = (file("stdout"), file("stderr"));
        let mut command = Command::new(installed::claude());
        command.args(arguments).args(["--model", "opus", "--output-format", "stream-json", "--verbose"]);
        command.args(["--include-hook-events", "--allowedTools", "Bash", "Edit", "Write", "Read"]);
        command.env_clear().envs(self.env.pairs()).current_dir(self.sandbox.path("project"));
        command.process_group(0).stdin(Stdio::null());
        command.stdout(File::create(&out).expect("a file")).stderr(File::create(&err).expect("a file"));
        let mut child = command.spawn().expect("the client starts");
        let group = Pid::from_child(&child);
        let (tell, told) = channel();
        // Nobody listens after the watchdog.
        thread::spawn(move || drop(tell.send(child.wait())));
        let status = told.recv_timeout(WATCHDOG).ok().and_then(Result::ok);
        if status.is_none() {
            // It may have ended in between.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let stream = text(&out).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let turn = Turn { stream };
        let code = status.and_then(|status| status.code());
        c.that("6.11", "the client ends well", code == Some(0), "exit 0", format!("{code:?} {}", text(&err)));
        turn
    }

    /// What the client told its Stop and UserPromptSubmit hooks, in order.
    pub(crate) fn events(&self) -> Vec<Value> {
        let files = self.sandbox.files_below("events").into_iter();
        let files = files.filter(|path| path.extension().is_none());
        files.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect()
    }

    /// Those of one name.
    pub(crate) fn events_named(&self, name: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["hook_event_name"] == name).collect()
    }

    /// What the scripted model and the scripted person said; a notification is the client's.
    pub(crate) fn own_words(&self) -> Vec<String> {
        let events = self.events_named("UserPromptSubmit");
        let prompts = events.iter().filter_map(|event| event["prompt"].as_str());
        let typed = prompts.filter(|prompt| {
            !["<task-notification>", "<cross-session-message"].iter().any(|tag| prompt.starts_with(tag))
        });
        self.model.words().into_iter().chain(typed.map(str::to_owned)).collect()
    }

    /// The notes that wait for a session's next prompt.
    pub(crate) fn pending(&self, session_id: &str) -> PathBuf {
        self.sandbox.path("logs/pending").join(format!("{session_id}.json"))
    }

    /// The processes that were started from here and still run.
    pub(crate) fn running(&self) -> Vec<(i32, String)> {
        processes::with_environment(self.sandbox.root())
    }

    /// Those of them that are the hook or the fake auditor it started.
    pub(crate) fn auditing(&self) -> Vec<String> {
        let is_ours = |line: &String| line.contains("hooks/stop-auditor") || line.contains("fake-auditors/");
        self.running().into_iter().map(|(_, line)| line).filter(is_ours).collect()
    }

    /// Nothing that the test started goes on after it.
    pub(crate) fn nothing_is_left(&self, c: &mut Checks) {
        eventually(GRACE, || self.running().is_empty());
        c.equal("6.14", "processes left by client, hook and auditor", self.running(), Vec::new());
    }

    /// Hook and auditor are gone in the time that the spec gives them.
    pub(crate) fn the_audit_is_over(&self, c: &mut Checks) {
        eventually(GRACE, || self.auditing().is_empty());
        c.equal("6.15", "hook and auditor after 2 s", self.auditing(), Vec::new());
    }

    /// A hook of somebody else, which keeps what the client sends.
    fn listener(&self) -> Value {
        let events = quoted(&self.sandbox.path("events").to_string_lossy());
        let command = format!("f={events}/$(date +%s%N)-$$; cat >$f.part; mv $f.part $f");
        let group = json!([{"hooks": [{"type": "command", "command": command}]}]);
        json!({"hooks": {"Stop": group, "UserPromptSubmit": group}})
    }

    /// What the interactive client asks on its first start.
    fn first_steps_done(&self) -> Value {
        let project = fs::canonicalize(self.sandbox.path("project")).expect("it is there");
        let tail = &KEY[KEY.len() - 20..];
        let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        json!({"hasCompletedOnboarding": true, "theme": "dark",
               "customApiKeyResponses": {"approved": [tail], "rejected": []},
               "projects": {project.to_string_lossy().as_ref(): trusted}})
    }
}

/// What the client and its hooks get of an environment, and nothing else: a home of their own, a dummy key, this model.
pub(crate) fn environment(sandbox: &Sandbox, model_url: &str) -> Environment {
    let at = |name: &str| sandbox.path(name).to_string_lossy().into_owned();
    let pairs = [
        ("PATH", installed::path()),
        ("HOME", at("home")),
        ("TMPDIR", at("tmp")),
        ("LANG", "C.UTF-8".to_owned()),
        ("STOP_AUDITOR_LOG_DIR", at("logs")),
        ("ANTHROPIC_BASE_URL", model_url.to_owned()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ];
    pairs.into_iter().collect()
}

impl Drop for Desk {
    fn drop(&mut self) {
        for (id, _) in self.running() {
            processes::end(id);
        }
    }
}

/// What print mode wrote.
pub(crate) struct Turn {
    stream: Vec<Value>,
}

impl Turn {
    /// The session's id, or "".
    pub(crate) fn session_id(&self) -> String {
        let mut ids = self.stream.iter().filter_map(|event| event["session_id"].as_str());
        ids.next_back().unwrap_or_default().to_owned()
    }

    /// Everything in the stream, as text: what a program that runs the client can show its person.
    pub(crate) fn shown(&self) -> String {
        self.stream.iter().map(text_of).collect::<Vec<String>>().join("\n")
    }
}
