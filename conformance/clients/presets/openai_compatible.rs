//! `openai-compatible`: curl against an endpoint for chat completions.
use std::fs;
use std::time::Duration;

use serde_json::json;

use super::isolation::nothing_of_the_persons;
use super::{
    KEY, KEY_VARIABLE, MODEL, SILENT, Vendor, a_tool, broken_connections, ended_by_the_client, fault,
    has_tokens, no_trace, not_audited, refusals, silence, telling_files, three_verdicts,
};
use crate::by_hand::live_check;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::processes::{self, eventually};
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, Chat, cut_body};
use crate::model::raw::{Manner, Raw};
use crate::model::text_of;

const PRESET: &str = "openai-compatible";

const CURL: Vendor =
    Vendor { preset: PRESET, limit_s: 4, is_gemini: false, prepare: |_, _| {}, cut: cut_body };

checks! {
    #[own]
    fn r6_2_openai_compatible_says_pass_note_and_fail(c: &mut Checks) {
        three_verdicts(c, &CURL);
    }

    #[own]
    fn r1_6_openai_compatible_gets_nothing_of_the_persons(c: &mut Checks) {
        nothing_of_the_persons(c, &CURL);
    }

    /// The request holds the prompt and nothing else; the person's curl settings are not read.
    #[own]
    fn r1_6_openai_compatible_sends_the_prompt_and_nothing_else(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        write(&sandbox.path("home/.curlrc"), "header = \"X-Persons: HOME-WORDS\"\n");
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        let run = CURL.stop(&sandbox, &model.url()).run();
        c.that("6.6", "the audit", run.silent(), "PASS", run.seen());
        let prompt = fs::read_to_string(sandbox.path("prompt")).unwrap_or_default();
        c.contains("1.1", "the prompt", &prompt, "CURRENT-OUTPUT");
        let want =
            json!({"model": MODEL, "stream": false, "messages": [{"role": "user", "content": prompt}]});
        c.equal("1.6", "the body", model.bodies(), vec![want]);
        let requests = model.requests();
        let headers = requests.first().map(|request| &request.headers);
        let header =
            |name: &str| headers.and_then(|headers| headers.get(name)?.to_str().ok().map(str::to_owned));
        c.equal("6.2", "the key", header("authorization"), Some(format!("Bearer {KEY}")));
        c.equal("1.6", "a header of the person's", header("x-persons"), None);
        c.that("8.1", "tokens in the log", has_tokens(&sandbox), "4321", sandbox.log_text());
        no_trace(c, &sandbox);
    }

    /// A key with every character that curl's configuration gives a meaning arrives as it is.
    #[own]
    fn r6_2_a_key_with_quotes_arrives_whole(c: &mut Checks) {
        for key in [r#"a"b\c"#, "a b#c", r"\n{}$`'"] {
            let sandbox = Sandbox::with_two_turns();
            let model = Chat::new(Answer::Text("VERDICT: PASS"));
            let run = CURL.stop(&sandbox, &model.url()).env(KEY_VARIABLE, key).run();
            c.that("6.6", "the audit", run.silent(), "PASS", run.seen());
            let requests = model.requests();
            let sent =
                requests.first().and_then(|request| request.headers.get("authorization")?.to_str().ok());
            c.equal("6.2", "the key", sent, Some(format!("Bearer {key}").as_str()));
        }
    }

    /// Arguments can be read by every user of the machine, and files stay after a kill.
    #[own]
    fn r1_6_the_key_of_openai_compatible_is_in_no_argument_variable_or_file(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(Manner::Silence);
        let running = CURL.stop(&sandbox, &server.url()).start();
        let asked = eventually(Duration::from_secs(20), || server.n_requests() > 0);
        c.that("6.2", "curl has asked", asked, "a request", "none");
        let curl: Vec<(i32, String)> = processes::with_environment(sandbox.root())
            .into_iter()
            .filter(|(_, line)| line.starts_with("curl "))
            .collect();
        c.equal("6.2", "processes of curl", curl.len(), 1);
        for (id, line) in &curl {
            c.absent("1.6", "its arguments", line, KEY);
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment).into_owned();
            c.contains("1.6", "its environment is readable here", &environment, "STOP_AUDITOR_INSIDE");
            c.absent("1.6", "its environment", &environment, KEY);
        }
        // A hook that is killed can take nothing away.
        running.kill();
        for (id, _) in curl {
            processes::end(id);
        }
        running.finish();
        c.equal("1.6", "files with the prompt or the key", telling_files(&sandbox), Vec::new());
    }

    #[own]
    fn r6_9_openai_compatible_tells_what_the_service_refuses(c: &mut Checks) {
        for (what, answer, cause) in refusals() {
            fault(c, &CURL, (what, answer, &format!("{what}：{cause}")), 1);
        }
    }

    #[own]
    fn r6_9_openai_compatible_answers_that_are_none(c: &mut Checks) {
        for answer in [
            ("empty", Answer::Text(""), "空"),
            ("no verdict", Answer::Text("看起来没问题。"), "看起来没问题"),
            ("length", Answer::Ends("VERDICT: PASS", "length"), "length"),
            ("no end", Answer::Unended("VERDICT: PASS"), "finish_reason"),
            ("a tool", a_tool("read_file", "VERDICT: PASS"), "tool_calls"),
            // A key does not follow where a service points.
            ("a redirection", Answer::Status(302, None, json!({})), "finish_reason"),
        ] {
            fault(c, &CURL, answer, 1);
        }
    }

    #[own]
    fn r6_9_openai_compatible_connections_that_break(c: &mut Checks) {
        broken_connections(c, &CURL);
    }

    #[own]
    fn r6_14_openai_compatible_is_ended_at_the_limit(c: &mut Checks) {
        silence(c, &CURL, &SILENT);
    }

    #[own]
    fn r6_15_openai_compatible_is_ended_with_the_hook(c: &mut Checks) {
        ended_by_the_client(c, &CURL);
    }

    /// What was not said, or holds no key, is told with its name; nobody is asked.
    #[own]
    fn r6_9_openai_compatible_without_what_it_needs_says_so(c: &mut Checks) {
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        for (variable, value, cause) in [
            ("AUDITORS_OWN_KEY", "", "AUDITORS_OWN_KEY"),
            ("STOP_AUDITOR_MODEL", "", "--model"),
            ("STOP_AUDITOR_BASE_URL", "", "--base-url"),
            ("STOP_AUDITOR_BASE_URL", "ftp://h", "http"),
            ("STOP_AUDITOR_VENDOR", "nobody", "openai-compatible"),
            ("STOP_AUDITOR_MODEL", "claude-opus-5", "自家"),
        ] {
            let sandbox = Sandbox::with_two_turns();
            let run = CURL.stop(&sandbox, &model.url()).env(variable, value).run();
            c.contains("6.9", format!("{variable}={value:?}: the cause"), &run.message(), cause);
            not_audited(c, variable, &sandbox, &run, Duration::from_secs(5));
        }
        c.equal("6.9", "requests", model.requests().len(), 0);
    }

    /// The commands that a person runs by hand, for the one that install chose.
    #[own]
    fn r2_3_check_and_live_check_ask_the_preset_that_was_chosen(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let model = Chat::new(Answer::Text("VERDICT: FAIL - 存在性断言无穷举：没查过"));
        let url = model.url();
        let options = ["--auditor", PRESET, "--base-url", &url, "--model", MODEL];
        let live = live_check(&sandbox, "/usr/bin:/bin", "", &options);
        let text = String::from_utf8_lossy(&live.stdout).into_owned();
        c.equal("9.7", "exit code", live.status.code(), Some(0));
        c.contains("9.7", "the model", &text, &format!("model: {MODEL}"));
        c.equal("9.7", "requests", model.requests().len(), 1);
        let asked = model.bodies().pop().map(|body| text_of(&body)).unwrap_or_default();
        c.contains("9.7", "what is asked", &asked, "parse_order");

        // A server on this machine needs no key, so that none has to be anywhere.
        let own = |arguments: &[&str]| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
            command.args(arguments).env_clear().env("PATH", "/usr/bin:/bin");
            command.env("HOME", sandbox.path("home")).env("TMPDIR", sandbox.path("tmp"));
            let output = command.output().expect("our own binary starts");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (code, text) = own(&[&["install"], &options[..]].concat());
        c.that("3.1", "install", code == Some(0), "exit 0", text);
        c.equal("2.3", "requests of an install", model.requests().len(), 1);
        let (code, text) = own(&["check", "--live"]);
        c.that("2.3", "check --live", code == Some(0), "exit 0", text.clone());
        c.contains("2.3", "check --live", &text, &format!("✓ 审计员：{MODEL}：{PRESET}"));
        c.contains("2.3", "check --live", &text, "✓ 真问一次");
        c.equal("2.3", "requests of check --live", model.requests().len(), 2);
        let (code, text) = own(&["try"]);
        c.that("2.3", "try", code == Some(0), "exit 0", text.clone());
        c.contains("2.3", "try asks the one in the settings", &text, MODEL);
        c.equal("2.3", "requests of try", model.requests().len(), 3);
    }

    /// A command that is set keeps its meaning (6.1).
    #[own]
    fn r6_1_a_command_goes_before_a_preset(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        let event = CURL.stop(&sandbox, &model.url());
        let run = event.auditor("cat >/dev/null; echo VERDICT: FAIL - 自己的命令").run();
        c.contains("6.1", "who judged", &run.reason(), "自己的命令");
        c.equal("6.1", "requests", model.requests().len(), 0);
    }
}
