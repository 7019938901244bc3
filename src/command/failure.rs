//! Why a command stops, in the person's language. Every one of these says whether anything was changed.

use super::check::Finding;
use crate::auditor::AuditError;
use crate::settings::refusal::Refusal;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A fate of `install`, `uninstall` or `selftest` that is no success.
#[derive(Debug)]
pub(super) enum Failure {
    /// Neither `CLAUDE_CONFIG_DIR` nor a home.
    NoHome,
    /// A path that JSON cannot hold.
    PathIsNoText(PathBuf),
    /// The settings stay as they are.
    Settings(PathBuf, Refusal),
    /// The auditor would be Claude's own vendor (1.7).
    Anthropic(String),
    /// A file in the binary's place that is not ours.
    NotOurs(PathBuf),
    /// The auditor could not be asked as things are, and nobody chose another (2.3).
    AuditorNotReady(Vec<Finding>),
    /// The auditor that was chosen lacks something that has to be said.
    Auditor(AuditError),
    /// The operating system refused.
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
        /// What is already changed.
        done: Vec<String>,
    },
    /// Nobody reads what we print.
    Output(io::Error),
}

impl Failure {
    /// For `map_err`: nothing has been changed yet.
    pub(super) fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |error| Self::Io { doing, path: path.to_owned(), error, done: Vec::new() }
    }

    /// Tells the person. Output that nobody reads says nothing about what was done, so `undone` is not said then.
    pub(super) fn tell(&self, undone: &str) -> ExitCode {
        let text = match self {
            Self::Output(_) => format!("{self}。"),
            Self::NoHome
            | Self::PathIsNoText(_)
            | Self::Settings(..)
            | Self::Anthropic(_)
            | Self::NotOurs(_)
            | Self::AuditorNotReady(_)
            | Self::Auditor(_)
            | Self::Io { .. } => format!("{undone}：{self}。"),
        };
        // Without a stderr the exit code is all there is to tell it by.
        let _ = writeln!(io::stderr(), "{text}");
        ExitCode::FAILURE
    }

    /// The same, after something was changed.
    pub(super) fn after(mut self, changes: &[String]) -> Self {
        if let Self::Io { done, .. } = &mut self {
            changes.clone_into(done);
        }
        self
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => write!(f, "找不到 Claude Code 的配置目录：CLAUDE_CONFIG_DIR 和 HOME 都没有"),
            Self::PathIsNoText(path) => {
                write!(f, "路径 {} 不是 UTF-8，写不进 settings.json。什么都没改", path.display())
            }
            Self::Settings(path, refusal) => write!(f, "{} {refusal}。文件没动", path.display()),
            Self::Anthropic(auditor) => {
                write!(f, "审计员不能用 Claude 自家的模型：{auditor}。换一家的，什么都没改")
            }
            Self::NotOurs(path) => write!(
                f,
                "{} 已经有一个文件，不是 stop-auditor 的程序。要换掉它，加 --force。什么都没改",
                path.display()
            ),
            Self::AuditorNotReady(findings) => {
                writeln!(f, "审计员现在用不了")?;
                for finding in findings {
                    writeln!(f, "{finding}")?;
                }
                write!(f, "换一家：--auditor NAME 或 --auditor-cmd '命令'；就这样装：--force。什么都没改")
            }
            Self::Auditor(error) => write!(f, "{error}。stop-auditor install --help 里有例子。什么都没改"),
            Self::Io { doing, path, error, done } => {
                write!(f, "{doing} {} 失败：{error}。", path.display())?;
                match done.as_slice() {
                    [] => write!(f, "什么都没改"),
                    done => write!(f, "在这之前已经做了：{}", done.join("；")),
                }
            }
            Self::Output(error) => write!(f, "输出写不出去：{error}"),
        }
    }
}
