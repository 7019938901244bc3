//! The handlers of a hook configuration, one by one, each with its place; what has not their shape is kept beside them.
//! The shapes are those of both hosts: event -> list of groups -> `hooks` -> list of handlers.

use serde_json::{Map, Value};

use crate::hosts::contract::Handler;

/// Where something stands in the file; numbers count from 1, as people do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The event's name as it stands there.
    pub(super) event: String,
    /// The group below the event.
    pub(super) group: Option<usize>,
    /// The handler in the group.
    pub(super) handler: Option<usize>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.event)?;
        if let Some(group) = self.group {
            write!(f, " 第 {group} 组")?;
        }
        if let Some(handler) = self.handler {
            write!(f, "第 {handler} 个")?;
        }
        Ok(())
    }
}

/// One entry of the file.
#[derive(Debug)]
pub(super) enum Entry<'a> {
    /// An object where a handler belongs.
    Handler(Registered<'a>),
    /// Something else.
    Misshapen {
        /// Where.
        place: Place,
        /// What should stand there.
        wanted: &'static str,
        /// Whether it is an object with no `hooks` in it, which can also be read as a group of none.
        is_empty_group: bool,
    },
}

impl Entry<'_> {
    fn misshapen(place: Place, wanted: &'static str) -> Self {
        Entry::Misshapen { place, wanted, is_empty_group: false }
    }
}

/// A handler with what stands round it.
#[derive(Debug)]
pub(super) struct Registered<'a> {
    /// Where it stands.
    pub(super) place: Place,
    /// Its group's `matcher`.
    pub(super) matcher: Option<&'a Value>,
    /// Its own fields.
    pub(super) fields: &'a Map<String, Value>,
}

impl Registered<'_> {
    /// A field that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// Whether a field is `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.fields.get(name) == Some(&Value::Bool(true))
    }

    /// The command, for a handler that has one.
    pub(super) fn command(&self) -> Option<&str> {
        self.text("command").filter(|_| self.text("type") == Some("command"))
    }

    /// Its kind; `None` for a `type` that neither host has a name for.
    pub(super) fn kind(&self) -> Option<Handler> {
        match self.text("type")? {
            "command" if self.is_set("async") || self.is_set("asyncRewake") => Some(Handler::AsyncCommand),
            "command" => Some(Handler::Command),
            "mcp_tool" => Some(Handler::McpTool),
            "prompt" => Some(Handler::Prompt),
            "agent" => Some(Handler::Agent),
            "http" => Some(Handler::Http),
            _ => None,
        }
    }

    /// What it is, in one line: its type and what it runs.
    pub(super) fn summary(&self) -> String {
        let kind = self.text("type").unwrap_or("（没有 type）");
        let does = ["command", "url", "prompt", "tool"].iter().find_map(|name| self.text(name));
        format!("{kind} {}", does.unwrap_or_default()).trim_end().to_owned()
    }
}

/// Every entry of a configuration, in the file's order.
pub(super) fn entries(settings: &Value) -> Vec<Entry<'_>> {
    let Some(hooks) = settings.get("hooks") else { return Vec::new() };
    let Some(events) = hooks.as_object() else {
        let place = Place { event: "hooks".to_owned(), group: None, handler: None };
        return vec![Entry::misshapen(place, "以事件名为键的对象")];
    };
    events.iter().flat_map(|(event, groups)| of_event(event, groups)).collect()
}

fn of_event<'a>(event: &str, groups: &'a Value) -> Vec<Entry<'a>> {
    let place = Place { event: event.to_owned(), group: None, handler: None };
    let Some(groups) = groups.as_array() else {
        return vec![Entry::misshapen(place, "由组排成的数组")];
    };
    let numbered = groups.iter().zip(1..);
    numbered.flat_map(|(group, n)| of_group(Place { group: Some(n), ..place.clone() }, group)).collect()
}

fn of_group(place: Place, group: &Value) -> Vec<Entry<'_>> {
    let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
        let is_empty_group = group.is_object() && group.get("hooks").is_none();
        return vec![Entry::Misshapen { place, wanted: "带 hooks 数组的对象", is_empty_group }];
    };
    let matcher = group.get("matcher");
    let numbered = handlers.iter().zip(1..);
    numbered
        .map(|(handler, n)| {
            let place = Place { handler: Some(n), ..place.clone() };
            match handler.as_object() {
                Some(fields) => Entry::Handler(Registered { place, matcher, fields }),
                None => Entry::misshapen(place, "一个处理器对象"),
            }
        })
        .collect()
}
