//! The proof that the kit can fail: each file of `known-bad/` is a hook that is wrong in one way and says at its head
//! which requirements that breaks (`# breaks: 6.11 9.2`). The whole kit is run on each, and what fails has to be exactly
//! that: one too many is a check that asks for more than it says, one too few is a fault that nobody would notice.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "all of this is test code: a broken assumption has to stop the test"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// What the kit asks, by number.
#[path = "kit"]
mod kit {
    pub(crate) mod requirements;
}

use kit::requirements::{REQUIREMENTS, Testable};

/// A test for each bad hook, and the list of their names for the test that none was forgotten.
macro_rules! known_bad {
    ($($test:ident = $name:literal),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                breaks_what_it_declares($name);
            }
        )+
        const NAMES: &[&str] = &[$($name),+];
    };
}

known_bad! {
    known_bad_wrapped_well = "wrapped-well",
    known_bad_always_exits_2 = "always-exits-2",
    known_bad_another_closing_line = "another-closing-line",
    known_bad_another_mark = "another-mark",
    known_bad_another_word_in_a_block = "another-word-in-a-block",
    known_bad_another_word_in_the_instruction = "another-word-in-the-instruction",
    known_bad_asks_claude = "asks-claude",
    known_bad_bare_environment = "bare-environment",
    known_bad_blocks_a_third_time = "blocks-a-third-time",
    known_bad_blocks_on_a_note = "blocks-on-a-note",
    known_bad_blocks_on_a_time_out = "blocks-on-a-time-out",
    known_bad_blocks_when_the_auditor_fails = "blocks-when-the-auditor-fails",
    known_bad_blots_guesses = "blots-guesses",
    known_bad_counts_across_sessions = "counts-across-sessions",
    known_bad_counts_dropped_turns = "counts-dropped-turns",
    known_bad_cuts_inside_a_character = "cuts-inside-a-character",
    known_bad_cuts_long_messages = "cuts-long-messages",
    known_bad_cuts_without_windows = "cuts-without-windows",
    known_bad_default_that_may_write = "default-that-may-write",
    known_bad_details_of_old_turns = "details-of-old-turns",
    known_bad_does_not_count_images = "does-not-count-images",
    known_bad_does_not_hear_sigterm = "does-not-hear-sigterm",
    known_bad_drops_edits_first = "drops-edits-first",
    known_bad_first_verdict_wins = "first-verdict-wins",
    known_bad_grows_beyond_the_limit = "grows-beyond-the-limit",
    known_bad_hands_on_at_a_wake_up = "hands-on-at-a-wake-up",
    known_bad_hands_on_twice = "hands-on-twice",
    known_bad_hides_its_own_block = "hides-its-own-block",
    known_bad_ignores_a_late_reply = "ignores-a-late-reply",
    known_bad_ignores_running_tasks = "ignores-running-tasks",
    known_bad_json_over_10000_characters = "json-over-10000-characters",
    known_bad_keeps_a_rewound_branch = "keeps-a-rewound-branch",
    known_bad_keeps_the_oldest_notes = "keeps-the-oldest-notes",
    known_bad_keeps_the_pending_file = "keeps-the-pending-file",
    known_bad_key_in_the_log = "key-in-the-log",
    known_bad_leaves_a_process = "leaves-a-process",
    known_bad_logs_no_duration = "logs-no-duration",
    known_bad_loses_actions_of_earlier_turns = "loses-actions-of-earlier-turns",
    known_bad_loses_answers = "loses-answers",
    known_bad_loses_calls_of_a_long_turn = "loses-calls-of-a-long-turn",
    known_bad_loses_outputs_of_failed_calls = "loses-outputs-of-failed-calls",
    known_bad_loses_prompts_that_begin_with_a_bracket = "loses-prompts-that-begin-with-a-bracket",
    known_bad_loses_slash_commands = "loses-slash-commands",
    known_bad_loses_the_turn_before = "loses-the-turn-before",
    known_bad_loses_unread_notes = "loses-unread-notes",
    known_bad_loses_words_before_a_call = "loses-words-before-a-call",
    known_bad_marks_nothing_as_background = "marks-nothing-as-background",
    known_bad_needs_its_log = "needs-its-log",
    known_bad_never_counts = "never-counts",
    known_bad_newest_turn_first = "newest-turn-first",
    known_bad_noise_before_the_json = "noise-before-the-json",
    known_bad_one_marker_for_all_keys = "one-marker-for-all-keys",
    known_bad_reads_only_the_last_line = "reads-only-the-last-line",
    known_bad_says_that_it_passed = "says-that-it-passed",
    known_bad_second_audit_knows_nothing = "second-audit-knows-nothing",
    known_bad_sends_keys = "sends-keys",
    known_bad_skips_a_named_agent = "skips-a-named-agent",
    known_bad_speaks_without_a_turn = "speaks-without-a-turn",
    known_bad_takes_a_peer_for_the_person = "takes-a-peer-for-the-person",
    known_bad_takes_a_quoted_verdict = "takes-a-quoted-verdict",
    known_bad_takes_feedback_for_the_person = "takes-feedback-for-the-person",
    known_bad_tears_long_log_lines = "tears-long-log-lines",
    known_bad_thinking_as_text = "thinking-as-text",
    known_bad_thinking_in_an_unknown_row = "thinking-in-an-unknown-row",
    known_bad_thinking_in_the_log = "thinking-in-the-log",
    known_bad_two_json_objects = "two-json-objects",
    known_bad_waits_for_a_grandchild = "waits-for-a-grandchild",
    known_bad_writes_into_the_transcript = "writes-into-the-transcript",
    known_bad_wrong_number_in_a_cut = "wrong-number-in-a-cut",
}

