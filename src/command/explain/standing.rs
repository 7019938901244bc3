//! How far a handler gets with its host: recognised, parsed and run are three tables of different width, and only the
//! last one makes a hook.

use serde_json::Value;

use super::host::Host;
use super::registration::Registered;
use crate::hosts::codex::configuration::is_pattern;
use crate::hosts::contract::Handler;
use crate::hosts::life_cycle::{Matcher, Point};

/// How far a handler gets; each says why it gets no further.
#[derive(Debug, Clone)]
pub(super) enum Standing {
    /// The host has no name for the event.
    UnknownEvent(String),
    /// The host has no name for the type.
    UnknownType(String),
    /// The names are known, the shape is not taken.
    NotParsed(String),
    /// Taken, and passed over when the event comes.
    NotRun(String),
    /// Run.
    Runs {
        /// The event as the host treats it.
        point: &'static Point,
        /// The kind of handler.
        kind: Handler,
    },
}

/// How far this handler gets. `switched_off` is the file's `disableAllHooks`.
pub(super) fn of(host: Host, handler: &Registered<'_>, switched_off: bool) -> Standing {
    let event = &handler.place.event;
    let Some(point) = host.point(event) else {
        let meant = host.meant(event).map(|name| format!("（是不是想写 {name}？）")).unwrap_or_default();
        return Standing::UnknownEvent(format!("这个宿主没有叫 {event} 的事件{meant}，整段被丢掉"));
    };
    // Codex has names for four kinds, and none for this one.
    let known = handler.kind().filter(|kind| host != Host::Codex || *kind != Handler::Http);
    let Some(kind) = known else {
        let what = handler
            .text("type")
            .map_or("没有写 type".to_owned(), |given| format!("没有叫 {given} 的处理器类型"));
        return Standing::UnknownType(format!("{what}，这一条被丢掉"));
    };
    if let Some(why) = misshapen(host, kind, handler) {
        return Standing::NotParsed(why);
    }
    if switched_off {
        return Standing::NotRun("文件里写着 disableAllHooks: true，所有 hook 都不跑".to_owned());
    }
    if let Some(matcher) = handler.matcher.and_then(Value::as_str)
        && point.matcher != Matcher::Ignored
        && !matches_something(host, matcher)
    {
        return Standing::NotRun(format!("matcher {matcher} 不是合格的正则，永远不会匹配"));
    }
    if host == Host::Codex && handler.command().is_some_and(|command| command.trim().is_empty()) {
        return Standing::NotRun("command 是空的，宿主跳过它".to_owned());
    }
    if !point.runs.contains(&kind) {
        return Standing::NotRun(format!(
            "认得、也解析得过，但这个宿主在 {event} 上不跑 {} 处理器",
            handler.text("type").unwrap_or_default()
        ));
    }
    if host == Host::ClaudeCode && handler.fields.contains_key("if") && point.matcher != Matcher::Tools {
        return Standing::NotRun(format!("if 只在工具事件上算数，写在 {event} 上就永远不会跑"));
    }
    Standing::Runs { point, kind }
}

/// What the host's parser refuses; of one entry, the others stay.
fn misshapen(host: Host, kind: Handler, handler: &Registered<'_>) -> Option<String> {
    if let Some(matcher) = handler.matcher.filter(|matcher| !matcher.is_string() && !matcher.is_null()) {
        return Some(format!("matcher 要写一段文字，写的是 {matcher}，这一组被丢掉"));
    }
    let needed: &[&str] = match kind {
        Handler::Command | Handler::AsyncCommand => &["command"],
        Handler::McpTool => &["server", "tool"],
        Handler::Prompt | Handler::Agent => &["prompt"],
        Handler::Http => &["url"],
    };
    if let Some(name) = needed.iter().find(|name| handler.text(name).is_none()) {
        return Some(format!("缺 {name}（要一段文字），这一条被丢掉"));
    }
    let timeout = handler.fields.get("timeout")?;
    let (is_fine, wanted) = match host {
        Host::ClaudeCode => (timeout.as_f64().is_some_and(|seconds| seconds > 0.0), "大于 0 的数"),
        Host::Codex => (timeout.is_null() || timeout.is_u64(), "整数"),
    };
    (!is_fine).then(|| format!("timeout 要写{wanted}（秒），写的是 {timeout}，这一条被丢掉"))
}

/// Whether a matcher can match at all. Claude Code's are regular expressions of JavaScript, which knows more groups
/// than the crate does.
fn matches_something(host: Host, matcher: &str) -> bool {
    is_pattern(matcher) || host == Host::ClaudeCode && matcher.contains("(?")
}
