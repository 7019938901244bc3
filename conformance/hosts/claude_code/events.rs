//! The events of Claude Code 2.1.332: 34 names, and what a handler can do at each.
//! Sources: the client's own catalogue of events (the texts of `/hooks`: what exit code 2 does at each), its list of
//! names, and the hooks page of its documentation (kinds of handler, time limits), November 2026.

use super::super::contract::Handler;
use super::super::contract::Handler::{Agent, AsyncCommand, Command, Http, McpTool, Prompt};
use super::super::life_cycle::{Limit, Matcher, Point, Power};

const ALL: &[Handler] = &[Command, AsyncCommand, McpTool, Http, Prompt, Agent];
/// An agent answers ok or not ok, which is no decision about leave.
const ALL_BUT_AGENT: &[Handler] = &[Command, AsyncCommand, McpTool, Http, Prompt];
/// Where there is no conversation to give to a model.
const NO_MODEL: &[Handler] = &[Command, AsyncCommand, McpTool, Http];
const LOCAL: &[Handler] = &[Command, AsyncCommand, McpTool];

const USUAL: Limit = Limit { default_s: 600.0, cap_s: None };

const fn point(event: &'static str, power: Power, runs: &'static [Handler], matcher: Matcher) -> Point {
    Point { event, power, runs, matcher, limit: USUAL }
}

const fn within(point: Point, limit: Limit) -> Point {
    Point { limit, ..point }
}

/// Every event that the client has a name for; another name is dropped without a word.
pub const EVENTS: [Point; 34] = [
    point("PreToolUse", Power::Tool, ALL, Matcher::Tools),
    point("PermissionRequest", Power::Leave, ALL_BUT_AGENT, Matcher::Tools),
    point("PermissionDenied", Power::Context, ALL, Matcher::Tools),
    point("PreSkillShellCommand", Power::Tool, NO_MODEL, Matcher::Tools),
    point("PostToolUse", Power::ToolResult, ALL, Matcher::Tools),
    point("PostToolUseFailure", Power::ToolResult, ALL, Matcher::Tools),
    point("PostToolBatch", Power::ToolResults, ALL, Matcher::Ignored),
    within(
        point("UserPromptSubmit", Power::Prompt, ALL, Matcher::Ignored),
        Limit { default_s: 30.0, cap_s: None },
    ),
    point("UserPromptExpansion", Power::Prompt, ALL, Matcher::Values),
    point("Stop", Power::TurnEnd, ALL, Matcher::Ignored),
    point("SubagentStop", Power::TurnEnd, ALL, Matcher::Values),
    point("StopFailure", Power::Nothing, NO_MODEL, Matcher::Values),
    point("SubagentStart", Power::Context, NO_MODEL, Matcher::Values),
    point("TeammateIdle", Power::TurnEnd, ALL, Matcher::Ignored),
    point("TaskCreated", Power::Step, ALL, Matcher::Ignored),
    point("TaskCompleted", Power::Step, ALL, Matcher::Ignored),
    point("PreCompact", Power::Step, NO_MODEL, Matcher::Values),
    point("PostCompact", Power::Nothing, NO_MODEL, Matcher::Values),
    point("PreModelSwitch", Power::Step, NO_MODEL, Matcher::Values),
    point("PostModelSwitch", Power::Context, NO_MODEL, Matcher::Values),
    point("ConfigChange", Power::Step, NO_MODEL, Matcher::Values),
    point("Elicitation", Power::Answer, NO_MODEL, Matcher::Values),
    point("ElicitationResult", Power::Answer, NO_MODEL, Matcher::Values),
    point("SessionStart", Power::Context, LOCAL, Matcher::Values),
    point("Setup", Power::Context, LOCAL, Matcher::Values),
    // The budget of all its handlers together; a longer time limit in a settings file raises it, up to the cap.
    within(
        point("SessionEnd", Power::Nothing, NO_MODEL, Matcher::Values),
        Limit { default_s: 1.5, cap_s: Some(60.0) },
    ),
    point("Notification", Power::Nothing, NO_MODEL, Matcher::Values),
    point("InstructionsLoaded", Power::Nothing, NO_MODEL, Matcher::Values),
    point("CwdChanged", Power::Nothing, NO_MODEL, Matcher::Ignored),
    point("FileChanged", Power::Nothing, NO_MODEL, Matcher::Values),
    point("DirectoryAdded", Power::Nothing, NO_MODEL, Matcher::Values),
    point("WorktreeCreate", Power::Supply, NO_MODEL, Matcher::Ignored),
    point("WorktreeRemove", Power::Nothing, NO_MODEL, Matcher::Ignored),
    within(
        point("MessageDisplay", Power::Answer, NO_MODEL, Matcher::Ignored),
        Limit { default_s: 10.0, cap_s: None },
    ),
];
