//! `stop-auditor report`: what the hook did, what it cost, and how often it was right; in the terminal or as a page.

mod charts;
mod figures;
mod page;
mod summary;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use jiff::{Timestamp, ZonedDateTime};

use super::screen::Screen;
use super::since::Since;
use crate::hook::notes::Notes;
use crate::hook::private;
use crate::paths;
use crate::record::marks::Marks;
use crate::record::{Broken, Log, Record};
use figures::{Collector, Figures};
use page::Row;

/// What `report` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "报告：审了多少、打回多少、之后怎样、出错几次、花了多少、判得对不对",
    long_about = "报告：每天审了多少、各种判定占多少、每 100 轮打回几次、打回之后怎样、出错的原因和最长连错、用时、token、\
                  提示词字数和截掉了什么、提醒转交了没有，以及 rate 标过的对错。\n\
                  --html 写一个单独的网页：不联网，从磁盘打开就行，浅色深色都有；里面有日志里的判定原文，给别人之前先看一遍。",
    after_help = "例：\n  stop-auditor report\n  stop-auditor report --since 2026-11-01\n  stop-auditor report --html report.html"
)]
pub struct ReportArgs {
    /// Since when.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "30d",
        help = "从什么时候起：12h、30d、4w，或者日期 2026-11-01"
    )]
    pub since: Since,
    /// A page instead.
    #[arg(long, value_name = "FILE", help = "写成网页（已有的文件会换掉）")]
    pub html: Option<PathBuf>,
}

/// A report, whatever it is shown on.
struct Report {
    since: Timestamp,
    made: ZonedDateTime,
    figures: Figures,
    unread: Vec<Broken>,
}

/// Prints the report or writes the page; exit code 1 when the log cannot be read or the page not be written.
pub fn run(args: &ReportArgs) -> ExitCode {
    let Some(log) = paths::log_dir().map(|directory| Log::in_folder(&directory)) else {
        return super::refuse(super::NO_LOG_FOLDER);
    };
    let mut rows = Vec::new();
    let read = gather(&log, args.since, |record| {
        if args.html.is_some() {
            rows.push(Row::of(record));
        }
    });
    let report = match read {
        Ok(report) => report,
        Err(error) => return super::ended(Err(error), log.directory()),
    };
    let Some(file) = &args.html else {
        let mut out = io::stdout().lock();
        return super::ended(summary::print(&mut out, &report, Screen::of_stdout()), log.directory());
    };
    let page = page::html(&report, &rows);
    let written = private::overwrite(file, page.as_bytes())
        .map_err(|error| format!("{} 写不了：{error}", file.display()));
    match written {
        Ok(()) => super::ended(writeln!(io::stdout(), "写好了：{}", file.display()), log.directory()),
        Err(why) => super::refuse(&why),
    }
}

fn gather(log: &Log, since: Since, mut also: impl FnMut(&Record)) -> io::Result<Report> {
    let made = ZonedDateTime::now();
    let since = since.moment(made.timestamp());
    let mut collector = Collector::default();
    let mut unread = log.read(Some(since), |record, _| {
        collector.take(&record);
        also(&record);
    })?;
    let (marks, broken_marks) = Marks::beside(log.directory()).newest()?;
    unread.extend(broken_marks);
    let notes = Notes::new(log.directory());
    let figures = collector.finish(|session_id| notes.waiting(session_id), marks);
    Ok(Report { since, made, figures, unread })
}
