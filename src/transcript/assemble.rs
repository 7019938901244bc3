//! The rows of one turn, in order, become its entries.
//!
//! Calls find their results by id, wherever in the file those stand: a walk along the parents loses the results of
//! parallel calls (facts, B9).

use std::collections::{HashMap, HashSet};

use super::opener::{self, Author, Provenance};
use super::row::{Block, Meaning, Row, ToolResult};
use super::turn::{Call, Entry, OptionBox, Outcome, Said, Unanswered, Words};

/// Results by the id of their call.
pub type Results = HashMap<String, ToolResult>;

/// The entries that a turn's rows stand for. Takes the results it uses out of `results`.
pub fn entries(rows: impl IntoIterator<Item = Row>, results: &mut Results) -> Vec<Entry> {
    let mut entries = Vec::new();
    // Old clients wrote a message again and again as it grew, its calls too.
    let mut called = HashSet::new();
    for row in rows {
        match row.meaning {
            Meaning::Claude(blocks) => {
                for block in blocks {
                    if block.call_id().is_none_or(|id| called.insert(id.to_owned())) {
                        push_block(&mut entries, block, results);
                    }
                }
            }
            Meaning::Results(_, Some(words)) => entries.extend(beside_results(words)),
            Meaning::Event(event) => push_event(&mut entries, event),
            Meaning::BangCommand(command) => entries.push(Entry::Bang { command, output: String::new() }),
            Meaning::BangOutput { text, .. } => push_bang_output(&mut entries, text),
            Meaning::Results(_, None)
            | Meaning::Prompt { .. }
            | Meaning::LocalOutput
            | Meaning::PromptBlocked(_)
            | Meaning::NotificationQueued(_)
            | Meaning::Dequeued
            | Meaning::Removed(_)
            | Meaning::Retraction => {}
        }
    }
    entries
}

fn push_block(entries: &mut Vec<Entry>, block: Block, results: &mut Results) {
    match block {
        Block::Said(said) => push_said(entries, said),
        Block::Call(id, call) => entries.push(Entry::Call(finished(call, results.remove(&id)))),
        Block::Asked(id, asked) => entries.push(Entry::Asked(answered(asked, results.remove(&id)))),
    }
}

/// Old clients wrote a message again each time it had grown: the longest version counts, at the first one's place.
fn push_said(entries: &mut Vec<Entry>, said: Said) {
    for entry in entries.iter_mut().rev() {
        let Entry::Said(earlier) = entry else { continue };
        if earlier.message_id.is_none() || earlier.message_id != said.message_id {
            break;
        }
        // Newer ones write each block once, and say which.
        if earlier.block_index.is_some() || said.block_index.is_some() {
            break;
        }
        if said.text.starts_with(&earlier.text) {
            *earlier = said;
            return;
        }
    }
    entries.push(Entry::Said(said));
}

/// One block is written as two rows, and one notification by up to three carriers; each counts once.
fn push_event(entries: &mut Vec<Entry>, event: Entry) {
    let known = match &event {
        Entry::AuditBlock(reason) | Entry::OtherHook(reason) => entries
            .iter()
            .rev()
            .take_while(|entry| !matches!(entry, Entry::Said(_) | Entry::Call(_)))
            .any(|entry| matches!(entry, Entry::AuditBlock(known) | Entry::OtherHook(known) if known == reason)),
        Entry::BackgroundResult(text) => {
            entries.iter().any(|entry| matches!(entry, Entry::BackgroundResult(known) if known == text))
        }
        _ => false,
    };
    if !known {
        entries.push(event);
    }
}

/// Words that stand beside tool results in rows of old clients.
fn beside_results(words: Words) -> Option<Entry> {
    match opener::author(&Provenance::default(), &words.text) {
        Author::Person => Some(Entry::Steer(words)),
        Author::Interrupt => Some(Entry::Interrupted(words.text)),
        _ => None,
    }
}

fn push_bang_output(entries: &mut Vec<Entry>, text: String) {
    match entries.last_mut() {
        Some(Entry::Bang { output, .. }) if output.is_empty() => *output = text,
        _ => entries.push(Entry::Bang { command: String::new(), output: text }),
    }
}

fn finished(mut call: Call, result: Option<ToolResult>) -> Call {
    let Some(result) = result else { return call };
    let is_command = call.input.iter().any(|field| field.name == "command");
    let runs_on = match call.tool.as_str() {
        "SendMessage" => result.resumed_agent,
        "Agent" | "Task" => !result.ended_in_foreground,
        // Other tools may show a text that says so.
        _ => call.background || (is_command && result.moved_to_background),
    };
    call.background = runs_on && !result.never_ran && !result.is_error;
    call.outcome = if result.never_ran {
        Outcome::NeverRan {
            output: result.output,
            may_have_begun: result.may_have_begun,
            reason: result.reason,
        }
    } else if result.is_error {
        Outcome::Failed(result.output)
    } else {
        Outcome::Ok(result.output)
    };
    call
}

fn answered(mut asked: OptionBox, result: Option<ToolResult>) -> OptionBox {
    let Some(result) = result else { return asked };
    asked.unanswered = match result.reason {
        Some(reason) => Some(Unanswered::Instead(reason)),
        None if result.never_ran => Some(Unanswered::Closed),
        None if result.is_error => Some(Unanswered::Failed(result.output.text.clone())),
        None => None,
    };
    for question in &mut asked.questions {
        let known =
            result.answers.iter().find(|(text, _)| *text == question.question).map(|(_, answer)| answer);
        // Without the client's own field the answer is only in the text: `"question"="answer"`.
        let answer = match known {
            Some(answer) => Some(answer.clone()),
            None => {
                result.output.text.split_once(&format!("\"{}\"=\"", question.question)).map(|(_, rest)| {
                    // An answer may hold quotes: it ends where the next question or the sentence behind it begins.
                    let ends = ["\", \"", "\". "].iter().filter_map(|end| rest.find(end));
                    rest.get(..ends.min().unwrap_or(rest.len())).unwrap_or(rest).to_owned()
                })
            }
        };
        question.answer = answer.filter(|answer| !answer.trim().is_empty());
    }
    asked
}
