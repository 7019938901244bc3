//! The events of Codex 0.171.0: fourteen names, and what a handler can do at each.
//! `prompt` and `agent` handlers are recognised and parsed, and never run. The tables of `rows` were measured on the
//! client and must agree.

use super::super::contract::Handler;
use super::super::contract::Handler::{AsyncCommand, Command, McpTool};
use super::super::life_cycle::{Limit, Matcher, Point, Power};

/// The client that the table was measured on.
pub const CLIENT: &str = "0.171.0";

const RUN: &[Handler] = &[Command, AsyncCommand, McpTool];

const fn point(event: &'static str, power: Power, matcher: Matcher) -> Point {
    Point { event, power, runs: RUN, matcher, limit: Limit { default_s: 600.0, cap_s: None } }
}

/// Every event that the host has a name for; another name is dropped without a word.
pub const EVENTS: [Point; 14] = [
    point("PreModelRequest", Power::Nothing, Matcher::Ignored),
    point("PostModelRequest", Power::Nothing, Matcher::Ignored),
    point("PreToolUse", Power::Tool, Matcher::Tools),
    point("PermissionRequest", Power::Leave, Matcher::Tools),
    point("PostToolUse", Power::ToolResult, Matcher::Tools),
    point("PreCompact", Power::Step, Matcher::Values),
    point("PostCompact", Power::Nothing, Matcher::Values),
    point("SessionStart", Power::Start, Matcher::Values),
    // Told while the host is taken down: stdout is dropped, and no MCP server is asked any more.
    Point {
        runs: &[Command, AsyncCommand],
        limit: Limit { default_s: 1.0, cap_s: Some(3.0) },
        ..point("SessionEnd", Power::Nothing, Matcher::Values)
    },
    point("UserPromptSubmit", Power::Prompt, Matcher::Ignored),
    point("SubagentStart", Power::Context, Matcher::Values),
    point("SubagentStop", Power::TurnEnd, Matcher::Values),
    point("Stop", Power::TurnEnd, Matcher::Ignored),
    Point {
        limit: Limit { default_s: 1.0, cap_s: Some(3.0) },
        ..point("Interrupt", Power::Nothing, Matcher::Ignored)
    },
];

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::*;

    /// What a configuration is told and what the rows were measured with are one thing.
    #[test]
    fn the_points_are_those_of_the_rows() {
        let names: Vec<&str> = EVENTS.iter().map(|point| point.event).collect();
        assert_eq!(names, Event::ALL.map(Event::name));
        for (point, event) in EVENTS.iter().zip(Event::ALL) {
            let name = event.name();
            let seconds = |s: u64| std::time::Duration::from_secs(s).as_secs_f64();
            assert!((point.limit.default_s - seconds(event.default_timeout_s())).abs() < 0.1, "{name}");
            assert_eq!(point.limit.cap_s, event.longest_timeout_s().map(seconds), "{name}");
            let is_matched = point.matcher != Matcher::Ignored;
            assert_eq!(is_matched, event.matched_with().is_some(), "{name}");
            assert_eq!(
                point.power == Power::Context,
                event.may().is_empty() && event.takes_context(),
                "{name}"
            );
            let nothing = event.may().is_empty() && !event.takes_context();
            // A compaction that has happened is not undone by the end of its turn.
            assert_eq!(point.power == Power::Nothing, nothing || event == Event::PostCompact, "{name}");
        }
    }
}
