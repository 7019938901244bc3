//! A session and the Stop that ends it, made into a prompt in-process, as the hook does it.
use std::io::Write as _;

use serde_json::{Value, json};
use stop_auditor::hook::event::{self, Event};
use stop_auditor::privacy::Numbers;
use stop_auditor::prompt;
use stop_auditor::transcript::session;
use stop_auditor::transcript::turn::Entry;

use crate::kit::rows::Rows;

/// What a prompt is made of.
pub(super) struct Given {
    rows: Rows,
    stop: Value,
    first_reason: Option<&'static str>,
}

impl From<&mut Rows> for Given {
    fn from(rows: &mut Rows) -> Self {
        Given { rows: rows.clone(), stop: json!({}), first_reason: None }
    }
}

impl Given {
    /// Sets a field of the Stop's input.
    pub(super) fn stdin(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.stop[field] = value.into();
        self
    }

    /// It is the turn's second audit; this is the reason of the first one's FAIL.
    pub(super) fn failed_before(mut self, reason: &'static str) -> Self {
        self.first_reason = Some(reason);
        self
    }

    pub(super) fn prompt(&self) -> Option<String> {
        let lines: Vec<String> = self.rows.rows().iter().map(ToString::to_string).collect();
        prompt_of(lines.join("\n").as_bytes(), &self.stop, self.first_reason)
    }
}

/// The prompt for a transcript of these bytes; `None` where it holds no turn.
pub(super) fn prompt_of(transcript: &[u8], stop: &Value, first_reason: Option<&str>) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(transcript).expect("it takes the rows");
    let mut event = json!({"hook_event_name": "Stop", "transcript_path": file.path()});
    for (field, value) in stop.as_object().into_iter().flatten() {
        event[field] = value.clone();
    }
    let Some(Event::Stop(stop)) = event::read(event.to_string().as_bytes()) else {
        panic!("no Stop: {event}")
    };
    let mut session = session::read(file.path(), &prompt::extent(0)).expect("the file can be read")?;
    session.current.complete(&stop.last_assistant_message);
    session.current.entries.extend(stop.still_running.into_iter().map(Entry::StillRunning));
    Numbers::default().blot_session(&mut session);
    let prompt = prompt::build(&session, first_reason).text;
    assert!(!prompt.contains(&stop.transcript_path), "a golden with a temporary path is new every time");
    Some(prompt)
}

/// A call and its result, which says these words.
pub(super) fn call<'a>(rows: &'a mut Rows, id: &str, tool: &str, input: Value, output: &str) -> &'a mut Rows {
    rows.call(id, tool, input).result(id, output)
}

/// A result with fields of the client's own beside it.
pub(super) fn result_with<'a>(rows: &'a mut Rows, id: &str, content: Value, fields: Value) -> &'a mut Rows {
    let is_error = fields.get("toolDenialKind").is_some();
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error});
    rows.user(json!([block]), fields)
}

/// The person said no to a call, with or without a reason.
pub(super) fn denied<'a>(rows: &'a mut Rows, id: &str, reason: Option<&str>) -> &'a mut Rows {
    let text = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let text = match reason {
        Some(reason) => format!("{text} To tell you how to proceed, the user said:\n{reason}"),
        None => text.to_owned(),
    };
    let fields = json!({"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected",
                        "toolDenialBeforeRun": true, "userFeedback": reason});
    result_with(rows, id, text.into(), fields)
}

/// A background task is done, and its notification wakes Claude up.
pub(super) fn woken<'a>(rows: &'a mut Rows, id: &str, status: &str, summary: &str) -> &'a mut Rows {
    let text = format!(
        "<task-notification>\n<task-id>{id}</task-id>\n<output-file>/home/u/tasks/{id}.output</output-file>\n\
         <status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>"
    );
    let fields = json!({"origin": {"kind": "task-notification", "producer": "session-task"},
                        "promptSource": "system", "turnOrigin": "task_notification"});
    rows.user(text.into(), fields)
}

/// A picture as the client stores it.
pub(super) fn picture() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}})
}
