//! `stop-auditor rate`: the person says whether an audit was right, and may make a case for the kit of a wrong one.

mod case;
mod kept;
mod placeholder;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::ZonedDateTime;

use super::log::one;
use super::screen::plain;
use crate::hook::source;
use crate::paths;
use crate::record::marks::{Mark, Marks};
use crate::record::{Log, Record, Word};
use case::Case;

/// What `rate` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "评价：标一次审计判得对还是错；判错的可以做成测试用例",
    long_about = "评价：标一次审计判得对（right）还是错（wrong）。标过的记在日志目录的 marks/ 里，只追加，同一条以最新的为准；\
                  report 里算准确率，列出判错的。\n\
                  --case 把判错的那一轮（和它前一轮）写成一份最小的会话记录：结构留着，文字换成同样长度的占位字，\
                  id 换成编号，时间换成同一个时刻。写完自己看一遍再给别人。",
    after_help = "例：\n  stop-auditor rate 7k2m9x0c right\n  stop-auditor rate 7k2m wrong --why '它搜过了，审计员没看见'\n  \
                  stop-auditor rate 7k2m wrong --case wrong.jsonl"
)]
pub struct RateArgs {
    /// The record's id, or its beginning.
    #[arg(value_name = "ID", help = "日志表里的 ID，或者它的开头")]
    pub id: String,
    /// Right or wrong.
    #[arg(value_name = "right|wrong", help = "判得对，还是判错了")]
    pub judgement: Judgement,
    /// Why.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, help = "为什么")]
    pub why: String,
    /// Where the case goes.
    #[arg(long, value_name = "FILE", help = "把这一轮写成测试用例（不会覆盖已有的文件）")]
    pub case: Option<PathBuf>,
    /// Where the session's transcript is.
    #[arg(
        long,
        value_name = "FILE",
        requires = "case",
        help = "会话记录在哪里；不写就按会话 id 在配置目录里找"
    )]
    pub transcript: Option<PathBuf>,
}

/// What the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Judgement {
    /// The auditor was right.
    Right,
    /// It was not.
    Wrong,
}

/// Marks; exit code 1 when nothing was marked.
pub fn run(args: &RateArgs) -> ExitCode {
    let Some(log) = paths::log_dir().map(|directory| Log::in_folder(&directory)) else {
        return super::refuse(super::NO_LOG_FOLDER);
    };
    match rate(args, &log) {
        Ok(told) => super::ended(writeln!(io::stdout(), "{told}"), log.directory()),
        Err(why) => super::refuse(&format!("{why}。什么都没标。")),
    }
}

fn rate(args: &RateArgs, log: &Log) -> Result<String, String> {
    let (record, _) = one::find(log, &args.id).map_err(|why| why.to_string())?;
    if matches!(record.verdict, Word::Error | Word::Skip) {
        return Err(format!("{} 这条是 {}，审计员没有判，无从说对错", record.id(), record.verdict.name()));
    }
    let is_right = args.judgement == Judgement::Right;
    let case = match &args.case {
        Some(_) if is_right => return Err("判得对的不用做成用例：--case 只和 wrong 一起用".to_owned()),
        Some(file) => Some(write_case(file, args.transcript.as_deref(), &record)?),
        None => None,
    };
    let time = ZonedDateTime::now().strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string();
    let marks = Marks::beside(log.directory());
    let mark = Mark::of(&record, is_right, &args.why, time);
    marks.add(&mark).map_err(|error| format!("{} 写不了：{error}", marks.file().display()))?;
    let judged = if is_right { "判得对" } else { "判错了" };
    let mut told = format!("标好了：{} {}，{judged}", record.id(), plain(&record.text));
    if let Some(case) = case {
        told.push('\n');
        told.push_str(&case);
    }
    Ok(told)
}

/// Makes the case and says what it is.
fn write_case(file: &Path, transcript: Option<&Path>, record: &Record) -> Result<String, String> {
    let until =
        record.transcript_bytes.ok_or("这条记录是旧版本写的，没有记下当时会话记录有多长，做不了用例")?;
    let found = transcript.map(Path::to_owned).or_else(|| source::of_session(&record.session_id, None));
    let transcript = found.ok_or_else(|| {
        format!("找不到会话 {} 的会话记录，用 --transcript 指给它", plain(&record.session_id))
    })?;
    let case = Case::of(&transcript, until)
        .map_err(|error| format!("会话记录 {} 读不了：{error}", transcript.display()))?
        .ok_or_else(|| format!("会话记录 {} 里找不到这一轮", transcript.display()))?;
    case.write(file).map_err(|error| format!("{} 写不了：{error}", file.display()))?;
    let same = case.has_same_shape().map_err(|error| format!("写出的用例读不了：{error}"))?;
    let mut told = format!(
        "用例写在 {}：{} 行。文字都换成了占位字，给别人之前自己看一遍；要放进测试，照 conformance/transcripts/README.md 写上期望。",
        file.display(),
        case.rows()
    );
    if !same {
        told.push_str("\n注意：占位以后读出来的轮次和原来的不完全一样，可能漏了某种标记。");
    }
    Ok(told)
}
