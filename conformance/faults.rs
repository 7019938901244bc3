//! What goes wrong round a hook: its own end, the disk, other people's files, a transcript that changes, an auditor that
//! misbehaves, a crowd of hooks. The turn goes through, nothing is lost, and the person is told where there was no audit.
pub(crate) mod auditors;
pub(crate) mod crowd;
pub(crate) mod disk;
#[cfg(target_os = "linux")]
pub(crate) mod killed;
pub(crate) mod machine;
#[cfg(target_os = "linux")]
pub(crate) mod other_users;
#[cfg(target_os = "linux")]
pub(crate) mod reading;
