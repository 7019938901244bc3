//! `stop-auditor check`: what could keep audits from happening, one line each with what to do (section 2).
//!
//! Nothing is sent to a model unless `--live` asks for it.

mod auditor;
mod codex;
mod finding;
mod installation;
mod plugins;
mod preset;
mod privacy;
mod transcripts;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::auditor::Choice;
use crate::auditor::signals::Signals;
pub(super) use finding::Finding;
pub(super) use installation::choice;

/// What `check` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "检查：审计员能不能用、hook 挂没挂上、日志里有没有连着出错",
    long_about = "检查：审计员装没装、登没登录、用到的参数和功能名认不认得；hook 注册了没有、能不能执行；\
                  日志能不能写、最近的审计有没有连着出错；本机最新的会话记录里有没有不认识的记录类型。\n\
                  不给 --live 就不向任何模型发东西。有一项有问题，退出码就是 1。",
    after_help = "例：\n  stop-auditor check\n  stop-auditor check --live    真问一次审计员\n  stop-auditor check --json"
)]
pub struct CheckArgs {
    /// Ask the auditor once, on the built-in example.
    #[arg(long, help = "拿内置的例子真问一次审计员")]
    pub live: bool,
    /// Print the findings as JSON.
    #[arg(long, help = "用 JSON 打印")]
    pub json: bool,
    /// Another settings file than the user's.
    #[arg(long, value_name = "FILE", value_parser = super::absolute_path(), help = "看这个设置文件，而不是配置目录里的 settings.json")]
    pub settings: Option<PathBuf>,
}

/// Looks at everything; exit code 1 when there is a problem.
pub fn run(args: &CheckArgs) -> ExitCode {
    let mut findings = Vec::new();
    // The hook gets its variables from the settings' `env`, and so does this look.
    let choice = installation::choice(args.settings.as_deref());
    match Signals::catch() {
        Ok(signals) => findings.extend(look_at_auditor(&choice, args.live, &signals)),
        Err(error) => findings.push(Finding::problem("审计员", format!("接不了信号：{error}"), "再试一次")),
    }
    findings.extend(installation::look(args.settings.as_deref()));
    findings.extend(privacy::look(&choice.settings));
    findings.extend(transcripts::look());
    let has_problem = findings.iter().any(Finding::is_problem);
    let printed = if args.json { print_json(&findings) } else { print_lines(&findings) };
    if printed.is_ok() && !has_problem { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The look at the auditor, which `install` takes too (2.3).
pub(super) fn look_at_auditor(choice: &Choice, live: bool, signals: &Signals) -> Vec<Finding> {
    auditor::look(choice, live, signals)
}

fn print_lines(findings: &[Finding]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for finding in findings {
        writeln!(out, "{finding}")?;
    }
    let problems = findings.iter().filter(|finding| finding.is_problem()).count();
    match problems {
        0 => writeln!(out, "没有问题。"),
        n => writeln!(out, "{n} 个问题。"),
    }
}

fn print_json(findings: &[Finding]) -> io::Result<()> {
    let text = serde_json::to_string_pretty(findings)?;
    writeln!(io::stdout().lock(), "{text}")
}
