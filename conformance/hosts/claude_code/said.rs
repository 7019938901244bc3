//! What a hook says on stdout: JSON when the text begins with `{` and ends with `}`, else plain text. An object is
//! looked at whole, and one wrong field makes all of it worthless; fields that nobody knows are passed over.
use serde_json::{Map, Value};

use super::Event;

/// A hook's stdout, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing, or white space.
    Nothing,
    /// Plain text, without the white space round it.
    Text(String),
    /// An object that the client understands.
    Object(Box<Fields>),
    /// An object that puts the hook in the background.
    InBackground,
    /// What looks like an object and is none, or not one of the client's; in its words, without the parser's own.
    Broken(String),
}

/// The fields of an object that do something at Stop or UserPromptSubmit. Empty texts are as good as none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// `continue` is false.
    pub(super) stops: bool,
    pub(super) stop_reason: Option<String>,
    /// `decision` is `block`.
    pub(super) blocks: bool,
    pub(super) reason: Option<String>,
    pub(super) system_message: Option<String>,
    pub(super) context: Option<String>,
    pub(super) suppresses_prompt: bool,
    /// The `hookEventName` where it is another event's.
    pub(super) other_event: Option<String>,
}

/// What makes an object the client's own, as it says it (2.1.332).
const INVALID: &str = "Hook JSON output validation failed — ";

/// The events that may stand in `hookSpecificOutput`, each tried on 2.1.332.
const EVENTS: [&str; 22] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "Setup",
    "PreModelSwitch",
    "PostModelSwitch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Notification",
    "Elicitation",
    "ElicitationResult",
    "CwdChanged",
    "FileChanged",
    "MessageDisplay",
    "WorktreeCreate",
];

/// Reads the stdout of a hook of this event.
pub(super) fn read(stdout: &str, event: Event) -> Said {
    let text = trimmed(stdout);
    if text.is_empty() {
        return Said::Nothing;
    }
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Said::Text(text.to_owned());
    }
    let Ok(Value::Object(map)) = serde_json::from_str(text) else {
        return Said::Broken("Hook output looks like a JSON object but is not valid JSON".to_owned());
    };
    if map.get("async") == Some(&Value::Bool(true)) {
        return Said::InBackground;
    }
    match first_fault(&map, event) {
        Some(fault) => Said::Broken(format!("{INVALID}{fault}")),
        None => Said::Object(Box::new(fields(&map, event))),
    }
}

/// Without the white space that JavaScript trims, which counts the byte order mark in and U+0085 out.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// The first field that is not what it has to be, in the client's order.
fn first_fault(map: &Map<String, Value>, event: Event) -> Option<String> {
    use Kind::{Boolean, Text};
    let wrong = |key, kind| fault(map, "", key, kind);
    wrong("continue", Boolean)
        .or_else(|| wrong("suppressOutput", Boolean))
        .or_else(|| wrong("stopReason", Text))
        .or_else(|| decision_fault(map.get("decision")?))
        .or_else(|| wrong("reason", Text))
        .or_else(|| wrong("systemMessage", Text))
        .or_else(|| specific_fault(map.get("hookSpecificOutput")?, event))
}

#[derive(Clone, Copy)]
enum Kind {
    Boolean,
    Text,
}

fn fault(map: &Map<String, Value>, above: &str, key: &str, kind: Kind) -> Option<String> {
    let value = map.get(key)?;
    let (is_right, want) = match kind {
        Kind::Boolean => (value.is_boolean(), "boolean"),
        Kind::Text => (value.is_string(), "string"),
    };
    (!is_right).then(|| format!("{above}{key}: expected {want}, received {}", kind_of(value)))
}

fn decision_fault(decision: &Value) -> Option<String> {
    let is_known = matches!(decision.as_str(), Some("approve" | "block"));
    (!is_known).then(|| r#"decision: Invalid option: expected one of "approve"|"block""#.to_owned())
}

fn specific_fault(specific: &Value, event: Event) -> Option<String> {
    let above = "hookSpecificOutput.";
    let Value::Object(map) = specific else {
        return Some(format!("hookSpecificOutput: expected object, received {}", kind_of(specific)));
    };
    let Some(name) = map.get("hookEventName") else {
        return Some(r#"hookSpecificOutput is missing required field "hookEventName""#.to_owned());
    };
    match name.as_str() {
        Some(name) if name == event.name() => fault(map, above, "additionalContext", Kind::Text)
            .or_else(|| fault(map, above, "suppressOriginalPrompt", Kind::Boolean)),
        // Another event's fields decide nothing here.
        Some(name) if EVENTS.contains(&name) => None,
        Some(_) | None => Some(format!("{above}hookEventName: expected one of")),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn fields(map: &Map<String, Value>, event: Event) -> Fields {
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let is = |map: &Map<String, Value>, key: &str, value: bool| map.get(key) == Some(&Value::Bool(value));
    let mut fields = Fields {
        stops: is(map, "continue", false),
        stop_reason: text(map, "stopReason"),
        blocks: map.get("decision").and_then(Value::as_str) == Some("block"),
        reason: text(map, "reason"),
        system_message: text(map, "systemMessage"),
        ..Fields::default()
    };
    if let Some(Value::Object(specific)) = map.get("hookSpecificOutput") {
        fields.other_event = text(specific, "hookEventName").filter(|name| name != event.name());
        if fields.other_event.is_none() {
            fields.context = text(specific, "additionalContext");
            fields.suppresses_prompt = is(specific, "suppressOriginalPrompt", true);
        }
    }
    fields
}
