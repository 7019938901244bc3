//! `stop-auditor explain`: what a hook configuration really does, by the tables of its host.
//! Nothing of it is run, and nothing is changed.

mod account;
mod host;
mod machine;
mod mistakes;
mod output;
mod program;
mod registration;
mod standing;
#[cfg(test)]
mod tests;
mod words;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::refuse;
use crate::paths;
use account::{Account, Reached};
pub use host::Host;
use machine::ThisMachine;
use output::Question;

/// What `explain` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "讲解：一份 hook 配置里，哪些真的会跑、还能改什么、哪里写错了",
    long_about = "讲解一份 hook 配置：Claude Code 的 settings.json，或者 Codex 的 hooks.json。\n\
                  每个处理器一段：认得出、解析得过、会跑是三回事；会跑的，再说它在那一刻还能改什么，崩溃、超时、沉默各会怎样，\
                  以及写错了的地方。什么都不运行，什么都不改。有一个处理器做不到它的写法所许诺的，退出码就是 1。",
    after_help = "例：\n  stop-auditor explain\n  stop-auditor explain .claude/settings.json\n  stop-auditor explain ~/.codex/hooks.json\n  \
                  stop-auditor explain --event Stop --stdout out.txt --exit-code 2    这样的输出，宿主会怎么对待"
)]
pub struct ExplainArgs {
    /// The file.
    #[arg(value_name = "SETTINGS", help = "要讲解的文件；不写就是配置目录里的 settings.json")]
    pub settings: Option<PathBuf>,
    /// Whose file it is.
    #[arg(long, value_enum, help = "按哪个宿主讲；不写就看文件在哪里、叫什么")]
    pub host: Option<Host>,
    /// Explain one output instead of a file.
    #[arg(
        long,
        value_name = "EVENT",
        conflicts_with = "settings",
        help = "不讲配置，讲这个事件上的一次输出"
    )]
    pub event: Option<String>,
    /// What the hook wrote to stdout.
    #[arg(long, value_name = "FILE", requires = "event", help = "那次输出的 stdout；不写就是空的")]
    pub stdout: Option<PathBuf>,
    /// What the hook wrote to stderr.
    #[arg(long, value_name = "FILE", requires = "event", help = "那次输出的 stderr；不写就是空的")]
    pub stderr: Option<PathBuf>,
    /// Its exit code.
    #[arg(long, value_name = "N", requires = "event", default_value_t = 0, help = "那次的退出码")]
    pub exit_code: u8,
    /// Print the accounts as JSON.
    #[arg(long, conflicts_with = "event", help = "用 JSON 打印")]
    pub json: bool,
}

/// Explains; exit code 1 when a handler, or an output, would not do what its shape promises, or when there is nothing
/// to read.
pub fn run(args: &ExplainArgs) -> ExitCode {
    match &args.event {
        Some(event) => explain_output(args, event),
        None => explain_file(args),
    }
}

fn explain_output(args: &ExplainArgs, event: &str) -> ExitCode {
    let text = |path: &Option<PathBuf>| match path {
        Some(path) => read_text(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        None => Ok(String::new()),
    };
    let question = text(&args.stdout).and_then(|stdout| {
        let host = args.host.unwrap_or(Host::ClaudeCode);
        Ok(Question::new(host, event, args.exit_code, &stdout, &text(&args.stderr)?))
    });
    let explained = question.and_then(|question| Ok((output::effect(&question)?, question)));
    let (effect, question) = match explained {
        Ok(explained) => explained,
        Err(why) => return refuse(&why),
    };
    let printed = output::print(&mut io::stdout().lock(), &question, &effect);
    if printed.is_ok() && !output::falls_short(&question.run, &effect) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn explain_file(args: &ExplainArgs) -> ExitCode {
    let Some(path) =
        args.settings.clone().or_else(|| paths::config_dir().map(|dir| dir.join("settings.json")))
    else {
        return refuse(
            "找不到配置目录：HOME 和 CLAUDE_CONFIG_DIR 都没有。把文件写在后面：stop-auditor explain 文件",
        );
    };
    let path = std::path::absolute(&path).unwrap_or(path);
    let settings = match read(&path) {
        Ok(settings) => settings,
        Err(why) => return refuse(&why),
    };
    let host = args.host.unwrap_or_else(|| Host::of(&path));
    let accounts = account::of(host, &settings, &ThisMachine::new(&path));
    let printed =
        if args.json { print_json(host, &path, &accounts) } else { print_lines(host, &path, &accounts) };
    let all_well = !accounts.iter().any(Account::is_broken);
    if printed.is_ok() && all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(path: &Path) -> Result<Value, String> {
    let shown = path.display();
    let value: Value = serde_json::from_slice(&read_text(path)?)
        .map_err(|error| format!("{shown} 不是合格的 JSON，宿主会把整份文件当作没有：{error}"))?;
    if value.is_object() { Ok(value) } else { Err(format!("{shown} 的最外层要是一个对象")) }
}

fn read_text(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("读不了 {}：{error}", path.display()))
}

fn print_json(host: Host, path: &Path, accounts: &[Account]) -> io::Result<()> {
    let told = json!({ "host": host.name(), "file": path, "handlers": accounts });
    writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(&told)?)
}

fn print_lines(host: Host, path: &Path, accounts: &[Account]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}（按 {} 讲）", path.display(), host.name())?;
    if host == Host::Codex {
        writeln!(out, "下面说会跑的，都要先信任：没信任过、或者信任之后改过的，Codex 一声不吭地跳过。")?;
    }
    for account in accounts {
        print_account(&mut out, account)?;
    }
    let broken = accounts.iter().filter(|account| account.is_broken()).count();
    match (accounts.len(), broken) {
        (0, _) => writeln!(out, "里面没有 hook。"),
        (n, 0) => writeln!(out, "\n{n} 个处理器，没有问题。"),
        (n, broken) => writeln!(out, "\n{n} 个处理器，{broken} 个做不到它的写法所许诺的。"),
    }
}

fn print_account(out: &mut impl Write, account: &Account) -> io::Result<()> {
    let mark = |yes| if yes { "✓" } else { "✗" };
    writeln!(out, "\n{}  {}", account.place, account.handler)?;
    let [recognised, parsed, runs] =
        [Reached::Recognised, Reached::Parsed, Reached::Run].map(|table| mark(account.reached >= table));
    writeln!(out, "  认得出 {recognised}  解析得过 {parsed}  会跑 {runs}")?;
    for (about, said) in &account.contract {
        writeln!(out, "  {about}：{said}")?;
    }
    for finding in &account.findings {
        writeln!(out, "{}", indented(&finding.to_string()))?;
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
