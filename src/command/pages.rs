//! `stop-auditor completions` and `stop-auditor man`: made from the definitions of the commands, so they are never
//! behind them.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

/// What `completions` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "打印 shell 的补全脚本",
    after_help = "例：\n  stop-auditor completions bash > ~/.local/share/bash-completion/completions/stop-auditor\n  \
                  stop-auditor completions zsh > ~/.zfunc/_stop-auditor\n  \
                  stop-auditor completions fish > ~/.config/fish/completions/stop-auditor.fish"
)]
pub struct CompletionsArgs {
    /// For which shell.
    #[arg(value_name = "SHELL", help = "哪个 shell")]
    pub shell: Shell,
}

/// What `man` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "打印手册页（roff）",
    after_help = "例：\n  stop-auditor man > ~/.local/share/man/man1/stop-auditor.1\n  stop-auditor man log | man -l -"
)]
pub struct ManArgs {
    /// Of which command.
    #[arg(value_name = "COMMAND", help = "哪个命令；不给就是整个程序")]
    pub command: Option<String>,
}

/// Prints the script by which a shell completes our command line.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "stop-auditor", &mut script);
    print(&script)
}

/// Prints the manual page of the program, or of one of its commands.
pub fn man(args: &ManArgs, mut program: Command) -> ExitCode {
    program.build();
    let wanted = match &args.command {
        None => Some(&program),
        Some(name) => program.find_subcommand(name),
    };
    let Some(wanted) = wanted else {
        return super::refuse(&format!("没有 {} 这个命令", args.command.as_deref().unwrap_or_default()));
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(wanted.clone()).render(&mut page) {
        Ok(()) => print(&page),
        Err(error) => super::refuse(&error.to_string()),
    }
}

fn print(text: &[u8]) -> ExitCode {
    let mut out = io::stdout().lock();
    super::ended(out.write_all(text).and_then(|()| out.flush()), Path::new("stdout"))
}
