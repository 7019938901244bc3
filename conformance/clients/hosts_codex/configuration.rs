//! What Codex reads of a `hooks.json`: `hooks/list` must give what the rows say.
use serde_json::{Value, json};
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::codex::configuration::Warning;
use stop_auditor::hosts::codex::rows::configurations;
use stop_auditor::hosts::contract::Handler;

use super::super::kit::check::checks;
use super::super::kit::event::write;
use super::home::Home;
use super::lab::{FREE, Lab};

/// A handler of the list in the words of a row: event, kind, matcher, seconds.
fn in_words(hook: &Value) -> String {
    let kind = match (hook["handlerType"].as_str(), hook["async"].as_bool()) {
        (Some("command"), Some(true)) => Handler::AsyncCommand,
        (Some("command"), _) => Handler::Command,
        (Some("mcpTool"), _) => Handler::McpTool,
        (Some("prompt"), _) => Handler::Prompt,
        (Some("agent"), _) => Handler::Agent,
        (Some(_) | None, _) => Handler::Http,
    };
    let name = hook["eventName"].as_str().unwrap_or_default();
    let event = Event::ALL.into_iter().find(|event| event.name().eq_ignore_ascii_case(name));
    format!("{event:?} {kind:?} {:?} {}", hook["matcher"].as_str(), hook["timeoutSec"])
}

checks! {
    #[own]
    fn h4_configurations(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        let path = lab.home.codex_home().join("hooks.json");
        for row in configurations() {
            write(&path, &row.text);
            let listed = lab.listed();
            let list = |key: &str| listed[key].as_array().cloned().unwrap_or_default();
            let hooks: Vec<String> = list("hooks").iter().map(in_words).collect();
            let wanted = row.listing.handlers.iter().map(|hook| {
                // A kind that is run otherwise than written is listed as it is run.
                format!(
                    "{:?} {:?} {:?} {}",
                    Some(hook.event),
                    hook.handler,
                    hook.matcher.as_deref(),
                    hook.timeout_s
                )
            });
            c.equal("H.4", format!("{}: handlers", row.form), hooks, wanted.collect());
            let warnings = list("warnings").into_iter();
            let plain = |text: Value| {
                text.as_str().unwrap_or_default().replace(path.to_string_lossy().as_ref(), "<path>")
            };
            let warnings: Vec<String> = warnings.map(plain).collect();
            let wanted: Vec<String> = row.listing.warnings.iter().map(Warning::words).collect();
            let same = warnings.len() == wanted.len()
                && wanted.iter().all(|words| warnings.iter().any(|warning| warning.starts_with(words)));
            c.that(
                "H.4",
                format!("{}: warnings", row.form),
                same,
                format!("{wanted:?}"),
                format!("{warnings:?}"),
            );
            c.equal("H.4", format!("{}: errors", row.form), &listed["errors"], &json!([]));
        }
        lab.close(c);
    }
}
