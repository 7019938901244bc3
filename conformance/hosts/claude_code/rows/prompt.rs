//! UserPromptSubmit, one hook alone at the event, in print mode.
use super::super::Event;
use super::{Row, blocked, ended, failed, kept, nothing, printed, prints, rendered, stopped, system};
use crate::hosts::contract::{Effect, End, GoesOn, Printed, Run};

pub(super) fn rows() -> Vec<Row> {
    [texts(), objects(), broken(), blocks(), stops()].concat()
}

pub(super) fn row(name: &'static str, source: &'static str, run: Run, effect: Effect) -> Row {
    super::row(Event::UserPromptSubmit, name, source, run, effect)
}

/// Plain text that goes to the model as this.
fn told(text: &str) -> Effect {
    Effect {
        to_model: vec![system(format!("UserPromptSubmit hook success: {text}"))],
        kept: vec![rendered(
            "hook_success",
            format!("<system-reminder>\nUserPromptSubmit hook success: {text}\n</system-reminder>"),
        )],
        ..nothing()
    }
}

pub(super) fn context(text: &str) -> Effect {
    Effect {
        to_model: vec![system(format!("UserPromptSubmit hook additional context: {text}"))],
        kept: vec![rendered(
            "hook_additional_context",
            format!(
                "<system-reminder>\nUserPromptSubmit hook additional context: {text}\n</system-reminder>"
            ),
        )],
        ..nothing()
    }
}

/// It ran and was not heard.
pub(super) fn lost(why: &str) -> Effect {
    Effect { status: failed(why), kept: vec![kept("hook_non_blocking_error")], ..nothing() }
}

/// The message is dropped, and these words are shown; it stands in so many records.
pub(super) fn dropped(reason: &str, words: &str, n_records: usize) -> Effect {
    Effect {
        status: blocked(reason),
        goes_on: GoesOn::PromptDropped,
        to_person: vec![words.to_owned()],
        kept: vec![kept("system/informational")],
        dropped_prompt_kept: Some(n_records),
        host_end: printed(Printed::Words(words.to_owned())),
        ..nothing()
    }
}

fn stopped_with(reason: Option<&str>, words: &str) -> Effect {
    Effect {
        status: stopped(reason),
        goes_on: GoesOn::TurnEnds,
        to_person: vec![words.to_owned()],
        kept: vec![kept("user"), kept("system/informational")],
        host_end: printed(Printed::Words(words.to_owned())),
        ..nothing()
    }
}

fn texts() -> Vec<Row> {
    vec![
        row("nothing", "study, control", prints(""), nothing()),
        row("white space", "measured", prints("  \n"), nothing()),
        row("plain text", "study, plain stdout", prints("a plain line\n"), told("a plain line")),
        row(
            "plain text with blanks round it",
            "measured",
            prints("  \n lead\n\n tail \n\n"),
            told("lead\n\n tail"),
        ),
        row(
            "plain text and stderr",
            "measured",
            Run::exited(0, "a line for the model\n", "a line for nobody\n"),
            told("a line for the model"),
        ),
        row("stderr alone", "measured", Run::exited(0, "", "a line for nobody\n"), nothing()),
        row("{ without }", "facts 2.2", prints("{ a note without an end\n"), told("{ a note without an end"))
            .differs("the facts: whatever begins with { is read as JSON"),
        row("JSON array", "facts 2.2", prints("[1,2]\n"), told("[1,2]")),
        row("JSON text", "facts 2.2", prints("\"quoted\"\n"), told("\"quoted\"")),
        row(
            "a line, then a block",
            "measured",
            prints("hello\n{\"decision\":\"block\",\"reason\":\"WHY\"}\n"),
            told("hello\n{\"decision\":\"block\",\"reason\":\"WHY\"}"),
        ),
        row(
            "a block, then a word",
            "measured",
            prints("{\"decision\":\"block\",\"reason\":\"WHY\"} and more\n"),
            told("{\"decision\":\"block\",\"reason\":\"WHY\"} and more"),
        ),
    ]
}

