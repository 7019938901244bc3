//! A row without its words: every text becomes fillers of the same length, every id a number.
//!
//! What is kept is listed in `kept.rs`; everything else goes, whatever it is.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::kept::{
    ANSWERS, ATTRIBUTE, ID, KEPT_FIELDS, MARKS, MOMENT, NAMED_BY_PERSON, NESTED, TOOLS, is_moment, is_name,
};

/// What stands for which text, so that equal ones stay equal and others stay apart.
#[derive(Debug, Default)]
pub(super) struct Placeholders {
    texts: HashMap<String, String>,
    ids: HashMap<String, usize>,
}

/// Whose fields these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The client's.
    Client,
    /// What a tool was given: the arguments' names are the tool's.
    Input,
    /// What a tool gave back; only its status is a word of the client's.
    Outcome,
    /// Within an argument or a result.
    Nested,
}

impl Placeholders {
    /// The row without its words.
    pub(super) fn row(&mut self, row: &Value) -> Value {
        self.value("", row, Place::Client)
    }

    fn value(&mut self, field: &str, value: &Value, place: Place) -> Value {
        match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(_) if place == Place::Client && KEPT_FIELDS.contains(&field) => value.clone(),
            Value::Number(_) => Value::from(0),
            Value::String(text) => Value::from(self.string(field, text, place)),
            Value::Array(list) => list.iter().map(|value| self.value(field, value, place)).collect(),
            Value::Object(fields) => Value::Object(self.object(field, fields, place)),
        }
    }

    fn object(&mut self, of: &str, fields: &Map<String, Value>, place: Place) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, value) in fields {
            let is_kept = match place {
                Place::Client | Place::Input | Place::Outcome => is_name(name),
                Place::Nested => NESTED.contains(&name.as_str()) && !NAMED_BY_PERSON.contains(&of),
            };
            let shown = if is_kept { name.clone() } else { self.text(name) };
            let within = match (place, name.as_str()) {
                (Place::Client, "input") => Place::Input,
                (Place::Client, "toolUseResult") => Place::Outcome,
                (Place::Outcome, "status") if value.is_string() => Place::Outcome,
                (Place::Client, _) => Place::Client,
                (Place::Input | Place::Outcome | Place::Nested, _) => Place::Nested,
            };
            out.insert(shown, self.value(name, value, within));
        }
        out
    }

    fn string(&mut self, field: &str, text: &str, place: Place) -> String {
        let is_word =
            text.len() <= 40 && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.<>:/-".contains(c));
        match field {
            _ if place == Place::Client && KEPT_FIELDS.contains(&field) && is_word => text.to_owned(),
            "status" if place == Place::Outcome && is_word => text.to_owned(),
            "name" if TOOLS.split_whitespace().any(|tool| tool == text) => text.to_owned(),
            // A picture's bytes are of no use as fillers.
            "data" => "AAAA".to_owned(),
            _ if is_moment(text) => MOMENT.to_owned(),
            _ if ID.as_ref().is_some_and(|id| id.is_match(text)) => self.id(text),
            _ => self.text(text),
        }
    }

    /// The same kind of id with a number.
    fn id(&mut self, id: &str) -> String {
        let next = self.ids.len();
        let number = *self.ids.entry(id.to_owned()).or_insert(next);
        match id.split_once('_') {
            Some((kind, _)) => format!("{kind}_{number:08}"),
            None => format!("00000000-0000-4000-8000-{number:012}"),
        }
    }

    /// Fillers for everything but the marks. Old clients give an option box's answers as quoted texts only, so there the
    /// quotes are marks too.
    fn text(&mut self, text: &str) -> String {
        let is_answers = ANSWERS.iter().any(|answers| text.starts_with(answers));
        if is_answers {
            return text.split('"').map(|part| self.marked(part)).collect::<Vec<_>>().join("\"");
        }
        self.marked(text)
    }

    fn marked(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(mark) = MARKS.as_ref().and_then(|marks| marks.find(rest)) {
            let (before, from) = rest.split_at(mark.start());
            let (mark, behind) = from.split_at(mark.len());
            out.push_str(&self.filler(before));
            out.push_str(&self.mark(mark));
            rest = behind;
        }
        out.push_str(&self.filler(rest));
        out
    }

    /// A mark is kept, but the values of a tag's attributes are not the client's.
    fn mark(&mut self, mark: &str) -> String {
        let Some(attribute) = ATTRIBUTE.as_ref().filter(|_| mark.starts_with('<')) else {
            return mark.to_owned();
        };
        let mut out = String::new();
        let mut end = 0;
        for value in attribute.captures_iter(mark).filter_map(|found| found.get(1)) {
            out.push_str(mark.get(end..value.start()).unwrap_or_default());
            out.push_str(&self.filler(value.as_str()));
            end = value.end();
        }
        out.push_str(mark.get(end..).unwrap_or_default());
        out
    }

    /// As many characters, lines and blanks at the ends as they were, with a number that is this text's alone where there
    /// is room for one. A text that goes on after another one, as old clients wrote them, does so here too.
    fn filler(&mut self, text: &str) -> String {
        let inner = text.trim();
        if inner.is_empty() {
            return text.to_owned();
        }
        let (before, _) = text.split_at(text.len() - text.trim_start().len());
        let (_, behind) = text.split_at(text.trim_end().len());
        if !self.texts.contains_key(inner) {
            let made = self.new_filler(inner);
            self.texts.insert(inner.to_owned(), made);
        }
        let made = self.texts.get(inner).map(String::as_str).unwrap_or_default();
        format!("{before}{made}{behind}")
    }

    fn new_filler(&self, inner: &str) -> String {
        /// Shorter texts begin others by chance.
        const LEAST: usize = 8;
        let begins =
            self.texts.iter().filter(|(known, _)| known.len() >= LEAST && inner.starts_with(known.as_str()));
        let (known, begun) =
            begins.max_by_key(|(known, _)| known.len()).map_or(("", ""), |(known, made)| (known, made));
        let rest = inner.strip_prefix(known).unwrap_or(inner);
        let mut digits = self.texts.len().to_string();
        if rest.chars().take_while(|c| *c != '\n').take(digits.len() + 1).count() <= digits.len() {
            digits.clear();
        }
        let mut digits = digits.chars();
        let fill = |c: char| match c {
            '\n' => '\n',
            c if c.is_ascii() => digits.next().unwrap_or('x'),
            _ => digits.next().unwrap_or('字'),
        };
        format!("{begun}{}", rest.chars().map(fill).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_expression_is_valid() {
        assert!(MARKS.is_some() && ATTRIBUTE.is_some() && ID.is_some());
    }

    #[test]
    fn no_word_of_the_person_or_of_claude_is_left() {
        let id = "3f2a9c1e-7c1e-4b3a-9d52-6f0e8a4b0001";
        let row = json!({
            "type": "assistant", "uuid": id, "cwd": "/home/secretuser/secretproject", "gitBranch": "secret-branch",
            "timestamp": "2026-11-29T09:00:00.000Z", "secret/path.rs": {"n": 1},
            "message": {"id": "msg_01Secret", "role": "assistant", "model": "claude-x", "content": [
                {"type": "thinking", "thinking": "secret thought", "signature": "c2VjcmV0"},
                {"type": "text", "text": "密钥是 hunter2\n第二行"},
                {"type": "tool_use", "id": "toolu_01Secret", "name": "mcp__secret__do", "input": {"type": "secretvalue", "n": 4711, "map": {"secretkey": 1}}},
                {"type": "tool_use", "id": "toolu_02", "name": "Bash", "input": {"command": "curl secret.example"}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "c2VjcmV0"}},
            ]},
            "toolUseResult": {"type": "secrettype", "answers": {"SecretQuestion": "secret answer"}, "stdout": "secret out", "code": 4711, "files": {"secretfile": {"secretkey": true}}},
        });
        let text = Placeholders::default().row(&row).to_string();
        // `mcp` may be found by chance in no filler: fillers are x, 字 and digits.
        for word in ["ecret", "hunter", "密钥", "4711", "c2Vj", "mcp", "curl", "3f2a9c1e", "09:00"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
        for kept in ["\"assistant\"", "\"thinking\"", "\"tool_use\"", "\"Bash\"", "claude-x", "\"answers\""] {
            assert!(text.contains(kept), "{kept} in {text}");
        }
    }

    #[test]
    fn what_becomes_of_a_value_depends_on_whose_it_is() {
        let row = |fields: Value| json!({"message": {"content": [fields]}});
        for (given, want) in [
            // Words and numbers of the client.
            (json!({"type": "text"}), json!({"type": "text"})),
            (json!({"apiBlockIndex": 3}), json!({"apiBlockIndex": 3})),
            (json!({"duration": 4711}), json!({"duration": 0})),
            (json!({"status": "queued"}), json!({"status": "queued"})),
            // What stands in such a field and is no word: an account's number, a sentence.
            (
                json!({"model": "arn:aws:bedrock:eu-west-1:123456789012:inference-profile"}),
                json!({"model": "0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}),
            ),
            (json!({"model": "my model"}), json!({"model": "0xxxxxxx"})),
            // What a tool is given and gives back.
            (json!({"input": {"level": 3}}), json!({"input": {"level": 0}})),
            (json!({"input": {"status": "secret"}}), json!({"input": {"status": "0xxxxx"}})),
            (
                json!({"toolUseResult": {"status": "completed", "kind": "secret"}}),
                json!({"toolUseResult": {"status": "completed", "kind": "0xxxxx"}}),
            ),
            (
                json!({"toolUseResult": {"status": "not done"}}),
                json!({"toolUseResult": {"status": "0xxxxxxx"}}),
            ),
            (
                json!({"toolUseResult": {"status": {"secret": "secret"}}}),
                json!({"toolUseResult": {"status": {"0xxxxx": "0xxxxx"}}}),
            ),
            // Tools of the client, and of the person.
            (json!({"name": "Bash"}), json!({"name": "Bash"})),
            (json!({"name": "mcp__my__do"}), json!({"name": "0xxxxxxxxxx"})),
            // A picture, a moment, ids.
            (json!({"data": "c2VjcmV0"}), json!({"data": "AAAA"})),
            (json!({"timestamp": "2026-11-29T09:00:00.000Z"}), json!({"timestamp": MOMENT})),
            (
                json!({"a": "toolu_01Ab", "b": "3f2a9c1e-7c1e-4b3a-9d52-6f0e8a4b0001", "c": "toolu_01Ab"}),
                json!({"a": "toolu_00000000", "b": "00000000-0000-4000-8000-000000000001", "c": "toolu_00000000"}),
            ),
            // Fillers are of the kind of their text.
            (json!({"text": "改一下 parse_order"}), json!({"text": "0字字xxxxxxxxxxxx"})),
            (json!({"text": "parse_order 改"}), json!({"text": "0xxxxxxxxxxx字"})),
        ] {
            assert_eq!(Placeholders::default().row(&row(given.clone())), row(want), "{given}");
        }
    }

    #[test]
    fn a_text_keeps_its_length_its_lines_and_the_clients_marks() {
        let mut placeholders = Placeholders::default();
        for text in [
            "改一下 parse_order\n然后跑测试",
            "  a\n\nb ",
            "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>Ran it</summary>\n</task-notification>",
            "Stop hook feedback:\n独立审计员（gpt）判定本轮存在偏差：x",
            "<cross-session-message from-name=\"王五\">hi</cross-session-message>",
            "é🎉",
        ] {
            let filler = placeholders.text(text);
            assert_eq!(filler.chars().count(), text.chars().count(), "{text} / {filler}");
            assert_eq!(filler.lines().count(), text.lines().count());
            assert_ne!(filler, text);
        }
        let feedback = placeholders.text("Stop hook feedback:\n独立审计员（gpt）");
        assert!(feedback.starts_with("Stop hook feedback:\n独立审计员（"), "{feedback}");
        let peer = placeholders.text("<channel source=\"王五王五\">hi</channel>");
        assert!(peer.starts_with("<channel source=\"") && !peer.contains("王五"), "{peer}");
    }

    #[test]
    fn equal_texts_stay_equal_and_others_apart() {
        let mut placeholders = Placeholders::default();
        let [a, b] = ["the first question?", "another question?!!"].map(|text| placeholders.text(text));
        assert_eq!(a.len(), b.len());
        assert_ne!(a, b);
        assert_eq!(placeholders.text(" the first question?\n").trim(), a);
        let id = "3f2a9c1e-7c1e-4b3a-9d52-6f0e8a4b0001";
        assert_eq!(
            placeholders.string("uuid", id, Place::Client),
            placeholders.string("parentUuid", id, Place::Client)
        );
    }
}
