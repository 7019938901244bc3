//! What an audit leaves behind whose hook was killed: its folder, in which a client may have put the prompt. The next
//! audit by a preset takes it away.
//!
//! A folder is in use as long as somebody holds the lock of the file in it, and a lock goes with its process.

use std::fs::{self, DirEntry, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Folders of audits begin like this.
pub const PREFIX: &str = "stop-auditor-";

/// The file in a folder whose lock says that it is in use.
const IN_USE: &str = "in-use";

/// A folder that is in use until this is dropped.
#[must_use]
pub struct InUse(#[expect(dead_code, reason = "closing the file gives the lock back")] File);

/// Marks a folder below `base` as in use, once what others have left there is gone.
///
/// # Errors
/// Those of making and locking the file.
pub fn hold(base: &Path, folder: &Path) -> io::Result<InUse> {
    sweep(base);
    mark(folder)
}

/// Marks a folder as in use. The file gets its name once it is locked: nobody ever finds it without its lock.
///
/// # Errors
/// Those of making and locking the file.
fn mark(folder: &Path) -> io::Result<InUse> {
    let unnamed = folder.join("in-use.new");
    let file = File::create_new(&unnamed)?;
    file.lock()?;
    fs::rename(unnamed, folder.join(IN_USE))?;
    Ok(InUse(file))
}

/// Takes away what nobody uses any more. What cannot be taken away stays for the next time.
fn sweep(base: &Path) {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.filter(is_left) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// Whether this is a folder of ours that was in use and is no more.
fn is_left(entry: &DirEntry) -> bool {
    let is_named_so = entry.file_name().to_string_lossy().starts_with(PREFIX);
    // Without following a link: the temporary folder is everybody's.
    let is_ours = || {
        entry
            .metadata()
            .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw())
    };
    is_named_so && is_ours() && File::open(entry.path().join(IN_USE)).is_ok_and(|file| is_free(&file))
}

fn is_free(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_uses_is_taken_away() {
        let base = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = base.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let (used, left, state, foreign) =
            (folder("stop-auditor-a"), folder("stop-auditor-b"), folder("stop-auditor-0"), folder("other"));
        let in_use = mark(&used).unwrap();
        drop(mark(&left).unwrap());
        drop(mark(&foreign).unwrap());
        let linked = base.path().join("stop-auditor-c");
        std::os::unix::fs::symlink(&foreign, &linked).unwrap();
        fs::write(left.join("prompt"), "words").unwrap();
        sweep(base.path());
        assert!(used.exists() && state.exists() && foreign.exists() && !left.exists());
        drop(in_use);
        sweep(base.path());
        assert!(!used.exists() && foreign.exists() && linked.exists());
    }
}
