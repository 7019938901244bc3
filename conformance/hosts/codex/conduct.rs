//! What Codex does with hooks beside hearing one: trust, time, how many at once, long texts, managed hooks, and when an
//! event comes at all. Each row names the case of the suite `clients` that shows it; a name without a case fails there.

use super::rows::Source;
use crate::hosts::contract::Proof;

/// One way in which the engine behaves.
#[derive(Debug, Clone, Copy)]
pub struct Conduct {
    /// What it does.
    pub says: &'static str,
    /// The case that shows it.
    pub case: &'static str,
    /// Who says so.
    pub source: Source,
    /// Whether the real client is brought to it.
    pub proof: Proof,
}

const fn study(rule: &'static str, case: &'static str, says: &'static str) -> Conduct {
    Conduct { says, case, source: Source::Study(rule), proof: Proof::Run }
}

const fn client(case: &'static str, says: &'static str) -> Conduct {
    Conduct { says, case, source: Source::Client, proof: Proof::Run }
}

const fn not_run(source: Source, says: &'static str, why: &'static str) -> Conduct {
    Conduct { says, case: "", source, proof: Proof::NotRun { why } }
}

/// All of it.
pub const CONDUCT: &[Conduct] = &[
    study("trust", "h4_trust", "a hook that was never trusted is listed, does not run, and nobody is told"),
    client("h4_trust", "a hook whose command changed since is `modified` and does not run"),
    client("h4_trust", "`enabled = false` turns a trusted hook off"),
    client("h4_trust", "`--dangerously-bypass-hook-trust` runs them all, and says so"),
    study(
        "async",
        "h4_async_output",
        "an async hook's context goes with the next message, and a systemMessage is a warning",
    ),
    client("h4_async_output", "what an async hook prints is no hook run: no notification of it comes"),
    study("eight", "h4_eight_at_once", "of ten async hooks eight run, and the others when those have ended"),
    client("h4_eight_at_once", "hooks that are waited for all run at once"),
    client("h4_async_at_the_end", "`codex exec` does not wait for an async hook, and ends it"),
    study(
        "spill",
        "h4_spill",
        "10,000 bytes arrive whole; one more, and it is head, tail and a path, and the file holds all",
    ),
    client("h4_spill", "a long reason of a Stop's block is cut the same way"),
    client("h4_spill", "additionalContextLimit moves the limit, and 0 lifts it"),
    client("h4_spill", "the file is readable for everybody and stays"),
    study("spill-disk", "h4_spill", "where no file can be written the middle is gone, and no path is named"),
    study(
        "managed",
        "h4_managed",
        "a managed prompt, agent, blank command or MCP tool at SessionEnd: Codex does not start",
    ),
    client("h4_managed", "a managed command runs without trust"),
    study(
        "notify",
        "h4_notify",
        "`notify` gets its JSON as an argument, and what it prints and how it ends is nobody's affair",
    ),
    study("leave-once", "h4_leave", "the same command is asked for again after an allowance"),
    study(
        "leave-first",
        "h4_leave",
        "`codex exec --approve-for-me`: an allowance of a hook leaves no question for the review",
    ),
    client("h4_leave", "`codex exec` without it never asks, so no PermissionRequest runs"),
    client("h4_leave", "approval_policy \"untrusted\" keeps Codex from starting"),
    study(
        "post-tool",
        "h4_tools",
        "a command that ended with an error has a PostToolUse; a call that never ran has none",
    ),
    client(
        "h4_tools",
        "a shell command is `Bash` for a matcher: names with | are whole names, else it is a pattern",
    ),
    study(
        "stop-continues",
        "h4_stops",
        "a turn that a block continues has no second SessionStart, and its next Stop has stop_hook_active",
    ),
    client("h4_stops", "twelve blocks in a row are all obeyed: there is no cap"),
    client("h4_stops", "a turn that ends with the service's error has no Stop"),
    study(
        "subagent",
        "h4_subagents",
        "a turn without an agent has no sub-agent's event, and an agent's end is no Stop",
    ),
    study(
        "session-end-time",
        "h4_session_end",
        "`codex exec` runs SessionEnd too, and gives it no more than its second",
    ),
    not_run(
        Source::Client,
        "without `timeout` a hook has 600 s",
        "ten minutes; `hooks/list` says the number, and a row about files compares it",
    ),
    not_run(
        Source::Facts("8"),
        "hooks of a project's `.codex/hooks.json` need the project's trust as well",
        "the facts have it for a project that is not trusted; the suite has no trusted project",
    ),
    not_run(
        Source::Client,
        "managed hooks come from the system's folder, from a company's account, or from a device's management",
        "the last two need a service; the suite shows the folder",
    ),
];
