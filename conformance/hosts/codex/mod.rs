//! Codex: what its hook engine makes of a configuration and of a hook's output. `effect` is the contract of one hook as
//! a function, `together` that of several, `rows` the same as a table of measured runs; `configuration` tells what is
//! read of a `hooks.json` at all, and `rules` what the study of the engine says, rule by rule.
//!
//! Failures let everything through: only words in the right shape, or exit 2 with words on stderr, change what happens.

pub mod conduct;
pub mod configuration;
mod effect;
mod event;
pub mod events;
mod heard;
pub mod rows;
pub mod rules;
mod said;
mod several;
pub mod spill;

pub use effect::effect;
pub use event::Event;
pub use events::CLIENT;
pub use several::together;
