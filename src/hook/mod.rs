//! One event in, one outcome out.
//!
//! This is the only place that must never fail: exit code 0, standard output empty or one JSON object, nothing on
//! standard error, whatever happens (6.11).

pub mod clock;
pub mod event;
pub mod journal;
pub mod notes;
pub mod outcome;
pub mod private;
pub mod rounds;
pub mod source;
pub mod stdin;

use std::env;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::auditor::signals::Signals;
use crate::auditor::verdict::Verdict;
use crate::auditor::{self, AuditError, Auditor, Choice, Settings};
use crate::material::{cut, render};
use crate::privacy::Privacy;
use crate::privacy::ignore::BadPattern;
use crate::record::Word;
use crate::transcript::session::Session;
use crate::transcript::turn::{Entry, Turn};
use crate::{paths, prompt, redact};
use event::{Event, PromptSubmit, Stop};
use journal::Record;
use notes::Notes;
use outcome::Outcome;
use rounds::{Round, Rounds};
use source::NoTurn;

/// An event arrives at once; what does not is not waited for: a prompt's hook is given 10 s (3.1).
const STDIN_LIMIT: Duration = Duration::from_secs(5);

/// 64 MiB: a last message of tens of megabytes is no message.
const STDIN_MAX: usize = 67_108_864;

/// The client gives a Stop hook 180 s (3.1). What an auditor may take is what reading has left of this, so that there is
/// time to end it, to print and to log (3.4).
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(170);

/// Reading takes milliseconds; a file that takes longer than this is on a disk that does not answer, or made to be slow.
const READ_LIMIT: Duration = Duration::from_secs(15);

/// Lengths in the log, in characters, and the number of calls listed (8.1).
const LOGGED_WORDS: usize = 500;
const LOGGED_REPLY: usize = 1_500;
const LOGGED_CALLS: usize = 8;
const LOGGED_CALL: usize = 160;
const LOGGED_TEXT: usize = 2_000;

/// What the environment says.
struct Setting {
    log_dir: Option<PathBuf>,
    state_dir: PathBuf,
    choice: Choice,
    debug_prompt: Option<PathBuf>,
    privacy: Result<Privacy, BadPattern>,
}

/// Handles one event from standard input.
pub fn run() {
    let started = Instant::now();
    panic::set_hook(Box::new(|_| {}));
    // The exit code is 0 whatever happens.
    let _ = panic::catch_unwind(|| handle(started));
}

fn handle(started: Instant) {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if env::var_os("STOP_AUDITOR_OFF").is_some_and(|value| value == "1") || is_set(auditor::INSIDE_VARIABLE) {
        return;
    }
    let Ok(signals) = Signals::catch() else { return };
    let Some(bytes) = stdin::read_event(io::stdin(), STDIN_LIMIT, STDIN_MAX, &signals) else { return };
    let Some(event) = event::read(&bytes) else { return };
    let setting = Setting::from_environment();
    match event {
        Event::Stop(stop) => {
            let audited =
                panic::catch_unwind(AssertUnwindSafe(|| on_stop(&stop, &setting, &signals, started)));
            let (outcome, record) = audited.unwrap_or_else(|_| internal_fault());
            if signals.is_ended() {
                setting.log(&stop, error(record, &AuditError::Cancelled.to_string()));
                return;
            }
            // A client that has gone does not read it, and there is nobody else to tell.
            let _ = print(&outcome);
            setting.log(&stop, record);
        }
        Event::Prompt(prompt) => {
            // A fault here hands nothing on; the notes wait.
            let _ = on_prompt(&prompt, &setting, &signals);
        }
        Event::Other => {}
    }
}

impl Setting {
    fn from_environment() -> Self {
        Setting {
            log_dir: paths::log_dir(),
            state_dir: paths::state_dir(),
            choice: Choice::from_environment(),
            debug_prompt: env::var_os("STOP_AUDITOR_DEBUG_PROMPT")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            privacy: Privacy::with(&Settings::default()),
        }
    }

