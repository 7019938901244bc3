//! Auditors of other vendors: one table, and what makes a command and a verdict of a row of it.
//!
//! Nothing here opens a connection: where there is no client to run, `curl` is the child that does.

pub mod address;
pub mod chat;
pub mod chosen;
mod complaint;
pub mod ollama;
pub mod place;
pub mod remains;
pub mod table;

use super::process::{End, Ran};
use super::verdict::{self, NoVerdict};
use super::{AuditError, codex};
use chat::Answer;
use chosen::Chosen;
use memchr::memmem;
use table::{Input, Output, PRESETS};

/// The names of all auditors that can be chosen, the default one first.
pub fn names() -> Vec<&'static str> {
    std::iter::once(codex::PROGRAM).chain(PRESETS.iter().map(|preset| preset.name)).collect()
}

impl Chosen {
    /// What the client gets on stdin. A prompt begins with the instruction, so no client takes it for a command of its
    /// own (`/help`).
    pub fn input(&self, prompt: &str) -> String {
        match self.preset.input {
            Input::Text => prompt.to_owned(),
            Input::Chat => chat::request(&self.model, prompt),
            Input::Ollama => ollama::request(&self.model, prompt),
        }
    }

    /// The answer to a prompt in what a client printed that ended in time.
    ///
    /// # Errors
    /// [`AuditError::Failed`], [`AuditError::Incomplete`], [`AuditError::Stopped`], and [`AuditError::NoVerdict`] where
    /// there are several.
    pub fn said(&self, prompt: &str, ran: &Ran) -> Result<Answer, AuditError> {
        if matches!(ran.end, End::Stopped) {
            return Err(AuditError::Stopped(self.complaint(ran)));
        }
        if let Some(status) = ran.failure() {
            return Err(AuditError::failed(status, self.complaint(ran)));
        }
        match self.preset.output {
            Output::Chat => chat::answer(&ran.stdout).map_err(AuditError::Incomplete),
            Output::Ollama => ollama::answer(&ran.stdout, prompt).map_err(AuditError::Incomplete),
            // It may have ended before it could be stopped.
            Output::Text if self.is_to_be_stopped(ran.stdout.as_bytes(), ran.stderr.as_bytes()) => {
                Err(AuditError::Stopped(self.complaint(ran)))
            }
            Output::Text => match verdict::n_lines(&ran.stdout) {
                0 | 1 => Ok(Answer { text: ran.stdout.clone(), tokens: None }),
                n => Err(AuditError::NoVerdict(NoVerdict::Several(n), ran.stdout.clone())),
            },
        }
    }

    /// Whether what the client printed so far shows that it is about to ask again, or has failed and will.
    pub fn is_to_be_stopped(&self, stdout: &[u8], stderr: &[u8]) -> bool {
        let is_there = |(text, n): &(&str, usize)| memmem::find_iter(stderr, text).nth(n - 1).is_some();
        let printed = stdout.trim_ascii();
        self.preset.ends_at.iter().any(is_there) || (self.preset.is_one_line && printed.contains(&b'\n'))
    }

