//! Events round a turn: the model's requests, compaction, the end of a session, an interrupt. Most of their hooks are
//! only told; nobody reads what they print.
use super::Source::{Client, Facts, Study};
use super::{Event, GoesOn, Made, Row, Rows, Status, completed, ended, exits, says, specific, stopped};
use crate::hosts::contract::{End, Handler};

const BLOCK: &str = r#"{"decision":"block","reason":"R"}"#;
const STOP: &str = r#"{"continue":false,"stopReason":"S"}"#;

pub(super) fn rows() -> Vec<Row> {
    [
        model(Event::PreModelRequest),
        model(Event::PostModelRequest),
        compaction(Event::PreCompact),
        compaction(Event::PostCompact),
        session_end(),
        interrupt(),
    ]
    .concat()
}

/// Their stdout is not looked at, and a failure says no more than its stderr.
fn model(event: Event) -> Vec<Row> {
    let mut rows = Rows::of(event);
    rows.add(Study("recognised"), "nothing", says(""), completed());
    rows.add(Client, "block", says(BLOCK), completed());
    rows.add(Client, "continue:false", says(STOP), completed());
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed());
    rows.add(Client, "broken JSON", says("{\"x"), completed());
    rows.add(Client, "additionalContext", specific(event, r#""additionalContext":"C""#), completed());
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E\n"), "E");
    rows.fails(Client, "exit 1", exits(1, ""), "");
    rows.fails(Client, "killed", ended(End::Signal), "");
    rows.rows
}

fn compaction(event: Event) -> Vec<Row> {
    let invalid = format!("hook returned invalid {} hook JSON output", event.name());
    let ends = |reason| stopped(Some(reason)).goes_on(GoesOn::TurnEnds);
    let mut rows = Rows::of(event);
    rows.add(Client, "nothing", says(""), completed());
    rows.add(Client, "plain text", says("hello"), completed());
    rows.add(Client, "continue:false with stopReason", says(STOP), ends("S"));
    let own_words = format!("{} hook stopped execution", event.name());
    rows.add(Client, "continue:false", says(r#"{"continue":false}"#), ends(&own_words));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "suppressOutput", says(r#"{"suppressOutput":true}"#), completed());
    rows.fails(Client, "block", says(BLOCK), &invalid);
    rows.fails(Client, "broken JSON", says("{\"x"), &invalid);
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E\n"), "E");
    rows.fails(Client, "exit 1", exits(1, ""), "hook exited with code 1");
    rows.fails(Client, "killed", ended(End::Signal), "hook process terminated without an exit code");
    rows.rows
}

fn session_end() -> Vec<Row> {
    let mut rows = Rows::of(Event::SessionEnd);
    rows.add(Study("session-end-deaf"), "nothing", says(""), completed());
    rows.add(Study("session-end-deaf"), "block", says(BLOCK), completed());
    rows.add(Client, "continue:false", says(STOP), completed());
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed());
    rows.add(Client, "broken JSON", says("{\"x"), completed());
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E\n"), "E");
    rows.fails(Client, "exit 1", exits(1, ""), "hook exited with code 1");
    rows.fails(Client, "killed", ended(End::Signal), "hook process terminated without an exit code");
    rows.fails(Study("session-end-time"), "over its time", ended(End::TimedOut), "hook timed out after <n>s");
    rows.by(Handler::AsyncCommand, Client, "async: exit 2", exits(2, "E"), super::failed("E"));
    let ignored = Made::new(Status::Ignored { why: "SessionEnd MCP hooks are not supported".to_owned() });
    rows.by(Handler::McpTool, Study("session-end-mcp"), "mcp_tool", says("hello"), ignored);
    rows.rows
}

/// The turn is broken off before its hook runs, so that no Stop follows.
fn interrupt() -> Vec<Row> {
    let invalid = "hook returned invalid interrupt hook JSON output";
    let mut rows = Rows::of(Event::Interrupt);
    rows.add(Study("recognised"), "nothing", says(""), completed());
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "an empty object", says("{}"), completed());
    rows.fails(Client, "plain text", says("hello"), "Interrupt hook returned non-JSON stdout");
    rows.fails(Client, "broken JSON", says("{\"x"), invalid);
    rows.fails(Client, "block", says(BLOCK), invalid);
    rows.fails(Client, "continue:true", says(r#"{"continue":true}"#), invalid);
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E"), "hook exited with code 2");
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    rows.fails(Facts("8"), "over its time", ended(End::TimedOut), "hook timed out after <n>s");
    rows.rows
}
