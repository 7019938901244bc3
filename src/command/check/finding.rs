//! One thing that was looked at.

use std::fmt;

use serde::Serialize;

/// What was found, and what to do about it.
#[derive(Debug, Clone, Serialize)]
pub(in crate::command) struct Finding {
    /// What was looked at.
    pub(in crate::command) about: &'static str,
    /// How it is.
    pub(in crate::command) state: State,
    /// What was found.
    pub(in crate::command) found: String,
    /// What to do; empty where nothing is to be done.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(in crate::command) advice: &'static str,
}

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::command) enum State {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Audits fail or do not happen, or keep less from the auditor than they should.
    Problem,
}

impl Finding {
    pub(in crate::command) fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Finding { about, state: State::Ok, found: found.into(), advice: "" }
    }

    pub(in crate::command) fn note(about: &'static str, found: impl Into<String>) -> Self {
        Finding { about, state: State::Note, found: found.into(), advice: "" }
    }

    pub(in crate::command) fn problem(
        about: &'static str,
        found: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        Finding { about, state: State::Problem, found: found.into(), advice }
    }

    pub(in crate::command) fn is_problem(&self) -> bool {
        self.state == State::Problem
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Ok => "✓",
            State::Note => "·",
            State::Problem => "✗",
        };
        write!(f, "{mark} {}：{}", self.about, self.found)?;
        if self.advice.is_empty() { Ok(()) } else { write!(f, "\n  怎么办：{}", self.advice) }
    }
}
