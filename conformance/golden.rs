//! Whole prompts, and what `explain`, `log` and `report` say, against the texts that a person accepted, in `golden/`:
//! our own regression net, no conformance.
//!
//! The instruction is the same in every prompt, so it has a snapshot of its own; the others must begin with it, and
//! hold only what follows.
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::json;
use similar::TextDiff;
use stop_auditor::prompt::INSTRUCTION;

use crate::kit::check::{Checks, checks};

mod explained;
mod given;
mod history;
mod keys;
mod lengths;
mod looked_back;
mod marks;
mod turns;

use given::prompt_of;

const INSTRUCTION_NAME: &str = "instruction";

/// What stands in the place of a prompt where a session holds no turn (6.10).
const NO_TURN: &str = "(no turn: no auditor is asked)";

/// Makes a text.
type Said = fn() -> String;

/// What `explain` says, and the names of the snapshots.
const EXPLAINED: &[(&str, Said)] = &[
    ("explain_events_of_claude_code", explained::events_of_claude_code),
    ("explain_events_of_codex", explained::events_of_codex),
    ("explain_mistakes", explained::mistakes),
    ("explain_outputs", explained::outputs),
];

/// What the commands say that look back, and the names of the snapshots.
const LOOKED_BACK: &[(&str, Said)] =
    &[("log", looked_back::log), ("report", looked_back::report), ("report_page", looked_back::page)];

/// A test for each made-up session, and the names of their snapshots for the test that none is an orphan.
macro_rules! goldens {
    ($($test:ident = $item:literal, $name:literal, $given:path;)+) => {
        checks! {
            $(
                #[own]
                fn $test(c: &mut Checks) {
                    golden(c, $item, $name, $given().prompt().as_deref());
                }
            )+

            /// Not a prompt: what `explain` says of hooks.
            #[own]
            fn r3_3_what_explain_says(c: &mut Checks) {
                for (name, said) in EXPLAINED {
                    compare(c, "3.3", name, &said());
                }
            }

            /// Nor this: what is said of a log.
            #[own]
            fn r8_1_what_is_said_of_a_log(c: &mut Checks) {
                for (name, said) in LOOKED_BACK {
                    compare(c, "8.1", name, &said());
                }
            }

            #[own]
            fn r5_1_the_instruction_is_the_accepted_one(c: &mut Checks) {
                compare(c, "5.1", INSTRUCTION_NAME, INSTRUCTION);
            }

            /// Each session that the real client recorded, as it stands at its end.
            #[own]
            fn r4_30_recorded_sessions(c: &mut Checks) {
                for path in recordings() {
                    let bytes = fs::read(&path).expect("a recording can be read");
                    golden(c, "4.30", &recording_name(&path), prompt_of(&bytes, &json!({}), None).as_deref());
                }
            }
        }

        const MADE_UP: &[&str] = &[$($name),+];
    };
}

goldens! {
    r4_30_a_plain_turn = "4.30", "plain_turn", turns::plain;
    r4_30_a_turn_with_every_mark = "4.30", "every_mark", marks::every_mark;
    r4_6_what_becomes_of_a_call = "4.6", "outcomes", turns::outcomes;
    r4_7_images = "4.7", "images", turns::images;
    r4_2_commands_skills_and_bang = "4.2", "commands", turns::commands;
    r4_3_bang_opens_a_turn = "4.3", "bang", turns::bang;
    r4_3_a_programs_prompt = "4.3", "program_prompt", turns::program;
    r4_12_a_late_reply_of_a_turn_without_tools = "4.12", "late_reply", turns::late_reply;
    r4_35_forged_marks = "4.35", "forged_marks", marks::forged;
    r4_15_keys = "4.15", "keys", keys::keys;
    r5_3_a_second_audit = "5.3", "second_audit", turns::second_audit;
    r4_13_a_rewind = "4.13", "rewind", history::rewind;
    r4_13_a_compaction = "4.13", "compaction", history::compaction;
    r4_20_earlier_turns = "4.20", "earlier_turns", history::six_turns;
    r4_21_huge_earlier_turns = "4.21", "huge_earlier_turns", lengths::huge_earlier_turns;
    r4_31_a_current_turn_over_the_limit = "4.31", "current_turn_over_the_limit", lengths::over;
    r4_37_a_reply_that_leans_on_the_middle = "4.37", "leaned_on", lengths::leaned_on;
    r4_37_two_places_on_one_long_line = "4.37", "leaned_on_long_lines", lengths::leaned_on_long_lines;
    r4_36_a_current_turn_far_over_the_limit = "4.36", "current_turn_far_over_the_limit", lengths::far_over;
    r4_36_a_history_over_the_limit = "4.36", "history_over_the_limit", lengths::long_history;
}

