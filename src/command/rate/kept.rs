//! What a case keeps of a transcript: fields whose values are the client's own words, and marks by which the client's own
//! texts are known. What is not listed here is taken for somebody's words.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::transcript::opener;

/// Fields of the client whose values are words of a small vocabulary; outside of what tools are given and give back.
pub(super) const KEPT_FIELDS: [&str; 22] = [
    "type",
    "subtype",
    "role",
    "kind",
    "promptSource",
    "turnOrigin",
    "commandMode",
    "operation",
    "stop_reason",
    "level",
    "version",
    "model",
    "entrypoint",
    "userType",
    "permissionMode",
    "hookEvent",
    "hookName",
    "status",
    "toolDenialKind",
    "media_type",
    "trigger",
    "apiBlockIndex",
];

/// Tools of the client itself. The name of any other tells what the person has set up.
pub(super) const TOOLS: &str = "Agent AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep KillShell LS Monitor MultiEdit \
    NotebookEdit NotebookRead Read SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop \
    TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write";

/// Fields whose names are words of the person: an option box's answers by question.
pub(super) const NAMED_BY_PERSON: [&str; 2] = ["answers", "annotations"];

/// Fields within arguments and results that are the client's own; a name that is none of these may be anybody's.
pub(super) const NESTED: [&str; 12] = [
    "questions",
    "question",
    "header",
    "options",
    "label",
    "description",
    "multiSelect",
    "edits",
    "old_string",
    "new_string",
    "replace_all",
    "notes",
];

/// When everything happened.
pub(super) const MOMENT: &str = "2026-01-01T00:00:00.000Z";

/// The client's tags.
const TAGS: &str = "task-notification|task-id|tool-use-id|output-file|summary|result|usage|command-name|command-message|\
    command-args|bash-input|bash-stdout|bash-stderr|local-command-stdout|local-command-stderr|local-command-caveat|\
    cross-session-message|teammate-message|agent-message|channel|system-reminder|ide_opened_file|ide_selection|\
    ide_diagnostics|artifact-view-context|user-prompt-submit-hook|session-start-hook|tool_use_error|persisted-output|\
    user-memory-input|pasted_content";

/// What the client says before an option box's answers.
pub(super) const ANSWERS: [&str; 2] =
    ["User has answered your questions", "Your questions have been answered"];

/// Words of the client by which a text is known (facts, 1.3, 1.6, 1.8).
const WORDS: [&str; 26] = [
    "[Request interrupted by user for tool use]",
    "[Request interrupted by user]",
    "[SYSTEM NOTIFICATION",
    "Another Claude session sent a message:",
    "[Message from session",
    "Stop hook feedback:\n- [",
    "Stop hook feedback:",
    "Stop hook additional context:",
    "]: 独立审计员（",
    "独立审计员（",
    "UserPromptSubmit operation blocked by hook:",
    "\n\nOriginal prompt: ",
    "was moved to the background",
    "was manually backgrounded",
    "resumedAgentId",
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "To tell you how to proceed, the user said:\n",
    "This command requires approval",
    "InputValidationError",
    ANSWERS[0],
    ANSWERS[1],
    "Permission to use ",
    "PreToolUse",
    "did not respond",
    "hook",
];

/// Everything that is kept of a text, the longest of several first.
pub(super) static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<String> =
        WORDS.iter().chain(&opener::MACHINERY_PREFIXES).map(|word| regex_lite::escape(word)).collect();
    let commands = opener::LOCAL_COMMANDS.split(' ').collect::<Vec<_>>().join("|");
    Regex::new(&format!(
        "<command-name>/?(?:{commands})</command-name>|<status>[a-z_]+</status>|</?(?:{TAGS})(?:\\s[^<>]*)?>|\
         <tool_use_error>(?:Cancelled|Blocked)|{}",
        words.join("|")
    ))
    .ok()
});

/// An attribute of a tag.
pub(super) static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("=\"([^\"]*)\"").ok());

/// Ids of rows, calls, messages and requests.
pub(super) static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:toolu|srvtoolu|msg|req)_[A-Za-z0-9_]+)$").ok()
});

/// Whether a field's name is one, and not somebody's words or path.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Whether a text is a moment.
pub(super) fn is_moment(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok()
}
