//! Whether processes that a fake auditor started are still there. A zombie is gone: it waits for a parent that may
//! be a container's first process, which never looks.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// The ids that a fake auditor wrote, one a line.
pub(crate) fn ids_in(file: &Path) -> Vec<i32> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// Whether a process runs.
pub(crate) fn runs(id: i32) -> bool {
    let Some(pid) = Pid::from_raw(id) else { return false };
    test_kill_process(pid).is_ok() && !is_zombie(id)
}

/// Ends a process that a fake auditor started.
pub(crate) fn end(id: i32) {
    if let Some(pid) = Pid::from_raw(id) {
        // It may have ended by itself in between, which is what is wanted.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Other processes that have this file open.
pub(crate) fn users_of(file: &Path) -> Vec<i32> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    // The system tells where a file really lies, and the temporary directory may be a link.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let ids: Vec<i32> = if Path::new("/proc/self/fd").exists() {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id| has_open(*id, file)).collect()
    } else {
        let output = Command::new("lsof").arg("-t").arg(file).output().expect("lsof runs");
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.trim().parse().ok()).collect()
    };
    ids.into_iter().filter(|id| *id != own).collect()
}

fn has_open(id: i32, file: &Path) -> bool {
    let links = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    links.filter_map(|link| fs::read_link(link.path()).ok()).any(|target| target == file)
}

/// The processes whose environment names this directory, as `(id, command line)`: all that was started from a sandbox,
/// whatever group or session it went into.
pub(crate) fn with_environment(root: &Path) -> Vec<(i32, String)> {
    let root = root.to_string_lossy().into_owned();
    let read = |id: i32, file: &str| fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\0', " ");
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| text(read(*id, "environ")).contains(&root) && !is_zombie(*id))
        .map(|id| (id, text(read(id, "cmdline"))))
        .collect()
}

/// Waits until `holds` does, at most `limit`; gives whether it did. Between two looks other threads get their turn.
pub(crate) fn eventually(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

fn is_zombie(id: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The name in parentheses may itself hold parentheses and blanks.
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}
