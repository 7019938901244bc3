//! `stop-auditor selftest`: section 9, items 1 to 6, on the registered command (10.2), with built-in fake auditors
//! and a made-up session. All of it lives in temporary directories (9.9): no real session, log or settings.

mod bench;
mod items;

use super::failure::Failure;
use crate::paths;
use crate::settings::EVENTS;
use crate::settings::document::Document;
use crate::settings::file::SettingsFile;
use crate::settings::registration::registered_command;
use clap::builder::NonEmptyStringValueParser;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

/// What `selftest` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "自测：用假审计员在临时目录里把第 9 节的 1 到 6 项跑一遍",
    long_about = "自测：用内置的假审计员和合成的会话，在临时目录里把第 9 节的 1 到 6 项跑一遍，\
                  逐项打印命令、输出和结果。测的是 settings.json 里注册的命令，和 Claude Code 一样用 sh -c 跑。\
                  不碰真实会话、日志和设置，也不调真模型。有一项没过，退出码就是 1。",
    after_help = "例：\n  stop-auditor selftest\n  stop-auditor selftest --command 'node /opt/hooks/stop-auditor.mjs'"
)]
pub struct SelftestArgs {
    /// A command to test instead of the registered one.
    #[arg(
        long,
        value_name = "CMD",
        value_parser = NonEmptyStringValueParser::new(),
        help = "测这条 shell 命令（路径写绝对的），而不是注册的那条"
    )]
    pub command: Option<String>,
    /// Another settings file than the user's.
    #[arg(
        long,
        value_name = "FILE",
        value_parser = super::absolute_path(),
        help = "从这个设置文件里找注册的命令",
        conflicts_with = "command"
    )]
    pub settings: Option<PathBuf>,
}

/// The commands under test, one an event, and where they are from.
#[derive(Debug)]
pub(super) struct Commands {
    stop: String,
    prompt_submit: String,
    origin: String,
}

impl Commands {
    /// Those in a settings file. When only one of the two is registered, it answers for both: the items that
    /// need the other will tell.
    pub(super) fn registered(document: &Document, path: &Path) -> Option<Self> {
        let [stop, prompt_submit] = EVENTS.map(|(event, _)| registered_command(document, event));
        let missing = match (&stop, &prompt_submit) {
            (None, None) => return None,
            (None, Some(_)) => "；Stop 没有注册",
            (Some(_), None) => "；UserPromptSubmit 没有注册",
            (Some(_), Some(_)) => "",
        };
        Some(Self {
            origin: format!("{} 里注册的{missing}", path.display()),
            stop: stop.clone().or_else(|| prompt_submit.clone())?,
            prompt_submit: prompt_submit.or(stop)?,
        })
    }

    fn same(command: String, origin: &str) -> Self {
        Self { stop: command.clone(), prompt_submit: command, origin: origin.to_owned() }
    }
}

/// Tests, prints, and gives exit code 1 when any item failed.
pub fn run(args: &SelftestArgs) -> ExitCode {
    let mut out = io::stdout().lock();
    match choose(args).and_then(|commands| perform(&commands, &mut out)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => failure.tell("没测"),
    }
}

fn choose(args: &SelftestArgs) -> Result<Commands, Failure> {
    if let Some(command) = &args.command {
        return Ok(Commands::same(command.clone(), "--command 给的"));
    }
    let path = match &args.settings {
        Some(path) => path.clone(),
        None => paths::config_dir().ok_or(Failure::NoHome)?.join("settings.json"),
    };
    let file = SettingsFile::read(&path).map_err(Failure::io("读", &path))?;
    let document = file.bytes().map(Document::parse).transpose();
    let document = document.map_err(|refusal| Failure::Settings(path.clone(), refusal))?;
    if let Some(commands) = document.and_then(|document| Commands::registered(&document, &path)) {
        return Ok(commands);
    }
    let own = std::env::current_exe().map_err(Failure::io("找自己的程序", Path::new("stop-auditor")))?;
    let quoted = own.to_str().and_then(|own| shlex::try_quote(own).ok());
    let quoted = quoted.ok_or_else(|| Failure::PathIsNoText(own.clone()))?.into_owned();
    Ok(Commands::same(quoted, &format!("{} 里没有注册，测的是正在跑的程序自己", path.display())))
}

/// Every item at the same time, each in its own directory: the time-out item waits, the others need not wait for it.
fn do_all(commands: &Commands) -> Vec<io::Result<items::Item>> {
    thread::scope(|scope| {
        let running = items::ITEMS.map(|(_, _, item)| {
            scope.spawn(move || bench::Bench::new(commands).and_then(|bench| item(&bench)))
        });
        let join = |thread: thread::ScopedJoinHandle<io::Result<items::Item>>| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("自测自己出错了")))
        };
        running.into_iter().map(join).collect()
    })
}

/// Runs every item and prints them in order. `true` when all passed.
pub(super) fn perform(commands: &Commands, out: &mut impl Write) -> Result<bool, Failure> {
    writeln!(out, "== 自测（第 9 节，假审计员，临时目录）==")?;
    writeln!(out, "被测命令 {}（{}）", commands.stop, commands.origin)?;
    if commands.stop != commands.prompt_submit {
        writeln!(out, "UserPromptSubmit 的命令 {}", commands.prompt_submit)?;
    }
    let mut failed = Vec::new();
    for ((number, title, _), done) in items::ITEMS.iter().zip(do_all(commands)) {
        writeln!(out, "\n{number} {title}")?;
        let has_passed = match done {
            Ok(checks) => print_item(&checks, out)?,
            Err(error) => {
                writeln!(out, "  没跑成：{error}")?;
                false
            }
        };
        writeln!(out, "  {number} {}", if has_passed { "通过" } else { "没过" })?;
        if !has_passed {
            failed.push(*number);
        }
    }
    match failed.as_slice() {
        [] => writeln!(out, "\n自测 {} 项全部通过。\n", items::ITEMS.len())?,
        failed => writeln!(out, "\n自测 {} 项，没过的：{}\n", items::ITEMS.len(), failed.join("、"))?,
    }
    Ok(failed.is_empty())
}

