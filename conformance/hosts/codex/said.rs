//! A hook's stdout, read as strictly as Codex reads it: one unknown field, at any depth that it looks at, and all of it
//! is lost, the block too.

use serde::Deserialize;
use serde_json::Value;

use super::Event;

/// The object that a hook printed.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Said {
    #[serde(rename = "continue", default = "yes")]
    pub(super) continues: bool,
    pub(super) stop_reason: Option<String>,
    #[serde(default)]
    pub(super) suppress_output: bool,
    pub(super) system_message: Option<String>,
    pub(super) decision: Option<Decision>,
    pub(super) reason: Option<String>,
    pub(super) hook_specific_output: Option<Specific>,
}

/// `decision` at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Block,
    Approve,
}

/// `hookSpecificOutput`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Specific {
    /// Any event's name will do; it is not compared with the event that runs.
    hook_event_name: String,
    pub(super) additional_context: Option<String>,
    pub(super) permission_decision: Option<ToolDecision>,
    pub(super) permission_decision_reason: Option<String>,
    pub(super) updated_input: Option<Value>,
    #[serde(rename = "updatedMCPToolOutput")]
    pub(super) updated_mcp_tool_output: Option<Value>,
    pub(super) decision: Option<Leave>,
}

/// `permissionDecision` of PreToolUse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ToolDecision {
    Allow,
    Deny,
    Ask,
}

/// `decision` of PermissionRequest.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Leave {
    pub(super) behavior: Behavior,
    pub(super) message: Option<String>,
    pub(super) updated_input: Option<Value>,
    pub(super) updated_permissions: Option<Value>,
    #[serde(default)]
    pub(super) interrupt: bool,
}

/// What it says of the leave that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Behavior {
    Allow,
    Deny,
}

/// How Codex takes a whole stdout.
#[derive(Debug, Clone)]
pub(super) enum Stdout {
    /// Nothing but white space.
    Nothing,
    /// An object of the event's shape.
    Object(Box<Said>),
    /// It begins like JSON and is not of the event's shape.
    Broken,
    /// Anything else, trimmed.
    Text(String),
}

/// Reads a hook's stdout as that of this event.
pub(super) fn read(event: Event, stdout: &str) -> Stdout {
    let text = stdout.trim();
    if text.is_empty() {
        return Stdout::Nothing;
    }
    match object(event, text) {
        Some(said) => Stdout::Object(Box::new(said)),
        None if text.starts_with(['{', '[']) => Stdout::Broken,
        None => Stdout::Text(text.to_owned()),
    }
}

fn object(event: Event, text: &str) -> Option<Said> {
    let value: Value = serde_json::from_str(text).ok()?;
    let shape = Shape::of(event);
    let fields = value.as_object()?;
    let specific = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let known = fields.keys().all(|key| shape.top.contains(&key.as_str()))
        && specific.is_none_or(|fields| fields.keys().all(|key| shape.specific.contains(&key.as_str())));
    if !known {
        return None;
    }
    let said: Said = serde_json::from_value(value).ok()?;
    let approves = said.decision == Some(Decision::Approve);
    let named =
        said.hook_specific_output.as_ref().is_none_or(|specific| is_an_event(&specific.hook_event_name));
    (named && (!approves || event == Event::PreToolUse)).then_some(said)
}

fn is_an_event(name: &str) -> bool {
    Event::named(name).is_some()
}

/// The fields that an event's object may have.
struct Shape {
    top: &'static [&'static str],
    specific: &'static [&'static str],
}

impl Shape {
    fn of(event: Event) -> Self {
        const UNIVERSAL: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage"];
        const DECIDING: &[&str] =
            &["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"];
        const SPECIFIC: &[&str] =
            &["continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"];
        const BOTH: &[&str] = &[
            "continue",
            "stopReason",
            "suppressOutput",
            "systemMessage",
            "decision",
            "reason",
            "hookSpecificOutput",
        ];
        const CONTEXT: &[&str] = &["hookEventName", "additionalContext"];
        let (top, specific): (_, &'static [&'static str]) = match event {
            Event::PreToolUse => (
                BOTH,
                &[
                    "hookEventName",
                    "additionalContext",
                    "permissionDecision",
                    "permissionDecisionReason",
                    "updatedInput",
                ],
            ),
            Event::PostToolUse => (BOTH, &["hookEventName", "additionalContext", "updatedMCPToolOutput"]),
            Event::PermissionRequest => (SPECIFIC, &["hookEventName", "decision"]),
            Event::UserPromptSubmit => (BOTH, CONTEXT),
            Event::SessionStart | Event::SubagentStart => (SPECIFIC, CONTEXT),
            Event::Stop | Event::SubagentStop => (DECIDING, &[]),
            Event::PreCompact | Event::PostCompact => (UNIVERSAL, &[]),
            Event::Interrupt => (&["systemMessage"], &[]),
            // Their stdout is not looked at.
            Event::PreModelRequest | Event::PostModelRequest | Event::SessionEnd => (&[], &[]),
        };
        Self { top, specific }
    }
}

fn yes() -> bool {
    true
}
