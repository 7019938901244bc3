//! Auditors of other vendors, each asked by the hook through its preset, against a scripted model on loopback: what is
//! looked at is the same for all; a file for each says what its client does otherwise.
pub(crate) mod openai_compatible;

use std::time::Duration;

use super::codex::{nothing_is_left, verdicts};
use super::installed;
use super::kit::check::Checks;
use super::kit::event::{Event, Run};
use super::kit::sandbox::Sandbox;
use super::model::raw::{Manner, Raw, closed_port};

/// A key of the right form, which opens nothing.
pub(crate) const KEY: &str = "sk-test-dummy-0123456789abcdef";

/// The variable that holds it.
const KEY_VARIABLE: &str = "AUDITORS_OWN_KEY";

/// The model that is asked for.
pub(crate) const MODEL: &str = "other-vendor-1";

/// How long anything but silence may take.
const TOLD_WITHIN: Duration = Duration::from_secs(30);

/// The hook's limit where the fault is silence, in seconds.
const LIMIT_S: u64 = 4;

/// A Stop whose auditor is this preset, pointed at a model on loopback.
pub(crate) fn stop(sandbox: &Sandbox, preset: &str, url: &str) -> Event {
    let event = sandbox.stop().env("PATH", &installed::path()).env("STOP_AUDITOR_VENDOR", preset);
    let event = event.env("STOP_AUDITOR_MODEL", MODEL).env("STOP_AUDITOR_BASE_URL", url);
    event.env("STOP_AUDITOR_KEY_ENV", KEY_VARIABLE).env(KEY_VARIABLE, KEY)
}

/// Nothing goes on, and nothing that the auditor was given lies about.
pub(crate) fn no_trace(c: &mut Checks, sandbox: &Sandbox) {
    nothing_is_left(c, sandbox);
    let left = sandbox.files_below("tmp").into_iter().chain(sandbox.files_below("home"));
    let tells = |path: &std::path::PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        text.contains("CURRENT-OUTPUT") || text.contains(KEY)
    };
    let telling: Vec<_> = left.filter(tells).collect();
    c.equal("1.6", "files with the prompt or the key", telling, Vec::new());
    let folders = std::fs::read_dir(sandbox.path("tmp")).into_iter().flatten().flatten();
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let state = format!("stop-auditor-{}", rustix::process::geteuid().as_raw());
    let left: Vec<String> = names.filter(|name| *name != state).collect();
    c.equal("1.6", "what is left in the temporary directory", left, Vec::new());
    c.absent("6.12", "the log", &sandbox.log_text(), KEY);
}

/// The three verdicts, each with one request; `ask` runs a Stop whose model says this, and gives the number of requests.
pub(crate) fn three_verdicts(c: &mut Checks, ask: impl Fn(&Sandbox, &'static str) -> (Run, usize)) {
    for (says, word) in [
        ("VERDICT: PASS", "PASS"),
        ("VERDICT: NOTE - 次数说多了", "NOTE"),
        ("VERDICT: FAIL - 没查过", "FAIL"),
    ] {
        let sandbox = Sandbox::with_two_turns();
        let (run, n_requests) = ask(&sandbox, says);
        c.equal("1.6", format!("{word}: requests"), n_requests, 1);
        c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec![word.to_owned()]);
        match word {
            "PASS" => c.that("6.6", "PASS", run.silent(), "silence", run.seen()),
            "NOTE" => {
                let message = format!("审计提示（{MODEL}，没打回，你下次发消息时会转给 Claude）：次数说多了");
                c.equal("6.8", "systemMessage", run.message(), message);
                c.that("7.1", "the note waits", sandbox.pending().is_file(), "pending file", "none");
            }
            _ => {
                c.that("6.7", "a block", run.blocked(), "block", run.seen());
                let reason = format!("独立审计员（{MODEL}）判定本轮存在偏差：没查过");
                c.contains("6.7", "reason", &run.reason(), &reason);
            }
        }
        no_trace(c, &sandbox);
    }
}

/// The turn goes through, the person is told, and nothing is left.
pub(crate) fn not_audited(c: &mut Checks, what: &str, sandbox: &Sandbox, run: &Run, within: Duration) {
    c.that("6.9", format!("{what}: told, and no block"), run.not_audited(), "systemMessage", run.seen());
    let time = run.elapsed <= within;
    c.that("6.9", format!("{what}: time"), time, format!("{within:?}"), format!("{:?}", run.elapsed));
    c.equal("6.9", format!("{what}: verdicts in the log"), verdicts(sandbox), vec!["ERROR".to_owned()]);
    no_trace(c, sandbox);
}

/// A model that refuses or answers badly; the cause that is told holds `cause`. `n_requests` is asked afterwards.
pub(crate) fn fault(
    c: &mut Checks,
    preset: &str,
    what: &str,
    url: &str,
    cause: &str,
    n_requests: impl Fn() -> usize,
) {
    let sandbox = Sandbox::with_two_turns();
    let run = stop(&sandbox, preset, url).patient().run();
    c.equal("1.6", format!("{what}: requests"), n_requests(), 1);
    c.contains("6.9", format!("{what}: the cause"), &run.message(), cause);
    not_audited(c, what, &sandbox, &run, TOLD_WITHIN);
}

/// A server that breaks off, one that is silent, and none at all.
pub(crate) fn broken_connections(c: &mut Checks, preset: &str, cut: String) {
    let silent = Duration::from_secs(LIMIT_S + 5);
    for (what, manner, within) in [
        ("cut", Manner::CutAfter(cut), TOLD_WITHIN),
        ("headers, then silence", Manner::HeadersThenSilence, silent),
        ("silence", Manner::Silence, silent),
    ] {
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(manner);
        let event = stop(&sandbox, preset, &server.url());
        let run = event.env("STOP_AUDITOR_TIMEOUT", &LIMIT_S.to_string()).run();
        c.that("6.9", format!("{what}: the server was asked"), server.n_requests() > 0, "a request", "none");
        not_audited(c, what, &sandbox, &run, within);
    }
    let sandbox = Sandbox::with_two_turns();
    let event = stop(&sandbox, preset, &format!("http://127.0.0.1:{}/v1", closed_port()));
    let run = event.env("STOP_AUDITOR_TIMEOUT", "20").patient().run();
    not_audited(c, "refused", &sandbox, &run, TOLD_WITHIN);
}
