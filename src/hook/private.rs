//! Files that only their owner may read, written whole or not at all, by one hook at a time.
//!
//! Transcripts hold secrets, and the temporary folder is everybody's: a folder that is not ours is not used.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a hook waits for another one; each holds the lock for some milliseconds.
const LOCK_LIMIT: Duration = Duration::from_millis(1_500);

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
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Like [`directory`], for a folder that is ours by its name: one that is open to others is closed.
///
/// # Errors
/// Where it cannot be made, or something else has its name.
pub fn closed_directory(path: &Path) -> io::Result<()> {
    directory(path)?;
    let metadata = fs::symlink_metadata(path)?;
    let is_ours = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    if is_ours && metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Holds a folder's lock until it is dropped.
#[must_use]
pub struct Lock(#[expect(dead_code, reason = "closing the file gives the lock back")] File);

/// Waits for a folder's lock.
///
/// # Errors
/// Where the lock file cannot be made, or another hook keeps it for too long.
pub fn lock(directory: &Path) -> io::Result<Lock> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(no_follow())
        .open(directory.join(".lock"))?;
    let until = Instant::now() + LOCK_LIMIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(3));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another hook holds the lock"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Replaces a file whole: readers see the old bytes or the new ones.
///
/// # Errors
/// Those of writing; the old file then stands as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().ok_or_else(|| io::Error::other("a file needs a folder"))?;
    // tempfile makes files of mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file that somebody asked for by name: through a link, and never in the place of something that is no file.
///
/// # Errors
/// Those of writing.
pub fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}

/// Reads a file that may not exist.
///
/// # Errors
/// Those of reading, save that the file is missing.
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
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
        .custom_flags(no_follow())
        .open(path)?;
    let metadata = file.metadata()?;
    // A file that another hook has made may be open to others.
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

fn no_follow() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default()
}