    /// A log that cannot be written changes nothing (8.2).
    fn log(&self, stop: &Stop, record: Record) {
        let Some(directory) = &self.log_dir else { return };
        let now = clock::now();
        let record = Record {
            time: now.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
            session_id: stop.session_id.clone(),
            project: stop.project(env::var_os("CLAUDE_PROJECT_DIR")),
            stop_hook_active: stop.stop_hook_active,
            // An auditor that was sent a key may repeat it (4.15).
            text: redact::known_keys(&record.text).into_owned(),
            ..record
        };
        let _ = journal::write(directory, &record, &now);
    }
}

/// Audits the turn that has ended.
fn on_stop(stop: &Stop, setting: &Setting, signals: &Signals, started: Instant) -> (Outcome, Record) {
    let session = match source::read(stop, signals, started + READ_LIMIT) {
        Ok(session) => session,
        // There is a turn, and the person must know that it was not audited.
        Err(unread @ (NoTurn::TooSlow(_) | NoTurn::Unreadable(..) | NoTurn::Beside(_))) => {
            return not_audited(Record::default(), &unread.to_string());
        }
        Err(none @ (NoTurn::NoPath | NoTurn::Missing(_) | NoTurn::NoFile(_) | NoTurn::Empty(_))) => {
            return (Outcome::Silent, error(Record::default(), &none.to_string()));
        }
    };
    let privacy = match &setting.privacy {
        Ok(privacy) => privacy,
        Err(bad) => return not_audited(Record::default(), &bad.to_string()),
    };
    let mut shown = privacy.show(session);
    let record = describe(shown.logged(), &shown.session);
    if signals.is_ended() {
        return (Outcome::Silent, error(record, &AuditError::Cancelled.to_string()));
    }
    let auditor = match Auditor::choose(&setting.choice) {
        Ok(auditor) => auditor,
        Err(cause) => return not_audited(record, &cause.to_string()),
    };
    let record = Record { auditor: auditor.name.clone(), ..record };
    let rounds = Rounds::new(setting.state_dir.clone());
    let turn = &shown.session.current;
    let (number, last_reason) = match rounds.begin(stop, &turn.prompt_ids, turn.n_blocks_since_woken()) {
        Ok(Round::Audit { number, last_reason }) => (number, last_reason),
        Ok(Round::Enough) => {
            let text = format!("本轮已审 {} 次", rounds::MAX_AUDITS);
            return (Outcome::Silent, Record { verdict: Word::Skip, text, ..record });
        }
        Err(cause) => return not_audited(record, &cause.to_string()),
    };
    let last_reason = last_reason.map(|reason| privacy.reason(&reason, &mut shown));
    let prompt = prompt::build(&shown.session, last_reason.as_deref());
    if let Some(path) = &setting.debug_prompt {
        // For whoever looks at prompts; an audit does not depend on it.
        let _ = private::overwrite(path, prompt.text.as_bytes());
    }
    let left = STOP_LIMIT.saturating_sub(started.elapsed());
    let audit = auditor.audit(&prompt.text, left, signals);
    let record = Record {
        audit: number,
        prompt_chars: prompt.chars,
        shortened: Some(prompt.shortened),
        duration_ms: u64::try_from(audit.duration.as_millis()).unwrap_or(u64::MAX),
        tokens: audit.told.tokens,
        detached: audit.told.detached,
        warnings: logged_warnings(&audit.told.warnings),
        ..record
    };
    match audit.result {
        Ok(Verdict::Pass) => {
            (Outcome::Silent, Record { verdict: Word::Pass, text: "PASS".to_owned(), ..record })
        }
        Ok(Verdict::Note(note)) => remark(stop, setting, record, auditor.name, note),
        Ok(Verdict::Fail(reason)) => match rounds.failed(stop, number, &reason) {
            Ok(()) => {
                let text = format!("FAIL - {reason}");
                (
                    Outcome::Block { auditor: auditor.name, reason },
                    Record { verdict: Word::Fail, text, ..record },
                )
            }
            Err(cause) => not_audited(record, &cause.to_string()),
        },
        Err(cause @ AuditError::Cancelled) => (Outcome::Silent, error(record, &cause.to_string())),
        Err(cause) => not_audited(record, &cause.to_string()),
    }
}

