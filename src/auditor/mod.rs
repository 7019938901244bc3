//! Text in, verdict out.
//!
//! Whatever goes wrong is an [`AuditError`], never a block: the turn goes through and the person is told (1.5).

pub mod capture;
pub mod codex;
pub mod detached;
pub mod process;
pub mod signals;
pub mod vendor;
pub mod verdict;

use std::ffi::OsString;
use std::fmt;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use codex::Codex;
use codex::events;
use process::End;
use signals::Signals;
use verdict::{NoVerdict, Verdict};

/// The longest an auditor may take (3.4).
pub const MAX_LIMIT: Duration = Duration::from_secs(150);

/// Told to the auditor's processes, so that an auditor which is itself a Claude Code session, or runs one, does not
/// audit the audit (1.7).
pub const INSIDE_VARIABLE: &str = "STOP_AUDITOR_INSIDE";

/// Variables that choose the auditor, as the environment gives them.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// `STOP_AUDITOR_CMD`.
    pub command: Option<String>,
    /// `STOP_AUDITOR_MODEL`.
    pub model: Option<String>,
    /// `STOP_AUDITOR_CODEX_ARGS`.
    pub codex_args: Option<String>,
    /// `STOP_AUDITOR_TIMEOUT`.
    pub timeout: Option<String>,
}

/// Who audits, and how long it may take.
#[derive(Debug, Clone)]
pub struct Auditor {
    program: Program,
    /// The name that the person reads.
    pub name: String,
    /// How long it may take.
    pub limit: Duration,
}

#[derive(Debug, Clone)]
enum Program {
    /// A whole string for the shell (6.1).
    Shell(String),
    /// Codex (6.2).
    Codex(Codex),
}

/// A verdict and what it cost.
#[derive(Debug)]
pub struct Audit {
    /// The verdict, or why there is none.
    pub result: Result<Verdict, AuditError>,
    /// Wall time.
    pub duration: Duration,
    /// What else is known of it.
    pub told: Told,
}

/// What the log says of an audit beside its verdict.
#[derive(Debug, Default)]
pub struct Told {
    /// Tokens in and out, where the auditor told.
    pub tokens: Option<(u64, u64)>,
    /// Processes that left the auditor's group and still run: `pid name`.
    pub detached: Vec<String>,
    /// What the auditor warned of.
    pub warnings: Vec<String>,
}

/// Why there is no verdict (6.9).
#[derive(Debug)]
pub enum AuditError {
    /// The auditor is Claude's own vendor (1.7).
    OwnVendor(String),
    /// `STOP_AUDITOR_CODEX_ARGS` is no list of shell words.
    BadArguments(String),
    /// The empty working directory could not be made.
    NoDirectory(io::Error),
    /// The program could not be started, or not be waited for.
    NotStarted(String, io::Error),
    /// It ended with another exit code than 0, or by a signal; with what it complained about.
    Failed(String, String),
    /// It took longer than this.
    TimedOut(Duration),
    /// The hook itself was asked to end.
    Cancelled,
    /// It ended well without completing its answer.
    Incomplete(String),
    /// Its answer holds no verdict.
    NoVerdict(NoVerdict, String),
}

impl Choice {
    /// What the environment says. A value that is not UTF-8 is read as far as it is.
    pub fn from_environment() -> Self {
        let text = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Choice {
            command: text("STOP_AUDITOR_CMD"),
            model: text("STOP_AUDITOR_MODEL"),
            codex_args: text("STOP_AUDITOR_CODEX_ARGS"),
            timeout: text("STOP_AUDITOR_TIMEOUT"),
        }
    }
}

impl Auditor {
    /// Codex, where it is the auditor by the default command.
    pub fn codex(&self) -> Option<&Codex> {
        match &self.program {
            Program::Codex(codex) => Some(codex),
            Program::Shell(_) => None,
        }
    }

