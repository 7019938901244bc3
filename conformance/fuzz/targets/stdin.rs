//! Any bytes as the hook's input: no panic, and whatever a strict parser takes means the same here.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use stop_auditor::hook::event::{self, Event};
use stop_auditor::paths::session_file_name;
use stop_auditor::transcript::opener::is_wake_up;

fuzz_target!(|bytes: &[u8]| {
    let read = event::read(bytes);
    let Ok(Value::Object(strict)) = serde_json::from_slice(bytes) else { return };
    assert!(read.is_some(), "valid JSON is read");
    // Names written with escapes are nobody's; written anew they have none.
    let plain = Value::Object(strict.clone()).to_string();
    let text = |name: &str| strict.get(name).and_then(Value::as_str).unwrap_or_default();
    let from_sub_agent = strict.get("agent_id").is_some_and(|id| !id.is_null());
    match event::read(plain.as_bytes()).expect("valid JSON is read") {
        Event::Stop(stop) => {
            assert!(text("hook_event_name") == "Stop" && !from_sub_agent);
            assert_eq!(stop.session_id, text("session_id"));
            assert_eq!(stop.transcript_path, text("transcript_path"));
            assert_eq!(stop.last_assistant_message, text("last_assistant_message"));
            assert_eq!(stop.stop_hook_active, strict.get("stop_hook_active") == Some(&Value::Bool(true)));
            assert_eq!(stop.prompt_id.unwrap_or_default(), text("prompt_id"));
            is_one_name(&stop.session_id);
        }
        Event::Prompt(prompt) => {
            assert!(text("hook_event_name") == "UserPromptSubmit" && !from_sub_agent);
            assert_eq!(prompt.session_id, text("session_id"));
            assert_eq!(prompt.prompt, text("prompt"));
            is_wake_up(&prompt.prompt);
            is_one_name(&prompt.session_id);
        }
        Event::Other => {
            assert!(from_sub_agent || !["Stop", "UserPromptSubmit"].contains(&text("hook_event_name")));
        }
    }
});

/// A session id becomes one file name, short enough for any file system, whatever it holds.
fn is_one_name(session_id: &str) {
    let name = session_file_name(session_id, "json");
    assert!(!name.contains('/') && !name.starts_with('.') && name.len() < 200, "{name}");
}
