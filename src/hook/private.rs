//! Files that only their owner may read, written whole or not at all, by one hook at a time.
//!
//! Transcripts hold secrets, and the temporary folder is everybody's: a folder that is not ours is not used.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// How long a hook waits for the others; each holds the lock for some milliseconds, but fifty at once on a machine that
/// is busy took over 1.5 s. A prompt's hook has 10 s (3.1), 5 of them for its input.
const LOCK_LIMIT: Duration = Duration::from_secs(4);

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
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
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
        .custom_flags(flags(OFlags::NONBLOCK))
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
    let mut file = match OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK)).open(path) {
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
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path)?;
    refuse_no_file(&file)?;
    let metadata = file.metadata()?;
    // A file that another hook has made may be open to others.
    if metadata.permissions().mode() & 0o077 != 0 {
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
