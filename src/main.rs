//! The `stop-auditor` command: without arguments it is the hook.
//! A wrong argument ends with 1 and not with clap's 2: to the client, 2 from a Stop hook is a block (6.11).

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;
use stop_auditor::command::{
    check, explain, install, log, pages, rate, report, selftest, stand_in, try_out, uninstall,
};

#[derive(Debug, Parser)]
#[command(
    name = "stop-auditor",
    version = env!("STOP_AUDITOR_VERSION"),
    about = "Claude Code 每轮结束时的独立审计员",
    long_about = "Claude Code 每轮结束时的独立审计员。不带参数就是 hook 本身：从 stdin 读 Claude Code 给的 JSON。",
    after_help = "例：\n  stop-auditor try          拿内置的例子试审一轮\n  stop-auditor install      装上并自测\n  stop-auditor selftest     再测一遍\n  \
                  stop-auditor uninstall    卸掉"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Try(try_out::TryArgs),
    Check(check::CheckArgs),
    Explain(explain::ExplainArgs),
    Log(log::LogArgs),
    Report(report::ReportArgs),
    Rate(rate::RateArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Selftest(selftest::SelftestArgs),
    Completions(pages::CompletionsArgs),
    Man(pages::ManArgs),
    /// The auditor that `try` asks where there is no other.
    #[command(hide = true, about = "内置的替身审计员：try 在没有 codex 的机器上用它")]
    StandIn,
}

fn main() -> ExitCode {
    if std::env::args_os().len() <= 1 {
        stop_auditor::hook::run();
        return ExitCode::SUCCESS;
    }
    match Arguments::try_parse() {
        Ok(Arguments { command: Command::Try(args) }) => try_out::run(&args),
        Ok(Arguments { command: Command::Check(args) }) => check::run(&args),
        Ok(Arguments { command: Command::Explain(args) }) => explain::run(&args),
        Ok(Arguments { command: Command::Log(args) }) => log::run(&args),
        Ok(Arguments { command: Command::Report(args) }) => report::run(&args),
        Ok(Arguments { command: Command::Rate(args) }) => rate::run(&args),
        Ok(Arguments { command: Command::StandIn }) => stand_in::run(),
        Ok(Arguments { command: Command::Install(args) }) => install::run(&args),
        Ok(Arguments { command: Command::Uninstall(args) }) => uninstall::run(&args),
        Ok(Arguments { command: Command::Selftest(args) }) => selftest::run(&args),
        Ok(Arguments { command: Command::Completions(args) }) => {
            pages::completions(&args, Arguments::command())
        }
        Ok(Arguments { command: Command::Man(args) }) => pages::man(&args, Arguments::command()),
        Err(error) => match error.print() {
            Ok(()) if !error.use_stderr() => ExitCode::SUCCESS,
            Ok(()) | Err(_) => ExitCode::FAILURE,
        },
    }
}
