//! Whatever becomes of the real Codex, the turn goes through and the person is told the cause: within 30 s, or at the
//! time limit where an open connection stays silent.
use std::time::Duration;

use serde_json::json;

use super::codex::{nothing_is_left, stop, verdicts};
use super::kit::check::{Checks, checks};
use super::kit::event::Run;
use super::kit::sandbox::Sandbox;
use super::model::raw::{Manner, Raw, closed_port};
use super::model::responses::{Answer, Responses, cut_stream, error};

/// How long anything but silence may take.
const TOLD_WITHIN: Duration = Duration::from_secs(30);

/// The hook's limit where the fault is silence, in seconds.
const LIMIT_S: u64 = 4;

/// A PASS that must not count: what broke was the answer.
const HALF: &str = "VERDICT: PASS";

/// A host that no name server knows.
pub(crate) const NO_HOST: &str = "http://auditor.invalid/v1";

pub(crate) fn wrong_key() -> Answer {
    Answer::Status(401, None, error("invalid_api_key", "Incorrect API key provided"))
}

/// With a `retry-after` of so many seconds.
pub(crate) fn too_many(retry_after: Option<u32>) -> Answer {
    Answer::Status(429, retry_after, error("rate_limit_exceeded", "Rate limit reached"))
}

pub(crate) fn broken_service() -> Answer {
    Answer::Status(500, None, json!({"error": {"message": "internal"}}))
}

pub(crate) fn cut() -> Manner {
    Manner::CutAfter(cut_stream(HALF))
}

fn not_audited(c: &mut Checks, sandbox: &Sandbox, run: &Run, within: Duration) {
    c.that("6.9", "told, and no block", run.not_audited(), "systemMessage", run.seen());
    c.that("6.9", "time", run.elapsed <= within, format!("{within:?}"), format!("{:?}", run.elapsed));
    c.equal("6.9", "verdicts in the log", verdicts(sandbox), vec!["ERROR".to_owned()]);
    c.absent("6.12", "the log", &sandbox.log_text(), super::codex::KEY);
    nothing_is_left(c, sandbox);
}

/// A model that answers like this; the cause that is told holds `cause`.
fn fault(c: &mut Checks, answer: Answer, cause: &str) {
    let sandbox = Sandbox::with_two_turns();
    let model = Responses::new(answer);
    let run = stop(&sandbox, &model.url()).patient().run();
    c.that("6.9", "the model was asked", !model.requests().is_empty(), "a request", "none");
    c.contains("6.9", "the cause", &run.message(), cause);
    not_audited(c, &sandbox, &run, TOLD_WITHIN);
}

/// A server that breaks off like this.
fn broken(c: &mut Checks, manner: Manner, within: Duration) {
    let sandbox = Sandbox::with_two_turns();
    let server = Raw::new(manner);
    let run = stop(&sandbox, &server.url()).env("STOP_AUDITOR_TIMEOUT", &LIMIT_S.to_string()).run();
    c.that("6.9", "the server was asked", server.n_requests() > 0, "a request", "none");
    not_audited(c, &sandbox, &run, within);
}

/// A place where no server is.
fn unreachable(c: &mut Checks, url: &str) {
    let sandbox = Sandbox::with_two_turns();
    let run = stop(&sandbox, url).patient().run();
    not_audited(c, &sandbox, &run, TOLD_WITHIN);
}

checks! {
    #[own]
    fn r6_9_codex_status_401(c: &mut Checks) {
        fault(c, wrong_key(), "401");
    }

    #[own]
    fn r6_9_codex_status_403(c: &mut Checks) {
        fault(c, Answer::Status(403, None, error("forbidden", "Country not supported")), "403");
    }

    #[own]
    fn r6_9_codex_status_429(c: &mut Checks) {
        fault(c, too_many(None), "429");
    }

    /// A minute to wait would be slept through, and the audit with it.
    #[own]
    fn r6_9_codex_status_429_with_retry_after(c: &mut Checks) {
        fault(c, too_many(Some(60)), "429");
    }

    #[own]
    fn r6_9_codex_quota_is_used_up(c: &mut Checks) {
        fault(c, Answer::Status(429, None, error("insufficient_quota", "You exceeded your quota")), "uota");
    }

    #[own]
    fn r6_9_codex_status_500(c: &mut Checks) {
        fault(c, broken_service(), "high demand");
    }

    #[own]
    fn r6_9_codex_unknown_model(c: &mut Checks) {
        let text = "The model `gpt-6.1-sol` does not exist or you do not have access to it.";
        fault(c, Answer::Status(404, None, error("model_not_found", text)), "does not exist");
    }

    /// Nobody is logged in, no key is set: Codex asks without one, and is refused.
    #[own]
    fn r6_9_codex_is_not_logged_in(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let model = Responses::new(Answer::LoginRequired);
        let run = stop(&sandbox, &model.url()).without_env("CODEX_API_KEY").patient().run();
        let keys =
            model.requests().iter().filter(|request| request.headers.contains_key("authorization")).count();
        c.equal("6.9", "requests with a key", keys, 0);
        not_audited(c, &sandbox, &run, TOLD_WITHIN);
    }

    #[own]
    fn r6_9_codex_response_failed(c: &mut Checks) {
        fault(c, Answer::Failed("The server had an error"), "The server had an error");
    }

    /// What stands before the end of an answer that was not completed is no answer.
    #[own]
    fn r6_9_codex_response_incomplete(c: &mut Checks) {
        fault(c, Answer::Incomplete(HALF), "max_output_tokens");
    }

    #[own]
    fn r6_9_codex_empty_message(c: &mut Checks) {
        fault(c, Answer::Messages(&[""]), "空");
    }

    #[own]
    fn r6_9_codex_no_message(c: &mut Checks) {
        fault(c, Answer::Messages(&[]), "空");
    }

    #[own]
    fn r6_9_codex_refusal(c: &mut Checks) {
        fault(c, Answer::Refusal("I can't help with that."), "VERDICT");
    }

    #[own]
    fn r6_9_codex_answer_without_a_verdict(c: &mut Checks) {
        fault(c, Answer::Messages(&["看起来没问题。"]), "看起来没问题");
    }

    #[own]
    fn r6_9_codex_stream_is_cut(c: &mut Checks) {
        broken(c, cut(), TOLD_WITHIN);
    }

    /// Only silence takes the whole time, and Codex is gone afterwards.
    #[own]
    fn r6_14_codex_stream_opens_and_is_silent(c: &mut Checks) {
        broken(c, Manner::HeadersThenSilence, Duration::from_secs(LIMIT_S + 5));
    }

    #[own]
    fn r6_14_codex_connection_is_silent(c: &mut Checks) {
        broken(c, Manner::Silence, Duration::from_secs(LIMIT_S + 5));
    }

    #[own]
    fn r6_9_codex_connection_is_refused(c: &mut Checks) {
        unreachable(c, &format!("http://127.0.0.1:{}/v1", closed_port()));
    }

    #[own]
    fn r6_9_codex_host_is_unknown(c: &mut Checks) {
        unreachable(c, NO_HOST);
    }
}
