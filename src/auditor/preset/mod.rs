//! Auditors of other vendors: one table, and what makes a command and a verdict of a row of it.
//!
//! Nothing here opens a connection: where there is no client to run, `curl` is the child that does.

pub mod address;
pub mod chat;
pub mod chosen;
pub mod place;
pub mod table;

use super::{AuditError, codex};
use chosen::Chosen;
use table::{Input, Output, PRESETS};

/// The names of all auditors that can be chosen, the default one first.
pub fn names() -> Vec<&'static str> {
    std::iter::once(codex::PROGRAM).chain(PRESETS.iter().map(|preset| preset.name)).collect()
}

/// What a client said.
#[derive(Debug)]
pub struct Said {
    /// The answer's text.
    pub text: String,
    /// Tokens in and out, where told.
    pub tokens: Option<(u64, u64)>,
}

impl Chosen {
    /// What the client gets on stdin. A prompt begins with the instruction, so no client takes it for a command of its
    /// own (`/help`).
    pub fn input(&self, prompt: &str) -> String {
        match self.preset.input {
            Input::Text => prompt.to_owned(),
            Input::Chat => chat::request(&self.model, prompt),
        }
    }

    /// The answer in what the client printed when it ended well.
    ///
    /// # Errors
    /// [`AuditError::Incomplete`].
    pub fn said(&self, stdout: &str) -> Result<Said, AuditError> {
        match self.preset.output {
            Output::Chat => {
                let answer = chat::answer(stdout).map_err(AuditError::Incomplete)?;
                Ok(Said { text: answer.text, tokens: answer.tokens })
            }
        }
    }

    /// What a client that failed complained about: its own words, and the service's where they are apart.
    pub fn complaint(&self, stdout: &str, stderr: &str) -> String {
        let service = match self.preset.output {
            Output::Chat => chat::complaint(stdout),
        };
        [Some(stderr.trim().to_owned()), service].into_iter().flatten().collect::<Vec<_>>().join("：")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_prompt_is_no_command_of_a_client() {
        assert!(crate::prompt::INSTRUCTION.starts_with("你是独立审计员"));
    }
}
