//! What `install` and `uninstall` do to the text of `settings.json` (section 3), files aside.
//! Nothing is remembered in a file of our own: what stood there before an install is read from the backup that
//! the install made, here called the baseline.

pub mod backups;
pub mod document;
pub mod file;
pub mod refusal;
pub mod registration;
mod variables;

use document::{Document, Kind, Step};
use refusal::Refusal;
use registration::{is_registered, register, registered_command, unregister};
pub use variables::{
    BASE_URL_VARIABLE, COMMAND_VARIABLE, KEY_VARIABLE, MODEL_VARIABLE, VARIABLES, VENDOR_VARIABLE,
};
use variables::{refuse_to_overwrite, restore_variable, set_variable, take_back};

/// The events that are registered and their time limits in seconds (3.1).
pub const EVENTS: [(&str, u64); 2] = [("Stop", 180), ("UserPromptSubmit", 10)];
/// The file name of the binary; a command that runs a program of this name is ours.
pub const PROGRAM: &str = "stop-auditor";
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
    /// Variables of ours that are to say nothing: another choice of the auditor takes their place.
    pub unset: Vec<&'static str>,
    /// Replaces the person's own values in `env`.
    pub force: bool,
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
    check(&document, !request.env.is_empty() || !request.unset.is_empty())?;
    for (name, value) in &request.env {
        refuse_to_overwrite(&document, baseline, name, value, request.force)?;
    }
    for name in &request.unset {
        refuse_to_overwrite(&document, baseline, name, "", request.force)?;
    }
    // Before the registration: whether there was one tells whose an entry is.
    for name in &request.unset {
        take_back(&mut document, baseline, name)?;
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

fn remove_if_emptied(
    document: &mut Document,
    baseline: Option<&Document>,
    path: &[Step],
) -> Result<(), Refusal> {
    let stood_before = baseline.is_some_and(|baseline| baseline.get(path).is_some());
    if is_empty(document, path) && !stood_before { document.remove(path) } else { Ok(()) }
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
    let request = Request { command, env: env.collect(), force: true, ..Request::default() };
    install(before, None, &request).is_ok_and(|again| again.to_bytes() == current.to_bytes())
}

#[cfg(test)]
mod tests;
