//! A session's transcript becomes turns.
//!
//! This room knows the client's rows and nothing of prompts: no text for the auditor is made here.

pub mod assemble;
mod copies;
pub mod json;
pub mod line;
pub mod opener;
pub mod queue;
pub mod row;
pub mod session;
pub mod tags;
pub mod tail;
mod texts;
pub mod turn;
