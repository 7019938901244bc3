//! A user row, and what reached Claude in mid-turn: seven different things (facts, 1.2).

use super::{Detail, Meaning, content, result};
use crate::transcript::json::Object;
use crate::transcript::opener::{self, Author, Provenance};
use crate::transcript::tags;
use crate::transcript::turn::{Entry, Sender, Words};

pub(super) fn user(row: &Object<'_>, detail: Detail) -> Option<Meaning> {
    if row.flag("isCompactSummary") || row.flag("isVisibleInTranscriptOnly") {
        return None;
    }
    let message = row.object("message")?;
    let content = content(message.get("content"), Detail::Whole);
    let words = Words { text: own_words(&content.texts), images: content.images };
    if !content.results.is_empty() {
        let results = content.results.iter().map(|result| result::tool_result(result, row, detail)).collect();
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
pub(super) fn own_words(texts: &[String]) -> String {
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
pub(super) fn notification(text: &str) -> String {
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

pub(super) fn attachment(attachment: &Object<'_>) -> Option<Meaning> {
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
