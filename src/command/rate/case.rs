//! A wrong audit's turn as a transcript without its words: the rows of that turn and of the one before it, as they
//! stood in the file when the hook read it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde_json::{Map, Value};

use super::placeholder::Placeholders;
use crate::transcript::json::{self, Json, Object};
use crate::transcript::session::{self, Extent, Session};
use crate::transcript::turn::{Entry, Outcome, Turn};

/// Types of rows that can mean something for a turn; the others repeat texts or name the client's settings.
const KEPT: [&str; 5] = ["user", "assistant", "attachment", "system", "queue-operation"];

/// A case.
pub(super) struct Case {
    rows: Vec<Value>,
    shape: Vec<String>,
}

impl Case {
    /// Of the last turn in the first `until` bytes of a transcript; `None` where there is none.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn of(transcript: &Path, until: u64) -> io::Result<Option<Case>> {
        let Some(session) = read(transcript, Some(until))? else { return Ok(None) };
        let mut file = File::open(transcript)?;
        file.seek(SeekFrom::Start(session.from))?;
        let mut bytes = Vec::new();
        file.take(session.until.saturating_sub(session.from)).read_to_end(&mut bytes)?;
        let mut placeholders = Placeholders::default();
        let rows = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| json::parse_object(line).map(|row| Value::Object(object(&row, MAX_DEPTH))))
            .filter(is_kept)
            .map(|row| placeholders.row(&row))
            .collect();
        Ok(Some(Case { rows, shape: shape(&session) }))
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Writes it into a new file, for the person alone.
    ///
    /// # Errors
    /// Those of writing, among them that the file is there.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
        file.write_all(self.text().as_bytes())
    }

    fn text(&self) -> String {
        self.rows.iter().flat_map(|row| [row.to_string(), "\n".to_owned()]).collect()
    }

    /// Whether the turns read from it are made of the same things as those that it was made from.
    ///
    /// # Errors
    /// Those of the temporary file that it is read from.
    pub(super) fn has_same_shape(&self) -> io::Result<bool> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(self.text().as_bytes())?;
        Ok(read(file.path(), None)?.is_some_and(|session| shape(&session) == self.shape))
    }
}

/// The current turn and the one before it.
fn read(transcript: &Path, until: Option<u64>) -> io::Result<Option<Session>> {
    let extent = Extent { skip: 0, until, give_up: &|| false, share: &|_| 0, measure: &|_, _| 1 };
    session::read(transcript, &extent)
}

/// Values within values that are looked at; nobody's arguments lie so deep, and a file may be made to.
const MAX_DEPTH: usize = 60;

/// The fields as values. What is damaged is mended as the hook mends it, so that the case holds what the hook saw.
fn object(fields: &Object<'_>, deeper: usize) -> Map<String, Value> {
    fields.fields().map(|(name, field)| (name, value(field, deeper))).collect()
}

/// The value with at most so many values within each other; what lies deeper is left out.
fn value(of: Json<'_>, deeper: usize) -> Value {
    if let Some(text) = of.text() {
        return text.into();
    }
    let Some(deeper) = deeper.checked_sub(1) else { return Value::Null };
    if let Some(fields) = of.object() {
        return Value::Object(object(&fields, deeper));
    }
    if let Some(list) = of.array() {
        return list.into_iter().map(|one| value(one, deeper)).collect();
    }
    serde_json::from_str(&of.raw()).unwrap_or_default()
}

fn is_kept(row: &Value) -> bool {
    let kind = row.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_of_sub_agent = row.get("isSidechain") == Some(&Value::Bool(true)) || row.get("agentId").is_some();
    KEPT.contains(&kind) && !is_of_sub_agent
}

/// What the two turns are made of, without a word of what was said.
fn shape(session: &Session) -> Vec<String> {
    let turns = std::iter::once(&session.current).chain(session.earlier.first());
    turns.flat_map(shape_of).collect()
}

