//! Stop: what exit codes do, and runs that are not heard.
use super::stop::{
    OTHER_NAME, PROBLEM, SUMMARY, context_record, feedback, leaves, lost, row, sent_back, stop_record,
};
use super::{Row, ended, failed, kept, printed, prints, stopped, system, user};
use crate::hosts::contract::{Effect, End, GoesOn, Printed, Run, Status};

pub(super) fn rows() -> Vec<Row> {
    [exits(), unheard()].concat()
}

fn exits() -> Vec<Row> {
    vec![
        row(
            "exit 1 with both outputs",
            "facts 2.2",
            Run::exited(1, "OUT\n", "ERR1\nERR2\n"),
            code("ERR1\nERR2"),
        ),
        row("exit 1", "facts 2.2", Run::exited(1, "", ""), code("No stderr output")),
        row(
            "exit 2 with both outputs",
            "facts 2.2",
            Run::exited(2, "OUT\n", "ERR1\nERR2\n"),
            sent_back_by_code("ERR1\nERR2\n"),
        ),
        row("exit 2", "facts 2.2", Run::exited(2, "", ""), sent_back_by_code("No stderr output")),
        row(
            "exit 2 with stdout",
            "measured",
            Run::exited(2, "OUT\n", ""),
            sent_back_by_code("No stderr output"),
        ),
        row(
            "exit 2 with a block",
            "facts 2.2",
            Run::exited(2, r#"{"decision":"block","reason":"WHY"}"#, "ERR\n"),
            sent_back("WHY"),
        ),
        row(
            "exit 2 with a wrong field",
            "facts 2.2",
            Run::exited(2, r#"{"decision":5}"#, "ERR\n"),
            sent_back_by_code("ERR\n"),
        ),
        row(
            "exit 2 with systemMessage",
            "measured",
            Run::exited(2, r#"{"systemMessage":"SHOWN"}"#, "ERR\n"),
            Effect {
                to_person: vec![
                    "Stop hook feedback:\n[<command>]: ERR\n".into(),
                    "Stop says: SHOWN".into(),
                    PROBLEM.into(),
                ],
                kept: vec![kept("user"), kept("hook_success"), kept("hook_system_message"), kept(SUMMARY)],
                ..sent_back_by_code("ERR\n")
            },
        ),
        row(
            "exit 2 with additionalContext",
            "measured",
            Run::exited(
                2,
                r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"CTX"}}"#,
                "ERR\n",
            ),
            Effect {
                to_model: vec![
                    user(feedback("[<command>]: ERR\n")),
                    system("Stop hook additional context: CTX"),
                ],
                kept: vec![kept("user"), kept("hook_success"), context_record(), kept(SUMMARY)],
                ..sent_back_by_code("ERR\n")
            },
        ),
        row(
            "exit 2 and continue:false",
            "measured",
            Run::exited(2, r#"{"continue":false,"stopReason":"ENOUGH"}"#, "ERR\n"),
            Effect {
                status: stopped(Some("ENOUGH")),
                goes_on: GoesOn::TurnEnds,
                to_model: Vec::new(),
                kept: vec![stop_record("ENOUGH"), kept("user"), kept("hook_success"), kept(SUMMARY)],
                host_end: printed(Printed::Nothing),
                ..sent_back_by_code("ERR\n")
            },
        ),
        row(
            "exit 2 with another event's name",
            "measured",
            Run::exited(
                2,
                r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CTX"}}"#,
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
    Effect { status: failed("timed out"), ..leaves(&["hook_cancelled"]) }
}

fn unheard() -> Vec<Row> {
    vec![
        row("ended by a signal", "measured", ended(End::Signal, "OUT\n", ""), code("No stderr output")),
        row("not startable", "facts 2.2", ended(End::NotStarted, "", ""), code("<the shell's words>")),
        row("time-out", "facts 0.20", ended(End::TimedOut, "OUT\n", ""), late()),
        row(
            "time-out behind a block",
            "facts 2.2",
            ended(End::TimedOut, r#"{"decision":"block","reason":"WHY"}"#, ""),
            late(),
        ),
        row("time-out of its own, 600 s", "facts 2.2", ended(End::TimedOut, "", ""), late())
            .not_run("takes ten minutes; the same with a limit of 1 s is run"),
        row(
            "in the background with a block",
            "facts 2.4",
            prints(r#"{"decision":"block","reason":"WHY"}"#),
            ignored(),
        )
        .in_background(),
        row(
            "goes into the background with a block",
            "measured",
            prints(r#"{"async":true,"decision":"block","reason":"WHY"}"#),
            ignored(),
        ),
    ]
}

fn ignored() -> Effect {
    Effect {
        status: Status::Ignored { why: "in the background: nobody waits for its output".to_owned() },
        ..leaves(&[])
    }
}

/// Claude is sent back by exit 2.
fn sent_back_by_code(stderr: &str) -> Effect {
    let reason = format!("[<command>]: {stderr}");
    Effect {
        to_model: vec![user(feedback(&reason))],
        kept: vec![kept("user"), kept(SUMMARY)],
        ..sent_back(&reason)
    }
}