/// What no wrapper can get wrong alone, with the reason.
const NOT_BROKEN: &[(&str, &str)] = &[];

/// Shared by the bad hooks, and no hook itself.
const SHARED: &str = "wrap.sh";

fn breaks_what_it_declares(name: &str) {
    let declared = declared(&folder().join(name));
    let report = report_on(name);
    let number = |requirement: &Value, key: &str| requirement[key].as_u64().expect("the report counts");
    let requirements = report["requirements"].as_array().expect("the report lists requirements");
    let failed: BTreeSet<String> = requirements
        .iter()
        .filter(|requirement| number(requirement, "failed") > 0)
        .map(|requirement| requirement["id"].as_str().expect("an id").to_owned())
        .collect();
    let unseen: Vec<&str> = anyones()
        .filter(|id| requirements.iter().any(|known| known["id"] == *id && number(known, "checks") == 0))
        .collect();
    assert_eq!(unseen, Vec::<&str>::new(), "{name}: requirements that were not looked at");
    assert_eq!(report["broken"], Value::Array(Vec::new()), "{name}: tests that broke instead of failing");
    let mut text = String::new();
    for id in declared.symmetric_difference(&failed) {
        let told = if declared.contains(id) { "declared, but nothing fails" } else { "fails, not declared" };
        let failures = report["failures"][id].as_array().into_iter().flatten().filter_map(Value::as_str);
        let failures: Vec<&str> = failures.collect();
        let title =
            REQUIREMENTS.iter().find(|known| known.id == id).map_or("no requirement", |known| known.title);
        let _ = write!(text, "\n{id} ({title}) {told}\n    {}", failures.join("\n    "));
    }
    assert!(text.is_empty(), "{name}:{text}");
}

/// The numbers behind `# breaks:` at a hook's head.
///
/// # Panics
/// When the head is not `#!/bin/sh`, `# breaks: …`, and a comment that says what is wrong.
fn declared(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).expect("a bad hook is text");
    let mut lines = text.lines();
    let head = [lines.next(), lines.next(), lines.next()].map(Option::unwrap_or_default);
    let numbers = head[1].strip_prefix("# breaks:");
    let says = head[2].strip_prefix("# ").is_some_and(|says| !says.is_empty());
    assert!(head[0] == "#!/bin/sh" && says, "{}: no head", path.display());
    let numbers = numbers.unwrap_or_else(|| panic!("{}: no line `# breaks:`", path.display()));
    numbers.split_whitespace().map(str::to_owned).collect()
}

