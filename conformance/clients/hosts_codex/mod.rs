//! The real Codex against the tables of its contract (`conformance/hosts/codex`): every row of theirs is run, and what
//! the client, the model and the disk tell must be what the row says.
pub(crate) mod conduct;
pub(crate) mod configuration;
pub(crate) mod ends;
pub(crate) mod limits;
pub(crate) mod outputs;
pub(crate) mod own_hook;

mod app_server;
mod exec;
mod home;
mod lab;
mod observed;
mod script;
