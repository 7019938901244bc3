//! One row as the client writes it, reduced to what it means for a turn.
//!
//! Rows that mean nothing here (the client's copies of its own requests, titles, snapshots, thinking, sub-agents)
//! are `None`: they repeat the same texts over and over, and some hold what must never be sent.

use super::json::{self, Json, Object};
use super::opener::{self, Author, Provenance};
use super::tags;
use super::turn::{Call, Entry, Field, OptionBox, Outcome, Output, Question, Said, Sender, Words};

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
        "user" => user(row, detail)?,
        "assistant" => assistant(row, detail)?,
        "attachment" => attachment(&row.object("attachment")?)?,
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

fn user(row: &Object<'_>, detail: Detail) -> Option<Meaning> {
    if row.flag("isCompactSummary") || row.flag("isVisibleInTranscriptOnly") {
        return None;
    }
    let message = row.object("message")?;
    let content = content(message.get("content"), Detail::Whole);
    let words = Words { text: own_words(&content.texts), images: content.images };
    if !content.results.is_empty() {
        let results = content.results.iter().map(|result| tool_result(result, row, detail)).collect();
        let beside = if words.text.is_empty() || row.flag("isMeta") { None } else { Some(words) };
        return Some(Meaning::Results(results, beside));
    }
    if row.get("toolUseResult").is_some() || row.get("sourceToolUseID").is_some() || row.flag("turnCompanion")
    {
        return None;
    }
    if row.get("interruptedMessageId").is_some() {
        return Some(Meaning::Event(Entry::Interrupted(words.text)));
    }
    let origin = row.object("origin");
    let provenance = Provenance {
        turn_origin: row.text("turnOrigin"),
        origin: origin.as_ref().and_then(|origin| origin.text("kind")),
        prompt_source: row.text("promptSource"),
        is_meta: row.flag("isMeta"),
    };
    let prompt = |words, sender, is_sent| Some(Meaning::Prompt { words, sender, is_sent });
    match opener::author(&provenance, &words.text) {
        Author::Person if words.text.is_empty() && words.images == 0 => None,
        Author::Person => prompt(words, Sender::Person, true),
        Author::Program => prompt(words, Sender::Program, true),
        Author::Command { words: text, is_sent } => {
            prompt(Words { text, images: words.images }, Sender::Person, is_sent)
        }
        Author::LocalOutput => Some(Meaning::LocalOutput),
        Author::BangCommand(command) => Some(Meaning::BangCommand(command)),
        Author::BangOutput { text, is_sent } => Some(Meaning::BangOutput { text, is_sent }),
        Author::Notification => Some(Meaning::Event(Entry::BackgroundResult(notification(&words.text)))),
        Author::Peer => Some(Meaning::Event(peer(&words.text, origin.as_ref()))),
        Author::Scheduled => Some(Meaning::Event(Entry::Scheduled(words.text))),
        Author::Feedback(reason) => Some(Meaning::Event(block(&reason))),
        Author::Interrupt => Some(Meaning::Event(Entry::Interrupted(words.text))),
        // A picture without words is a message too.
        Author::Machinery if words.text.is_empty() && words.images > 0 && !provenance.is_meta => {
            prompt(words, Sender::Person, true)
        }
        Author::Machinery => None,
    }
}

/// The texts of a message without the blocks that the client added.
fn own_words(texts: &[String]) -> String {
    let own: Vec<&str> =
        texts.iter().map(|text| tags::without_added_blocks(text)).filter(|text| !text.is_empty()).collect();
    own.join("\n")
}

/// Our own feedback is an audit's block; any other hook's is shown as that (4.11).
fn block(reason: &str) -> Entry {
    match reason.strip_prefix("独立审计员（") {
        Some(_) => Entry::AuditBlock(reason.to_owned()),
        None => Entry::OtherHook(reason.to_owned()),
    }
}

/// A notification without its wrapping and without what is of no use to a reader.
fn notification(text: &str) -> String {
    let told: Vec<String> = text
        .split("<task-notification>")
        .skip(1)
        .map(|one| {
            let one = one.rsplit_once("</task-notification>").map_or(one, |(inner, _)| inner);
            let parts = ["task-id", "status", "summary"].map(|name| (name, tags::first_inner(one, name)));
            // A result may hold anything, tags too; it stands last.
            let parts = parts.into_iter().chain([("result", tags::inner(one, "result"))]);
            let lines: Vec<String> = parts
                .filter_map(|(name, value)| Some((name, value?.trim())))
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            if lines.is_empty() { one.trim().to_owned() } else { lines.join("\n") }
        })
        .collect();
    if told.is_empty() { text.to_owned() } else { told.join("\n") }
}

