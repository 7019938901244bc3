//! Auditors of other vendors, each asked by the hook through its preset, against a scripted model on loopback: what is
//! looked at is the same for all; a file for each says what its client does otherwise.
pub(crate) mod gemini;
pub(crate) mod isolation;
pub(crate) mod llm;
pub(crate) mod ollama;
pub(crate) mod openai_compatible;
pub(crate) mod opencode;
pub(crate) mod qwen;

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::json;
use wiremock::Request;

use super::codex::{nothing_is_left, verdicts};
use super::installed;
use super::kit::check::Checks;
use super::kit::event::{Event, Run};
use super::kit::journal;
use super::kit::processes::{self, eventually};
use super::kit::sandbox::Sandbox;
use super::model::chat::{Answer, Chat, error};
use super::model::raw::{Manner, Raw, closed_port};
use super::model::text_of;
use super::model::tunnel::{self, Tunnel};

/// A key of the right form, which opens nothing.
pub(crate) const KEY: &str = "sk-test-dummy-0123456789abcdef";

/// The variable that holds it.
pub(crate) const KEY_VARIABLE: &str = "AUDITORS_OWN_KEY";

/// The model that is asked for.
pub(crate) const MODEL: &str = "other-vendor-1";

/// How long anything but silence may take, on a machine that does much else: the clients are slow to start. That
/// nothing is tried again shows in the number of requests.
const TOLD_WITHIN: Duration = Duration::from_secs(120);

/// A preset and how its client is used here.
pub(crate) struct Vendor {
    pub(crate) preset: &'static str,
    /// The hook's limit where the fault is silence, in seconds: time enough to start and to ask.
    pub(crate) limit_s: u64,
    /// Whether it speaks Gemini's API, and not chat completions.
    pub(crate) is_gemini: bool,
    /// What else has to be there, for a model at this address.
    pub(crate) prepare: fn(&Sandbox, &str),
    /// The beginning of an answer, in its API's form, that is cut.
    pub(crate) cut: fn(&str) -> String,
}

impl Vendor {
    /// A Stop whose auditor is this one, pointed at a model on loopback.
    pub(crate) fn stop(&self, sandbox: &Sandbox, url: &str) -> Event {
        (self.prepare)(sandbox, url);
        let event = sandbox.stop().env("PATH", &installed::path_with_python_s());
        let event = event.env("STOP_AUDITOR_VENDOR", self.preset).env("STOP_AUDITOR_MODEL", MODEL);
        let event = event.env("STOP_AUDITOR_KEY_ENV", KEY_VARIABLE).env(KEY_VARIABLE, KEY);
        let event = through(&tunnel::SHARED, event);
        let event = event.env("STOP_AUDITOR_DEBUG_PROMPT", &sandbox.path("prompt").to_string_lossy());
        if self.preset == "llm" { event } else { event.env("STOP_AUDITOR_BASE_URL", url) }
    }

    pub(crate) fn url(&self, model: &Chat) -> String {
        if self.is_gemini { model.gemini_url() } else { model.url() }
    }

    pub(crate) fn requests(&self, model: &Chat) -> Vec<Request> {
        if self.is_gemini { model.gemini_requests() } else { model.requests() }
    }

    fn raw_url(&self, server: &Raw) -> String {
        if self.is_gemini { server.url().replace("/v1", "") } else { server.url() }
    }
}

/// Sends what the client asks of other hosts into a tunnel; Qwen Code sends everything there.
pub(crate) fn through(tunnel: &Tunnel, event: Event) -> Event {
    let event = event.env("HTTPS_PROXY", &tunnel.url()).env("https_proxy", &tunnel.url());
    event.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1")
}

/// Nothing goes on, and nothing that the auditor was given lies about.
pub(crate) fn no_trace(c: &mut Checks, sandbox: &Sandbox) {
    nothing_is_left(c, sandbox);
    c.equal("1.6", "files with the prompt or the key", telling_files(sandbox), Vec::new());
    let folders = fs::read_dir(sandbox.path("tmp")).into_iter().flatten().flatten();
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: Vec<String> =
        names.filter(|name| name.starts_with("stop-auditor-") && !is_state(name)).collect();
    c.equal("1.6", "what is left in the temporary directory", left, Vec::new());
    c.absent("6.12", "the log", &sandbox.log_text(), KEY);
}

/// The files below home and temporary directory in which the prompt or the key stands.
pub(crate) fn telling_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let files = sandbox.files_below("tmp").into_iter().chain(sandbox.files_below("home"));
    let tells = |path: &PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        text.contains("CURRENT-OUTPUT") || text.contains(KEY)
    };
    files.filter(tells).collect()
}

fn is_state(name: &str) -> bool {
    *name == format!("stop-auditor-{}", rustix::process::geteuid().as_raw())
}

