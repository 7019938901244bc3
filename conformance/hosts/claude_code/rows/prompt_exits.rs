//! UserPromptSubmit: what exit codes do, and runs that are not heard.
use super::prompt::{OTHER_NAME, context, dropped, lost, row};
use super::{Row, ended, failed, kept, nothing, prints};
use crate::hosts::contract::{Effect, End, Run, Status};

pub(super) fn rows() -> Vec<Row> {
    [exits(), unheard()].concat()
}

fn exits() -> Vec<Row> {
    let by_exit_2 = |stderr: &str| {
        let reason = format!("[<command>]: {stderr}");
        let words = format!(
            "UserPromptSubmit operation blocked by hook:\n{reason}\n\nOriginal prompt: WORDS-OF-THE-PERSON in one line"
        );
        dropped(&reason, &words, 2)
    };
    let json_context =
        r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#;
    vec![
        row(
            "exit 1 with both outputs",
            "study, exit 1",
            Run::exited(1, "OUT\n", "ERR1\nERR2\n"),
            code("ERR1\nERR2"),
        ),
        row("exit 1", "facts 2.2", Run::exited(1, "", ""), code("No stderr output")),
        row("exit 3 with stdout", "measured", Run::exited(3, "OUT\n", ""), code("No stderr output")),
        row("exit 1 with additionalContext", "facts 2.2", Run::exited(1, json_context, ""), context("CTX")),
        row(
            "exit 1 with a wrong field",
            "measured",
            Run::exited(1, r#"{"decision":5}"#, "ERR\n"),
            lost(
                r#"Hook JSON output validation failed — decision: Invalid option: expected one of "approve"|"block""#,
            ),
        ),
        row(
            "exit 2 with both outputs",
            "study, exit 2",
            Run::exited(2, "OUT\n", "ERR1\nERR2\n"),
            by_exit_2("ERR1\nERR2\n"),
        ),
        row("exit 2", "facts 2.2", Run::exited(2, "", ""), by_exit_2("No stderr output")),
        row("exit 2 with stdout", "facts 2.2", Run::exited(2, "OUT\n", ""), by_exit_2("No stderr output")),
        row(
            "exit 2 with a block",
            "facts 2.2",
            Run::exited(2, r#"{"decision":"block","reason":"WHY"}"#, "ERR\n"),
            dropped(
                "WHY",
                "UserPromptSubmit operation blocked by hook:\nWHY\n\nOriginal prompt: WORDS-OF-THE-PERSON in one line",
                2,
            ),
        ),
        row(
            "exit 2 with systemMessage",
            "measured",
            Run::exited(2, r#"{"systemMessage":"NOT-SHOWN"}"#, "ERR\n"),
            by_exit_2("ERR\n"),
        ),
        row(
            "exit 2 with additionalContext",
            "measured",
            Run::exited(2, json_context, ""),
            by_exit_2("No stderr output"),
        ),
        row(
            "exit 2 with a wrong field",
            "facts 2.2",
            Run::exited(2, r#"{"decision":5}"#, "ERR\n"),
            by_exit_2("ERR\n"),
        ),
        row(
            "exit 2 with braces round no JSON",
            "measured",
            Run::exited(2, "{not json}\n", "ERR\n"),
            by_exit_2("ERR\n"),
        ),
        row(
            "exit 2 with another event's name",
            "measured",
            Run::exited(
                2,
                r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#,
                "ERR\n",
            ),
            lost(OTHER_NAME),
        )
        .differs("the facts: exit 2 blocks, also with JSON that is not valid"),
    ]
}

fn code(words: &str) -> Effect {
    lost(&format!("Failed with non-blocking status code: {words}"))
}

fn late() -> Effect {
    Effect { status: failed("timed out"), kept: vec![kept("hook_cancelled")], ..nothing() }
}

fn unheard() -> Vec<Row> {
    vec![
        row("ended by a signal", "measured", ended(End::Signal, "OUT\n", ""), code("No stderr output")),
        row("not startable", "facts 2.2", ended(End::NotStarted, "", ""), code("<the shell's words>")),
        row("time-out", "facts 2.2", ended(End::TimedOut, "OUT\n", ""), late()),
        row(
            "time-out behind a block",
            "facts 2.2",
            ended(End::TimedOut, r#"{"decision":"block","reason":"WHY"}"#, ""),
            late(),
        ),
        row("time-out of its own, 30 s", "facts 2.2", ended(End::TimedOut, "", ""), late())
            .not_run("takes half a minute; the same with a limit of 1 s is run"),
        row(
            "in the background with a block",
            "facts 2.4",
            prints(r#"{"decision":"block","reason":"WHY","systemMessage":"NOT-SHOWN"}"#),
            ignored(),
        )
        .in_background(),
        row("goes into the background", "measured", prints(r#"{"async":true}"#), ignored()),
    ]
}

fn ignored() -> Effect {
    Effect {
        status: Status::Ignored { why: "in the background: nobody waits for its output".to_owned() },
        ..nothing()
    }
}
