//! What lies on this machine, for `explain`: it looks and runs nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::mistakes::{Machine, OnDisk};
use crate::paths;

/// A script of more than this many bytes (256 KiB) is not read for what it says.
const LONGEST_SCRIPT: u64 = 262_144;

/// This machine, as a hook of one settings file would find it.
pub(super) struct ThisMachine {
    /// The project that the settings belong to, if they lie in one.
    project: Option<PathBuf>,
}

impl ThisMachine {
    /// The machine for a settings file: `$CLAUDE_PROJECT_DIR` is known where the file is `<project>/.claude/…`
    /// and the project is not the home.
    pub(super) fn new(settings: &Path) -> Self {
        let folder = settings.parent().filter(|dir| dir.file_name().is_some_and(|name| name == ".claude"));
        let project =
            folder.and_then(Path::parent).filter(|project| Some(*project) != std::env::home_dir().as_deref());
        ThisMachine { project: project.map(Path::to_owned) }
    }
}

impl Machine for ThisMachine {
    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => std::env::home_dir()?.into_os_string().into_string().ok(),
            "CLAUDE_PROJECT_DIR" => self.project.as_ref()?.to_str().map(str::to_owned),
            _ => None,
        }
    }

    fn at(&self, path: &Path) -> OnDisk {
        match fs::metadata(path) {
            Ok(_) if paths::is_executable(path) => OnDisk::Executable,
            Ok(found) if found.is_dir() => OnDisk::Folder,
            Ok(_) => OnDisk::NotExecutable,
            Err(_) => OnDisk::Missing,
        }
    }

    fn in_path(&self, name: &str) -> bool {
        paths::is_on_path(name)
    }

    fn script(&self, path: &Path) -> Option<String> {
        let is_short = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LONGEST_SCRIPT);
        if is_short { fs::read_to_string(path).ok() } else { None }
    }
}
