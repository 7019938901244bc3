//! The `stop-auditor` command.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use stop_auditor::command::{install, selftest, uninstall};

#[derive(Debug, Parser)]
#[command(name = "stop-auditor", about = "Claude Code 每轮结束时的独立审计员", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Selftest(selftest::SelftestArgs),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        None => ExitCode::SUCCESS,
        Some(Command::Install(args)) => install::run(&args),
        Some(Command::Uninstall(args)) => uninstall::run(&args),
        Some(Command::Selftest(args)) => selftest::run(&args),
    }
}
