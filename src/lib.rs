//! stop-auditor: an independent auditor at the end of every Claude Code turn.
//!
//! The library exists for the binary and for the conformance kit beside it; it promises no stable interface.

pub mod auditor;
pub mod command;
// The build script uses it; here it is only tested.
#[cfg(test)]
mod commit;
pub mod hook;
// The tables belong to the kit; the program explains a stranger's hooks with them.
#[path = "../conformance/hosts/mod.rs"]
pub mod hosts;
pub mod material;
pub mod paths;
pub mod privacy;
pub mod prompt;
pub mod record;
pub mod redact;
pub mod settings;
pub mod transcript;
