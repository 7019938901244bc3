//! Made-up records of a log, the same every time: for screens, pages and measures. Nobody said any of it.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

const PROJECTS: [&str; 4] = ["订单系统", "billing", "docs-site", "支付网关"];

const FAILS: [&str; 5] = [
    "FAIL - 无证据结论：没有搜索就断言整个仓库都没有调用",
    "FAIL - 改约：用户定的是 PostgreSQL，实际换成了 SQLite，没有先问",
    "FAIL - 无证据结论：说测试全部通过，本轮没有跑过测试",
    "FAIL - 存在性断言无穷举：只搜了 src，就说全项目没有别的入口",
    "FAIL - 答非所问：要的是回滚方案，给的是上线步骤",
];

const NOTES: [&str; 3] = [
    "NOTE - 说改了 6 个文件，工具输出里只有 5 个",
    "NOTE - “比原来快一倍”出自截图，核对不了",
    "NOTE - 说接口都有文档，只看过其中三个",
];

const ERRORS: [&str; 3] = [
    "超过 150 秒没有答复",
    "审计员出错，退出码 1：stream disconnected before completion",
    "回复里没有 VERDICT 行：I cannot help",
];

/// Draws numbers: a small generator of Steele's (SplitMix64), so that every run draws the same.
struct Draw(u64);

impl Draw {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap_or_default()]
    }
}

/// So many records over the days up to a moment, the oldest first: few at weekends, none at night, and two days on which
/// the auditor could mostly not be reached.
pub(crate) fn records(count: usize, days: i64, until: Timestamp) -> Vec<Value> {
    let mut draw = Draw(7);
    let mut records = Vec::new();
    for (day, share) in shares(&mut draw, count, days).into_iter().enumerate() {
        let ago_h = 24 * (days - i64::try_from(day).unwrap_or_default());
        let midnight = until.saturating_sub(SignedDuration::from_hours(ago_h)).unwrap_or(Timestamp::MIN);
        let is_bad = [days / 4, days * 2 / 3].contains(&i64::try_from(day).unwrap_or_default());
        let before = records.len();
        while records.len() < before + share {
            // From 9 to 23 o'clock where the moment is a midnight.
            let part = i64::try_from((records.len() - before) * 50_400 / share).unwrap_or_default();
            let at = midnight + SignedDuration::from_secs(32_400 + part);
            let turn = turn(&mut draw, at, records.len() as u64, is_bad);
            records.extend(turn.into_iter().take(before + share - records.len()));
        }
    }
    records
}

/// How many records each day has.
fn shares(draw: &mut Draw, count: usize, days: i64) -> Vec<usize> {
    let weight = |day: i64| if day % 7 < 5 { 5 } else { 1 };
    let weights: Vec<u64> = (0..days).map(|day| weight(day) * (8 + draw.below(8))).collect();
    let all: u64 = weights.iter().sum();
    let (mut sum, mut given) = (0, 0);
    let share = |weight: &u64| {
        sum += weight;
        let upto = usize::try_from(count as u64 * sum / all.max(1)).unwrap_or_default();
        let share = upto - given;
        given = upto;
        share
    };
    weights.iter().map(share).collect()
}

/// The one to three records of a turn, a minute apart.
fn turn(draw: &mut Draw, at: Timestamp, number: u64, is_bad: bool) -> Vec<Value> {
    let of_session = number / 9;
    let session =
        format!("{:08x}-7c1e-4b3a-9d52-6f0e8a4b{:04x}", 0x3f2a_0000 + of_session, of_session % 0xffff);
    let project = PROJECTS[usize::try_from(of_session % 4).unwrap_or_default()];
    let mut first = record(draw, at, &session, project);
    let (verdict, text) = match draw.below(1_000) {
        drawn if is_bad && drawn % 10 < 6 => ("ERROR", ERRORS[1]),
        0..=744 => ("PASS", "PASS"),
        745..=839 => ("NOTE", draw.of(&NOTES)),
        840..=979 => ("FAIL", draw.of(&FAILS)),
        _ => ("ERROR", draw.of(&ERRORS)),
    };
    set_verdict(&mut first, verdict, text, 1);
    // Sometimes the person goes on before Claude does.
    if verdict != "FAIL" || draw.below(12) == 0 {
        return vec![first];
    }
    let later = |of: &Value, minutes: i64| {
        let mut record = of.clone();
        record["time"] = time(at + SignedDuration::from_mins(minutes)).into();
        record["stop_hook_active"] = true.into();
        record
    };
    let mut second = later(&first, 1);
    let (verdict, text) = match draw.below(20) {
        0..=14 => ("PASS", "PASS"),
        15 => ("NOTE", draw.of(&NOTES)),
        16..=18 => ("FAIL", draw.of(&FAILS)),
        _ => ("ERROR", ERRORS[0]),
    };
    set_verdict(&mut second, verdict, text, 2);
    if verdict != "FAIL" {
        return vec![first, second];
    }
    let mut third = later(&second, 2);
    set_verdict(&mut third, "SKIP", "本轮已审 2 次", 0);
    vec![first, second, third]
}

fn time(at: Timestamp) -> String {
    at.to_zoned_datetime(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

fn record(draw: &mut Draw, at: Timestamp, session: &str, project: &str) -> Value {
    let mut calls = Vec::new();
    for n in 0..draw.below(9) {
        calls.push(format!("Bash：cargo test --package part-{n} → ok"));
    }
    let prompt_chars = 4_000 + draw.below(30) * draw.below(30) * draw.below(70);
    json!({
        "time": time(at), "session_id": session, "project": project, "verdict": "PASS", "text": "", "audit": 1,
        "auditor": "gpt-6.1-sol", "duration_ms": 4_000 + draw.below(90) * draw.below(90) * draw.below(12), "prompt_chars": prompt_chars,
        "shortened": {"current_cut": prompt_chars > 55_000, "earlier_shown": draw.below(12), "earlier_dropped": draw.below(20) / 18 * 4},
        "transcript_bytes": 20_000 + draw.below(900_000), "stop_hook_active": false, "person": "这个仓库里还有地方调用 parse_order 吗？",
        "reply": "没有了，整个仓库都没用到，可以放心删。".repeat(6), "tool_calls": calls.len(), "last_calls": calls,
        "tokens": [prompt_chars / 2 + draw.below(900), 40 + draw.below(700)], "client_version": "2.1.332",
    })
}

fn set_verdict(record: &mut Value, verdict: &str, text: &str, audit: u32) {
    record["verdict"] = verdict.into();
    record["text"] = text.into();
    record["audit"] = audit.into();
    let Some(fields) = record.as_object_mut() else { return };
    if audit == 0 {
        for (name, none) in [("duration_ms", json!(0)), ("prompt_chars", json!(0))] {
            fields.insert(name.to_owned(), none);
        }
    }
    if audit == 0 || verdict == "ERROR" {
        fields.shift_remove("tokens");
    }
    if audit == 0 {
        fields.shift_remove("shortened");
    }
}

/// Writes records into a log's folder, a file a day.
pub(crate) fn write_log(folder: &Path, records: &[Value]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut files: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for record in records {
        let day = record["time"].as_str().unwrap_or_default().get(..10).unwrap_or_default();
        let lines = files.entry(format!("{day}.jsonl")).or_default();
        writeln!(lines, "{record}").map_err(io::Error::other)?;
    }
    files.into_iter().try_for_each(|(name, lines)| fs::write(folder.join(name), lines))
}
