//! Stop: a block or `additionalContext` makes the turn go on, `continue: false` beats both, and the ninth time in a
//! row the client ends the turn whatever the hook says. Plain text does nothing.
use crate::hosts::contract::{Channel, Effect, GoesOn, HostEnd, Printed, Run, Status, ToModel};

use super::heard::{Block, Heard, Spoken, hear};
use super::long::handed_on;
use super::{
    BLOCK_CAP, Event, NOT_WAITED_FOR, Situation, ignored, record, reminder, rendered, says, sent, untouched,
};

const EVENT: Event = Event::Stop;

/// What the person is told of any hook that blocks or fails, once a turn.
const PROBLEM: &str = "stop hook problem · ctrl+o to see";

pub(super) fn effect(run: &Run, situation: &Situation) -> Effect {
    let mut effect = untouched(EVENT);
    match hear(EVENT, run, situation) {
        Heard::InBackground => return ignored(EVENT, NOT_WAITED_FOR),
        Heard::Cancelled => {
            effect.status = Status::Failed { why: "timed out".to_owned() };
            effect.kept.insert(0, record("hook_cancelled"));
        }
        Heard::Failed(why) => {
            effect.status = Status::Failed { why };
            effect.kept.insert(0, record("hook_non_blocking_error"));
            effect.to_person.extend(problem(situation));
        }
        Heard::Text(None) if run.stderr.is_empty() => {}
        Heard::Text(_) => effect.kept.insert(0, record("hook_success")),
        Heard::Spoke(spoken) => return spoke(&spoken, situation),
    }
    effect
}

fn problem(situation: &Situation) -> Option<String> {
    (situation.blocks_in_a_row == 0).then(|| PROBLEM.to_owned())
}

fn spoke(spoken: &Spoken, situation: &Situation) -> Effect {
    let Spoken { block, fields, in_json } = spoken;
    let mut effect = untouched(EVENT);
    let mut kept = Vec::new();
    if fields.stops {
        let message = fields.stop_reason.as_deref().unwrap_or("Stop hook prevented continuation");
        kept.push(rendered(
            "hook_stopped_continuation",
            &format!("Stop hook stopped continuation: {message}"),
        ));
    }
    if let Some(block) = block {
        kept.push(record("user"));
        effect.to_person.push(feedback(block));
        effect.status = Status::Blocked { reason: block.reason().to_owned() };
    }
    match block {
        Some(Block::Decided(reason)) => {
            kept.push(rendered("hook_blocking_error", &blocking_error(reason, situation)));
        }
        Some(Block::Exit2(_)) | None if *in_json => kept.push(record("hook_success")),
        Some(Block::Exit2(_)) | None => {}
    }
    if let Some(message) = &fields.system_message {
        kept.push(record("hook_system_message"));
        effect.to_person.push(says(EVENT, &handed_on(message)));
    }
    let context = fields
        .context
        .as_deref()
        .map(|context| format!("Stop hook additional context: {}", handed_on(context)));
    kept.extend(context.iter().map(|context| rendered("hook_additional_context", context)));
    kept.append(&mut effect.kept);
    effect.kept = kept;

    let keeps_going = block.is_some() || context.is_some();
    let is_over = situation.blocks_in_a_row >= BLOCK_CAP;
    if fields.stops {
        effect.status = Status::Stopped { reason: fields.stop_reason.clone() };
        effect.goes_on = GoesOn::TurnEnds;
    } else if keeps_going && is_over {
        let n_times = situation.blocks_in_a_row + 1;
        let words = format!("A hook blocked the turn from ending {n_times} consecutive times");
        // As a message and as a notification.
        effect.to_person.extend([words.clone(), words]);
        effect.kept.push(record("system/informational"));
        effect.goes_on = GoesOn::TurnEnds;
    } else if keeps_going {
        effect.goes_on = GoesOn::TurnContinues;
        effect.to_model = to_model(block.as_ref(), context, situation);
    }
    if block.is_some() {
        effect.to_person.extend(problem(situation));
        // The last row is the feedback, so that there is no reply to print.
        if effect.goes_on == GoesOn::TurnEnds {
            effect.host_end = HostEnd { printed: Printed::Nothing, ..effect.host_end };
        }
    }
    effect
}

fn feedback(block: &Block) -> String {
    format!("Stop hook feedback:\n{}", block.reason())
}

fn blocking_error(reason: &str, situation: &Situation) -> String {
    format!("Stop hook blocking error from command: \"{}\": {reason}", situation.command)
}

/// The reason comes as a message of the user with the client's words for it in front; a decided one comes again as one
/// of the system's. Context alone comes as a message of the user.
fn to_model(block: Option<&Block>, context: Option<String>, situation: &Situation) -> Vec<ToModel> {
    let Some(block) = block else {
        return context.map(|context| sent(Channel::User, reminder(&context))).into_iter().collect();
    };
    let error = match block {
        Block::Decided(reason) => Some(blocking_error(reason, situation)),
        Block::Exit2(_) => None,
    };
    let of_system: Vec<String> = error.into_iter().chain(context).collect();
    let mut messages = vec![sent(Channel::User, reminder(&format!("<lead>\n{}", feedback(block))))];
    if !of_system.is_empty() {
        messages.push(sent(Channel::Developer, of_system.join("\n\n")));
    }
    messages
}
