//! `qwen`: Qwen Code against an endpoint for chat completions. It retries refusals for minutes, and no setting changes
//! that: there only the hook's limit ends it.
use std::time::Duration;

use super::isolation::{nothing_of_the_persons, the_bare_client_would_show_it};
use super::{
    KEY, SILENT, Vendor, a_tool, broken_connections, ended_by_the_client, fault, not_audited, refusals,
    silence, three_verdicts,
};
use crate::kit::check::checks;
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, Chat, cut_stream};

const QWEN: Vendor =
    Vendor { preset: "qwen", limit_s: 15, is_gemini: false, prepare: |_, _| {}, cut: cut_stream };

checks! {
    #[own]
    fn r6_2_qwen_says_pass_note_and_fail(c: &mut Checks) {
        three_verdicts(c, &QWEN);
    }

    #[own]
    fn r1_6_qwen_gets_nothing_of_the_persons(c: &mut Checks) {
        nothing_of_the_persons(c, &QWEN);
    }

    #[own]
    fn r1_6_the_bare_qwen_would_show_it(c: &mut Checks) {
        let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", "<url>"), ("OPENAI_MODEL", "m-1")];
        the_bare_client_would_show_it(
            c,
            &QWEN,
            "rm -f \"$HOME/.qwen/settings.json\" .qwen/settings.json && qwen --auth-type openai",
            &variables,
        );
    }

    /// 401 and 404 at once; 429 and 500 are tried again until the limit.
    #[own]
    fn r6_9_qwen_tells_what_the_service_refuses(c: &mut Checks) {
        for (what, answer, cause) in refusals() {
            if matches!(what, "401" | "404") {
                fault(c, &QWEN, (what, answer, cause), 1);
                continue;
            }
            let sandbox = Sandbox::with_two_turns();
            let model = Chat::new(answer);
            let event = QWEN.stop(&sandbox, &QWEN.url(&model)).patient();
            let run = event.env("STOP_AUDITOR_TIMEOUT", &QWEN.limit_s.to_string()).run();
            c.that("6.9", format!("{what}: it was asked"), !model.requests().is_empty(), "a request", "none");
            not_audited(c, what, &sandbox, &run, Duration::from_secs(QWEN.limit_s + 5));
        }
    }

    #[own]
    fn r6_9_qwen_answers_that_are_none(c: &mut Checks) {
        for (answer, n_requests) in [
            (("empty", Answer::Text(""), "退出码"), 3),
            (("no end", Answer::Unended("VERDICT: PASS"), "退出码"), 3),
            (("no verdict", Answer::Text("看起来没问题。"), "看起来没问题"), 1),
            (("two verdicts", Answer::Text("VERDICT: PASS\nVERDICT: FAIL - x"), "2 行"), 1),
        ] {
            fault(c, &QWEN, answer, n_requests);
        }
    }

    /// A tool that was not offered gives nothing, and what the model says then is its answer.
    #[own]
    fn r1_6_qwen_refuses_a_tool(c: &mut Checks) {
        let sandbox = super::isolation::furnished();
        let model = Chat::new(a_tool("read_file", "VERDICT: PASS"));
        let run = QWEN.stop(&sandbox, &QWEN.url(&model)).patient().run();
        c.that("6.6", "the audit", run.silent() || run.not_audited(), "PASS, or told", run.seen());
        let all: Vec<String> = model.bodies().iter().map(crate::model::text_of).collect();
        c.absent("1.6", "the requests", &all.join("\n"), super::isolation::PLANTED);
        super::no_trace(c, &sandbox);
    }

    #[own]
    fn r6_9_qwen_connections_that_break(c: &mut Checks) {
        broken_connections(c, &QWEN);
    }

    #[own]
    fn r6_14_qwen_is_ended_at_the_limit(c: &mut Checks) {
        silence(c, &QWEN, &SILENT);
    }

    #[own]
    fn r6_15_qwen_is_ended_with_the_hook(c: &mut Checks) {
        ended_by_the_client(c, &QWEN);
    }
}
