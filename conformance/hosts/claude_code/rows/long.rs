//! Texts at the limit of 10,000 and over it, at both events, with the lengths of what the client makes of them.
use super::super::{Event, study_text};
use super::{Row, blocked, kept, nothing, printed, prints, rendered, row, system, user};
use crate::hosts::contract::{Effect, GoesOn, Printed, Run};

const SUMMARY: &str = "system/stop_hook_summary";

pub(super) fn rows() -> Vec<Row> {
    [prompts(), stops()].concat()
}

fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

fn too_long(size: &str, preview: &str) -> String {
    format!(
        "<persisted-output>\nOutput too large ({size}). Full output saved to: <path>\n\n\
         Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
}

/// The first characters of the study's text.
fn head(n_chars: usize) -> String {
    study_text(50_000).chars().take(n_chars).collect()
}

fn prompts() -> Vec<Row> {
    let told = |kind: &'static str, text: String| Effect {
        kept: vec![rendered(kind, reminder(&text))],
        to_model: vec![system(text)],
        ..nothing()
    };
    let text = |text: &str| told("hook_success", format!("UserPromptSubmit hook success: {text}"));
    let context = |text: &str| {
        told("hook_additional_context", format!("UserPromptSubmit hook additional context: {text}"))
    };
    let json = |text: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"UserPromptSubmit","additionalContext":"{text}"}}}}"#
        )
    };
    let row = |name, source, run, effect| row(Event::UserPromptSubmit, name, source, run, effect);
    let (ok, over) = ("x".repeat(10_000), "x".repeat(10_001));
    let emoji = "😀".repeat(5_001);
    let reason = "y".repeat(20_000);
    let words = format!(
        "UserPromptSubmit operation blocked by hook:\n{reason}\n\nOriginal prompt: WORDS-OF-THE-PERSON in one line"
    );
    vec![
        row(
            "10,000 characters",
            "study, 10,000 characters",
            prints(&study_text(10_000)),
            text(&study_text(10_000)),
        ),
        row(
            "10,000 characters and a line end",
            "measured",
            prints(&format!("{}\n", study_text(10_000))),
            text(&study_text(10_000)),
        ),
        row(
            "50,000 characters",
            "study, 50,000 characters",
            prints(&study_text(50_000)),
            text(&too_long("48.8KB", &head(1_949))),
        ),
        row(
            "10,001 characters in one line",
            "measured",
            prints(&over),
            text(&too_long("9.8KB", &"x".repeat(2_000))),
        ),
        row("5,001 emoji", "measured", prints(&emoji), text(&too_long("9.8KB", &"😀".repeat(1_000))))
            .differs("the study counts characters; the client counts UTF-16 units"),
        row("additionalContext of 10,000", "facts 2.2", prints(&json(&ok)), context(&ok)),
        row(
            "additionalContext of 10,001",
            "facts 2.2",
            prints(&json(&over)),
            context(&too_long("9.8KB", &"x".repeat(2_000))),
        ),
        row(
            "block with a reason of 20,000",
            "measured",
            prints(&format!(r#"{{"decision":"block","reason":"{reason}"}}"#)),
            Effect {
                status: blocked(&reason),
                goes_on: GoesOn::PromptDropped,
                to_person: vec![words.clone()],
                kept: vec![kept("system/informational")],
                dropped_prompt_kept: Some(2),
                host_end: printed(Printed::Words(words)),
                ..nothing()
            },
        ),
    ]
}

fn stops() -> Vec<Row> {
    let row = |name, source, run, effect| row(Event::Stop, name, source, run, effect);
    let reason = "y".repeat(20_000);
    let error = format!("Stop hook blocking error from command: \"<command>\": {reason}");
    let long = "z".repeat(20_000);
    let cut = too_long("19.5KB", &"z".repeat(2_000));
    let context = format!("Stop hook additional context: {cut}");
    let lines: Vec<String> = cut.split('\n').map(|line| format!("Stop says: {line}")).collect();
    vec![
        row(
            "50,000 characters",
            "measured",
            prints(&study_text(50_000)),
            Effect { kept: vec![kept("hook_success"), kept(SUMMARY)], ..nothing() },
        ),
        row(
            "block with a reason of 20,000",
            "facts 0.16",
            prints(&format!(r#"{{"decision":"block","reason":"{reason}"}}"#)),
            Effect {
                status: blocked(&reason),
                goes_on: GoesOn::TurnContinues,
                to_model: vec![
                    user(reminder(&format!("<lead>\nStop hook feedback:\n{reason}"))),
                    system(error.clone()),
                ],
                to_person: vec![
                    format!("Stop hook feedback:\n{reason}"),
                    "stop hook problem · ctrl+o to see".to_owned(),
                ],
                kept: vec![kept("user"), rendered("hook_blocking_error", reminder(&error)), kept(SUMMARY)],
                ..nothing()
            },
        ),
        row(
            "systemMessage of 20,000",
            "facts 2.2",
            prints(&format!(r#"{{"systemMessage":"{long}"}}"#)),
            Effect {
                to_person: vec![lines.join("\n")],
                kept: vec![kept("hook_success"), kept("hook_system_message"), kept(SUMMARY)],
                ..nothing()
            },
        ),
        row(
            "additionalContext of 20,000",
            "facts 2.2",
            Run::exited(
                0,
                &format!(
                    r#"{{"hookSpecificOutput":{{"hookEventName":"Stop","additionalContext":"{long}"}}}}"#
                ),
                "",
            ),
            Effect {
                goes_on: GoesOn::TurnContinues,
                to_model: vec![user(reminder(&context))],
                kept: vec![
                    kept("hook_success"),
                    rendered("hook_additional_context", reminder(&context)),
                    kept(SUMMARY),
                ],
                ..nothing()
            },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Study: 10,000 characters became 10,068, and a preview of 50,000 had 1,949.
    #[test]
    fn the_rows_have_the_study_s_lengths() {
        let length = |name: &str| {
            let row = prompts().into_iter().find(|row| row.name == name);
            let kept = row.and_then(|row| row.effect.kept.first()?.rendered.clone());
            kept.map(|text| text.chars().count())
        };
        assert_eq!(length("10,000 characters"), Some(10_068));
        let wrapper =
            reminder(&format!("UserPromptSubmit hook success: {}", too_long("48.8KB", ""))).chars().count();
        assert_eq!(length("50,000 characters"), Some(wrapper + 1_949));
    }
}
