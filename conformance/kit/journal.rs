//! Reading log lines whose fields have no fixed names in the spec: a check asks for a value, wherever it stands.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use serde_json::Value;

/// Every value in a line that is no object and no array, at any depth.
pub(crate) fn values(line: &Value) -> Vec<&Value> {
    match line {
        Value::Object(map) => map.values().flat_map(values).collect(),
        Value::Array(list) => list.iter().flat_map(values).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![line],
    }
}

/// Whether any value of the line equals `want`.
pub(crate) fn has(line: &Value, want: &Value) -> bool {
    values(line).contains(&want)
}

/// Whether any text in the line contains `needle`.
pub(crate) fn mentions(line: &Value, needle: &str) -> bool {
    texts(line).iter().any(|text| text.contains(needle))
}

/// Every text in a line.
pub(crate) fn texts(line: &Value) -> Vec<&str> {
    values(line).into_iter().filter_map(Value::as_str).collect()
}

/// Every number in a line.
pub(crate) fn numbers(line: &Value) -> Vec<f64> {
    values(line).into_iter().filter_map(Value::as_f64).collect()
}

/// The verdict words (`PASS`, `NOTE`, `FAIL`, `ERROR`, `SKIP`) that stand alone as a value of the line, in any case.
pub(crate) fn verdicts(line: &Value) -> Vec<String> {
    let word = |text: &str| {
        let text = text.to_ascii_uppercase();
        ["PASS", "NOTE", "FAIL", "ERROR", "SKIP"].contains(&text.as_str()).then_some(text)
    };
    texts(line).into_iter().filter_map(word).collect()
}

/// The one verdict word of each line, `?` where a line has none or several.
pub(crate) fn verdict_of_each(lines: &[Value]) -> Vec<String> {
    let only = |line: &Value| {
        let mut found = verdicts(line);
        found.dedup();
        if found.len() == 1 { found.remove(0) } else { "?".to_owned() }
    };
    lines.iter().map(only).collect()
}
