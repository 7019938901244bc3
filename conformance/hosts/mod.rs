//! What a host does with a hook's output: the event contracts of Claude Code and of Codex, as data and as functions.
//! A hook that prints something is not a hook that works: "blocked" means that the host would block.
//!
//! `contract` has the words that both share for one run, `life_cycle` those for a configuration. A folder for each
//! host has its function, `effect`, and its tables: events, and rows of (output form, effect, client version, source).

pub mod claude_code;
pub mod codex;
pub mod contract;
pub mod life_cycle;
