//! Records the synthetic sessions anew with the installed client (`scripts/record-session`) and prints which row types
//! and fields are new against the last recording. Long texts are the client's own and are left out.
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::desk::Desk;
use super::installed;
use super::kit::auditors::InTurn;
use super::kit::check::Checks;
use super::kit::event::write;
use super::kit::processes::eventually;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::{Part, says, tool};
use super::terminal::Terminal;

/// No text of a script is as long, in characters.
const LONGEST_OWN_TEXT: usize = 300;

/// The same in rows that repeat the request, which are full of the client's own texts.
const LONGEST_IN_REQUESTS: usize = 60;

const PASS: &str = "VERDICT: PASS";

/// Plays a session to its end, with what has to be seen on the way.
type Scenario = fn(&mut Checks) -> Desk;

const SCENARIOS: &[(&str, Scenario)] = &[
    ("print-tool-and-one-block", tool_and_one_block),
    ("print-edits-error-background-command", edits_error_background_command),
    ("print-resumed", resumed),
    ("print-forked", forked),
    ("print-nine-blocks", nine_blocks),
    ("print-blocked-prompt", blocked_prompt),
    ("tui-message-mid-turn", message_mid_turn),
    ("tui-interrupt", interrupt),
];

#[test]
#[ignore = "scripts/record-session runs it"]
fn sessions() {
    let version = client_version();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("recorded").join(&version);
    let mut new = BTreeSet::new();
    for (name, scenario) in SCENARIOS {
        let mut checks = Checks::default();
        let desk = scenario(&mut checks);
        desk.nothing_is_left(&mut checks);
        assert!(checks.hold(), "{name}: {checks:#?}");
        let events = desk.events();
        let path = events.last().and_then(|event| event["transcript_path"].as_str()).expect("an event");
        let rows = rows_of(Path::new(path));
        assert!(!rows.is_empty(), "{name}: the client wrote no rows");
        let lines = rows.iter().map(|row| {
            let row = without_machine_facts(row.clone());
            without_client_texts(&row, longest_in(&row)).to_string()
        });
        let text = lines.collect::<Vec<String>>().join("\n") + "\n";
        let text = without_machine(&desk, &text);
        let left = traces(&text);
        assert!(left.is_empty(), "{name} would tell of this machine: {left:?}");
        write(&folder.join(format!("{name}.jsonl")), text);
        new.extend(rows.iter().flat_map(shapes));
    }
    let (last, known) = last_recording();
    let mut report = format!("Claude Code {version} against the recording of {last}\n");
    for shape in new.difference(&known) {
        let _ = writeln!(report, "new: {shape}");
    }
    let _ = writeln!(
        report,
        "{} shapes, {} new; {}",
        new.len(),
        new.difference(&known).count(),
        folder.display()
    );
    println!("{report}");
}

#[test]
fn a_new_type_and_a_new_field_are_new_shapes() {
    let known = shapes(&json!({"type": "user", "message": {"role": "user"}}));
    for (row, new) in [
        (json!({"type": "user", "message": {"role": "user"}, "extra": 1}), "user .extra"),
        (json!({"type": "user", "message": {"role": "user", "tone": 1}}), "user .message.tone"),
        (json!({"type": "system", "subtype": "news"}), "system/news"),
    ] {
        assert!(shapes(&row).iter().any(|shape| shape == new), "{new}");
        assert!(!known.iter().any(|shape| shape == new), "{new}");
    }
}

#[test]
fn what_a_row_tells_of_the_machine_is_replaced() {
    let row = json!({"attachment": {"type": "environment", "snapshot": {"osVersion": "Linux 9.9-mine"}},
                     "list": [{"context": {"email": "a@b.example"}}]});
    let want = json!({"attachment": {"type": "environment", "snapshot": {"osVersion": "Linux 6.0"}},
                      "list": [{"context": {}}]});
    assert_eq!(without_machine_facts(row), want);
}

#[test]
fn long_texts_are_left_out_and_nothing_else() {
    let long = "x".repeat(LONGEST_OWN_TEXT + 1);
    let row = json!({"type": "user", "a": [long], "b": "short", "c": format!("<system-reminder>{long}")});
    let want = json!({"type": "user", "a": ["(client text left out)"], "b": "short",
                      "c": "<system-reminder>\n(client text left out)\n</system-reminder>"});
    assert_eq!(without_client_texts(&row, longest_in(&row)), want);
}

fn client_version() -> String {
    let output = Command::new(installed::claude()).arg("--version").output().expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().next().expect("a version").to_owned()
}

fn rows_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

