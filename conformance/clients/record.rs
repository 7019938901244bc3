//! Records the synthetic sessions anew with the installed client (`scripts/record-session`) and prints which row types
//! and fields are new, and which are gone, against the last recording. A scenario that breaks loses no other's file.
mod cleaned;
mod print;
mod seat;
mod shapes;
mod tools;
mod turns;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::desk::Desk;
use super::installed;
use super::kit::check::Checks;
use super::kit::event::write;
use cleaned::Own;
use shapes::Shapes;

/// Plays a session to its end, with what has to be seen on the way.
type Scenario = fn(&mut Checks) -> Desk;

const SCENARIOS: &[(&str, Scenario)] = &[
    ("print-tool-and-one-block", print::tool_and_one_block),
    ("print-edits-error-background-command", print::edits_error_background_command),
    ("print-resumed", print::resumed),
    ("print-forked", print::forked),
    ("print-nine-blocks", print::nine_blocks),
    ("print-blocked-prompt", print::blocked_prompt),
    ("tui-option-box", tools::option_box),
    ("tui-parallel-tools-image", tools::parallel_tools_image),
    ("tui-denials-and-plan-mode", tools::denials_and_plan_mode),
    ("tui-background-agent-compact", tools::background_agent_compact),
    ("tui-moved-to-background", tools::moved_to_background),
    ("tui-notification-mid-turn", tools::notification_mid_turn),
    ("tui-message-mid-turn", turns::message_mid_turn),
    ("tui-message-after-rejection", turns::message_after_rejection),
    ("tui-interrupt", turns::interrupt),
    ("tui-commands-skill-bang-model", turns::commands_skill_bang_model),
    ("tui-system-message-context-blocked-prompt", turns::system_message_context_blocked_prompt),
    ("tui-rewind", turns::rewind),
    ("tui-clear", turns::clear),
    ("tui-peer-message", turns::peer_message),
];

/// Chooses the scenarios whose name holds this.
const ONLY: &str = "RECORD_ONLY";

#[test]
#[ignore = "scripts/record-session runs it"]
fn sessions() {
    let version = client_version();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("recorded").join(&version);
    let only = env::var(ONLY).unwrap_or_default();
    if only.is_empty() && folder.exists() {
        fs::remove_dir_all(&folder).expect("what was recorded before is removed");
    }
    fs::create_dir_all(&folder).expect("a folder for the recordings");
    let (mut now, mut broken) = (Shapes::new(), Vec::new());
    for (name, play) in SCENARIOS.iter().filter(|(name, _)| name.contains(&only)) {
        let mut checks = Checks::default();
        let desk = play(&mut checks);
        desk.nothing_is_left(&mut checks);
        if let Some(first) = checks.first_failed() {
            let screen = folder.join(format!("{name}.screen"));
            // Print mode has none.
            let _ = fs::copy(desk.sandbox.path(seat::SCREEN), &screen);
            broken.push(format!("{name}: {}; {}", first.what, screen.display()));
            continue;
        }
        let paths = transcripts_of(&desk);
        for (n, path) in paths.iter().enumerate() {
            let name = if paths.len() == 1 { (*name).to_owned() } else { format!("{name}-{}", n + 1) };
            now.extend(keep(&desk, path, &folder.join(format!("{name}.jsonl"))));
        }
    }
    let (last, before) = shapes::of_the_last_recording(&version);
    let mut lines = shapes::compared(&now, &before);
    if !only.is_empty() {
        // What the other scenarios show is not gone.
        lines.retain(|line| line.starts_with("new"));
    }
    println!("Claude Code {version} against the recording of {last}, fields at all depths");
    for line in &lines {
        println!("{line}");
    }
    let n_new = lines.iter().filter(|line| line.starts_with("new")).count();
    let n_gone = lines.len() - n_new;
    println!("{} shapes, {n_new} new, {n_gone} gone; {}", now.len(), folder.display());
    assert!(broken.is_empty(), "not recorded:\n{}", broken.join("\n"));
}

/// The sessions' files, in the order in which they were begun.
fn transcripts_of(desk: &Desk) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for event in desk.events() {
        let path = PathBuf::from(event["transcript_path"].as_str().unwrap_or_default());
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    assert!(!paths.is_empty(), "the client ran no hook");
    paths
}

/// Writes a session's rows, cleaned, and gives their shapes.
fn keep(desk: &Desk, from: &Path, to: &Path) -> Shapes {
    let rows = shapes::rows_of(from);
    assert!(!rows.is_empty(), "the client wrote no rows to {}", from.display());
    let own = Own::of(desk.own_words());
    let clean = |row: &serde_json::Value| own.keep(&cleaned::without_machine_facts(row.clone())).to_string();
    let text = rows.iter().map(clean).collect::<Vec<String>>().join("\n") + "\n";
    let text = cleaned::without_machine(desk, &text);
    let left = cleaned::traces(&text);
    assert!(left.is_empty(), "{} would tell of this machine: {left:?}", to.display());
    write(to, text);
    rows.iter().flat_map(shapes::of_row).collect()
}

fn client_version() -> String {
    let output = Command::new(installed::claude()).arg("--version").output().expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().next().expect("a version").to_owned()
}