    /// Who is to audit.
    ///
    /// # Errors
    /// [`AuditError::OwnVendor`] and [`AuditError::BadArguments`].
    pub fn choose(choice: &Choice) -> Result<Auditor, AuditError> {
        let set = |value: &Option<String>| value.clone().filter(|value| !value.trim().is_empty());
        let model = set(&choice.model);
        let limit = limit(choice.timeout.as_deref());
        let (program, name) = if let Some(command) = set(&choice.command) {
            if vendor::is_anthropic(&command, model.as_deref()) {
                return Err(AuditError::OwnVendor(command));
            }
            let name = model.unwrap_or_else(|| shell_name(&command));
            (Program::Shell(command), name)
        } else {
            let model = model.unwrap_or_else(|| codex::DEFAULT_MODEL.to_owned());
            let extra = set(&choice.codex_args).unwrap_or_default();
            if vendor::is_anthropic(&format!("{} {extra}", codex::PROGRAM), Some(&model)) {
                return Err(AuditError::OwnVendor(format!("{model} {extra}")));
            }
            let extra = shlex::split(&extra).ok_or(AuditError::BadArguments(extra))?;
            (Program::Codex(Codex::new(model.clone(), extra)), model)
        };
        Ok(Auditor { program, name, limit })
    }

    /// The command as a person may run it.
    pub fn command_line(&self) -> String {
        match &self.program {
            Program::Shell(command) => command.clone(),
            Program::Codex(codex) => {
                let arguments = codex.arguments();
                let words = std::iter::once(codex::PROGRAM).chain(arguments.iter().map(String::as_str));
                shlex::try_join(words).unwrap_or_else(|_| codex::PROGRAM.to_owned())
            }
        }
    }

    /// Asks for a verdict on a prompt, in an empty directory (1.6), for as long as the auditor may take and there is
    /// time `left`.
    pub fn audit(&self, prompt: &str, left: Duration, signals: &Signals) -> Audit {
        let started = Instant::now();
        let mut told = Told::default();
        let result = self.ask(prompt, left, signals, &mut told);
        Audit { result, duration: started.elapsed(), told }
    }

    fn ask(
        &self,
        prompt: &str,
        left: Duration,
        signals: &Signals,
        told: &mut Told,
    ) -> Result<Verdict, AuditError> {
        // Where the umask is 0, others could put an AGENTS.md into an open one.
        let directory = tempfile::Builder::new()
            .prefix("stop-auditor-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(AuditError::NoDirectory)?;
        let mark = directory.path().file_name().map(OsString::from).unwrap_or_default();
        let mut command = self.command(directory.path()).map_err(AuditError::NoDirectory)?;
        command.env(INSIDE_VARIABLE, "1").env(detached::AUDIT_VARIABLE, &mark);
        let limit = self.limit.min(left);
        let ran = process::run(&mut command, prompt.as_bytes(), limit, signals)
            .map_err(|error| AuditError::NotStarted(self.program_name(), error))?;
        if let Program::Codex(codex) = &self.program
            && let Err(error) = codex.bring_login_back(directory.path())
        {
            told.warnings.push(format!("Codex 换了新的登录，没能写回：{error}"));
        }
        if ran.output_is_held || !matches!(ran.end, End::Exited(_)) {
            told.detached = detached::find(&mark.to_string_lossy());
        }
        let events = events::is_event_stream(&ran.stdout).then(|| events::answer(&ran.stdout));
        if let Some(answer) = &events {
            told.tokens = answer.tokens;
            told.warnings.extend(answer.warnings.iter().cloned());
        }
        match ran.end {
            End::TimedOut => return Err(AuditError::TimedOut(limit)),
            End::Cancelled => return Err(AuditError::Cancelled),
            End::Exited(status) if !status.success() => {
                let complaint = events.and_then(|answer| answer.error).unwrap_or(ran.stderr);
                return Err(AuditError::Failed(told_status(status), complaint));
            }
            End::Exited(_) => {}
        }
        let answer = match events {
            None => ran.stdout,
            Some(answer) if answer.is_complete => answer.text,
            Some(answer) => return Err(AuditError::Incomplete(answer.error.unwrap_or_default())),
        };
        verdict::find(&answer).map_err(|none| AuditError::NoVerdict(none, answer))
    }

    /// The command, in an empty working directory: the one given, or one below it.
    fn command(&self, directory: &Path) -> io::Result<Command> {
        match &self.program {
            Program::Shell(line) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(line).current_dir(directory);
                Ok(command)
            }
            Program::Codex(codex) => codex.command(directory),
        }
    }

