//! One run of one hook, and what Codex makes of it. Whatever cannot be read is a failure, and a failure changes nothing.
//!
//! `<id>` stands for the run's id, `<command>` for the tool's command, `<n>` for the handler's time in seconds.

use super::heard::{blocked, of_object};
use super::said::{self, Stdout};
use super::{Event, spill};
use crate::hosts::contract::{
    Channel, Effect, End, GoesOn, Handler, HostEnd, Kept, Printed, Run, Status, ToModel,
};

/// What Codex makes of a hook that stands alone at its event, is trusted, and ran like this.
///
/// A run of an MCP tool has the tool's text as its stdout, and ends with 1 and the text on stderr where the tool
/// reports an error.
pub fn effect(event: Event, handler: Handler, run: &Run) -> Effect {
    let ignored = |why: &str| whole(event, Made::new(Status::Ignored { why: why.to_owned() }));
    match handler {
        Handler::Command => of_command(event, run),
        // There is nothing left that it could run beside.
        Handler::AsyncCommand if event == Event::SessionEnd => of_command(event, run),
        Handler::AsyncCommand => ignored("it is not waited for, so it decides nothing"),
        Handler::McpTool if event == Event::SessionEnd => ignored("SessionEnd MCP hooks are not supported"),
        Handler::McpTool if run.end == End::Exit(0) => printed(event, &run.stdout),
        Handler::McpTool => failed(event, &format!("MCP tool returned an error: {}", run.stderr)),
        Handler::Prompt => ignored("prompt hooks are not supported yet"),
        Handler::Agent => ignored("agent hooks are not supported yet"),
        Handler::Http => ignored("unknown variant `http`"),
    }
}

/// What a hook made happen; [`whole`] adds what follows from it.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) status: Status,
    pub(super) goes_on: GoesOn,
    pub(super) to_model: Vec<ToModel>,
    pub(super) to_person: Vec<String>,
    /// Texts that stay in the conversation although this message is dropped; the next one takes them along.
    pub(super) for_later: Vec<ToModel>,
}

impl Made {
    pub(super) fn new(status: Status) -> Self {
        Self {
            status,
            goes_on: GoesOn::AsBefore,
            to_model: Vec::new(),
            to_person: Vec::new(),
            for_later: Vec::new(),
        }
    }

    pub(super) fn goes_on(self, goes_on: GoesOn) -> Self {
        Self { goes_on, ..self }
    }

    pub(super) fn model(mut self, channel: Channel, text: &str) -> Self {
        self.to_model.push(ToModel { channel, text: text.to_owned() });
        self
    }

    pub(super) fn person(mut self, text: &str) -> Self {
        self.to_person.push(text.to_owned());
        self
    }

    pub(super) fn later(mut self, text: &str) -> Self {
        self.for_later.push(ToModel { channel: Channel::Developer, text: text.to_owned() });
        self
    }
}

/// The effect, with what the session's file keeps (exactly what went to the model) and how `codex exec` ends.
pub(super) fn whole(event: Event, made: Made) -> Effect {
    let Made { status, goes_on, to_model, to_person, for_later } = made;
    let kept = records(&[for_later, to_model.clone()].concat());
    let dropped = goes_on == GoesOn::PromptDropped;
    // A turn that is broken off ends `codex exec` with 1; a Stop hook that ends a turn does not.
    let broken_off = event == Event::Interrupt
        || goes_on == GoesOn::TurnEnds && matches!(event, Event::PreCompact | Event::PostCompact);
    let printed = if dropped || broken_off { Printed::Nothing } else { Printed::Reply };
    let host_end = HostEnd { exit_code: i32::from(broken_off), subtype: None, printed };
    Effect { status, goes_on, to_model, to_person, kept, dropped_prompt_kept: dropped.then_some(0), host_end }
}