/// The version and the shapes of the newest recording in the repo.
fn last_recording() -> (String, BTreeSet<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts/recorded");
    let folders = fs::read_dir(root).expect("recordings are here").flatten().map(|entry| entry.path());
    let number = |folder: &PathBuf| -> Vec<u32> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split('.').filter_map(|part| part.parse().ok()).collect()
    };
    let last = folders.max_by_key(number).expect("at least one recording");
    let files = fs::read_dir(&last).expect("it is a folder").flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let shapes = files.flat_map(|path| rows_of(&path)).flat_map(|row| shapes(&row)).collect();
    (last.file_name().unwrap_or_default().to_string_lossy().into_owned(), shapes)
}

/// The kind of a row, and each of its fields two levels deep: `attachment/queued_command .attachment.origin`.
fn shapes(row: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().map(|word| format!("/{word}")).unwrap_or_default();
    let kind = row["type"].as_str().unwrap_or("?").to_owned()
        + &word(&row["subtype"])
        + &word(&row["attachment"]["type"]);
    let fields = |value: &Value| -> Vec<String> {
        value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
    };
    let mut shapes = vec![kind.clone()];
    for outer in fields(row) {
        shapes.push(format!("{kind} .{outer}"));
        // What a tool gives has fields of its own, which belong to the tool.
        if outer != "toolUseResult" {
            shapes.extend(fields(&row[&outer]).iter().map(|inner| format!("{kind} .{outer}.{inner}")));
        }
    }
    shapes
}

fn longest_in(row: &Value) -> usize {
    let is_request = row["type"].as_str().is_some_and(|kind| kind.starts_with("api-request"));
    if is_request { LONGEST_IN_REQUESTS } else { LONGEST_OWN_TEXT }
}

