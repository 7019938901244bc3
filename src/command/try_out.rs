//! `stop-auditor try`: the main job by hand, on any transcript, without touching state, notes or log.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::auditor_args::AuditorArgs;
use super::check;
use crate::auditor::signals::Signals;
use crate::auditor::verdict::Verdict;
use crate::auditor::{Audit, AuditError, Auditor, Choice, codex};
use crate::hook::outcome::Outcome;
use crate::paths;
use crate::privacy::ignore::BadPattern;
use crate::privacy::{Privacy, Shown};
use crate::prompt::{self, Prompt};
use crate::redact;
use crate::transcript::session::{self, Session};

/// A made-up session whose last turn claims without having looked: spec, section 9.
const EXAMPLE: &str = include_str!("example.jsonl");

/// What `try` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "试审一轮：读一份会话记录，问审计员，打印判定",
    long_about = "试审一轮：读一份会话记录（默认是内置的一段合成会话：没查就下结论），把最后一轮交给审计员，\
                  打印读到了什么、判定是什么、Claude Code 会拿它怎么办。\n\
                  不动计数、提醒和日志。审计员和 hook 用的一样（settings.json 的 env 和 STOP_AUDITOR_CMD 等变量有效），也可以当场指定；\
                  没给会话记录、本机又没有 codex 时，用内置的替身审计员，并且说明。",
    after_help = "例：\n  stop-auditor try\n  stop-auditor try ~/.claude/projects/-home-me-app/SESSION.jsonl --show-prompt\n  \
                  stop-auditor try SESSION.jsonl --turn 2 --auditor-cmd 'judge --strict'"
)]
pub struct TryArgs {
    /// The transcript.
    #[arg(value_name = "TRANSCRIPT", help = "会话记录（.jsonl）；不给就用内置的例子")]
    pub transcript: Option<PathBuf>,
    /// Print the prompt before asking.
    #[arg(long, help = "先把给审计员的提示词整份打印出来")]
    pub show_prompt: bool,
    /// The auditor to ask; without an option the hook's.
    #[command(flatten)]
    pub auditor: AuditorArgs,
    /// Which turn, counted from the end.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..),
          help = "审倒数第 N 轮")]
    pub turn: u32,
}

/// Why nothing was audited.
#[derive(Debug)]
enum TryError {
    Unreadable(PathBuf, io::Error),
    NoTurn(u32),
    Ignore(BadPattern),
    NoAuditor,
    Auditor(AuditError),
    Signals(io::Error),
    Example(io::Error),
    Print(io::Error),
}

impl fmt::Display for TryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryError::Unreadable(path, error) => write!(f, "读不了会话记录 {}：{error}", path.display()),
            TryError::NoTurn(1) => f.write_str("这份记录里找不到一轮对话：要 Claude Code 的会话记录（~/.claude/projects/*/*.jsonl）"),
            TryError::NoTurn(n) => write!(f, "这份记录里没有倒数第 {n} 轮"),
            TryError::Ignore(bad) => write!(f, "{bad}"),
            TryError::NoAuditor => f.write_str(
                "本机的 PATH 里没有 codex。装好并登录 Codex CLI，或者用 --auditor-cmd（或 STOP_AUDITOR_CMD）指定另一个审计员",
            ),
            TryError::Auditor(error) => write!(f, "{error}"),
            TryError::Signals(error) => write!(f, "接不了信号：{error}"),
            TryError::Example(error) => write!(f, "内置的例子写不到临时目录：{error}"),
            TryError::Print(error) => write!(f, "打印不了：{error}"),
        }
    }
}

impl From<io::Error> for TryError {
    fn from(error: io::Error) -> Self {
        TryError::Print(error)
    }
}

