//! The commands beside the hook itself: one file each.

pub mod auditor_args;
mod binary;
mod changes;
pub mod check;
pub mod explain;
mod failure;
pub mod install;
pub mod log;
pub mod pages;
pub mod rate;
pub mod report;
mod screen;
pub mod selftest;
pub mod since;
pub mod stand_in;
pub mod try_out;
pub mod uninstall;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser};

/// What is said where the log has no folder at all.
const NO_LOG_FOLDER: &str = "找不到日志目录：HOME、CLAUDE_CONFIG_DIR、STOP_AUDITOR_LOG_DIR 都没有";

/// Reads a path that is given as an argument; a relative one is taken from where the command runs.
fn absolute_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(std::path::absolute)
}

/// Says why a command does nothing.
fn refuse(why: &str) -> ExitCode {
    // Without a stderr the exit code is all there is to tell it by.
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::FAILURE
}

/// How a command ends that has read from a place and printed. A reader that has seen enough (`| head`) is no error.
fn ended(printed: io::Result<()>, place: &Path) -> ExitCode {
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => refuse(&format!("{}：{error}", place.display())),
    }
}
