//! Checks as data: a test fills a `Checks`, libtest and the report only read it.
//! A test that made no check fails: it would have passed for any hook.
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::hook;

/// One thing that was looked at, with the requirement (`4.33`) that it shows.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) requirement: &'static str,
    pub(crate) what: String,
    pub(crate) want: String,
    pub(crate) got: String,
    pub(crate) ok: bool,
}

/// The checks of one test, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    all: Vec<Check>,
}

#[allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
impl Checks {
    /// Whether all of them hold.
    pub(crate) fn hold(&self) -> bool {
        self.all.iter().all(|check| check.ok)
    }

    /// The first that does not.
    pub(crate) fn first_failed(&self) -> Option<&Check> {
        self.all.iter().find(|check| !check.ok)
    }

    /// Takes over what another thread looked at.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.all.append(&mut other.all);
    }

    /// Records whether `ok` holds.
    pub(crate) fn that(
        &mut self,
        requirement: &'static str,
        what: impl Into<String>,
        ok: bool,
        want: impl Into<String>,
        got: impl Into<String>,
    ) {
        let got = short(&got.into());
        self.all.push(Check { requirement, what: what.into(), want: want.into(), got, ok });
    }

    /// Records whether `got` equals `want`.
    pub(crate) fn equal<T: PartialEq + Debug>(
        &mut self,
        requirement: &'static str,
        what: impl Into<String>,
        got: T,
        want: T,
    ) {
        let ok = got == want;
        self.that(requirement, what, ok, format!("{want:?}"), format!("{got:?}"));
    }

    /// Records whether `needle` is in `haystack`. An empty needle never is.
    pub(crate) fn contains(
        &mut self,
        requirement: &'static str,
        what: impl Into<String>,
        haystack: &str,
        needle: &str,
    ) {
        let ok = !needle.is_empty() && haystack.contains(needle);
        self.that(requirement, what, ok, format!("contains {needle:?}"), format!("{haystack:?}"));
    }

    /// Records whether `needle` is nowhere in `haystack`. An empty needle always is somewhere.
    pub(crate) fn absent(
        &mut self,
        requirement: &'static str,
        what: impl Into<String>,
        haystack: &str,
        needle: &str,
    ) {
        let around = haystack.find(needle).map(|at| around(haystack, at));
        let ok = around.is_none();
        self.that(requirement, what, ok, format!("no {needle:?}"), around.unwrap_or_default());
    }
}

/// What became of one test: its checks, or the message it panicked with after having made some.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) checks: Vec<Check>,
    pub(crate) panicked: Option<String>,
    pub(crate) elapsed: Duration,
}

/// Why a test is not run against this hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRun {
    /// It needs our own binary or library.
    OwnOnly,
    /// It would take the spec's 150 s: no short limit is known and `CONFORMANCE_SLOW` is not set.
    TooSlow,
    /// It needs namespaces, root or other users' files: `CONFORMANCE_NAMESPACES` is not set.
    Namespaces,
}

/// A test, its marks, and what became of it: it runs once in a process, for libtest and the report together.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) marks: &'static [&'static str],
    pub(crate) run: fn(&mut Checks),
    pub(crate) cell: &'static OnceLock<Outcome>,
}

impl Named {
    /// The reason for leaving it out, if there is one.
    pub(crate) fn not_run(&self) -> Option<NotRun> {
        if self.has("own") && hook::foreign() {
            return Some(NotRun::OwnOnly);
        }
        if self.has("namespaced") && !hook::namespaces_allowed() {
            return Some(NotRun::Namespaces);
        }
        let slow = self.has("slow") || (self.has("timed") && hook::short_limit().is_none());
        (slow && !hook::slow_allowed()).then_some(NotRun::TooSlow)
    }

