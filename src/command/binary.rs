//! The one file that is installed (3.1): this program, copied to `hooks/stop-auditor`.
//! It is replaced by a rename, so that a hook that runs at that moment keeps its old file.

use super::failure::Failure;
use crate::paths;
use crate::settings::PROGRAM;
use memchr::memmem;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Every build of this program holds these bytes, because it looks for them; nothing else does.
const MARK: &[u8] = b"stop-auditor/this-file-was-built-from-its-own-source";
const MODE: u32 = 0o755;

/// What is in the place where the binary goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// No file.
    Nothing,
    /// The same bytes as this program.
    Same,
    /// Another build of this program.
    OtherBuild,
    /// Somebody else's file.
    Foreign,
}

/// `hooks/stop-auditor` in the configuration folder.
pub(super) fn place(config_dir: &Path) -> PathBuf {
    config_dir.join("hooks").join(PROGRAM)
}

/// This program's own bytes, and where they came from.
pub(super) fn own() -> Result<(PathBuf, Vec<u8>), Failure> {
    let unknown = Path::new(PROGRAM);
    let path = std::env::current_exe().map_err(Failure::io("找自己的程序", unknown))?;
    let bytes = fs::read(&path).map_err(Failure::io("读", &path))?;
    Ok((path, bytes))
}

/// Looks at the place without changing anything.
pub(super) fn look(place: &Path, own: &[u8]) -> Result<Found, Failure> {
    match fs::read(place) {
        Ok(bytes) if bytes == own && paths::is_executable(place) => Ok(Found::Same),
        Ok(bytes) if is_ours(&bytes) => Ok(Found::OtherBuild),
        Ok(_) => Ok(Found::Foreign),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(Failure::io("读", place)(error)),
    }
}

fn is_ours(bytes: &[u8]) -> bool {
    memmem::find(bytes, MARK).is_some()
}

/// Writes the bytes beside the place and renames them into it.
pub(super) fn write(place: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Failure::io("建目录", folder))?;
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".stop-auditor.").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().set_permissions(Permissions::from_mode(MODE))?;
        file.as_file().sync_all()?;
        file.persist(place)?;
        // The name is on disk before the settings that call it.
        File::open(folder)?.sync_all()
    };
    write().map_err(Failure::io("写", place))
}

/// Removes our binary and the folder, if that leaves it empty. Says whether there was something of ours.
pub(super) fn remove(place: &Path) -> Result<bool, Failure> {
    match fs::read(place) {
        Ok(bytes) if is_ours(&bytes) => {}
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Failure::io("读", place)(error)),
    }
    fs::remove_file(place).map_err(Failure::io("删", place))?;
    let Some(folder) = place.parent() else { return Ok(true) };
    match fs::remove_dir(folder) {
        Err(error)
            if !matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory) =>
        {
            Err(Failure::io("删空目录", folder)(error))
        }
        Ok(()) | Err(_) => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, MARK, look, place, remove, write};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn r3_1_the_binary_is_written_replaced_and_removed_and_a_foreign_file_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let place = place(dir.path());
        let own = [b"new ", MARK].concat();
        let older = [b"old ", MARK].concat();
        assert_eq!(look(&place, &own).unwrap(), Found::Nothing);
        write(&place, &older).unwrap();
        assert_eq!(look(&place, &own).unwrap(), Found::OtherBuild);
        write(&place, &own).unwrap();
        assert_eq!(look(&place, &own).unwrap(), Found::Same);
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o755);
        assert!(remove(&place).unwrap());
        assert!(!place.parent().unwrap().exists());
        assert!(!remove(&place).unwrap());

        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "#!/bin/sh\n").unwrap();
        assert_eq!(look(&place, &own).unwrap(), Found::Foreign);
        assert!(!remove(&place).unwrap());
        assert!(place.exists());
    }

    #[test]
    fn r3_5_other_hook_scripts_keep_their_folder() {
        let dir = tempfile::tempdir().unwrap();
        let place = place(dir.path());
        write(&place, MARK).unwrap();
        fs::write(place.with_file_name("other.sh"), "").unwrap();
        assert!(remove(&place).unwrap());
        assert!(place.with_file_name("other.sh").exists());
    }
}
