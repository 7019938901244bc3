//! The words that the two contracts share: how a hook ran, and what the host made of it.
//! An effect is whole: what is not named in it did not happen.

/// One ended run of a hook's handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// How it ended.
    pub end: End,
}

impl Run {
    /// A run that exited by itself.
    pub fn exited(code: i32, stdout: &str, stderr: &str) -> Self {
        Self { stdout: stdout.to_owned(), stderr: stderr.to_owned(), end: End::Exit(code) }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exit(i32),
    /// By a signal that the host did not send.
    Signal,
    /// The host's time for it was over, and the host ended it.
    TimedOut,
    /// There was nothing to start: no such file, not executable.
    NotStarted,
}

/// The kind of a handler in a hook configuration, as far as either host has a name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    /// A command that the host waits for.
    Command,
    /// A command that the host does not wait for (`"async": true`).
    AsyncCommand,
    /// A tool of an MCP server.
    McpTool,
    /// A prompt to a small model.
    Prompt,
    /// A sub-agent.
    Agent,
    /// A request to a URL.
    Http,
}

/// What a host made of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Whether the hook was heard, and what it decided.
    pub status: Status,
    /// Whether what the event stands before still happens.
    pub goes_on: GoesOn,
    /// What reaches the model because of the hook in this turn, in order; empty when nothing does.
    pub to_model: Vec<ToModel>,
    /// What the person sees because of the hook, in order.
    pub to_person: Vec<String>,
    /// What the transcript keeps because of the hook, in order.
    pub kept: Vec<Kept>,
    /// In how many of the transcript's records the message of a person still stands that was dropped; `None` where
    /// none was dropped.
    pub dropped_prompt_kept: Option<usize>,
    /// What a script that runs the host sees of it, where the host runs without a terminal.
    pub host_end: HostEnd,
}

/// Whether a hook was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It ran, and what it said was taken; it decided nothing.
    Completed,
    /// It blocked, for this reason.
    Blocked {
        /// The reason as the host hands it on.
        reason: String,
    },
    /// It stopped the turn (`continue: false`), which beats a block.
    Stopped {
        /// Its `stopReason`, if it gave one.
        reason: Option<String>,
    },
    /// It allowed what asked for leave.
    Allowed,
    /// It ran and was not heard: the host treats it as broken and lets everything through.
    Failed {
        /// The host's own words for it.
        why: String,
    },
    /// It was never run, or its output was never looked at.
    Ignored {
        /// Why.
        why: String,
    },
}

/// What becomes of the thing that the event stands before or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoesOn {
    /// As without the hook.
    AsBefore,
    /// The turn, which would have ended, goes on.
    TurnContinues,
    /// The turn ends here.
    TurnEnds,
    /// The person's message is dropped; the model is not asked.
    PromptDropped,
    /// The tool does not run.
    ToolRefused,
    /// The tool runs with another input.
    ToolChanged,
    /// The tool ran; the model sees the reason in place of its result.
    ResultReplaced,
    /// What asked for leave is refused.
    Refused,
    /// What asked for leave is allowed, this once.
    AllowedOnce,
    /// The host does not start.
    HostRefusesToStart,
}

/// One text that reaches the model because of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToModel {
    /// The role or the wrapper under which it arrives.
    pub channel: Channel,
    /// The text, with the host's wrapper round it. `<path>`, `<id>`, `<command>` stand for what differs from run to
    /// run, `<lead>` for a paragraph of the host's own about hooks.
    pub text: String,
}

/// How a text arrives at the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// As a message of the user.
    User,
    /// As a message of the developer or of the system.
    Developer,
    /// As the result of a tool.
    ToolResult,
}

/// One record that the transcript keeps because of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The record's type as the transcript names it, for example `hook_success` or `system/informational`.
    pub kind: &'static str,
    /// What the record says was rendered for the model; `None` when the record keeps null or has no such field.
    pub rendered: Option<String>,
}

/// How the host itself ended, run without a terminal (`claude -p`, `codex exec`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostEnd {
    /// Its exit code.
    pub exit_code: i32,
    /// The subtype of its result event, where it has one.
    pub subtype: Option<&'static str>,
    /// What it gives as the answer to the prompt.
    pub printed: Printed,
}

/// What a host without a terminal gives as the answer to its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    /// The model's last reply.
    Reply,
    /// Nothing, although the host ended well.
    Nothing,
    /// The host's own words, because no model was asked.
    Words(String),
}

/// Whether a row of a table was seen on the real client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The suite `clients` runs it against the real client, which must agree.
    Run,
    /// The client cannot be brought to it here.
    NotRun {
        /// Why not.
        why: &'static str,
    },
}
