//! `llm`: Simon Willison's llm with a model of the person's own configuration. Its library asks up to three times.
use super::isolation::nothing_of_the_persons;
use super::{
    KEY, KEY_VARIABLE, MODEL, SILENT, Vendor, a_tool, broken_connections, ended_by_the_client, fault,
    refusals, silence, three_verdicts,
};
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, Chat, cut_body};

const LLM: Vendor =
    Vendor { preset: "llm", limit_s: 12, is_gemini: false, prepare: with_a_model, cut: cut_body };

/// The person's folder of llm, with one model whose key is in a variable.
fn with_a_model(sandbox: &Sandbox, url: &str) {
    let model = format!(
        "- model_id: {MODEL}\n  model_name: {MODEL}\n  api_base: \"{url}\"\n  api_key_name: {KEY_VARIABLE}\n"
    );
    write(&sandbox.path("home/.config/io.datasette.llm/extra-openai-models.yaml"), model);
    write(
        &sandbox.path("home/.config/io.datasette.llm/keys.json"),
        format!("{{\"{KEY_VARIABLE}\": \"stored\"}}"),
    );
    write(&sandbox.path("home/.config/io.datasette.llm/templates/default.yaml"), "system: PLANTED-WORDS\n");
}

checks! {
    #[own]
    fn r6_2_llm_says_pass_note_and_fail(c: &mut Checks) {
        three_verdicts(c, &LLM);
    }

    #[own]
    fn r1_6_llm_gets_nothing_of_the_persons(c: &mut Checks) {
        nothing_of_the_persons(c, &LLM);
    }

    /// The person's own store of keys is used.
    #[own]
    fn r6_2_llm_uses_the_key_that_it_keeps(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let model = Chat::new(Answer::Text("VERDICT: PASS"));
        let event = LLM.stop(&sandbox, &LLM.url(&model)).without_env("STOP_AUDITOR_KEY_ENV");
        let run = event.patient().run();
        c.that("6.6", "the audit", run.silent(), "PASS", run.seen());
        let requests = model.requests();
        let sent = requests.first().and_then(|request| request.headers.get("authorization")?.to_str().ok());
        c.equal("6.2", "the key", sent, Some("Bearer stored"));
    }

    #[own]
    fn r6_9_llm_tells_what_the_service_refuses(c: &mut Checks) {
        for (what, mut answer, cause) in refusals() {
            let n_requests = if matches!(what, "401" | "404") { 1 } else { 3 };
            if let Answer::Status(_, retry_after @ Some(_), _) = &mut answer {
                *retry_after = Some(1);
            }
            fault(c, &LLM, (what, answer, cause), n_requests);
        }
    }

    #[own]
    fn r6_9_llm_answers_that_are_none(c: &mut Checks) {
        for answer in [
            ("empty", Answer::Text(""), "空"),
            ("no verdict", Answer::Text("看起来没问题。"), "看起来没问题"),
            ("two verdicts", Answer::Text("VERDICT: PASS\nVERDICT: FAIL - x"), "2 行"),
            ("a tool", a_tool("read_file", "VERDICT: PASS"), "空"),
        ] {
            fault(c, &LLM, answer, 1);
        }
    }

    #[own]
    fn r6_9_llm_connections_that_break(c: &mut Checks) {
        broken_connections(c, &LLM);
    }

    #[own]
    fn r6_14_llm_is_ended_at_the_limit(c: &mut Checks) {
        silence(c, &LLM, &SILENT);
    }

    #[own]
    fn r6_15_llm_is_ended_with_the_hook(c: &mut Checks) {
        ended_by_the_client(c, &LLM);
    }

    /// Whether a model is known is told without asking anybody.
    #[own]
    fn r2_3_check_knows_whether_llm_has_the_model(c: &mut Checks) {
        let sandbox = Sandbox::new();
        with_a_model(&sandbox, "http://127.0.0.1:9/v1");
        for (model, line) in [(MODEL, "✓ 模型"), ("no-such-model", "✗ 模型")] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
            command.arg("check").env_clear().env("PATH", crate::installed::path_with_python_s());
            command.env("HOME", sandbox.path("home")).env("TMPDIR", sandbox.path("tmp"));
            command.env("STOP_AUDITOR_VENDOR", "llm").env("STOP_AUDITOR_MODEL", model).env("X", KEY);
            let output = command.output().expect("our own binary starts");
            c.contains("2.3", model, &String::from_utf8_lossy(&output.stdout), line);
        }
    }
}
