//! Files that only their owner may read, written whole or not at all, by one hook at a time.
//!
//! Transcripts hold secrets, and the temporary folder is everybody's: a folder that is not ours is not used.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::clock;

/// How long a hook waits for the others; each holds the lock for some milliseconds, but fifty at once on a machine that
/// is busy took over 1.5 s. A prompt's hook has 10 s (3.1), 5 of them for its input.
const LOCK_LIMIT: Duration = Duration::from_secs(4);
const LOCK_STEP: Duration = Duration::from_millis(3);

/// Behind the name of a file that is not written to its end.
const NEW: &str = ".new";

/// A pipe in a file's place is not waited for.
const NOT_WAITING: OFlags = OFlags::NONBLOCK;

/// And a link is not followed.
const NO_LINK: OFlags = OFlags::NOFOLLOW.union(NOT_WAITING);

/// Makes a folder of mode 0700, its parents included. One that is there stays as it is: the person chose it, and it
/// may be anything, the home or the temporary folder too.
///
/// # Errors
/// Where it cannot be made, or something else has its name.
pub fn directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a folder of mode 0700 in the temporary folder, or sees that the one there is ours, no link, and closed to
/// others: anybody could have put it there first.
///
/// # Errors
/// Where it cannot be made, is no folder, or is another user's.
pub fn own_directory(path: &Path) -> io::Result<()> {
    directory(path)?;
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder belongs to somebody else"));
    }
    close(path, &metadata)
}

/// Like [`directory`], for a folder that is ours by its name: one that is open to others is closed.
///
/// # Errors
/// Where it cannot be made, or something else has its name.
pub fn closed_directory(path: &Path) -> io::Result<()> {
    directory(path)?;
    let metadata = fs::symlink_metadata(path)?;
    // Another user's cannot be closed, and what is behind a link is not ours by its name.
    if metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw() {
        close(path, &metadata)?;
    }
    Ok(())
}

fn close(directory: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    if is_open_to_others(metadata) {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    metadata.permissions().mode() & 0o077 != 0
}

/// Holds a folder's lock until it is dropped.
#[must_use]
pub struct Lock(#[expect(dead_code, reason = "closing the file gives the lock back")] File);

impl Lock {
    /// [`replace`] for a file of the locked folder. Nobody else writes there, so the new bytes always go under the same
    /// name first: what a killed hook left half-written is taken away by the next, and does not pile up.
    ///
    /// # Errors
    /// Those of writing; the old file then stands as it was.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(NEW);
        // What cannot be taken away is told of by what follows, which takes no name that is taken.
        let _ = fs::remove_file(path.with_file_name(&name));
        write_then_rename(tempfile::Builder::new().prefix(&name).rand_bytes(0), path, bytes)
    }
}

/// Waits for a folder's lock.
///
/// # Errors
/// Where the lock file cannot be made, or another hook keeps it for too long.
pub fn lock(directory: &Path) -> io::Result<Lock> {
    lock_within(directory, LOCK_LIMIT)
}

fn lock_within(directory: &Path, limit: Duration) -> io::Result<Lock> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(flags(NO_LINK))
        .open(directory.join(".lock"))?;
    let until = Instant::now() + limit;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if clock::is_past(until) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "another hook holds the lock"));
        }
        std::thread::sleep(LOCK_STEP);
    }
}

/// Replaces a file whole: readers see the old bytes or the new ones.
///
/// # Errors
/// Those of writing; the old file then stands as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_then_rename(&tempfile::Builder::new(), path, bytes)
}

fn write_then_rename(new: &tempfile::Builder<'_, '_>, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().ok_or_else(|| io::Error::other("a file needs a folder"))?;
    // tempfile makes files of mode 0600.
    let mut file = new.tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file that somebody asked for by name: through a link, and never into something that is no file or into
/// another user's, who could read it there.
///
/// # Errors
/// Those of writing.
pub fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What is in the place of a file is known once it is open, and only then made empty.
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(flags(NOT_WAITING))
        .open(path)?;
    refuse_no_file(&file)?;
    if file.metadata()?.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file belongs to somebody else"));
    }
    file.set_len(0)?;
    file.write_all(bytes)
}

/// Reads a file that may not exist.
///
/// # Errors
/// Those of reading, save that the file is missing.
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match OpenOptions::new().read(true).custom_flags(flags(NOT_WAITING)).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    refuse_no_file(&file)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens a file for adding to its end, made with mode 0600; never through a link.
///
/// # Errors
/// Those of opening.
pub fn append(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .mode(0o600)
        .custom_flags(flags(NO_LINK))
        .open(path)?;
    refuse_no_file(&file)?;
    // A file that another hook has made may be open to others.
    if is_open_to_others(&file.metadata()?) {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// A pipe in a file's place is opened without waiting, so that it can be seen what it is.
fn refuse_no_file(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// A folder of this mode.
    fn folder(within: &Path, mode: u32) -> PathBuf {
        let path = within.join(format!("{mode:o}"));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_folder_or_file_that_is_open_to_others_is_closed_and_no_other_is_changed() {
        for close in [own_directory, closed_directory] {
            let root = tempfile::tempdir().unwrap();
            for (before, after) in
                [(0o755, 0o700), (0o701, 0o700), (0o770, 0o700), (0o700, 0o700), (0o500, 0o500)]
            {
                let path = folder(root.path(), before);
                close(&path).unwrap();
                assert_eq!(mode(&path), after, "{before:o}");
            }
        }
        let root = tempfile::tempdir().unwrap();
        for (before, after) in [(0o644, 0o600), (0o606, 0o600), (0o600, 0o600), (0o700, 0o700)] {
            let path = root.path().join(format!("{before:o}"));
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            append(&path).unwrap();
            assert_eq!(mode(&path), after, "{before:o}");
        }
    }

    #[test]
    fn what_a_link_leads_to_is_left_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let (target, link) = (folder(root.path(), 0o755), root.path().join("link"));
        symlink(&target, &link).unwrap();
        closed_directory(&link).unwrap();
        assert!(own_directory(&link).is_err());
        assert_eq!(mode(&target), 0o755);

        fs::write(target.join("file"), "theirs").unwrap();
        symlink(target.join("file"), target.join(".lock")).unwrap();
        assert!(lock(&target).is_err());
        assert!(append(&target.join(".lock")).is_err());
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "theirs");
    }

    #[test]
    fn a_pipe_is_no_file_and_is_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let pipe = root.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(append(&pipe).is_err());
        assert!(overwrite(&pipe, b"x").is_err());
        assert!(read_if_there(&pipe).is_err());
    }

    #[test]
    fn only_a_file_that_is_missing_is_no_error() {
        let root = tempfile::tempdir().unwrap();
        let (missing, circle) = (root.path().join("missing"), root.path().join("circle"));
        assert!(read_if_there(&missing).unwrap().is_none());
        symlink(&circle, &circle).unwrap();
        assert!(read_if_there(&circle).is_err());
        fs::write(&missing, "there").unwrap();
        assert_eq!(read_if_there(&missing).unwrap().as_deref(), Some(&b"there"[..]));
    }

    #[test]
    fn a_lock_is_waited_for_but_not_for_ever() {
        let root = tempfile::tempdir().unwrap();
        let held = lock(root.path()).unwrap();
        let kept = lock_within(root.path(), Duration::from_millis(20)).map(drop);
        assert_eq!(kept.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock(root.path()).map(drop));
            drop(held);
            waiting.join().unwrap()
        });
        waiting.unwrap();
    }
}