/// Runs the whole kit on a bad hook and reads its report.
fn report_on(name: &str) -> Value {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("known-bad/{name}.json"));
    // A report of the run before would answer for a kit that did not come to write one.
    let _ = fs::remove_file(&place);
    let hook = folder().join(name);
    let words = ["sh", &hook.to_string_lossy(), &the_hook().to_string_lossy()];
    let output = Command::new(the_kit())
        .args(["--exact", "all_requirements_have_a_check"])
        .env("HOOK_UNDER_TEST", shlex::try_join(words).expect("no NUL in a path"))
        .env("HOOK_UNDER_TEST_TIMEOUT_ENV", "STOP_AUDITOR_TIMEOUT=1")
        .env("CONFORMANCE_REPORT", &place)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the kit starts");
    let said = || String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: the kit itself failed\n{}", said());
    let text = fs::read_to_string(&place).unwrap_or_else(|_| panic!("{name}: no report\n{}", said()));
    serde_json::from_str(&text).expect("the report is JSON")
}

/// The kit's own test binary, as `cargo test --test conformance` builds and runs it.
fn the_kit() -> &'static Path {
    static KIT: OnceLock<PathBuf> = OnceLock::new();
    KIT.get_or_init(|| built("conformance", &["test", "--no-run", "--test", "conformance"]))
}

/// The hook that the bad ones are made of. Optimized: it is started some fifty thousand times.
fn the_hook() -> &'static Path {
    static HOOK: OnceLock<PathBuf> = OnceLock::new();
    HOOK.get_or_init(|| built("stop-auditor", &["build", "--release", "--bin", "stop-auditor"]))
}

/// Builds a target and gives its program. Cargo holds no lock while tests run.
fn built(target: &str, arguments: &[&str]) -> PathBuf {
    let cargo = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--locked", "--message-format=json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let stdout = String::from_utf8_lossy(&cargo.stdout);
    let messages = stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages
        .filter(|message| message["target"]["name"] == target)
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    let program = programs.next_back().filter(|_| cargo.status.success());
    program.unwrap_or_else(|| panic!("{target} was not built:\n{}", String::from_utf8_lossy(&cargo.stderr)))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/known-bad")
}

/// The requirements that any hook can show.
fn anyones() -> impl Iterator<Item = &'static str> {
    REQUIREMENTS.iter().filter(|known| known.testable == Testable::ByAnyone).map(|known| known.id)
}

#[test]
fn every_file_is_a_test_and_every_test_has_a_file() {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let files: BTreeSet<String> = files.filter(|name| name != SHARED).collect();
    let names: BTreeSet<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(files, names);
    assert_eq!(names.len(), NAMES.len(), "a name stands twice");
}

/// The table that people read is the hooks' own heads.
#[test]
fn the_readme_has_a_row_for_every_bad_hook() {
    let readme = folder().with_file_name("README.md");
    let readme = fs::read_to_string(readme).expect("the kit has a README.md");
    let row = |name: &str| {
        let text = fs::read_to_string(folder().join(name)).expect("a bad hook is text");
        let head: Vec<&str> =
            text.lines().skip(1).take(2).map(|line| line.trim_start_matches('#').trim()).collect();
        let breaks = head[0].trim_start_matches("breaks:").trim();
        format!("| `{name}` | {} | {} |", if breaks.is_empty() { "nothing" } else { breaks }, head[1])
    };
    let missing: Vec<String> =
        NAMES.iter().map(|name| row(name)).filter(|row| !readme.contains(row)).collect();
    assert!(missing.is_empty(), "not in conformance/README.md:\n{}", missing.join("\n"));
}

#[test]
fn every_requirement_that_a_hook_can_show_is_broken_by_one() {
    let declared: BTreeSet<String> = NAMES.iter().flat_map(|name| declared(&folder().join(name))).collect();
    let excused = |id: &str| NOT_BROKEN.iter().any(|(known, _)| *known == id);
    let unbroken: Vec<&str> = anyones().filter(|id| !declared.contains(*id) && !excused(id)).collect();
    assert_eq!(unbroken, Vec::<&str>::new(), "no bad hook breaks these");
    let idle: Vec<&str> = NOT_BROKEN.iter().map(|(id, _)| *id).filter(|id| declared.contains(*id)).collect();
    assert_eq!(idle, Vec::<&str>::new(), "excused, and broken all the same");
    let unknown: Vec<&String> = declared.iter().filter(|id| !anyones().any(|known| known == *id)).collect();
    assert_eq!(unknown, Vec::<&String>::new(), "declared, but nothing that a hook of another make can show");
}
