//! The `.expect.json` beside a transcript. An unknown field, an empty list or a kind without its fields is an error:
//! a typing mistake must not turn a check into none.
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// What is expected of one transcript.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectation {
    /// One line for the reader.
    about: String,
    pub(crate) cases: Vec<Case>,
}

/// One Stop on this transcript, or on a part of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Only the first so many rows are in the file.
    rows: Option<usize>,
    /// These rows are left out, counted from 1: twins that differ in one row live in one file.
    #[serde(default)]
    without: Vec<usize>,
    /// Fields of the hook's input to set; `null` takes one away.
    #[serde(default)]
    pub(crate) stdin: BTreeMap<String, Value>,
    pub(crate) checks: Vec<Spec>,
}

/// One thing to look at. Which of the optional fields belong to which kind is told by [`super::judge`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    /// The requirement that it shows.
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) kind: String,
    pub(crate) text: Option<String>,
    pub(crate) texts: Option<Vec<String>>,
    pub(crate) mark: Option<String>,
    pub(crate) n: Option<usize>,
    /// `earlier` or `current`; absent: all that follows the instruction.
    pub(crate) part: Option<String>,
    pub(crate) case: Option<String>,
}

impl Expectation {
    /// Reads the one beside a transcript.
    pub(crate) fn beside(transcript: &Path) -> Result<Self, String> {
        let path = transcript.with_extension("expect.json");
        let text =
            fs::read_to_string(&path).map_err(|cause| format!("no expectations beside it: {cause}"))?;
        Self::of(&text)
    }

    fn of(text: &str) -> Result<Self, String> {
        let expectation: Self = serde_json::from_str(text).map_err(|cause| cause.to_string())?;
        if expectation.about.is_empty() || expectation.cases.is_empty() {
            return Err("it says nothing about itself, or has no case".into());
        }
        for case in &expectation.cases {
            if case.checks.is_empty() {
                return Err(format!("the case {:?} checks nothing", case.name));
            }
            if expectation.cases.iter().filter(|other| other.name == case.name).count() > 1 {
                return Err(format!("two cases are called {:?}", case.name));
            }
        }
        Ok(expectation)
    }
}

impl Case {
    /// The bytes of the rows that this case uses; all of them untouched where it uses all.
    pub(crate) fn rows_of(&self, bytes: &[u8]) -> Vec<u8> {
        if self.rows.is_none() && self.without.is_empty() {
            return bytes.to_vec();
        }
        let rows = bytes.split_inclusive(|byte| *byte == b'\n').take(self.rows.unwrap_or(usize::MAX));
        let kept = rows.enumerate().filter(|(index, _)| !self.without.contains(&(index + 1)));
        kept.flat_map(|(_, row)| row.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_in_an_expectation_are_errors() {
        let check = r#"{"id": "4.1", "what": "x", "kind": "contains", "text": "y"}"#;
        let case = |checks: &str| format!(r#"{{"name": "n", "checks": [{checks}]}}"#);
        let file = |cases: &str| Expectation::of(&format!(r#"{{"about": "a", "cases": [{cases}]}}"#));
        assert!(file(&case(check)).is_ok());
        assert!(file("").is_err(), "no case");
        assert!(file(&case("")).is_err(), "no check");
        assert!(file(&format!("{0}, {0}", case(check))).is_err(), "two cases of one name");
        assert!(file(&case(&check.replace("text", "txet"))).is_err(), "an unknown field");
    }

    #[test]
    fn a_case_keeps_its_rows() {
        let case = |rest: &str| -> Case {
            serde_json::from_str(&format!(r#"{{"name": "n", "checks": []{rest}}}"#)).unwrap()
        };
        assert_eq!(case("").rows_of(b"a\nb\nc"), b"a\nb\nc");
        assert_eq!(case(r#", "rows": 2"#).rows_of(b"a\nb\nc"), b"a\nb\n");
        assert_eq!(case(r#", "without": [2]"#).rows_of(b"a\nb\nc"), b"a\nc");
    }
}
