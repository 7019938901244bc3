//! The study of what a prompt hook's output becomes (2.1.285, September 2026: ten output forms, two runs each),
//! repeated with the installed client by `scripts/hook-lab`. A scripted model says nothing of what it saw, so that the
//! marks are looked for in the request, and its size is in bytes where the study counted tokens.
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use stop_auditor::hosts::claude_code::{study_marks, study_text};
use stop_auditor::hosts::contract::Run;

use super::installed;
use super::kit::sandbox::Sandbox;
use super::lab::{client, tell_hook, transcript, write_hook};
use super::model::anthropic::Anthropic;

/// Where the marks of a long text stand.
const PLACES: [&str; 5] = ["0", "1,900", "2,100", "half", "end"];

const PROMPT: &str = "List every MARK that you see, on one line. Use no tools.";

/// An output form, with what the study saw.
struct Form {
    name: &'static str,
    run: Run,
    /// The words to look for in the request, each with its name in the table.
    marks: Vec<(&'static str, String)>,
    study: Seen,
    /// The study's tokens of the first request, and their difference to the control's.
    tokens: &'static str,
}

/// What was seen of a run, as far as study and repetition can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    exit_code: i32,
    n_requests: usize,
    /// The names of the marks in the request.
    marks: String,
    /// Whether the first request is bigger than the control's; `None` where there is none.
    is_bigger: Option<bool>,
    kept: String,
}

/// A run of today.
struct Measured {
    seen: Seen,
    /// The first request, in bytes.
    n_bytes: Option<usize>,
}

#[test]
#[ignore = "scripts/hook-lab runs it"]
fn table() {
    let mut text = format!(
        "Claude Code {} against the study of 2.1.285; a form's two runs with their sizes, the study below\n{}",
        version(),
        line(["form", "exit", "requests", "bytes (control)", "tokens", "marks", "the transcript keeps"])
    );
    let mut differences = Vec::new();
    let mut control = None;
    for form in forms() {
        let runs = [measure(&form, control), measure(&form, control)];
        control = control.or(runs[0].n_bytes);
        let sizes = runs.iter().map(|run| size(run.n_bytes, control)).collect::<Vec<String>>();
        let sizes = if sizes[0] == sizes[1] { sizes[0].clone() } else { sizes.join(" / ") };
        text += &shown(form.name, &runs[0].seen, &sizes, "");
        text += &shown("  study", &form.study, "", form.tokens);
        differences.extend(form.differences(&runs[0].seen, "first run"));
        differences.extend(form.differences(&runs[1].seen, "second run"));
    }
    let _ = writeln!(text, "{} differences to the study", differences.len());
    for difference in differences {
        let _ = writeln!(text, "  {difference}");
    }
    println!("{text}");
}

impl Form {
    /// What a run shows otherwise than the study, a line each.
    fn differences(&self, seen: &Seen, which: &str) -> Vec<String> {
        let study = &self.study;
        let pairs = [
            ("exit code", study.exit_code.to_string(), seen.exit_code.to_string()),
            ("model requests", study.n_requests.to_string(), seen.n_requests.to_string()),
            ("marks that arrived", study.marks.clone(), seen.marks.clone()),
            ("bigger than the control", format!("{:?}", study.is_bigger), format!("{:?}", seen.is_bigger)),
            ("the transcript keeps", study.kept.clone(), seen.kept.clone()),
        ];
        let differ = pairs.into_iter().filter(|(_, study, seen)| study != seen);
        let told = differ
            .map(|(what, study, seen)| format!("{}, {which}: {what}: {seen} (study: {study})", self.name));
        told.collect()
    }
}

fn version() -> String {
    let output = Command::new(installed::claude()).arg("--version").output().expect("the client starts");
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().unwrap_or("?").to_owned()
}

fn size(n_bytes: Option<usize>, control: Option<usize>) -> String {
    let Some(n_bytes) = n_bytes else { return "-".to_owned() };
    let control = control.unwrap_or(n_bytes);
    let sign = if n_bytes < control { "-" } else { "+" };
    format!("{n_bytes} ({sign}{})", n_bytes.abs_diff(control))
}

fn shown(name: &str, seen: &Seen, bytes: &str, tokens: &str) -> String {
    let (exit, requests) = (seen.exit_code.to_string(), seen.n_requests.to_string());
    line([name, &exit, &requests, bytes, tokens, &seen.marks, &seen.kept])
}

