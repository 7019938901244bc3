//! The events of Codex 0.171.0: thirteen names, and what a handler can do at each.
//! `prompt` and `agent` handlers are recognised and parsed, and never run. Sources: the study of Codex's hook engine
//! that came with the spec, and the facts measured on the binary (facts/codex.md, section 8).

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
pub const EVENTS: [Point; 13] = [
    point("PreModelRequest", Power::Context, Matcher::Ignored),
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
        limit: Limit { default_s: 1.0, cap_s: None },
        ..point("Interrupt", Power::Nothing, Matcher::Ignored)
    },
];
