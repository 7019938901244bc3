//! Codex's event stream, `codex exec --json`, reduced to what decides.
//!
//! Warnings are items of type `error`, and partial messages stand in a stream that broke: only a `turn.completed`
//! event makes its messages an answer (facts, codex 0.1).

use serde_json::Value;

use crate::auditor::verdict;

/// An event stream, reduced to what decides.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The message that counts: the last one with a VERDICT line, else the last one (6.2).
    pub text: String,
    /// Whether the turn was completed; without that the messages may be parts of a broken stream.
    pub is_complete: bool,
    /// The last error that Codex told.
    pub error: Option<String>,
    /// Tokens in and out, where told.
    pub tokens: Option<(u64, u64)>,
    /// What Codex warned of, each once: a setting that it does not know, for one.
    pub warnings: Vec<String>,
}

/// Whether the output is an event stream: its first line is an object with a `type`.
pub fn is_event_stream(output: &str) -> bool {
    let first = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    event(first).is_some_and(|event| event.get("type").is_some_and(Value::is_string))
}

/// Reads an event stream.
pub fn answer(output: &str) -> Answer {
    let mut answer = Answer::default();
    let mut has_verdict = false;
    for event in output.lines().filter_map(event) {
        let text_at = |path: &str| event.pointer(path).and_then(Value::as_str);
        match text_at("/type").unwrap_or_default() {
            "item.completed" if text_at("/item/type") == Some("agent_message") => {
                let text = text_at("/item/text").unwrap_or_default();
                let decides = verdict::find(text).is_ok();
                if decides || !has_verdict {
                    text.clone_into(&mut answer.text);
                }
                has_verdict |= decides;
            }
            "item.completed" if text_at("/item/type") == Some("error") => {
                let warning = text_at("/item/message").unwrap_or_default().to_owned();
                if !answer.warnings.contains(&warning) {
                    answer.warnings.push(warning);
                }
            }
            "turn.completed" => {
                answer.is_complete = true;
                let tokens = |name: &str| event.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
                answer.tokens = tokens("input_tokens").zip(tokens("output_tokens"));
            }
            "turn.failed" => {
                answer.is_complete = false;
                answer.error = text_at("/error/message").map(str::to_owned).or(answer.error);
            }
            "error" => answer.error = text_at("/message").map(str::to_owned).or(answer.error),
            _ => {}
        }
    }
    answer
}

fn event(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        serde_json::json!({"type":"item.completed","item":{"type":"agent_message","text":text}}).to_string()
    }

    const DONE: &str = r#"{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":3}}"#;

    #[test]
    fn the_last_message_with_a_verdict_counts() {
        let stream =
            [message("looking"), message("VERDICT: PASS"), message("late remark"), DONE.into()].join("\n");
        let answer = answer(&stream);
        assert_eq!(
            (answer.text.as_str(), answer.is_complete, answer.tokens),
            ("VERDICT: PASS", true, Some((7, 3)))
        );
        assert!(is_event_stream(&stream));
    }

    #[test]
    fn a_broken_stream_is_no_answer() {
        let failed = r#"{"type":"turn.failed","error":{"message":"cut"}}"#;
        let answer = answer(&[message("VERDICT: PASS"), failed.into()].join("\n"));
        assert!(!answer.is_complete);
        assert_eq!(answer.error.as_deref(), Some("cut"));
    }

    #[test]
    fn without_a_verdict_the_last_message_counts() {
        let stream = [message("looking"), message("done"), DONE.into()].join("\n");
        assert_eq!(answer(&stream).text, "done");
    }

    #[test]
    fn an_error_is_told_and_other_items_are_not() {
        let error = r#"{"type":"error","message":"boom"}"#;
        let other = r#"{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}"#;
        let answer = answer(&[other, error].join("\n"));
        assert_eq!(answer, Answer { error: Some("boom".to_owned()), ..Answer::default() });
    }

    #[test]
    fn plain_text_is_no_event_stream() {
        assert!(!is_event_stream("VERDICT: PASS"));
        assert!(!is_event_stream(""));
        assert!(!is_event_stream("{}"));
    }

    #[test]
    fn a_warning_is_no_failure() {
        let warning =
            r#"{"type":"item.completed","item":{"type":"error","message":"`features.x` is ignored"}}"#;
        let answer = answer(&[warning, warning, &message("VERDICT: PASS"), DONE].join("\n"));
        assert_eq!((answer.is_complete, answer.error), (true, None));
        assert_eq!(answer.warnings, ["`features.x` is ignored"]);
    }
}
