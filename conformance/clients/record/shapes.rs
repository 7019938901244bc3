//! What rows are made of: their types and their fields, at any depth. Not below what a tool takes (`input`, `input_schema`),
//! which the script chose, nor more than one level below what it gives (`toolUseResult`), which is the tool's affair. Rows that
//! repeat a request count by their type alone: the reader passes them over.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The shapes of a recording: `attachment/queued_command .attachment.origin.kind`.
pub(super) type Shapes = BTreeSet<String>;

/// Those of one row.
pub(super) fn of_row(row: &Value) -> Shapes {
    let word = |value: &Value| value.as_str().map(|word| format!("/{word}")).unwrap_or_default();
    let kind = row["type"].as_str().unwrap_or("?").to_owned()
        + &word(&row["subtype"])
        + &word(&row["attachment"]["type"]);
    let mut shapes = Shapes::from([kind.clone()]);
    if !repeats_a_request(row) {
        fields(row, &format!("{kind} "), usize::MAX, &mut shapes);
    }
    shapes
}

/// Whether a row is a copy of what was sent to the model, full of the client's own texts.
pub(super) fn repeats_a_request(row: &Value) -> bool {
    let kind = row["type"].as_str().unwrap_or_default();
    kind.starts_with("api-request") || row["attachment"]["type"] == "prompt_snapshot"
}

fn fields(value: &Value, path: &str, n_levels: usize, shapes: &mut Shapes) {
    match value {
        Value::Object(map) if n_levels > 0 => {
            for (key, value) in map {
                // A path, a model, a question: a key that is data and no name.
                let is_name = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let path = format!("{path}.{}", if is_name { key } else { "*" });
                let n_levels = match key.as_str() {
                    "input" | "input_schema" => 0,
                    "toolUseResult" => 1,
                    _ => n_levels - 1,
                };
                shapes.insert(path.clone());
                fields(value, &path, n_levels, shapes);
            }
        }
        Value::Array(list) => {
            for value in list {
                let kind = value["type"].as_str().unwrap_or_default();
                fields(value, &format!("{path}[{kind}]"), n_levels, shapes);
            }
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The rows of a file.
///
/// # Panics
/// When a line is no JSON.
pub(super) fn rows_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

/// The newest recording in the repo that is of another version than this, or else the newest: its version and its
/// shapes.
///
/// # Panics
/// When there is none.
pub(super) fn of_the_last_recording(version: &str) -> (String, Shapes) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts/recorded");
    let folders = fs::read_dir(root).expect("recordings are here").flatten().map(|entry| entry.path());
    let name = |folder: &PathBuf| folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = |folder: &PathBuf| -> Vec<u32> {
        name(folder).split('.').filter_map(|part| part.parse().ok()).collect()
    };
    let last = folders.max_by_key(|folder| (name(folder) != version, number(folder))).expect("a recording");
    let files = fs::read_dir(&last).expect("it is a folder").flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    (name(&last), files.flat_map(|path| rows_of(&path)).flat_map(|row| of_row(&row)).collect())
}

/// What one has and the other has not, a line each, `new:` or `gone:`. A type that is new, or gone, is one line.
pub(super) fn compared(now: &Shapes, before: &Shapes) -> Vec<String> {
    let lines = |word: &str, these: &Shapes, those: &Shapes| -> Vec<String> {
        let is_told = |shape: &&String| match shape.split_once(' ') {
            Some((kind, _)) => those.contains(kind),
            None => true,
        };
        these.difference(those).filter(is_told).map(|shape| format!("{word}: {shape}")).collect()
    };
    [lines("new", now, before), lines("gone", before, now)].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(now: Value, before: Value) -> Vec<String> {
        compared(&of_row(&now), &of_row(&before))
    }

    #[test]
    fn what_is_new_and_what_is_gone_is_told_at_any_depth() {
        let before = json!({"type": "user", "message": {"content": [{"type": "text", "text": "a"}]}});
        assert!(told(before.clone(), before.clone()).is_empty());
        for (row, want) in [
            (
                json!({"type": "user", "message": {"content": [{"type": "text", "text": "b", "tone": 1}]}}),
                vec!["new: user .message.content[text].tone"],
            ),
            (
                json!({"type": "user", "message": {"content": [{"type": "voice", "text": "b"}]}}),
                vec![
                    "new: user .message.content[voice].text",
                    "new: user .message.content[voice].type",
                    "gone: user .message.content[text].text",
                    "gone: user .message.content[text].type",
                ],
            ),
            (json!({"type": "news", "a": {"b": 1}}), vec!["new: news", "gone: user"]),
        ] {
            assert_eq!(told(row, before.clone()), want);
        }
    }

    #[test]
    fn what_the_script_chose_and_what_is_data_is_no_shape() {
        let call = |input: Value, kept: Value| {
            json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "input": input}]},
                   "toolUseResult": {"answers": kept}, "backups": {"/home/u/a.txt": {"version": 1}}})
        };
        let other = {
            let mut row = call(json!({"b": {"c": 2}}), json!({"Which?": "that"}));
            row["backups"] = json!({"/home/u/b.txt": {"version": 2}});
            row
        };
        assert_eq!(told(call(json!({"a": 1}), json!({})), other), Vec::<String>::new());
        let request = |field: &str| json!({"type": "api-request-shape", "shape": {field: 1}});
        assert_eq!(told(request("a"), request("b")), Vec::<String>::new());
    }
}
