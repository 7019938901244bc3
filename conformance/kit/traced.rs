//! Our own hook under a debugger's eyes: something happens as it enters a system call, so that "killed between two
//! writes" and "shortened while it is read" are a place and not a race. Linux only.
use std::fs;
use std::io::{Read, Write};
use std::process::Child;

use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::event::Event;

/// System calls that others can notice, or that the hook waits in.
const NOTICED: &[i64] = &[
    libc::SYS_openat,
    libc::SYS_write,
    libc::SYS_sendto,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_ftruncate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_flock,
    libc::SYS_pread64,
    libc::SYS_ppoll,
    libc::SYS_kill,
    libc::SYS_wait4,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_exit_group,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
];

/// The hook as it enters a system call.
pub(crate) struct Call {
    /// Its number.
    pub(crate) number: i64,
    /// How many it has entered before this one, among those in [`NOTICED`], since it waits for its event.
    pub(crate) n_before: usize,
    pid: Pid,
}

impl Call {
    /// Sends the hook a signal. SIGKILL keeps it from the call; others come before the next one.
    pub(crate) fn signal(&self, signal: Signal) {
        nix::sys::signal::kill(self.pid, signal).expect("the hook is stopped here");
    }

    /// Whether it removes a file.
    pub(crate) fn removes_a_file(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.number == libc::SYS_unlink {
            return true;
        }
        self.number == libc::SYS_unlinkat
    }

    /// Whether it is a read of a file at a place, as of a transcript.
    pub(crate) fn reads_a_file(&self) -> bool {
        self.number == libc::SYS_pread64
    }
}

/// What became of the hook.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Whether the place was reached.
    pub(crate) acted: bool,
    /// `None`: ended by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
}

/// Runs our hook on an event and calls `act` as it enters the first system call, after its start, for which `when` holds;
/// then it runs on by itself.
///
/// # Panics
/// Where it cannot be traced.
pub(crate) fn run(event: &Event, when: impl Fn(&Call) -> bool, act: impl FnOnce(&Call)) -> Traced {
    let mut child = event.direct().spawn().expect("the hook starts");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("an id"));
    ptrace::seize(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL)
        .expect("it can be traced");
    ptrace::interrupt(pid).expect("it is asked to stop");
    waitpid(pid, None).expect("it stops");
    // It waits for this, so nothing has happened yet.
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(event.json.to_string().as_bytes()).expect("an event fits into a pipe");
    drop(stdin);
    ptrace::syscall(pid, None).expect("it goes on");
    let (code, acted) = follow(&mut child, pid, when, act);
    let mut stdout = Vec::new();
    child.stdout.take().expect("piped").read_to_end(&mut stdout).expect("stdout can be read");
    Traced { acted, code, stdout: String::from_utf8_lossy(&stdout).into_owned() }
}

fn follow(
    child: &mut Child,
    pid: Pid,
    when: impl Fn(&Call) -> bool,
    act: impl FnOnce(&Call),
) -> (Option<i32>, bool) {
    let mut n_before = 0;
    // Before it waits for its event it is only being loaded.
    let mut has_begun = false;
    // A system call stops the hook twice, as it is entered and as it is left.
    let mut is_inside = false;
    loop {
        let mut pass_on = None;
        match waitpid(pid, None).expect("it can be waited for") {
            WaitStatus::Exited(_, code) => return (Some(code), false),
            WaitStatus::Signaled(..) => return (None, false),
            WaitStatus::PtraceSyscall(_) => {
                is_inside = !is_inside;
                let number = number(pid).filter(|number| is_inside && NOTICED.contains(number));
                has_begun |= number == Some(libc::SYS_ppoll);
                if let Some(number) = number.filter(|_| has_begun) {
                    let call = Call { number, n_before, pid };
                    if when(&call) {
                        act(&call);
                        // One that was killed is gone before it can be let go.
                        let _ = ptrace::detach(pid, None);
                        return (child.wait().expect("it ends").code(), true);
                    }
                    n_before += 1;
                }
            }
            WaitStatus::Stopped(_, signal) => pass_on = Some(signal),
            WaitStatus::PtraceEvent(..) | WaitStatus::Continued(_) | WaitStatus::StillAlive => {}
        }
        // The hook may be ending.
        let _ = ptrace::syscall(pid, pass_on);
    }
}

/// The number of the system call that it is in.
fn number(pid: Pid) -> Option<i64> {
    fs::read_to_string(format!("/proc/{pid}/syscall")).ok()?.split(' ').next()?.parse().ok()
}
