//! The conformance kit: what the spec asks of an auditing Stop hook, shown on the hook under test.
//!
//! `cargo test` looks at our own; `HOOK_UNDER_TEST='any shell command'` points everything at another one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "all of this is test code: a broken assumption has to stop the test"
)]
#![allow(clippy::needless_pass_by_value, reason = "tests hand over literals, which read better without &")]

/// Who is asked, and how.
mod asking;
/// An auditor that fails, hangs, floods or leaves something behind.
mod auditors;
/// Transcripts with their expectations.
mod cases;
/// Whether audits can happen on this machine: the look before installing.
mod checking;
/// What goes wrong round a hook.
mod faults;
/// The slow reader that the fast one is compared with.
mod forward;
/// Whole prompts as accepted.
mod golden;
/// Files whose contents are kept back.
mod ignored;
/// Installing, uninstalling, the self-test command.
mod install;
/// What the default auditor gets of the person's, and what it does not.
mod isolation;
/// The log.
mod journal;
mod kit;
/// What the hook did, as its owner sees it.
mod looking_back;
/// What a file of rows cannot show.
mod material;
/// Stops with nothing to audit.
mod nothing;
/// What comes with the program.
mod packaging;
/// Keys of well-known shape.
mod privacy;
/// The fixed texts and the lengths.
mod prompt;
/// What must hold for any input of a kind.
mod properties;
/// Reading from the end against reading everything.
mod reading;
/// A NOTE on its way to the person's next message.
mod relay;
/// What the kit's README names.
#[cfg(test)]
mod reports;
/// Which audit of the turn a Stop is.
mod rounds;
/// Section 9, one to one.
mod selftest;
/// The main job by hand.
mod try_out;
/// The hook, registered with Codex.
mod under_codex;
/// What an answer means, and the exact words for it.
mod verdicts;

use kit::check::Named;

/// Every test of the kit. A file that is missing here would not be in the report.
fn registry() -> Vec<&'static Named> {
    let files: &[&'static [Named]] = &[
        asking::CHECKS,
        auditors::CHECKS,
        cases::CHECKS,
        checking::CHECKS,
        checking::auditor::CHECKS,
        checking::hook::CHECKS,
        faults::auditors::CHECKS,
        faults::crowd::CHECKS,
        faults::disk::CHECKS,
        #[cfg(target_os = "linux")]
        faults::killed::CHECKS,
        faults::machine::CHECKS,
        #[cfg(target_os = "linux")]
        faults::other_users::CHECKS,
        #[cfg(target_os = "linux")]
        faults::reading::CHECKS,
        golden::CHECKS,
        ignored::CHECKS,
        install::CHECKS,
        install::settings::CHECKS,
        install::auditor::CHECKS,
        isolation::CHECKS,
        journal::CHECKS,
        looking_back::CHECKS,
        looking_back::rating::CHECKS,
        material::CHECKS,
        nothing::CHECKS,
        packaging::CHECKS,
        privacy::CHECKS,
        prompt::CHECKS,
        prompt::evidence::CHECKS,
        prompt::history::CHECKS,
        properties::evidence::CHECKS,
        properties::keys::CHECKS,
        properties::lengths::CHECKS,
        properties::prefixes::CHECKS,
        properties::settings::CHECKS,
        #[cfg(target_os = "linux")]
        properties::turns::CHECKS,
        reading::CHECKS,
        relay::CHECKS,
        rounds::CHECKS,
        selftest::CHECKS,
        try_out::CHECKS,
        under_codex::CHECKS,
        verdicts::CHECKS,
    ];
    files.iter().copied().flatten().collect()
}

/// Named so that libtest starts it first: it brings more threads.
#[test]
fn all_requirements_have_a_check() {
    kit::report::of(&registry(), kit::report::Target::Kit);
}
