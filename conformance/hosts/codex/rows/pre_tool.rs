//! PreToolUse: the only place where a tool can still be kept from running, or be given another input.
use super::Source::{Client, Facts, Study};
use super::{
    Channel, Event, GoesOn, Made, Row, Rows, Status, blocked, completed, context, ended, exits, says,
    specific,
};
use crate::hosts::contract::{End, Handler, Run};

const INVALID: &str = "hook returned invalid pre-tool-use JSON output";
const DENY: &str = r#""permissionDecision":"deny","permissionDecisionReason":"R""#;

fn refused(reason: &str) -> Made {
    let text = format!("Command blocked by PreToolUse hook: {reason}. Command: <command>");
    blocked(reason).goes_on(GoesOn::ToolRefused).model(Channel::ToolResult, &text)
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::of(Event::PreToolUse);
    let own = |fields: &str| specific(Event::PreToolUse, fields);
    rows.add(Facts("8"), "nothing", says(""), completed());
    rows.add(Facts("8"), "plain text", says("hello"), completed());
    rows.add(Study("deny-by-json"), "deny", own(DENY), refused("R"));
    rows.add(Facts("8"), "block", says(r#"{"decision":"block","reason":"R"}"#), refused("R"));
    let both = r#"{"decision":"block","reason":"L","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;
    rows.add(Client, "block and deny", says(both), refused("R"));
    rows.add(Facts("8"), "exit 2 with words on stderr", exits(2, "E\n"), refused("E"));
    let made = Made::new(Status::Blocked { reason: "R".to_owned() }).person("C").person("R");
    let made = made.goes_on(GoesOn::ToolRefused).model(Channel::Developer, "C");
    let made = made.model(Channel::ToolResult, "Command blocked by PreToolUse hook: R. Command: <command>");
    rows.add(Client, "deny and additionalContext", own(&format!(r#"{DENY},"additionalContext":"C""#)), made);
    changes(&mut rows);
    rows.add(Facts("8"), "additionalContext", own(r#""additionalContext":"C""#), context(completed(), "C"));
    let other = specific(Event::Stop, r#""additionalContext":"C""#);
    rows.add(Client, "additionalContext under another event's name", other, context(completed(), "C"));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "an empty object", says("{}"), completed());
    not_heard(&mut rows);
    refused_fields(&mut rows);
    let made = Made::new(Status::Ignored { why: "it is not waited for, so it decides nothing".to_owned() });
    rows.by(Handler::AsyncCommand, Study("async"), "async: deny", own(DENY), made);
    rows.rows
}

fn changes(rows: &mut Rows) {
    let own = |fields: &str| specific(Event::PreToolUse, fields);
    let changed = completed().goes_on(GoesOn::ToolChanged);
    let input = r#""permissionDecision":"allow","updatedInput":{"command":"echo CHANGED"}"#;
    rows.add(Study("pre-tool"), "allow with updatedInput", own(input), changed.clone());
    let more = r#""permissionDecision":"allow","updatedInput":{"command":"echo CHANGED","more":1}"#;
    rows.add(Client, "allow with more than a command in updatedInput", own(more), changed.clone());
    let made = changed.model(Channel::Developer, "C").person("C");
    rows.add(
        Client,
        "allow with updatedInput and additionalContext",
        own(&format!(r#"{input},"additionalContext":"C""#)),
        made,
    );
    let none = r#""permissionDecision":"allow","updatedInput":{"cmd":"echo CHANGED"}"#;
    let made = completed().goes_on(GoesOn::ToolRefused);
    let made = made.model(Channel::ToolResult, "hook returned updatedInput without string field `command`");
    rows.add(Client, "allow with an updatedInput without command", own(none), made);
}

fn not_heard(rows: &mut Rows) {
    let own = |fields: &str| specific(Event::PreToolUse, fields);
    rows.fails(Client, "broken JSON", says("{\"x"), INVALID);
    rows.fails(Client, "an array", says("[1]"), INVALID);
    rows.fails(Client, "an unknown field", says(r#"{"more":1}"#), INVALID);
    rows.fails(Client, "deny and an unknown field", own(&format!(r#"{DENY},"more":1"#)), INVALID);
    rows.fails(Client, "permissionDecision defer", own(r#""permissionDecision":"defer""#), INVALID);
    let nameless = says(r#"{"hookSpecificOutput":{"additionalContext":"C"}}"#);
    rows.fails(Client, "hookSpecificOutput without hookEventName", nameless, INVALID);
    let foreign = says(r#"{"hookSpecificOutput":{"hookEventName":"Notification","additionalContext":"C"}}"#);
    rows.fails(Client, "hookSpecificOutput under a name that is no event", foreign, INVALID);
    rows.fails(Client, "additionalContext at the top", says(r#"{"additionalContext":"C"}"#), INVALID);
    let denies = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;
    rows.fails(Client, "exit 1 with a deny", Run::exited(1, denies, ""), "hook exited with code 1");
    let silent = "PreToolUse hook exited with code 2 but did not write a blocking reason to stderr";
    rows.fails(Study("exit-2-silent"), "exit 2 without stderr", Run::exited(2, denies, ""), silent);
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    rows.fails(Study("time-out"), "over its time", ended(End::TimedOut), "hook timed out after <n>s");
}

/// What the shape knows and the event does not take.
fn refused_fields(rows: &mut Rows) {
    let own = |fields: &str| specific(Event::PreToolUse, fields);
    let mut fails =
        |form, run, why: &str| rows.fails(Client, form, run, &format!("PreToolUse hook returned {why}"));
    fails("allow alone", own(r#""permissionDecision":"allow""#), "unsupported permissionDecision:allow");
    fails(
        "ask",
        own(r#""permissionDecision":"ask","permissionDecisionReason":"R""#),
        "unsupported permissionDecision:ask",
    );
    let no_reason = "permissionDecision:deny without a non-empty permissionDecisionReason";
    fails("deny without a reason", own(r#""permissionDecision":"deny""#), no_reason);
    let blank = own(r#""permissionDecision":"deny","permissionDecisionReason":" ""#);
    fails("deny with a blank reason", blank, no_reason);
    fails(
        "updatedInput alone",
        own(r#""updatedInput":{"command":"echo CHANGED"}"#),
        "updatedInput without permissionDecision:allow",
    );
    fails(
        "permissionDecisionReason alone",
        own(r#""permissionDecisionReason":"R""#),
        "permissionDecisionReason without permissionDecision",
    );
    let block = says(r#"{"decision":"block"}"#);
    fails("block without a reason", block, "decision:block without a non-empty reason");
    fails("decision approve", says(r#"{"decision":"approve"}"#), "unsupported decision:approve");
    fails("a reason alone", says(r#"{"reason":"R"}"#), "reason without decision");
    fails("continue:false", says(r#"{"continue":false,"stopReason":"S"}"#), "unsupported continue:false");
    fails("stopReason alone", says(r#"{"stopReason":"S"}"#), "unsupported stopReason");
    fails("suppressOutput", says(r#"{"suppressOutput":true}"#), "unsupported suppressOutput");
}
