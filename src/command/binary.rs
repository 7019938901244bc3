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
    Ok(match read(place)? {
        None => Found::Nothing,
        Some(bytes) if bytes == own && paths::is_executable(place) => Found::Same,
        Some(bytes) if is_ours(&bytes) => Found::OtherBuild,
        Some(_) => Found::Foreign,
    })
}

/// The bytes in the place; `None` where there is no file.
fn read(place: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(place) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
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
    if !read(place)?.is_some_and(|bytes| is_ours(&bytes)) {
        return Ok(false);
    }
    fs::remove_file(place).map_err(Failure::io("删", place))?;
    // It goes only where it is empty and a folder; one that stays does no harm.
    let _ = place.parent().map(fs::remove_dir);
    Ok(true)
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
    fn r3_1_what_cannot_be_read_is_not_taken_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let place = place(dir.path());
        fs::create_dir_all(&place).unwrap();
        for told in [look(&place, MARK).unwrap_err(), remove(&place).unwrap_err()] {
            let told = told.to_string();
            assert!(told.starts_with(&format!("读 {} 失败：", place.display())), "{told}");
        }
        assert!(place.is_dir());
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
