//! Who left the auditor's process group and is still there (6.14).
//!
//! Such a process is not waited for and not ended, it is only named in the log. Linux tells in `/proc`; elsewhere
//! nobody is found.

/// Marks every process of one audit, in its environment.
pub const AUDIT_VARIABLE: &str = "STOP_AUDITOR_AUDIT";

/// `pid name` of each process that carries the mark.
pub fn find(mark: &str) -> Vec<String> {
    let wanted = format!("{AUDIT_VARIABLE}={mark}");
    let carries = |pid: &str| {
        // Another user's process cannot be read and is none of ours.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && carries(name))
        .map(|pid| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            format!("{pid} {}", name.trim())
        })
        .collect()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A process with this mark that has answered: one that is only just being started has no environment yet.
    fn started(mark: &str) -> Child {
        let mut cat = Command::new("cat");
        let cat = cat.env(AUDIT_VARIABLE, mark).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = cat.spawn().expect("it starts");
        child.stdin.as_mut().expect("a pipe").write_all(b"x").expect("it is written");
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("it answers");
        child
    }

    #[test]
    fn r6_14_who_carries_the_mark_is_named_and_nobody_else() {
        let mark = format!("stop-auditor-test-{}", std::process::id());
        let (mut carrier, mut other) = (started(&mark), started("another"));
        let found = find(&mark);
        for child in [&mut carrier, &mut other] {
            child.kill().and_then(|()| child.wait()).expect("it ends");
        }
        assert_eq!(found, [format!("{} cat", carrier.id())]);
    }
}
