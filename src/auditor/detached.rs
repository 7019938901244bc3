//! Who left the auditor's process group and is still there (6.14).
//!
//! Such a process is not waited for and not ended, it is only named in the log. Linux tells; elsewhere nobody is
//! found.

/// Marks every process of one audit, in its environment.
pub const AUDIT_VARIABLE: &str = "STOP_AUDITOR_AUDIT";

/// `pid name` of each process that carries the mark.
#[cfg(target_os = "linux")]
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

/// `pid name` of each process that carries the mark.
#[cfg(not(target_os = "linux"))]
pub fn find(_mark: &str) -> Vec<String> {
    Vec::new()
}
