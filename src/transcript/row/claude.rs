//! A message of Claude's: texts, calls, option boxes. Never its thinking (1.2).

use super::{Block, Detail, Meaning};
use crate::transcript::json::{Json, Object};
use crate::transcript::turn::{Call, Field, OptionBox, Outcome, Question, Said};

pub(super) fn assistant(row: &Object<'_>, detail: Detail) -> Option<Meaning> {
    let message = row.object("message")?;
    // Written by the client: an API error or filler (4.13).
    if row.flag("isApiErrorMessage") || message.text("model").as_deref() == Some("<synthetic>") {
        return None;
    }
    let id = message.text("id");
    let content = message.get("content")?;
    let mut blocks = Vec::new();
    let block_index = row.get("apiBlockIndex").map(|index| index.raw().into_owned());
    let said =
        |text: String| Block::Said(Said { text, message_id: id.clone(), block_index: block_index.clone() });
    if let Some(text) = content.text() {
        blocks.push(said(text));
    }
    for block in content.array().unwrap_or_default() {
        let Some(block) = block.object() else { continue };
        match block.text("type").unwrap_or_default().as_str() {
            "text" => blocks.extend(block.text("text").filter(|text| !text.trim().is_empty()).map(said)),
            "tool_use" => blocks.push(tool_use(&block, detail)),
            _ => {}
        }
    }
    (!blocks.is_empty()).then_some(Meaning::Claude(blocks))
}

fn tool_use(block: &Object<'_>, detail: Detail) -> Block {
    let id = block.text("id").unwrap_or_default();
    let tool = block.text("name").unwrap_or_default();
    let input = block.object("input");
    if tool == "AskUserQuestion" {
        return Block::Asked(id, option_box(input.as_ref()));
    }
    let in_background = input.as_ref().is_some_and(|input| input.flag("run_in_background"))
        || matches!(tool.as_str(), "Agent" | "Task");
    let mut fields = Vec::new();
    for (name, value) in input.iter().flat_map(Object::fields) {
        push_fields(&mut fields, &name, value);
    }
    if detail == Detail::Brief {
        fields.retain(|field| !field.is_change);
    }
    Block::Call(id, Call { tool, input: fields, outcome: Outcome::Pending, background: in_background })
}

/// Arguments that hold what an edit or a write changes, by name, whatever the tool.
const CHANGES: [&str; 9] = [
    "old_string",
    "new_string",
    "content",
    "new_source",
    "old_str",
    "new_str",
    "file_text",
    "insert_text",
    "patch",
];

fn push_fields(fields: &mut Vec<Field>, name: &str, value: Json<'_>) {
    // A list of edits is told edit by edit, so that each old and new text is cut as a change.
    if name == "edits"
        && let Some(edits) = value.array()
    {
        for (index, edit) in edits.iter().enumerate() {
            let of_edit = edit.object();
            let edit_fields = of_edit.iter().flat_map(Object::fields);
            fields.extend(
                edit_fields.map(|(name, value)| field(format!("edits[{index}].{name}"), &name, value)),
            );
        }
        return;
    }
    fields.push(field(name.to_owned(), name, value));
}

fn field(told_name: String, name: &str, value: Json<'_>) -> Field {
    let text = value.text().unwrap_or_else(|| value.raw().into_owned());
    Field { name: told_name, text, is_change: CHANGES.contains(&name) }
}

fn option_box(input: Option<&Object<'_>>) -> OptionBox {
    let questions = input.map(|input| input.array("questions")).unwrap_or_default();
    let label = |option: &Json<'_>| {
        let Some(object) = option.object() else { return option.text() };
        let label = object.text("label")?;
        match object.text("description").filter(|description| !description.is_empty()) {
            Some(description) => Some(format!("{label}（{description}）")),
            None => Some(label),
        }
    };
    let question = |question: &Json<'_>| {
        let question = question.object()?;
        Some(Question {
            question: question.text("question").unwrap_or_default(),
            options: question.array("options").iter().filter_map(label).collect(),
            answer: None,
        })
    };
    OptionBox { questions: questions.iter().filter_map(question).collect(), unanswered: None }
}
