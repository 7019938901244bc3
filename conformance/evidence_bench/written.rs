//! A session as the client writes it, so that what is measured is what the hook does: rows in, prompt out.

use std::io::Write as _;

use serde_json::{Map, Value, json};
use stop_auditor::transcript::session::Session;
use stop_auditor::transcript::turn::{Call, Entry, OptionBox, Turn};
use tempfile::NamedTempFile;

use super::rows::Rows;

/// The transcript of a session, in a file that is gone with the value.
pub(crate) fn transcript(session: &Session) -> NamedTempFile {
    let mut rows = Rows::new();
    for turn in session.earlier.iter().rev().chain([&session.current]) {
        push(&mut rows, turn);
    }
    let mut file = NamedTempFile::new().unwrap();
    for row in rows.rows() {
        writeln!(file, "{row}").unwrap();
    }
    file
}

fn push(rows: &mut Rows, turn: &Turn) {
    rows.person(turn.opener.words.as_str());
    for entry in &turn.entries {
        let id = format!("toolu_{}", rows.rows().len());
        match entry {
            Entry::Said(said) => rows.says(&said.text),
            Entry::Call(call) => push_call(rows, &id, call),
            Entry::Asked(asked) => push_box(rows, &id, asked),
            Entry::BackgroundResult(text) => rows.queued_notification(text),
            Entry::Steer(words) => rows.queued(words.text.as_str()),
            _ => panic!("no row for {entry:?}"),
        };
    }
}

fn push_call<'a>(rows: &'a mut Rows, id: &str, call: &Call) -> &'a mut Rows {
    let input: Map<String, Value> =
        call.input.iter().map(|field| (field.name.clone(), json!(field.text))).collect();
    rows.call(id, &call.tool, input);
    rows.result(id, look_at(call))
}

fn look_at(call: &Call) -> &str {
    match &call.outcome {
        stop_auditor::transcript::turn::Outcome::Ok(output) => &output.text,
        other => panic!("no row for {other:?}"),
    }
}

fn push_box<'a>(rows: &'a mut Rows, id: &str, asked: &OptionBox) -> &'a mut Rows {
    let questions: Vec<Value> =
        asked.questions.iter().map(|one| json!({"question": one.question, "options": []})).collect();
    rows.call(id, "AskUserQuestion", json!({"questions": questions}));
    let answers: Map<String, Value> =
        asked.questions.iter().map(|one| (one.question.clone(), json!(one.answer))).collect();
    let block =
        json!({"tool_use_id": id, "type": "tool_result", "content": "Your questions have been answered."});
    rows.user(json!([block]), json!({"toolUseResult": {"answers": answers}}))
}
