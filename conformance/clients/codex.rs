//! The real Codex as the default auditor, asked by the hook with the spec's command: its answer becomes the verdict.
use serde_json::{Value, json};

use super::desk::Desk;
use super::installed;
use super::kit::check::{Checks, checks};
use super::kit::event::{Event, Run, write};
use super::kit::journal;
use super::kit::processes::{self, eventually};
use super::kit::sandbox::Sandbox;
use super::model::anthropic::says;
use super::model::raw::{Manner, Raw};
use super::model::responses::{Answer, Responses};
use super::model::text_of;
use std::time::Duration;

/// A key of the right form, which opens nothing.
pub(crate) const KEY: &str = "sk-test-dummy-0123456789abcdef";

/// The argument that sends the default provider's requests to a model on loopback.
pub(crate) fn pointed_at(url: &str) -> String {
    format!("-c 'model_providers.auditor.base_url=\"{url}\"'")
}

/// A Stop whose auditor is the default one, with a key.
pub(crate) fn stop(sandbox: &Sandbox, url: &str) -> Event {
    let event = sandbox.stop().env("PATH", &installed::path()).env("CODEX_API_KEY", KEY);
    event.env("STOP_AUDITOR_CODEX_ARGS", &pointed_at(url))
}

/// The spec's command and nothing more, pointed at a model on loopback. Analytics are off, and what it fetches beside
/// (plugins, by git) finds a closed port for a proxy: nothing leaves the machine.
pub(crate) fn bare(url: &str) -> String {
    format!(
        "HTTPS_PROXY=http://127.0.0.1:9 codex exec --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check \
         -s read-only -m gpt-6.1-sol -c model_reasoning_effort=medium --json -c analytics.enabled=false \
         -c 'openai_base_url=\"{url}\"' -"
    )
}

/// Nothing that the hook started goes on after it.
pub(crate) fn nothing_is_left(c: &mut Checks, sandbox: &Sandbox) {
    let running = || processes::with_environment(sandbox.root());
    eventually(Duration::from_secs(2), || running().is_empty());
    c.equal("6.14", "processes left by hook and Codex", running(), Vec::new());
}

/// The verdict words of the log.
pub(crate) fn verdicts(sandbox: &Sandbox) -> Vec<String> {
    journal::verdict_of_each(&sandbox.log_lines())
}

fn audit(c: &mut Checks, messages: &'static [&'static str]) -> (Sandbox, Responses, Run) {
    let sandbox = Sandbox::with_two_turns();
    let model = Responses::new(Answer::Messages(messages));
    let run = stop(&sandbox, &model.url()).run();
    c.equal("6.2", "requests to the auditor's model", model.requests().len(), 1);
    c.equal("6.11", "exit code", run.code, Some(0));
    nothing_is_left(c, &sandbox);
    (sandbox, model, run)
}

/// The processes of Codex itself: the home that they were given is below the hook's temporary directory.
pub(crate) fn in_the_empty_home(sandbox: &Sandbox) -> Vec<(i32, String)> {
    processes::with_environment(&sandbox.path("tmp/stop-auditor-"))
}

