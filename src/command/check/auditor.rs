//! Whether the auditor can be asked: who it is, and what its program says of itself.

use std::process::Command;
use std::time::Duration;

use super::finding::Finding;
use super::{codex, preset};
use crate::auditor::process::{self, End};
use crate::auditor::signals::Signals;
use crate::auditor::{AuditError, Auditor, Choice};
use crate::command::try_out;
use crate::redact;

/// Programs tell about themselves at once; one that does not is broken.
const LIMIT: Duration = Duration::from_secs(20);

const OTHER: &str = "装好并登录 Codex CLI（npm install -g @openai/codex，然后 codex login），\
                     或者换一个审计员：stop-auditor install --auditor NAME（--help 里有哪几家），\
                     或 --auditor-cmd '从 stdin 读提示词、把回复打到 stdout 的命令'";

const SAY_IT: &str = "补上或改对它，例子在 stop-auditor install --help";

pub(super) fn look(choice: &Choice, live: bool, signals: &Signals) -> Vec<Finding> {
    let auditor = match Auditor::choose(choice) {
        Ok(auditor) => auditor,
        Err(error @ AuditError::OwnVendor(_)) => {
            return vec![Finding::problem(
                "审计员",
                error.to_string(),
                "换一家的模型：STOP_AUDITOR_CMD 或 STOP_AUDITOR_MODEL",
            )];
        }
        Err(error @ AuditError::Unusable(_)) => {
            return vec![Finding::problem("审计员", error.to_string(), SAY_IT)];
        }
        Err(error) => return vec![Finding::problem("审计员", error.to_string(), "改对这个变量")],
    };
    let mut findings = match (auditor.codex(), auditor.preset()) {
        // Its settings fill a screen; `try` prints them.
        (Some(own), _) => {
            let command = "codex exec（默认命令，stop-auditor try 会把它整条打印出来）";
            let mut findings = vec![named(&auditor, command)];
            findings.extend(codex::look(own, signals, OTHER));
            findings
        }
        (None, Some(chosen)) => {
            let mut findings = vec![named(&auditor, &preset::described(chosen))];
            findings.extend(preset::look(chosen, signals));
            findings
        }
        (None, None) => {
            let mut findings = vec![named(&auditor, &redact::error_text(&auditor.command_line()))];
            findings.extend(not_heeded(choice));
            findings.extend(program(choice.command.as_deref().unwrap_or_default(), signals));
            findings
        }
    };
    if live && !findings.iter().any(Finding::is_problem) {
        findings.push(ask(&auditor, signals));
    }
    findings
}

fn named(auditor: &Auditor, command: &str) -> Finding {
    Finding::ok("审计员", format!("{}：{command}", auditor.name))
}

/// A command that is set goes before a preset (6.1).
fn not_heeded(choice: &Choice) -> Option<Finding> {
    let vendor = choice.preset()?;
    let found = format!("设了 STOP_AUDITOR_CMD，所以 STOP_AUDITOR_VENDOR（{vendor}）不起作用");
    Some(Finding::note("审计员", found))
}

/// Whether the shell finds the custom command's program.
fn program(command: &str, signals: &Signals) -> Option<Finding> {
    let words = shlex::split(command)?;
    let program = words.iter().find(|word| !crate::auditor::vendor::is_assignment(word))?;
    let found = told(Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program]), signals);
    Some(match found {
        Ok(path) => Finding::ok("审计员的程序", path.lines().next().unwrap_or_default()),
        Err(_) => Finding::problem("审计员的程序", format!("找不到 {program}"), "装好它，或者写绝对路径"),
    })
}

/// One question, on the built-in example.
fn ask(auditor: &Auditor, signals: &Signals) -> Finding {
    let Some(prompt) = try_out::example_prompt() else {
        return Finding::problem("真问一次", "内置的例子读不出来", "看看临时目录能不能写");
    };
    let audit = auditor.audit(&prompt, auditor.limit, signals);
    let seconds = audit.duration.as_secs_f64();
    match audit.result {
        Ok(verdict) => Finding::ok("真问一次", format!("{seconds:.1} 秒，判定 {verdict:?}")),
        Err(error) => {
            let cause = redact::error_text(&error.to_string());
            Finding::problem("真问一次", format!("{seconds:.1} 秒，{cause}"), OTHER)
        }
    }
}

/// What a program prints when it ends well; else what it complained about.
pub(super) fn told(command: &mut Command, signals: &Signals) -> Result<String, String> {
    let ran = process::run(command, b"", LIMIT, signals).map_err(|error| error.to_string())?;
    match ran.end {
        End::Exited(status) if status.success() => Ok(ran.stdout),
        End::Exited(_) => {
            Err(redact::error_text(format!("{} {}", ran.stdout.trim(), ran.stderr.trim()).trim()))
        }
        End::TimedOut => Err("没有答复".to_owned()),
        End::Cancelled | End::Stopped => Err("被打断".to_owned()),
    }
}