fn peer(text: &str, origin: Option<&Object<'_>>) -> Entry {
    let named = origin.and_then(|origin| origin.text("name").or_else(|| origin.text("server")));
    let body = origin.and_then(|origin| origin.text("body"));
    for tag in ["cross-session-message", "teammate-message", "agent-message", "channel"] {
        let Some(at) = text.find(&format!("<{tag}")) else { continue };
        let tagged = text.get(at..).unwrap_or_default();
        let Some(inner) = tags::inner(tagged, tag) else { continue };
        let from = ["from-name", "teammate_id", "source", "from"]
            .iter()
            .find_map(|attribute| tags::attribute(tagged, attribute));
        return Entry::Peer {
            from: named.or_else(|| from.map(str::to_owned)).unwrap_or_default(),
            body: body.unwrap_or_else(|| inner.trim().to_owned()),
        };
    }
    Entry::Peer { from: named.unwrap_or_default(), body: body.unwrap_or_else(|| text.to_owned()) }
}

fn tool_result(result: &Object<'_>, row: &Object<'_>, detail: Detail) -> ToolResult {
    let is_error = result.flag("is_error");
    let denial = row.text("toolDenialKind");
    // What a person typed when denying stands at the end of the text.
    let detail = if is_error || denial.is_some() { Detail::Whole } else { detail };
    let mut content = content(result.get("content"), detail);
    if detail == Detail::Brief && content.texts.first().is_some_and(|text| is_answer(text)) {
        content = self::content(result.get("content"), Detail::Whole);
    }
    let text = content.texts.join("\n");
    let outcome = row.object("toolUseResult");
    // Where the client writes the kind of a denial, a text that looks like one is a tool's own (4.35).
    let by_text = denial.is_none() && !tells_denials(row);
    let never_ran = denial.is_some() || (is_error && (is_blocked(&text) || (by_text && is_refusal(&text))));
    let may_have_begun = matches!(denial.as_deref(), Some("user-rejected" | "interrupted"))
        && !row.flag("toolDenialBeforeRun");
    let by_person = denial.as_deref() == Some("user-rejected") || (by_text && never_ran);
    let (text, typed) = match by_person.then(|| typed_reason(&text)).flatten() {
        Some((told, typed)) => (told, Some(typed)),
        None => (text, None),
    };
    let reason = if by_person { row.text("userFeedback").or(typed) } else { None };
    let answers = outcome.as_ref().map(answers);
    let moved = match &outcome {
        // A command may print such words.
        Some(outcome) => {
            outcome.get("backgroundTaskId").is_some() || outcome.flag("assistantAutoBackgrounded")
        }
        None => text.contains("was moved to the background") || text.contains("was manually backgrounded"),
    };
    let resumed = outcome.as_ref().is_some_and(|outcome| outcome.get("resumedAgentId").is_some())
        || text.contains("resumedAgentId");
    ToolResult {
        call_id: result.text("tool_use_id").unwrap_or_default(),
        output: Output { text, images: content.images },
        is_error,
        never_ran,
        may_have_begun,
        reason,
        answers: answers.unwrap_or_default(),
        ended_in_foreground: outcome.and_then(|outcome| outcome.text("status")).as_deref()
            == Some("completed"),
        moved_to_background: moved,
        resumed_agent: resumed,
    }
}

/// Whether the row's client writes `toolDenialKind` with every denial: since 2.1.204.
fn tells_denials(row: &Object<'_>) -> bool {
    let version = row.text("version").unwrap_or_default();
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let mut part = || parts.next().unwrap_or_default();
    (part(), part(), part()) >= (2, 1, 204)
}

