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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::transcript::row::{self, Detail};

    /// The entries of these rows.
    fn of(rows: &[Value]) -> Vec<Entry> {
        let mut results = Results::new();
        let mut kept = Vec::new();
        for row in rows {
            let mut row =
                row::read(row.to_string().as_bytes(), Detail::Whole).expect("a row that means something");
            if let Meaning::Results(found, _) = &mut row.meaning {
                results.extend(found.drain(..).map(|result| (result.call_id.clone(), result)));
            }
            kept.push(row);
        }
        entries(kept, &mut results)
    }

    fn told(rows: &[Value]) -> Vec<String> {
        let short = |entry: Entry| match entry {
            Entry::Said(said) => format!("said {}", said.text),
            Entry::Bang { command, output } => format!("! {command} -> {output}"),
            Entry::BackgroundResult(text) => format!("background {text}"),
            Entry::Steer(words) => format!("steer {}", words.text),
            Entry::Interrupted(text) => format!("interrupted {text}"),
            Entry::Call(call) => {
                format!("{} {}", call.tool, if call.background { "in the background" } else { "ended" })
            }
            other => format!("{other:?}"),
        };
        of(rows).into_iter().map(short).collect()
    }

    fn user(content: &Value) -> Value {
        json!({"type": "user", "message": {"content": content}})
    }

    #[test]
    fn r4_5_a_message_that_grew_counts_once_and_blocks_that_are_numbered_each() {
        let said = |message: Option<&str>, block: Option<u32>, text: &str| {
            json!({"type": "assistant", "apiBlockIndex": block,
                "message": {"id": message, "content": [{"type": "text", "text": text}]}})
        };
        for (name, first, second, wanted) in [
            ("it grew", (Some("m"), None), (Some("m"), None), &["said AB"][..]),
            ("two messages", (Some("m"), None), (Some("n"), None), &["said A", "said AB"]),
            ("no ids", (None, None), (None, None), &["said A", "said AB"]),
            ("numbered blocks", (Some("m"), Some(0)), (Some("m"), Some(1)), &["said A", "said AB"]),
            ("the first is numbered", (Some("m"), Some(0)), (Some("m"), None), &["said A", "said AB"]),
            ("the second is numbered", (Some("m"), None), (Some("m"), Some(1)), &["said A", "said AB"]),
        ] {
            assert_eq!(
                told(&[said(first.0, first.1, "A"), said(second.0, second.1, "AB")]),
                wanted,
                "{name}"
            );
        }
    }

    #[test]
    fn r4_9_words_beside_results_are_the_person_s_or_an_interrupt_and_a_notification_counts_once() {
        let result = json!({"type": "tool_result", "tool_use_id": "c", "content": "out"});
        let beside = |text: &str| user(&json!([result, {"type": "text", "text": text}]));
        assert_eq!(told(&[beside("stop that")]), ["steer stop that"]);
        let interrupt = "[Request interrupted by user]";
        assert_eq!(told(&[beside(interrupt)]), [format!("interrupted {interrupt}")]);
        assert!(told(&[beside("<tick>")]).is_empty());
        let ended = |text: &str| user(&json!(format!("<task-notification>{text}</task-notification>")));
        assert_eq!(told(&[ended("one"), ended("two"), ended("one")]), ["background one", "background two"]);
    }

    #[test]
    fn r4_3_each_output_of_bang_input_stays() {
        let input = user(&json!("<bash-input>ls</bash-input>"));
        let output = |text: &str| user(&json!(format!("<bash-stdout>{text}</bash-stdout>")));
        assert_eq!(
            told(&[output("one"), input, output("two"), output("three")]),
            ["!  -> one", "! ls -> two", "!  -> three"]
        );
    }

    #[test]
    fn r4_8_what_goes_on_in_the_background_is_told_by_the_tool_and_its_result() {
        let call = |tool: &str, input: Value| json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "c", "name": tool, "input": input}]}});
        let result = |is_error: bool, outcome: Value| {
            let content =
                json!([{"type": "tool_result", "tool_use_id": "c", "is_error": is_error, "content": "out"}]);
            json!({"type": "user", "toolUseResult": outcome, "message": {"content": content}})
        };
        let moved = || json!({"backgroundTaskId": "b"});
        let command = || json!({"command": "x"});
        for (tool, input, is_error, outcome, goes_on) in [
            ("Bash", command(), false, json!({}), false),
            ("Bash", command(), false, moved(), true),
            ("Bash", command(), true, moved(), false),
            ("Bash", json!({"command": "x", "run_in_background": true}), false, json!({}), true),
            ("Read", json!({"file": "x"}), false, moved(), false),
            ("Agent", json!({}), false, json!({}), true),
            ("Agent", json!({}), false, json!({"status": "completed"}), false),
            ("Task", json!({}), true, json!({}), false),
            ("SendMessage", json!({}), false, json!({}), false),
            ("SendMessage", json!({}), false, json!({"resumedAgentId": "a"}), true),
            // Only an agent is in the background until it says that it ended.
            ("Bash", command(), false, json!({"status": "running"}), false),
        ] {
            let wanted = format!("{tool} {}", if goes_on { "in the background" } else { "ended" });
            let name = format!("{tool} {input} {is_error} {outcome}");
            assert_eq!(told(&[call(tool, input), result(is_error, outcome)]), [wanted], "{name}");
        }
    }

    #[test]
    fn r4_6_a_call_that_was_written_again_is_one() {
        let call = |id: &str| json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": id, "name": id}]}});
        assert_eq!(told(&[call("c"), call("d"), call("c")]), ["c ended", "d ended"]);
    }

    #[test]
    fn r4_10_why_an_option_box_has_no_answer() {
        let ask = json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "c",
            "name": "AskUserQuestion", "input": {"questions": [{"question": "which?"}]}}]}});
        let unanswered = |is_error: bool, denial: Option<&str>, text: &str| {
            let content =
                json!([{"type": "tool_result", "tool_use_id": "c", "is_error": is_error, "content": text}]);
            let result = json!({"type": "user", "toolDenialKind": denial, "message": {"content": content}});
            match of(&[ask.clone(), result]).pop() {
                Some(Entry::Asked(asked)) => asked.unanswered,
                other => panic!("{other:?}"),
            }
        };
        let typed = "No.\nTo tell you how to proceed, the user said:\nrather not";
        assert_eq!(unanswered(false, None, "fine"), None);
        assert_eq!(unanswered(true, None, "broken"), Some(Unanswered::Failed("broken".into())));
        assert_eq!(unanswered(true, Some("user-rejected"), "No."), Some(Unanswered::Closed));
        assert_eq!(
            unanswered(true, Some("user-rejected"), typed),
            Some(Unanswered::Instead("rather not".into()))
        );
    }
}
