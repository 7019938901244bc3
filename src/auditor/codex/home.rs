//! A home of its own for the auditor: nothing of the person's but the login.
//!
//! The person's home holds instructions, skills, hooks and memories that `--ignore-user-config` still reads (facts,
//! codex 0.4). The login is linked and not copied: a refreshed token must reach the person's own file.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables that the auditor gets: to be found, to speak, to reach the service, to log in.
const PASSED_ON: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "USER",
    "LOGNAME",
    // Proxies and certificates.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CODEX_CA_CERTIFICATE",
    // The one key that Codex itself reads.
    "CODEX_API_KEY",
];

/// Which home the auditor gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// A private home with a link to this file.
    Linked(PathBuf),
    /// A private home without a login: a key in the environment is all it needs, or there is none at all.
    InEnvironment,
    /// The person's own home: the login is in a key ring, which only that home leads to.
    OwnHome(PathBuf),
}

/// The person's own Codex folder: `$CODEX_HOME`, else `~/.codex`.
pub fn person_codex_home() -> Option<PathBuf> {
    let set = env::var_os("CODEX_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    set.or_else(|| env::home_dir().map(|home| home.join(".codex")))
}

/// How the auditor is logged in; `keys` are variables that hold a provider's key.
pub fn login(keys: &[String]) -> Login {
    let has_key = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(home) = person_codex_home().filter(|home| home.is_dir()) else { return Login::InEnvironment };
    let file = home.join("auth.json");
    if file.is_file() {
        Login::Linked(std::path::absolute(&file).unwrap_or(file))
    } else if has_key("CODEX_API_KEY") || keys.iter().any(|name| has_key(name)) {
        Login::InEnvironment
    } else {
        Login::OwnHome(home)
    }
}

/// Gives the command a home and a temporary folder below `directory`, an empty working directory, and an environment
/// from scratch.
///
/// # Errors
/// Those of making the folders and the link.
pub fn prepare(command: &mut Command, directory: &Path, keys: &[String]) -> io::Result<()> {
    let [empty, home, temporary] = ["empty", "home", "tmp"].map(|name| directory.join(name));
    for folder in [&empty, &home, &temporary] {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
    }
    command.env_clear().current_dir(empty).env("TMPDIR", temporary);
    let passed_on = PASSED_ON.iter().copied().chain(keys.iter().map(String::as_str));
    command.envs(passed_on.filter_map(|name| Some((name, env::var_os(name)?))));
    let private = home.join(".codex");
    match login(keys) {
        Login::OwnHome(own) => {
            if let Some(person_home) = env::home_dir() {
                command.env("HOME", person_home);
            }
            command.env("CODEX_HOME", own);
            return Ok(());
        }
        Login::Linked(file) => {
            fs::DirBuilder::new().mode(0o700).create(&private)?;
            symlink(file, private.join("auth.json"))?;
        }
        Login::InEnvironment => fs::DirBuilder::new().mode(0o700).create(&private)?,
    }
    command.env("HOME", home).env("CODEX_HOME", private);
    Ok(())
}