fn print_item(item: &items::Item, out: &mut impl Write) -> io::Result<bool> {
    for run in &item.runs {
        writeln!(out, "  $ {}", run.shown)?;
        writeln!(out, "    {}", run.ended)?;
        for (name, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            if name == "stdout" || !text.is_empty() {
                writeln!(out, "    {name} {}", excerpt(text))?;
            }
        }
    }
    for check in &item.checks {
        writeln!(out, "  {} {}", if check.ok { "✓" } else { "✗" }, check.what)?;
    }
    Ok(!item.checks.is_empty() && item.checks.iter().all(|check| check.ok))
}

/// One line, and not a long one.
fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 400;
    let trimmed = text.trim_end();
    let line: String = trimmed.chars().take(MAX_CHARS).map(|c| if c == '\n' { '⏎' } else { c }).collect();
    match trimmed.chars().count().saturating_sub(MAX_CHARS) {
        0 if line.is_empty() => "（空）".to_owned(),
        0 => line,
        left_out => format!("{line}……（省略 {left_out} 字）……"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Commands, perform};

    fn report(commands: &Commands) -> (bool, String) {
        let mut out = Vec::new();
        let passed = perform(commands, &mut out).unwrap();
        (passed, String::from_utf8(out).unwrap())
    }

    /// Every fact that an item looks at is looked at: hooks that are wrong in one way each, and what is told of them.
    #[test]
    fn r10_2_what_is_wrong_with_a_hook_is_told_fact_by_fact() {
        let logs = |word: &str| {
            format!("cat >/dev/null; echo '{{\"verdict\":\"{word}\"}}' >>\"$STOP_AUDITOR_LOG_DIR/x.jsonl\"")
        };
        let silent = "cat >/dev/null";
        for (hook, told, not_told) in [
            (
                silent,
                &[
                    "sh -c 'cat >/dev/null'（输入 Stop，stop_hook_active true）\n    退出码 0\n    stdout （空）\n",
                    "sh -c 'cat >/dev/null'（输入 UserPromptSubmit）\n",
                    "✓ 不拦\n",
                    "✓ 第三次什么都不输出，退出码 0\n",
                    "✗ 思考过程一个字都不在\n",
                    "✗ 转交后文件被删掉\n",
                ][..],
                &["    stderr ", "没跑成"][..],
            ),
            (
                "cat >/dev/null; printf '{\"decision\":\"block\"}'",
                &[
                    "    stdout {\"decision\":\"block\"}\n",
                    "✗ 不拦\n",
                    "✗ 没有拦\n",
                    "✗ 第三次什么都不输出，退出码 0\n",
                ],
                &["✓ 不拦", "✓ 没有拦"],
            ),
            (
                "cat >/dev/null; echo a complaint >&2; exit 3",
                &[
                    "    退出码 3\n    stdout （空）\n    stderr a complaint\n",
                    "✗ 不拦\n",
                    "✗ 没有拦\n",
                    "✗ 第三次什么都不输出，退出码 0\n",
                ],
                &["✓ 不拦", "✓ 没有拦"],
            ),
            ("kill -9 $$", &["    被信号 9 结束\n"], &["退出码 0\n    stdout"]),
            (
                &logs("PASS"),
                &["✓ 日志恰好一条，是 PASS\n", "✗ 日志恰好一条，是 ERROR\n"],
                &["✓ 日志恰好一条，是 ERROR"],
            ),
            (&logs("not PASS"), &["✗ 日志恰好一条，是 PASS\n"], &["✓ 日志恰好一条"]),
        ] {
            let (passed, text) = report(&Commands::same(hook.to_owned(), "test"));
            assert!(!passed);
            for line in told {
                assert!(text.contains(line), "{hook}: {line}\n{text}");
            }
            for line in not_told {
                assert!(!text.contains(line), "{hook}: {line}\n{text}");
            }
        }
        let of_prompts = "UserPromptSubmit 的命令 ";
        let other = format!("{silent}; true");
        let two =
            Commands { stop: silent.to_owned(), prompt_submit: other.clone(), origin: "test".to_owned() };
        let (_, text) = report(&two);
        assert!(text.contains(&format!("被测命令 {silent}（test）\n{of_prompts}{other}\n")), "{text}");
        assert!(!report(&Commands::same(silent.to_owned(), "test")).1.contains(of_prompts));
    }

    /// A hook that does nothing, and one that blocks whatever happens.
    #[test]
    fn r10_2_a_hook_that_does_not_do_its_work_fails_every_item_it_should() {
        let report = |command: &str| report(&Commands::same(command.to_owned(), "test"));
        let (passed, text) = report("cat >/dev/null");
        assert!(!passed);
        assert!(text.contains("没过的：9.1、9.2、9.3、9.4a、9.4b、9.4c、9.5、9.6"), "{text}");
        let (passed, text) = report("cat >/dev/null; printf '{\"decision\":\"block\",\"reason\":\"x\"}'");
        assert!(!passed);
        assert!(text.contains("没过的：9.1、9.2、9.3、9.4a、9.4b、9.4c、9.5、9.6"), "{text}");
    }
}
