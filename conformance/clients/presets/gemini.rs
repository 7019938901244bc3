//! `gemini`: Gemini CLI, with an API key, against a scripted model in Gemini's own form.
use std::time::Duration;

use serde_json::json;

use super::isolation::{nothing_of_the_persons, the_bare_client_would_show_it};
use super::{
    KEY, SILENT, Vendor, a_tool, broken_connections, end_what_runs, ended_by_the_client, fault, no_trace,
    refusals, silence, telling_files, three_verdicts,
};
use crate::kit::check::checks;
use crate::kit::processes::eventually;
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, Chat};
use crate::model::gemini::cut_stream;
use crate::model::raw::{Manner, Raw};

const GEMINI: Vendor =
    Vendor { preset: "gemini", limit_s: 15, is_gemini: true, prepare: |_, _| {}, cut: cut_stream };

checks! {
    #[own]
    fn r6_2_gemini_says_pass_note_and_fail(c: &mut Checks) {
        three_verdicts(c, &GEMINI);
    }

    #[own]
    fn r1_6_gemini_gets_nothing_of_the_persons(c: &mut Checks) {
        nothing_of_the_persons(c, &GEMINI);
    }

    #[own]
    fn r1_6_the_bare_gemini_would_show_it(c: &mut Checks) {
        let variables = [("GEMINI_API_KEY", KEY), ("GOOGLE_GEMINI_BASE_URL", "<url>")];
        // With another base URL it wants to be told that a key is used.
        let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
        let command =
            format!("printf %s '{settings}' >\"$HOME/.gemini/settings.json\" && gemini -m m-1 --skip-trust");
        the_bare_client_would_show_it(c, &GEMINI, &command, &variables);
    }

    /// The key is looked for where Gemini CLI looks, unless another variable is named.
    #[own]
    fn r6_2_gemini_finds_its_key_in_its_own_variable(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        let event = GEMINI.stop(&sandbox, &GEMINI.url(&model)).without_env("STOP_AUDITOR_KEY_ENV");
        let run = event.env("GEMINI_API_KEY", "another-key").patient().run();
        c.that("6.6", "the audit", run.silent(), "PASS", run.seen());
        let requests = GEMINI.requests(&model);
        let sent = requests.first().and_then(|request| request.headers.get("x-goog-api-key")?.to_str().ok());
        c.equal("6.2", "the key", sent, Some("another-key"));
    }

    #[own]
    fn r6_9_gemini_tells_what_the_service_refuses(c: &mut Checks) {
        for refusal in refusals() {
            fault(c, &GEMINI, refusal, 1);
        }
    }

    #[own]
    fn r6_9_gemini_answers_that_are_none(c: &mut Checks) {
        for answer in [
            ("empty", Answer::Text(""), "空"),
            ("no verdict", Answer::Text("看起来没问题。"), "看起来没问题"),
            ("two verdicts", Answer::Text("VERDICT: PASS\nVERDICT: FAIL - x"), "2 行"),
            ("a tool", a_tool("read_file", "VERDICT: PASS"), "退出码"),
        ] {
            fault(c, &GEMINI, answer, 1);
        }
    }

    #[own]
    fn r6_9_gemini_connections_that_break(c: &mut Checks) {
        broken_connections(c, &GEMINI);
    }

    #[own]
    fn r6_14_gemini_is_ended_at_the_limit(c: &mut Checks) {
        silence(c, &GEMINI, &SILENT);
    }

    /// Gemini CLI writes the prompt into its home, and a hook that is killed takes nothing away: the next audit does.
    #[own]
    fn r1_6_what_a_killed_hook_has_left_of_gemini_goes_with_the_next_audit(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(Manner::Silence);
        let running = GEMINI.stop(&sandbox, &server.url()).patient().start();
        let asked = eventually(Duration::from_secs(60), || server.n_requests() > 0);
        c.that("6.2", "it has asked", asked, "a request", "none");
        running.kill();
        end_what_runs(&sandbox);
        running.finish();
        c.that("1.6", "the prompt is left", !telling_files(&sandbox).is_empty(), "a file", "none");
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        let run = GEMINI.stop(&sandbox, &GEMINI.url(&model)).set("prompt_id", "another").patient().run();
        c.that("6.6", "the next audit", run.silent(), "PASS", run.seen());
        no_trace(c, &sandbox);
    }

    #[own]
    fn r6_15_gemini_is_ended_with_the_hook(c: &mut Checks) {
        ended_by_the_client(c, &GEMINI);
    }
}
