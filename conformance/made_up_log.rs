//! Writes a log of made-up records: `scripts/made-up-log`.
#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_wrap,
    reason = "a program for people who work on this one"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use jiff::Timestamp;

#[path = "kit/made_up.rs"]
mod made_up;

/// As many as a month of daily work has.
const USUAL: usize = 800;

/// Days before now.
const DAYS: i64 = 30;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().map(PathBuf::from);
    let count = arguments.next().map_or(Some(USUAL), |count| count.to_str()?.parse().ok());
    let (Some(folder), Some(count), None) = (folder, count, arguments.next()) else {
        eprintln!("usage: made-up-log FOLDER [COUNT]");
        return ExitCode::FAILURE;
    };
    // Nobody's real log is mixed with made-up records.
    if folder.exists() {
        eprintln!("{} is there already; nothing was written", folder.display());
        return ExitCode::FAILURE;
    }
    let records = made_up::records(count, DAYS, Timestamp::now());
    match made_up::write_log(&folder, &records) {
        Ok(()) => {
            println!("{} records in {}", records.len(), folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
