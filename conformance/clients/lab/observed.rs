//! What a client did in one turn, in the words of the contract. Nothing here knows what is expected: all texts that a
//! turn of a silent hook does not have are in.
use serde_json::Value;
use stop_auditor::hosts::claude_code::{Event, rows};
use stop_auditor::hosts::contract::{Channel, Effect, GoesOn, HostEnd, Kept, Printed, Status, ToModel};

use super::session::Turn;

/// Row types, attachments and subtypes that stand in a transcript without any hook.
const WITHOUT_A_HOOK: [&str; 15] = [
    "agent_listing_delta",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "assistant",
    "atis-latch",
    "cost-state",
    "date",
    "environment",
    "last-prompt",
    "model",
    "prompt_snapshot",
    "queue-operation",
    "session_context",
    "skill_listing",
];

/// A turn with what is needed to read it.
pub(crate) struct Evidence<'a> {
    pub(crate) event: Event,
    pub(crate) turn: &'a Turn,
    /// The rows of the transcript from its prompt to the next.
    pub(crate) rows: &'a [Value],
    /// The hook's command as registered.
    pub(crate) command: &'a str,
    /// Which run of the hook in this turn is looked at, from 1.
    pub(crate) nth_run: usize,
    /// The client's exit code, of the whole session.
    pub(crate) exit_code: Option<i32>,
}

