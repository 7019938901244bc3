//! Text in, verdict out.
//!
//! Whatever goes wrong is an [`AuditError`], never a block: the turn goes through and the person is told (1.5).

pub mod capture;
mod choice;
pub mod codex;
pub mod detached;
pub mod environment;
mod error;
pub mod preset;
pub mod process;
pub mod signals;
pub mod vendor;
pub mod verdict;

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

pub use choice::{Choice, Settings};
use codex::Codex;
use codex::events;
pub use error::AuditError;
use preset::chosen::Chosen;
use preset::place::{self, Prepared};
use preset::remains;
use process::{End, Leash, Ran};
use signals::Signals;
use verdict::Verdict;

/// The longest an auditor may take (3.4).
pub const MAX_LIMIT: Duration = Duration::from_secs(150);

/// Told to the auditor's processes, so that an auditor which is itself a Claude Code session, or runs one, does not
/// audit the audit (1.7).
pub const INSIDE_VARIABLE: &str = "STOP_AUDITOR_INSIDE";

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
    /// Another vendor's client.
    Preset(Chosen),
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

impl Auditor {
    /// Codex, where it is the auditor by the default command.
    pub fn codex(&self) -> Option<&Codex> {
        match &self.program {
            Program::Codex(codex) => Some(codex),
            Program::Shell(_) | Program::Preset(_) => None,
        }
    }

    /// Another vendor's client, where one was chosen.
    pub fn preset(&self) -> Option<&Chosen> {
        match &self.program {
            Program::Preset(chosen) => Some(chosen),
            Program::Shell(_) | Program::Codex(_) => None,
        }
    }

    /// Who is to audit: the command that was set, else the preset, else Codex.
    ///
    /// # Errors
    /// [`AuditError::OwnVendor`], [`AuditError::BadArguments`] and [`AuditError::Unusable`].
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
        } else if let Some(preset) = choice.preset() {
            let chosen = Chosen::of(choice, preset)?;
            let name = chosen.model.clone();
            (Program::Preset(chosen), name)
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
            Program::Preset(chosen) => {
                let words = chosen.words();
                shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| self.program_name())
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
        let preset = self.preset();
        let base = preset.map_or_else(|| Ok(env::temp_dir()), |_| place::outside_projects());
        let base = base.map_err(AuditError::NoDirectory)?;
        // Where the umask is 0, others could put an AGENTS.md into an open one.
        let directory = tempfile::Builder::new()
            .prefix(remains::PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&base)
            .map_err(AuditError::NoDirectory)?;
        // Only a preset's client may keep the prompt on the disk.
        let in_use = preset.map(|_| remains::hold(&base, directory.path())).transpose();
        let _in_use = in_use.map_err(AuditError::NoDirectory)?;
        let mark = directory.path().file_name().map(OsString::from).unwrap_or_default();
        let limit = self.limit.min(left);
        let Prepared { mut command, config } =
            self.command(directory.path(), limit).map_err(AuditError::NoDirectory)?;
        command.env(INSIDE_VARIABLE, "1").env(detached::AUDIT_VARIABLE, &mark);
        let input = preset.map_or(Cow::Borrowed(prompt), |chosen| Cow::Owned(chosen.input(prompt)));
        let leash = Leash {
            is_enough: &|stdout, stderr| preset.is_some_and(|chosen| chosen.is_to_be_stopped(stdout, stderr)),
            cpu_seconds: preset.and_then(|chosen| chosen.preset.cpu_seconds),
        };
        let ran = process::run_on(&leash, &mut command, input.as_bytes(), limit, signals)
            .map_err(|error| AuditError::NotStarted(self.program_name(), error))?;
        drop(config);
        if let Program::Codex(codex) = &self.program
            && let Err(error) = codex.bring_login_back(directory.path())
        {
            told.warnings.push(format!("Codex 换了新的登录，没能写回：{error}"));
        }
        if ran.output_is_held || !matches!(ran.end, End::Exited(_)) {
            told.detached = detached::find(&mark.to_string_lossy());
        }
        let answer = match preset {
            Some(chosen) => {
                in_time(&ran, limit)?;
                let answer = chosen.said(prompt, &ran)?;
                told.tokens = answer.tokens;
                answer.text
            }
            None => printed(ran, limit, told)?,
        };
        verdict::find(&answer).map_err(|none| AuditError::NoVerdict(none, answer))
    }

    /// The command, in an empty working directory: the one given, or one below it.
    fn command(&self, directory: &Path, limit: Duration) -> io::Result<Prepared> {
        let command = match &self.program {
            Program::Shell(line) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(line).current_dir(directory);
                command
            }
            Program::Codex(codex) => codex.command(directory)?,
            Program::Preset(chosen) => return chosen.prepare(directory, limit),
        };
        Ok(Prepared { command, config: None })
    }

    fn program_name(&self) -> String {
        match &self.program {
            Program::Shell(_) => "sh".to_owned(),
            Program::Codex(_) => codex::PROGRAM.to_owned(),
            Program::Preset(chosen) => chosen.preset.program.to_owned(),
        }
    }
}