/// The three verdicts, each with one request that holds the whole prompt.
pub(crate) fn three_verdicts(c: &mut Checks, vendor: &Vendor) {
    for (says, word) in [
        ("VERDICT: PASS", "PASS"),
        ("VERDICT: NOTE - 次数说多了", "NOTE"),
        ("VERDICT: FAIL - 没查过", "FAIL"),
    ] {
        let sandbox = Sandbox::with_two_turns();
        let model = Chat::new(Answer::Text(says));
        let run = vendor.stop(&sandbox, &vendor.url(&model)).patient().run();
        c.equal("1.6", format!("{word}: requests"), vendor.requests(&model).len(), 1);
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
        let prompt = fs::read_to_string(sandbox.path("prompt")).unwrap_or_default();
        c.contains("1.1", "the prompt", &prompt, "CURRENT-OUTPUT");
        let asked = model.bodies().pop().unwrap_or_default();
        c.contains("1.1", "the request holds the whole prompt", &text_of(&asked), &prompt);
        let key = model.bodies().iter().any(|body| body.to_string().contains(KEY));
        c.equal("1.6", "the key in the request's body", key, false);
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

/// A model that refuses or answers badly; the cause that is told holds `cause`. Asked `n_requests` times at most.
pub(crate) fn fault(
    c: &mut Checks,
    vendor: &Vendor,
    (what, answer, cause): (&str, Answer, &str),
    n_requests: usize,
) {
    let sandbox = Sandbox::with_two_turns();
    let model = Chat::new(answer);
    let run = vendor.stop(&sandbox, &vendor.url(&model)).patient().run();
    let asked = vendor.requests(&model).len();
    let want = format!("1 to {n_requests}");
    c.that("1.6", format!("{what}: requests"), (1..=n_requests).contains(&asked), want, asked.to_string());
    c.contains("6.9", format!("{what}: the cause"), &run.message(), cause);
    not_audited(c, what, &sandbox, &run, TOLD_WITHIN);
}

/// What any service may refuse.
pub(crate) fn refusals() -> [(&'static str, Answer, &'static str); 4] {
    [
        ("401", Answer::Status(401, None, error("Incorrect API key")), "Incorrect API key"),
        ("404", Answer::Status(404, None, error("no such model")), "no such model"),
        ("429", Answer::Status(429, Some(60), error("Rate limit reached")), "Rate limit reached"),
        ("500", Answer::Status(500, None, error("internal fault")), "internal fault"),
    ]
}

/// A call of a tool that nobody offered, which would read a file if it could.
pub(crate) fn a_tool(name: &'static str, then: &'static str) -> Answer {
    let path = "../../secret.txt";
    Answer::Tool(
        name,
        json!({"path": path, "file_path": path, "filePath": path, "absolute_path": path}),
        then,
    )
}

/// An answer that is cut, and no server at all.
pub(crate) fn broken_connections(c: &mut Checks, vendor: &Vendor) {
    let sandbox = Sandbox::with_two_turns();
    let server = Raw::new(Manner::CutAfter((vendor.cut)("VERDICT: PASS")));
    let run = vendor.stop(&sandbox, &vendor.raw_url(&server)).patient().run();
    c.that("6.9", "cut: the server was asked", server.n_requests() > 0, "a request", "none");
    not_audited(c, "cut", &sandbox, &run, TOLD_WITHIN);
    let sandbox = Sandbox::with_two_turns();
    let nowhere = format!("http://127.0.0.1:{}/v1", closed_port());
    let event = vendor.stop(&sandbox, &nowhere).env("STOP_AUDITOR_TIMEOUT", "20");
    let run = event.patient().run();
    not_audited(c, "refused", &sandbox, &run, TOLD_WITHIN);
}

/// A connection that opens and says no word, and one that stops after the headers.
pub(crate) const SILENT: [(&str, Manner); 2] =
    [("silence", Manner::Silence), ("headers, then silence", Manner::HeadersThenSilence)];

/// Silence takes the whole time, and the client is gone afterwards. All kinds at once, for they only wait.
pub(crate) fn silence(c: &mut Checks, vendor: &Vendor, kinds: &[(&str, Manner)]) {
    let one = |(what, manner): (&str, Manner)| {
        let mut c = Checks::default();
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(manner);
        let event = vendor.stop(&sandbox, &vendor.raw_url(&server));
        let run = event.env("STOP_AUDITOR_TIMEOUT", &vendor.limit_s.to_string()).patient().run();
        c.that("6.9", format!("{what}: the server was asked"), server.n_requests() > 0, "a request", "none");
        not_audited(&mut c, what, &sandbox, &run, Duration::from_secs(vendor.limit_s + 5));
        c
    };
    let done: Vec<Checks> = thread::scope(|scope| {
        let running: Vec<_> = kinds.iter().map(|kind| scope.spawn(|| one(kind.clone()))).collect();
        running.into_iter().map(|one| one.join().expect("it looks and does not panic")).collect()
    });
    for one in done {
        c.append(one);
    }
}

/// Ended by the client in mid-audit, the hook takes everything with it.
pub(crate) fn ended_by_the_client(c: &mut Checks, vendor: &Vendor) {
    let sandbox = Sandbox::with_two_turns();
    let server = Raw::new(Manner::Silence);
    let running = vendor.stop(&sandbox, &vendor.raw_url(&server)).patient().start();
    let asked = eventually(Duration::from_secs(60), || server.n_requests() > 0);
    c.that("6.15", "it has asked", asked, "a request", "none");
    running.terminate();
    let run = running.finish();
    c.equal("6.15", "stdout", run.stdout.as_str(), "");
    no_trace(c, &sandbox);
}

/// Ends what a hook that was killed has left running.
pub(crate) fn end_what_runs(sandbox: &Sandbox) {
    for (id, _) in processes::with_environment(sandbox.root()) {
        processes::end(id);
    }
}

/// Whether a line of the log holds the number of tokens that the scripted models tell.
pub(crate) fn has_tokens(sandbox: &Sandbox) -> bool {
    sandbox.log_lines().iter().any(|line| journal::has(line, &json!(4321)))
}
