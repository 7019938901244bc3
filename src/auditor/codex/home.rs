//! A Codex folder of its own for the auditor: nothing of the person's but the login.
//!
//! The person's folder holds instructions, skills, hooks and memories that `--ignore-user-config` still reads (facts,
//! codex 0.4). The login is linked and not copied: a renewed token must reach the person's own file.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::{Table, Value};

use crate::auditor::environment;

/// Variables that Codex gets beside those that every auditor does.
const PASSED_ON: [&str; 6] = [
    "HOME",
    "CODEX_CA_CERTIFICATE",
    // Where a login is renewed, for those who do not reach the vendor: elsewhere it would fail, and the audit with it.
    "CODEX_REFRESH_TOKEN_URL_OVERRIDE",
    // The one key that Codex itself reads, and the way to a key ring.
    "CODEX_API_KEY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
];

/// The private folder's name, and the login's file in it.
const PRIVATE: &str = "codex";
const LOGIN: &str = "auth.json";

/// The name of the setting that says where a login is kept.
const STORE: &str = "cli_auth_credentials_store";

/// Where the person's Codex keeps its login: `cli_auth_credentials_store` of their `config.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Store {
    /// In `auth.json`, which is Codex's default.
    #[default]
    File,
    /// In the system's key ring, under a name made from the folder's path.
    KeyRing,
    /// In the key ring; in `auth.json` where there is none.
    Either,
}

impl Store {
    /// What a configuration says.
    pub fn of(config: &Table) -> Self {
        match config.get(STORE).and_then(Value::as_str) {
            Some("keyring") => Store::KeyRing,
            Some("auto") => Store::Either,
            Some(_) | None => Store::File,
        }
    }

    /// The `-c` setting: `--ignore-user-config` leaves this one out too.
    pub fn setting(self) -> String {
        let name = match self {
            Store::File => "file",
            Store::KeyRing => "keyring",
            Store::Either => "auto",
        };
        format!("{STORE}=\"{name}\"")
    }
}

/// Which Codex folder the auditor gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// A private one with a link to this file.
    Linked(PathBuf),
    /// A private one without a login: a key in the environment is all it needs, or there is none at all.
    InEnvironment,
    /// The person's own: the login is in a key ring, which only that one leads to.
    OwnHome(PathBuf),
}

