//! Our handlers among the hooks of a settings file: finding, adding, correcting and removing them.
//! Ours is whatever runs a program of our name and nothing else, wherever that program lies.

use super::document::{Document, Step};
use super::refusal::Refusal;
use super::{EVENTS, HOOKS, PROGRAM, is_empty, length, remove_if_emptied};
use crate::auditor::vendor::is_assignment;
use serde_json::{Value, json};

/// One handler that runs our binary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Registration {
    group: usize,
    handler: usize,
    command: String,
}

/// The command that is registered for an event, if ours is.
pub fn registered_command(document: &Document, event: &str) -> Option<String> {
    registrations(document, event).into_iter().next().map(|registration| registration.command)
}

/// Every command of ours that is registered for an event.
pub fn registered_commands(document: &Document, event: &str) -> Vec<String> {
    registrations(document, event).into_iter().map(|registration| registration.command).collect()
}

/// Whether one of our registrations is in the file.
pub fn is_registered(document: &Document) -> bool {
    EVENTS.iter().any(|(event, _)| !registrations(document, event).is_empty())
}

/// Commands of Stop hooks that run another copy of an auditor, as section 3 of the spec has it made by hand: with
/// both in place each turn is audited twice.
pub fn other_auditors(document: &Document) -> Vec<String> {
    handlers(document, "Stop")
        .into_iter()
        .map(|handler| handler.command)
        .filter(|command| !is_ours(command) && command.contains("stop-auditor."))
        .collect()
}

/// `/a/b/stop-auditor` alone, behind assignments and `env` at most: with arguments it is somebody's own use of it.
pub(crate) fn is_ours(command: &str) -> bool {
    let words = shlex::split(command).unwrap_or_default();
    let rest = words.iter().skip_while(|word| *word == "env" || is_assignment(word));
    let [program] = rest.collect::<Vec<_>>()[..] else { return false };
    program.rsplit('/').next() == Some(PROGRAM)
}

/// Every command handler of an event.
fn handlers(document: &Document, event: &str) -> Vec<Registration> {
    let path = [HOOKS, Step::Key(event)];
    let n_groups = length(document, &path);
    (0..n_groups)
        .flat_map(|group| {
            let path = [HOOKS, Step::Key(event), Step::At(group), HOOKS];
            (0..length(document, &path)).map(move |handler| (group, handler))
        })
        .filter_map(|(group, handler)| {
            let at =
                |name| [HOOKS, Step::Key(event), Step::At(group), HOOKS, Step::At(handler), Step::Key(name)];
            let is_command = document.string(&at("type")) == Some("command");
            let command = document.string(&at("command")).filter(|_| is_command)?;
            Some(Registration { group, handler, command: command.to_owned() })
        })
        .collect()
}

fn registrations(document: &Document, event: &str) -> Vec<Registration> {
    handlers(document, event).into_iter().filter(|handler| is_ours(&handler.command)).collect()
}

pub(super) fn register(
    document: &mut Document,
    event: &str,
    timeout: u64,
    command: &str,
) -> Result<(), Refusal> {
    let found = registrations(document, event);
    let Some((first, surplus)) = found.split_first() else {
        let group = json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] });
        return if document.get(&[HOOKS]).is_none() {
            document.add(&[], "hooks", &json!({ event: [group] }))
        } else if document.get(&[HOOKS, Step::Key(event)]).is_none() {
            document.add(&[HOOKS], event, &json!([group]))
        } else {
            document.push(&[HOOKS, Step::Key(event)], &group)
        };
    };
    for registration in surplus.iter().rev() {
        remove_handler(document, event, registration)?;
    }
    let at = |name| {
        [HOOKS, Step::Key(event), Step::At(first.group), HOOKS, Step::At(first.handler), Step::Key(name)]
    };
    let wanted = with_program(&first.command, command);
    if wanted != first.command {
        document.replace(&at("command"), &Value::from(wanted).to_string())?;
    }
    // A longer limit is the person's choice; a shorter one would cut the audit off.
    if let Some(node) = document.get(&at("timeout"))
        && !document.raw(node).parse::<f64>().is_ok_and(|seconds| seconds >= seconds_of(timeout))
    {
        document.replace(&at("timeout"), &timeout.to_string())?;
    }
    Ok(())
}

fn seconds_of(timeout: u64) -> f64 {
    u32::try_from(timeout).map_or(f64::INFINITY, f64::from)
}

/// The registered command with another program in it; assignments that the person put before it stay.
fn with_program(registered: &str, wanted: &str) -> String {
    let words = shlex::split(registered).unwrap_or_default();
    let program = words.last().map(String::as_str).unwrap_or_default();
    if shlex::split(wanted).unwrap_or_default() == [program] {
        return registered.to_owned();
    }
    let quoted = shlex::try_quote(program).unwrap_or_default();
    match registered.strip_suffix(&*quoted).or_else(|| registered.strip_suffix(program)) {
        Some(prefix) => format!("{prefix}{wanted}"),
        None => wanted.to_owned(),
    }
}

fn remove_handler(document: &mut Document, event: &str, registration: &Registration) -> Result<(), Refusal> {
    let group = [HOOKS, Step::Key(event), Step::At(registration.group)];
    let [a, b, c] = group;
    document.remove(&[a, b, c, HOOKS, Step::At(registration.handler)])?;
    if is_empty(document, &[a, b, c, HOOKS]) {
        document.remove(&group)?;
    }
    Ok(())
}

/// Takes our handlers out of an event, and what they leave empty, unless the baseline had it already.
pub(super) fn unregister(
    document: &mut Document,
    baseline: Option<&Document>,
    event: &str,
) -> Result<(), Refusal> {
    let found = registrations(document, event);
    for registration in found.iter().rev() {
        remove_handler(document, event, registration)?;
    }
    if found.is_empty() {
        return Ok(());
    }
    remove_if_emptied(document, baseline, &[HOOKS, Step::Key(event)])?;
    remove_if_emptied(document, baseline, &[HOOKS])
}