    fn program_name(&self) -> String {
        match &self.program {
            Program::Shell(_) => "sh".to_owned(),
            Program::Codex(_) => codex::PROGRAM.to_owned(),
        }
    }
}

fn told_status(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("退出码 {code}"),
        (None, Some(signal)) => format!("信号 {signal}"),
        (None, None) => status.to_string(),
    }
}

/// Seconds, decimals allowed; never more than [`MAX_LIMIT`]. What is no positive number is not a limit.
fn limit(timeout: Option<&str>) -> Duration {
    timeout
        .and_then(|timeout| timeout.trim().parse::<f64>().ok())
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map_or(MAX_LIMIT, |limit| limit.min(MAX_LIMIT))
}

/// The name of a custom auditor: its model where the command names one, else its program.
fn shell_name(command: &str) -> String {
    let words =
        shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect());
    let value_of = |name: &str| {
        let joined = words.iter().find_map(|word| word.strip_prefix(&format!("{name}=")).map(str::to_owned));
        let apart = || words.iter().skip_while(|word| *word != name).nth(1).cloned();
        joined.or_else(apart)
    };
    if let Some(model) = value_of("--model").or_else(|| value_of("-m")) {
        return model;
    }
    let program = vendor::first_program(command).unwrap_or_default();
    program.rsplit('/').next().unwrap_or_default().to_owned()
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::OwnVendor(what) => write!(f, "审计员不能是 Claude 自家的模型：{what}"),
            AuditError::BadArguments(arguments) => {
                write!(f, "STOP_AUDITOR_CODEX_ARGS 的引号不成对：{arguments}")
            }
            AuditError::NoDirectory(error) => write!(f, "建不了审计员的临时目录：{error}"),
            AuditError::NotStarted(program, error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "找不到命令 {program}，装好它，或用 STOP_AUDITOR_CMD 换一个审计员")
            }
            AuditError::NotStarted(program, error) => write!(f, "{program} 起不来：{error}"),
            AuditError::Failed(status, told) if told.trim().is_empty() => {
                write!(f, "审计员出错，{status}")
            }
            AuditError::Failed(status, told) => write!(f, "审计员出错，{status}：{}", told.trim()),
            AuditError::TimedOut(limit) => write!(f, "超过 {} 秒没有答复", limit.as_secs_f64()),
            AuditError::Cancelled => f.write_str("hook 被客户端中断"),
            AuditError::Incomplete(told) if told.is_empty() => f.write_str("审计员没有答完"),
            AuditError::Incomplete(told) => write!(f, "审计员没有答完：{told}"),
            AuditError::NoVerdict(NoVerdict::NoLine, answer) if answer.trim().is_empty() => {
                f.write_str("审计员的回复是空的，没有 VERDICT 行")
            }
            AuditError::NoVerdict(NoVerdict::NoLine, answer) => {
                write!(f, "回复里没有 VERDICT 行：{}", answer.trim())
            }
            AuditError::NoVerdict(NoVerdict::Unknown(line), _) => {
                write!(f, "VERDICT 行不是 PASS、NOTE、FAIL 之一：{line}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_auditor_is_named_by_its_model_or_its_program() {
        for (command, name) in [
            ("codex exec -m gpt-x -", "gpt-x"),
            ("gemini --model=gemini-pro", "gemini-pro"),
            ("KEY=1 /usr/bin/llm -s", "llm"),
            ("cat >/dev/null; echo VERDICT: PASS", "cat"),
            ("cat>/dev/null; echo VERDICT: PASS", "cat"),
            ("cd /tmp && judge", "judge"),
        ] {
            assert_eq!(shell_name(command), name);
        }
    }

    #[test]
    fn the_limit_is_never_over_150_seconds() {
        assert_eq!(limit(Some("0.5")), Duration::from_millis(500));
        for over in [None, Some("999"), Some("inf"), Some("-1"), Some("nan"), Some("soon"), Some("0")] {
            assert_eq!(limit(over), MAX_LIMIT, "{over:?}");
        }
    }
}
