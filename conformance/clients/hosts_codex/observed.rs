//! What came of a row, as far as the client, the model and the disk tell, put into the words of the contract.
use std::fs;
use std::path::Path;

use serde_json::Value;
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::contract::{Channel, Effect, GoesOn, Kept, Status, ToModel};

use super::script::{self, TOOL_COMMAND};

/// What came of a row, as far as the client, the model and the disk tell.
pub(super) struct Seen {
    pub(super) event: Event,
    pub(super) runs: Vec<Value>,
    pub(super) requests: Vec<Value>,
    pub(super) end: Value,
    pub(super) asked: bool,
    pub(super) ran: bool,
}

impl Seen {
    pub(super) fn effect(&self, expected: &Effect) -> Effect {
        let goes_on = self.goes_on();
        Effect {
            status: self.status(goes_on, expected),
            goes_on,
            to_model: self.to_model(),
            to_person: self.entries(|_| true),
            kept: Vec::new(),
            dropped_prompt_kept: None,
            host_end: expected.host_end.clone(),
        }
    }

    /// The texts of the hooks' entries of some kinds.
    fn entries(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let entries = self.runs.iter().flat_map(|run| run["entries"].as_array().into_iter().flatten());
        let entries = entries.filter(|entry| wanted(entry["kind"].as_str().unwrap_or_default()));
        let texts = entries.filter_map(|entry| entry["text"].as_str());
        texts.map(|text| text.replace("timed out after 1s", "timed out after <n>s")).collect()
    }

    fn is(&self, status: &str) -> bool {
        self.runs.iter().any(|run| run["status"] == status)
    }

    fn status(&self, goes_on: GoesOn, expected: &Effect) -> Status {
        let first = |kind: &str| self.entries(|is| is == kind).into_iter().next();
        if self.runs.is_empty() {
            // Nobody is told why; that it did not run is what can be seen.
            let why = match &expected.status {
                Status::Ignored { why } => why.clone(),
                _ => "no run was told".to_owned(),
            };
            Status::Ignored { why }
        } else if self.is("stopped") {
            Status::Stopped { reason: first("stop") }
        } else if self.is("blocked") {
            Status::Blocked { reason: first("feedback").unwrap_or_default() }
        } else if goes_on == GoesOn::AllowedOnce {
            Status::Allowed
        } else if self.is("failed") {
            Status::Failed { why: first("error").unwrap_or_default() }
        } else {
            Status::Completed
        }
    }

    /// The requests of the agent that the hook is about.
    fn own_requests(&self) -> Vec<&Value> {
        let of_agent = matches!(self.event, Event::SubagentStart | Event::SubagentStop);
        let is_own = |request: &&Value| script::last_prompt(request).is_empty() == of_agent;
        self.requests.iter().filter(is_own).collect()
    }

    fn goes_on(&self) -> GoesOn {
        let result = self.result().unwrap_or_default();
        let n_requests = self.own_requests().len();
        let interrupted = self.end["status"] == "interrupted";
        match self.event {
            Event::Stop | Event::SubagentStop if n_requests > 1 => GoesOn::TurnContinues,
            Event::Stop | Event::SubagentStop if self.is("stopped") => GoesOn::TurnEnds,
            Event::PreToolUse if result.contains("CHANGED") && !self.ran => GoesOn::ToolChanged,
            Event::PreToolUse if !self.ran => GoesOn::ToolRefused,
            Event::PostToolUse if !result.contains("TOOL-RAN") && self.ran => GoesOn::ResultReplaced,
            Event::PermissionRequest if self.asked => GoesOn::AsBefore,
            Event::PermissionRequest if self.ran => GoesOn::AllowedOnce,
            Event::PermissionRequest => GoesOn::Refused,
            Event::UserPromptSubmit | Event::SessionStart if n_requests == 0 => GoesOn::PromptDropped,
            Event::PreCompact | Event::PostCompact if interrupted => GoesOn::TurnEnds,
            _ => GoesOn::AsBefore,
        }
    }

    /// What the model was told that the tool gave.
    fn result(&self) -> Option<String> {
        let request = self.requests.last()?;
        let items = request["input"].as_array().into_iter().flatten();
        let outputs = items.filter(|item| item["type"] == "function_call_output" && item["call_id"] == "c1");
        outputs.filter_map(|item| item["output"].as_str().map(str::to_owned)).next_back()
    }

    /// What stands in the last request because of the hooks: after the client's own beginning.
    fn to_model(&self) -> Vec<ToModel> {
        let of_a_tool =
            matches!(self.event, Event::PreToolUse | Event::PostToolUse | Event::PermissionRequest);
        let requests = self.own_requests();
        let Some(request) = requests.last() else { return Vec::new() };
        let items = request["input"].as_array().into_iter().flatten();
        let is_beginning =
            |item: &&Value| !script::parts(item).iter().any(|part| part.starts_with("<environment_context>"));
        let mut sent = Vec::new();
        for item in items.skip_while(is_beginning) {
            let texts = script::parts(item);
            let mut add = |channel, text: &str| sent.push(ToModel { channel, text: plain(text) });
            match (item["type"].as_str(), item["role"].as_str()) {
                (Some("message"), Some("developer")) => add(Channel::Developer, &texts.concat()),
                (Some("message"), Some("user")) => {
                    let prompts = texts.iter().filter(|text| text.starts_with("<hook_prompt "));
                    prompts.for_each(|text| add(Channel::User, text));
                }
                (Some("function_call_output"), _) if of_a_tool && !self.asked => {
                    let output = item["output"].as_str().unwrap_or_default();
                    // What the tool itself gave.
                    if !output.starts_with("Chunk ID: ") {
                        add(Channel::ToolResult, output);
                    }
                }
                _ => {}
            }
        }
        sent
    }
}

/// Without what differs from run to run.
fn plain(text: &str) -> String {
    let text = text.replace(TOOL_COMMAND, "<command>");
    let Some((before, rest)) = text.split_once("hook_run_id=\"") else { return text };
    let Some((_, after)) = rest.split_once('"') else { return text.clone() };
    format!("{before}hook_run_id=\"<id>\"{after}")
}

/// The records of a thread's file that hooks are the reason of.
pub(super) fn kept(file: &Path, to_model: &[ToModel]) -> Vec<Kept> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut kept = Vec::new();
    for row in rows {
        let payload = &row["payload"];
        let texts = script::parts(payload);
        let by_hook = payload.to_string().contains("\"hooks.additional_context\"");
        let prompts = texts.iter().any(|text| text.starts_with("<hook_prompt "));
        let record = match (row["type"].as_str(), payload["type"].as_str(), payload["role"].as_str()) {
            (Some("response_item"), Some("message"), Some("developer")) if by_hook => {
                Some(("response_item/message/developer", Some(texts.concat())))
            }
            (Some("response_item"), Some("message"), Some("user")) if prompts => {
                let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
                Some(("response_item/message/user", Some(texts.join("\n"))))
            }
            (Some("event_msg"), Some("item_completed"), _) if payload["item"]["type"] == "HookPrompt" => {
                Some(("event_msg/item_completed/HookPrompt", None))
            }
            (Some("response_item"), Some("function_call_output"), _) => {
                let output = plain(payload["output"].as_str().unwrap_or_default());
                let is_hooks = |sent: &ToModel| sent.channel == Channel::ToolResult && sent.text == output;
                let found = to_model.iter().any(is_hooks);
                found.then_some(("response_item/function_call_output", Some(output)))
            }
            _ => None,
        };
        kept.extend(record.map(|(kind, rendered)| Kept { kind, rendered }));
    }
    kept
}
