//! Where things lie on this machine. Paths are made here and nothing is opened.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Claude Code's configuration folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. `None` without a home.
pub fn config_dir() -> Option<PathBuf> {
    config_dir_from(std::env::var_os("CLAUDE_CONFIG_DIR"), std::env::home_dir())
}

/// The log's folder in the configuration folder.
pub const LOG_FOLDER: &str = "stop-auditor-logs";

/// The log's folder: `$STOP_AUDITOR_LOG_DIR`, else `stop-auditor-logs` in the configuration folder (8.1, 8.2).
pub fn log_dir() -> Option<PathBuf> {
    let set = std::env::var_os("STOP_AUDITOR_LOG_DIR").filter(|value| !value.is_empty());
    set.map(PathBuf::from).or_else(|| config_dir().map(|dir| dir.join(LOG_FOLDER)))
}

/// The state's folder: one for each user below the system's temporary folder (6.5).
pub fn state_dir() -> PathBuf {
    std::env::temp_dir().join(format!("stop-auditor-{}", rustix::process::geteuid().as_raw()))
}

/// Whether a file may be run, by somebody.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether `PATH` leads to a program of this name.
pub fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_executable(&folder.join(program)))
}

/// A file name for a session. Ids are the client's, but nothing may be written elsewhere whatever they hold: what is
/// no letter, digit, `-` or `_` becomes `%` and its code, and a long id is cut and told apart by a checksum.
pub fn session_file_name(session_id: &str, extension: &str) -> String {
    const MAX: usize = 120;
    let mut name = String::new();
    for byte in session_id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            name.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(name, "%{byte:02x}");
        }
        if name.len() > MAX {
            let _ = write!(name, "%{:016x}", fnv1a(session_id.as_bytes()));
            break;
        }
    }
    if name.is_empty() {
        name.push('%');
    }
    format!("{name}.{extension}")
}

/// A checksum that tells texts apart: FNV-1a in 64 bits. No protection against whoever makes texts to collide.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A relative folder is taken from where the command runs: what is registered must hold from anywhere.
fn config_dir_from(variable: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let set = variable.filter(|value| !value.is_empty()).map(PathBuf::from);
    let dir =
        set.or_else(|| home.filter(|home| !home.as_os_str().is_empty()).map(|home| home.join(".claude")))?;
    std::path::absolute(dir).ok()
}

#[cfg(test)]
mod tests {
    use super::{config_dir_from, is_executable, session_file_name};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_program_is_a_file_that_somebody_may_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file in it");
        for (mode, is_program) in
            [(0o644, false), (0o100, true), (0o010, true), (0o001, true), (0o666, false)]
        {
            fs::set_permissions(&file, Permissions::from_mode(mode)).expect("our own file");
            assert_eq!(is_executable(&file), is_program, "{mode:o}");
        }
        assert!(!is_executable(folder.path()), "a folder may be entered, not run");
        assert!(!is_executable(&folder.path().join("none")));
    }

    #[test]
    fn r3_1_the_configuration_folder_is_the_variable_else_in_the_home() {
        let home = || Some(PathBuf::from("/home/u"));
        assert_eq!(config_dir_from(Some("/etc/cc".into()), home()).as_deref(), Some(Path::new("/etc/cc")));
        assert_eq!(config_dir_from(None, home()).as_deref(), Some(Path::new("/home/u/.claude")));
        assert_eq!(config_dir_from(Some("".into()), home()).as_deref(), Some(Path::new("/home/u/.claude")));
        assert_eq!(config_dir_from(None, None), None);
        assert!(config_dir_from(Some("rel".into()), None).is_some_and(|dir| dir.is_absolute()));
    }

    #[test]
    fn r7_1_a_session_id_names_one_file_whatever_it_holds() {
        assert_eq!(session_file_name("0b5a-1_x", "json"), "0b5a-1_x.json");
        assert_eq!(session_file_name("../../x", "json"), "%2e%2e%2f%2e%2e%2fx.json");
        assert_eq!(session_file_name("", "json"), "%.json");
        let (a, b) = (format!("{}a", "x".repeat(9_999)), format!("{}b", "x".repeat(9_999)));
        assert_ne!(session_file_name(&a, "json"), session_file_name(&b, "json"));
        assert!(session_file_name(&a, "json").len() < 200);
        // Three bytes at a time pass over the limit without meeting it.
        assert!(session_file_name(&format!("x{}", "/".repeat(9_999)), "json").len() < 200);
        let longest = "x".repeat(120);
        assert_eq!(session_file_name(&longest, "json"), format!("{longest}.json"));
    }
}
