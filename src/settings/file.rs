//! The settings file on disk: read once, written whole in one rename, and only if nobody wrote in between.
//! A symbolic link stays a link: its target is written, in the target's own folder.

use super::backups;
use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A new settings file may come to hold keys.
const NEW_FILE_MODE: u32 = 0o600;

/// A settings file as it was when it was read.
#[derive(Debug)]
pub struct SettingsFile {
    shown: PathBuf,
    target: PathBuf,
    old: Option<(Vec<u8>, Metadata)>,
}

/// New bytes that lie ready beside the target and only wait for the rename.
#[derive(Debug)]
pub struct Staged<'a> {
    file: &'a SettingsFile,
    new: NamedTempFile,
}

impl SettingsFile {
    /// Reads the file at an absolute path; one that is not there is no error.
    pub fn read(path: &Path) -> io::Result<Self> {
        let shown = path.to_owned();
        match fs::symlink_metadata(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { target: shown.clone(), shown, old: None });
            }
            Err(error) => return Err(error),
        }
        let target = fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other("符号链接指向的文件不存在"),
            _ => error,
        })?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(io::Error::other("不是普通文件"));
        }
        let bytes = fs::read(&target)?;
        Ok(Self { shown, target, old: Some((bytes, metadata)) })
    }

    /// The bytes, or `None` where there was no file.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.old.as_ref().map(|(bytes, _)| bytes.as_slice())
    }

    /// Backs the file up beside its shown path (2.5); without a file there is nothing to back up.
    pub fn back_up(&self) -> io::Result<Option<PathBuf>> {
        match &self.old {
            Some((bytes, metadata)) => backups::write(&self.shown, bytes, metadata.permissions()).map(Some),
            None => Ok(None),
        }
    }

    /// Writes the new bytes into the target's folder, with its owner and mode, but not over it yet.
    pub fn stage(&self, bytes: &[u8]) -> io::Result<Staged<'_>> {
        let folder = self.target.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let mut new = tempfile::Builder::new().prefix(".settings.").tempfile_in(folder)?;
        new.write_all(bytes)?;
        let permissions = match &self.old {
            Some((_, old)) => {
                fchown(new.as_file(), Some(old.uid()), Some(old.gid()))?;
                old.permissions()
            }
            None => Permissions::from_mode(NEW_FILE_MODE),
        };
        new.as_file().set_permissions(permissions)?;
        new.as_file().sync_all()?;
        Ok(Staged { file: self, new })
    }

    /// Whether the shown path is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.old.is_some() && fs::symlink_metadata(&self.shown).is_ok_and(|shown| shown.is_symlink())
    }

    /// Removes the file, if it still is what was read.
    pub fn remove(&self) -> io::Result<()> {
        self.refuse_if_changed()?;
        fs::remove_file(&self.target)
    }

    fn refuse_if_changed(&self) -> io::Result<()> {
        // Where there was none and now is one that cannot be read, nothing is put over it either: see `commit`.
        let now = fs::read(&self.target).ok();
        if now.as_deref() == self.bytes() {
            Ok(())
        } else {
            Err(io::Error::other("读完以后它被别的程序改过，没有写；再来一次"))
        }
    }
}

impl Staged<'_> {
    /// Puts the new bytes in place, unless the file changed since it was read.
    pub fn commit(self) -> io::Result<()> {
        self.file.refuse_if_changed()?;
        let target = &self.file.target;
        match self.file.old {
            Some(_) => self.new.persist(target)?,
            None => self.new.persist_noclobber(target)?,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SettingsFile;
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    use std::path::Path;

    #[test]
    fn r2_5_a_file_that_changed_in_between_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        fs::write(&path, "{}").unwrap();
        let file = SettingsFile::read(&path).unwrap();
        let staged = file.stage(b"{\"ours\":1}").unwrap();
        fs::write(&path, "{\"theirs\":1}").unwrap();
        assert!(staged.commit().is_err());
        assert!(file.remove().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theirs\":1}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn r2_5_a_file_that_appeared_in_between_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let file = SettingsFile::read(&path).unwrap();
        let staged = file.stage(b"{}").unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(staged.commit().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn r2_5_an_owner_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        fs::write(&path, "{}").unwrap();
        // Only root can give a file away; for others it stays with its owner anyway.
        let _ = chown(&path, Some(65_534), Some(65_534));
        let owner = || fs::metadata(&path).map(|metadata| (metadata.uid(), metadata.gid())).unwrap();
        let before = owner();
        SettingsFile::read(&path).unwrap().stage(b"new").unwrap().commit().unwrap();
        assert_eq!(owner(), before);
    }

    #[test]
    fn r2_5_a_link_stays_a_link_and_modes_stay() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("dotfiles.json");
        let path = dir.path().join("settings.json");
        fs::write(&target, "{}").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &path).unwrap();
        let file = SettingsFile::read(&path).unwrap();
        let backup = file.back_up().unwrap().unwrap();
        file.stage(b"new").unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        for path in [&target, &backup] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640, "{path:?}");
        }
    }

    #[test]
    fn r3_3_a_dangling_link_and_a_folder_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let why = |path: &Path| SettingsFile::read(path).map(drop).unwrap_err();
        assert_eq!(why(dir.path()).to_string(), "不是普通文件");
        symlink(dir.path().join("gone"), &path).unwrap();
        assert_eq!(why(&path).to_string(), "符号链接指向的文件不存在");
        fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(why(&dir.path().join("file/settings.json")).kind(), io::ErrorKind::NotADirectory);
        assert!(SettingsFile::read(&dir.path().join("missing/settings.json")).unwrap().bytes().is_none());
    }
}
