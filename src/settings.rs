//! What `install` and `uninstall` do to the text of `settings.json` (section 3), files aside.
//! Nothing is remembered in a file of our own: what stood there before an install is read from the backup that
//! the install made, here called the baseline.

pub mod backups;
pub mod document;
pub mod file;
pub mod refusal;

use document::{Document, Kind, Step};
use refusal::Refusal;
use serde_json::{Value, json};

/// The events that are registered and their time limits in seconds (3.1).
pub const EVENTS: [(&str, u64); 2] = [("Stop", 180), ("UserPromptSubmit", 10)];
/// The file name of the binary; a command that runs a program of this name is ours.
pub const PROGRAM: &str = "stop-auditor";
/// Holds the auditor's command (6.1).
pub const COMMAND_VARIABLE: &str = "STOP_AUDITOR_CMD";
/// Holds the auditor's model.
pub const MODEL_VARIABLE: &str = "STOP_AUDITOR_MODEL";
const VARIABLES: [&str; 2] = [COMMAND_VARIABLE, MODEL_VARIABLE];
/// What a settings file that was not there begins as.
const FRESH: &str = "{}\n";
const HOOKS: Step = Step::Key("hooks");
const ENV: Step = Step::Key("env");

/// What an install is asked to write.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The hook's shell command.
    pub command: String,
    /// Variables for `env`, of those that are ours.
    pub env: Vec<(&'static str, String)>,
    /// Replaces the person's own values in `env`.
    pub force: bool,
}

/// One handler that runs our binary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Registration {
    group: usize,
    handler: usize,
    command: String,
}

/// What an uninstall leaves of the file.
#[derive(Debug, Clone)]
pub enum Uninstalled {
    /// Nothing of ours was there.
    Nothing,
    /// The new text.
    Text(Document),
    /// Only what the install had made: the file goes.
    Gone,
}

/// The text with our two registrations and `env` entries in it. `before` is `None` for a file that is not there.
/// A registration of an older path is changed where it stands; what is right already keeps its bytes.
pub fn install(
    before: Option<&Document>,
    baseline: Option<&Document>,
    request: &Request,
) -> Result<Document, Refusal> {
    let mut document = match before {
        Some(document) => document.clone(),
        None => Document::parse(FRESH.as_bytes())?,
    };
    check(&document, !request.env.is_empty())?;
    for (name, value) in &request.env {
        refuse_to_overwrite(&document, baseline, name, value, request.force)?;
    }
    for (event, timeout) in EVENTS {
        register(&mut document, event, timeout, &request.command)?;
    }
    for (name, value) in &request.env {
        set_variable(&mut document, name, value)?;
    }
    Ok(document)
}

/// Takes out what an install added, and only that (3.5). When nothing else has changed since, the baseline comes
/// back byte for byte. Of our variables, one that stood in the baseline gets its old value back; without a
/// baseline they are taken for ours by their names.
pub fn uninstall(current: &Document, baseline: Option<&Document>) -> Result<Uninstalled, Refusal> {
    check(current, true)?;
    let is_registered = is_registered(current);
    if !is_registered && baseline.is_none() {
        return Ok(Uninstalled::Nothing);
    }
    if let Some(baseline) = baseline
        && replays(Some(baseline), current)
    {
        return Ok(Uninstalled::Text(baseline.clone()));
    }
    if replays(None, current) {
        return Ok(Uninstalled::Gone);
    }
    let mut document = current.clone();
    for name in VARIABLES.into_iter().rev() {
        restore_variable(&mut document, baseline, name)?;
    }
    for (event, _) in EVENTS.into_iter().rev() {
        unregister(&mut document, baseline, event)?;
    }
    if document.to_bytes() == current.to_bytes() {
        return Ok(Uninstalled::Nothing);
    }
    let is_empty = is_empty(&document, &[]);
    Ok(if is_empty && baseline.is_none() { Uninstalled::Gone } else { Uninstalled::Text(document) })
}

