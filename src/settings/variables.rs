//! The variables in `env` that choose the auditor. A value that stood there before the install is the person's: it is
//! replaced only where that was asked for, and never removed; an empty one says nothing to the hook.

use super::document::{Document, Step};
use super::refusal::Refusal;
use super::{ENV, is_registered, remove_if_emptied};
use serde_json::{Value, json};

/// Holds the auditor's command (6.1).
pub const COMMAND_VARIABLE: &str = "STOP_AUDITOR_CMD";
/// Holds the auditor's model.
pub const MODEL_VARIABLE: &str = "STOP_AUDITOR_MODEL";
/// Holds the name of the auditor's preset.
pub const VENDOR_VARIABLE: &str = "STOP_AUDITOR_VENDOR";
/// Holds the address that a preset asks.
pub const BASE_URL_VARIABLE: &str = "STOP_AUDITOR_BASE_URL";
/// Holds the name of the variable with a preset's key; never the key.
pub const KEY_VARIABLE: &str = "STOP_AUDITOR_KEY_ENV";
/// All of them.
pub const VARIABLES: [&str; 5] =
    [COMMAND_VARIABLE, MODEL_VARIABLE, VENDOR_VARIABLE, BASE_URL_VARIABLE, KEY_VARIABLE];

/// Refuses to replace a value that is the person's, unless that was asked for.
pub(super) fn refuse_to_overwrite(
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

pub(super) fn set_variable(document: &mut Document, name: &str, value: &str) -> Result<(), Refusal> {
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

/// What stood there before the install, or nothing.
pub(super) fn restore_variable(
    document: &mut Document,
    baseline: Option<&Document>,
    name: &str,
) -> Result<(), Refusal> {
    let path = [ENV, Step::Key(name)];
    if document.get(&path).is_none() {
        return Ok(());
    }
    let old = baseline.and_then(|baseline| Some(baseline.raw(baseline.get(&path)?).to_owned()));
    if let Some(old) = old {
        return document.replace(&path, &old);
    }
    document.remove(&path)?;
    remove_if_emptied(document, baseline, &[ENV])
}

/// Makes a variable say nothing: an entry of ours goes, one in the place of the person's becomes empty.
pub(super) fn take_back(
    document: &mut Document,
    baseline: Option<&Document>,
    name: &str,
) -> Result<(), Refusal> {
    let path = [ENV, Step::Key(name)];
    if document.get(&path).is_none() || document.string(&path) == Some("") {
        return Ok(());
    }
    let stood_before = baseline.is_some_and(|baseline| baseline.get(&path).is_some());
    if stood_before || !is_registered(document) {
        return document.replace(&path, "\"\"");
    }
    document.remove(&path)?;
    remove_if_emptied(document, baseline, &[ENV])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Request, Uninstalled, install, uninstall};

    fn parse(text: &str) -> Document {
        Document::parse(text.as_bytes()).unwrap()
    }

    fn env(document: &Document) -> Value {
        let value: Value = serde_json::from_slice(&document.to_bytes()).unwrap();
        value["env"].clone()
    }

    /// A choice of this vendor, as the command line makes it: all that it does not name says nothing.
    fn vendor(name: &str, force: bool) -> Request {
        let unset = VARIABLES.into_iter().filter(|variable| *variable != VENDOR_VARIABLE).collect();
        let env = vec![(VENDOR_VARIABLE, name.to_owned())];
        Request { command: "/h/hooks/stop-auditor".to_owned(), env, unset, force }
    }

    fn command(value: &str) -> Request {
        let env = vec![(COMMAND_VARIABLE, value.to_owned())];
        Request { command: "/h/hooks/stop-auditor".to_owned(), env, ..Request::default() }
    }

    #[test]
    fn r3_5_another_choice_takes_the_place_of_the_first_and_both_can_be_taken_back() {
        for old in ["{\n  \"a\": 1\n}\n", r#"{"env":{"A":"b"}}"#, "{\"env\":{}}"] {
            let before = parse(old);
            let first = install(Some(&before), None, &command("judge")).unwrap();
            let second = install(Some(&first), Some(&before), &vendor("gemini", false)).unwrap();
            assert_eq!(env(&second)["STOP_AUDITOR_CMD"], Value::Null);
            assert_eq!(env(&second)["STOP_AUDITOR_VENDOR"], "gemini");
            let fresh = install(Some(&before), None, &vendor("gemini", false)).unwrap();
            assert_eq!(second.to_bytes(), fresh.to_bytes(), "as if it had been the first");
            let Uninstalled::Text(back) = uninstall(&second, Some(&before)).unwrap() else { panic!("{old}") };
            assert_eq!(back.to_bytes(), before.to_bytes());
        }
    }

    #[test]
    fn r3_5_a_command_of_the_persons_is_not_silenced_unasked() {
        let before = parse(r#"{"env":{"STOP_AUDITOR_CMD":"mine","A":"b"}}"#);
        let refused = install(Some(&before), None, &vendor("gemini", false));
        assert!(matches!(refused, Err(Refusal::Taken { name: COMMAND_VARIABLE, .. })), "{refused:?}");
        let forced = install(Some(&before), None, &vendor("gemini", true)).unwrap();
        assert_eq!(env(&forced)["STOP_AUDITOR_CMD"], "", "which is none to the hook (6.1)");
        let again = install(Some(&forced), Some(&before), &vendor("gemini", false)).unwrap();
        assert_eq!(again.to_bytes(), forced.to_bytes());
        let Uninstalled::Text(back) = uninstall(&forced, Some(&before)).unwrap() else { panic!() };
        assert_eq!(back.to_bytes(), before.to_bytes());
    }
}
