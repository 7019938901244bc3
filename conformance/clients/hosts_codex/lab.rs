//! One Codex for many rows: a thread each, and what became of it as an [`Effect`]. How `codex exec` ends is looked at
//! elsewhere (`exec.rs`): here that part is taken over from the row.
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::contract::{Effect, End, GoesOn, Handler, Run, Status};

use super::super::kit::check::Checks;
use super::super::kit::processes::eventually;
use super::app_server::AppServer;
use super::home::Home;
use super::observed::{Seen, kept};
use super::script::{AGENTS, ASK, PLAIN, TOOL, WAIT};

/// How long a record may take to be on the disk.
const WRITTEN: Duration = Duration::from_secs(3);

/// See the head of this file.
pub(super) struct Lab {
    // Dropped first: it ends the client.
    pub(super) server: AppServer,
    pub(super) home: Home,
    registered: RefCell<Value>,
}

/// Settings under which nobody is asked for leave.
pub(super) const FREE: &[&str] = &["approval_policy = \"never\"", "sandbox_mode = \"danger-full-access\""];

/// Settings under which a command outside the sandbox needs leave.
pub(super) const ASKING: &[&str] = &["approval_policy = \"on-request\"", "sandbox_mode = \"read-only\""];

impl Lab {
    pub(super) fn new(home: Home) -> Self {
        let server = AppServer::start(home.command());
        Self { server, home, registered: RefCell::default() }
    }

    /// Registers handlers at one event, and trusts them.
    pub(super) fn register(&self, event: Event, handlers: &[Value]) {
        let hooks = json!({event.name(): [{"hooks": handlers}]});
        if *self.registered.borrow() != hooks {
            self.home.register(&hooks);
            self.trust();
            self.registered.replace(hooks);
        }
    }

    /// Registers the hook script at several events, and trusts it.
    pub(super) fn register_at(&self, events: &[Event]) {
        let group =
            |event: &Event| (event.name().to_owned(), json!([{"hooks": [self.home.handler(*event, 0)]}]));
        self.home.register(&events.iter().map(group).collect::<serde_json::Map<_, _>>().into());
        self.trust();
        self.registered.replace(Value::Null);
    }

    /// Trusts what is registered now, as `/hooks` in the terminal does.
    pub(super) fn trust(&self) {
        let trusted = |hook: &Value| {
            format!(
                "[hooks.state.{}]\ntrusted_hash = {}\n",
                json!(hook["key"].as_str().unwrap_or_default()),
                hook["currentHash"]
            )
        };
        let tables: Vec<String> =
            self.listed()["hooks"].as_array().into_iter().flatten().map(trusted).collect();
        self.home.write_config(&tables);
    }

    /// What the client reads of the hooks: `hooks`, `warnings`.
    pub(super) fn listed(&self) -> Value {
        let listed = self.server.request("hooks/list", json!({"cwds": [self.home.sandbox.path("project")]}));
        listed["data"][0].clone()
    }

    /// A thread that has not begun: its id and its file.
    pub(super) fn thread(&self) -> (String, PathBuf) {
        let started = self.server.request("thread/start", json!({"cwd": self.home.sandbox.path("project")}));
        let text = |name: &str| started["thread"][name].as_str().unwrap_or_default().to_owned();
        (text("id"), PathBuf::from(text("path")))
    }

    /// One message of the person, to its end.
    pub(super) fn turn(&self, thread: &str, prompt: &str) -> Value {
        let from = self.server.n_notes();
        self.begin(thread, prompt);
        self.ended(thread, from)
    }

    /// One message of the person; gives the turn's id.
    pub(super) fn begin(&self, thread: &str, prompt: &str) -> String {
        let input = json!([{"type": "text", "text": prompt}]);
        let begun = self.server.request("turn/start", json!({"threadId": thread, "input": input}));
        begun["turn"]["id"].as_str().unwrap_or_default().to_owned()
    }

    /// The end of a turn, as it was told.
    ///
    /// # Panics
    /// When it does not come.
    pub(super) fn ended(&self, thread: &str, from: usize) -> Value {
        let is_end =
            |note: &Value| note["method"] == "turn/completed" && note["params"]["threadId"] == json!(thread);
        assert!(self.server.note(from, is_end), "the turn does not end");
        let ends = self.server.notes(from).into_iter().filter(is_end);
        ends.map(|note| note["params"]["turn"].clone()).next_back().unwrap_or_default()
    }

    /// What was told of an event's hooks, a run each.
    pub(super) fn hook_runs(&self, event: Event, from: usize) -> Vec<Value> {
        let name = wire_name(event);
        let notes = self.server.notes(from).into_iter();
        let notes = notes.filter(|note| note["method"] == "hook/completed");
        let runs = notes.map(|note| note["params"]["run"].clone());
        runs.filter(|run| run["eventName"] == json!(name)).collect()
    }