/// Compares a prompt, or that there is none.
fn golden(c: &mut Checks, item: &'static str, name: &str, prompt: Option<&str>) {
    let Some(prompt) = prompt else { return compare(c, item, name, NO_TURN) };
    let rest = prompt.strip_prefix(INSTRUCTION).and_then(|rest| rest.strip_prefix('\n'));
    c.that("5.1", format!("{name} begins with the instruction"), rest.is_some(), INSTRUCTION, prompt);
    compare(c, item, name, rest.unwrap_or(prompt));
}

fn compare(c: &mut Checks, item: &'static str, name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // As a check, so that the other snapshots of a test are looked at too.
    let assertion = AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(name, text)));
    let same = catch_unwind(assertion).is_ok();
    let got = if same { String::new() } else { difference(name, text) };
    c.that(item, format!("golden/{name}.snap"), same, "the accepted text", got);
}

/// Libtest may have swallowed what insta printed: the report runs the tests in threads of its own.
fn difference(name: &str, text: &str) -> String {
    let Ok(file) = fs::read_to_string(folder().join(format!("{name}.snap"))) else {
        return "there is no such file yet".to_owned();
    };
    let accepted = file.splitn(3, "---\n").nth(2).unwrap_or_default();
    let diff = TextDiff::from_lines(accepted.trim_end(), text.trim_end());
    format!("\n{}", diff.unified_diff().context_radius(1))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts/recorded");
    let versions = entries(&root).into_iter().filter(|path| path.is_dir());
    let files = versions.flat_map(|version| entries(&version));
    files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// `recorded_2_1_332_print_forked`, of the client's version and the file's name.
fn recording_name(path: &Path) -> String {
    let version = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("recorded_{version}_{stem}").replace(['.', '-'], "_")
}

/// What is wrong with the files in `golden/`, given the names that tests compare with.
fn faults(files: &[String], names: &[String]) -> Vec<String> {
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut faults = Vec::new();
    if names.is_empty() || files.is_empty() {
        faults.push("there are no goldens, so they show nothing".to_owned());
    }
    if known.len() < names.len() {
        faults.push("two tests have one snapshot".to_owned());
    }
    let belongs = |file: &str| {
        // A text that waits for review lies beside its snapshot; Git ignores it.
        let name = file.strip_suffix(".snap").or_else(|| file.strip_suffix(".snap.new"));
        file == ".gitattributes" || name.is_some_and(|name| known.contains(name))
    };
    let orphans = files.iter().filter(|file| !belongs(file));
    faults.extend(orphans.map(|file| format!("golden/{file} belongs to no test")));
    faults
}

#[test]
fn every_golden_belongs_to_a_test() {
    let name = |path: PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files: Vec<String> = entries(&folder()).into_iter().map(name).collect();
    let made_up = MADE_UP.iter().map(|name| (*name).to_owned());
    let recorded = recordings().into_iter().map(|path| recording_name(&path));
    let explained = EXPLAINED.iter().chain(LOOKED_BACK).map(|(name, _)| (*name).to_owned());
    let rest = explained.chain([INSTRUCTION_NAME.to_owned()]);
    let names: Vec<String> = made_up.chain(recorded).chain(rest).collect();
    let faults = faults(&files, &names);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn an_orphan_and_an_empty_list_are_faults() {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let faults = |files: &[&str], names: &[&str]| faults(&texts(files), &texts(names)).len();
    assert_eq!(faults(&[".gitattributes", "a.snap", "a.snap.new"], &["a"]), 0);
    assert_eq!(faults(&["a.snap", "b.snap"], &["a"]), 1, "an orphan");
    assert_eq!(faults(&["a.snap", "b.snap.new"], &["a"]), 1, "an orphan that waits for review");
    assert_eq!(faults(&["a.snap", "a.txt"], &["a"]), 1, "another kind of file");
    assert_eq!(faults(&[], &["a"]), 1, "no file");
    assert_eq!(faults(&[], &[]), 1, "no test");
    assert_eq!(faults(&["a.snap"], &["a", "a"]), 1, "one file for two tests");
}