/// The person's own Codex folder: `$CODEX_HOME`, else `~/.codex`.
pub fn person_codex_home() -> Option<PathBuf> {
    let set = env::var_os("CODEX_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    set.or_else(|| env::home_dir().map(|home| home.join(".codex")))
}

/// The `config.toml` in a Codex folder. One that is missing or broken says nothing.
pub fn config(codex_home: &Path) -> Table {
    let text = fs::read_to_string(codex_home.join("config.toml")).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// How the auditor is logged in; `keys` are variables that hold a provider's key.
pub fn login(store: Store, keys: &[String]) -> Login {
    login_in(person_codex_home(), store, has_key(keys))
}

/// Whether the environment holds a key: Codex's own, or one of these variables'.
pub fn has_key(keys: &[String]) -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    std::iter::once("CODEX_API_KEY").chain(keys.iter().map(String::as_str)).any(is_set)
}

fn login_in(home: Option<PathBuf>, store: Store, has_key: bool) -> Login {
    let Some(home) = home.filter(|home| home.is_dir()) else { return Login::InEnvironment };
    let file = home.join(LOGIN);
    // Codex takes the file away when it puts a login into the key ring.
    if store != Store::KeyRing && file.is_file() {
        Login::Linked(std::path::absolute(&file).unwrap_or(file))
    } else if store == Store::File || has_key {
        Login::InEnvironment
    } else {
        Login::OwnHome(home)
    }
}

/// Gives the command a Codex folder and a temporary folder below `directory`, an empty working directory, and an
/// environment from scratch.
///
/// # Errors
/// Those of making the folders and the link.
pub fn prepare(command: &mut Command, directory: &Path, login: Login, keys: &[String]) -> io::Result<()> {
    let [empty, private, temporary] = ["empty", PRIVATE, "tmp"].map(|name| directory.join(name));
    for folder in [&empty, &private, &temporary] {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
    }
    command.env_clear().current_dir(empty).env("TMPDIR", temporary);
    let is_wanted = |name: &str| PASSED_ON.contains(&name) || keys.iter().any(|key| key == name);
    command.envs(environment::passed_on(is_wanted));
    match login {
        Login::OwnHome(own) => {
            command.env("CODEX_HOME", own);
            return Ok(());
        }
        Login::Linked(file) => symlink(file, private.join(LOGIN))?,
        Login::InEnvironment => {}
    }
    command.env("CODEX_HOME", private);
    Ok(())
}

/// Where Codex has replaced the link by a file of its own, that file is the newer login: tokens rotate, and the old one
/// may be worth nothing now.
///
/// # Errors
/// Those of writing the person's file.
pub fn bring_login_back(directory: &Path, login: Login) -> io::Result<()> {
    let renewed = directory.join(PRIVATE).join(LOGIN);
    let is_file = fs::symlink_metadata(&renewed).is_ok_and(|metadata| metadata.is_file());
    match login {
        Login::Linked(file) if is_file => {
            // The person may have a link there themselves; what it leads to is replaced.
            let target = fs::canonicalize(file)?;
            crate::hook::private::replace(&target, &fs::read(renewed)?)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_login_is_kept_is_read_and_passed_on() {
        let directory = tempfile::tempdir().unwrap();
        for (text, store) in [
            ("", Store::File),
            ("cli_auth_credentials_store = \"file\"", Store::File),
            ("cli_auth_credentials_store = \"keyring\"", Store::KeyRing),
            ("cli_auth_credentials_store = \"auto\"", Store::Either),
            ("cli_auth_credentials_store = \"keyring", Store::File),
        ] {
            fs::write(directory.path().join("config.toml"), text).unwrap();
            let found = Store::of(&config(directory.path()));
            assert_eq!(found, store, "{text}");
        }
        for (store, setting) in [(Store::File, "file"), (Store::KeyRing, "keyring"), (Store::Either, "auto")]
        {
            assert_eq!(store.setting(), format!("cli_auth_credentials_store=\"{setting}\""));
        }
    }

    #[test]
    fn a_login_is_a_file_a_key_or_in_the_key_ring() {
        let directory = tempfile::tempdir().unwrap();
        let (home, missing) = (directory.path().to_owned(), directory.path().join("missing"));
        let own = Login::OwnHome(home.clone());
        for (store, has_key, login) in [
            (Store::File, false, Login::InEnvironment),
            (Store::KeyRing, false, own.clone()),
            (Store::KeyRing, true, Login::InEnvironment),
            (Store::Either, false, own.clone()),
            (Store::Either, true, Login::InEnvironment),
        ] {
            assert_eq!(login_in(Some(home.clone()), store, has_key), login, "{store:?} {has_key}");
        }
        let file = home.join(LOGIN);
        fs::write(&file, "{}").unwrap();
        for (store, login) in [
            (Store::File, Login::Linked(file.clone())),
            (Store::Either, Login::Linked(file)),
            (Store::KeyRing, own),
        ] {
            assert_eq!(login_in(Some(home.clone()), store, false), login, "{store:?}");
        }
        assert_eq!(login_in(Some(missing), Store::KeyRing, false), Login::InEnvironment);
        assert_eq!(login_in(None, Store::KeyRing, false), Login::InEnvironment);
    }

    #[test]
    fn a_key_is_in_a_variable_that_is_not_empty() {
        // Whoever runs this has a PATH.
        let keys = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        assert!(has_key(&keys(&["NOT_SET_ANYWHERE", "PATH"])));
        assert_eq!(has_key(&keys(&["NOT_SET_ANYWHERE"])), has_key(&[]));
    }

    #[test]
    fn a_renewed_login_takes_the_old_one_s_place_and_a_link_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let (own, login) = (directory.path().join("own.json"), directory.path().join(PRIVATE).join(LOGIN));
        fs::create_dir(directory.path().join(PRIVATE)).unwrap();
        fs::write(&own, "old").unwrap();
        symlink(&own, &login).unwrap();
        bring_login_back(directory.path(), Login::Linked(own.clone())).unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "old");
        fs::remove_file(&login).unwrap();
        fs::write(&login, "new").unwrap();
        bring_login_back(directory.path(), Login::InEnvironment).unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "old");
        bring_login_back(directory.path(), Login::Linked(own.clone())).unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "new");
        fs::remove_file(&login).unwrap();
        bring_login_back(directory.path(), Login::Linked(own.clone())).unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "new");
    }
}
