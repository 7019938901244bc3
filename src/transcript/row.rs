//! One row as the client writes it, reduced to what it means for a turn.
//!
//! Rows that mean nothing here (the client's copies of its own requests, titles, snapshots, thinking, sub-agents)
//! are `None`: they repeat the same texts over and over, and some hold what must never be sent.

mod claude;
mod message;
mod result;

use super::json::{self, Json, Object};
use super::opener;
use super::turn::{Call, Entry, OptionBox, Output, Said, Sender, Words};

/// A row that means something.
#[derive(Debug)]
pub struct Row {
    /// The row's own id; replayed copies share it.
    pub uuid: Option<String>,
    /// The row that it answers; a rewound prompt and the prompt after the rewind share it.
    pub parent: Option<String>,
    /// The turn id that hooks get as `prompt_id`.
    pub prompt_id: Option<String>,
    /// Rows that this one withdraws.
    pub retracts: Vec<String>,
    /// What it means.
    pub meaning: Meaning,
}

/// What a row means for a turn.
#[derive(Debug)]
pub enum Meaning {
    /// A message that may start a turn.
    Prompt {
        /// Its words.
        words: Words,
        /// Whose they are.
        sender: Sender,
        /// False for a command without provenance: a turn only if the model answers it.
        is_sent: bool,
    },
    /// `!` input, the command; a turn only if the model answers it.
    BangCommand(String),
    /// What `!` input printed.
    BangOutput {
        /// The output.
        text: String,
        /// Whether the client says that it goes to the model.
        is_sent: bool,
    },
    /// Texts and calls of Claude, in order.
    Claude(Vec<Block>),
    /// Results of calls, and words that old clients put beside them.
    Results(Vec<ToolResult>, Option<Words>),
    /// Something that happened, as it stands.
    Event(Entry),
    /// A local command printed something: the command row before it is no prompt.
    LocalOutput,
    /// A hook blocked the prompt with these words (4.13).
    PromptBlocked(String),
    /// A notification was queued; that is no delivery.
    NotificationQueued(String),
    /// The queue gave its first item out; mostly the next user row carries it.
    Dequeued,
    /// An item left the queue: this text, where the client tells.
    Removed(Option<String>),
    /// Only withdraws other rows.
    Retraction,
}

/// A part of one of Claude's messages.
#[derive(Debug)]
pub enum Block {
    /// A text.
    Said(Said),
    /// A call, by its id.
    Call(String, Call),
    /// An option box, by its call's id.
    Asked(String, OptionBox),
}

impl Block {
    /// The id of the call that this is.
    pub fn call_id(&self) -> Option<&str> {
        match self {
            Block::Said(_) => None,
            Block::Call(id, _) | Block::Asked(id, _) => Some(id),
        }
    }
}

/// The result of a call, wherever it stands in the file.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that the client tells or not")]
pub struct ToolResult {
    /// Id of the call.
    pub call_id: String,
    /// What came back.
    pub output: Output,
    /// Whether the client marked it as an error.
    pub is_error: bool,
    /// Whether the call was denied, cancelled or blocked.
    pub never_ran: bool,
    /// Whether a call that was stopped may have begun.
    pub may_have_begun: bool,
    /// What the person typed when denying.
    pub reason: Option<String>,
    /// Answers of an option box: question and answer.
    pub answers: Vec<(String, String)>,
    /// A sub-agent that was waited for is not in the background.
    pub ended_in_foreground: bool,
    /// The output says that the command goes on in the background.
    pub moved_to_background: bool,
    /// A message that made a sub-agent go on.
    pub resumed_agent: bool,
}

/// Types of rows that are known, those that mean nothing for a turn among them (facts, 1.11-1.13, and part 0, 4).
pub const KNOWN_TYPES: &[&str] = &[
    "user",
    "assistant",
    "attachment",
    "system",
    "queue-operation",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "tools-used",
    "summary",
    "last-prompt",
    "file-history-snapshot",
    "file-history-delta",
    "mode",
    "permission-mode",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-setting",
    "agent-color",
    "tag",
    "pr-link",
    "bridge-session",
    "worktree-state",
    "relocated",
    "continued-in",
    "cost-state",
    "atis-latch",
    "frame-link",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "progress",
];