    /// Marks that mean nothing here, which a typing error would make.
    pub(crate) fn unknown_marks(&self) -> impl Iterator<Item = &'static str> {
        let known =
            |mark: &&str| matches!(*mark, "own" | "slow" | "timed" | "namespaced") || mark.starts_with("doc");
        self.marks.iter().copied().filter(move |mark| !known(mark))
    }

    /// Runs the test, or waits for the thread that is running it, and gives its outcome.
    pub(crate) fn outcome(&self) -> &'static Outcome {
        self.cell.get_or_init(|| {
            let mut checks = Checks::default();
            let start = Instant::now();
            let run = catch_unwind(AssertUnwindSafe(|| (self.run)(&mut checks)));
            let panicked = run.err().map(|cause| message_of(cause.as_ref()));
            Outcome { checks: checks.all, panicked, elapsed: start.elapsed() }
        })
    }

    /// For libtest.
    ///
    /// # Panics
    /// When a check failed, when there was none, or when the test itself broke.
    pub(crate) fn judge(&self) {
        if let Some(text) = self.failure() {
            panic!("{}:{text}", self.name);
        }
    }

    /// The same as a test of its own, whose failure may be the end of the whole run.
    pub(crate) fn judge_in_this_run(&self) {
        if hook::first_failure_ends_it()
            && let Some(text) = self.failure()
        {
            // Not `eprintln!`, which libtest keeps until a test's end.
            let _ = writeln!(std::io::stderr(), "{}:{text}", self.name);
            std::process::exit(101);
        }
        self.judge();
    }

    /// What is wrong, if something is.
    fn failure(&self) -> Option<String> {
        if self.not_run().is_some() {
            return None;
        }
        let outcome = self.outcome();
        let mut text = String::new();
        for check in outcome.checks.iter().filter(|check| !check.ok) {
            let Check { requirement, what, want, got, .. } = check;
            let _ = write!(text, "\n{requirement} {what}\n    want: {want}\n    got:  {got}");
        }
        if let Some(cause) = &outcome.panicked {
            let _ = write!(text, "\nthe test itself broke: {cause}");
        }
        if text.is_empty() && outcome.checks.is_empty() {
            text.push_str(" made no check, so it shows nothing");
        }
        (!text.is_empty()).then_some(text)
    }

    fn has(&self, mark: &str) -> bool {
        self.marks.contains(&mark)
    }
}

/// Makes a `#[test]` of each function, and `CHECKS`, the list of them all for the registry in `main.rs`.
/// Marks before a function: `#[own]` needs our own binary or library; `#[timed]` waits for the time limit;
/// `#[slow]` takes minutes whatever the limit; `#[namespaced]` needs more than a plain user.
macro_rules! checks {
    ($( $(#[$mark:meta])* fn $name:ident($c:ident: &mut Checks) $body:block )+) => {
        $(
            #[test]
            fn $name() {
                let named = CHECKS.iter().find(|named| named.name == stringify!($name));
                named.expect("listed below").judge_in_this_run();
            }
        )+

        pub(crate) static CHECKS: &[$crate::kit::check::Named] = &[$({
            fn run($c: &mut $crate::kit::check::Checks) $body
            static CELL: std::sync::OnceLock<$crate::kit::check::Outcome> = std::sync::OnceLock::new();
            $crate::kit::check::Named {
                name: stringify!($name),
                marks: &[$(stringify!($mark)),*],
                run,
                cell: &CELL,
            }
        }),+];
    };
}
pub(crate) use checks;

/// A failing prompt of 60,000 characters would bury the line that matters.
fn short(text: &str) -> String {
    const HEAD: usize = 1_500;
    const TAIL: usize = 500;
    let n_chars = text.chars().count();
    if n_chars <= HEAD + TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(n_chars - TAIL).collect();
    format!("{head} … {} characters … {tail}", n_chars - HEAD - TAIL)
}

fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let tail: Vec<char> = before.chars().rev().take(60).collect();
    let around: String = tail.into_iter().rev().chain(after.chars().take(120)).collect();
    format!("… {around:?} …")
}

fn message_of(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}
