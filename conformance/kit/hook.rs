//! The hook under test: our binary, or whatever `HOOK_UNDER_TEST` names.
//! A foreign hook is known to obey `STOP_AUDITOR_CMD` and `STOP_AUDITOR_LOG_DIR`, nothing else.
use std::env;

/// The limit of the spec: the auditor gets at most 150 s, and the client ends the hook after 180 s.
pub(crate) const SPEC_HOOK_TIMEOUT_S: u64 = 180;

/// Our own hook's limit in the time-out checks, in seconds.
pub(crate) const OWN_LIMIT_S: f64 = 1.0;

/// Whether the kit is pointed at another implementation.
pub(crate) fn foreign() -> bool {
    env::var_os("HOOK_UNDER_TEST").is_some()
}

/// The shell command of the hook under test.
pub(crate) fn command() -> String {
    env::var("HOOK_UNDER_TEST").unwrap_or_else(|_| quoted(env!("CARGO_BIN_EXE_stop-auditor")))
}

/// The environment variable that gives the hook under test a short time limit, where one is known.
///
/// # Panics
/// When `HOOK_UNDER_TEST_TIMEOUT_ENV` is not `NAME=value`: the time-out checks would wait for nothing.
pub(crate) fn short_limit() -> Option<(String, String)> {
    if !foreign() {
        return Some(("STOP_AUDITOR_TIMEOUT".into(), OWN_LIMIT_S.to_string()));
    }
    let pair = env::var("HOOK_UNDER_TEST_TIMEOUT_ENV").ok()?;
    let (name, value) = pair.split_once('=').expect("HOOK_UNDER_TEST_TIMEOUT_ENV is NAME=value");
    Some((name.to_owned(), value.to_owned()))
}

/// Whether checks that take the spec's 150 s may run.
pub(crate) fn slow_allowed() -> bool {
    env::var("CONFORMANCE_SLOW").is_ok_and(|value| value == "1")
}

/// Whether checks that need namespaces, root or other users' files may run; where they cannot, they fail.
pub(crate) fn namespaces_allowed() -> bool {
    env::var("CONFORMANCE_NAMESPACES").is_ok_and(|value| value == "1")
}

/// Whether the first test that fails ends the whole run: for whoever asks only whether one does.
pub(crate) fn first_failure_ends_it() -> bool {
    env::var("CONFORMANCE_FAIL_FAST").is_ok_and(|value| value == "1")
}

/// One word for `sh`.
///
/// # Panics
/// When the text holds a NUL, which no path does.
pub(crate) fn quoted(text: &str) -> String {
    shlex::try_quote(text).expect("no NUL in a path").into_owned()
}