/// How much of a row is kept. Older turns are told in one line a call, so their outputs need not be held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Whole,
    /// Calls without their long arguments, results without their long texts.
    Brief,
}

/// What a result keeps in [`Detail::Brief`], in bytes: enough to tell that its command went to the background.
const BRIEF_OUTPUT: usize = 400;

/// Reads a row; `None` where it means nothing for a turn or cannot be read.
pub fn read(line: &[u8], detail: Detail) -> Option<Row> {
    from_object(&json::parse_object(line)?, detail)
}

fn from_object(row: &Object<'_>, detail: Detail) -> Option<Row> {
    if row.flag("isSidechain") || row.get("agentId").is_some() {
        return None;
    }
    let meaning = match row.text("type")?.as_str() {
        "user" => message::user(row, detail)?,
        "assistant" => claude::assistant(row, detail)?,
        "attachment" => message::attachment(&row.object("attachment")?)?,
        "system" => system(row)?,
        "queue-operation" => queue_operation(row)?,
        _ => return None,
    };
    let mut retracts: Vec<String> = texts(&row.array("retractedMessageUuids"));
    retracts.extend(texts(&row.array("supersedesUuids")));
    Some(Row {
        uuid: row.text("uuid"),
        parent: row.text("parentUuid"),
        prompt_id: row.text("promptId"),
        retracts,
        meaning,
    })
}

fn texts(values: &[Json<'_>]) -> Vec<String> {
    values.iter().filter_map(|value| value.text()).collect()
}

/// The content of a message: texts, images, and the rest by type.
#[derive(Default)]
struct Content<'a> {
    texts: Vec<String>,
    images: usize,
    results: Vec<Object<'a>>,
}

fn content(value: Option<Json<'_>>, detail: Detail) -> Content<'_> {
    let mut content = Content::default();
    let Some(value) = value else { return content };
    let text_of = |value: Json<'_>| match detail {
        Detail::Whole => value.text(),
        Detail::Brief => value.beginning(BRIEF_OUTPUT),
    };
    if let Some(text) = text_of(value) {
        content.texts.push(text);
        return content;
    }
    for block in value.array().unwrap_or_default() {
        let Some(block) = block.object() else { continue };
        match block.text("type").unwrap_or_default().as_str() {
            "text" => content.texts.extend(block.get("text").and_then(text_of)),
            // A document's content is as invisible to the auditor as a picture's.
            "image" | "document" => content.images += 1,
            "tool_reference" => content.texts.extend(block.text("tool_name")),
            "tool_result" => content.results.push(block),
            _ => {}
        }
    }
    content
}

fn system(row: &Object<'_>) -> Option<Meaning> {
    match row.text("subtype").unwrap_or_default().as_str() {
        "informational" => {
            let content = row.text("content")?;
            if !content.starts_with("UserPromptSubmit operation blocked by hook:") {
                return None;
            }
            let (_, original) = content.split_once("\n\nOriginal prompt: ")?;
            Some(Meaning::PromptBlocked(message::own_words(&[original.to_owned()])))
        }
        _ if row.get("retractedMessageUuids").is_some() => Some(Meaning::Retraction),
        _ => None,
    }
}

fn queue_operation(row: &Object<'_>) -> Option<Meaning> {
    match row.text("operation")?.as_str() {
        "enqueue" => {
            let text = row.text("content")?;
            let text = text.trim();
            opener::is_notification(text).then(|| Meaning::NotificationQueued(message::notification(text)))
        }
        "dequeue" => Some(Meaning::Dequeued),
        "remove" => {
            Some(Meaning::Removed(row.text("content").map(|text| message::notification(text.trim()))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
