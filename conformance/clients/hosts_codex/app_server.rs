//! `codex app-server`, spoken to as an editor would: JSON-RPC, a line each way. Its notifications tell what `codex exec`
//! keeps to itself: each hook's status and words. Whatever it asks of the person is declined, and kept.
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

/// A client that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(25);

/// See the head of this file.
pub(super) struct AppServer {
    child: Child,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    shared: Arc<Shared>,
    next: AtomicU64,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    notes: Vec<Value>,
    asked: Vec<Value>,
    answers: BTreeMap<u64, Value>,
    over: bool,
}

impl AppServer {
    /// # Panics
    /// When it does not start.
    pub(super) fn start(mut command: Command) -> Self {
        command.arg("app-server").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the client starts");
        let stdin = Arc::new(Mutex::new(child.stdin.take()));
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let shared = Arc::new(Shared::default());
        let (reader, writer) = (Arc::clone(&shared), Arc::clone(&stdin));
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str::<Value>(&line) {
                    reader.take(message, &writer);
                }
            }
            reader.state().over = true;
            reader.changed.notify_all();
        });
        let server = Self { child, stdin, shared, next: AtomicU64::new(1) };
        let who = json!({"name": "conformance", "title": "conformance", "version": "0"});
        server.request("initialize", json!({"clientInfo": who, "capabilities": {"experimentalApi": true}}));
        write_line(&server.stdin, &json!({"method": "initialized"}));
        server
    }

    /// Asks, and gives the answer's `result`; null where it is an error.
    ///
    /// # Panics
    /// When no answer comes.
    pub(super) fn request(&self, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        write_line(&self.stdin, &json!({"id": id, "method": method, "params": params}));
        let answered = self.wait(|state| state.answers.contains_key(&id));
        assert!(answered, "no answer to {method}");
        self.shared.state().answers.remove(&id).map(|answer| answer["result"].clone()).unwrap_or_default()
    }

    /// How many notifications have come.
    pub(super) fn n_notes(&self) -> usize {
        self.shared.state().notes.len()
    }

    /// Those that came after the first `from`.
    pub(super) fn notes(&self, from: usize) -> Vec<Value> {
        self.shared.state().notes.get(from..).unwrap_or_default().to_vec()
    }

    /// What it asked of the person.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.shared.state().asked.clone()
    }

    /// Waits for a notification after the first `from`.
    pub(super) fn note(&self, from: usize, wanted: impl Fn(&Value) -> bool) -> bool {
        self.wait(|state| state.notes.iter().skip(from).any(&wanted))
    }

    fn wait(&self, holds: impl Fn(&State) -> bool) -> bool {
        let start = Instant::now();
        let mut state = self.shared.state();
        while !holds(&state) {
            let left = LIMIT.saturating_sub(start.elapsed());
            if left.is_zero() || state.over {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, message: Value, stdin: &Mutex<Option<ChildStdin>>) {
        let mut state = self.state();
        if message["method"].is_string() && !message["id"].is_null() {
            write_line(stdin, &json!({"id": message["id"], "result": {"decision": "decline"}}));
            state.asked.push(message);
        } else if message["method"].is_string() {
            state.notes.push(message);
        } else if let Some(id) = message["id"].as_u64() {
            state.answers.insert(id, message);
        }
        drop(state);
        self.changed.notify_all();
    }
}

fn write_line(stdin: &Mutex<Option<ChildStdin>>, message: &Value) {
    if let Some(stdin) = stdin.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        // A client that is gone is found out by the answer that does not come.
        drop(writeln!(stdin, "{message}"));
    }
}

impl Drop for AppServer {
    /// Closes its stdin, which is how an editor ends it, and ends what is left.
    fn drop(&mut self) {
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.wait(|state| state.over);
        // It is gone by now, unless it hangs.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        drop(self.child.wait());
    }
}
