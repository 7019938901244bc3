//! Turns become the text that the auditor reads.
//!
//! This room knows what can happen in a turn and nothing of JSON.

pub mod cut;
pub mod earlier;
pub mod evidence;
pub mod fit;
pub mod render;
mod section;
pub mod tier;
