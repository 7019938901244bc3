//! What a prompt costs, by the processor's own clock, so that a busy machine does not count.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use stop_auditor::material::fit::Between;
use stop_auditor::prompt;
use stop_auditor::transcript::session::{self, Session};

/// Sessions that are timed, and how often.
const SESSIONS: usize = 8;
const ROUNDS: usize = 25;

/// The medians of one session.
pub(crate) struct Times {
    /// From the file to the prompt, as the hook does it.
    pub(crate) whole: Both,
    /// From the session to the prompt.
    pub(crate) cut: Both,
}

pub(crate) struct Both {
    pub(crate) plain: Duration,
    /// Ours for one of the plain cut. Of a round, not of the medians: what slows a machine down lasts longer than a round.
    pub(crate) ratio: f64,
}

pub(crate) fn of<'a>(transcripts: impl Iterator<Item = &'a Path>) -> Times {
    let transcripts: Vec<&Path> = transcripts.take(SESSIONS).collect();
    let whole = measured(&transcripts, |path, between| prompt(&session(path), between));
    let sessions: Vec<Session> = transcripts.iter().map(|path| session(path)).collect();
    Times { whole, cut: measured(&sessions, prompt) }
}

pub(crate) fn session(path: &Path) -> Session {
    session::read(path, &prompt::extent(0)).unwrap().unwrap()
}

pub(crate) fn prompt(session: &Session, between: Between) -> String {
    prompt::build_with(session, None, between).text
}

/// The two take turns, so that what else the machine does hits both.
fn measured<T>(of: &[T], build: impl Fn(&T, Between) -> String) -> Both {
    let time = |between| {
        let start = processor_time();
        for one in of {
            black_box(build(black_box(one), between));
        }
        processor_time().saturating_sub(start) / u32::try_from(of.len()).unwrap()
    };
    let rounds: Vec<[Duration; 2]> =
        (0..ROUNDS).map(|_| [Between::Nothing, Between::Evidence].map(time)).collect();
    let ratios = rounds.iter().map(|[plain, ours]| ours.as_secs_f64() / plain.as_secs_f64());
    Both { plain: median(rounds.iter().map(|[plain, _]| *plain)), ratio: median(ratios) }
}

fn median<T: PartialOrd + Copy>(of: impl Iterator<Item = T>) -> T {
    let mut of: Vec<T> = of.collect();
    of.sort_by(|one, other| one.partial_cmp(other).unwrap());
    of[of.len() / 2]
}

fn processor_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(u64::try_from(micros).unwrap())
}