/// What the client itself says of a call that it did not let run, by no denial.
fn is_blocked(text: &str) -> bool {
    const PREFIXES: [&str; 4] = [
        "<tool_use_error>Cancelled",
        "<tool_use_error>Blocked",
        "<tool_use_error>InputValidationError",
        "InputValidationError",
    ];
    PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// Old clients give an option box's answers in the text only, and they are the person's words.
fn is_answer(text: &str) -> bool {
    text.starts_with("User has answered your questions")
        || text.starts_with("Your questions have been answered")
}

/// What the person chose or wrote in an option box, with the notes they added, by question.
fn answers(outcome: &Object<'_>) -> Vec<(String, String)> {
    let Some(answers) = outcome.object("answers") else { return Vec::new() };
    let annotations = outcome.object("annotations");
    let note = |question: &str| {
        let own = annotations.as_ref().and_then(|all| all.object(question));
        own.as_ref().or(annotations.as_ref())?.text("notes").filter(|note| !note.is_empty())
    };
    answers
        .fields()
        .map(|(question, answer)| {
            let answer = answer.text().unwrap_or_else(|| answer.raw().into_owned());
            let answer = match note(&question) {
                Some(note) => format!("{answer}（备注：{note}）"),
                None => answer,
            };
            (question, answer)
        })
        .collect()
}

/// What results of calls that never ran begin with, for clients that do not say so in a field (facts, 1.6, 1.8).
fn is_refusal(text: &str) -> bool {
    const PREFIXES: [&str; 4] = [
        "The user doesn't want to proceed with this tool use",
        "The user doesn't want to take this action right now",
        "Permission to use ",
        "This command requires approval",
    ];
    let hook_block = || {
        let first = text.lines().next().unwrap_or_default();
        (first.contains("PreToolUse") && first.contains("hook"))
            || (first.starts_with("Hook ") && first.contains("did not respond"))
    };
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || hook_block()
}

/// The client's text of a denial, and what the person typed, which stands at its end.
fn typed_reason(text: &str) -> Option<(String, String)> {
    let (told, reason) = text.split_once("To tell you how to proceed, the user said:\n")?;
    let reason = reason.trim();
    (!reason.is_empty()).then(|| (told.trim_end().to_owned(), reason.to_owned()))
}

fn assistant(row: &Object<'_>, detail: Detail) -> Option<Meaning> {
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

fn attachment(attachment: &Object<'_>) -> Option<Meaning> {
    match attachment.text("type")?.as_str() {
        "queued_command" => queued(attachment),
        "hook_blocking_error" if attachment.text("hookEvent").as_deref() == Some("Stop") => {
            let reason = attachment.object("blockingError")?.text("blockingError")?;
            Some(Meaning::Event(block(reason.trim())))
        }
        _ => None,
    }
}

/// A message that reached Claude while it worked; there is no user row for it (facts, part 0, 8).
fn queued(attachment: &Object<'_>) -> Option<Meaning> {
    let content = content(attachment.get("prompt"), Detail::Whole);
    let words = Words { text: own_words(&content.texts), images: content.images };
    let origin = attachment.object("origin");
    let kind = origin.as_ref().and_then(|origin| origin.text("kind"));
    let mode = attachment.text("commandMode").unwrap_or_default();
    let event = if kind.as_deref() == Some("human") {
        Entry::Steer(words)
    } else if mode == "task-notification"
        || kind.as_deref() == Some("task-notification")
        || opener::is_notification(&words.text)
    {
        Entry::BackgroundResult(notification(&words.text))
    } else if matches!(kind.as_deref(), Some("peer" | "channel" | "coordinator"))
        || opener::is_peer(&words.text)
    {
        peer(&words.text, origin.as_ref())
    } else if kind.is_some() || attachment.flag("isMeta") || !matches!(mode.as_str(), "" | "prompt") {
        Entry::Scheduled(words.text)
    } else if words.text.is_empty() && words.images == 0 {
        return None;
    } else {
        Entry::Steer(words)
    };
    Some(Meaning::Event(event))
}

fn system(row: &Object<'_>) -> Option<Meaning> {
    match row.text("subtype").unwrap_or_default().as_str() {
        "informational" => {
            let content = row.text("content")?;
            if !content.starts_with("UserPromptSubmit operation blocked by hook:") {
                return None;
            }
            let (_, original) = content.split_once("\n\nOriginal prompt: ")?;
            Some(Meaning::PromptBlocked(own_words(&[original.to_owned()])))
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
            opener::is_notification(text).then(|| Meaning::NotificationQueued(notification(text)))
        }
        "dequeue" => Some(Meaning::Dequeued),
        "remove" => Some(Meaning::Removed(row.text("content").map(|text| notification(text.trim())))),
        _ => None,
    }
}
