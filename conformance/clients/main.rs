//! The real clients, Claude Code and Codex, against scripted models on loopback: whether the hook really blocks, really
//! hands notes on, and whether the default auditor answers, sees nothing that it must not, and gives up in time.
//!
//! `scripts/fetch-clients` installs them; without them every test fails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "all of this is test code: a broken assumption has to stop the test"
)]
#![allow(clippy::needless_pass_by_value, reason = "tests hand over literals, which read better without &")]

/// The commands that look whether all is well.
mod by_hand;
/// Turns of Claude Code in print mode, from the install to the log.
mod claude;
/// The default auditor gives a verdict.
mod codex;
/// The default auditor fails: told in time, never a block.
mod codex_faults;
/// What the default auditor's model must not see or be able to do.
mod codex_isolation;
/// A login in a key ring.
mod codex_keyring;
/// The person's login, renewed while the default auditor has it.
mod codex_login;
/// What a stranger's settings do.
mod explaining;
/// How long each fault takes to be told.
mod fault_times;
/// The study of prompt hooks, repeated.
mod hook_lab;
/// The contract of Claude Code's hooks, row by row.
mod hosts_claude;
/// Codex against the tables of its contract.
mod hosts_codex;
/// A person at the terminal.
mod interactive;
/// Auditors of other vendors.
mod presets;
/// Parts of the kit that the other target has too.
#[path = "../kit"]
mod kit {
    pub(crate) mod auditors;
    pub(crate) mod check;
    pub(crate) mod environment;
    pub(crate) mod event;
    pub(crate) mod hook;
    pub(crate) mod journal;
    pub(crate) mod processes;
    pub(crate) mod report;
    pub(crate) mod requirements;
    pub(crate) mod rows;
    pub(crate) mod run;
    pub(crate) mod sandbox;
}
/// A machine with Claude Code on it.
mod desk;
/// Where the clients are.
mod installed;
/// A client with one hook and nothing else.
mod lab;
/// Scripted models.
mod model;
/// The plugin of `scripts/plugin`.
mod plugin;
/// Sessions to keep, with whatever client is installed.
mod record;
/// A terminal with the interactive client in it.
mod terminal;

use kit::check::Named;
use kit::report::Target;

/// Every test of this target.
fn registry() -> Vec<&'static Named> {
    let files: &[&'static [Named]] = &[
        by_hand::CHECKS,
        claude::CHECKS,
        interactive::CHECKS,
        codex::CHECKS,
        codex_faults::CHECKS,
        codex_isolation::CHECKS,
        explaining::CHECKS,
        presets::openai_compatible::CHECKS,
        presets::gemini::CHECKS,
        presets::opencode::CHECKS,
        presets::qwen::CHECKS,
        presets::llm::CHECKS,
        presets::ollama::CHECKS,
        codex_login::CHECKS,
        codex_keyring::CHECKS,
        hosts_codex::configuration::CHECKS,
        hosts_codex::outputs::CHECKS,
        hosts_codex::ends::CHECKS,
        hosts_codex::conduct::CHECKS,
        hosts_codex::limits::CHECKS,
        hosts_codex::own_hook::CHECKS,
        plugin::CHECKS,
    ];
    files.iter().copied().flatten().collect()
}

/// Named so that libtest starts it first: it brings more threads.
#[test]
fn all_requirements_of_the_clients_have_a_check() {
    kit::report::of(&registry(), Target::Clients);
}
