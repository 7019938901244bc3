//! Claude Code: what hooks can do at each event, and what becomes of what Stop and UserPromptSubmit hooks print.
//! `effect` is that contract as a function, `rows` as a table of measured runs; the two must agree, and the real client
//! must agree with both.
//!
//! A block is not undone by a mistake beside it, but exit 2 is: with the wrong `hookEventName` it lets everything through.

/// The events, and what a handler can do at each.
pub mod events;
mod heard;
mod long;
mod prompt;
/// The contract as a table.
pub mod rows;
mod said;
mod stop;

pub use long::{study_marks, study_text};

use super::contract::{Channel, Effect, GoesOn, Handler, HostEnd, Kept, Printed, Run, Status, ToModel};

/// The client that the table was measured on.
pub const CLIENT: &str = "2.1.332";

/// An event whose contract stands here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// Claude is about to end its turn.
    Stop,
    /// A message is about to go to the model: a person's, or the client's own for a finished task.
    UserPromptSubmit,
}

impl Event {
    /// As settings and stdin name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::UserPromptSubmit => "UserPromptSubmit",
        }
    }

    /// The event of that name, where its contract stands here.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Stop, Self::UserPromptSubmit].into_iter().find(|event| event.name() == name)
    }
}

/// What the client knows beside the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// The command as registered: the client quotes it where a hook blocks with exit 2.
    pub command: String,
    /// The message that a UserPromptSubmit hook stands before.
    pub prompt: String,
    /// How often in a row a hook has already kept this turn from ending.
    pub blocks_in_a_row: usize,
}

/// How often in a row a turn is kept from ending; the next time the client ends it all the same. Its own setting for
/// it is `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`.
pub const BLOCK_CAP: usize = 8;

/// What the client makes of a run of a hook that stands alone at its event, in print mode.
///
/// JSON is read by `serde_json`, which refuses a lone surrogate where the client's own parser takes it.
pub fn effect(event: Event, handler: Handler, run: &Run, situation: &Situation) -> Effect {
    let why = match handler {
        Handler::Command => {
            return match event {
                Event::Stop => stop::effect(run, situation),
                Event::UserPromptSubmit => prompt::effect(run, situation),
            };
        }
        Handler::AsyncCommand => NOT_WAITED_FOR,
        Handler::McpTool | Handler::Prompt | Handler::Agent | Handler::Http => "it has no stdout of its own",
    };
    ignored(event, why)
}

/// Why a hook in the background decides nothing.
const NOT_WAITED_FOR: &str = "in the background: nobody waits for its output";

/// As if there were no hook, but for the summary that every Stop hook leaves.
fn untouched(event: Event) -> Effect {
    let kept = match event {
        Event::Stop => vec![record("system/stop_hook_summary")],
        Event::UserPromptSubmit => Vec::new(),
    };
    let host_end = HostEnd { exit_code: 0, subtype: Some("success"), printed: Printed::Reply };
    Effect {
        status: Status::Completed,
        goes_on: GoesOn::AsBefore,
        to_model: Vec::new(),
        to_person: Vec::new(),
        kept,
        dropped_prompt_kept: None,
        host_end,
    }
}

fn ignored(event: Event, why: &str) -> Effect {
    Effect { status: Status::Ignored { why: why.to_owned() }, ..untouched(event) }
}

/// A record with nothing in it for the model.
fn record(kind: &'static str) -> Kept {
    Kept { kind, rendered: None }
}

/// A record that holds a text for the model.
fn rendered(kind: &'static str, text: &str) -> Kept {
    Kept { kind, rendered: Some(reminder(text)) }
}

fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

fn sent(channel: Channel, text: String) -> ToModel {
    ToModel { channel, text }
}

/// A `systemMessage` as the person reads it: the event is named on every line.
fn says(event: Event, message: &str) -> String {
    let lines = message.split('\n').map(|line| format!("{} says: {line}", event.name()));
    lines.collect::<Vec<String>>().join("\n")
}
