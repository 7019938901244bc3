//! `opencode`: OpenCode against an endpoint for chat completions. It would ask again and again where anything fails; that
//! it is about to shows in its log, and ends it.
use std::fs;
use std::time::Duration;

use super::isolation::{nothing_of_the_persons, the_bare_client_would_show_it};
use super::{
    SILENT, Vendor, a_tool, broken_connections, ended_by_the_client, fault, no_trace, refusals, silence,
    three_verdicts,
};
use crate::kit::check::checks;
use crate::kit::processes::{self, eventually};
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, cut_stream};
use crate::model::raw::{Manner, Raw};

const OPENCODE: Vendor =
    Vendor { preset: "opencode", limit_s: 40, is_gemini: false, prepare: |_, _| {}, cut: cut_stream };

checks! {
    #[own]
    fn r6_2_opencode_says_pass_note_and_fail(c: &mut Checks) {
        three_verdicts(c, &OPENCODE);
    }

    #[own]
    fn r1_6_opencode_gets_nothing_of_the_persons(c: &mut Checks) {
        nothing_of_the_persons(c, &OPENCODE);
    }

    #[own]
    fn r1_6_the_bare_opencode_would_show_it(c: &mut Checks) {
        let config = r#"{"provider":{"x":{"npm":"@ai-sdk/openai-compatible","name":"x","options":{"baseURL":"<url>","apiKey":"k"},"models":{"m-1":{"name":"m-1"}}}}}"#;
        let variables = [
            ("OPENCODE_CONFIG_CONTENT", config),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ];
        // Plugins and servers only cost time here; words and tools are what is looked for.
        let command = "rm -rf \"$HOME\"/.config/opencode/plugin \"$HOME\"/.config/opencode/opencode.json \"$HOME\"/.opencode .opencode .config && opencode run -m x/m-1 --title t";
        the_bare_client_would_show_it(c, &OPENCODE, command, &variables);
    }

    #[own]
    fn r6_9_opencode_tells_that_the_key_or_the_model_is_refused(c: &mut Checks) {
        for refusal in refusals().into_iter().take(2) {
            fault(c, &OPENCODE, refusal, 1);
        }
    }

    /// It would ask five times more, for a minute.
    #[own]
    fn r6_9_opencode_tells_at_once_that_the_service_is_busy_or_broken(c: &mut Checks) {
        for refusal in refusals().into_iter().skip(2) {
            fault(c, &OPENCODE, refusal, 1);
        }
    }

    /// Without an end of the answer it would ask ten times a second, for ever.
    #[own]
    fn r6_9_opencode_does_not_ask_again(c: &mut Checks) {
        for answer in [
            ("no end", Answer::Unended("VERDICT: PASS"), "再问一次"),
            // It says on stderr that there is no such tool, before or after it was ended.
            ("a tool", a_tool("read", "VERDICT: PASS"), "不可用（审计员"),
        ] {
            // The second one may be on its way when it is ended.
            fault(c, &OPENCODE, answer, 2);
        }
    }

    #[own]
    fn r6_9_opencode_answers_that_are_none(c: &mut Checks) {
        for answer in [
            ("empty", Answer::Text(""), "空"),
            ("two lines", Answer::Text("VERDICT: PASS\nVERDICT: FAIL - x"), "再问一次"),
        ] {
            fault(c, &OPENCODE, answer, 1);
        }
    }

    /// Not even a broken pipe ends it: after a hook that was killed the system has to.
    #[own]
    fn r6_14_opencode_has_a_limit_of_its_own(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(Manner::Silence);
        let running = OPENCODE.stop(&sandbox, &server.url()).patient().start();
        let asked = eventually(Duration::from_secs(60), || server.n_requests() > 0);
        c.that("6.2", "it has asked", asked, "a request", "none");
        let own = |(id, line): (i32, String)| line.contains("--agent auditor").then_some(id);
        let ids: Vec<i32> = processes::with_environment(sandbox.root()).into_iter().filter_map(own).collect();
        c.equal("6.14", "processes of OpenCode", ids.len(), 1);
        for id in ids {
            let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
            let cpu = limits.lines().find(|line| line.starts_with("Max cpu time")).unwrap_or_default();
            let numbers: Vec<&str> =
                cpu.split_whitespace().filter(|word| word.parse::<u64>().is_ok()).collect();
            c.equal("6.14", "its processor time, soft and hard", numbers, vec!["30", "30"]);
        }
        running.terminate();
        running.finish();
        no_trace(c, &sandbox);
    }

    #[own]
    fn r6_9_opencode_connections_that_break(c: &mut Checks) {
        broken_connections(c, &OPENCODE);
    }

    /// It takes long to start on a busy machine: one after the other.
    #[own]
    fn r6_14_opencode_is_ended_at_the_limit_where_nobody_answers(c: &mut Checks) {
        silence(c, &OPENCODE, &SILENT[..1]);
    }

    #[own]
    fn r6_14_opencode_is_ended_at_the_limit_where_an_answer_stops(c: &mut Checks) {
        silence(c, &OPENCODE, &SILENT[1..]);
    }

    #[own]
    fn r6_15_opencode_is_ended_with_the_hook(c: &mut Checks) {
        ended_by_the_client(c, &OPENCODE);
    }
}