fn line([form, exit, requests, bytes, tokens, marks, kept]: [&str; 7]) -> String {
    format!("{form:<30} {exit:>4} {requests:>8}  {bytes:<18} {tokens:<27} {marks:<29} {kept}\n")
}

/// One `claude -p` with the study's flags.
fn measure(form: &Form, control: Option<usize>) -> Measured {
    let sandbox = Sandbox::new();
    write_hook(&sandbox);
    tell_hook(&sandbox, &form.run, 1);
    let model = Anthropic::without_tools(|_| "NONE".to_owned());
    let handler = json!({"type": "command", "command": sandbox.path("hook")});
    let mut client = client(&sandbox, &model, "UserPromptSubmit", &handler);
    let output = client.args(["--max-turns", "1", PROMPT]).stdin(Stdio::null()).output();
    let status = output.expect("the client starts").status;
    let requests = model.bodies();
    let request = requests.first().map(|(_, body)| body.to_string()).unwrap_or_default();
    let n_bytes = requests.first().map(|(n_bytes, _)| *n_bytes);
    let seen = Seen {
        exit_code: status.code().unwrap_or(-1),
        n_requests: requests.len(),
        marks: arrived(&form.marks, &request),
        is_bigger: n_bytes.map(|n| control.is_some_and(|control| n > control)),
        kept: kept(&transcript(&sandbox), requests.is_empty()),
    };
    Measured { seen, n_bytes }
}