    /// What a client that failed complained about: its own words, and the service's where they are apart.
    pub fn complaint(&self, ran: &Ran) -> String {
        let service = match self.preset.output {
            Output::Chat | Output::Ollama => chat::complaint(&ran.stdout),
            Output::Text => None,
        };
        let own = complaint::words(&ran.stderr, self.preset.noise);
        [Some(own), service].into_iter().flatten().collect::<Vec<_>>().join("：")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn chosen(name: &str) -> Chosen {
        let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap();
        Chosen { preset, model: "m".to_owned(), url: "http://h.example/v1".to_owned(), key: None }
    }

    fn ran(end: End, stdout: &str, stderr: &str) -> Ran {
        Ran { end, stdout: stdout.to_owned(), stderr: stderr.to_owned(), output_is_held: false }
    }

    fn exited(code: i32) -> End {
        End::Exited(ExitStatus::from_raw(code << 8))
    }

    const CHAT: &str = r#"{"choices":[{"message":{"content":"VERDICT: PASS"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#;
    const OLLAMA: &str = r#"{"message":{"content":"VERDICT: PASS"},"done_reason":"stop","prompt_eval_count":7,"eval_count":3}"#;

    #[test]
    fn every_auditor_can_be_named() {
        assert_eq!(names(), ["codex", "openai-compatible", "gemini", "opencode", "llm", "qwen", "ollama"]);
    }

    #[test]
    fn each_client_gets_the_prompt_in_its_own_form() {
        assert_eq!(chosen("llm").input("审"), "审");
        for (name, has_context) in [("openai-compatible", false), ("ollama", true)] {
            let body: serde_json::Value = serde_json::from_str(&chosen(name).input("审")).unwrap();
            assert_eq!((&body["model"], &body["stream"]), (&"m".into(), &false.into()));
            assert_eq!(body["messages"][0]["content"], "审");
            assert_eq!(body.get("options").is_some(), has_context, "{name}");
        }
    }

    #[test]
    fn an_answer_is_read_in_the_client_s_own_form() {
        for (name, stdout, text, tokens) in [
            ("openai-compatible", CHAT, "VERDICT: PASS", Some((7, 3))),
            ("ollama", OLLAMA, "VERDICT: PASS", Some((7, 3))),
            ("llm", "words\nVERDICT: PASS\n", "words\nVERDICT: PASS\n", None),
            ("llm", "no verdict", "no verdict", None),
        ] {
            let answer = chosen(name).said("p", &ran(exited(0), stdout, "")).unwrap();
            assert_eq!(answer, Answer { text: text.to_owned(), tokens }, "{name}");
        }
    }

    #[test]
    fn what_did_not_end_well_is_no_answer() {
        let told = |name: &str, ran: &Ran| chosen(name).said("p", ran).unwrap_err().to_string();
        assert_eq!(told("llm", &ran(End::Stopped, "VERDICT: PASS", "quota")), "审计员出错：quota");
        assert_eq!(told("llm", &ran(exited(3), "VERDICT: PASS", "quota")), "审计员出错，退出码 3：quota");
        let refusal = r#"{"error":{"message":"no such model"}}"#;
        let failed = ran(exited(22), refusal, "curl: (22) 404");
        assert_eq!(
            told("openai-compatible", &failed),
            "审计员出错，退出码 22：curl: (22) 404：no such model"
        );
        assert_eq!(
            told("openai-compatible", &ran(exited(0), "{}", "")),
            "审计员没有答完：没有 finish_reason"
        );
        assert_eq!(told("ollama", &ran(exited(0), "{}", "")), "审计员没有答完：没有 done_reason");
        let twice = "VERDICT: PASS\nVERDICT: FAIL - x";
        assert_eq!(told("llm", &ran(exited(0), twice, "")), "回复里有 2 行 VERDICT，说不准哪行算数");
        // It ended before it could be stopped.
        assert_eq!(
            told("opencode", &ran(exited(0), "VERDICT: PASS", "message=\"stream error\"")),
            "审计员出错：message=\"stream error\""
        );
    }

    #[test]
    fn a_client_that_would_ask_again_is_stopped() {
        for (name, stdout, stderr, is_stopped) in [
            ("opencode", "", "message=stream a", false),
            ("opencode", "", "message=stream a\nmessage=stream b", true),
            ("opencode", "", "x message=\"stream error\" y", true),
            ("opencode", "VERDICT: PASS\n", "", false),
            ("opencode", "\nVERDICT: PASS\n\n", "", false),
            ("opencode", "VERDICT: PASS\nVERDICT", "", true),
            ("llm", "words\nVERDICT: PASS", "message=\"stream error\"", false),
        ] {
            let is_to_be_stopped = chosen(name).is_to_be_stopped(stdout.as_bytes(), stderr.as_bytes());
            assert_eq!(is_to_be_stopped, is_stopped, "{name} {stdout:?} {stderr:?}");
        }
    }

    #[test]
    fn a_prompt_is_no_command_of_a_client() {
        assert!(crate::prompt::INSTRUCTION.starts_with("你是独立审计员"));
    }
}
