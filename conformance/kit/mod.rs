//! What the checks stand on: the hook under test, a sandbox for each test, rows of a transcript, fake auditors,
//! checks as data, and the report. Nothing here judges anything.
pub(crate) mod auditors;
pub(crate) mod check;
pub(crate) mod environment;
pub(crate) mod event;
pub(crate) mod generated;
pub(crate) mod hook;
pub(crate) mod journal;
pub(crate) mod made_up;
pub(crate) mod processes;
pub(crate) mod programs;
mod proof;
pub(crate) mod report;
pub(crate) mod requirements;
pub(crate) mod rows;
pub(crate) mod run;
mod run_proof;
pub(crate) mod sandbox;
pub(crate) mod terminal;
#[cfg(target_os = "linux")]
pub(crate) mod traced;
