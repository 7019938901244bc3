//! Records the synthetic sessions anew with the installed client (`scripts/record-session`) and prints which row types
//! and fields are new, and which are gone, against the last recording. A scenario that breaks loses no other's file.
mod cleaned;
mod kinds;
mod print;
mod seat;
mod shapes;
mod tools;
mod turns;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::desk::Desk;
use super::installed;
use super::kit::check::Checks;
use super::kit::event::write;
use cleaned::Own;
use kinds::{Kind, SCENARIOS};
use shapes::Shapes;

/// Chooses the scenarios whose name holds this.
const ONLY: &str = "RECORD_ONLY";

#[test]
#[ignore = "scripts/record-session runs it"]
fn sessions() {
    let version = client_version();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("recorded").join(&version);
    let only = env::var(ONLY).unwrap_or_default();
    let (mut now, mut broken, mut report) = (Shapes::new(), Vec::new(), String::new());
    for (name, kind) in SCENARIOS.iter().filter(|(name, _)| name.contains(&only)) {
        let play = match kind {
            Kind::Played(play) => play,
            Kind::Impossible(reason) => {
                let _ = writeln!(report, "not recorded: {name}: {reason}");
                continue;
            }
        };
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
    let lines = shapes::compared(&now, &before);
    let _ = writeln!(report, "Claude Code {version} against the recording of {last}, all depths:");
    for line in &lines {
        let _ = writeln!(report, "{line}");
    }
    let n_new = lines.iter().filter(|line| line.starts_with("new")).count();
    let _ = writeln!(
        report,
        "{} shapes, {n_new} new, {} gone; {}",
        now.len(),
        lines.len() - n_new,
        folder.display()
    );
    println!("{report}");
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
