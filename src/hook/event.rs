//! What the client sends, untrusted: any field may be missing or of another type.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::material::cut;
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
    /// The folder that Claude works in now, as the client gives it.
    pub cwd: String,
}

impl Stop {
    /// The name of the folder that the session was started in (`CLAUDE_PROJECT_DIR`), else of the one it is in now; no
    /// more than that of a path.
    pub fn project(&self, started_in: Option<OsString>) -> String {
        const MAX: usize = 80;
        let folder = started_in
            .filter(|folder| !folder.is_empty())
            .map_or_else(|| PathBuf::from(&self.cwd), PathBuf::from);
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        cut::one_line(&name, MAX)
    }
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
            cwd: event.text("cwd").unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use super::Stop;

    #[test]
    fn a_project_is_the_name_of_a_folder_and_no_path() {
        let stop = |cwd: &str| Stop { cwd: cwd.to_owned(), ..Stop::default() };
        assert_eq!(stop("/home/u/app/src").project(Some("/home/u/app".into())), "app");
        assert_eq!(stop("/home/u/订单/").project(None), "订单");
        assert_eq!(stop("/home/u/app").project(Some("".into())), "app");
        for nowhere in ["", "/", ".."] {
            assert_eq!(stop(nowhere).project(None), "");
        }
        assert!(stop(&format!("/{}", "x".repeat(4_000))).project(None).chars().count() <= 80);
    }
}
