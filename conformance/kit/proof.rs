//! The kit's own proof: what it calls a failure fails. A kit that nothing can fail would praise any hook.
use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;

use super::check::{Checks, Named, Outcome};
use super::report::Target;
use super::{journal, report};

/// Named tests live as long as the process, as the real ones do.
fn named(marks: &'static [&'static str], run: fn(&mut Checks)) -> &'static Named {
    let cell: &'static OnceLock<Outcome> = Box::leak(Box::default());
    Box::leak(Box::new(Named { name: "r0_0_proof", marks, run, cell }))
}

fn fails(run: fn(&mut Checks)) -> bool {
    let named = named(&[], run);
    catch_unwind(|| named.judge()).is_err()
}

#[test]
fn a_test_fails_when_a_check_fails_when_there_is_none_and_when_it_breaks() {
    assert!(!fails(|c| c.that("9.1", "holds", true, "", "")));
    assert!(fails(|c| c.that("9.1", "does not hold", false, "", "")));
    assert!(fails(|_| {}));
    assert!(fails(|c| {
        c.that("9.1", "holds", true, "", "");
        panic!("broken");
    }));
}

/// Where the first failure is to end the run: one of a check ends it, and no failure that is meant to be one.
#[test]
fn a_run_that_ends_at_the_first_failure_ends_at_that() {
    let run = |test: &str, hook: Option<&str>| {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["--exact", test]).env("CONFORMANCE_FAIL_FAST", "1").env_remove("HOOK_UNDER_TEST");
        command.envs(hook.map(|hook| ("HOOK_UNDER_TEST", hook)));
        let output = command.output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let meant = run("kit::proof::checks_compare_what_they_say", None);
    assert_eq!(meant.0, Some(0), "{}", meant.1);
    let (code, told) = run("relay::r7_4_parallel_notes_are_all_kept", Some("true"));
    assert_eq!(code, Some(101));
    assert!(told.starts_with("r7_4_parallel_notes_are_all_kept:\n7.4 "), "{told}");
}

#[test]
fn checks_compare_what_they_say() {
    assert!(fails(|c| c.equal("9.1", "", 1, 2)));
    assert!(fails(|c| c.contains("9.1", "", "hay", "needle")));
    assert!(fails(|c| c.contains("9.1", "", "hay", "")));
    assert!(fails(|c| c.absent("9.1", "", "a needle in hay", "needle")));
    assert!(fails(|c| c.absent("9.1", "", "hay", "")));
    assert!(!fails(|c| c.contains("9.1", "", "a needle in hay", "needle")));
    assert!(!fails(|c| c.absent("9.1", "", "hay", "needle")));
}

#[test]
fn the_report_finds_what_has_no_check_and_what_is_no_requirement() {
    let registry = [
        named(&["own"], |c| c.that("9.1", "", true, "", "")),
        named(&["typo"], |c| c.that("99.9", "", true, "", "")),
    ];
    let faults = report::faults_of(&registry, Target::Kit);
    let has = |start: &str| faults.iter().any(|fault| fault.starts_with(start));
    assert!(has("9.2 ") && has("99.9:") && has("r0_0_proof: unknown mark typo"), "{faults:?}");
    assert!(super::hook::foreign() || !has("9.1 "), "{faults:?}");
    assert!(!has("9.8 "), "the real clients are another target's affair: {faults:?}");
    let faults = report::faults_of(&registry, Target::Clients);
    let has = |start: &str| faults.iter().any(|fault| fault.starts_with(start));
    assert!((super::hook::foreign() || has("9.8 ")) && !has("9.2 "), "{faults:?}");
}

#[test]
fn a_log_line_has_one_verdict_or_is_in_doubt() {
    let lines = [
        json!({"result": {"verdict": "pass"}}),
        json!({"verdict": "FAIL", "was": "NOTE"}),
        json!({"text": "VERDICT: FAIL"}),
        json!("no object: FAIL"),
    ];
    assert_eq!(journal::verdict_of_each(&lines), ["PASS", "?", "?", "?"]);
}

/// A fake auditor that no check uses shows nothing.
#[test]
fn every_fake_auditor_is_used_and_says_what_it_is_for() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["conformance", "conformance/kit", "conformance/clients"].map(|dir| package.join(dir));
    let sources = sources.iter().flat_map(|dir| fs::read_dir(dir).expect("the kit's sources are here"));
    let texts: Vec<String> = sources
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("proof.rs"))
        .map(|path| fs::read_to_string(path).expect("a source is text"))
        .collect();
    let mut n_files = 0;
    for entry in fs::read_dir(package.join("fake-auditors")).expect("the fake auditors are here").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(entry.path()).expect("a script is text");
        assert!(text.starts_with("#!/bin/sh\n# "), "{name} does not begin with what it is for");
        let used = [format!("\"{name}\""), format!("fake-auditors/{name}\"")];
        let used = texts.iter().any(|text| used.iter().any(|use_of_it| text.contains(use_of_it)));
        assert!(used, "fake-auditors/{name} is in no check");
        n_files += 1;
    }
    assert!(n_files > 0, "no fake auditors");
}
