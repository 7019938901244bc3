//! Files, and what is read of them: `hooks/list` of the client says the same.
use super::Source::{Client, Facts, Study};
use super::{Event, Source};
use crate::hosts::codex::configuration::{Listed, Listing, Warning};
use crate::hosts::contract::Handler;

/// One `hooks.json` and what becomes of it.
#[derive(Debug, Clone)]
pub struct ConfigRow {
    /// What it is about, in a few words.
    pub form: String,
    /// The file.
    pub text: String,
    /// What is read of it.
    pub listing: Listing,
    /// Who says so.
    pub source: Source,
}

/// All rows about files; the suite `clients` shows every one of them to the client.
pub fn configurations() -> Vec<ConfigRow> {
    [events(), kinds(), shapes(), times(), matchers()].concat()
}

const TRUE: &str = r#"{"type":"command","command":"true"}"#;

fn row(source: Source, form: &str, text: &str, handlers: Vec<Listed>, warnings: Vec<Warning>) -> ConfigRow {
    ConfigRow {
        form: form.to_owned(),
        text: text.to_owned(),
        listing: Listing { handlers, warnings },
        source,
    }
}

/// A file with one group at one event.
fn at(event: &str, handlers: &str) -> String {
    format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{handlers}]}}]}}}}"#)
}

fn listed(event: Event, handler: Handler) -> Listed {
    Listed { event, handler, matcher: None, timeout_s: event.default_timeout_s() }
}

fn command(event: Event) -> Vec<Listed> {
    vec![listed(event, Handler::Command)]
}

fn dropped(source: Source, form: &str, text: &str) -> ConfigRow {
    row(source, form, text, Vec::new(), vec![Warning::FileDropped])
}

