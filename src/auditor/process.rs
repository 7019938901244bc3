//! A child in a process group of its own: its input, its output, its deadline, its end.
//!
//! Its end is the end of the process that was started, not of its output: what it left behind may hold the output
//! open for ever. Whatever is still in its group then is ended too (6.14).

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::capture::Capture;
use super::signals::Signals;

/// Between asking a group to end and ending it; with the client's own two seconds in mind (6.15).
const GRACE: Duration = Duration::from_millis(700);

/// How often it is looked whether killed processes have gone, every two milliseconds.
const VANISHING: usize = 20;

/// How a child ended.
#[derive(Debug)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// The limit was reached, and its group was ended.
    TimedOut,
    /// The hook was asked to end, and ended the group.
    Cancelled,
    /// What it printed showed that it was to be ended, and its group was killed.
    Stopped,
}

/// What keeps a command short, beside its time.
pub struct Leash<'a> {
    /// Whether it is to be ended for what it printed so far, on stdout and on stderr.
    pub is_enough: &'a dyn Fn(&[u8], &[u8]) -> bool,
    /// Seconds of processor time after which the system ends it, for one that would go on without us. Linux only.
    pub cpu_seconds: Option<u64>,
}

/// What a child did.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it printed, the middle of a flood left out.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Whether something that is not in its group still holds its output open.
    pub output_is_held: bool,
}

impl Ran {
    /// The status of a child that ended by itself, and badly.
    pub fn failure(&self) -> Option<ExitStatus> {
        match self.end {
            End::Exited(status) if !status.success() => Some(status),
            End::Exited(_) | End::TimedOut | End::Cancelled | End::Stopped => None,
        }
    }
}

/// Runs a command with `input` on its standard input for at most `limit`.
///
/// # Errors
/// Those of starting the command, and of waiting for it.
pub fn run(command: &mut Command, input: &[u8], limit: Duration, signals: &Signals) -> io::Result<Ran> {
    let leash = Leash { is_enough: &|_, _| false, cpu_seconds: None };
    run_on(&leash, command, input, limit, signals)
}

/// The same, for a command on a leash.
///
/// # Errors
/// Those of starting the command, and of waiting for it.
pub fn run_on(
    leash: &Leash<'_>,
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    signals: &Signals,
) -> io::Result<Ran> {
    let deadline = Instant::now() + limit;
    signals.forget_child();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = Group { pid: Pid::from_child(&child) };
    if let Some(seconds) = leash.cpu_seconds {
        limit_cpu(group.pid, seconds);
    }
    let ran = converse(&mut child, &group, input, deadline, signals, leash);
    if ran.is_err() {
        // Where waiting failed nothing may be left running either.
        group.end_now(&mut child);
    }
    ran
}

struct Pipes {
    stdin: Option<ChildStdin>,
    stdout: Capture<ChildStdout>,
    stderr: Capture<ChildStderr>,
}

fn converse(
    child: &mut Child,
    group: &Group,
    mut input: &[u8],
    deadline: Instant,
    signals: &Signals,
    leash: &Leash<'_>,
) -> io::Result<Ran> {
    let mut pipes = Pipes {
        stdin: child.stdin.take(),
        stdout: Capture::new(child.stdout.take())?,
        stderr: Capture::new(child.stderr.take())?,
    };
    if let Some(stdin) = &pipes.stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::Exited(status);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break End::TimedOut;
        }
        wait(&pipes, signals, left)?;
        if signals.is_ended() {
            break End::Cancelled;
        }
        signals.forget_child();
        write_some(&mut pipes.stdin, &mut input);
        pipes.stdout.read_some();
        pipes.stderr.read_some();
        if (leash.is_enough)(pipes.stdout.beginning(), pipes.stderr.beginning()) {
            break End::Stopped;
        }
    };
    match end {
        End::TimedOut | End::Cancelled => group.ask_to_end(child, signals),
        // What is to be kept from going on is not asked.
        End::Stopped | End::Exited(_) => {}
    }
    group.end_now(child);
    // What was written before the end is in the pipes now; who still holds them has left the group.
    pipes.stdout.read_some();
    pipes.stderr.read_some();
    let output_is_held = pipes.stdout.is_open() || pipes.stderr.is_open();
    Ok(Ran { end, stdout: pipes.stdout.into_text(), stderr: pipes.stderr.into_text(), output_is_held })
}

/// Where the limit cannot be set, ours still holds.
#[cfg(target_os = "linux")]
fn limit_cpu(pid: Pid, seconds: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(seconds), maximum: Some(seconds) };
    let _ = prlimit(Some(pid), Resource::Cpu, limit);
}