fn remark(
    stop: &Stop,
    setting: &Setting,
    record: Record,
    auditor: String,
    note: String,
) -> (Outcome, Record) {
    let mut text = format!("NOTE - {note}");
    let kept = match &setting.log_dir {
        Some(directory) => Notes::new(directory).keep(&stop.session_id, &note),
        None => Err(io::Error::other("no folder for it")),
    };
    // The person has read it on screen all the same.
    if let Err(cause) = kept {
        text = format!("{text}（没能存下来转交：{cause}）");
    }
    (Outcome::Remark { auditor, note }, Record { verdict: Word::Note, text, ..record })
}

/// Hands waiting notes on with the person's message; a wake-up is not one (7.3).
fn on_prompt(prompt: &PromptSubmit, setting: &Setting, signals: &Signals) -> io::Result<()> {
    let Some(directory) = &setting.log_dir else { return Ok(()) };
    if crate::transcript::opener::is_wake_up(&prompt.prompt) {
        return Ok(());
    }
    if let Some(mut taken) = Notes::new(directory).take(&prompt.session_id)?
        // A client that has gone reads nothing; the notes wait for the next message.
        && !signals.is_ended()
    {
        print(&Outcome::HandOver { notes: std::mem::take(&mut taken.notes) })?;
        taken.done()?;
    }
    Ok(())
}

/// Prints the outcome's JSON in one piece.
fn print(outcome: &Outcome) -> io::Result<()> {
    let Some(json) = outcome.to_json() else { return Ok(()) };
    let mut stdout = io::stdout().lock();
    stdout.write_all(format!("{json}\n").as_bytes())?;
    stdout.flush()
}

/// Warnings in one line each, without keys: a setting that this version of the auditor does not know is on again.
fn logged_warnings(warnings: &[String]) -> Vec<String> {
    let line = |warning: &String| cut::one_line(&redact::error_text(warning), LOGGED_CALL);
    warnings.iter().take(LOGGED_CALLS).map(line).collect()
}

fn not_audited(record: Record, cause: &str) -> (Outcome, Record) {
    let cause = redact::error_text(cause);
    (Outcome::NotAudited { cause: cause.clone() }, error(record, &cause))
}

fn error(record: Record, cause: &str) -> Record {
    let text = cut::one_line(&redact::error_text(cause), LOGGED_TEXT);
    Record { verdict: Word::Error, text, ..record }
}

fn internal_fault() -> (Outcome, Record) {
    not_audited(Record::default(), "hook 内部出错")
}

/// What the log says of a turn (8.1).
fn describe(turn: &Turn, session: &Session) -> Record {
    let reply = turn.reply();
    let skipped = reply.chars().count().saturating_sub(LOGGED_REPLY);
    Record {
        person: turn.opener.words.chars().take(LOGGED_WORDS).collect(),
        reply: reply.chars().skip(skipped).collect(),
        tool_calls: turn.n_calls(),
        last_calls: last_calls(turn),
        client_version: session.client_version.clone(),
        transcript_bytes: Some(session.until),
        ..Record::default()
    }
}

fn last_calls(turn: &Turn) -> Vec<String> {
    let mut calls: Vec<String> = turn
        .entries
        .iter()
        .rev()
        .filter_map(|entry| match entry {
            Entry::Call(call) => Some(render::call_line(call, LOGGED_CALL)),
            Entry::Asked(asked) => {
                let asked =
                    asked.questions.iter().map(|question| question.question.as_str()).collect::<Vec<_>>();
                Some(format!("AskUserQuestion：{}", cut::one_line(&asked.join(" / "), LOGGED_CALL)))
            }
            _ => None,
        })
        .take(LOGGED_CALLS)
        .collect();
    calls.reverse();
    calls
}
