//! What `log`, `report` and its page say of two made-up logs: one of nine days in which everything happened, and a long
//! one with little in it.
use std::fmt::Write as _;
use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;

/// (time, session, project, verdict, which audit, text)
type Audit = (&'static str, &'static str, &'static str, &'static str, u32, &'static str);

/// Every verdict, everything that can follow a block, and more causes of errors than are listed.
const NINE_DAYS: &[Audit] = &[
    ("11-18T09:05", "3f2a0001", "订单系统", "PASS", 1, "PASS"),
    ("11-18T09:20", "3f2a0001", "订单系统", "FAIL", 1, "FAIL - 无证据结论：没有搜索就断言没有调用"),
    ("11-18T09:21", "3f2a0001", "订单系统", "PASS", 2, "PASS"),
    ("11-18T14:10", "3f2a0002", "billing", "PASS", 1, "PASS"),
    ("11-19T10:00", "3f2a0003", "billing", "NOTE", 1, "NOTE - 说改了 6 个文件，工具输出里只有 5 个"),
    ("11-19T10:30", "3f2a0003", "billing", "FAIL", 1, "FAIL - 改约：用户定的是 <b>\"甲\"</b> & '乙'"),
    ("11-19T10:31", "3f2a0003", "billing", "FAIL", 2, "FAIL - 改约：还是没有改"),
    ("11-19T10:32", "3f2a0003", "billing", "SKIP", 0, "本轮已经审过 2 次"),
    ("11-22T11:00", "3f2a0004", "", "ERROR", 1, "超过 150 秒没有答复"),
    ("11-22T11:10", "3f2a0004", "", "ERROR", 1, "超过 150 秒没有答复"),
    ("11-22T11:20", "3f2a0004", "", "ERROR", 1, "审计员出错，退出码 1：no network"),
    ("11-22T11:30", "3f2a0004", "", "PASS", 1, "PASS"),
    ("11-22T11:40", "3f2a0004", "", "ERROR", 1, "审计员出错，退出码 1：quota"),
    ("11-22T11:50", "3f2a0004", "", "ERROR", 1, "超过 150 秒没有答复"),
    ("11-22T12:00", "3f2a0004", "", "ERROR", 1, "原因十"),
    ("11-23T11:00", "3f2a0004", "", "ERROR", 1, "原因三"),
    ("11-23T11:01", "3f2a0004", "", "ERROR", 1, "原因四"),
    ("11-23T11:02", "3f2a0004", "", "ERROR", 1, "原因五"),
    ("11-23T11:03", "3f2a0004", "", "ERROR", 1, "原因六"),
    ("11-23T11:04", "3f2a0004", "", "ERROR", 1, "原因七：一"),
    ("11-23T11:05", "3f2a0004", "", "ERROR", 1, "原因八：二"),
    ("11-23T11:06", "3f2a0004", "", "ERROR", 1, "原因九"),
    ("11-25T16:00", "3f2a0005", "支付网关", "FAIL", 1, "FAIL - 答非所问：要的是回滚方案，给的是上线步骤"),
    ("11-25T16:02", "3f2a0005", "支付网关", "ERROR", 2, "原因三"),
    ("11-26T09:00", "3f2a0006", "支付网关", "FAIL", 1, "FAIL - 无证据结论：没有跑过测试"),
    ("11-26T09:30", "3f2a0006", "支付网关", "FAIL", 1, "FAIL - 无证据结论：又没有跑过测试"),
    ("11-26T18:00", "3f2a0007", "支付网关", "NOTE", 1, "NOTE - 出自截图，核对不了"),
];

/// Seventy days: more than have a bar each.
const SEVENTY_DAYS: &[Audit] = &[
    ("09-01T10:00", "3f2a0001", "billing", "PASS", 1, "PASS"),
    ("09-20T10:00", "3f2a0002", "billing", "NOTE", 1, "NOTE - 说接口都有文档，只看过其中三个"),
    ("09-21T10:00", "3f2a0002", "billing", "ERROR", 1, "超过 150 秒没有答复"),
    ("11-09T10:00", "3f2a0003", "billing", "FAIL", 1, "FAIL - 无证据结论：没有搜索"),
];

/// A log, and commands that look at it.
struct Desk {
    sandbox: Sandbox,
}

impl Desk {
    fn with(audits: &[Audit]) -> Self {
        let desk = Self { sandbox: Sandbox::new() };
        let mut days: Vec<(&str, String)> = Vec::new();
        for (index, audit) in audits.iter().enumerate() {
            let day = &audit.0[..5];
            if days.last().is_none_or(|(last, _)| *last != day) {
                days.push((day, String::new()));
            }
            let (_, lines) = days.last_mut().unwrap();
            let _ = writeln!(lines, "{}", record(index as u64, audit));
        }
        for (day, lines) in days {
            desk.add(day, &lines);
        }
        desk
    }

    /// Writes to the log of a day of 2026.
    fn add(&self, day: &str, lines: &str) {
        let file = self.sandbox.path(&format!("logs/2026-{day}.jsonl"));
        let before = fs::read_to_string(&file).unwrap_or_default();
        write(&file, before + lines);
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_stop-auditor"))
            .args(arguments)
            .current_dir(self.sandbox.path("project"))
            .env_clear()
            .env("TZ", "UTC")
            .env("STOP_AUDITOR_LOG_DIR", self.sandbox.path("logs"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        self.in_general(&text)
    }

    /// The command, what it says and its exit code.
    fn told(&self, arguments: &[&str]) -> String {
        format!("$ stop-auditor {}\n{}\n", arguments.join(" "), self.run(arguments))
    }

    fn id(&self, number: usize) -> String {
        let lines = self.run(&["log", "-n", "0", "--json"]);
        let line: Value = serde_json::from_str(lines.lines().nth(number).unwrap()).unwrap();
        line["id"].as_str().unwrap().to_owned()
    }

    /// Without the places of this sandbox, and without today's date.
    fn in_general(&self, text: &str) -> String {
        let text = text.replace(self.sandbox.root().to_str().unwrap(), "<sandbox>");
        let text = without(&text, "2026-08-01 到 ", "：", "<today>");
        without(&text, " 条记录，", " 生成", "<now>")
    }
}

/// The text with something else between these two, where they stand in it.
fn without(text: &str, before: &str, behind: &str, instead: &str) -> String {
    let Some((head, rest)) = text.split_once(before) else { return text.to_owned() };
    let Some((_, tail)) = rest.split_once(behind) else { return text.to_owned() };
    format!("{head}{before}{instead}{behind}{tail}")
}

fn record(index: u64, (time, session, project, verdict, audit, text): &Audit) -> Value {
    let time = format!("2026-{time}:00.000+08:00");
    let mut record = json!({"time": time, "session_id": session, "project": project, "verdict": verdict, "audit": audit, "text": text,
        "stop_hook_active": *audit != 1});
    if *audit > 0 {
        record["duration_ms"] = (index * index * 357 + 4_449).into();
        record["prompt_chars"] = (index * 3_217 + 951).into();
    }
    record
}

/// The tables of both logs, and one record whole.
pub(super) fn log() -> String {
    let desk = Desk::with(NINE_DAYS);
    let known = json!({"time": "2026-11-28T20:00:00.000+08:00", "session_id": "3f2a0008", "project": "a\u{1b}[2Jb", "verdict": "NOTE",
        "audit": 1, "text": "NOTE - 只看过其中三个", "auditor": "gpt-6.1-sol", "duration_ms": 61_250, "prompt_chars": 23_456,
        "tokens": [41_234, 567], "shortened": {"current_cut": true, "earlier_shown": 3, "earlier_dropped": 2},
        "stop_hook_active": false, "client_version": "2.1.332", "tool_calls": 2, "warnings": ["甲", "乙"], "detached": 1,
        "transcript_bytes": 12_345, "of a newer version": {"x": [1, null]},
        "person": "改一下\n然后跑测试", "last_calls": ["Bash cargo test", "Read a.rs"], "reply": "好了"});
    desk.add("11-28", &format!("{known}\n"));
    let id = desk.id(NINE_DAYS.len());
    desk.run(&["rate", &id, "right", "--why", "确实\u{7}"]);
    let mut text = desk.told(&["log"]);
    for arguments in [&["log", "show", &id][..], &["log", "show", &id, "--json"]] {
        text += &desk.told(arguments);
    }
    text + &Desk::with(SEVENTY_DAYS).told(&["log", "-n", "2"])
}

/// The nine days, with marks and a broken line.
fn nine_days() -> Desk {
    let desk = Desk::with(NINE_DAYS);
    for (number, judgement, why) in [(1, "right", ""), (5, "wrong", "<i>说过</i>可以换"), (25, "wrong", "")]
    {
        desk.run(&["rate", &desk.id(number), judgement, "--why", why]);
    }
    let told = json!({"time": "2026-11-26T19:00:00.000+08:00", "session_id": "3f2a0008", "verdict": "PASS", "audit": 1, "text": "PASS",
        "duration_ms": 1_000, "prompt_chars": 60_000, "tokens": [41_234, 567],
        "shortened": {"current_cut": true, "earlier_shown": 3, "earlier_dropped": 2}});
    desk.add("11-26", &format!("{told}\n<b>\n"));
    desk
}

pub(super) fn report() -> String {
    let arguments = ["report", "--since", "2026-08-01"];
    nine_days().told(&arguments) + &Desk::with(SEVENTY_DAYS).told(&arguments)
}

/// The page of the nine days without its style and its script.
pub(super) fn page() -> String {
    let desk = nine_days();
    let arguments = ["report", "--since", "2026-08-01", "--html", "report.html"];
    let told = desk.told(&arguments);
    let page = fs::read_to_string(desk.sandbox.path("project/report.html")).unwrap();
    let (_, from) = page.split_once("<header>").unwrap();
    let (body, _) = from.split_once("<script>").unwrap();
    format!("{told}<header>{}", desk.in_general(body))
}
