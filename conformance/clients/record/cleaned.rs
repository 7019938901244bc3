//! A recording without the client's own texts and without the machine it was made on. What the scripted model, the
//! scripted person and our hook said stays, and so does as much of a client text as tells what it is.
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use crate::desk::Desk;

/// How much of a client text stays, in characters: `… was moved to the background`, by which a result is known, ends at
/// the 78th.
const LONGEST: usize = 80;

/// Tags at the beginning of texts that consist of tags; what stands between them is looked at piece by piece.
const TAGS: [&str; 7] = [
    "<task-notification>",
    "<cross-session-message",
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-",
    "<div",
];

const LEFT_OUT: &str = "(client text left out)";

/// Texts that are not the client's.
pub(super) struct Own(Vec<String>);

impl Own {
    /// Words of the scripts, longest first, so that none is taken apart by a shorter one.
    pub(super) fn of(mut words: Vec<String>) -> Self {
        words.retain(|word| !word.trim().is_empty());
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Self(words)
    }

    /// A row without the client's long texts.
    pub(super) fn keep(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.keep_text(text).into(),
            Value::Array(list) => list.iter().map(|value| self.keep(value)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.keep(value))).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn keep_text(&self, text: &str) -> String {
        if text.starts_with("<system-reminder>") && self.is_the_client_s(text) {
            return format!("<system-reminder>\n{LEFT_OUT}\n</system-reminder>");
        }
        let head: String = text.chars().take(LONGEST).collect();
        if !TAGS.iter().any(|tag| head.contains(tag)) {
            return self.keep_piece(text);
        }
        // Each piece ends behind a tag; the tag itself is no text.
        let pieces = text.split_inclusive('>').map(|piece| match piece.rfind('<') {
            Some(at) => self.keep_piece(&piece[..at]) + &piece[at..],
            None => self.keep_piece(piece),
        });
        pieces.collect()
    }

    fn keep_piece(&self, text: &str) -> String {
        if !self.is_the_client_s(text) {
            return text.to_owned();
        }
        format!("{} {LEFT_OUT}", text.chars().take(LONGEST).collect::<String>())
    }

    /// Whether a text is a long one of the client's. It speaks English, and our hook Chinese.
    fn is_the_client_s(&self, text: &str) -> bool {
        let mut rest = text.to_owned();
        for word in &self.0 {
            rest = rest.replace(word.as_str(), "");
        }
        rest.contains(' ') && rest.chars().filter(char::is_ascii).count() > LONGEST
    }
}

/// What a row tells of the machine and the person: the system's version, the session's context (an e-mail address),
/// ids of installations.
pub(super) fn without_machine_facts(value: Value) -> Value {
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
pub(super) fn traces(text: &str) -> Vec<String> {
    let told = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let user = env::var("USER").unwrap_or_default();
    let home = env::var("HOME").unwrap_or_default();
    [user, home, told("/proc/sys/kernel/hostname"), told("/proc/sys/kernel/osrelease")]
        .into_iter()
        // Short names stand in ordinary words.
        .filter(|trace| trace.len() > 5 && text.contains(trace.as_str()))
        .collect()
}

/// The folders of the desk become those of a person `u`, also where the client makes a name of one.
pub(super) fn without_machine(desk: &Desk, text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_text_is_cut_and_a_script_s_is_not() {
        let said = "a long answer of the scripted model, ".repeat(5);
        let own = Own::of(vec![said.clone(), "short".to_owned()]);
        let long = "word ".repeat(40);
        let head: String = long.chars().take(LONGEST).collect();
        let cut = format!("{head} {LEFT_OUT}");
        let reason = "独立审计员（m）判定本轮存在偏差：无证据结论，没有查过。".repeat(5);
        let path = "/home/u/".repeat(20);
        for (text, want) in [
            (long.clone(), cut.clone()),
            (said.clone(), said.clone()),
            (format!("They said: {said}"), format!("They said: {said}")),
            (format!("Stop hook feedback:\n{reason}"), format!("Stop hook feedback:\n{reason}")),
            (path.clone(), path),
            (
                format!("<system-reminder>{long}"),
                format!("<system-reminder>\n{LEFT_OUT}\n</system-reminder>"),
            ),
            (format!("{long}<task-notification>{long}"), cut.clone()),
            (
                format!("<task-notification>\n<a>1</a><b>{long}</b>"),
                format!("<task-notification>\n<a>1</a><b>{cut}</b>"),
            ),
        ] {
            assert_eq!(own.keep(&json!({"a": [text]})), json!({"a": [want]}));
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
}