/// The records of a session's file in which texts stand that went to the model. The reasons of several blocks are one
/// message.
fn records(sent: &[ToModel]) -> Vec<Kept> {
    let record = |kind, sent: &ToModel| Kept { kind, rendered: Some(sent.text.clone()) };
    let (prompts, others): (Vec<&ToModel>, Vec<&ToModel>) =
        sent.iter().partition(|sent| sent.channel == Channel::User);
    let mut kept: Vec<Kept> = others
        .into_iter()
        .map(|sent| match sent.channel {
            Channel::ToolResult => record("response_item/function_call_output", sent),
            Channel::Developer | Channel::User => record("response_item/message/developer", sent),
        })
        .collect();
    if !prompts.is_empty() {
        let texts: Vec<&str> = prompts.iter().map(|sent| sent.text.as_str()).collect();
        kept.push(Kept { kind: "response_item/message/user", rendered: Some(texts.join("\n")) });
        // It holds the reasons by themselves.
        kept.push(Kept { kind: "event_msg/item_completed/HookPrompt", rendered: None });
    }
    kept
}

pub(super) fn failed(event: Event, why: &str) -> Effect {
    let made = Made::new(Status::Failed { why: why.to_owned() });
    whole(event, if why.is_empty() { made } else { made.person(why) })
}

fn of_command(event: Event, run: &Run) -> Effect {
    let stderr = run.stderr.trim();
    match run.end {
        End::Exit(0) => printed(event, &run.stdout),
        End::Exit(2) if blocks_by_exit_code(event) => match stderr {
            "" => {
                let (name, missing) = (event.name(), missing(event));
                let why = format!("{name} hook exited with code 2 but did not write {missing} to stderr");
                failed(event, &why)
            }
            reason => whole(event, blocked(event, reason)),
        },
        End::Exit(code) => failed(event, &ended_with(event, code, stderr)),
        // A shell starts the command, and tells that there is none.
        End::NotStarted => failed(event, &ended_with(event, 127, stderr)),
        End::Signal => failed(event, killed(event)),
        End::TimedOut => failed(event, "hook timed out after <n>s"),
    }
}

fn blocks_by_exit_code(event: Event) -> bool {
    matches!(
        event,
        Event::PreToolUse
            | Event::PermissionRequest
            | Event::PostToolUse
            | Event::UserPromptSubmit
            | Event::SubagentStop
            | Event::Stop
    )
}

/// What an exit 2 without a word on stderr should have said.
fn missing(event: Event) -> &'static str {
    if event == Event::PermissionRequest {
        "a denial reason"
    } else if event == Event::PostToolUse {
        "feedback"
    } else if matches!(event, Event::Stop | Event::SubagentStop) {
        "a continuation prompt"
    } else {
        "a blocking reason"
    }
}

fn about_the_model(event: Event) -> bool {
    matches!(event, Event::PreModelRequest | Event::PostModelRequest)
}

/// Whether the words for a failure are those on its stderr, where there are any.
fn tells_stderr(event: Event) -> bool {
    about_the_model(event) || matches!(event, Event::PreCompact | Event::PostCompact | Event::SessionEnd)
}

fn ended_with(event: Event, code: i32, stderr: &str) -> String {
    if tells_stderr(event) && !stderr.is_empty() {
        stderr.to_owned()
    } else if about_the_model(event) {
        String::new()
    } else {
        format!("hook exited with code {code}")
    }
}

fn killed(event: Event) -> &'static str {
    if about_the_model(event) {
        ""
    } else if tells_stderr(event) {
        "hook process terminated without an exit code"
    } else {
        "hook exited without a status code"
    }
}

fn printed(event: Event, stdout: &str) -> Effect {
    if about_the_model(event) || event == Event::SessionEnd {
        return whole(event, Made::new(Status::Completed));
    }
    match said::read(event, stdout) {
        Stdout::Nothing => whole(event, Made::new(Status::Completed)),
        Stdout::Object(said) => whole(event, of_object(event, &said)),
        Stdout::Broken => failed(event, &format!("hook returned invalid {} output", shape_name(event))),
        Stdout::Text(text) => match event {
            Event::SessionStart | Event::UserPromptSubmit | Event::SubagentStart => {
                whole(event, with_context(Made::new(Status::Completed), &text))
            }
            Event::Stop | Event::SubagentStop => {
                failed(event, &format!("hook returned invalid {} output", shape_name(event)))
            }
            Event::Interrupt => failed(event, "Interrupt hook returned non-JSON stdout"),
            Event::PreToolUse
            | Event::PermissionRequest
            | Event::PostToolUse
            | Event::PreCompact
            | Event::PostCompact
            | Event::PreModelRequest
            | Event::PostModelRequest
            | Event::SessionEnd => whole(event, Made::new(Status::Completed)),
        },
    }
}

