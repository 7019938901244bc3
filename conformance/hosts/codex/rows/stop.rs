//! Stop: the one place where a hook can keep a turn going.
use super::Source::{Client, Facts, Study};
use super::{Event, GoesOn, Row, Rows, completed, continued, ended, exits, failed, says, stopped};
use crate::hosts::codex::effect::Made;
use crate::hosts::contract::{Channel, End, Handler, Run, Status};

const INVALID: &str = "hook returned invalid stop hook JSON output";
const NO_REASON: &str = "Stop hook returned decision:block without a non-empty reason";
const BLOCK: &str = r#"{"decision":"block","reason":"R"}"#;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Rows::of(Event::Stop);
    rows.add(Facts("8"), "nothing", says(""), completed());
    blocks(&mut rows);
    stops(&mut rows);
    not_heard(&mut rows);
    rows.add(Facts("8"), "systemMessage", says(r#"{"systemMessage":"M"}"#), completed().person("M"));
    rows.add(Client, "suppressOutput", says(r#"{"suppressOutput":true}"#), completed());
    rows.add(Client, "an empty object", says("{}"), completed());
    rows.add(Client, "a reason without a decision", says(r#"{"reason":"R"}"#), completed());
    rows.add(Client, "null for a decision", says(r#"{"decision":null,"reason":null}"#), completed());
    rows.add(Client, "only words on stderr", exits(0, "E"), completed());
    other_handlers(&mut rows);
    rows.rows
}

fn blocks(rows: &mut Rows) {
    rows.add(Study("stop-continues"), "block with a reason", says(BLOCK), continued("R"));
    let blanks = r#"{"decision":"block","reason":"  R \n"}"#;
    rows.add(Client, "block, blanks round the reason", says(blanks), continued("R"));
    let marked = r#"{"decision":"block","reason":"一\n<b> & \"q\""}"#;
    let sent = "<hook_prompt hook_run_id=\"<id>\">一\n&lt;b&gt; &amp; \"q\"</hook_prompt>";
    let made = Made::new(Status::Blocked { reason: "一\n<b> & \"q\"".to_owned() });
    let made = made.person("一\n<b> & \"q\"").goes_on(GoesOn::TurnContinues).model(Channel::User, sent);
    rows.add(Client, "block, markup in the reason", says(marked), made);
    let warned = r#"{"systemMessage":"M","decision":"block","reason":"R"}"#;
    let made = Made::new(Status::Blocked { reason: "R".to_owned() }).person("M").person("R");
    let made = made.goes_on(GoesOn::TurnContinues);
    let made = made.model(Channel::User, "<hook_prompt hook_run_id=\"<id>\">R</hook_prompt>");
    rows.add(Client, "block and systemMessage", says(warned), made);
    let hidden = r#"{"suppressOutput":true,"decision":"block","reason":"R"}"#;
    rows.add(Client, "block and suppressOutput", says(hidden), continued("R"));
    rows.add(Study("deny-by-exit"), "exit 2 with words on stderr", exits(2, "E\n"), continued("E"));
    let both = Run::exited(2, BLOCK, "E");
    rows.add(Client, "exit 2 with a block on stdout and words on stderr", both, continued("E"));
    rows.fails(Study("stop-no-reason"), "block without a reason", says(r#"{"decision":"block"}"#), NO_REASON);
    let blank = says(r#"{"decision":"block","reason":"  "}"#);
    rows.fails(Facts("8"), "block with a blank reason", blank, NO_REASON);
    let silent = "Stop hook exited with code 2 but did not write a continuation prompt to stderr";
    rows.fails(Study("exit-2-silent"), "exit 2 without stderr", Run::exited(2, BLOCK, " \n"), silent);
}

fn stops(rows: &mut Rows) {
    let ends = |reason| stopped(reason).goes_on(GoesOn::TurnEnds);
    rows.add(Facts("8"), "continue:false", says(r#"{"continue":false}"#), ends(None));
    let reason = r#"{"continue":false,"stopReason":"S"}"#;
    rows.add(Facts("8"), "continue:false with stopReason", says(reason), ends(Some("S")));
    let both = r#"{"continue":false,"stopReason":"S","decision":"block","reason":"R"}"#;
    rows.add(Study("stop-beats-block"), "continue:false and block", says(both), ends(Some("S")));
    let both = r#"{"continue":false,"decision":"block"}"#;
    rows.add(Client, "continue:false and block without a reason", says(both), ends(None));
}

fn not_heard(rows: &mut Rows) {
    rows.fails(Facts("8"), "plain text", says("hello"), INVALID);
    rows.fails(Facts("8"), "broken JSON", says(r#"{"decision":"#), INVALID);
    rows.fails(Client, "an array", says("[]"), INVALID);
    rows.fails(Client, "text before a block", says(&format!("log\n{BLOCK}")), INVALID);
    rows.fails(Client, "two objects", says(&format!("{BLOCK}\n{BLOCK}")), INVALID);
    let unknown = r#"{"decision":"block","reason":"R","more":1}"#;
    rows.fails(Facts("8"), "block and an unknown field", says(unknown), INVALID);
    rows.fails(Client, "a reason that is no text", says(r#"{"decision":"block","reason":5}"#), INVALID);
    rows.fails(Facts("8"), "decision approve", says(r#"{"decision":"approve"}"#), INVALID);
    let specific = r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}"#;
    rows.fails(Facts("8"), "hookSpecificOutput", says(specific), INVALID);
    rows.fails(Facts("8"), "exit 1 with a block", Run::exited(1, BLOCK, "E"), "hook exited with code 1");
    rows.fails(Facts("8"), "no such program", ended(End::NotStarted), "hook exited with code 127");
    rows.fails(Client, "killed", ended(End::Signal), "hook exited without a status code");
    rows.fails(Study("time-out"), "over its time", ended(End::TimedOut), "hook timed out after <n>s");
}

fn other_handlers(rows: &mut Rows) {
    let ignored = |why: &str| Made::new(Status::Ignored { why: why.to_owned() });
    let made = ignored("it is not waited for, so it decides nothing");
    rows.by(Handler::AsyncCommand, Study("async"), "async: block", says(BLOCK), made);
    rows.by(Handler::McpTool, Client, "mcp_tool: block", says(BLOCK), continued("R"));
    rows.by(Handler::McpTool, Client, "mcp_tool: plain text", says("hello"), failed(INVALID));
    let error = failed("MCP tool returned an error: E");
    rows.by(Handler::McpTool, Client, "mcp_tool: an error", exits(1, "E"), error);
    let made = ignored("prompt hooks are not supported yet");
    rows.by(Handler::Prompt, Study("run"), "prompt", says(""), made);
    let made = ignored("agent hooks are not supported yet");
    rows.by(Handler::Agent, Study("run"), "agent", says(""), made);
    rows.by(Handler::Http, Study("unknown-kind"), "http", says(""), ignored("unknown variant `http`"));
}
