//! SubagentStart takes context and nothing else; SubagentStop is a Stop of the sub-agent's.
use super::Source::{Client, Study};
use super::{Event, GoesOn, Row, Rows, completed, context, continued, ended, exits, says, specific, stopped};
use crate::hosts::contract::End;

pub(super) fn rows() -> Vec<Row> {
    let mut all = start_rows();
    all.append(&mut stop_rows());
    all
}

fn start_rows() -> Vec<Row> {
    let invalid = "hook returned invalid subagent start JSON output";
    let mut rows = Rows::of(Event::SubagentStart);
    rows.add(Study("subagent"), "nothing", says(""), completed());
    rows.add(Client, "plain text", says("hello"), context(completed(), "hello"));
    let own = specific(Event::SubagentStart, r#""additionalContext":"C""#);
    rows.add(Study("subagent-start"), "additionalContext", own, context(completed(), "C"));
    let stops = says(r#"{"continue":false,"stopReason":"S"}"#);
    rows.add(Study("subagent-start"), "continue:false", stops, completed());
    let both = r#"{"continue":false,"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"C"}}"#;
    rows.add(Client, "continue:false and additionalContext", says(both), context(completed(), "C"));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.fails(Client, "block", says(r#"{"decision":"block","reason":"R"}"#), invalid);
    rows.fails(Client, "broken JSON", says("{\"x"), invalid);
    rows.fails(Client, "exit 2 with words on stderr", exits(2, "E"), "hook exited with code 2");
    rows.rows
}

fn stop_rows() -> Vec<Row> {
    let mut rows = Rows::of(Event::SubagentStop);
    rows.add(Study("subagent"), "nothing", says(""), completed());
    let block = says(r#"{"decision":"block","reason":"R"}"#);
    rows.add(Client, "block with a reason", block, continued("R"));
    rows.add(Client, "exit 2 with words on stderr", exits(2, "E"), continued("E"));
    let both = says(r#"{"continue":false,"stopReason":"S","decision":"block","reason":"R"}"#);
    rows.add(Client, "continue:false and block", both, stopped(Some("S")).goes_on(GoesOn::TurnEnds));
    rows.add(Client, "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    let mut fails = |form, run, why: &str| rows.fails(Client, form, run, why);
    fails(
        "block without a reason",
        says(r#"{"decision":"block"}"#),
        "SubagentStop hook returned decision:block without a non-empty reason",
    );
    fails(
        "exit 2 without stderr",
        exits(2, ""),
        "SubagentStop hook exited with code 2 but did not write a continuation prompt to stderr",
    );
    let invalid = "hook returned invalid subagent stop hook JSON output";
    fails("plain text", says("hello"), invalid);
    fails("block and an unknown field", says(r#"{"decision":"block","reason":"R","more":1}"#), invalid);
    fails("killed", ended(End::Signal), "hook exited without a status code");
    rows.rows
}