/// The answer of Codex or of a shell's command, which may print Codex's events too; what they tell beside it counts
/// whatever the end was.
fn printed(ran: Ran, limit: Duration, told: &mut Told) -> Result<String, AuditError> {
    let events = events::is_event_stream(&ran.stdout).then(|| events::answer(&ran.stdout));
    if let Some(answer) = &events {
        told.tokens = answer.tokens;
        told.warnings.extend(answer.warnings.iter().cloned());
    }
    in_time(&ran, limit)?;
    if let Some(status) = ran.failure() {
        let complaint = events.and_then(|answer| answer.error).unwrap_or(ran.stderr);
        return Err(AuditError::failed(status, complaint));
    }
    match events {
        None => Ok(ran.stdout),
        Some(answer) if answer.is_complete => Ok(answer.text),
        Some(answer) => Err(AuditError::Incomplete(answer.error.unwrap_or_default())),
    }
}

fn in_time(ran: &Ran, limit: Duration) -> Result<(), AuditError> {
    match ran.end {
        End::TimedOut => Err(AuditError::TimedOut(limit)),
        End::Cancelled => Err(AuditError::Cancelled),
        End::Exited(_) | End::Stopped => Ok(()),
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
    fn r6_1_a_command_goes_before_a_preset_and_a_preset_before_codex() {
        let settings = Settings::from_iter([("A_KEY".to_owned(), "k".to_owned())]);
        let all = Choice {
            command: Some("judge -x".to_owned()),
            vendor: Some("qwen".to_owned()),
            model: Some("m".to_owned()),
            base_url: Some("https://h.example/v1".to_owned()),
            key_variable: Some("A_KEY".to_owned()),
            settings,
            ..Choice::default()
        };
        let no_command = Choice { command: Some(" ".to_owned()), ..all.clone() };
        let neither = Choice { vendor: None, ..no_command.clone() };
        for (choice, program, command_line, is_codex, is_preset) in [
            (&all, "sh", "judge -x", false, false),
            (&no_command, "qwen", "qwen --auth-type openai", false, true),
            (&neither, "codex", "codex exec --ephemeral", true, false),
        ] {
            let auditor = Auditor::choose(choice).unwrap();
            assert!(auditor.command_line().starts_with(command_line), "{}", auditor.command_line());
            assert_eq!((auditor.program_name().as_str(), auditor.name.as_str()), (program, "m"));
            assert_eq!((auditor.codex().is_some(), auditor.preset().is_some()), (is_codex, is_preset));
        }
    }

    #[test]
    fn r6_9_what_did_not_end_in_time_is_told_as_that() {
        let told = |end: End| {
            let ran = Ran { end, stdout: String::new(), stderr: String::new(), output_is_held: false };
            in_time(&ran, Duration::from_secs(7)).err().map(|error| error.to_string())
        };
        assert_eq!(told(End::TimedOut).as_deref(), Some("超过 7 秒没有答复"));
        assert_eq!(told(End::Cancelled).as_deref(), Some("hook 被客户端中断"));
        assert_eq!(told(End::Stopped), None);
    }

    #[test]
    fn the_limit_is_never_over_150_seconds() {
        assert_eq!(limit(Some("0.5")), Duration::from_millis(500));
        for over in [None, Some("999"), Some("inf"), Some("-1"), Some("nan"), Some("soon"), Some("0")] {
            assert_eq!(limit(over), MAX_LIMIT, "{over:?}");
        }
    }
}
