//! A headless Chromium that is told what to do through two pipes (`--remote-debugging-pipe`: the DevTools protocol as
//! JSON texts with a NUL behind each, in on descriptor 3 and out on 4). No port is opened.
use std::cell::{Cell, RefCell};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, Mode};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An answer that takes longer does not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// An open page; the browser is ended with this value.
pub(crate) struct Page {
    child: Child,
    to: RefCell<File>,
    from: Receiver<Value>,
    session: String,
    next: Cell<u64>,
    events: RefCell<Vec<Value>>,
    _profile: TempDir,
}

impl Page {
    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(file: &Path) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let pipe = |name: &str| {
            let path = profile.path().join(name);
            rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("a pipe is made");
            path
        };
        let (into, out) = (pipe("in"), pipe("out"));
        let child = start(&profile, &into, &out);
        // Open for both, so that a browser that does not start is not waited for here.
        let to = OpenOptions::new().read(true).write(true).open(&into).expect("the pipe opens");
        let (sender, from) = channel();
        thread::spawn(move || {
            let mut answers = BufReader::new(File::open(&out).expect("the pipe opens"));
            let mut answer = Vec::new();
            while answers.read_until(0, &mut answer).is_ok_and(|n_bytes| n_bytes > 0) {
                let read = serde_json::from_slice(answer.strip_suffix(&[0]).unwrap_or(&answer));
                answer.clear();
                if sender.send(read.unwrap_or_default()).is_err() {
                    return;
                }
            }
        });
        let mut page = Self {
            child,
            to: RefCell::new(to),
            from,
            session: String::new(),
            next: Cell::new(0),
            events: RefCell::default(),
            _profile: profile,
        };
        let target = page.tell("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            page.tell("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut page.session);
        for part in ["Page", "Runtime", "Log", "Network"] {
            page.tell(&format!("{part}.enable"), json!({}));
        }
        page.tell("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while page.of("Page.loadEventFired").is_empty() {
            page.receive();
        }
        page
    }

    /// What an expression gives.
    ///
    /// # Panics
    /// When it throws.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let answer = self.tell("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Types into what has the focus, as a person does.
    pub(crate) fn types(&self, text: &str) {
        self.tell("Input.insertText", json!({"text": text}));
    }

    /// The person's choice of `light` or `dark`.
    pub(crate) fn prefers(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.tell("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Exceptions, and what went to the console as an error or a warning.
    pub(crate) fn complaints(&self) -> Vec<String> {
        // What was said before this answer has arrived with it.
        self.value("0");
        let thrown = self.of("Runtime.exceptionThrown");
        let is_bad = |level: &Value| level == "error" || level == "warning";
        let logged = self.of("Log.entryAdded").into_iter().filter(|event| is_bad(&event["entry"]["level"]));
        let called = self.of("Runtime.consoleAPICalled").into_iter().filter(|event| is_bad(&event["type"]));
        thrown.into_iter().chain(logged).chain(called).map(|event| event.to_string()).collect()
    }

    /// What the page asked for.
    pub(crate) fn requests(&self) -> Vec<String> {
        let url = |event: Value| event["request"]["url"].as_str().unwrap_or_default().to_owned();
        self.of("Network.requestWillBeSent").into_iter().map(url).collect()
    }

    fn of(&self, method: &str) -> Vec<Value> {
        let events = self.events.borrow();
        let of_method = events.iter().filter(|event| event["method"] == method);
        of_method.map(|event| event["params"].clone()).collect()
    }

    /// Gives a command and waits for its answer; what happens in between is kept.
    fn tell(&self, method: &str, params: Value) -> Value {
        let id = self.next.get() + 1;
        self.next.set(id);
        let mut command = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            command["sessionId"] = self.session.as_str().into();
        }
        self.to.borrow_mut().write_all(format!("{command}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.receive();
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn receive(&self) -> Value {
        let answer = self.from.recv_timeout(PATIENCE).expect("the browser answers");
        if answer.get("method").is_some() {
            self.events.borrow_mut().push(answer.clone());
        }
        answer
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        drop(self.child.wait());
    }
}

/// The shell gives the browser its two pipes; opening each waits for its other end.
fn start(profile: &TempDir, into: &Path, out: &Path) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "into=$1 out=$2; shift 2; exec \"$@\" 3<\"$into\" 4>\"$out\"", "sh"]);
    command.arg(into).arg(out).arg(chromium());
    command.args(["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu"]);
    command.args([
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
    ]);
    if rustix::process::geteuid().is_root() {
        // Chromium's own rule.
        command.arg("--no-sandbox");
    }
    command.arg(format!("--user-data-dir={}", profile.path().join("profile").display()));
    command.env("HOME", profile.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0).spawn().expect("sh starts")
}

/// The browser of `CHROMIUM`, else the one on `PATH`.
///
/// # Panics
/// When there is none: a page that no browser showed is not tested.
fn chromium() -> PathBuf {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return named.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)));
    let mut found = candidates.filter(|program| program.is_file());
    found.next().expect("no chromium on PATH: apt-get install chromium, or set CHROMIUM")
}
