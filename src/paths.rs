//! Where things lie on this machine. Paths are made here and nowhere opened.

use std::ffi::OsString;
use std::path::PathBuf;

/// Claude Code's configuration folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. `None` without a home.
pub fn config_dir() -> Option<PathBuf> {
    config_dir_from(std::env::var_os("CLAUDE_CONFIG_DIR"), std::env::home_dir())
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
    use super::config_dir_from;
    use std::path::{Path, PathBuf};

    #[test]
    fn r3_1_the_configuration_folder_is_the_variable_else_in_the_home() {
        let home = || Some(PathBuf::from("/home/u"));
        assert_eq!(config_dir_from(Some("/etc/cc".into()), home()).as_deref(), Some(Path::new("/etc/cc")));
        assert_eq!(config_dir_from(None, home()).as_deref(), Some(Path::new("/home/u/.claude")));
        assert_eq!(config_dir_from(Some("".into()), home()).as_deref(), Some(Path::new("/home/u/.claude")));
        assert_eq!(config_dir_from(None, None), None);
        assert!(config_dir_from(Some("rel".into()), None).is_some_and(|dir| dir.is_absolute()));
    }
}