/// The command that is registered for an event, if ours is.
pub fn registered_command(document: &Document, event: &str) -> Option<String> {
    registrations(document, event).into_iter().next().map(|registration| registration.command)
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

/// Whether the file turns every hook off.
pub fn hooks_are_off(document: &Document) -> bool {
    matches!(document.get(&[Step::Key("disableAllHooks")]).map(|node| &node.kind), Some(Kind::Bool(true)))
}

/// Everything on the way to our entries must be what it should, and unambiguous.
fn check(document: &Document, needs_env: bool) -> Result<(), Refusal> {
    let object = |path: &[Step], name: &str| match document.get(path) {
        Some(node) if !matches!(node.kind, Kind::Object(_)) => {
            Err(Refusal::WrongKind { path: name.to_owned(), wants: "对象", place: document.place(node) })
        }
        Some(_) | None => match document.duplicate(path) {
            Some((name, place)) => Err(Refusal::Duplicate { name, place }),
            None => Ok(()),
        },
    };
    object(&[], "")?;
    object(&[HOOKS], "hooks")?;
    if needs_env {
        object(&[ENV], "env")?;
    }
    for (event, _) in EVENTS {
        if let Some(node) = document.get(&[HOOKS, Step::Key(event)])
            && !matches!(node.kind, Kind::Array(_))
        {
            let place = document.place(node);
            return Err(Refusal::WrongKind { path: format!("hooks.{event}"), wants: "数组", place });
        }
    }
    Ok(())
}

/// `/a/b/stop-auditor` alone, behind assignments and `env` at most: with arguments it is somebody's own use of it.
fn is_ours(command: &str) -> bool {
    let words = shlex::split(command).unwrap_or_default();
    let rest = words.iter().skip_while(|word| *word == "env" || word.contains('='));
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

fn length(document: &Document, path: &[Step]) -> usize {
    match document.get(path).map(|node| &node.kind) {
        Some(Kind::Array(elements)) => elements.len(),
        Some(Kind::Object(members)) => members.len(),
        _ => 0,
    }
}

fn is_empty(document: &Document, path: &[Step]) -> bool {
    document.get(path).is_some() && length(document, path) == 0
}

fn register(document: &mut Document, event: &str, timeout: u64, command: &str) -> Result<(), Refusal> {
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
fn unregister(document: &mut Document, baseline: Option<&Document>, event: &str) -> Result<(), Refusal> {
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

fn remove_if_emptied(
    document: &mut Document,
    baseline: Option<&Document>,
    path: &[Step],
) -> Result<(), Refusal> {
    let stood_before = baseline.is_some_and(|baseline| baseline.get(path).is_some());
    if is_empty(document, path) && !stood_before { document.remove(path) } else { Ok(()) }
}

fn refuse_to_overwrite(
    document: &Document,
    baseline: Option<&Document>,
    name: &'static str,
    value: &str,
    force: bool,
) -> Result<(), Refusal> {
    let path = [ENV, Step::Key(name)];
    let Some(node) = document.get(&path) else { return Ok(()) };
    let raw = document.raw(node);
    let stood_before =
        baseline.and_then(|baseline| Some(baseline.raw(baseline.get(&path)?) == raw)).unwrap_or(false);
    let is_persons = stood_before || !is_registered(document);
    if force || !is_persons || document.string(&path) == Some(value) {
        return Ok(());
    }
    Err(Refusal::Taken { name, value: raw.to_owned(), place: document.place(node) })
}

fn set_variable(document: &mut Document, name: &str, value: &str) -> Result<(), Refusal> {
    let path = [ENV, Step::Key(name)];
    if document.string(&path) == Some(value) {
        Ok(())
    } else if document.get(&path).is_some() {
        document.replace(&path, &Value::from(value).to_string())
    } else if document.get(&[ENV]).is_some() {
        document.add(&[ENV], name, &Value::from(value))
    } else {
        document.add(&[], "env", &json!({ name: value }))
    }
}

fn restore_variable(document: &mut Document, baseline: Option<&Document>, name: &str) -> Result<(), Refusal> {
    let path = [ENV, Step::Key(name)];
    let Some(node) = document.get(&path) else { return Ok(()) };
    let old = baseline.and_then(|baseline| Some(baseline.raw(baseline.get(&path)?).to_owned()));
    match old {
        Some(old) if old == document.raw(node) => Ok(()),
        Some(old) => document.replace(&path, &old),
        None => {
            document.remove(&path)?;
            remove_if_emptied(document, baseline, &[ENV])
        }
    }
}

/// Whether the current text is what an install makes of the one before, and nothing else.
fn replays(before: Option<&Document>, current: &Document) -> bool {
    let Some(command) = registered_command(current, EVENTS[0].0) else { return false };
    let env = VARIABLES.into_iter().filter_map(|name| {
        let path = [ENV, Step::Key(name)];
        let value = current.string(&path)?;
        let is_old = before.is_some_and(|before| before.string(&path) == Some(value));
        (!is_old).then(|| (name, value.to_owned()))
    });
    let request = Request { command, env: env.collect(), force: true };
    install(before, None, &request).is_ok_and(|again| again.to_bytes() == current.to_bytes())
}

#[cfg(test)]
mod tests;
