//! The clients that `scripts/fetch-clients` installed. A missing one fails the test: it is never a silent skip.
use std::env;
use std::path::{Path, PathBuf};

/// Claude Code.
pub(crate) fn claude() -> PathBuf {
    program("claude")
}

/// A PATH on which the installed clients come first, before the machine's own.
pub(crate) fn path() -> String {
    program("codex");
    format!("{}:{}", folder().display(), env::var("PATH").unwrap_or_default())
}

/// The same with the folder of the clients that are Python's.
pub(crate) fn path_with_python_s() -> String {
    let folder = folder().join("../../venv/bin");
    assert!(
        folder.join("llm").exists(),
        "llm is not in {}: run scripts/fetch-clients first",
        folder.display()
    );
    format!("{}:{}", path(), folder.display())
}

/// # Panics
/// When it is not there.
fn program(name: &str) -> PathBuf {
    let path = folder().join(name);
    assert!(path.exists(), "{name} is not installed at {}: run scripts/fetch-clients first", path.display());
    path
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients/node_modules/.bin")
}
