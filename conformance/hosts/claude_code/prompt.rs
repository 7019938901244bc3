//! UserPromptSubmit: plain text and `additionalContext` reach the model; a block drops the message, and with it all
//! that the hook had to say to the model; `continue: false` keeps the message and does not ask the model.
use crate::hosts::contract::{Channel, Effect, GoesOn, HostEnd, Printed, Run, Status};

use super::heard::{Heard, Spoken, hear};
use super::long::handed_on;
use super::{Event, NOT_WAITED_FOR, Situation, ignored, record, rendered, says, sent, untouched};

const EVENT: Event = Event::UserPromptSubmit;

pub(super) fn effect(run: &Run, situation: &Situation) -> Effect {
    let before = untouched(EVENT);
    let failed = |why: &str, kind| Effect {
        status: Status::Failed { why: why.to_owned() },
        kept: vec![record(kind)],
        ..untouched(EVENT)
    };
    match hear(EVENT, run, situation) {
        Heard::Cancelled => failed("timed out", "hook_cancelled"),
        Heard::Failed(why) => failed(&why, "hook_non_blocking_error"),
        Heard::InBackground => ignored(EVENT, NOT_WAITED_FOR),
        Heard::Text(None) => before,
        Heard::Text(Some(text)) => told(before, "hook_success", "success", &text),
        Heard::Spoke(spoken) => spoke(&spoken, situation),
    }
}

fn spoke(spoken: &Spoken, situation: &Situation) -> Effect {
    let fields = &spoken.fields;
    if fields.stops {
        return stopped(fields.stop_reason.clone());
    }
    if let Some(block) = &spoken.block {
        return blocked(block.reason(), fields.suppresses_prompt, situation);
    }
    let mut effect = untouched(EVENT);
    if let Some(message) = &fields.system_message {
        effect.to_person.push(says(EVENT, &handed_on(message)));
        effect.kept.push(record("hook_system_message"));
    }
    match &fields.context {
        Some(context) => told(effect, "hook_additional_context", "additional context", context),
        None => effect,
    }
}

/// The text goes with the message, as one more paragraph of the system's.
fn told(mut effect: Effect, kind: &'static str, what: &str, text: &str) -> Effect {
    let text = format!("UserPromptSubmit hook {what}: {}", handed_on(text));
    effect.kept.push(rendered(kind, &text));
    effect.to_model.push(sent(Channel::Developer, text));
    effect
}

fn stopped(reason: Option<String>) -> Effect {
    let why = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    Effect {
        goes_on: GoesOn::TurnEnds,
        // The next message finds both in the conversation: the person's, and the client's own.
        kept: vec![record("user"), record("system/informational")],
        ..unanswered(Status::Stopped { reason }, format!("Operation stopped by hook{why}"))
    }
}

fn blocked(reason: &str, suppresses_prompt: bool, situation: &Situation) -> Effect {
    let prompt = &situation.prompt;
    let original = if suppresses_prompt { String::new() } else { format!("\n\nOriginal prompt: {prompt}") };
    let words = format!("UserPromptSubmit operation blocked by hook:\n{reason}{original}");
    Effect {
        goes_on: GoesOn::PromptDropped,
        kept: vec![record("system/informational")],
        // What print mode was given is written down before the hook runs, whatever becomes of it.
        dropped_prompt_kept: Some(1 + usize::from(!suppresses_prompt)),
        ..unanswered(Status::Blocked { reason: reason.to_owned() }, words)
    }
}

fn unanswered(status: Status, words: String) -> Effect {
    let before = untouched(EVENT);
    let host_end = HostEnd { printed: Printed::Words(words.clone()), ..before.host_end };
    Effect { status, to_person: vec![words], host_end, ..before }
}
