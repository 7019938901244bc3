//! What a host does with a hook's output: the event contracts of Claude Code and of Codex, as data and as functions.
//! A hook that prints something is not a hook that works: "blocked" means that the host would block.
//!
//! `contract` has the words that both share. A folder for each host has its function, `effect`, and its table: rows
//! of (output form, effect, client version, source). The library compiles this module too, for `explain`.

pub mod claude_code;
pub mod codex;
pub mod contract;
