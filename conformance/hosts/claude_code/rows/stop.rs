//! Stop, one hook alone at the event, in print mode. The second time that it runs in a turn it says nothing, but for the
//! rows about the cap.
use super::super::Event;
use super::{Row, blocked, ended, failed, kept, nothing, printed, prints, rendered, stopped, system, user};
use crate::hosts::contract::{Effect, End, GoesOn, Kept, Printed, Run};

pub(super) fn rows() -> Vec<Row> {
    [harmless(), goes_on(), ends()].concat()
}

pub(super) fn row(name: &'static str, source: &'static str, run: Run, effect: Effect) -> Row {
    super::row(Event::Stop, name, source, run, effect)
}

pub(super) const SUMMARY: &str = "system/stop_hook_summary";

pub(super) const PROBLEM: &str = "stop hook problem · ctrl+o to see";

/// The turn ends as it would have; beside the summary these records are kept.
pub(super) fn leaves(kinds: &[&'static str]) -> Effect {
    Effect { kept: kinds.iter().chain([&SUMMARY]).copied().map(kept).collect(), ..nothing() }
}

fn says(message: &str) -> Effect {
    Effect { to_person: vec![message.to_owned()], ..leaves(&["hook_success", "hook_system_message"]) }
}

pub(super) fn lost(why: &str) -> Effect {
    Effect {
        status: failed(why),
        to_person: vec![PROBLEM.to_owned()],
        ..leaves(&["hook_non_blocking_error"])
    }
}

pub(super) fn feedback(reason: &str) -> String {
    format!("<system-reminder>\n<lead>\nStop hook feedback:\n{reason}\n</system-reminder>")
}

fn error_record(reason: &str) -> Kept {
    let text = format!("Stop hook blocking error from command: \"<command>\": {reason}");
    rendered("hook_blocking_error", format!("<system-reminder>\n{text}\n</system-reminder>"))
}

pub(super) fn context_record() -> Kept {
    rendered(
        "hook_additional_context",
        "<system-reminder>\nStop hook additional context: CTX\n</system-reminder>",
    )
}

pub(super) fn stop_record(reason: &str) -> Kept {
    let text = format!("Stop hook stopped continuation: {reason}");
    rendered("hook_stopped_continuation", format!("<system-reminder>\n{text}\n</system-reminder>"))
}

/// Claude is sent back by JSON.
pub(super) fn sent_back(reason: &str) -> Effect {
    Effect {
        status: blocked(reason),
        goes_on: GoesOn::TurnContinues,
        to_model: vec![
            user(feedback(reason)),
            system(format!("Stop hook blocking error from command: \"<command>\": {reason}")),
        ],
        to_person: vec![format!("Stop hook feedback:\n{reason}"), PROBLEM.to_owned()],
        kept: vec![kept("user"), error_record(reason), kept(SUMMARY)],
        ..nothing()
    }
}

fn harmless() -> Vec<Row> {
    const INVALID: &str = "Hook JSON output validation failed — ";
    const NO_JSON: &str = "Hook output looks like a JSON object but is not valid JSON";
    vec![
        row("nothing", "facts 2.2", prints(""), leaves(&[])),
        row("white space", "measured", prints("  \n"), leaves(&[])),
        row("plain text", "facts 2.2", prints("a plain line\n"), leaves(&["hook_success"])),
        row("stderr alone", "measured", Run::exited(0, "", "ERR\n"), leaves(&["hook_success"])),
        row("{ without }", "facts 2.2", prints("{ a note without an end\n"), leaves(&["hook_success"])),
        row("empty object", "measured", prints("{}\n"), leaves(&["hook_success"])),
        row(
            "bare JSON data",
            "facts 2.2",
            prints(r#"{"branch":"main","open_issues":3}"#),
            leaves(&["hook_success"]),
        ),
        row(
            "approve",
            "measured",
            prints(r#"{"decision":"approve","reason":"WHY"}"#),
            leaves(&["hook_success"]),
        ),
        row("systemMessage", "facts 0.15", prints(r#"{"systemMessage":"SHOWN"}"#), says("Stop says: SHOWN")),
        row(
            "systemMessage of three lines",
            "measured",
            prints(r#"{"systemMessage":"one\n\nthree "}"#),
            says("Stop says: one\nStop says: \nStop says: three "),
        ),
        row(
            "empty additionalContext",
            "measured",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":""}}"#),
            leaves(&["hook_success"]),
        ),
        row("braces round no JSON", "facts 2.2", prints("{not json}\n"), lost(NO_JSON)),
        row(
            "block with a number for its reason",
            "facts 2.2",
            prints(r#"{"decision":"block","reason":5}"#),
            lost(&format!("{INVALID}reason: expected string, received number")),
        ),
        row(
            "additionalContext without hookEventName",
            "facts 3, B38",
            prints(r#"{"hookSpecificOutput":{"additionalContext":"CTX"}}"#),
            lost(&format!("{INVALID}hookSpecificOutput is missing required field \"hookEventName\"")),
        ),
        row(
            "additionalContext with another event's name",
            "facts 2.2",
            prints(
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            lost(OTHER_NAME),
        ),
    ]
}

pub(super) const OTHER_NAME: &str =
    "Failed to run: Hook returned incorrect event name: expected 'Stop' but got 'UserPromptSubmit'";

fn goes_on() -> Vec<Row> {
    vec![
        row("block", "facts 0.15, 0.16", prints(r#"{"decision":"block","reason":"WHY"}"#), sent_back("WHY")),
        row(
            "block with blanks round its reason",
            "measured",
            prints(r#"{"decision":"block","reason":" WHY \n"}"#),
            sent_back(" WHY \n"),
        ),
        row(
            "block without reason",
            "facts 0.16",
            prints(r#"{"decision":"block"}"#),
            sent_back("Blocked by hook"),
        )
        .differs("the facts, 2.2: a reason is required"),
        row(
            "block and an unknown field",
            "facts 2.2",
            prints(r#"{"decision":"block","reason":"WHY","extra":1}"#),
            sent_back("WHY"),
        ),
        row(
            "block with another event's name",
            "measured",
            prints(
                r#"{"decision":"block","reason":"WHY","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
            ),
            sent_back("WHY"),
        ),
        row(
            "block with systemMessage",
            "measured",
            prints(r#"{"decision":"block","reason":"WHY","systemMessage":"SHOWN"}"#),
            Effect {
                to_person: vec!["Stop hook feedback:\nWHY".into(), "Stop says: SHOWN".into(), PROBLEM.into()],
                kept: vec![kept("user"), error_record("WHY"), kept("hook_system_message"), kept(SUMMARY)],
                ..sent_back("WHY")
            },
        ),
        row(
            "block with additionalContext",
            "measured",
            prints(
                r#"{"decision":"block","reason":"WHY","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#,
            ),
            Effect {
                to_model: vec![
                    user(feedback("WHY")),
                    system(
                        "Stop hook blocking error from command: \"<command>\": WHY\n\nStop hook additional context: CTX",
                    ),
                ],
                kept: vec![kept("user"), error_record("WHY"), context_record(), kept(SUMMARY)],
                ..sent_back("WHY")
            },
        ),
        row(
            "additionalContext",
            "facts 0.16",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#),
            by_context(),
        ),
        row(
            "block and exit 1",
            "facts 2.2",
            Run::exited(1, r#"{"decision":"block","reason":"WHY"}"#, "ERR\n"),
            sent_back("WHY"),
        ),
        row(
            "block, then ended by a signal",
            "measured",
            ended(End::Signal, r#"{"decision":"block","reason":"WHY"}"#, ""),
            sent_back("WHY"),
        ),
    ]
}

/// The turn goes on, and nobody is shown why.
fn by_context() -> Effect {
    Effect {
        goes_on: GoesOn::TurnContinues,
        to_model: vec![user("<system-reminder>\nStop hook additional context: CTX\n</system-reminder>")],
        kept: vec![kept("hook_success"), context_record(), kept(SUMMARY)],
        ..nothing()
    }
}

const CAPPED: &str = "A hook blocked the turn from ending 9 consecutive times";

fn ends() -> Vec<Row> {
    let stop = |reason: Option<&str>, shown: &str| Effect {
        status: stopped(reason),
        goes_on: GoesOn::TurnEnds,
        kept: vec![stop_record(shown), kept("hook_success"), kept(SUMMARY)],
        ..nothing()
    };
    let beaten = || Effect {
        to_person: vec!["Stop hook feedback:\nWHY".into(), PROBLEM.into()],
        kept: vec![stop_record("ENOUGH"), kept("user"), error_record("WHY"), kept(SUMMARY)],
        host_end: printed(Printed::Nothing),
        ..stop(Some("ENOUGH"), "ENOUGH")
    };
    vec![
        row(
            "continue:false",
            "facts 2.2",
            prints(r#"{"continue":false,"stopReason":"ENOUGH"}"#),
            stop(Some("ENOUGH"), "ENOUGH"),
        ),
        row(
            "continue:false without stopReason",
            "measured",
            prints(r#"{"continue":false}"#),
            stop(None, "Stop hook prevented continuation"),
        ),
        row(
            "block and continue:false",
            "facts 0.16",
            prints(r#"{"decision":"block","reason":"WHY","continue":false,"stopReason":"ENOUGH"}"#),
            beaten(),
        ),
        row(
            "continue:false with systemMessage and additionalContext",
            "measured",
            prints(
                r#"{"continue":false,"stopReason":"ENOUGH","systemMessage":"SHOWN","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#,
            ),
            Effect {
                to_person: vec!["Stop says: SHOWN".into()],
                kept: vec![
                    stop_record("ENOUGH"),
                    kept("hook_success"),
                    kept("hook_system_message"),
                    context_record(),
                    kept(SUMMARY),
                ],
                ..stop(Some("ENOUGH"), "ENOUGH")
            },
        ),
        row(
            "the eighth block in a row",
            "facts 2.2",
            prints(r#"{"decision":"block","reason":"WHY"}"#),
            Effect { to_person: vec!["Stop hook feedback:\nWHY".into()], ..sent_back("WHY") },
        )
        .after(7),
        row(
            "the ninth block in a row",
            "facts 0.16",
            prints(r#"{"decision":"block","reason":"WHY"}"#),
            Effect {
                goes_on: GoesOn::TurnEnds,
                to_model: Vec::new(),
                to_person: vec!["Stop hook feedback:\nWHY".into(), CAPPED.into(), CAPPED.into()],
                kept: [sent_back("WHY").kept, vec![kept("system/informational")]].concat(),
                host_end: printed(Printed::Nothing),
                ..sent_back("WHY")
            },
        )
        .after(8),
        row(
            "the ninth additionalContext in a row",
            "measured",
            prints(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#),
            Effect {
                goes_on: GoesOn::TurnEnds,
                to_model: Vec::new(),
                to_person: vec![CAPPED.into(), CAPPED.into()],
                kept: [by_context().kept, vec![kept("system/informational")]].concat(),
                ..by_context()
            },
        )
        .after(8),
    ]
}