fn shape_of(turn: &Turn) -> Vec<String> {
    let opener = &turn.opener;
    let mut shape = vec![format!("{:?}, {} pictures", opener.sender, opener.images)];
    shape.extend(turn.entries.iter().map(|entry| match entry {
        Entry::Said(_) => "said".to_owned(),
        Entry::Call(call) => {
            let outcome = match &call.outcome {
                Outcome::Ok(output) => format!("ok, {} pictures", output.images),
                Outcome::Failed(_) => "failed".to_owned(),
                Outcome::NeverRan { may_have_begun, reason, .. } => {
                    format!("never ran, {may_have_begun}, {}", reason.is_some())
                }
                Outcome::Pending => "pending".to_owned(),
            };
            format!("call of {} inputs, background: {}, {outcome}", call.input.len(), call.background)
        }
        Entry::Asked(asked) => {
            let answered = asked.questions.iter().filter(|question| question.answer.is_some()).count();
            format!("{} questions, {answered} answered", asked.questions.len())
        }
        Entry::BackgroundResult(_) => "background result".to_owned(),
        Entry::Steer(_) => "steer".to_owned(),
        Entry::Peer { .. } => "peer".to_owned(),
        Entry::Scheduled(_) => "scheduled".to_owned(),
        Entry::Interrupted(_) => "interrupted".to_owned(),
        Entry::Bang { .. } => "bang".to_owned(),
        Entry::AuditBlock(_) => "audit block".to_owned(),
        Entry::OtherHook(_) => "other hook".to_owned(),
        Entry::StillRunning(_) => "still running".to_owned(),
    }));
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;
    use std::path::PathBuf;

    fn transcripts(below: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(below).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                transcripts(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }

    #[test]
    fn only_rows_that_mean_something_for_a_turn_are_kept() {
        for (row, is_kept) in [
            (json!({"type": "assistant", "message": {"role": "assistant", "content": "x"}}), true),
            (json!({"type": "system", "isSidechain": false}), true),
            (json!({"type": "file-history-snapshot"}), false),
            (json!({"isMeta": true}), false),
            (json!({"type": "assistant", "isSidechain": true}), false),
            (json!({"type": "assistant", "agentId": "a1"}), false),
        ] {
            assert_eq!(super::is_kept(&row), is_kept, "{row}");
        }
    }

    #[test]
    fn values_that_lie_too_deep_are_left_out() {
        for (deep, want) in [
            (r#"[[[[1,"x"]]]]"#, "[[[null]]]"),
            (r#"{"a":{"a":{"a":{"a":1}}}}"#, r#"{"a":{"a":{"a":null}}}"#),
            (r#"[[["x"]]]"#, r#"[[["x"]]]"#),
        ] {
            let line = format!(r#"{{"deep":{deep}}}"#);
            let row = object(&json::parse_object(line.as_bytes()).unwrap(), 3);
            assert_eq!(row["deep"].to_string(), want);
        }
    }

    /// An answer with quotes in it ends, without its words, at the first of them.
    const KNOWN: [&str; 1] = ["option-box-answer-with-quotes.jsonl"];

    /// Whatever the kit knows of transcripts keeps its shape without its words.
    #[test]
    fn every_transcript_of_the_kit_keeps_its_shape() {
        let mut all = Vec::new();
        transcripts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts"), &mut all);
        let mut changed = Vec::new();
        let mut cases = 0;
        for path in &all {
            let Some(case) = Case::of(path, u64::MAX).unwrap() else { continue };
            cases += 1;
            let is_known = KNOWN.iter().any(|name| path.ends_with(name));
            if case.has_same_shape().unwrap() == is_known {
                let mut file = tempfile::NamedTempFile::new().unwrap();
                file.write_all(case.text().as_bytes()).unwrap();
                let now = read(file.path(), None).unwrap().map(|session| shape(&session)).unwrap_or_default();
                changed.push(format!("{}\n  was {:?}\n  now {now:?}", path.display(), case.shape));
            }
        }
        assert!(cases > 100, "{cases} of {} files", all.len());
        assert!(changed.is_empty(), "{} of {cases}:\n{}", changed.len(), changed.join("\n"));
    }
}
