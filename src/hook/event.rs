//! What the client sends, untrusted: any field may be missing or of another type.

use crate::transcript::json::{self, Json, Object};

/// An event that concerns the hook.
#[derive(Debug)]
pub enum Event {
    /// Claude has answered and is about to stop.
    Stop(Stop),
    /// Somebody or something sent a prompt.
    Prompt(PromptSubmit),
    /// Anything else, sub-agents and Codex among it: nothing to do.
    Other,
}

/// The main session's Stop.
#[derive(Debug, Default)]
pub struct Stop {
    /// The session's id; never to be used as a path.
    pub session_id: String,
    /// The transcript's path as the client gives it; empty where it does not.
    pub transcript_path: String,
    /// Whether a Stop hook, any, has sent Claude back in this turn.
    pub stop_hook_active: bool,
    /// The last text that Claude said; the transcript may not hold it yet.
    pub last_assistant_message: String,
    /// The turn's id (since 2.1.196).
    pub prompt_id: Option<String>,
    /// Background work that is still running, told in one line each (4.14).
    pub still_running: Vec<String>,
}

/// A prompt.
#[derive(Debug, Default)]
pub struct PromptSubmit {
    /// The session's id; never to be used as a path.
    pub session_id: String,
    /// The prompt's text.
    pub prompt: String,
}

/// Reads an event; `None` where the bytes are no JSON object.
pub fn read(bytes: &[u8]) -> Option<Event> {
    let event = json::parse_object(bytes)?;
    let session_id = event.text("session_id").unwrap_or_default();
    if is_codex(&event) {
        return Some(Event::Other);
    }
    let from_sub_agent = event.get("agent_id").is_some();
    Some(match event.text("hook_event_name").unwrap_or_default().as_str() {
        "Stop" if !from_sub_agent => Event::Stop(Stop {
            session_id,
            transcript_path: event.text("transcript_path").unwrap_or_default(),
            stop_hook_active: event.flag("stop_hook_active"),
            last_assistant_message: event.text("last_assistant_message").unwrap_or_default(),
            prompt_id: event.text("prompt_id").filter(|id| !id.is_empty()),
            still_running: event.array("background_tasks").into_iter().filter_map(running).collect(),
        }),
        "UserPromptSubmit" if !from_sub_agent => {
            Event::Prompt(PromptSubmit { session_id, prompt: event.text("prompt").unwrap_or_default() })
        }
        _ => Event::Other,
    })
}

/// Whether Codex sent the event: it names a `turn_id`, which Claude Code never does. Its sessions are another format's,
/// and its model may be the auditor's own; they are not audited.
fn is_codex(event: &Object<'_>) -> bool {
    event.get("turn_id").is_some() && event.get("prompt_id").is_none()
}

/// A background task in one line, unless the client says that it has ended.
fn running(task: Json<'_>) -> Option<String> {
    const ENDED: [&str; 5] = ["completed", "failed", "stopped", "killed", "cancelled"];
    let task: Object<'_> = task.object()?;
    let status = task.text("status").unwrap_or_default();
    if ENDED.contains(&status.as_str()) {
        return None;
    }
    let parts = ["id", "type", "status", "agent_type", "description", "command"];
    let told: Vec<String> = parts
        .iter()
        .filter_map(|name| {
            task.text(name).filter(|value| !value.is_empty()).map(|value| format!("{name}: {value}"))
        })
        .collect();
    (!told.is_empty()).then(|| told.join("，"))
}