    /// What becomes of the event when its hooks, one or several, do this.
    pub(super) fn effect(&self, event: Event, handler: Handler, runs: &[Run], expected: &Effect) -> Effect {
        self.register(event, &self.handlers(event, handler, runs));
        self.home.plan(event, runs);
        if let Some(run) = runs.first().filter(|_| handler == Handler::McpTool) {
            self.home.mcp_answers(run);
        }
        for file in ["ran", "started"] {
            // Left by the row before.
            drop(fs::remove_file(self.home.sandbox.path("project").join(file)));
        }
        let (from, n_requests, n_asked) =
            (self.server.n_notes(), self.home.model.requests().len(), self.server.asked().len());
        let (thread, file) = self.thread();
        let end = self.bring_to(event, &thread, from);
        let n_runs = if is_ignored(expected) { 0 } else { runs.len() };
        eventually(WRITTEN, || self.hook_runs(event, from).len() >= n_runs);
        let seen = Seen {
            event,
            runs: self.hook_runs(event, from).into_iter().take(runs.len()).collect(),
            requests: self.home.model.bodies_since(n_requests),
            end,
            asked: self.server.asked().len() > n_asked,
            ran: self.home.sandbox.path("project/ran").exists(),
        };
        let mut effect = seen.effect(expected);
        let file = self.file_of(event, file);
        eventually(WRITTEN, || {
            effect.kept = kept(&file, &effect.to_model);
            effect.kept == expected.kept
        });
        if effect.goes_on == GoesOn::PromptDropped {
            let text = fs::read_to_string(&file).unwrap_or_default();
            effect.dropped_prompt_kept = Some(text.lines().filter(|line| line.contains(PLAIN)).count());
        }
        effect
    }

    /// The end of a case: the client goes, and nothing stays.
    pub(super) fn close(self, c: &mut Checks) {
        let Self { server, home, .. } = self;
        drop(server);
        home.nothing_is_left(c);
    }

    fn handlers(&self, event: Event, handler: Handler, runs: &[Run]) -> Vec<Value> {
        let of = |(n, run): (usize, &Run)| {
            let mut config = match handler {
                Handler::Command | Handler::AsyncCommand => self.home.handler(event, n),
                Handler::McpTool => json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
                Handler::Prompt => json!({"type": "prompt", "prompt": "x"}),
                Handler::Agent => json!({"type": "agent", "prompt": "x"}),
                Handler::Http => json!({"type": "http", "url": "http://127.0.0.1:1"}),
            };
            if handler == Handler::AsyncCommand {
                config["async"] = true.into();
            }
            match run.end {
                End::TimedOut => config["timeout"] = 1.into(),
                End::NotStarted => config["command"] = "/no/such/program".into(),
                End::Exit(_) | End::Signal => {}
            }
            config
        };
        runs.iter().enumerate().map(of).collect()
    }

    /// Brings a thread to the event; gives the end of the turn in which that was.
    fn bring_to(&self, event: Event, thread: &str, from: usize) -> Value {
        match event {
            Event::PreToolUse | Event::PostToolUse => self.turn(thread, TOOL),
            Event::PermissionRequest => self.turn(thread, ASK),
            Event::SubagentStart | Event::SubagentStop => self.turn(thread, AGENTS),
            Event::PreCompact | Event::PostCompact => {
                self.turn(thread, PLAIN);
                let from = self.server.n_notes();
                self.server.request("thread/compact/start", json!({"threadId": thread}));
                self.ended(thread, from)
            }
            Event::SessionEnd => {
                let end = self.turn(thread, PLAIN);
                self.server.request("thread/archive", json!({"threadId": thread}));
                end
            }
            Event::Interrupt => {
                let turn = self.begin(thread, WAIT);
                let started = self.home.sandbox.path("project/started");
                assert!(eventually(Duration::from_secs(20), || started.exists()), "the command starts");
                self.server.request("turn/interrupt", json!({"threadId": thread, "turnId": turn}));
                self.ended(thread, from)
            }
            Event::PreModelRequest
            | Event::PostModelRequest
            | Event::SessionStart
            | Event::UserPromptSubmit
            | Event::Stop => self.turn(thread, PLAIN),
        }
    }

    /// The file of the thread that the hook ran in.
    fn file_of(&self, event: Event, file: PathBuf) -> PathBuf {
        let key = match event {
            Event::SubagentStart => "transcript_path",
            Event::SubagentStop => "agent_transcript_path",
            _ => return file,
        };
        let told = self.home.told(event).pop().unwrap_or_default();
        told[key].as_str().map_or(file, PathBuf::from)
    }
}

fn is_ignored(effect: &Effect) -> bool {
    matches!(effect.status, Status::Ignored { .. })
}

/// As the notifications name an event.
fn wire_name(event: Event) -> String {
    let name = event.name();
    name[..1].to_lowercase() + &name[1..]
}
