//! What an auditor's environment is made of when it is made from nothing: what lets a program be found, speak the
//! person's language and reach its service. Homes and keys are added by whoever starts it.

use std::env;
use std::ffi::OsString;

/// Variables that any auditor gets.
const PASSED_ON: [&str; 18] = [
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
    "PNPM_HOME",
];

/// Version managers put a shim in a program's place, which finds the program by these.
const SHIM_PREFIXES: [&str; 6] = ["VOLTA_", "ASDF_", "MISE_", "FNM_", "NVM_", "PYENV_"];

/// Where a shim looks for its programs unless its variable says otherwise: below the home.
const SHIM_FOLDERS: [(&str, &str); 4] = [
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("PYENV_ROOT", ".pyenv"),
];

/// The variables of this process that an auditor gets, and those of them that `also` names.
pub fn passed_on(also: impl Fn(&str) -> bool) -> impl Iterator<Item = (OsString, OsString)> {
    let is_wanted = move |name: &str| {
        PASSED_ON.contains(&name) || SHIM_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || also(name)
    };
    env::vars_os().filter(move |(name, _)| name.to_str().is_some_and(&is_wanted))
}

/// What a shim needs where the auditor gets another home than the person's.
pub fn shim_folders() -> impl Iterator<Item = (&'static str, OsString)> {
    let home = env::home_dir();
    SHIM_FOLDERS.into_iter().filter_map(move |(name, folder)| {
        let folder = home.as_ref()?.join(folder);
        (env::var_os(name).is_none() && folder.is_dir()).then(|| (name, folder.into_os_string()))
    })
}