/// Audits one turn; exit code 1 when there was no verdict.
pub fn run(args: &TryArgs) -> ExitCode {
    match try_out(args, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        // Told already; or whoever reads has gone away (`| head`), and there is nobody to tell.
        Ok(false) | Err(TryError::Print(_)) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "没审：{}", redact::error_text(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Whether there was a verdict.
fn try_out(args: &TryArgs, out: &mut impl Write) -> Result<bool, TryError> {
    // What the hook keeps back by the settings is kept back here too, and no more.
    let privacy = Privacy::with(&check::choice(None).settings).map_err(TryError::Ignore)?;
    let Shown { session, keys, .. } = privacy.show(read(args)?);
    let prompt = prompt::build(&session, None);
    tell_what_was_read(out, args, &session, &prompt)?;
    if keys.count() > 0 {
        writeln!(out, "密钥：读到 {} 个，都抹去了", keys.count())?;
    }
    if args.show_prompt {
        writeln!(out, "──── 提示词 ────\n{}\n──── 提示词完 ────", prompt.text)?;
    }
    let auditor = choose(args, out)?;
    // A command may hold a key, and a screen is shared easily.
    writeln!(out, "审计员：{}（{}）", auditor.name, redact::error_text(&auditor.command_line()))?;
    out.flush()?;
    let signals = Signals::catch().map_err(TryError::Signals)?;
    let audit = while_telling(&auditor, || auditor.audit(&prompt.text, auditor.limit, &signals));
    tell_verdict(out, auditor, audit).map_err(TryError::Print)
}

fn read(args: &TryArgs) -> Result<Session, TryError> {
    let read = |path: &Path| {
        session::read(path, &prompt::extent(args.turn as usize - 1))
            .map_err(|error| TryError::Unreadable(path.to_owned(), error))?
            .ok_or(TryError::NoTurn(args.turn))
    };
    if let Some(path) = &args.transcript {
        return read(path);
    }
    let mut example = tempfile::NamedTempFile::new().map_err(TryError::Example)?;
    example.write_all(EXAMPLE.as_bytes()).map_err(TryError::Example)?;
    read(example.path())
}

/// The prompt of the built-in example.
pub(super) fn example_prompt() -> Option<String> {
    let args = TryArgs { transcript: None, show_prompt: false, auditor: AuditorArgs::default(), turn: 1 };
    read(&args).ok().map(|session| prompt::build(&session, None).text)
}

fn tell_what_was_read(
    out: &mut impl Write,
    args: &TryArgs,
    session: &Session,
    prompt: &Prompt,
) -> io::Result<()> {
    let from = args
        .transcript
        .as_ref()
        .map_or("内置的例子（合成的会话）".to_owned(), |path| path.display().to_string());
    let turn = &session.current;
    let shortened = prompt.shortened;
    writeln!(out, "会话记录：{from}")?;
    let words = crate::material::cut::one_line(&turn.opener.words, 80);
    writeln!(out, "倒数第 {} 轮：「{words}」，{} 次工具调用", args.turn, turn.n_calls())?;
    let more =
        if session.is_whole && shortened.earlier_dropped == 0 { "" } else { "，更早的没有列出" };
    writeln!(out, "之前的轮次：列出 {} 轮{more}", shortened.earlier_shown)?;
    let cut =
        if shortened.current_cut { "，本轮的内容有截短" } else { "，本轮的内容没有截短" };
    writeln!(out, "提示词：{} 字{cut}", prompt.chars)
}

/// The hook's auditor, unless the command line names one; the stand-in only for the built-in example.
fn choose(args: &TryArgs, out: &mut impl Write) -> Result<Auditor, TryError> {
    let choice = args.auditor.applied_to(check::choice(None));
    let auditor = Auditor::choose(&choice).map_err(TryError::Auditor)?;
    if auditor.codex().is_none() || paths::is_on_path(codex::PROGRAM) {
        return Ok(auditor);
    }
    if args.transcript.is_some() {
        return Err(TryError::NoAuditor);
    }
    writeln!(out, "本机没有 codex，这次由内置的替身审计员来判：它只认一条规则，不是真审计。")?;
    let own = std::env::current_exe()
        .map_err(|error| TryError::Auditor(AuditError::NotStarted("stop-auditor".into(), error)))?;
    let own = own.to_string_lossy().into_owned();
    let command = shlex::try_join([own.as_str(), "stand-in"])
        .map_err(|_| TryError::Auditor(AuditError::BadArguments(own.clone())))?;
    let choice = Choice { command: Some(command), model: Some("替身审计员".to_owned()), ..choice };
    Auditor::choose(&choice).map_err(TryError::Auditor)
}

/// Runs the work while standard error says how long it has been going on.
fn while_telling<T>(auditor: &Auditor, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    let name = auditor.name.clone();
    let limit = auditor.limit;
    thread::scope(|scope| {
        scope.spawn(move || tell_progress(&name, limit, &waiting));
        let result = work();
        drop(done);
        result
    })
}

fn tell_progress(name: &str, limit: Duration, waiting: &mpsc::Receiver<()>) {
    let started = Instant::now();
    let is_terminal = io::stderr().is_terminal();
    let mut told = false;
    while waiting.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
        let seconds = started.elapsed().as_secs();
        let line = format!("等 {name} 答复：{seconds} 秒（最多 {} 秒）", limit.as_secs_f64());
        // On a terminal one line that changes; elsewhere one line at the beginning.
        if is_terminal {
            let _ = write!(io::stderr(), "\r{line}");
        } else if !told {
            let _ = writeln!(io::stderr(), "{line}");
        }
        told = true;
    }
    if told && is_terminal {
        let _ = writeln!(io::stderr());
    }
}

fn tell_verdict(out: &mut impl Write, auditor: Auditor, audit: Audit) -> io::Result<bool> {
    let tokens =
        audit.told.tokens.map_or(String::new(), |(read, written)| format!("，token 读 {read} 写 {written}"));
    writeln!(out, "用时 {:.1} 秒{tokens}", audit.duration.as_secs_f64())?;
    let name = auditor.name;
    let (line, does, outcome) = match audit.result {
        Ok(Verdict::Pass) => ("VERDICT: PASS".to_owned(), "什么都不显示，这一轮正常结束。", Outcome::Silent),
        Ok(Verdict::Note(note)) => (
            format!("VERDICT: NOTE - {note}"),
            "不拦。界面上显示下面这一行；你下次发消息时转给 Claude。",
            Outcome::Remark { auditor: name, note },
        ),
        Ok(Verdict::Fail(reason)) => (
            format!("VERDICT: FAIL - {reason}"),
            "拦住 Claude，把下面这段话交给它，让它改正或说明：",
            Outcome::Block { auditor: name, reason },
        ),
        Err(error) => {
            let cause = redact::error_text(&error.to_string());
            ("没有判定".to_owned(), "放行。界面上显示下面这一行：", Outcome::NotAudited { cause })
        }
    };
    let has_verdict = !matches!(outcome, Outcome::NotAudited { .. });
    writeln!(out, "判定：{line}\nClaude Code 会怎么办：{does}")?;
    if let Some(json) = outcome.to_json() {
        let told = ["reason", "systemMessage"].iter().find_map(|name| json.get(name)?.as_str());
        for line in told.unwrap_or_default().lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(has_verdict)
}