fn objects() -> Vec<Row> {
    let says = |words: &str| Effect {
        to_person: vec![words.to_owned()],
        kept: vec![kept("hook_system_message")],
        ..nothing()
    };
    vec![
        row("empty object", "measured", prints("{}\n"), nothing()),
        row(
            "bare JSON data",
            "study, bare JSON object",
            prints(r#"{"branch":"main","open_issues":3}"#),
            nothing(),
        ),
        row(
            "additionalContext beside hookSpecificOutput",
            "measured",
            prints(r#"{"additionalContext":"CTX"}"#),
            nothing(),
        ),
        row(
            "additionalContext",
            "study, additionalContext",
            prints(
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            context("CTX"),
        ),
        row(
            "additionalContext with blanks round it",
            "measured",
            prints(
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":" two\n\nlines \n"}}"#,
            ),
            context(" two\n\nlines \n"),
        ),
        row(
            "empty additionalContext",
            "measured",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":""}}"#),
            nothing(),
        ),
        row(
            "systemMessage",
            "facts 2.2",
            prints(r#"{"systemMessage":"SHOWN"}"#),
            says("UserPromptSubmit says: SHOWN"),
        ),
        row(
            "systemMessage with suppressOutput",
            "measured",
            prints(r#"{"suppressOutput":true,"systemMessage":"SHOWN"}"#),
            says("UserPromptSubmit says: SHOWN"),
        ),
        row(
            "systemMessage and an unknown field",
            "facts 2.2",
            prints(r#"{"systemMessage":"SHOWN","extra":1}"#),
            says("UserPromptSubmit says: SHOWN"),
        ),
        row(
            "systemMessage and additionalContext",
            "measured",
            prints(
                r#"{"systemMessage":"SHOWN","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            Effect {
                to_person: vec!["UserPromptSubmit says: SHOWN".to_owned()],
                kept: [says("").kept, context("CTX").kept].concat(),
                ..context("CTX")
            },
        ),
        row("approve", "measured", prints(r#"{"decision":"approve","reason":"WHY"}"#), nothing()),
    ]
}

fn broken() -> Vec<Row> {
    const INVALID: &str = "Hook JSON output validation failed — ";
    const NO_JSON: &str = "Hook output looks like a JSON object but is not valid JSON";
    let invalid = |fault: &str| lost(&format!("{INVALID}{fault}"));
    vec![
        row("braces round no JSON", "facts 2.2", prints("{not json}\n"), lost(NO_JSON)),
        row(
            "two objects",
            "measured",
            prints("{\"decision\":\"block\",\"reason\":\"WHY\"}\n{}\n"),
            lost(NO_JSON),
        ),
        row(
            "a number for a text",
            "facts 2.2",
            prints(r#"{"systemMessage":5}"#),
            invalid("systemMessage: expected string, received number"),
        ),
        row(
            "a text for a truth value",
            "measured",
            prints(r#"{"continue":"false"}"#),
            invalid("continue: expected boolean, received string"),
        ),
        row(
            "nulls",
            "measured",
            prints(r#"{"decision":null,"reason":null}"#),
            invalid(r#"decision: Invalid option: expected one of "approve"|"block""#),
        ),
        row(
            "an unknown decision",
            "measured",
            prints(r#"{"decision":"deny","reason":"WHY"}"#),
            invalid(r#"decision: Invalid option: expected one of "approve"|"block""#),
        ),
        row(
            "additionalContext without hookEventName",
            "facts 3, B38",
            prints(r#"{"hookSpecificOutput":{"additionalContext":"CTX"}}"#),
            invalid(r#"hookSpecificOutput is missing required field "hookEventName""#),
        ),
        row(
            "additionalContext that is a number",
            "measured",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":5}}"#),
            invalid("hookSpecificOutput.additionalContext: expected string, received number"),
        ),
        row(
            "hookSpecificOutput that is a number",
            "measured",
            prints(r#"{"hookSpecificOutput":5}"#),
            invalid("hookSpecificOutput: expected object, received number"),
        ),
        row(
            "an unknown hookEventName",
            "measured",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"Nonsense","additionalContext":"CTX"}}"#),
            invalid("hookSpecificOutput.hookEventName: expected one of"),
        ),
        row(
            "additionalContext with another event's name",
            "facts 2.2",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#),
            lost(OTHER_NAME),
        ),
        row(
            "continue:false with another event's name",
            "measured",
            prints(r#"{"continue":false,"hookSpecificOutput":{"hookEventName":"Stop"}}"#),
            lost(OTHER_NAME),
        ),
    ]
}

pub(super) const OTHER_NAME: &str =
    "Failed to run: Hook returned incorrect event name: expected 'UserPromptSubmit' but got 'Stop'";

fn blocks() -> Vec<Row> {
    const BLOCKED: &str = "UserPromptSubmit operation blocked by hook:\nWHY\n\nOriginal prompt: WORDS-OF-THE-PERSON in one line";
    const NO_REASON: &str = "UserPromptSubmit operation blocked by hook:\nBlocked by hook\n\nOriginal prompt: WORDS-OF-THE-PERSON in one line";
    const SUPPRESSED: &str = "UserPromptSubmit operation blocked by hook:\nWHY";
    vec![
        row(
            "block",
            "study, decision block",
            prints(r#"{"decision":"block","reason":"WHY"}"#),
            dropped("WHY", BLOCKED, 2),
        ),
        row(
            "block behind a byte order mark",
            "measured",
            prints("\u{feff}\n {\"decision\":\"block\",\n \"reason\":\"WHY\"}\n\n"),
            dropped("WHY", BLOCKED, 2),
        ),
        row(
            "block without reason",
            "facts 0.16",
            prints(r#"{"decision":"block"}"#),
            dropped("Blocked by hook", NO_REASON, 2),
        ),
        row(
            "block with an empty reason",
            "measured",
            prints(r#"{"decision":"block","reason":""}"#),
            dropped("Blocked by hook", NO_REASON, 2),
        ),
        row(
            "block with additionalContext",
            "study, decision block",
            prints(
                r#"{"decision":"block","reason":"WHY","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            dropped("WHY", BLOCKED, 2),
        ),
        row(
            "block with systemMessage",
            "measured",
            prints(r#"{"decision":"block","reason":"WHY","systemMessage":"NOT-SHOWN"}"#),
            dropped("WHY", BLOCKED, 2),
        ),
        row(
            "block with suppressOriginalPrompt",
            "study, suppressOriginalPrompt",
            prints(
                r#"{"decision":"block","reason":"WHY","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}"#,
            ),
            dropped("WHY", SUPPRESSED, 1),
        ),
        row(
            "block with another event's name",
            "measured",
            prints(
                r#"{"decision":"block","reason":"WHY","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#,
            ),
            dropped("WHY", SUPPRESSED, 1),
        ),
        row(
            "block and exit 1",
            "facts 2.2",
            Run::exited(1, r#"{"decision":"block","reason":"WHY"}"#, "an error\n"),
            dropped("WHY", BLOCKED, 2),
        ),
        row(
            "block, then ended by a signal",
            "measured",
            ended(End::Signal, r#"{"decision":"block","reason":"WHY"}"#, ""),
            dropped("WHY", BLOCKED, 2),
        ),
    ]
}

fn stops() -> Vec<Row> {
    const STOPPED: &str = "Operation stopped by hook: ENOUGH";
    vec![
        row(
            "continue:false",
            "facts 1.10",
            prints(r#"{"continue":false,"stopReason":"ENOUGH"}"#),
            stopped_with(Some("ENOUGH"), STOPPED),
        ),
        row(
            "continue:false without stopReason",
            "measured",
            prints(r#"{"continue":false}"#),
            stopped_with(None, "Operation stopped by hook"),
        ),
        row(
            "block and continue:false",
            "facts 0.16",
            prints(r#"{"decision":"block","reason":"WHY","continue":false,"stopReason":"ENOUGH"}"#),
            stopped_with(Some("ENOUGH"), STOPPED),
        ),
        row(
            "continue:false with systemMessage and additionalContext",
            "measured",
            prints(
                r#"{"continue":false,"systemMessage":"NOT-SHOWN","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            stopped_with(None, "Operation stopped by hook"),
        ),
        row(
            "continue:false and exit 2",
            "measured",
            Run::exited(2, r#"{"continue":false,"stopReason":"ENOUGH"}"#, "an error\n"),
            stopped_with(Some("ENOUGH"), STOPPED),
        ),
    ]
}
