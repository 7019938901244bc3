//! The default auditor: Codex CLI, its command line and its event stream.
//!
//! Facts: `codex exec --json` writes warnings as items of type `error`, and partial messages when a stream breaks;
//! only a `turn.completed` event makes its messages an answer.

use serde_json::Value;

use super::verdict;

/// The model that audits unless another is chosen.
pub const DEFAULT_MODEL: &str = "gpt-6.1-sol";

/// Codex's program.
pub const PROGRAM: &str = "codex";

/// Features that an audit does not need. Given as `-c features.NAME=false`: `--disable NAME` ends a Codex that does
/// not know the name, this only makes it warn (2.2).
const FEATURES_OFF: [&str; 19] = [
    // Running and reading: the auditor judges the text it gets and nothing else (1.6).
    "shell_tool",
    "unified_exec",
    "shell_snapshot",
    "view_image",
    "sleep_tool",
    // Other agents, other programs, other people's code.
    "multi_agent",
    "goals",
    "apps",
    "plugins",
    "remote_plugin",
    "hooks",
    "skill_search",
    "tool_suggest",
    "memories",
    // The world outside.
    "browser_use",
    "computer_use",
    "image_generation",
    "in_app_browser",
    // Without this a refused connection is tried again for ever (facts, 0.2).
    "unbounded_connection_retries",
];

/// The default command's arguments (6.2); `extra` are the person's own, before the final `-`.
pub fn arguments(model: &str, extra: &[String]) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "exec",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "-s",
        "read-only",
    ]
    .map(str::to_owned)
    .into();
    arguments.extend(["-m".to_owned(), model.to_owned()]);
    arguments.extend(["-c".to_owned(), "model_reasoning_effort=medium".to_owned()]);
    for feature in FEATURES_OFF {
        arguments.extend(["-c".to_owned(), format!("features.{feature}=false")]);
    }
    arguments.push("--json".to_owned());
    arguments.extend_from_slice(extra);
    arguments.push("-".to_owned());
    arguments
}

/// Whether a program of that name can be found.
pub fn is_on_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
}

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
    fn plain_text_is_no_event_stream() {
        assert!(!is_event_stream("VERDICT: PASS"));
        assert!(!is_event_stream(""));
        assert!(!is_event_stream("{}"));
    }

    #[test]
    fn the_command_is_the_spec_s_with_the_extra_words_before_the_dash() {
        let arguments = arguments("m", &["--oss".to_owned()]).join(" ");
        assert!(arguments.starts_with("exec --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check -s read-only -m m -c model_reasoning_effort=medium "), "{arguments}");
        assert!(arguments.ends_with(" --json --oss -"), "{arguments}");
    }
}
