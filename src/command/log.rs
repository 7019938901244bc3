//! `stop-auditor log`: what the hook did, a line an audit, the newest last; `log show ID` prints one whole.
//!
//! What stands in the log was written by models: nothing of it reaches the terminal with its control characters.

pub(super) mod one;
mod prune;
mod table;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::screen::Screen;
use super::since::Since;
use crate::paths;
use crate::record::{Broken, Log, Record, Word, broken};
use table::Table;

/// What `log` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "日志：每次审计一行，最新的在最后；log show ID 看一条的全部",
    long_about = "日志：每次 Stop 一行，最新的在最后。各列：时间（当地）、ID、项目、会话（前 8 位）、本轮第几次审、判定、\
                  审计员用了几秒、提示词字数、VERDICT 原文或出错原因。\n\
                  ID 是 8 个字符，由这条记录的判定、会话、第几次审和时间算出来，不会变，旧版本写的记录也有；\
                  log show 和 rate 都认它，也认只写开头几个字符。\n\
                  不写 -n 时给最新的 20 条；写了 --since 就全给。读不懂的行会跳过，并且说明在哪里。\n\
                  颜色只在终端上有，设了 NO_COLOR 就没有。",
    after_help = "例：\n  stop-auditor log\n  stop-auditor log --since 2d --verdict fail,note\n  \
                  stop-auditor log --follow\n  stop-auditor log show 7k2m9x0c\n  stop-auditor log -n 0 --json | jq .text\n  \
                  stop-auditor log --prune 90d --dry-run",
    args_conflicts_with_subcommands = true
)]
pub struct LogArgs {
    /// Show one record instead.
    #[command(subcommand)]
    pub one: Option<One>,
    /// Which records.
    #[command(flatten)]
    pub wanted: Wanted,
    /// Go on with what comes.
    #[arg(long, short = 'f', help = "接着等，有新的就打印（Ctrl-C 结束）")]
    pub follow: bool,
    /// Print records as JSON.
    #[arg(long, help = "一行一条 JSON：日志里的原样，加上 id")]
    pub json: bool,
    /// Delete old days instead.
    #[arg(long, value_name = "WHEN", help = "不看日志，删掉更早的：90d 是 90 天以前的，或者日期 2026-09-01 之前的；今天的总留着",
          conflicts_with_all = ["follow", "json", "newest", "since", "session", "verdict"])]
    pub prune: Option<Since>,
    /// Only say what would go.
    #[arg(long, requires = "prune", help = "配合 --prune：只说会删什么，一个都不删")]
    pub dry_run: bool,
}

/// Which records are wanted.
#[derive(Debug, Clone, clap::Args)]
pub struct Wanted {
    /// At most so many.
    #[arg(short = 'n', value_name = "N", help = "最新的 N 条；0 是全部")]
    pub newest: Option<usize>,
    /// Since when.
    #[arg(long, value_name = "WHEN", help = "从什么时候起：30m、12h、2d、4w，或者日期 2026-11-01")]
    pub since: Option<Since>,
    /// Of sessions that begin so.
    #[arg(long, value_name = "ID", help = "只看这个会话（会话 id，或者它的开头）")]
    pub session: Option<String>,
    /// With these verdicts.
    #[arg(long, value_name = "WORD", value_delimiter = ',', value_parser = word,
          help = "只看这些判定：pass、note、fail、error、skip，逗号隔开")]
    pub verdict: Vec<Word>,
}

/// One record.
#[derive(Debug, clap::Subcommand)]
pub enum One {
    /// Print it whole.
    #[command(about = "打印一条记录的全部：原话、回复、命令摘要、token、截掉了什么")]
    Show {
        /// Its id, or its beginning.
        #[arg(value_name = "ID", help = "日志表里的 ID，或者它的开头")]
        id: String,
        /// As JSON.
        #[arg(long, help = "用 JSON 打印")]
        json: bool,
    },
}

/// Records that are shown where nothing else is asked for.
const USUAL: usize = 20;

/// How often `--follow` looks.
const LOOK_EVERY: Duration = Duration::from_millis(300);

fn word(name: &str) -> Result<Word, String> {
    Word::of(name).ok_or_else(|| format!("没有 {name} 这种判定；有 pass、note、fail、error、skip"))
}

