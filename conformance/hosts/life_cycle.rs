//! What a host's configuration can promise at each point of its life cycle: which handlers it runs there, for how
//! long, and what they can still change. The name of an event gives no power; the place where it stands does.

use super::contract::Handler;

/// One event as one host treats it.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// The event's name in a configuration.
    pub event: &'static str,
    /// What a handler can still change there.
    pub power: Power,
    /// The kinds of handler that the host runs there; another kind is recognised and passed over.
    pub runs: &'static [Handler],
    /// Whether `matcher` chooses among the event's occurrences, or is not looked at.
    pub matcher: Matcher,
    /// How long a command may take.
    pub limit: Limit,
}

impl Point {
    /// How long a handler of this kind may take. A model answers within a limit of its own (Claude Code's
    /// documentation of hooks, November 2026).
    pub fn limit_of(&self, kind: Handler) -> Limit {
        match kind {
            Handler::Prompt => Limit { default_s: 30.0, ..self.limit },
            Handler::Agent => Limit { default_s: 60.0, ..self.limit },
            Handler::Command | Handler::AsyncCommand | Handler::McpTool | Handler::Http => self.limit,
        }
    }
}

/// What a handler can still change, seen from where its event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// The tool has not run: it can be refused, and its input changed.
    Tool,
    /// A request for leave: it can be answered.
    Leave,
    /// The tool has run: what the model sees of it can be replaced or added to; what it did stays done.
    ToolResult,
    /// All tools of a step have run: the turn can be ended, or a text added.
    ToolResults,
    /// The person's message has not been sent: it can be dropped, or a text added.
    Prompt,
    /// The turn is about to end: it can be made to go on.
    TurnEnd,
    /// Something other than a tool is about to happen (a compaction, a new task, a switch): it can be refused.
    Step,
    /// Text for the model can be added; nothing can be refused.
    Context,
    /// The start: text for the model can be added, and the start be called off.
    Start,
    /// What is shown or answered can be replaced by the handler's own.
    Answer,
    /// The handler makes the thing itself; without its answer there is none.
    Supply,
    /// Nothing: the event tells that something happened.
    Nothing,
}

/// What `matcher` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matcher {
    /// It chooses among tools, by name.
    Tools,
    /// It chooses among values of the event's own: a source, a reason, a type.
    Values,
    /// The host does not look at it: the handler runs every time.
    Ignored,
}

/// How long a command may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Where the configuration says nothing, in seconds.
    pub default_s: f64,
    /// The most that the host grants, in seconds, whatever the configuration says.
    pub cap_s: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{claude_code, codex};

    /// Claude Code's documentation of hooks, November 2026: 600 s for a command, 30 for a prompt, 60 for an agent.
    #[test]
    fn a_model_has_less_time_than_a_command() {
        let point = claude_code::events::EVENTS.iter().find(|point| point.event == "Stop").unwrap();
        for (kind, default_s) in [
            (Handler::Command, 600.0),
            (Handler::AsyncCommand, 600.0),
            (Handler::McpTool, 600.0),
            (Handler::Http, 600.0),
            (Handler::Prompt, 30.0),
            (Handler::Agent, 60.0),
        ] {
            assert_eq!(point.limit_of(kind), Limit { default_s, ..point.limit }, "{kind:?}");
        }
        let capped = codex::events::EVENTS.iter().find(|point| point.event == "SessionEnd").unwrap();
        assert_eq!(capped.limit_of(Handler::Agent).cap_s, Some(3.0));
    }
}
