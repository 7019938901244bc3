//! What became of one event, as the client would judge it: a hook that prints something is not a hook that works.
//! "Blocked", "told" and "handed on" are the contract's answers; only `silent` and `json` look at the bytes.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::time::Duration;

use serde_json::Value;
use stop_auditor::hosts::claude_code::{self, Situation};
use stop_auditor::hosts::contract::{self, Effect, End, GoesOn, Handler, Status};

/// What the client would know of the event beside the run.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// `None`: an event at which the hook is not registered, and whose output nobody heeds.
    pub(crate) event: Option<claude_code::Event>,
    pub(crate) situation: Situation,
}

/// What became of one event.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) given: Given,
    /// `None`: ended by a signal, or by the watchdog.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// From the start of the shell to its end.
    pub(crate) elapsed: Duration,
    /// The watchdog had to end it.
    pub(crate) hung: bool,
    /// Somebody kept the hook's own stdout or stderr open after its end: the client would go on waiting.
    pub(crate) held_open: bool,
}

impl Run {
    /// A run that is made up, of a hook called `hook`, for what judges runs.
    pub(crate) fn ended(event: &str, code: Option<i32>, stdout: &str) -> Self {
        let situation = Situation { command: "hook".into(), prompt: "words".into(), blocks_in_a_row: 0 };
        Self {
            given: Given { event: claude_code::Event::named(event), situation },
            code,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            elapsed: Duration::ZERO,
            hung: false,
            held_open: false,
        }
    }

    /// Some only where stdout is exactly one JSON object, with white space round it at most.
    pub(crate) fn json(&self) -> Option<Value> {
        let value: Value = serde_json::from_str(self.stdout.trim()).ok()?;
        value.is_object().then_some(value)
    }

    /// Nothing on stdout, exit 0.
    pub(crate) fn silent(&self) -> bool {
        self.stdout.is_empty() && self.code == Some(0)
    }

    /// All that the client would make of it.
    pub(crate) fn effect(&self) -> Option<Effect> {
        let end = match self.code {
            Some(code) => End::Exit(code),
            None if self.hung => End::TimedOut,
            None => End::Signal,
        };
        let run = contract::Run { stdout: self.stdout.clone(), stderr: self.stderr.clone(), end };
        Some(claude_code::effect(self.given.event?, Handler::Command, &run, &self.given.situation))
    }

    /// Whether the client would hold somebody up for a reason: at Stop send Claude back, at a prompt drop it.
    pub(crate) fn blocked(&self) -> bool {
        self.effect()
            .is_some_and(|effect| matches!(effect.status, Status::Blocked { .. }) && holds_up(&effect))
    }

    /// Whether all goes on as without the hook, with exit code 0. Less than silence: something may be shown.
    pub(crate) fn lets_through(&self) -> bool {
        self.code == Some(0) && self.effect().is_none_or(|effect| effect.goes_on == GoesOn::AsBefore)
    }

    /// The person is told that this turn was not audited, and why, and nothing else happens.
    pub(crate) fn not_audited(&self) -> bool {
        let message = self.message();
        let cause =
            message.strip_prefix("⚠️ 审计员不可用（").and_then(|rest| rest.strip_suffix("），本轮没审。"));
        cause.is_some_and(|cause| !cause.trim().is_empty()) && self.lets_through()
    }

    /// The hook's words to the person as they would be shown, without the event's name before each line; or "".
    pub(crate) fn message(&self) -> String {
        let (Some(event), Some(effect)) = (self.given.event, self.effect()) else { return String::new() };
        let says = format!("{} says: ", event.name());
        let shown = effect.to_person.iter().find(|text| text.starts_with(&says));
        let lines = shown.into_iter().flat_map(|text| text.split('\n'));
        lines.map(|line| line.strip_prefix(&says).unwrap_or(line)).collect::<Vec<&str>>().join("\n")
    }

    /// The reason with which the client would block, or "".
    pub(crate) fn reason(&self) -> String {
        match self.effect() {
            Some(Effect { status: Status::Blocked { reason }, .. }) if self.blocked() => reason,
            Some(_) | None => String::new(),
        }
    }

    /// What would reach the model beside the person's message, without the client's words before it; or "".
    pub(crate) fn handed_on(&self) -> String {
        let effect = self.effect().filter(|_| self.given.event == Some(claude_code::Event::UserPromptSubmit));
        let texts = effect.into_iter().flat_map(|effect| effect.to_model).map(|sent| {
            let text = sent.text.strip_prefix("UserPromptSubmit hook additional context: ");
            text.unwrap_or(&sent.text).to_owned()
        });
        texts.collect::<Vec<String>>().join("\n")
    }

    /// Code and output in one line, for a failing check.
    pub(crate) fn seen(&self) -> String {
        let hung = if self.hung { ", ended by the watchdog" } else { "" };
        format!("exit {:?}{hung}, stdout {:?}, stderr {:?}", self.code, self.stdout, self.stderr)
    }
}

fn holds_up(effect: &Effect) -> bool {
    matches!(effect.goes_on, GoesOn::TurnContinues | GoesOn::PromptDropped)
}
