//! UserPromptSubmit and SessionStart: before the first request of a message. What a hook adds to a message that it
//! drops stays in the conversation, and goes with the person's next message.
use super::Source::{Client, Facts, Study};
use super::{
    Event, GoesOn, Made, Row, Rows, Status, blocked, completed, context, ended, exits, says, specific,
    stopped,
};
use crate::hosts::contract::{End, Handler};

pub(super) fn rows() -> Vec<Row> {
    let mut all = prompt_rows();
    all.append(&mut start_rows());
    all
}

fn dropped(made: Made) -> Made {
    made.goes_on(GoesOn::PromptDropped)
}

/// What both events take and refuse alike.
fn alike(rows: &mut Rows, invalid: &str) {
    let event = rows.event;
    rows.add(Facts("8"), "nothing", says(""), completed());
    rows.add(Facts("8"), "plain text", says("hello\n"), context(completed(), "hello"));
    let own = specific(event, r#""additionalContext":"C""#);
    rows.add(Study("developer"), "additionalContext", own, context(completed(), "C"));
    let other = specific(Event::Stop, r#""additionalContext":"C""#);
    rows.add(Client, "additionalContext under another event's name", other, context(completed(), "C"));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "suppressOutput", says(r#"{"suppressOutput":true}"#), completed());
    rows.add(Client, "stopReason alone", says(r#"{"stopReason":"S"}"#), completed());
    rows.fails(Client, "broken JSON", says("{\"x"), invalid);
    rows.fails(Client, "an array", says("[1]"), invalid);
    rows.fails(Client, "an unknown field", says(r#"{"more":1}"#), invalid);
    rows.fails(Client, "decision approve", says(r#"{"decision":"approve"}"#), invalid);
    rows.fails(Client, "additionalContext at the top", says(r#"{"additionalContext":"C"}"#), invalid);
    let nameless = says(r#"{"hookSpecificOutput":{"additionalContext":"C"}}"#);
    rows.fails(Client, "hookSpecificOutput without hookEventName", nameless, invalid);
    rows.fails(Client, "exit 1", exits(1, "E"), "hook exited with code 1");
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    let stops = says(r#"{"continue":false}"#);
    rows.add(Facts("8"), "continue:false", stops, dropped(stopped(None)));
    let both = format!(
        r#"{{"continue":false,"stopReason":"S","hookSpecificOutput":{{"hookEventName":"{}","additionalContext":"C"}}}}"#,
        event.name()
    );
    let made = Made::new(Status::Stopped { reason: Some("S".to_owned()) }).person("C").person("S");
    rows.add(Client, "continue:false and additionalContext", says(&both), dropped(made.later("C")));
}

fn prompt_rows() -> Vec<Row> {
    let invalid = "hook returned invalid user prompt submit JSON output";
    let mut rows = Rows::of(Event::UserPromptSubmit);
    alike(&mut rows, invalid);
    let block = r#"{"decision":"block","reason":"R"}"#;
    rows.add(Study("prompt-stop"), "block", says(block), dropped(blocked("R")));
    rows.add(Study("prompt-stop"), "exit 2 with words on stderr", exits(2, "E\n"), dropped(blocked("E")));
    let both = r#"{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"C"}}"#;
    let made = Made::new(Status::Blocked { reason: "R".to_owned() }).person("C").person("R");
    rows.add(Client, "block and additionalContext", says(both), dropped(made.later("C")));
    let both = r#"{"continue":false,"stopReason":"S","decision":"block","reason":"R"}"#;
    rows.add(Client, "continue:false and block", says(both), dropped(stopped(Some("S"))));
    let no_reason = "UserPromptSubmit hook returned decision:block without a non-empty reason";
    rows.fails(Facts("8"), "block without a reason", says(r#"{"decision":"block"}"#), no_reason);
    let silent = "UserPromptSubmit hook exited with code 2 but did not write a blocking reason to stderr";
    rows.fails(Study("exit-2-silent"), "exit 2 without stderr", exits(2, ""), silent);
    rows.add(Client, "a reason alone", says(r#"{"reason":"R"}"#), completed());
    rows.fails(Study("time-out"), "over its time", ended(End::TimedOut), "hook timed out after <n>s");
    let ignored =
        Made::new(Status::Ignored { why: "it is not waited for, so it decides nothing".to_owned() });
    rows.by(Handler::AsyncCommand, Study("async"), "async: block", says(block), ignored);
    rows.by(Handler::McpTool, Client, "mcp_tool: block", says(block), dropped(blocked("R")));
    rows.by(Handler::McpTool, Client, "mcp_tool: plain text", says("hello"), context(completed(), "hello"));
    rows.rows
}

fn start_rows() -> Vec<Row> {
    let invalid = "hook returned invalid session start JSON output";
    let mut rows = Rows::of(Event::SessionStart);
    alike(&mut rows, invalid);
    let stops = says(r#"{"continue":false,"stopReason":"S"}"#);
    rows.add(Study("session-start"), "continue:false with stopReason", stops, dropped(stopped(Some("S"))));
    rows.fails(Client, "block", says(r#"{"decision":"block","reason":"R"}"#), invalid);
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E"), "hook exited with code 2");
    rows.rows
}