#[cfg(not(target_os = "linux"))]
fn limit_cpu(_pid: Pid, _seconds: u64) {}

/// Waits until something can be read, written or is to be known.
fn wait(pipes: &Pipes, signals: &Signals, left: Duration) -> io::Result<()> {
    let mut fds = vec![
        PollFd::from_borrowed_fd(signals.ended_fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(signals.child_fd(), PollFlags::IN),
    ];
    fds.extend(pipes.stdout.poll_fd());
    fds.extend(pipes.stderr.poll_fd());
    if let Some(stdin) = &pipes.stdin {
        fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT));
    }
    let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Writes what the child takes now; closes its input at the end, or when it does not want more.
fn write_some(stdin: &mut Option<ChildStdin>, input: &mut &[u8]) {
    let Some(pipe) = stdin else { return };
    while !input.is_empty() {
        match pipe.write(input) {
            Ok(n) => *input = input.get(n..).unwrap_or_default(),
            // What does not wait is not interrupted either.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            // A child may decide without reading everything.
            Err(_) => break,
        }
    }
    *stdin = None;
}

/// The process group that the child leads.
struct Group {
    pid: Pid,
}

impl Group {
    /// Asks for the end, and waits for it a little.
    fn ask_to_end(&self, child: &mut Child, signals: &Signals) {
        let _ = kill_process_group(self.pid, Signal::TERM);
        let until = Instant::now() + GRACE;
        while matches!(child.try_wait(), Ok(None)) {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(timeout) = Timespec::try_from(left) else { break };
            if left.is_zero() {
                break;
            }
            let mut fds = [PollFd::from_borrowed_fd(signals.child_fd(), PollFlags::IN)];
            let _ = poll(&mut fds, Some(&timeout));
            signals.forget_child();
        }
    }

    /// Kills what is left of the group, and gives it a moment to vanish. A killed process does nothing more, but its
    /// entry stays until its parent, by now the system's first process, has seen its end; that is not waited for.
    fn end_now(&self, child: &mut Child) {
        for _ in 0..VANISHING {
            if kill_process_group(self.pid, Signal::KILL).is_err() {
                return;
            }
            let _ = child.wait();
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn r6_14_a_child_that_is_over_its_time_may_say_a_last_word() {
        let signals = Signals::catch().unwrap();
        let script = "trap 'sleep 0.1; echo last; exit 0' TERM; echo first; while :; do sleep 0.02; done";
        let ran = run(&mut sh(script), b"", Duration::from_millis(300), &signals).unwrap();
        assert!(matches!(ran.end, End::TimedOut), "{ran:?}");
        assert_eq!((ran.stdout.as_str(), ran.failure()), ("first\nlast\n", None));
    }

    #[test]
    fn the_input_of_a_child_that_wants_no_more_is_closed() {
        let mut child = sh("exit 0").stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take();
        child.wait().unwrap();
        write_some(&mut stdin, &mut b"too late".as_slice());
        assert!(stdin.is_none());
    }

    #[test]
    fn r6_14_who_holds_one_of_its_streams_is_noticed() {
        let signals = Signals::catch().unwrap();
        for (redirection, is_held) in
            [("", true), (">/dev/null", true), ("2>/dev/null", true), (">/dev/null 2>&1", false)]
        {
            let script = format!("setsid sleep 1 {redirection} & sleep 0.1");
            let ran = run(&mut sh(&script), b"", LONG, &signals).unwrap();
            assert_eq!(ran.output_is_held, is_held, "{redirection:?} {ran:?}");
        }
    }

    #[test]
    fn a_child_on_a_leash_is_ended_for_what_it_printed() {
        let signals = Signals::catch().unwrap();
        for (stream, is_first) in [("1", true), ("2", false)] {
            let is_enough = |stdout: &[u8], stderr: &[u8]| {
                (if is_first { stdout } else { stderr }).ends_with(b"enough\n")
            };
            let leash = Leash { is_enough: &is_enough, cpu_seconds: None };
            let script = format!("trap '' TERM; echo enough >&{stream}; sleep 59");
            let ran = run_on(&leash, &mut sh(&script), b"", LONG, &signals).unwrap();
            assert!(matches!(ran.end, End::Stopped) && !ran.output_is_held, "{ran:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_on_a_leash_has_so_much_processor_time() {
        let signals = Signals::catch().unwrap();
        let leash = Leash { is_enough: &|_, _| false, cpu_seconds: Some(7) };
        // What it reads is written once the limit stands.
        let ran = run_on(&leash, &mut sh("read -r _; ulimit -t"), b"go\n", LONG, &signals).unwrap();
        assert_eq!(ran.stdout, "7\n");
    }
}
