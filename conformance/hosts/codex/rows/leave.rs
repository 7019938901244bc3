//! PermissionRequest: somebody's leave is asked for, and a hook may answer first. Whatever it does not clearly allow
//! or refuse is asked for as if there were no hook.
use super::Source::{Client, Study};
use super::{
    Channel, Event, GoesOn, Made, Row, Rows, Status, blocked, completed, ended, exits, says, specific,
};
use crate::hosts::contract::{End, Run};

const INVALID: &str = "hook returned invalid permission-request JSON output";

fn decision(fields: &str) -> Run {
    specific(Event::PermissionRequest, &format!(r#""decision":{{{fields}}}"#))
}

fn refused(reason: &str) -> Made {
    let text = format!(r#"exec_command failed: CreateProcess {{ message: "Rejected(\"{reason}\")" }}"#);
    blocked(reason).goes_on(GoesOn::Refused).model(Channel::ToolResult, &text)
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::of(Event::PermissionRequest);
    let allowed = || Made::new(Status::Allowed).goes_on(GoesOn::AllowedOnce);
    rows.add(Study("leave-first"), "nothing", says(""), completed());
    rows.add(Study("leave-first"), "allow", decision(r#""behavior":"allow""#), allowed());
    rows.add(Client, "allow with a message", decision(r#""behavior":"allow","message":"hi""#), allowed());
    let null = decision(r#""behavior":"allow","updatedInput":null"#);
    rows.add(Client, "allow with null for updatedInput", null, allowed());
    let other = specific(Event::Stop, r#""decision":{"behavior":"allow"}"#);
    rows.add(Client, "allow under another event's name", other, allowed());
    rows.add(Study("leave-deny-wins"), "deny", decision(r#""behavior":"deny","message":"R""#), refused("R"));
    let own_words = "PermissionRequest hook denied approval";
    rows.add(Client, "deny without a message", decision(r#""behavior":"deny""#), refused(own_words));
    rows.add(
        Client,
        "deny with a blank message",
        decision(r#""behavior":"deny","message":" ""#),
        refused(own_words),
    );
    let not = decision(r#""behavior":"deny","message":"R","interrupt":false"#);
    rows.add(Client, "deny with interrupt:false", not, refused("R"));
    rows.add(Client, "exit 2 with words on stderr", exits(2, "E\n"), refused("E"));
    rows.add(Client, "plain text", says("hello"), completed());
    rows.add(Client, "an empty object", says("{}"), completed());
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    let mut fails = |source, form, run, why: &str| {
        rows.fails(source, form, run, &format!("PermissionRequest hook {why}"));
    };
    let input = decision(r#""behavior":"allow","updatedInput":{"command":"true"}"#);
    fails(Study("leave-reserved"), "allow with updatedInput", input, "returned unsupported updatedInput");
    let lasting = decision(r#""behavior":"allow","updatedPermissions":[]"#);
    fails(
        Study("leave-reserved"),
        "allow with updatedPermissions",
        lasting,
        "returned unsupported updatedPermissions",
    );
    let interrupt = decision(r#""behavior":"deny","message":"R","interrupt":true"#);
    fails(Study("leave-reserved"), "deny with interrupt", interrupt, "returned unsupported interrupt:true");
    fails(Client, "continue:false", says(r#"{"continue":false}"#), "returned unsupported continue:false");
    fails(Client, "stopReason alone", says(r#"{"stopReason":"S"}"#), "returned unsupported stopReason");
    fails(
        Client,
        "suppressOutput",
        says(r#"{"suppressOutput":true}"#),
        "returned unsupported suppressOutput",
    );
    let silent = "exited with code 2 but did not write a denial reason to stderr";
    fails(Study("exit-2-silent"), "exit 2 without stderr", exits(2, ""), silent);
    not_heard(&mut rows);
    rows.rows
}

fn not_heard(rows: &mut Rows) {
    let unknown = decision(r#""behavior":"allow","more":1"#);
    rows.fails(Study("leave-unknown"), "allow and an unknown field", unknown, INVALID);
    let unknown = decision(r#""behavior":"deny","message":"R","more":1"#);
    rows.fails(Study("leave-unknown"), "deny and an unknown field", unknown, INVALID);
    rows.fails(Client, "behavior ask", decision(r#""behavior":"ask""#), INVALID);
    let other = specific(Event::PermissionRequest, r#""permissionDecision":"allow""#);
    rows.fails(Study("leave-unknown"), "allow in the shape of PreToolUse", other, INVALID);
    rows.fails(Client, "block", says(r#"{"decision":"block","reason":"R"}"#), INVALID);
    rows.fails(Client, "broken JSON", says("{\"x"), INVALID);
    let nameless = says(r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#);
    rows.fails(Client, "allow without hookEventName", nameless, INVALID);
    let allows = decision(r#""behavior":"allow""#).stdout;
    rows.fails(Client, "exit 1 with an allow", Run::exited(1, &allows, ""), "hook exited with code 1");
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    rows.fails(Client, "over its time", ended(End::TimedOut), "hook timed out after <n>s");
}
