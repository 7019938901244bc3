//! A builder of transcript rows of the shape that client 2.1.332 writes. Ids and times are counted, not random,
//! so that the same calls give the same bytes.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use serde_json::{Map, Value, json};

/// Stands for the session's id until [`super::sandbox::Sandbox::transcript`] puts the sandbox's own in.
pub(crate) const SESSION: &str = "5e5510a0-0000-4000-8000-000000000000";

/// A transcript that grows row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    written: Vec<Value>,
    parent: Option<String>,
    prompt_id: String,
    n_ids: u64,
    n_messages: u64,
    /// Whether the next assistant row belongs to the same message as the last one.
    in_message: bool,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// One earlier turn with a tool call, and a current turn with another: the least that shows everything.
    pub(crate) fn two_turns() -> Self {
        let mut rows = Self::new();
        rows.person("先看看上一轮的东西 EARLIER-PROMPT")
            .thinks("EARLIER-THOUGHT")
            .call("toolu_earlier", "Bash", json!({"command": "ls earlier"}))
            .result("toolu_earlier", "EARLIER-OUTPUT")
            .says("上一轮说完了 EARLIER-REPLY")
            .person("再跑一次测试 CURRENT-PROMPT")
            .thinks("CURRENT-THOUGHT")
            .call("toolu_current", "Bash", json!({"command": "cargo test --quiet"}))
            .result("toolu_current", "CURRENT-OUTPUT 12 passed")
            .says("测试全过了 CURRENT-REPLY");
        rows
    }

    /// A message that the person typed; opens a turn.
    pub(crate) fn person(&mut self, text: impl Into<Value>) -> &mut Self {
        self.open();
        self.user(
            text.into(),
            json!({"permissionMode": "default", "origin": {"kind": "human"}, "promptSource": "typed",
                   "turnOrigin": "human"}),
        )
    }

    /// A message that a program sent (`claude -p`, the SDK); opens a turn.
    pub(crate) fn program(&mut self, text: impl Into<Value>) -> &mut Self {
        self.open();
        self.user(
            text.into(),
            json!({"permissionMode": "default", "promptSource": "sdk", "rowSource": "local", "turnOrigin": "sdk"}),
        )
    }

    /// Claude says something.
    pub(crate) fn says(&mut self, text: &str) -> &mut Self {
        self.assistant(&json!({"type": "text", "text": text}))
    }

    /// Claude thinks something, which nobody but Claude may see.
    pub(crate) fn thinks(&mut self, text: &str) -> &mut Self {
        self.assistant(&json!({"type": "thinking", "thinking": text, "signature": "c2ln"}))
    }

    /// Claude calls a tool.
    pub(crate) fn call(&mut self, id: &str, name: &str, input: impl Into<Value>) -> &mut Self {
        let input: Value = input.into();
        self.assistant(
            &json!({"type": "tool_use", "id": id, "name": name, "input": input, "caller": {"type": "direct"}}),
        )
    }

    /// The tool's output: a text or content blocks.
    pub(crate) fn result(&mut self, id: &str, content: impl Into<Value>) -> &mut Self {
        self.tool_result(id, content.into(), false)
    }

    /// The tool failed.
    pub(crate) fn result_error(&mut self, id: &str, content: impl Into<Value>) -> &mut Self {
        self.tool_result(id, content.into(), true)
    }

    /// A background task is done, and its notification wakes Claude up: a row of its own with a new prompt id.
    pub(crate) fn notification(&mut self, summary: &str) -> &mut Self {
        self.open();
        let text = notification_text(summary);
        self.user(
            text.into(),
            json!({"permissionMode": "default", "origin": {"kind": "task-notification", "producer": "session-task"},
                   "promptSource": "system", "rowSource": "recorded", "turnOrigin": "task_notification",
                   "queueSkipAttachments": true}),
        )
    }

    /// A background task is done while Claude works.
    pub(crate) fn queued_notification(&mut self, summary: &str) -> &mut Self {
        let prompt = notification_text(summary);
        self.attachment(
            json!({"type": "queued_command", "prompt": prompt, "commandMode": "task-notification",
                               "origin": {"kind": "task-notification", "producer": "session-task"}}),
        )
    }

    /// Another session sent a message, which wakes Claude up.
    pub(crate) fn peer(&mut self, name: &str, body: &str) -> &mut Self {
        self.open();
        let text = format!(
            "Another Claude session sent a message:\n<cross-session-message from=\"uds:/tmp/peer.sock\" \
             from-name=\"{name}\" from-mode=\"prompting\">\n{body}\n</cross-session-message>\n\nThis came from another \
             Claude session"
        );
        self.user(
            text.into(),
            json!({"isMeta": true, "permissionMode": "default",
                   "origin": {"kind": "peer", "from": "uds:/tmp/peer.sock", "name": name, "fromMode": "prompting",
                              "body": body, "verifiedLocal": true},
                   "promptSource": "system", "queueSkipSlashCommands": true, "turnOrigin": "peer"}),
        )
    }

    /// A message that the person typed while Claude works.
    pub(crate) fn queued(&mut self, text: impl Into<Value>) -> &mut Self {
        let prompt: Value = text.into();
        self.attachment(json!({"type": "queued_command", "prompt": prompt, "commandMode": "prompt",
                               "origin": {"kind": "human"}, "humanTurn": true}))
    }

    /// A Stop hook blocked with this reason: the three rows that the client writes for it.
    pub(crate) fn feedback(&mut self, reason: &str) -> &mut Self {
        let text = format!("Stop hook feedback:\n{reason}");
        self.user(text.into(), json!({"isMeta": true, "rowSource": "hook", "hookText": true}));
        self.attachment(json!({"type": "hook_blocking_error", "hookName": "Stop", "hookEvent": "Stop",
                               "toolUseID": "hook-1",
                               "blockingError": {"blockingError": reason, "command": "stop-auditor"}}));
        self.system(json!({"subtype": "stop_hook_summary", "hookCount": 1, "hookErrors": [],
                           "preventedContinuation": false, "stopReason": "", "hasOutput": false,
                           "level": "suggestion", "toolUseID": "hook-1"}))
    }

    /// The person pressed Esc.
    pub(crate) fn interrupt(&mut self) -> &mut Self {
        let content = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
        self.user(content, json!({"rowSource": "harness"}))
    }

    /// A slash command that the model carries out (a custom command or a skill), with its expansion; opens a turn.
    pub(crate) fn command(&mut self, name: &str, args: &str, expansion: &str) -> &mut Self {
        self.open();
        let text = format!(
            "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n\
             <command-args>{args}</command-args>"
        );
        let origin = json!({"permissionMode": "default", "origin": {"kind": "human"}, "promptSource": "typed",
                            "turnOrigin": "human"});
        self.user(text.into(), origin);
        self.user(json!([{"type": "text", "text": expansion}]), json!({"isMeta": true}))
    }

    /// A slash command that only changes settings: its row, and what it printed.
    pub(crate) fn local_command(&mut self, name: &str, args: &str, stdout: &str) -> &mut Self {
        let text = format!(
            "<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            \
             <command-args>{args}</command-args>"
        );
        self.user(text.into(), json!({"rowSource": "local"}));
        let stdout = format!("<local-command-stdout>{stdout}</local-command-stdout>");
        self.user(stdout.into(), json!({"rowSource": "local"}))
    }

    /// `!` input that the model answers; opens a turn.
    pub(crate) fn bang(&mut self, command: &str, stdout: &str) -> &mut Self {
        self.open();
        self.user(format!("<bash-input>{command}</bash-input>").into(), json!({"rowSource": "local"}));
        let output = format!("<bash-stdout>{stdout}</bash-stdout><bash-stderr></bash-stderr>");
        self.user(output.into(), json!({"rowSource": "local", "turnOrigin": "human"}))
    }

    /// The conversation was compacted here.
    pub(crate) fn compact_boundary(&mut self) -> &mut Self {
        let before = self.parent.take();
        self.system(json!({"subtype": "compact_boundary", "logicalParentUuid": before,
                           "content": "Conversation compacted", "level": "info",
                           "compactMetadata": {"trigger": "manual", "preTokens": 15, "postTokens": 2973}}))
    }

    /// The summary that follows a compaction.
    pub(crate) fn summary(&mut self, text: &str) -> &mut Self {
        let content = format!("This session is being continued from a previous conversation.\n{text}");
        let marks =
            json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true, "rowSource": "local"});
        self.user(content.into(), marks)
    }

    /// A row as it is; its `uuid`, if it has one, becomes the parent of the next.
    pub(crate) fn raw(&mut self, row: Value) -> &mut Self {
        if let Some(uuid) = row.get("uuid").and_then(Value::as_str) {
            self.parent = Some(uuid.to_owned());
        }
        self.written.push(row);
        self
    }

    /// A user row of this turn with these fields besides (`null` takes one away).
    pub(crate) fn user(&mut self, content: Value, fields: Value) -> &mut Self {
        self.in_message = false;
        let mut row = json!({"parentUuid": self.parent, "isSidechain": false, "promptId": self.prompt_id,
                             "type": "user", "message": {"role": "user", "content": content}});
        self.finish(&mut row, fields);
        self.raw(row)
    }

    /// An attachment row.
    pub(crate) fn attachment(&mut self, attachment: Value) -> &mut Self {
        let mut row = json!({"parentUuid": self.parent, "isSidechain": false});
        self.finish(&mut row, json!({"attachment": attachment, "type": "attachment"}));
        self.raw(row)
    }

    /// A system row.
    pub(crate) fn system(&mut self, fields: Value) -> &mut Self {
        let mut row = json!({"parentUuid": self.parent, "isSidechain": false, "type": "system"});
        self.finish(&mut row, fields);
        self.raw(row)
    }

    /// The rows so far.
    pub(crate) fn rows(&self) -> &[Value] {
        &self.written
    }

    /// The prompt id of the last row that opened a turn or woke Claude up.
    pub(crate) fn prompt_id(&self) -> String {
        self.prompt_id.clone()
    }

    /// The uuid of the last row.
    pub(crate) fn last_uuid(&self) -> Option<String> {
        self.parent.clone()
    }

    /// The next row hangs on this one instead of the last (`None`: it is a root), as after a rewind.
    pub(crate) fn hang_on(&mut self, parent: Option<String>) -> &mut Self {
        self.parent = parent;
        self
    }

    fn assistant(&mut self, block: &Value) -> &mut Self {
        if !self.in_message {
            self.n_messages += 1;
            self.in_message = true;
        }
        let stop_reason = if block["type"] == "text" { "end_turn" } else { "tool_use" };
        // The client writes `message` before `type` in these rows.
        let mut row = json!({"parentUuid": self.parent, "isSidechain": false,
            "message": {"id": format!("msg_{:06}", self.n_messages), "type": "message", "role": "assistant",
                        "model": "claude-opus-5-5", "content": [block], "stop_reason": stop_reason,
                        "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 5}},
            "requestId": format!("req_{}", self.n_messages), "type": "assistant"});
        self.finish(&mut row, json!({"madeBy": "model"}));
        self.raw(row)
    }

    fn tool_result(&mut self, id: &str, content: Value, is_error: bool) -> &mut Self {
        let call = self.written.iter().rev().find(|row| row["message"]["content"][0]["id"] == id);
        let caller = call.and_then(|row| row["uuid"].as_str()).map(str::to_owned);
        if caller.is_some() {
            self.parent.clone_from(&caller);
        }
        let text = content.as_str().unwrap_or_default();
        let outcome = if is_error {
            json!(format!("Error: {text}"))
        } else {
            json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false})
        };
        let block =
            json!({"tool_use_id": id, "type": "tool_result", "content": content, "is_error": is_error});
        self.user(json!([block]), json!({"toolUseResult": outcome, "sourceToolAssistantUUID": caller}))
    }

    fn open(&mut self) {
        self.n_ids += 1;
        self.prompt_id = format!("aaaaaaaa-0000-4000-8000-{:012}", self.n_ids);
    }

    fn finish(&mut self, row: &mut Value, fields: Value) {
        self.n_ids += 1;
        let (minute, second) = ((self.n_ids / 60) % 60, self.n_ids % 60);
        let envelope = json!({
            "uuid": format!("bbbbbbbb-0000-4000-8000-{:012}", self.n_ids),
            "timestamp": format!("2026-11-29T{:02}:{minute:02}:{second:02}.000Z", 8 + self.n_ids / 3600),
            "userType": "external", "entrypoint": "cli", "cwd": "/home/u/proj", "sessionId": SESSION,
            "version": "2.1.332", "gitBranch": "HEAD"});
        let Value::Object(row) = row else { return };
        put(row, envelope);
        put(row, fields);
    }
}

/// The text of a background task's notification.
pub(crate) fn notification_text(summary: &str) -> String {
    format!(
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_bg</tool-use-id>\n\
         <output-file>/tmp/tasks/b1.output</output-file>\n<status>completed</status>\n\
         <summary>{summary}</summary>\n</task-notification>"
    )
}

fn put(row: &mut Map<String, Value>, fields: Value) {
    let Value::Object(fields) = fields else { return };
    for (key, value) in fields {
        if value.is_null() {
            row.remove(&key);
        } else {
            row.insert(key, value);
        }
    }
}