impl Evidence<'_> {
    pub(crate) fn effect(&self) -> Effect {
        let kept_rows = self.kept_rows();
        let (status, dropped) = self.status(&kept_rows);
        let shown = self.to_person();
        let goes_on = self.goes_on(&status, dropped);
        let prompt = &self.turn.prompt;
        let n_records = self.rows.iter().filter(|row| row.to_string().contains(prompt.as_str())).count();
        Effect {
            goes_on,
            to_model: self.to_model(),
            to_person: shown,
            kept: kept_rows.iter().map(|row| self.kept(row)).collect(),
            dropped_prompt_kept: dropped.then_some(n_records),
            host_end: self.host_end(),
            status,
        }
    }

    /// Without what differs from run to run, and without the client's longer sentences.
    fn plain(&self, text: &str) -> String {
        let mut text = text.replace(self.command, rows::COMMAND).replace(&self.turn.prompt, rows::PROMPT);
        for row in self.rows {
            if let Some(lead) = row["hookTextLead"].as_str() {
                text = text.replace(lead, "<lead>");
            }
        }
        if text.starts_with("A hook blocked the turn from ending") {
            text.truncate(text.find('—').unwrap_or(text.len()));
        }
        let saved = "Full output saved to: ";
        if let Some(at) = text.find(saved).map(|at| at + saved.len()) {
            let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
            text.replace_range(at..end, "<path>");
        }
        text
    }

    /// The rows that the looked-at run of the hook left. A Stop hook's rows end with its summary; what the client adds
    /// behind the last summary is the last run's.
    fn kept_rows(&self) -> Vec<&Value> {
        let rows = self.rows.iter().filter(|row| is_of_a_hook(row));
        if self.event == Event::UserPromptSubmit {
            return rows.collect();
        }
        let mut runs: Vec<Vec<&Value>> = vec![Vec::new()];
        for row in rows {
            runs.last_mut().expect("never empty").push(row);
            if row["subtype"] == "stop_hook_summary" {
                runs.push(Vec::new());
            }
        }
        let behind = runs.pop().expect("never empty");
        if runs.len() == self.nth_run {
            runs.last_mut().expect("a hook ran").extend(behind);
        }
        runs.get(self.nth_run - 1).cloned().unwrap_or_default()
    }

    fn kept(&self, row: &Value) -> Kept {
        let rendered = row["rendered"].as_array().map(|parts| {
            let texts = parts.iter().filter_map(|part| part["content"].as_str());
            self.plain(&texts.collect::<Vec<&str>>().join("\n"))
        });
        // A table has its kinds as constants; a test may leak some words.
        Kept { kind: Box::leak(kind_of(row).into_boxed_str()), rendered }
    }

    /// The part of the stream from the looked-at run's end to the next one.
    fn stream(&self) -> impl Iterator<Item = &Value> {
        let mut n_ended = 0;
        self.turn.stream.iter().filter(move |event| {
            n_ended += usize::from(event["subtype"] == "hook_response");
            n_ended == self.nth_run
        })
    }

    fn to_person(&self) -> Vec<String> {
        let text = |event: &Value| -> Option<String> {
            match (event["type"].as_str()?, event["subtype"].as_str()) {
                ("system", Some("informational")) => event["content"].as_str().map(str::to_owned),
                ("system", Some("notification")) => event["text"].as_str().map(str::to_owned),
                ("user", None) => Some(texts_of(&event["message"]["content"]).join("\n")),
                _ => None,
            }
        };
        self.stream().filter_map(text).map(|text| self.plain(&text)).collect()
    }

    fn to_model(&self) -> Vec<ToModel> {
        let (before, with) = match self.event {
            Event::UserPromptSubmit => (self.turn.before.as_ref(), self.turn.requests.first()),
            Event::Stop => (self.turn.requests.get(self.nth_run - 1), self.turn.requests.get(self.nth_run)),
        };
        let n_before = before.and_then(|body| body["messages"].as_array()).map_or(0, Vec::len);
        let added = with.and_then(|body| body["messages"].as_array()).into_iter().flatten().skip(n_before);
        let mut messages = Vec::new();
        for message in added {
            let channel = match message["role"].as_str() {
                Some("assistant") => continue,
                Some("user") => Channel::User,
                Some("system") => Channel::Developer,
                role => panic!("a role that the contract has no word for: {role:?}"),
            };
            let texts = texts_of(&message["content"]).into_iter().filter(|text| *text != self.turn.prompt);
            messages.extend(texts.map(|text| ToModel { channel, text: self.plain(&text) }));
        }
        messages
    }

    /// The status, and whether the person's message was dropped.
    fn status(&self, kept: &[&Value]) -> (Status, bool) {
        let attached = |kind: &str| kept.iter().find(|row| row["attachment"]["type"] == kind);
        if let Some(row) = attached("hook_non_blocking_error") {
            let why = failure(row["attachment"]["stderr"].as_str().unwrap_or_default(), self.command);
            return (Status::Failed { why }, false);
        }
        if let Some(row) = attached("hook_cancelled") {
            assert_eq!(row["attachment"]["timedOut"], true, "{row}");
            return (Status::Failed { why: "timed out".to_owned() }, false);
        }
        if let Some(row) = attached("hook_stopped_continuation") {
            let message = row["attachment"]["message"].as_str().unwrap_or_default();
            // The client's own words where the hook gave none.
            let reason = (message != "Stop hook prevented continuation").then(|| message.to_owned());
            return (Status::Stopped { reason }, false);
        }
        let fed_back = kept.iter().find_map(|row| {
            row["message"]["content"].as_str()?.strip_prefix("Stop hook feedback:\n").map(str::to_owned)
        });
        if let Some(reason) = fed_back {
            return (Status::Blocked { reason: self.plain(&reason) }, false);
        }
        let outcome = self.stream().find(|event| event["prompt_submit_outcome"].is_object());
        let Some(event) = outcome else { return (Status::Completed, false) };
        let (outcome, content) =
            (&event["prompt_submit_outcome"], event["content"].as_str().unwrap_or_default());
        let dropped = outcome["prompt_kept"] == false;
        match outcome["kind"].as_str() {
            Some("blocked_by_hook") => {
                let words =
                    content.strip_prefix("UserPromptSubmit operation blocked by hook:\n").unwrap_or(content);
                let original = format!("\n\nOriginal prompt: {}", self.turn.prompt);
                let reason = words.strip_suffix(&original).unwrap_or(words);
                (Status::Blocked { reason: self.plain(reason) }, dropped)
            }
            Some("stopped_by_hook") => {
                (Status::Stopped { reason: outcome["reason"].as_str().map(str::to_owned) }, dropped)
            }
            kind => panic!("an outcome that the contract has no word for: {kind:?}"),
        }
    }

    fn goes_on(&self, status: &Status, dropped: bool) -> GoesOn {
        let n_requests = self.turn.requests.len();
        match self.event {
            Event::UserPromptSubmit if n_requests > 0 => GoesOn::AsBefore,
            Event::UserPromptSubmit if dropped => GoesOn::PromptDropped,
            Event::UserPromptSubmit => GoesOn::TurnEnds,
            Event::Stop if n_requests > self.nth_run => GoesOn::TurnContinues,
            Event::Stop => {
                let capped = self.stream().any(|event| event["key"] == "stop-hook-block-cap");
                let prevented = self.result()["terminal_reason"] == "stop_hook_prevented";
                assert_eq!(prevented, matches!(status, Status::Stopped { .. }), "{}", self.result());
                if capped || prevented { GoesOn::TurnEnds } else { GoesOn::AsBefore }
            }
        }
    }

    fn result(&self) -> &Value {
        self.turn.stream.last().expect("a turn ends with its result")
    }

    fn host_end(&self) -> HostEnd {
        let result = self.result();
        let text = result["result"].as_str().unwrap_or_default();
        let replies = self.turn.stream.iter().filter(|event| event["type"] == "assistant");
        let last = replies.flat_map(|event| texts_of(&event["message"]["content"])).last();
        let printed = match text {
            "" => Printed::Nothing,
            text if last.as_deref() == Some(text) => Printed::Reply,
            text => Printed::Words(self.plain(text)),
        };
        let subtype =
            result["subtype"].as_str().map(|subtype| &*Box::leak(subtype.to_owned().into_boxed_str()));
        HostEnd { exit_code: self.exit_code.unwrap_or(-1), subtype, printed }
    }
}

fn kind_of(row: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match row["type"].as_str() {
        Some("attachment") => word(&row["attachment"]["type"]),
        Some("system") => format!("system/{}", word(&row["subtype"])),
        _ => word(&row["type"]),
    }
}

fn is_of_a_hook(row: &Value) -> bool {
    let is_prompt = row["type"] == "user" && row["hookText"] != true;
    !is_prompt && !WITHOUT_A_HOOK.contains(&kind_of(row).as_str())
}

fn texts_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect(),
        other => vec![other.to_string()],
    }
}

/// A failure in the client's words, as far as they are not its parser's, its schema's or the shell's.
fn failure(stderr: &str, command: &str) -> String {
    let code = "Failed with non-blocking status code: ";
    if stderr.starts_with(code) {
        let is_shell = stderr.contains(command);
        return if is_shell { format!("{code}<the shell's words>") } else { stderr.to_owned() };
    }
    let ends = ["\n", " — JSON Parse error", ". Full stdout", " (top-level", " \"PreToolUse\" | "];
    let end = ends.iter().filter_map(|end| stderr.find(end)).min().unwrap_or(stderr.len());
    stderr[..end].to_owned()
}