/// As the client calls the object that an event's hook should have printed.
fn shape_name(event: Event) -> &'static str {
    match event {
        Event::PreToolUse => "pre-tool-use JSON",
        Event::PermissionRequest => "permission-request JSON",
        Event::PostToolUse => "post-tool-use JSON",
        Event::PreCompact => "PreCompact hook JSON",
        Event::PostCompact => "PostCompact hook JSON",
        Event::SessionStart => "session start JSON",
        Event::UserPromptSubmit => "user prompt submit JSON",
        Event::SubagentStart => "subagent start JSON",
        Event::SubagentStop => "subagent stop hook JSON",
        Event::Stop => "stop hook JSON",
        Event::Interrupt => "interrupt hook JSON",
        Event::PreModelRequest | Event::PostModelRequest | Event::SessionEnd => "",
    }
}

fn with_context(made: Made, text: &str) -> Made {
    made.model(Channel::Developer, &spill::placed(text)).person(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "response_item/message/user";
    const DEVELOPER: &str = "response_item/message/developer";

    fn kept(kind: &'static str, rendered: &str) -> Kept {
        Kept { kind, rendered: Some(rendered.to_owned()) }
    }

    /// What no row says, as [`whole`] adds it to the rows too: what the session's file keeps, whether the message is
    /// there still, and how `codex exec` ends and whether it prints the model's reply.
    #[test]
    fn what_follows_from_an_effect() {
        let block = r#"{"decision":"block","reason":"R"}"#;
        let stop = r#"{"continue":false}"#;
        let both = r#"{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"C"}}"#;
        let prompt = "<hook_prompt hook_run_id=\"<id>\">R</hook_prompt>";
        let item = Kept { kind: "event_msg/item_completed/HookPrompt", rendered: None };
        let replies = (None, 0, Printed::Reply);
        for (event, stdout, records, (dropped, exit_code, printed)) in [
            (Event::Stop, "", vec![], replies.clone()),
            (Event::Stop, block, vec![kept(USER, prompt), item.clone()], replies.clone()),
            // A Stop that ends the turn leaves its reply.
            (Event::Stop, stop, vec![], replies.clone()),
            (
                Event::PostToolUse,
                block,
                vec![kept("response_item/function_call_output", "R")],
                replies.clone(),
            ),
            (Event::UserPromptSubmit, "C", vec![kept(DEVELOPER, "C")], replies.clone()),
            (Event::UserPromptSubmit, block, vec![], (Some(0), 0, Printed::Nothing)),
            (Event::UserPromptSubmit, both, vec![kept(DEVELOPER, "C")], (Some(0), 0, Printed::Nothing)),
            (Event::PreCompact, "", vec![], replies.clone()),
            (Event::PreCompact, stop, vec![], (None, 1, Printed::Nothing)),
            (Event::PostCompact, "", vec![], replies.clone()),
            (Event::PostCompact, stop, vec![], (None, 1, Printed::Nothing)),
            (Event::SessionEnd, stop, vec![], replies.clone()),
            // The person has broken the turn off already.
            (Event::Interrupt, "", vec![], (None, 1, Printed::Nothing)),
        ] {
            let made = effect(event, Handler::Command, &Run::exited(0, stdout, ""));
            let case = format!("{} {stdout}", event.name());
            assert_eq!(made.kept, records, "{case}");
            assert_eq!(made.dropped_prompt_kept, dropped, "{case}");
            assert_eq!(made.host_end, HostEnd { exit_code, subtype: None, printed }, "{case}");
        }
        let two = ["R1", "R2"].map(|text| ToModel { channel: Channel::User, text: text.to_owned() });
        assert_eq!(records(&two), [kept(USER, "R1\nR2"), item]);
    }
}
