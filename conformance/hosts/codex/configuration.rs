//! What Codex reads of a `hooks.json`: what it recognises, what it parses, and what it would run are three things. An
//! event that it does not know is passed over in silence; a handler that it cannot run is left out with a warning; one
//! thing of the wrong shape drops the whole file.

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::Event;
use crate::hosts::contract::Handler;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The handlers that would run once they are trusted, as `hooks/list` gives them.
    pub handlers: Vec<Listed>,
    /// What is wrong with the rest, in the order of the file's events.
    pub warnings: Vec<Warning>,
}

/// A handler that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Where it is registered.
    pub event: Event,
    /// Its kind.
    pub handler: Handler,
    /// The matcher that counts; `None` where there is none or the event ignores it.
    pub matcher: Option<String>,
    /// The time it gets, in seconds.
    pub timeout_s: u64,
}

/// Something that is not run, or not as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The whole file is dropped: the shape is wrong somewhere, or it is no JSON.
    FileDropped,
    /// A kind that is parsed and not run.
    NotSupported(Handler),
    /// A tool of an MCP server where everything is being shut down.
    McpAtSessionEnd,
    /// A command of blanks.
    EmptyCommand,
    /// A matcher that is no regular expression; its group is left out.
    BadMatcher(String),
    /// More time than the event has.
    Clamped(Event),
    /// Nobody could wait for it later, so it is waited for now.
    AsyncAtSessionEnd,
    /// A limit for a text that the event does not take.
    ContextLimit(Event),
}

impl Warning {
    /// The client's own words for it, as far as they are always the same; `<path>` stands for the file.
    pub fn words(&self) -> String {
        match self {
            Self::FileDropped => "failed to parse hooks config <path>: ".to_owned(),
            Self::NotSupported(handler) => {
                let kind = if *handler == Handler::Prompt { "prompt" } else { "agent" };
                format!("skipping {kind} hook in <path>: {kind} hooks are not supported yet")
            }
            Self::McpAtSessionEnd => {
                "skipping MCP tool hook in <path>: SessionEnd MCP hooks are not supported".to_owned()
            }
            Self::EmptyCommand => "skipping empty hook command in <path>".to_owned(),
            Self::BadMatcher(matcher) => format!("invalid matcher {matcher:?} in <path>: "),
            Self::Clamped(event) => format!("clamping {} hook timeout to 3s in <path>", event.name()),
            Self::AsyncAtSessionEnd => "running async SessionEnd hook synchronously in <path>".to_owned(),
            Self::ContextLimit(event) => format!(
                "ignoring additionalContextLimit for {} hook in <path>: this event cannot emit additionalContext",
                event.name()
            ),
        }
    }
}

/// Reads the text of a `hooks.json`.
pub fn read(text: &str) -> Listing {
    let mut listing = Listing::default();
    let Ok(file) = serde_json::from_str::<File>(text) else {
        listing.warnings.push(Warning::FileDropped);
        return listing;
    };
    for event in Event::ALL {
        let Some(groups) = file.hooks.get(event.name()) else { continue };
        let Ok(groups) = serde_json::from_value::<Vec<Group>>(groups.clone()) else {
            return Listing { handlers: Vec::new(), warnings: vec![Warning::FileDropped] };
        };
        for group in groups {
            listing.take(event, &group);
        }
    }
    listing
}

