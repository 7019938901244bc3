//! A login in a key ring: only the person's own Codex folder leads to it, so that folder is the auditor's too. No key
//! ring is at hand here: a socket in its place tells whether Codex looks for it.
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::codex::{KEY, nothing_is_left, pointed_at, stop};
use super::codex_isolation::{furnish, has_run, tools_of, words_in};
use super::installed;
use super::kit::check::{Checks, checks};
use super::kit::event::write;
use super::kit::sandbox::Sandbox;
use super::model::responses::{Answer, Responses};
use super::model::text_of;

/// A socket where the key ring would be, gone with this value.
struct Socket {
    path: PathBuf,
    n_calls: Arc<AtomicUsize>,
}

impl Socket {
    /// # Panics
    /// When the system makes no socket.
    fn new(sandbox: &Sandbox) -> Self {
        let path = sandbox.path("bus");
        let listener = UnixListener::bind(&path).expect("a socket");
        let n_calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&n_calls);
        thread::spawn(move || {
            // Each caller is turned away at once. The thread ends with the process; it holds nothing.
            for _ in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { path, n_calls }
    }

    /// For `DBUS_SESSION_BUS_ADDRESS`.
    fn address(&self) -> String {
        format!("unix:path={}", self.path.display())
    }

    fn was_called(&self) -> bool {
        self.n_calls.load(Ordering::SeqCst) > 0
    }
}

/// A furnished home whose person keeps their login like this; the model, and whether the key ring was looked for.
fn audit(c: &mut Checks, store: &str, key: Option<&str>) -> (Sandbox, Responses, bool) {
    let sandbox = Sandbox::with_two_turns();
    furnish(&sandbox, &format!("cli_auth_credentials_store = \"{store}\"\n"));
    let (model, socket) = (Responses::new(Answer::Messages(&["VERDICT: PASS"])), Socket::new(&sandbox));
    let event = stop(&sandbox, &model.url()).without_env("CODEX_API_KEY");
    let event = event.env("DBUS_SESSION_BUS_ADDRESS", &socket.address());
    let event = key.into_iter().fold(event, |event, key| event.env("CODEX_API_KEY", key));
    let run = event.run();
    c.that("6.2", format!("{store}: the audit"), run.silent(), "PASS", run.seen());
    nothing_is_left(c, &sandbox);
    let was_called = socket.was_called();
    (sandbox, model, was_called)
}

checks! {
    /// `--ignore-user-config` leaves out where the login is kept, too. With a key in the environment none is looked for.
    #[own]
    fn r6_2_a_login_in_a_key_ring_is_looked_for_where_the_person_keeps_it(c: &mut Checks) {
        for (store, key, want) in [
            ("keyring", None, true),
            ("auto", None, true),
            ("file", None, false),
            ("keyring", Some(KEY), false),
        ] {
            let (_, _, was_called) = audit(c, store, key);
            c.equal("6.2", format!("{store}, key {key:?}: the key ring was looked for"), was_called, want);
        }
    }

    /// What the person's own folder brings along is the AGENTS.md in it, and nothing else.
    #[own]
    fn r1_6_the_person_s_own_folder_brings_along_its_agents_md_alone(c: &mut Checks) {
        for (store, want) in [("keyring", vec!["HOME-OVERRIDE"]), ("file", Vec::new())] {
            let (sandbox, model, _) = audit(c, store, None);
            let request = model.bodies().pop().unwrap_or_default();
            c.contains("1.6", "the request", &text_of(&request), "CURRENT-PROMPT");
            let words = words_in(&request.to_string());
            c.equal("1.6", format!("{store}: words of the person's home in the request"), words, want);
            c.equal("1.6", format!("{store}: tools offered"), tools_of(&request), vec!["exec", "wait"]);
            for name in ["notify", "mcp", "hook"] {
                c.equal("1.6", format!("{store}: {name} ran"), has_run(&sandbox, name), false);
            }
        }
    }

    /// Nobody can log in to a key ring that is not there: what Codex says of it is told.
    #[own]
    fn r2_3_check_says_what_is_wrong_with_the_key_ring(c: &mut Checks) {
        for (store, want) in [("keyring", "secret service"), ("file", "没有登录")] {
            let sandbox = Sandbox::new();
            write(
                &sandbox.path("home/.codex/config.toml"),
                format!("cli_auth_credentials_store = \"{store}\"\n"),
            );
            let mut command = Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
            command.arg("check").env_clear().env("PATH", installed::path()).stdin(Stdio::null());
            command.env("HOME", sandbox.path("home")).env("TMPDIR", sandbox.path("tmp"));
            command.env("STOP_AUDITOR_CODEX_ARGS", pointed_at("http://127.0.0.1:9/v1"));
            let output = command.output().expect("our own binary starts");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            c.equal("2.3", format!("{store}: exit code"), output.status.code(), Some(1));
            c.contains("2.3", format!("{store}: the login"), &text, want);
            nothing_is_left(c, &sandbox);
        }
    }
}