fn arrived(marks: &[(&'static str, String)], request: &str) -> String {
    let arrived = marks.iter().filter(|(_, mark)| request.contains(mark.as_str())).map(|(name, _)| *name);
    let names = arrived.collect::<Vec<&str>>().join(", ");
    if names.is_empty() { "-".to_owned() } else { names }
}

/// The hook's record, with what was rendered of it; or the prompt, where the model never saw it.
fn kept(rows: &[Value], is_dropped: bool) -> String {
    if is_dropped {
        let n_times = rows.iter().filter(|row| row.to_string().contains(PROMPT)).count();
        return format!("the prompt, {n_times} times");
    }
    let is_hook =
        |row: &&Value| row["attachment"]["type"].as_str().is_some_and(|kind| kind.starts_with("hook_"));
    let Some(row) = rows.iter().find(is_hook) else { return "no hook record".to_owned() };
    let kind = row["attachment"]["type"].as_str().unwrap_or_default();
    let rendered = row["rendered"][0]["content"].as_str();
    let preview =
        rendered.and_then(|text| text.split_once("Preview (first 2KB):\n")?.1.split_once("\n...\n"));
    match (rendered, preview) {
        (None, _) => format!("{kind}, rendered null"),
        (Some(_), Some((preview, _))) => format!("{kind}, path and {} characters", preview.chars().count()),
        (Some(text), None) => format!("{kind}, {} characters", text.chars().count()),
    }
}

/// The ten of the study, in its order. Its texts were others, of the same lengths.
fn forms() -> Vec<Form> {
    let seen = |n_requests, marks: &str, is_bigger, kept: &str| Seen {
        exit_code: 0,
        n_requests,
        marks: marks.to_owned(),
        is_bigger,
        kept: kept.to_owned(),
    };
    let form = |name, run, marks: &[&'static str], tokens, study| Form {
        name,
        run,
        marks: marks.iter().map(|mark| (*mark, format!("MARK-{}", mark.to_uppercase()))).collect(),
        study,
        tokens,
    };
    let long = |n_chars: usize, name, tokens, study| Form {
        marks: PLACES.into_iter().zip(study_marks(n_chars).map(|(_, mark)| mark.trim().to_owned())).collect(),
        ..form(name, Run::exited(0, &study_text(n_chars), ""), &[], tokens, study)
    };
    let json = |value: Value| Run::exited(0, &value.to_string(), "");
    let block = |more: Value| {
        let mut specific = json!({"hookEventName": "UserPromptSubmit", "additionalContext": "MARK-CONTEXT"});
        if let (Some(specific), Value::Object(more)) = (specific.as_object_mut(), more) {
            specific.extend(more);
        }
        json(json!({"decision": "block", "reason": "MARK-REASON", "hookSpecificOutput": specific}))
    };
    let plain = padded("MARK-STDOUT", 82) + "\n";
    let context = padded("MARK-CONTEXT", 81);
    let specific = json!({"hookEventName": "UserPromptSubmit", "additionalContext": context});
    let errors = "MARK-ERROR1 first\nMARK-ERROR2 second\n";
    let both = |code| Run::exited(code, "MARK-STDOUT\n", errors);
    let of_both = ["stdout", "error1", "error2"];
    let of_block = ["context", "reason"];
    vec![
        form(
            "nothing (control)",
            Run::exited(0, "", ""),
            &[],
            "2,756",
            seen(1, "-", Some(false), "no hook record"),
        ),
        form(
            "83 characters of stdout",
            Run::exited(0, &plain, ""),
            &["stdout"],
            "2,811 (+55)",
            // Not a figure of the study's, but its wrapper of 68 round the 82 that are left of 83.
            seen(1, "stdout", Some(true), "hook_success, 150 characters"),
        ),
        form(
            "additionalContext",
            json(json!({"hookSpecificOutput": specific})),
            &["context"],
            "2,813 (+57)",
            // The same wrapper, with the longer name that the study gives.
            seen(1, "context", Some(true), "hook_additional_context, 160 characters"),
        ),
        long(
            10_000,
            "10,000 characters of stdout",
            "6,407 (+3,651)",
            seen(1, "0, 1,900, 2,100, half, end", Some(true), "hook_success, 10068 characters"),
        ),
        long(
            50_000,
            "50,000 characters of stdout",
            "3,708 / 3,711 (+952 / +955)",
            seen(1, "0, 1,900", Some(true), "hook_success, path and 1949 characters"),
        ),
        form(
            "exit 1, both outputs",
            both(1),
            &of_both,
            "2,756 (0)",
            seen(1, "-", Some(false), "hook_non_blocking_error, rendered null"),
        ),
        form(
            "bare JSON data",
            json(json!({"branch": "main", "open_issues": 3, "mark": "MARK-DATA"})),
            &["data"],
            "2,756 (0)",
            seen(1, "-", Some(false), "no hook record"),
        ),
        form("block with reason", block(json!({})), &of_block, "", seen(0, "-", None, "the prompt, 2 times")),
        form("exit 2, both outputs", both(2), &of_both, "", seen(0, "-", None, "the prompt, 2 times")),
        form(
            "block, suppressOriginalPrompt",
            block(json!({"suppressOriginalPrompt": true})),
            &of_block,
            "",
            seen(0, "-", None, "the prompt, 1 times"),
        ),
    ]
}

/// The mark in a text of that many characters.
fn padded(mark: &str, n_chars: usize) -> String {
    format!("{mark:.<n_chars$}")
}

#[test]
fn every_difference_to_the_study_is_named() {
    for form in forms() {
        assert_eq!(form.differences(&form.study, "a run"), Vec::<String>::new(), "{}", form.name);
        let is_bigger = form.study.is_bigger.map(|is_bigger| !is_bigger).or(Some(true));
        let other = Seen {
            exit_code: 1,
            n_requests: 7,
            marks: "all".to_owned(),
            is_bigger,
            kept: "nothing".to_owned(),
        };
        let named = form.differences(&other, "a run");
        assert_eq!(named.len(), 5, "{named:?}");
    }
    assert_eq!(forms().len(), 10);
}

#[test]
fn marks_are_told_by_name() {
    let marks = [("one", "MARK-1".to_owned()), ("two", "MARK-2".to_owned())];
    assert_eq!(arrived(&marks, "MARK-2 MARK-1"), "one, two");
    assert_eq!(arrived(&marks, "a MARK-2"), "two");
    assert_eq!(arrived(&marks, "MARK"), "-");
}

#[test]
fn what_the_transcript_keeps_is_told_with_its_lengths() {
    let row = |kind: &str, rendered: Value| vec![json!({"attachment": {"type": kind}, "rendered": rendered})];
    assert_eq!(kept(&row("environment", Value::Null), false), "no hook record");
    assert_eq!(
        kept(&row("hook_success", json!([{"content": "12345"}])), false),
        "hook_success, 5 characters"
    );
    assert_eq!(
        kept(&row("hook_non_blocking_error", Value::Null), false),
        "hook_non_blocking_error, rendered null"
    );
    let cut = json!([{"content": "x\nPreview (first 2KB):\n123\n...\n</persisted-output>"}]);
    assert_eq!(kept(&row("hook_success", cut), false), "hook_success, path and 3 characters");
    let rows = [json!({"content": PROMPT}), json!({"content": "another"})];
    assert_eq!(kept(&rows, true), "the prompt, 1 times");
}
