//! How the client weighs stdout, stderr and the exit code against each other, the same at both events: JSON that it
//! understands decides whatever the exit code is; exit 2 blocks where the JSON does not; any other code is a failure.
use crate::hosts::contract::{End, Run};

use super::said::{Fields, Said, read, trimmed};
use super::{Event, Situation};

/// What the client heard.
#[derive(Debug)]
pub(super) enum Heard {
    /// Its time was over.
    Cancelled,
    /// It is treated as broken, for this reason in the client's words.
    Failed(String),
    /// It went into the background.
    InBackground,
    /// Plain text and exit code 0; `None` where there was no text.
    Text(Option<String>),
    /// It decided or told something.
    Spoke(Spoken),
}

/// What a hook decided and told.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) block: Option<Block>,
    /// Its other fields; the default where it printed no JSON.
    pub(super) fields: Fields,
    /// Whether it printed JSON that the client understood.
    pub(super) in_json: bool,
}

/// A block, with the reason as it is handed on.
#[derive(Debug)]
pub(super) enum Block {
    /// By `decision`.
    Decided(String),
    /// By exit code 2, with what stood on stderr.
    Exit2(String),
}

impl Block {
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Decided(reason) | Self::Exit2(reason) => reason,
        }
    }
}

pub(super) fn hear(event: Event, run: &Run, situation: &Situation) -> Heard {
    let code = match run.end {
        End::TimedOut => return Heard::Cancelled,
        End::NotStarted => return Heard::Failed(format!("{NON_BLOCKING}<the shell's words>")),
        // The client knows no signal: it takes it for exit code 1.
        End::Signal => 1,
        End::Exit(code) => code,
    };
    let exit_2 = || (code == 2).then(|| Block::Exit2(stderr_as_reason(run, situation)));
    let blocked_by_exit_2 = || {
        exit_2().map(|block| {
            Heard::Spoke(Spoken { block: Some(block), fields: Fields::default(), in_json: false })
        })
    };
    match read(&run.stdout, event) {
        Said::InBackground => Heard::InBackground,
        Said::Broken(why) => blocked_by_exit_2().unwrap_or(Heard::Failed(why)),
        Said::Object(fields) => spoken(*fields, exit_2(), event),
        Said::Nothing | Said::Text(_) if code != 0 => {
            blocked_by_exit_2().unwrap_or_else(|| Heard::Failed(failure(&run.stderr)))
        }
        Said::Nothing => Heard::Text(None),
        Said::Text(text) => Heard::Text(Some(text)),
    }
}

const NON_BLOCKING: &str = "Failed with non-blocking status code: ";

const NO_STDERR: &str = "No stderr output";

fn failure(stderr: &str) -> String {
    let stderr = trimmed(stderr);
    format!("{NON_BLOCKING}{}", if stderr.is_empty() { NO_STDERR } else { stderr })
}

fn stderr_as_reason(run: &Run, situation: &Situation) -> String {
    let stderr = if run.stderr.is_empty() { NO_STDERR } else { &run.stderr };
    format!("[{}]: {stderr}", situation.command)
}

/// Another event's name spoils everything but a `decision` to block; even exit 2 is lost with it. The client writes this
/// failure down the first time in a session only.
fn spoken(mut fields: Fields, exit_2: Option<Block>, event: Event) -> Heard {
    let reason = fields.reason.clone().unwrap_or_else(|| "Blocked by hook".to_owned());
    let decided = fields.blocks.then_some(Block::Decided(reason));
    match (&fields.other_event, &decided) {
        (Some(name), None) => {
            return Heard::Failed(format!(
                "Failed to run: Hook returned incorrect event name: expected '{}' but got '{name}'",
                event.name()
            ));
        }
        // The client cannot know whether the prompt was to be left out, so it leaves it out.
        (Some(_), Some(_)) => fields.suppresses_prompt = true,
        (None, _) => {}
    }
    Heard::Spoke(Spoken { block: decided.or(exit_2), fields, in_json: true })
}
