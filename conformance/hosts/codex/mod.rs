//! Codex: what its hooks can do, and what becomes of what they print.

pub mod events;
