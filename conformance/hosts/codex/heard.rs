//! An object that a hook printed, once its shape is right: what it decides. A decision without its reason, and a field
//! that the event has no use for, are failures.

use serde_json::Value;

use super::effect::Made;
use super::said::{Behavior, Decision, Leave, Said, Specific, ToolDecision};
use super::{Event, spill};
use crate::hosts::contract::{Channel, GoesOn, Status, ToModel};

pub(super) fn of_object(event: Event, said: &Said) -> Made {
    if let Some(why) = unsupported(event, said).or_else(|| no_reason(event, said)) {
        let why = why.replace("<event>", event.name());
        let mut made = Made::new(Status::Failed { why: why.clone() });
        made.to_person.extend(said.system_message.clone());
        return made.person(&why);
    }
    let specific = said.hook_specific_output.clone().unwrap_or_default();
    let mut made = if said.continues { decided(event, said, &specific) } else { stopped(event, said) };
    let mut to_person: Vec<String> = said.system_message.iter().cloned().collect();
    if let Some(context) = &specific.additional_context {
        to_person.push(context.clone());
        if made.goes_on == GoesOn::PromptDropped {
            made = made.later(context);
        } else {
            made.to_model.insert(0, ToModel { channel: Channel::Developer, text: spill::placed(context) });
        }
    }
    to_person.append(&mut made.to_person);
    Made { to_person, ..made }
}

/// Fields that the shape knows and the event has no use for: reserved, and refused.
fn unsupported(event: Event, said: &Said) -> Option<String> {
    let leave = said.hook_specific_output.as_ref().and_then(|specific| specific.decision.as_ref());
    let mcp =
        said.hook_specific_output.as_ref().is_some_and(|specific| specific.updated_mcp_tool_output.is_some());
    let refuses_all = matches!(event, Event::PreToolUse | Event::PermissionRequest);
    let field = if refuses_all && !said.continues {
        "continue:false"
    } else if refuses_all && said.stop_reason.is_some() {
        "stopReason"
    } else if (refuses_all || event == Event::PostToolUse) && said.suppress_output {
        "suppressOutput"
    } else if mcp {
        "updatedMCPToolOutput"
    } else if leave.is_some_and(|leave| leave.updated_input.is_some()) {
        "updatedInput"
    } else if leave.is_some_and(|leave| leave.updated_permissions.is_some()) {
        "updatedPermissions"
    } else if leave.is_some_and(|leave| leave.interrupt) {
        "interrupt:true"
    } else {
        return None;
    };
    Some(format!("<event> hook returned unsupported {field}"))
}

/// A decision without its reason, or a reason without its decision, where the event minds.
fn no_reason(event: Event, said: &Said) -> Option<String> {
    let is_blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    let specific = said.hook_specific_output.as_ref().filter(|_| event == Event::PreToolUse);
    if let Some(specific) = specific.filter(|specific| decides(specific)) {
        return tool_decision_fault(specific, is_blank(&specific.permission_decision_reason));
    }
    let blank = is_blank(&said.reason);
    let text = match said.decision {
        Some(Decision::Block) if blank && said.continues => {
            "<event> hook returned decision:block without a non-empty reason"
        }
        Some(Decision::Approve) => "<event> hook returned unsupported decision:approve",
        None if said.reason.is_some()
            && said.continues
            && matches!(event, Event::PreToolUse | Event::PostToolUse) =>
        {
            "<event> hook returned reason without decision"
        }
        Some(Decision::Block) | None => return None,
    };
    Some(text.to_owned())
}

/// Whether the object's inner decision counts, and the one at the top does not.
fn decides(specific: &Specific) -> bool {
    specific.permission_decision.is_some()
        || specific.permission_decision_reason.is_some()
        || specific.updated_input.is_some()
}

fn tool_decision_fault(specific: &Specific, no_reason: bool) -> Option<String> {
    let changes = specific.updated_input.is_some();
    let text = match specific.permission_decision {
        Some(ToolDecision::Allow) if changes => return None,
        Some(ToolDecision::Allow) => "<event> hook returned unsupported permissionDecision:allow",
        Some(ToolDecision::Deny | ToolDecision::Ask) | None if changes => {
            "<event> hook returned updatedInput without permissionDecision:allow"
        }
        Some(ToolDecision::Ask) => "<event> hook returned unsupported permissionDecision:ask",
        Some(ToolDecision::Deny) if no_reason => {
            "<event> hook returned permissionDecision:deny without a non-empty permissionDecisionReason"
        }
        Some(ToolDecision::Deny) => return None,
        None => "<event> hook returned permissionDecisionReason without permissionDecision",
    };
    Some(text.to_owned())
}

