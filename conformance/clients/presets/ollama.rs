//! `ollama`: curl against Ollama's `/api/chat`. There is no Ollama here: the server is made up from its documentation, so
//! this shows what we send and how we read, not what Ollama does.
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::{MODEL, no_trace};
use crate::codex::verdicts;
use crate::installed;
use crate::kit::check::checks;
use crate::kit::event::Event;
use crate::kit::sandbox::Sandbox;
use crate::model::served::{Served, body};
use crate::model::text_of;

/// An Ollama that says that it has read so many tokens.
struct Ollama {
    n_read: u64,
}

impl Respond for Ollama {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        if request.url.path() != "/api/chat" {
            return ResponseTemplate::new(200).set_body_json(json!({"models": [{"name": "known:latest"}]}));
        }
        let message = json!({"role": "assistant", "content": "VERDICT: FAIL - 没查过"});
        ResponseTemplate::new(200).set_body_json(json!({"model": MODEL, "message": message, "done": true,
            "done_reason": "stop", "prompt_eval_count": self.n_read, "eval_count": 9}))
    }
}

fn stop(sandbox: &Sandbox, url: &str) -> Event {
    let event = sandbox.stop().env("PATH", &installed::path()).env("STOP_AUDITOR_VENDOR", "ollama");
    event.env("STOP_AUDITOR_MODEL", MODEL).env("STOP_AUDITOR_BASE_URL", url)
}

checks! {
    #[own]
    fn r6_2_ollama_s_answer_counts_where_it_read_all(c: &mut Checks) {
        for (n_read, word) in [(5_000, "FAIL"), (300, "ERROR")] {
            let sandbox = Sandbox::with_two_turns();
            let server = Served::start(Ollama { n_read });
            let run = stop(&sandbox, &server.url()).run();
            c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec![word.to_owned()]);
            let requests: Vec<Value> = server.requests("/api/chat").iter().map(body).collect();
            c.equal("1.6", "requests", requests.len(), 1);
            let asked = requests.first().cloned().unwrap_or_default();
            c.equal("4.31", "the context asked for", &asked["options"]["num_ctx"], &json!(98_304));
            c.contains("1.1", "the request", &text_of(&asked), "CURRENT-OUTPUT");
            if word == "ERROR" {
                c.contains("6.9", "the cause", &run.message(), "只读了 300 个 token");
            }
            no_trace(c, &sandbox);
        }
    }

    /// What was not run for real says so.
    #[own]
    fn r2_3_check_says_that_ollama_was_not_run_for_real(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let server = Served::start(Ollama { n_read: 1 });
        for (model, line) in [("known", "✓ 模型"), ("unknown", "✗ 模型")] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
            command.arg("check").env_clear().env("PATH", installed::path());
            command.env("HOME", sandbox.path("home")).env("TMPDIR", sandbox.path("tmp"));
            command.env("STOP_AUDITOR_VENDOR", "ollama").env("STOP_AUDITOR_MODEL", model);
            let output = command.env("STOP_AUDITOR_BASE_URL", server.url()).output().expect("it starts");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            c.contains("2.3", model, &text, line);
            c.contains("2.3", "it says so", &text, "没有拿真的 Ollama 跑过");
        }
        c.equal("2.3", "nobody is asked", server.requests("/api/chat").len(), 0);
    }
}
