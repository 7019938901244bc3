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
    #[test]
    fn a_prompt_is_no_command_of_a_client() {
        assert!(crate::prompt::INSTRUCTION.starts_with("你是独立审计员"));
    }
}
