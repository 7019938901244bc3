//! The events of Codex, and what each can still change: where it stands in a session decides that, not its name.
//! 0.171.0 knows fourteen; the study names eleven.

use crate::hosts::contract::GoesOn;

/// A point in a session at which Codex runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A request is about to go to the model.
    PreModelRequest,
    /// The model has answered.
    PostModelRequest,
    /// A tool is about to run.
    PreToolUse,
    /// A command needs somebody's leave: before the automatic review, and before the person is asked.
    PermissionRequest,
    /// A tool has run.
    PostToolUse,
    /// The conversation is about to be compacted.
    PreCompact,
    /// It was compacted.
    PostCompact,
    /// A session's first message, or its first one after a compaction.
    SessionStart,
    /// A session is being taken down.
    SessionEnd,
    /// A message of the person is about to go to the model.
    UserPromptSubmit,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent has answered.
    SubagentStop,
    /// The model has answered and the turn is about to end.
    Stop,
    /// The person has broken a turn off.
    Interrupt,
}

impl Event {
    /// All of them, in the order in which the client lists them.
    pub const ALL: [Self; 14] = [
        Self::PreModelRequest,
        Self::PostModelRequest,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PostToolUse,
        Self::PreCompact,
        Self::PostCompact,
        Self::SessionStart,
        Self::SessionEnd,
        Self::UserPromptSubmit,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::Stop,
        Self::Interrupt,
    ];

    /// As a configuration and a hook's stdin name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreModelRequest => "PreModelRequest",
            Self::PostModelRequest => "PostModelRequest",
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::Interrupt => "Interrupt",
        }
    }

    /// The event of that name; `None` for a name that Codex passes over in silence.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// What a group's `matcher` is compared with; `None` where it is ignored, however it is written.
    pub fn matched_with(self) -> Option<&'static str> {
        match self {
            Self::PreToolUse | Self::PermissionRequest | Self::PostToolUse => Some("tool_name"),
            Self::PreCompact | Self::PostCompact => Some("trigger"),
            Self::SessionStart => Some("source"),
            Self::SessionEnd => Some("reason"),
            Self::SubagentStart | Self::SubagentStop => Some("agent_type"),
            Self::PreModelRequest
            | Self::PostModelRequest
            | Self::UserPromptSubmit
            | Self::Stop
            | Self::Interrupt => None,
        }
    }

    /// The time that a handler without `timeout` gets, in seconds.
    pub fn default_timeout_s(self) -> u64 {
        match self {
            Self::SessionEnd | Self::Interrupt => 1,
            Self::PreModelRequest
            | Self::PostModelRequest
            | Self::PreToolUse
            | Self::PermissionRequest
            | Self::PostToolUse
            | Self::PreCompact
            | Self::PostCompact
            | Self::SessionStart
            | Self::UserPromptSubmit
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::Stop => 600,
        }
    }

    /// The most that a handler gets whatever its `timeout` says, in seconds.
    pub fn longest_timeout_s(self) -> Option<u64> {
        matches!(self, Self::SessionEnd | Self::Interrupt).then_some(3)
    }

    /// Whether a hook can hand a text to the model as the developer's.
    pub fn takes_context(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::SessionStart
                | Self::UserPromptSubmit
                | Self::SubagentStart
        )
    }

    /// What a hook can make of it, beside letting everything be.
    pub fn may(self) -> &'static [GoesOn] {
        match self {
            Self::PreToolUse => &[GoesOn::ToolRefused, GoesOn::ToolChanged],
            Self::PermissionRequest => &[GoesOn::Refused, GoesOn::AllowedOnce],
            Self::PostToolUse => &[GoesOn::ResultReplaced],
            Self::PreCompact | Self::PostCompact => &[GoesOn::TurnEnds],
            Self::SessionStart | Self::UserPromptSubmit => &[GoesOn::PromptDropped],
            Self::SubagentStop | Self::Stop => &[GoesOn::TurnContinues, GoesOn::TurnEnds],
            Self::PreModelRequest
            | Self::PostModelRequest
            | Self::SessionEnd
            | Self::SubagentStart
            | Self::Interrupt => &[],
        }
    }
}
