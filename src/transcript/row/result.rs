//! The result of a call: what came back, and what became of the call (4.6, 4.8, 4.10).
//!
//! Fields of the client's own decide; texts that look like the client's only where it writes no such field, because a
//! tool may print anything.

use super::{Detail, ToolResult, content};
use crate::transcript::json::Object;
use crate::transcript::turn::Output;

pub(super) fn tool_result(result: &Object<'_>, row: &Object<'_>, detail: Detail) -> ToolResult {
    let is_error = result.flag("is_error");
    let denial = row.text("toolDenialKind");
    // What a person typed when denying stands at the end of the text.
    let detail = if is_error || denial.is_some() { Detail::Whole } else { detail };
    let mut content = content(result.get("content"), detail);
    if detail == Detail::Brief && content.texts.first().is_some_and(|text| is_answer(text)) {
        content = self::content(result.get("content"), Detail::Whole);
    }
    let text = content.texts.join("\n");
    let outcome = row.object("toolUseResult");
    // Where the client writes the kind of a denial, a text that looks like one is a tool's own (4.35).
    let by_text = denial.is_none() && !tells_denials(row);
    let never_ran = denial.is_some() || (is_error && (is_blocked(&text) || (by_text && is_refusal(&text))));
    let may_have_begun = matches!(denial.as_deref(), Some("user-rejected" | "interrupted"))
        && !row.flag("toolDenialBeforeRun");
    let by_person = denial.as_deref() == Some("user-rejected") || (by_text && never_ran);
    let (text, typed) = match by_person.then(|| typed_reason(&text)).flatten() {
        Some((told, typed)) => (told, Some(typed)),
        None => (text, None),
    };
    let reason = if by_person { row.text("userFeedback").or(typed) } else { None };
    let answers = outcome.as_ref().map(answers);
    let moved = match &outcome {
        // A command may print such words.
        Some(outcome) => {
            outcome.get("backgroundTaskId").is_some() || outcome.flag("assistantAutoBackgrounded")
        }
        None => text.contains("was moved to the background") || text.contains("was manually backgrounded"),
    };
    let resumed = outcome.as_ref().is_some_and(|outcome| outcome.get("resumedAgentId").is_some())
        || text.contains("resumedAgentId");
    ToolResult {
        call_id: result.text("tool_use_id").unwrap_or_default(),
        output: Output { text, images: content.images },
        is_error,
        never_ran,
        may_have_begun,
        reason,
        answers: answers.unwrap_or_default(),
        ended_in_foreground: outcome.and_then(|outcome| outcome.text("status")).as_deref()
            == Some("completed"),
        moved_to_background: moved,
        resumed_agent: resumed,
    }
}

/// Whether the row's client writes `toolDenialKind` with every denial: since 2.1.204.
fn tells_denials(row: &Object<'_>) -> bool {
    let version = row.text("version").unwrap_or_default();
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let mut part = || parts.next().unwrap_or_default();
    (part(), part(), part()) >= (2, 1, 204)
}

/// What the client itself says of a call that it did not let run, by no denial.
fn is_blocked(text: &str) -> bool {
    const PREFIXES: [&str; 4] = [
        "<tool_use_error>Cancelled",
        "<tool_use_error>Blocked",
        "<tool_use_error>InputValidationError",
        "InputValidationError",
    ];
    PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// Old clients give an option box's answers in the text only, and they are the person's words.
fn is_answer(text: &str) -> bool {
    text.starts_with("User has answered your questions")
        || text.starts_with("Your questions have been answered")
}

/// What the person chose or wrote in an option box, with the notes they added, by question.
fn answers(outcome: &Object<'_>) -> Vec<(String, String)> {
    let Some(answers) = outcome.object("answers") else { return Vec::new() };
    let annotations = outcome.object("annotations");
    let note = |question: &str| {
        let own = annotations.as_ref().and_then(|all| all.object(question));
        own.as_ref().or(annotations.as_ref())?.text("notes").filter(|note| !note.is_empty())
    };
    answers
        .fields()
        .map(|(question, answer)| {
            let answer = answer.text().unwrap_or_else(|| answer.raw().into_owned());
            let answer = match note(&question) {
                Some(note) => format!("{answer}（备注：{note}）"),
                None => answer,
            };
            (question, answer)
        })
        .collect()
}

/// What results of calls that never ran begin with, for clients that do not say so in a field (facts, 1.6, 1.8).
fn is_refusal(text: &str) -> bool {
    const PREFIXES: [&str; 4] = [
        "The user doesn't want to proceed with this tool use",
        "The user doesn't want to take this action right now",
        "Permission to use ",
        "This command requires approval",
    ];
    let hook_block = || {
        let first = text.lines().next().unwrap_or_default();
        (first.contains("PreToolUse") && first.contains("hook"))
            || (first.starts_with("Hook ") && first.contains("did not respond"))
    };
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || hook_block()
}

/// The client's text of a denial, and what the person typed, which stands at its end.
fn typed_reason(text: &str) -> Option<(String, String)> {
    let (told, reason) = text.split_once("To tell you how to proceed, the user said:\n")?;
    let reason = reason.trim();
    (!reason.is_empty()).then(|| (told.trim_end().to_owned(), reason.to_owned()))
}
