//! What the hook costs: `scripts/bench`. Everything is a ratio within one run, because machines are noisy; peak
//! memory is the operating system's figure. All files lie in a temporary directory that is removed at the end.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a measurement that breaks has to stop")]
#![allow(
    clippy::cast_precision_loss,
    reason = "times and sizes are far below the 2^52 that f64 holds exactly"
)]

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::json;

#[path = "kit/made_up.rs"]
mod made_up;

const HOOK: &str = env!("CARGO_BIN_EXE_stop-auditor");
const AUDITOR: &str = "cat >/dev/null; echo VERDICT: PASS";
const ROUNDS: usize = 41;
const MIB: u64 = 1024 * 1024;

fn main() -> ExitCode {
    // A process's own children are all that the system sums up, so each peak is measured by a process of its own.
    if let Some(transcript) = env::var_os("STOP_AUDITOR_BENCH_PEAK") {
        let directory = tempfile::tempdir().unwrap();
        hook(Path::new(&transcript), directory.path(), None);
        println!("{}", getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss());
        return ExitCode::SUCCESS;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let (small, large, picture) = (file("10MB.jsonl"), file("1GB.jsonl"), file("picture.jsonl"));
    ordinary(&small, 10 * MIB);
    ordinary(&large, 1024 * MIB);
    with_picture(&picture, 64 * MIB);

    let prompt = file("prompt");
    hook(&small, directory.path(), Some(&prompt));
    let prompt_bytes = fs::read(&prompt).unwrap();
    let (mut bare, mut of_small, mut of_large) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(auditor_alone(&prompt_bytes));
        of_small.push(hook(&small, directory.path(), None));
        of_large.push(hook(&large, directory.path(), None));
    }
    let [bare, of_small, of_large] = [bare, of_small, of_large].map(median);
    let mut marks = Marks { missed: false };
    println!(
        "prompt: {} characters; medians of {ROUNDS} rounds",
        String::from_utf8_lossy(&prompt_bytes).chars().count()
    );
    println!("auditor alone {bare:.2?}, hook on 10 MB {of_small:.2?}, hook on 1 GB {of_large:.2?}");
    marks.at_most("time, 1 GB against 10 MB", of_large.as_secs_f64() / of_small.as_secs_f64(), 1.3, "x");
    marks.at_most(
        "time, 10 MB against the auditor alone",
        of_small.as_secs_f64() / bare.as_secs_f64(),
        5.0,
        "x",
    );
    marks.at_most("peak memory, 1 GB", peak_mib(&large), 32.0, "MiB");
    marks.at_most("peak memory, a row of 64 MB", peak_mib(&picture), 200.0, "MiB");
    let taken = hook(&picture, directory.path(), Some(&prompt));
    let told = fs::read_to_string(&prompt).unwrap();
    let right = ["WHAT-IS-ON-IT", "图片 1 张", "A-CAT-IS-ON-IT"].iter().all(|part| told.contains(part));
    marks.at_most(
        &format!("turn with that row is wrong ({taken:.0?})"),
        if right { 0.0 } else { 1.0 },
        0.0,
        "",
    );
    let (log, bytes) = full_log(directory.path());
    for command in [&["log"][..], &["report"]] {
        let took = median((0..5).map(|_| looking_back(&log, command)).collect()).as_secs_f64();
        let what = format!("{} on 50,000 records, {} MB", command[0], bytes / MIB);
        marks.at_most(&what, took, 1.0, "s");
    }
    if marks.missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A log of 50,000 records with words and replies as long as they are ever logged (8.1), and its bytes.
fn full_log(directory: &Path) -> (PathBuf, u64) {
    let log = directory.join("full-log");
    let mut records = made_up::records(50_000, 25, jiff::Timestamp::now());
    for record in &mut records {
        record["person"] = "话".repeat(500).into();
        record["reply"] = "答".repeat(1_500).into();
    }
    made_up::write_log(&log, &records).unwrap();
    let bytes = fs::read_dir(&log).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    (log, bytes)
}

fn looking_back(log: &Path, arguments: &[&str]) -> Duration {
    timed(Command::new(HOOK).args(arguments).env("STOP_AUDITOR_LOG_DIR", log), b"")
}

struct Marks {
    missed: bool,
}

impl Marks {
    fn at_most(&mut self, what: &str, got: f64, mark: f64, unit: &str) {
        let missed = got > mark;
        self.missed |= missed;
        println!(
            "{} {what}: {got:.2}{unit} (at most {mark}{unit})",
            if missed { "MISSED" } else { "ok    " }
        );
    }
}

/// Runs the hook once on a transcript and gives the time it took.
fn hook(transcript: &Path, directory: &Path, prompt: Option<&PathBuf>) -> Duration {
    let event = json!({
        "hook_event_name": "Stop", "session_id": "bench", "transcript_path": transcript,
        "stop_hook_active": false, "last_assistant_message": "",
    });
    let mut command = Command::new(HOOK);
    command
        .env("TMPDIR", directory)
        .env("HOME", directory)
        .env("STOP_AUDITOR_LOG_DIR", directory.join("log"))
        .env("STOP_AUDITOR_CMD", AUDITOR);
    if let Some(prompt) = prompt {
        command.env("STOP_AUDITOR_DEBUG_PROMPT", prompt);
    }
    timed(&mut command, event.to_string().as_bytes())
}

fn auditor_alone(prompt: &[u8]) -> Duration {
    timed(Command::new("sh").args(["-c", AUDITOR]), prompt)
}

fn timed(command: &mut Command, input: &[u8]) -> Duration {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn peak_mib(transcript: &Path) -> f64 {
    let output = Command::new(env::current_exe().unwrap())
        .env("STOP_AUDITOR_BENCH_PEAK", transcript)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    // Kilobytes on Linux, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { MIB as f64 } else { 1024.0 };
    String::from_utf8(output.stdout).unwrap().trim().parse::<f64>().unwrap() / unit
}

/// An ordinary long session: turns of a question, twenty calls with a few kilobytes each, the client's own rows that
/// repeat them, thinking, a reply; now and then a compaction.
fn ordinary(path: &Path, size: u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let mut written = 0;
    for turn in 0.. {
        if written >= size {
            break;
        }
        for row in turn_rows(turn) {
            written += row.len() as u64 + 1;
            out.write_all(row.as_bytes()).unwrap();
            out.write_all(b"\n").unwrap();
        }
    }
    out.flush().unwrap();
}

fn turn_rows(turn: usize) -> Vec<String> {
    let output = format!("src/module_{turn}.rs:17: let total = parse_order(&line)?;\n").repeat(50);
    let mut rows = Rows { turn, count: 0, list: Vec::new() };
    if turn % 40 == 39 {
        rows.push(
            json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}),
        );
        rows.push(json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "So far: ".repeat(800)}}));
    }
    rows.push(json!({"type": "user", "origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human", "promptId": format!("p{turn}"),
        "message": {"role": "user", "content": format!("{turn}: now check where the total is computed and say what else calls it, 然后跑一遍测试")}}));
    for call in 0..20 {
        let id = format!("toolu_{turn}_{call}");
        rows.push(
            json!({"type": "assistant", "message": {"id": format!("m{turn}_{call}"), "role": "assistant",
            "content": [{"type": "thinking", "thinking": "", "signature": "c2ln".repeat(300)}]}}),
        );
        rows.push(json!({"type": "assistant", "message": {"id": format!("m{turn}_{call}"), "role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("rg -n parse_order src/{call}"), "description": "search"}}]}}));
        rows.push(json!({"type": "user", "toolUseResult": {"stdout": output, "stderr": "", "interrupted": false},
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}}));
        rows.push(json!({"type": "api-request-blob", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}}));
        rows.push(json!({"type": "attachment", "attachment": {"type": "prompt_snapshot", "systemPrompt": ["x".repeat(600)]}}));
    }
    rows.push(json!({"type": "assistant", "message": {"id": format!("m{turn}"), "role": "assistant",
        "content": [{"type": "text", "text": "It is called in three places, and the tests pass: 12 of 12. ".repeat(14)}]}}));
    rows.push(json!({"type": "system", "subtype": "turn_duration", "durationMs": 61_000}));
    rows.list
}

struct Rows {
    turn: usize,
    count: usize,
    list: Vec<String>,
}

impl Rows {
    fn push(&mut self, mut row: serde_json::Value) {
        let id = |count: usize| format!("{:08}-0000-4000-8000-{:012}", self.turn, count);
        row["uuid"] = id(self.count + 1).into();
        row["parentUuid"] = if self.count == 0 { json!(null) } else { id(self.count).into() };
        row["sessionId"] = "bench".into();
        row["version"] = "2.1.332".into();
        row["cwd"] = "/home/dev/app".into();
        row["timestamp"] = "2026-11-29T12:00:00.000Z".into();
        self.count += 1;
        self.list.push(row.to_string());
    }
}

fn with_picture(path: &Path, size: u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    for turn in 0..3 {
        for row in turn_rows(turn) {
            writeln!(out, "{row}").unwrap();
        }
    }
    let picture = "A".repeat(usize::try_from(size).unwrap());
    writeln!(
        out,
        "{}",
        json!({"type": "user", "uuid": "picture", "origin": {"kind": "human"}, "turnOrigin": "human",
        "message": {"role": "user", "content": [{"type": "text", "text": "WHAT-IS-ON-IT"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}}]}})
    )
    .unwrap();
    writeln!(
        out,
        "{}",
        json!({"type": "assistant", "uuid": "reply", "parentUuid": "picture",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "A-CAT-IS-ON-IT"}]}})
    )
    .unwrap();
    out.flush().unwrap();
}