checks! {
    #[own]
    fn r6_6_codex_says_pass(c: &mut Checks) {
        let (sandbox, model, run) = audit(c, &["VERDICT: PASS"]);
        c.equal("6.6", "stdout", run.stdout.as_str(), "");
        c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec!["PASS".to_owned()]);
        let request = model.bodies().pop().unwrap_or_default();
        c.equal("6.2", "the model asked", &request["model"], &json!("gpt-6.1-sol"));
        c.equal("6.2", "the effort", &request["reasoning"]["effort"], &json!("medium"));
        let text = text_of(&request);
        for part in
            ["你是独立审计员", "CURRENT-PROMPT", "CURRENT-OUTPUT", "CURRENT-REPLY", "只输出一行 VERDICT。）"]
        {
            c.contains("1.1", "the request", &text, part);
        }
        c.absent("1.2", "the request", &text, "CURRENT-THOUGHT");
        let tokens = sandbox.log_lines().iter().any(|line| journal::has(line, &json!(4321)));
        c.that("8.1", "tokens in the log", tokens, "4321", sandbox.log_text());
    }

    #[own]
    fn r6_8_codex_says_note(c: &mut Checks) {
        let (sandbox, _, run) = audit(c, &["VERDICT: NOTE - 次数说多了"]);
        let message = "审计提示（gpt-6.1-sol，没打回，你下次发消息时会转给 Claude）：次数说多了";
        c.equal("6.8", "systemMessage", run.message().as_str(), message);
        c.that("7.1", "the note waits", sandbox.pending().is_file(), "pending file", "none");
        c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec!["NOTE".to_owned()]);
    }

    #[own]
    fn r6_7_codex_says_fail(c: &mut Checks) {
        let (sandbox, _, run) = audit(c, &["VERDICT: FAIL - 无证据结论：没查过"]);
        c.that("6.7", "a block", run.blocked(), "block", run.seen());
        c.contains(
            "6.7",
            "reason",
            &run.reason(),
            "独立审计员（gpt-6.1-sol）判定本轮存在偏差：无证据结论：没查过",
        );
        c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec!["FAIL".to_owned()]);
    }

    /// Messages carry no phase: a late comment is as good as an answer, but for the line.
    #[own]
    fn r6_2_comments_before_and_after_the_verdict_change_nothing(c: &mut Checks) {
        let (_, _, run) = audit(c, &["先看材料。", "VERDICT: FAIL - 答非所问", "以上是我的判定。"]);
        c.that("6.2", "a block", run.blocked(), "block", run.seen());
        c.contains("6.2", "reason", &run.reason(), "答非所问");
    }

    /// The last of several lines counts, in one message as in many.
    #[own]
    fn r6_3_the_last_verdict_counts(c: &mut Checks) {
        let (_, _, run) = audit(c, &["VERDICT: FAIL - 先以为改约", "VERDICT: PASS"]);
        c.equal("6.3", "stdout", run.stdout.as_str(), "");
    }

    /// A provider of the person's own is used, without the rest of that file.
    #[own]
    fn r6_2_a_relay_of_the_person_s_is_asked_with_its_own_key(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let model = Responses::new(Answer::Messages(&["VERDICT: PASS"]));
        let config = format!(
            "model_provider = \"relay\"\ndeveloper_instructions = \"RELAY-OWNER-WORDS\"\n[model_providers.relay]\n\
             name = \"relay\"\nbase_url = \"{}\"\nenv_key = \"RELAY_KEY\"\nwire_api = \"responses\"\n",
            model.url()
        );
        write(&sandbox.path("home/.codex/config.toml"), config);
        let run =
            sandbox.stop().env("PATH", &installed::path()).env("RELAY_KEY", "relay-key-0123456789").run();
        c.equal("6.6", "stdout", run.stdout.as_str(), "");
        let requests = model.requests();
        c.equal("6.2", "requests to the relay", requests.len(), 1);
        let key = requests.first().and_then(|request| request.headers.get("authorization"));
        let key = key.and_then(|value| value.to_str().ok()).unwrap_or_default();
        c.equal("6.2", "the key", key, "Bearer relay-key-0123456789");
        c.absent(
            "1.6",
            "the request",
            &text_of(&model.bodies().pop().unwrap_or_default()),
            "RELAY-OWNER-WORDS",
        );
        nothing_is_left(c, &sandbox);
    }

    /// The whole chain: Claude Code, the hook, Codex, and back.
    #[own]
    fn r1_1_claude_code_is_sent_back_by_codex(c: &mut Checks) {
        let model = Responses::new(Answer::Messages(&["VERDICT: FAIL - 存在性断言无穷举：没查过"]));
        let replies = ["没有了", "我没有查过", "真的没有查过"].map(says);
        let desk = Desk::new(Sandbox::new(), "cat >/dev/null; echo VERDICT: PASS", replies.to_vec());
        desk.forget_auditor();
        let arguments = pointed_at(&model.url());
        let desk = desk.env("CODEX_API_KEY", KEY).env("STOP_AUDITOR_CODEX_ARGS", &arguments);
        desk.print(c, "还有地方调用 parse_order 吗？");
        let conversations = desk.model.conversations();
        c.equal("1.3", "requests to Claude's model", conversations.len(), 3);
        let second = conversations.get(1).cloned().unwrap_or_default();
        c.contains("1.1", "the second request", &second, "存在性断言无穷举：没查过");
        let audits: Vec<String> = model.bodies().iter().map(text_of).collect();
        c.equal("6.5", "requests to the auditor's model", audits.len(), 2);
        c.contains(
            "1.1",
            "what was audited",
            audits.first().map_or("", String::as_str),
            "还有地方调用 parse_order 吗？",
        );
        let want: Vec<String> = ["FAIL", "FAIL", "SKIP"].map(str::to_owned).into();
        c.equal("8.1", "verdicts in the log", journal::verdict_of_each(&desk.sandbox.log_lines()), want);
        let active: Vec<Value> =
            desk.events_named("Stop").iter().map(|stop| stop["stop_hook_active"].clone()).collect();
        c.equal("6.4", "stop_hook_active", active, vec![json!(false), json!(true), json!(true)]);
        desk.nothing_is_left(c);
    }

    /// The wrapper and the program that it starts, when the client ends the hook.
    #[own]
    fn r6_15_codex_is_gone_when_the_client_ends_the_hook(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let server = Raw::new(Manner::Silence);
        let running = stop(&sandbox, &server.url()).start();
        let asked = eventually(Duration::from_secs(20), || server.n_requests() > 0);
        c.that("6.15", "Codex has asked", asked, "a request", "none");
        let codex = in_the_empty_home(&sandbox);
        c.that("6.15", "Codex runs", !codex.is_empty(), "a process", "none");
        running.terminate();
        let gone = eventually(Duration::from_secs(2), || in_the_empty_home(&sandbox).is_empty());
        c.that("6.15", "Codex after 2 s", gone, "gone", format!("{:?}", in_the_empty_home(&sandbox)));
        let run = running.finish();
        c.equal("6.15", "stdout", run.stdout.as_str(), "");
        c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec!["ERROR".to_owned()]);
        nothing_is_left(c, &sandbox);
    }
}
