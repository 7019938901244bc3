//! What the study of Codex's hook engine says, rule by rule, and where the client of today does otherwise. Each rule is
//! shown by at least one row of a table; a rule that no row cites fails the tests.

/// One rule of the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// How rows cite it.
    pub id: &'static str,
    /// What it says.
    pub says: &'static str,
    /// The place in the engine's source that the study names, where it names one.
    pub place: &'static str,
    /// What the client that the tables were measured on does otherwise; empty where it does the same.
    pub today: &'static str,
}

const fn rule(id: &'static str, place: &'static str, says: &'static str, today: &'static str) -> Rule {
    Rule { id, says, place, today }
}

/// All of them, in the study's order.
pub const RULES: &[Rule] = &[
    rule(
        "recognised",
        "protocol.rs 1510",
        "eleven events are recognised",
        "fourteen: PreModelRequest, PostModelRequest and Interrupt came, and all of them run",
    ),
    rule(
        "parsed",
        "hook_config.rs 183-187",
        "four kinds of handler are parsed: command, mcp_tool, prompt, agent; the last two hold nothing that could run",
        "",
    ),
    rule("unknown-kind", "hook_config.rs 183-187", "another kind breaks the whole configuration", ""),
    rule(
        "run",
        "discovery.rs 626-645",
        "only command and mcp_tool run; prompt and agent are skipped with \"not supported yet\", and the session goes on",
        "",
    ),
    rule(
        "managed",
        "discovery.rs 626-645",
        "managed hooks of such a kind keep the session from starting",
        "any managed hook that is skipped does, an empty command too",
    ),
    rule(
        "notify",
        "engine/mod.rs 107-119",
        "`notify` is another path: a command at a turn's end, and no answer",
        "",
    ),
    rule(
        "time-out",
        "command_runner.rs 317-326",
        "a hook that takes too long has failed, and what it stood before happens",
        "",
    ),
    rule("deny-by-json", "", "a block is words in the right shape", ""),
    rule("deny-by-exit", "", "or exit 2 with the reason on stderr", ""),
    rule("exit-2-silent", "", "exit 2 without a reason is a failure and blocks nothing", ""),
    rule("async", "pre_tool_use.rs 261-277", "an async hook decides nothing, whatever it prints", ""),
    rule(
        "trust",
        "pre_tool_use.rs 261-277",
        "only a trusted hook changes anything",
        "an untrusted one does not run",
    ),
    rule("eight", "", "at most eight async hooks run at once", "the others wait for their turn"),
    rule(
        "leave-first",
        "approvals.rs 454-474",
        "PermissionRequest runs before the review and before the person is asked",
        "`codex exec` reaches it with --approve-for-me only, and approval_policy \"untrusted\" is gone",
    ),
    rule("leave-deny-wins", "approvals.rs 454-474", "any refusal wins at once, else the last allowance", ""),
    rule(
        "leave-once",
        "approvals.rs 454-474",
        "an allowance holds once: the same command is asked for again",
        "",
    ),
    rule(
        "leave-reserved",
        "",
        "reserved fields (updatedInput) fail closed",
        "closed means not allowed by the hook: the review or the person is asked as if there were none",
    ),
    rule("leave-unknown", "", "what cannot be read is no allowance", "the same: it is asked for"),
    rule(
        "pre-tool",
        "",
        "PreToolUse can refuse a tool and change its input; its failures let the tool run",
        "",
    ),
    rule(
        "post-tool",
        "",
        "PostToolUse runs after a tool's success only, and replaces the result; what was done is done",
        "a command that ends with an error is a success here; only a call that failed itself has no PostToolUse",
    ),
    rule(
        "stop-continues",
        "turn.rs 509-538",
        "a block with a reason continues the turn, without a new SessionStart",
        "",
    ),
    rule(
        "stop-no-reason",
        "turn.rs 509-538",
        "a block without a reason is ignored",
        "it is a failure, and told so",
    ),
    rule("stop-beats-block", "turn.rs 509-538", "`continue: false` ends the turn, and beats a block", ""),
    rule(
        "prompt-stop",
        "",
        "a block of UserPromptSubmit stops this message, and its stderr is nobody's next prompt",
        "",
    ),
    rule(
        "prompt-matcher",
        "",
        "its matcher is ignored",
        "so are those of Stop, Interrupt and of the two model events",
    ),
    rule("session-start", "", "SessionStart honours `continue: false`", ""),
    rule("subagent", "", "the sub-agents' events come only where an agent is started", ""),
    rule("subagent-start", "", "SubagentStart takes context only; `continue: false` is dropped", ""),
    rule(
        "session-end-time",
        "session_end.rs 20-24",
        "SessionEnd has a second, and at most three",
        "so has Interrupt",
    ),
    rule(
        "session-end-deaf",
        "session_end.rs 20-24",
        "its exit 0 is Completed, and its stdout is dropped",
        "",
    ),
    rule(
        "session-end-mcp",
        "session_end.rs 20-24",
        "MCP handlers are skipped there",
        "and an async one is waited for",
    ),
    rule(
        "developer",
        "output_spill.rs 53-91",
        "a hook's text reaches the model as the developer's",
        "but for a Stop's reason: that is the user's",
    ),
    rule(
        "spill",
        "output_spill.rs 53-91",
        "over about 2,500 tokens the model gets head, tail and the path of a file with the whole",
        "additionalContextLimit of a handler moves the limit, and 0 lifts it",
    ),
    rule("spill-disk", "output_spill.rs 53-91", "where the disk takes no file the middle is gone", ""),
];
