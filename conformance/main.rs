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

/// Transcripts with their expectations.
mod cases;
/// The slow reader that the fast one is compared with.
mod forward;
mod kit;
/// What a file of rows cannot show.
mod material;
/// The fixed texts and the lengths.
mod prompt;
/// Reading from the end against reading everything.
mod reading;
/// Section 9, one to one.
mod selftest;

use kit::check::Named;

/// Every test of the kit. A file that is missing here would not be in the report.
fn registry() -> Vec<&'static Named> {
    let files: &[&'static [Named]] = &[
        cases::CHECKS,
        material::CHECKS,
        prompt::CHECKS,
        prompt::history::CHECKS,
        reading::CHECKS,
        selftest::CHECKS,
    ];
    files.iter().copied().flatten().collect()
}

#[test]
fn report_every_requirement_has_a_check() {
    kit::report::of(&registry());
}