fn events() -> Vec<ConfigRow> {
    let group = format!(r#"[{{"hooks":[{TRUE}]}}]"#);
    let names: Vec<String> =
        Event::ALL.iter().map(|event| format!(r#""{}":{group}"#, event.name())).collect();
    let all = format!(r#"{{"hooks":{{{}}}}}"#, names.join(","));
    let handlers = Event::ALL.into_iter().flat_map(command).collect();
    let mut rows = vec![row(Study("recognised"), "every event that there is", &all, handlers, Vec::new())];
    for name in [
        "PostToolUseFailure",
        "StopFailure",
        "Notification",
        "TeammateIdle",
        "TaskCompleted",
        "Setup",
        "UserInstructions",
        "PostModelResponse",
        "stop",
    ] {
        rows.push(row(Facts("8"), name, &at(name, TRUE), Vec::new(), Vec::new()));
    }
    let text = format!(r#"{{"hooks":{{"Notification":5,"Stop":{group}}}}}"#);
    rows.push(row(Client, "an unknown event of any shape", &text, command(Event::Stop), Vec::new()));
    rows
}

fn kinds() -> Vec<ConfigRow> {
    let mcp = r#"{"type":"mcp_tool","server":"s","tool":"t"}"#;
    let tool = vec![listed(Event::Stop, Handler::McpTool)];
    let later = r#"{"type":"command","command":"true","async":true}"#;
    let prompt = format!(r#"{{"type":"prompt","prompt":"x"}},{TRUE}"#);
    let agent = r#"{"type":"agent","prompt":"x"}"#;
    let skipped = |handler| vec![Warning::NotSupported(handler)];
    let waited = vec![Warning::McpAtSessionEnd, Warning::AsyncAtSessionEnd];
    let end = format!("{mcp},{later}");
    vec![
        row(Study("parsed"), "mcp_tool", &at("Stop", mcp), tool, Vec::new()),
        row(
            Study("run"),
            "prompt, and a command",
            &at("Stop", &prompt),
            command(Event::Stop),
            skipped(Handler::Prompt),
        ),
        row(Study("parsed"), "agent", &at("Stop", agent), Vec::new(), skipped(Handler::Agent)),
        row(
            Facts("8"),
            "async",
            &at("Stop", later),
            vec![listed(Event::Stop, Handler::AsyncCommand)],
            Vec::new(),
        ),
        row(
            Study("session-end-mcp"),
            "mcp_tool and async at SessionEnd",
            &at("SessionEnd", &end),
            command(Event::SessionEnd),
            waited,
        ),
        dropped(
            Study("unknown-kind"),
            "http",
            &at("Stop", &format!(r#"{{"type":"http","url":"http://x"}},{TRUE}"#)),
        ),
        dropped(Client, "no kind", &at("Stop", r#"{"command":"true"}"#)),
        dropped(Client, "a command without command", &at("Stop", r#"{"type":"command"}"#)),
        dropped(Client, "a command as a list", &at("Stop", r#"{"type":"command","command":["true"]}"#)),
        dropped(Client, "mcp_tool without server", &at("Stop", r#"{"type":"mcp_tool"}"#)),
        row(
            Facts("8"),
            "a blank command",
            &at("Stop", r#"{"type":"command","command":"  "}"#),
            Vec::new(),
            vec![Warning::EmptyCommand],
        ),
        row(
            Client,
            "the same twice",
            &at("Stop", &format!("{TRUE},{TRUE}")),
            [command(Event::Stop), command(Event::Stop)].concat(),
            Vec::new(),
        ),
    ]
}

fn shapes() -> Vec<ConfigRow> {
    let more = r#"{"type":"command","command":"true","more":1,"if":"x"}"#;
    let limit = r#"{"type":"command","command":"true","additionalContextLimit":5}"#;
    let group = format!(r#"{{"hooks":{{"Stop":[{{"more":1,"hooks":[{TRUE}]}}]}}}}"#);
    let top = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{TRUE}]}}]}},"disableAllHooks":true}}"#);
    let described = top.replace(r#""disableAllHooks":true"#, r#""description":"x""#);
    vec![
        row(
            Facts("8"),
            "unknown fields of a handler, if",
            &at("Stop", more),
            command(Event::Stop),
            Vec::new(),
        ),
        row(Client, "an unknown field of a group", &group, command(Event::Stop), Vec::new()),
        dropped(Client, "an unknown field at the top", &top),
        row(Client, "a description", &described, command(Event::Stop), Vec::new()),
        dropped(Client, "no hooks round the events", &format!(r#"{{"Stop":[{{"hooks":[{TRUE}]}}]}}"#)),
        row(
            Client,
            "no group round the handlers",
            &format!(r#"{{"hooks":{{"Stop":[{TRUE}]}}}}"#),
            Vec::new(),
            Vec::new(),
        ),
        dropped(
            Facts("8"),
            "a group that is no list",
            &format!(r#"{{"hooks":{{"Stop":{{"hooks":[{TRUE}]}}}}}}"#),
        ),
        dropped(Client, "a comment", &format!("{} // x", at("Stop", TRUE))),
        dropped(Client, "a trailing comma", r#"{"hooks":{},}"#),
        dropped(Client, "an empty file", ""),
        row(Client, "an empty list for a file", "[]", Vec::new(), Vec::new()),
        row(
            Client,
            "additionalContextLimit at Stop",
            &at("Stop", limit),
            command(Event::Stop),
            vec![Warning::ContextLimit(Event::Stop)],
        ),
        row(
            Client,
            "additionalContextLimit at PreToolUse",
            &at("PreToolUse", limit),
            command(Event::PreToolUse),
            Vec::new(),
        ),
    ]
}

fn times() -> Vec<ConfigRow> {
    let with = |timeout: &str| format!(r#"{{"type":"command","command":"true","timeout":{timeout}}}"#);
    let taking = |event, timeout_s| vec![Listed { timeout_s, ..listed(event, Handler::Command) }];
    let bad = |form, timeout: &str| dropped(Client, form, &at("Stop", &with(timeout)));
    let other = r#"{"type":"command","command":"true","timeoutSec":5}"#;
    let mut rows = vec![
        row(Client, "timeout 5", &at("Stop", &with("5")), taking(Event::Stop, 5), Vec::new()),
        row(Client, "timeout 0", &at("Stop", &with("0")), taking(Event::Stop, 1), Vec::new()),
        row(Client, "timeoutSec", &at("Stop", other), taking(Event::Stop, 600), Vec::new()),
        bad("timeout 1.5", "1.5"),
        bad("timeout -1", "-1"),
        bad("timeout as text", "\"5\""),
    ];
    for event in [Event::SessionEnd, Event::Interrupt] {
        for (timeout, taken, is_clamped) in
            [("2", 2, false), ("3", 3, false), ("4", 3, true), ("10", 3, true)]
        {
            let form = format!("timeout {timeout} at {}", event.name());
            let warnings = if is_clamped { vec![Warning::Clamped(event)] } else { Vec::new() };
            let text = at(event.name(), &with(timeout));
            rows.push(row(Study("session-end-time"), &form, &text, taking(event, taken), warnings));
        }
    }
    rows
}

fn matchers() -> Vec<ConfigRow> {
    let mut rows = Vec::new();
    for (form, matcher) in [("an empty matcher", ""), ("a star for a matcher", "*")] {
        let text = at("PreToolUse", TRUE).replace("[{", &format!(r#"[{{"matcher":"{matcher}","#));
        let one = Listed { matcher: Some(matcher.to_owned()), ..listed(Event::PreToolUse, Handler::Command) };
        rows.push(row(Client, form, &text, vec![one], Vec::new()));
    }
    for event in Event::ALL {
        let with = |matcher: &str| {
            format!(r#"{{"hooks":{{"{}":[{{"matcher":"{matcher}","hooks":[{TRUE}]}}]}}}}"#, event.name())
        };
        let takes = event.matched_with().is_some();
        let matcher = takes.then(|| "^x".to_owned());
        let one = vec![Listed { matcher, ..listed(event, Handler::Command) }];
        let source = if takes { Client } else { Study("prompt-matcher") };
        let form = format!("matcher at {}", event.name());
        rows.push(row(source, &form, &with("^x"), one, Vec::new()));
        let (handlers, warnings) = if takes {
            (Vec::new(), vec![Warning::BadMatcher("[".to_owned())])
        } else {
            (command(event), Vec::new())
        };
        rows.push(row(source, &format!("bad {form}"), &with("["), handlers, warnings));
    }
    rows
}
