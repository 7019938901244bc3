//! PostToolUse: the tool has run. Only what the model sees of it can still be changed.
use super::Source::{Client, Facts, Study};
use super::{
    Channel, Event, GoesOn, Made, Row, Rows, Status, blocked, completed, context, ended, exits, says,
    specific, stopped,
};
use crate::hosts::contract::End;

const INVALID: &str = "hook returned invalid post-tool-use JSON output";

fn replaced(made: Made, text: &str) -> Made {
    made.goes_on(GoesOn::ResultReplaced).model(Channel::ToolResult, text)
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::of(Event::PostToolUse);
    let own = |fields: &str| specific(Event::PostToolUse, fields);
    rows.add(Facts("8"), "nothing", says(""), completed());
    rows.add(Facts("8"), "plain text", says("hello"), completed());
    let block = says(r#"{"decision":"block","reason":"R"}"#);
    rows.add(Study("post-tool"), "block", block, replaced(blocked("R"), "R"));
    let blanks = says(r#"{"decision":"block","reason":" R "}"#);
    rows.add(Client, "block, blanks round the reason", blanks, replaced(blocked(" R "), " R "));
    rows.add(Facts("8"), "exit 2 with words on stderr", exits(2, "E\n"), replaced(blocked("E"), "E"));
    let both = r#"{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"C"}}"#;
    let made = Made::new(Status::Blocked { reason: "R".to_owned() }).person("C").person("R");
    let made = replaced(made.model(Channel::Developer, "C"), "R");
    rows.add(Client, "block and additionalContext", says(both), made);
    stops(&mut rows);
    rows.add(Facts("8"), "additionalContext", own(r#""additionalContext":"C""#), context(completed(), "C"));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "stopReason alone", says(r#"{"stopReason":"S"}"#), completed());
    let mut fails = |form, run, why: &str| rows.fails(Client, form, run, &format!("PostToolUse hook {why}"));
    let no_reason = "returned decision:block without a non-empty reason";
    fails("block without a reason", says(r#"{"decision":"block"}"#), no_reason);
    fails("a reason alone", says(r#"{"reason":"R"}"#), "returned reason without decision");
    fails("suppressOutput", says(r#"{"suppressOutput":true}"#), "returned unsupported suppressOutput");
    let mcp = own(r#""updatedMCPToolOutput":"X""#);
    fails("updatedMCPToolOutput", mcp, "returned unsupported updatedMCPToolOutput");
    fails("exit 2 without stderr", exits(2, ""), "exited with code 2 but did not write feedback to stderr");
    rows.fails(Client, "decision approve", says(r#"{"decision":"approve"}"#), INVALID);
    rows.fails(Client, "updatedToolOutput", own(r#""updatedToolOutput":"X""#), INVALID);
    rows.fails(Client, "an unknown field", says(r#"{"more":1}"#), INVALID);
    rows.fails(Client, "broken JSON", says("{\"x"), INVALID);
    rows.fails(Client, "exit 1", exits(1, "E"), "hook exited with code 1");
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    rows.rows
}

/// The turn goes on for all that: only the result is gone.
fn stops(rows: &mut Rows) {
    let own_words = "PostToolUse hook stopped execution";
    let made = replaced(stopped(Some(own_words)), own_words);
    rows.add(Client, "continue:false", says(r#"{"continue":false}"#), made);
    let reason = says(r#"{"continue":false,"stopReason":"S"}"#);
    rows.add(Client, "continue:false with stopReason", reason, replaced(stopped(Some("S")), "S"));
    let both = r#"{"continue":false,"stopReason":"S","decision":"block","reason":"R"}"#;
    rows.add(Client, "continue:false and block", says(both), replaced(stopped(Some("S")), "R"));
    let context = r#"{"continue":false,"stopReason":"S","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"C"}}"#;
    let made = Made::new(Status::Stopped { reason: Some("S".to_owned()) }).person("C").person("S");
    let made = replaced(made.model(Channel::Developer, "C"), "S");
    rows.add(Client, "continue:false and additionalContext", says(context), made);
}
