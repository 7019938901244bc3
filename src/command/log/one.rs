//! One record whole.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::{tell, with_id};
use crate::command::screen::{Screen, plain, plain_lines};
use crate::record::marks::Marks;
use crate::record::{Log, Record};

/// Ids that are shown where several would fit.
const SHOWN: usize = 8;

/// Why there is not one record.
#[derive(Debug)]
pub(in crate::command) enum NotOne {
    /// None has such an id.
    None(String),
    /// Several begin so.
    Several(String, Vec<String>),
    /// The log cannot be read.
    Unreadable(io::Error),
}

impl std::fmt::Display for NotOne {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotOne::None(id) => {
                write!(f, "日志里没有 ID 是 {} 的记录。ID 在 stop-auditor log 的第二列", plain(id))
            }
            NotOne::Several(id, found) => {
                let (n, some) =
                    (found.len(), found.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("、"));
                let more = if n > SHOWN { "……" } else { "" };
                write!(f, "{} 开头的记录有 {n} 条，多写几个字符：{some}{more}", plain(id))
            }
            NotOne::Unreadable(error) => write!(f, "日志读不了：{error}"),
        }
    }
}

/// The record of this id, with its line.
pub(in crate::command) fn find(log: &Log, id: &str) -> Result<(Record, Vec<u8>), NotOne> {
    let wanted = id.trim().to_ascii_lowercase();
    let mut found: Vec<(String, Record, Vec<u8>)> = Vec::new();
    let read = log.read(None, |record, line| {
        let id = record.id();
        if !wanted.is_empty() && id.starts_with(&wanted) && found.iter().all(|(known, ..)| *known != id) {
            found.push((id, record, line.to_vec()));
        }
    });
    tell(&read.map_err(NotOne::Unreadable)?);
    if found.len() > 1 {
        let ids = found.into_iter().map(|(id, ..)| id).collect();
        return Err(NotOne::Several(id.to_owned(), ids));
    }
    found.pop().map(|(_, record, line)| (record, line)).ok_or_else(|| NotOne::None(id.to_owned()))
}

pub(super) fn run(log: &Log, id: &str, json: bool) -> ExitCode {
    let (record, line) = match find(log, id) {
        Ok(found) => found,
        Err(why) => return crate::command::refuse(&format!("{why}。")),
    };
    let mut out = io::stdout().lock();
    let printed = if json {
        pretty(&record, &line).and_then(|text| writeln!(out, "{text}"))
    } else {
        print(&mut out, &record, &line, log)
    };
    crate::command::ended(printed, log.directory())
}

fn pretty(record: &Record, line: &[u8]) -> io::Result<String> {
    let value: Value = serde_json::from_str(&with_id(record, line))?;
    Ok(serde_json::to_string_pretty(&value)?)
}

/// The fields by the names that the person reads, in this order; the rest below, as they are called in the log.
const NAMES: [(&str, &str); 17] = [
    ("time", "时间"),
    ("project", "项目"),
    ("session_id", "会话"),
    ("audit", "本轮第几次审"),
    ("verdict", "判定"),
    ("text", "VERDICT 原文或原因"),
    ("auditor", "审计员"),
    ("duration_ms", "用时（毫秒）"),
    ("prompt_chars", "提示词字数"),
    ("tokens", "token（读、写）"),
    ("shortened", "截掉了什么"),
    ("transcript_bytes", "会话记录当时有多长（字节）"),
    ("stop_hook_active", "被 Stop hook 拦过（stop_hook_active）"),
    ("client_version", "Claude Code 版本"),
    ("tool_calls", "工具调用次数"),
    ("warnings", "审计员的警告"),
    ("detached", "脱离了进程组的进程"),
];

/// Long texts stand last, below their names.
const LONG: [(&str, &str); 3] = [
    ("person", "你的话（前 500 字）"),
    ("last_calls", "最后几次工具调用"),
    ("reply", "最终回复（后 1500 字）"),
];

fn print(out: &mut impl Write, record: &Record, line: &[u8], log: &Log) -> io::Result<()> {
    let fields: serde_json::Map<String, Value> = serde_json::from_slice(line)?;
    writeln!(out, "ID：{}", record.id())?;
    for (key, name) in NAMES {
        match (key, fields.get(key)) {
            (_, None) => {}
            ("verdict", _) => {
                let word = Screen::of_stdout().coloured(record.verdict.name(), record.verdict);
                writeln!(out, "{name}：{word}")?;
            }
            ("shortened", Some(_)) => writeln!(out, "{name}：{}", left_out(record))?,
            (_, Some(value)) => writeln!(out, "{name}：{}", plain(&told(value)))?,
        }
    }
    let is_named = |key: &str| NAMES.iter().chain(&LONG).any(|(known, _)| *known == key);
    for (key, value) in fields.iter().filter(|(key, _)| !is_named(key)) {
        writeln!(out, "{}：{}", plain(key), plain(&told(value)))?;
    }
    if let Ok((marks, _)) = Marks::beside(log.directory()).newest()
        && let Some(mark) = marks.iter().find(|mark| mark.id == record.id())
    {
        let why = if mark.why.is_empty() { String::new() } else { format!("：{}", plain(&mark.why)) };
        writeln!(out, "你的评价：{}{why}", if mark.right { "判得对" } else { "判错了" })?;
    }
    for (key, name) in LONG {
        let lines: Vec<String> = match fields.get(key) {
            None => continue,
            Some(Value::Array(lines)) => lines.iter().map(told).collect(),
            Some(value) => vec![told(value)],
        };
        writeln!(out, "\n{name}：")?;
        for line in lines.iter().flat_map(|line| plain_lines(line)) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

fn left_out(record: &Record) -> String {
    let Some(shortened) = record.shortened else { return String::new() };
    let current =
        if shortened.current_cut { "本轮的内容有截短" } else { "本轮的内容没有截短" };
    format!(
        "{current}；之前的轮次列出 {} 轮，因为长度没列出 {} 轮",
        shortened.earlier_shown, shortened.earlier_dropped
    )
}

fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(told).collect::<Vec<_>>().join("、"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_ids_are_named_and_that_there_are_more() {
        let told = |n: usize| {
            let ids = (1..=n).map(|n| format!("a{n}")).collect();
            NotOne::Several("a".to_owned(), ids).to_string()
        };
        for (n, ids) in
            [(2, "a1、a2"), (8, "a1、a2、a3、a4、a5、a6、a7、a8"), (9, "a1、a2、a3、a4、a5、a6、a7、a8……")]
        {
            assert_eq!(told(n), format!("a 开头的记录有 {n} 条，多写几个字符：{ids}"));
        }
    }
}