/// Prints the log; exit code 1 when it cannot be read, or when the one record is not there.
pub fn run(args: &LogArgs) -> ExitCode {
    let Some(log) = paths::log_dir().map(|directory| Log::in_folder(&directory)) else {
        return super::refuse(super::NO_LOG_FOLDER);
    };
    match (&args.one, args.prune) {
        (Some(One::Show { id, json }), _) => one::run(&log, id, *json),
        (None, Some(before)) => prune::run(&log, before, args.dry_run),
        (None, None) => super::ended(print(args, &log), log.directory()),
    }
}

fn print(args: &LogArgs, log: &Log) -> io::Result<()> {
    let since = args.wanted.since.map(|since| since.moment(Timestamp::now()));
    let mut out = io::stdout().lock();
    let mut reader = if args.follow { log.follow(since) } else { log.once(since) };
    let mut printer = Printer::new(args.json);
    let mut newest = Newest { rows: VecDeque::new(), most: args.wanted.most() };
    let mut unread = reader.go_on(|record, line| {
        if args.wanted.holds(&record) {
            newest.push(printer.row(record, line));
        }
    })?;
    printer.print(&mut out, newest.rows.make_contiguous())?;
    if !args.follow {
        if newest.rows.is_empty() {
            nothing_there(log.directory());
        }
        tell(&unread);
        return Ok(());
    }
    loop {
        tell(&unread);
        thread::sleep(LOOK_EVERY);
        let mut rows = Vec::new();
        unread = reader.go_on(|record, line| {
            if args.wanted.holds(&record) {
                rows.push(printer.row(record, line));
            }
        })?;
        printer.print(&mut out, &rows)?;
    }
}

/// A row as it is printed: reading keeps no more of a log than what it prints.
enum Row {
    Json(String),
    Shown(Record),
}

/// The newest rows, where only so many are wanted.
struct Newest {
    rows: VecDeque<Row>,
    most: usize,
}

impl Newest {
    fn push(&mut self, row: Row) {
        self.rows.push_back(row);
        if self.rows.len() > self.most {
            self.rows.pop_front();
        }
    }
}

struct Printer {
    json: bool,
    table: Option<Table>,
}

impl Printer {
    fn new(json: bool) -> Printer {
        Printer { json, table: None }
    }

    fn row(&self, record: Record, line: &[u8]) -> Row {
        if self.json { Row::Json(with_id(&record, line)) } else { Row::Shown(record) }
    }

    /// Prints rows. The first ones decide how wide the columns are, and get the head.
    fn print(&mut self, out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
        let records: Vec<&Record> = rows
            .iter()
            .filter_map(|row| match row {
                Row::Shown(record) => Some(record),
                Row::Json(_) => None,
            })
            .collect();
        if !records.is_empty() && self.table.is_none() {
            let table = Table::for_records(&records, Screen::of_stdout());
            writeln!(out, "{}", table.head())?;
            self.table = Some(table);
        }
        for row in rows {
            match (row, &self.table) {
                (Row::Json(line), _) => writeln!(out, "{line}")?,
                (Row::Shown(record), Some(table)) => writeln!(out, "{}", table.row(record))?,
                (Row::Shown(_), None) => {}
            }
        }
        out.flush()
    }
}

impl Wanted {
    fn most(&self) -> usize {
        match (self.newest, self.since) {
            (Some(0), _) | (None, Some(_)) => usize::MAX,
            (Some(n), _) => n,
            (None, None) => USUAL,
        }
    }

    fn holds(&self, record: &Record) -> bool {
        let of_session = |session: &String| record.session_id.starts_with(session.as_str());
        self.session.as_ref().is_none_or(of_session)
            && (self.verdict.is_empty() || self.verdict.contains(&record.verdict))
    }
}

/// The line as it stands in the log, its id before everything else.
fn with_id(record: &Record, line: &[u8]) -> String {
    let mut fields = serde_json::Map::from_iter([("id".to_owned(), Value::from(record.id()))]);
    if let Ok(Value::Object(read)) = serde_json::from_slice(line) {
        fields.extend(read);
    }
    Value::Object(fields).to_string()
}

/// Broken lines are no part of the table: whoever reads it from a pipe gets records only.
fn tell(unread: &[Broken]) {
    for line in broken::told(unread) {
        // Without a stderr there is nobody to tell.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

fn nothing_there(directory: &Path) {
    let _ = writeln!(io::stderr(), "{} 里没有这样的记录。", directory.display());
}
