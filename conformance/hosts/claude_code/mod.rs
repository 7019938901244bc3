//! Claude Code: what Stop and UserPromptSubmit hooks can do.