fn without_client_texts(value: &Value, longest: usize) -> Value {
    match value {
        Value::String(text) if text.chars().count() > longest => {
            let is_reminder = text.starts_with("<system-reminder>");
            let left_out = "(client text left out)";
            if is_reminder {
                format!("<system-reminder>\n{left_out}\n</system-reminder>")
            } else {
                left_out.into()
            }
            .into()
        }
        Value::Array(list) => list.iter().map(|value| without_client_texts(value, longest)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), without_client_texts(value, longest))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// What a row tells of the machine and the person: the system's version, the session's context (an e-mail address),
/// ids of installations.
fn without_machine_facts(value: Value) -> Value {
    let cleaned = |(key, value): (String, Value)| {
        let value = match (key.as_str(), value) {
            ("osVersion", Value::String(_)) => "Linux 6.0".into(),
            ("context", Value::Object(_)) => json!({}),
            ("installationId" | "installation_id" | "email" | "userEmail" | "hostname", _) => "".into(),
            (_, value) => without_machine_facts(value),
        };
        (key, value)
    };
    match value {
        Value::Object(map) => Value::Object(map.into_iter().map(cleaned).collect()),
        Value::Array(list) => list.into_iter().map(without_machine_facts).collect(),
        other => other,
    }
}

/// What of this machine a text still names: its user, its host, its kernel, folders outside the desk.
fn traces(text: &str) -> Vec<String> {
    let told = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let user = std::env::var("USER").unwrap_or_default();
    let home = std::env::var("HOME").unwrap_or_default();
    [user, home, told("/proc/sys/kernel/hostname"), told("/proc/sys/kernel/osrelease")]
        .into_iter()
        // Short names stand in ordinary words.
        .filter(|trace| trace.len() > 5 && text.contains(trace.as_str()))
        .collect()
}

/// The folders of the desk become those of a person `u`, also where the client makes a name of one.
fn without_machine(desk: &Desk, text: &str) -> String {
    let at = |name: &str| desk.sandbox.path(name).to_string_lossy().into_owned();
    let slug = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let (project, tmp, home, root) = (at("project"), at("tmp"), at("home"), at(""));
    let text = text.replace(&project, "/home/u/proj").replace(&slug(&project), "-home-u-proj");
    let text = text.replace(&tmp, "/tmp").replace(&home, "/home/u");
    // The client names a folder after the user's number.
    let number = fs::metadata(desk.sandbox.path("home")).map(|home| home.uid()).unwrap_or_default();
    let text = text.replace(&format!("/tmp/claude-{number}/"), "/tmp/claude-1000/");
    text.replace(&root, "/home/u/").replace(env!("CARGO_MANIFEST_DIR"), "/home/u/stop-auditor")
}

fn desk(answers: &[&str], steps: Vec<Vec<Part>>) -> (Desk, InTurn) {
    let sandbox = Sandbox::new();
    let auditor = InTurn::new(&sandbox.path("auditor"), answers);
    let desk = Desk::new(sandbox, auditor.command(), steps);
    desk.edit_settings(|settings| {
        settings["permissions"] = json!({"allow": ["Bash", "Read", "Edit", "Write"]});
    });
    (desk, auditor)
}

fn bash(command: &str) -> Part {
    tool("Bash", json!({"command": command, "description": "a command"}))
}

fn tool_and_one_block(c: &mut Checks) -> Desk {
    let steps =
        vec![vec![Part::Text("Looking.".into()), bash("ls -a")], says("All done."), says("Corrected.")];
    let (desk, _) = desk(&["VERDICT: FAIL - 无证据", PASS], steps);
    desk.print(c, "please list files 看看");
    desk
}

fn edits_error_background_command(c: &mut Checks) -> Desk {
    let sandbox = Sandbox::new();
    let auditor = InTurn::new(&sandbox.path("auditor"), &[PASS]);
    let file = sandbox.path("project/a.txt");
    let job = format!("cat {}; echo bgdone", auditor.opens(1).display());
    let edit = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    let steps = vec![
        vec![Part::Text("Writing.".into()), tool("Write", json!({"file_path": file, "content": "one\n"}))],
        vec![tool("Edit", edit), bash("cat no-such-file; exit 3")],
        vec![tool("Bash", json!({"command": job, "run_in_background": true, "description": "a job"}))],
        says("Started a background job, waiting."),
        says("Background job finished: bgdone."),
    ];
    let desk = Desk::new(sandbox, auditor.command(), steps);
    desk.print(c, "write a file then run things");
    desk
}

fn resumed(c: &mut Checks) -> Desk {
    let (desk, _) = desk(&[PASS], vec![says("A1"), says("A2")]);
    let session_id = desk.print(c, "first").session_id();
    desk.resume(c, &session_id, "second resumed");
    desk
}

fn forked(c: &mut Checks) -> Desk {
    let (desk, _) = desk(&[PASS], vec![says("A1"), says("A2"), says("A3")]);
    let session_id = desk.print(c, "first").session_id();
    desk.resume(c, &session_id, "second resumed");
    desk.run(c, &["--resume", &session_id, "--fork-session", "-p", "third forked"]);
    desk
}

/// Adds a hook of somebody else, which prints this.
fn with_hook(desk: &Desk, event: &str, output: &Value) {
    let command = format!("cat >/dev/null; printf '%s' '{output}'");
    desk.edit_settings(|settings| {
        let groups = settings["hooks"][event].as_array_mut().expect("hooks are registered");
        groups.push(json!({"hooks": [{"type": "command", "command": command}]}));
    });
}

fn nine_blocks(c: &mut Checks) -> Desk {
    let (desk, _) = desk(&[PASS], (1..12).map(|n| says(&format!("A{n}"))).collect());
    with_hook(&desk, "Stop", &json!({"decision": "block", "reason": "loop"}));
    desk.print(c, "loop");
    desk
}

fn blocked_prompt(c: &mut Checks) -> Desk {
    let (desk, _) = desk(&[PASS], vec![says("A1")]);
    with_hook(&desk, "UserPromptSubmit", &json!({"decision": "block", "reason": "not this"}));
    desk.print(c, "a prompt that a hook blocks");
    desk
}

fn waits(holds: impl FnMut() -> bool) -> bool {
    eventually(Duration::from_secs(20), holds)
}

/// A session whose command waits at a FIFO; the file that shows it has begun, and the FIFO.
fn held(answer: &str) -> (Desk, PathBuf, PathBuf) {
    let sandbox = Sandbox::new();
    // Below the project: the client asks before a command reads elsewhere.
    let auditor = InTurn::new(&sandbox.path("project/auditor"), &[PASS]);
    let (begun, gate) = (sandbox.path("project/begun"), auditor.gate(99));
    let steps = vec![vec![bash("touch begun; cat auditor/gate.99")], says(answer), says("And that.")];
    let desk = Desk::new(sandbox, auditor.command(), steps);
    desk.edit_settings(|settings| {
        settings["permissions"] = json!({"allow": ["Bash"]});
    });
    (desk, begun, gate)
}

fn message_mid_turn(c: &mut Checks) -> Desk {
    let (desk, begun, gate) = held("Both done.");
    let terminal = Terminal::start(&desk, "run it");
    c.that("4.9", "the command runs", waits(|| begun.exists()), "yes", terminal.text());
    c.that("4.9", "typed", terminal.send("and-that-too"), "seen", terminal.text());
    InTurn::open(&gate);
    c.that("4.9", "the turn ends", waits(|| !desk.sandbox.log_lines().is_empty()), "yes", terminal.text());
    drop(terminal);
    desk
}

fn interrupt(c: &mut Checks) -> Desk {
    let (desk, begun, _) = held("Not reached.");
    let terminal = Terminal::start(&desk, "run it");
    c.that("4.9", "the command runs", waits(|| begun.exists()), "yes", terminal.text());
    terminal.press("\u{1b}");
    let path = desk.events().last().and_then(|event| event["transcript_path"].as_str().map(PathBuf::from));
    let path = path.unwrap_or_default();
    let marked = waits(|| fs::read_to_string(&path).unwrap_or_default().contains("[Request interrupted"));
    c.that("4.9", "the interrupt is in the file", marked, "yes", terminal.text());
    drop(terminal);
    desk
}