impl Listing {
    fn take(&mut self, event: Event, group: &Group) {
        let matcher = group.matcher.as_ref().filter(|_| event.matched_with().is_some());
        if let Some(matcher) = matcher.filter(|matcher| !is_pattern(matcher)) {
            self.warnings.push(Warning::BadMatcher(matcher.clone()));
            return;
        }
        for config in &group.hooks {
            let (handler, limit) = match config {
                Config::Command { command, .. } if command.trim().is_empty() => {
                    self.warnings.push(Warning::EmptyCommand);
                    continue;
                }
                Config::Command { is_async: true, additional_context_limit, .. } => {
                    if event == Event::SessionEnd {
                        self.warnings.push(Warning::AsyncAtSessionEnd);
                        (Handler::Command, additional_context_limit)
                    } else {
                        (Handler::AsyncCommand, additional_context_limit)
                    }
                }
                Config::Command { additional_context_limit, .. } => {
                    (Handler::Command, additional_context_limit)
                }
                Config::McpTool { .. } if event == Event::SessionEnd => {
                    self.warnings.push(Warning::McpAtSessionEnd);
                    continue;
                }
                Config::McpTool { .. } => (Handler::McpTool, &None),
                Config::Prompt {} => {
                    self.warnings.push(Warning::NotSupported(Handler::Prompt));
                    continue;
                }
                Config::Agent {} => {
                    self.warnings.push(Warning::NotSupported(Handler::Agent));
                    continue;
                }
            };
            if limit.is_some() && !event.takes_context() {
                self.warnings.push(Warning::ContextLimit(event));
            }
            let timeout_s = self.time(event, config.timeout());
            self.handlers.push(Listed { event, handler, matcher: matcher.cloned(), timeout_s });
        }
    }

    /// The time that a handler gets: at least a second, and no more than the event has.
    fn time(&mut self, event: Event, given: Option<u64>) -> u64 {
        let wanted = given.unwrap_or(event.default_timeout_s()).max(1);
        match event.longest_timeout_s() {
            Some(longest) if wanted > longest => {
                self.warnings.push(Warning::Clamped(event));
                longest
            }
            Some(_) | None => wanted,
        }
    }
}

/// Whether a matcher is of use: everything (`*`, blank), names with `|` between, or a regular expression.
pub fn is_pattern(matcher: &str) -> bool {
    matcher == "*" || Regex::new(matcher).is_ok()
}

/// Only these two are known at the top: the rest of a `settings.json` of Claude Code drops the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "description", default)]
    _description: Option<Value>,
    #[serde(default)]
    hooks: serde_json::Map<String, Value>,
}

/// Anything else beside these is passed over, so that handlers without a group round them are no handlers at all.
#[derive(Deserialize)]
struct Group {
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<Config>,
}

/// A handler; its other fields are passed over, `if` among them.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Config {
    #[serde(rename_all = "camelCase")]
    Command {
        command: String,
        timeout: Option<u64>,
        #[serde(rename = "async", default)]
        is_async: bool,
        additional_context_limit: Option<u64>,
        #[serde(rename = "statusMessage")]
        _status_message: Option<String>,
    },
    McpTool {
        #[serde(rename = "server")]
        _server: String,
        #[serde(rename = "tool")]
        _tool: String,
        timeout: Option<u64>,
    },
    Prompt {},
    Agent {},
}

impl Config {
    fn timeout(&self) -> Option<u64> {
        match self {
            Self::Command { timeout, .. } | Self::McpTool { timeout, .. } => *timeout,
            Self::Prompt {} | Self::Agent {} => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hooks/list` of 0.171.0.
    #[test]
    fn warnings_are_in_the_client_s_words() {
        for (warning, words) in [
            (Warning::FileDropped, "failed to parse hooks config <path>: "),
            (
                Warning::NotSupported(Handler::Prompt),
                "skipping prompt hook in <path>: prompt hooks are not supported yet",
            ),
            (
                Warning::NotSupported(Handler::Agent),
                "skipping agent hook in <path>: agent hooks are not supported yet",
            ),
            (
                Warning::McpAtSessionEnd,
                "skipping MCP tool hook in <path>: SessionEnd MCP hooks are not supported",
            ),
            (Warning::EmptyCommand, "skipping empty hook command in <path>"),
            (Warning::BadMatcher("[".to_owned()), "invalid matcher \"[\" in <path>: "),
            (Warning::Clamped(Event::SessionEnd), "clamping SessionEnd hook timeout to 3s in <path>"),
            (Warning::AsyncAtSessionEnd, "running async SessionEnd hook synchronously in <path>"),
            (
                Warning::ContextLimit(Event::Stop),
                "ignoring additionalContextLimit for Stop hook in <path>: this event cannot emit additionalContext",
            ),
        ] {
            assert_eq!(warning.words(), words);
        }
    }
}