/// `continue: false`, which beats whatever else is said.
fn stopped(event: Event, said: &Said) -> Made {
    let own_words = format!("{} hook stopped execution", event.name());
    let reason = said.stop_reason.clone();
    let made = Made::new(Status::Stopped { reason: reason.clone() });
    match event {
        Event::Stop | Event::SubagentStop => told(made.goes_on(GoesOn::TurnEnds), reason),
        Event::SessionStart | Event::UserPromptSubmit => told(made.goes_on(GoesOn::PromptDropped), reason),
        Event::PreCompact | Event::PostCompact => {
            let reason = reason.unwrap_or(own_words);
            let status = Status::Stopped { reason: Some(reason.clone()) };
            Made::new(status).goes_on(GoesOn::TurnEnds).person(&reason)
        }
        Event::PostToolUse => {
            let reason = reason.unwrap_or(own_words);
            let given = said.reason.as_deref().map(str::trim).filter(|given| !given.is_empty());
            let status = Status::Stopped { reason: Some(reason.clone()) };
            let made = Made::new(status).goes_on(GoesOn::ResultReplaced).person(&reason);
            made.model(Channel::ToolResult, given.unwrap_or(&reason))
        }
        // A sub-agent starts all the same, and the others were refused above or have no such field.
        Event::SubagentStart
        | Event::PreToolUse
        | Event::PermissionRequest
        | Event::Interrupt
        | Event::PreModelRequest
        | Event::PostModelRequest
        | Event::SessionEnd => Made::new(Status::Completed),
    }
}

fn told(made: Made, reason: Option<String>) -> Made {
    match reason {
        Some(reason) => made.person(&reason),
        None => made,
    }
}

fn decided(event: Event, said: &Said, specific: &Specific) -> Made {
    if let Some(leave) = &specific.decision {
        return leave_decided(event, leave);
    }
    if event == Event::PreToolUse && decides(specific) {
        return match (&specific.permission_decision_reason, &specific.updated_input) {
            (Some(reason), None) => blocked(event, reason.trim()),
            (_, Some(input)) if input.get("command").is_some_and(Value::is_string) => {
                Made::new(Status::Completed).goes_on(GoesOn::ToolChanged)
            }
            // It says that the hook broke, and still the tool does not run.
            (_, Some(_)) => Made::new(Status::Completed)
                .goes_on(GoesOn::ToolRefused)
                .model(Channel::ToolResult, "hook returned updatedInput without string field `command`"),
            (None, None) => Made::new(Status::Completed),
        };
    }
    match (said.decision, &said.reason) {
        // Two events hand a reason on with the blanks round it.
        (Some(Decision::Block), Some(reason))
            if matches!(event, Event::PostToolUse | Event::UserPromptSubmit) =>
        {
            blocked(event, reason)
        }
        (Some(Decision::Block), Some(reason)) => blocked(event, reason.trim()),
        (Some(Decision::Block), None) | (Some(Decision::Approve) | None, _) => Made::new(Status::Completed),
    }
}

fn leave_decided(event: Event, leave: &Leave) -> Made {
    match leave.behavior {
        Behavior::Allow => Made::new(Status::Allowed).goes_on(GoesOn::AllowedOnce),
        Behavior::Deny => {
            let message = leave.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
            blocked(event, message.unwrap_or("PermissionRequest hook denied approval"))
        }
    }
}

/// A block with its reason, by an object or by exit 2.
pub(super) fn blocked(event: Event, reason: &str) -> Made {
    let made = Made::new(Status::Blocked { reason: reason.to_owned() }).person(reason);
    match event {
        Event::Stop | Event::SubagentStop => {
            made.goes_on(GoesOn::TurnContinues).model(Channel::User, &continuation(&spill::placed(reason)))
        }
        Event::PreToolUse => made.goes_on(GoesOn::ToolRefused).model(
            Channel::ToolResult,
            &format!("Command blocked by PreToolUse hook: {reason}. Command: <command>"),
        ),
        Event::PostToolUse => made.goes_on(GoesOn::ResultReplaced).model(Channel::ToolResult, reason),
        Event::PermissionRequest => {
            let rejected = format!("Rejected({reason:?})");
            let text = format!("exec_command failed: CreateProcess {{ message: {rejected:?} }}");
            made.goes_on(GoesOn::Refused).model(Channel::ToolResult, &text)
        }
        Event::UserPromptSubmit => made.goes_on(GoesOn::PromptDropped),
        // They have no block: their objects have no field for it, and exit 2 is a failure.
        Event::PreModelRequest
        | Event::PostModelRequest
        | Event::PreCompact
        | Event::PostCompact
        | Event::SessionStart
        | Event::SessionEnd
        | Event::SubagentStart
        | Event::Interrupt => made,
    }
}

/// A Stop hook's reason as the model gets it, as a message of the user's.
fn continuation(reason: &str) -> String {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<hook_prompt hook_run_id=\"<id>\">{reason}</hook_prompt>")
}
