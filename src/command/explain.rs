//! `stop-auditor explain`: what a hook configuration really does, by the tables of its host.
//! Nothing of it is run, and nothing is changed.

mod account;
mod host;
mod machine;
mod mistakes;
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

use crate::paths;
use account::{Account, Reached};
pub use host::Host;
use machine::ThisMachine;

/// What `explain` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "讲解：一份 hook 配置里，哪些真的会跑、还能改什么、哪里写错了",
    long_about = "讲解一份 hook 配置：Claude Code 的 settings.json，或者 Codex 的 hooks.json。\n\
                  每个处理器一段：认得出、解析得过、会跑是三回事；会跑的，再说它在那一刻还能改什么，崩溃、超时、沉默各会怎样，\
                  以及写错了的地方。什么都不运行，什么都不改。有一个处理器做不到它的写法所许诺的，退出码就是 1。",
    after_help = "例：\n  stop-auditor explain\n  stop-auditor explain .claude/settings.json\n  stop-auditor explain ~/.codex/hooks.json"
)]
pub struct ExplainArgs {
    /// The file.
    #[arg(value_name = "SETTINGS", help = "要讲解的文件；不写就是配置目录里的 settings.json")]
    pub settings: Option<PathBuf>,
    /// Whose file it is.
    #[arg(long, value_enum, help = "按哪个宿主讲；不写就看文件在哪里、叫什么")]
    pub host: Option<Host>,
    /// Print the accounts as JSON.
    #[arg(long, help = "用 JSON 打印")]
    pub json: bool,
}

/// Explains; exit code 1 when a handler would not do what its shape promises, or when there is nothing to read.
pub fn run(args: &ExplainArgs) -> ExitCode {
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
    let text = fs::read_to_string(path).map_err(|error| format!("读不了 {shown}：{error}"))?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| format!("{shown} 不是合格的 JSON，宿主会把整份文件当作没有：{error}"))?;
    if value.is_object() { Ok(value) } else { Err(format!("{shown} 的最外层要是一个对象")) }
}

fn refuse(why: &str) -> ExitCode {
    // Without a stderr the exit code is all there is to tell it by.
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::FAILURE
}

fn print_json(host: Host, path: &Path, accounts: &[Account]) -> io::Result<()> {
    let told = json!({ "host": host.name(), "file": path, "handlers": accounts });
    writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(&told)?)
}

fn print_lines(host: Host, path: &Path, accounts: &[Account]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}（按 {} 讲）", path.display(), host.name())?;
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
