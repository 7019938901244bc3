//! What must hold for any input of a kind, on generated ones (`kit/generated.rs` says how to try more).
pub(crate) mod evidence;
pub(crate) mod keys;
pub(crate) mod lengths;
pub(crate) mod prefixes;
pub(crate) mod settings;
#[cfg(target_os = "linux")]
pub(crate) mod turns;
