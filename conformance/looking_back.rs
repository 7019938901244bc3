//! The commands that look back at what the hook did: `log` and `report`. Only our own program has them.

pub(crate) mod rating;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::kit::auditors::{fake, says};
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::made_up;
use crate::kit::programs::{FakeCodex, message};
use crate::kit::sandbox::Sandbox;
use crate::kit::terminal::at_a_terminal;

const BINARY: &str = env!("CARGO_BIN_EXE_stop-auditor");

/// What a command printed.
struct Seen {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Seen {
    /// The lines of the table without its head.
    fn rows(&self) -> Vec<&str> {
        self.out.lines().skip(1).collect()
    }
}

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", sandbox.path("home"));
    command.env("TMPDIR", sandbox.path("tmp")).env("STOP_AUDITOR_LOG_DIR", sandbox.path("logs"));
    command.args(arguments);
    command
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Seen {
    let output = command(sandbox, arguments).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Seen { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}

fn record(time: &str, session: &str, verdict: &str, audit: u32, text: &str) -> Value {
    json!({"time": time, "session_id": session, "project": "订单", "verdict": verdict, "audit": audit, "text": text,
           "stop_hook_active": audit == 2, "duration_ms": 12_345, "prompt_chars": 23_456})
}

fn log_of(sandbox: &Sandbox, name: &str, lines: &[String]) {
    write(&sandbox.path(&format!("logs/{name}.jsonl")), lines.join("\n") + "\n");
}

/// The ids of all records, in the order of the log.
fn ids(sandbox: &Sandbox) -> Vec<String> {
    let seen = ask(sandbox, &["log", "-n", "0", "--json"]);
    let id = |line: &str| serde_json::from_str::<Value>(line).ok()?["id"].as_str().map(str::to_owned);
    seen.out.lines().filter_map(id).collect()
}

/// A log of four records by hand: three days, two sessions, an old record without the newer fields, and broken lines.
fn with_a_log() -> Sandbox {
    let sandbox = Sandbox::new();
    let old = json!({"time": "2026-11-27T09:00:00.000+08:00", "session_id": "aaaa1111-x", "verdict": "PASS", "text": "PASS"});
    log_of(&sandbox, "2026-11-27", &[old.to_string()]);
    let fail = record("2026-11-28T09:00:00.000+08:00", "bbbb2222-x", "FAIL", 1, "FAIL - 无证据结论");
    let torn = "{\"time\":\"2026-11-28T09:0".to_owned();
    let again = record("2026-11-28T09:01:00.000+08:00", "bbbb2222-x", "PASS", 2, "PASS");
    log_of(&sandbox, "2026-11-28", &[fail.to_string(), torn, again.to_string()]);
    let error = record("2026-11-29T09:00:00.000+08:00", "aaaa1111-x", "ERROR", 1, "超过 150 秒没有答复");
    log_of(&sandbox, "2026-11-29", &[error.to_string(), "not json".to_owned()]);
    sandbox
}

checks! {
    /// 8.1: a line a record, the newest last; what is no record is named, and the rest is shown all the same.
    #[own]
    fn r8_1_log_shows_a_line_a_record_and_names_broken_ones(c: &mut Checks) {
        let sandbox = with_a_log();
        let seen = ask(&sandbox, &["log"]);
        c.equal("8.1", "exit code", seen.code, Some(0));
        let verdicts: Vec<Option<&str>> = seen
            .rows()
            .iter()
            .map(|row| ["PASS", "FAIL", "ERROR"].into_iter().find(|word| row.contains(word)))
            .collect();
        c.equal("8.1", "verdicts in order", verdicts, ["PASS", "FAIL", "PASS", "ERROR"].map(Some).to_vec());
        let rows = seen.rows();
        for part in ["2026-11-28 09:00", "订单", "bbbb2222", " 1 ", "12.3", "23,456", "无证据结论"] {
            c.contains("8.1", format!("the row of the block holds {part}"), rows[1], part);
        }
        c.contains("8.1", "the number of broken lines", &seen.err, "2 处");
        for place in ["2026-11-28.jsonl 第 2 行", "2026-11-29.jsonl 第 2 行"] {
            c.contains("8.1", "a broken line by file and number", &seen.err, place);
        }
        c.absent("8.1", "no colours where it is no terminal", &seen.out, "\u{1b}");
    }

    /// Old days go where they are asked to, and nothing else does; a Stop deletes nothing.
    #[own]
    fn p_2_old_days_of_the_log_go_on_demand_only(c: &mut Checks) {
        let sandbox = with_a_log();
        let all = |sandbox: &Sandbox| -> Vec<String> {
            let files = sandbox.files_below("logs").into_iter();
            let mut names: Vec<String> =
                files.map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        for name in ["pending/s.json", "marks/marks.jsonl", "2026-11-27.jsonl.bak", "mine.txt"] {
            write(&sandbox.path("logs").join(name), "x");
        }
        let before = all(&sandbox);
        let seen = ask(&sandbox, &["log", "--prune", "2026-11-29", "--dry-run"]);
        c.equal("P.2", "--dry-run: exit code", seen.code, Some(0));
        c.contains("P.2", "--dry-run: what would go", &seen.out, "2026-11-28.jsonl");
        c.equal("P.2", "--dry-run: files", all(&sandbox), before.clone());
        let seen = ask(&sandbox, &["log", "--prune", "2026-11-29"]);
        c.equal("P.2", "exit code", seen.code, Some(0));
        let gone = ["2026-11-27.jsonl", "2026-11-28.jsonl"];
        for name in gone {
            c.contains("P.2", "what has gone", &seen.out, name);
        }
        let left: Vec<String> = before.into_iter().filter(|name| !gone.contains(&name.as_str())).collect();
        c.equal("P.2", "files", all(&sandbox), left);
        for arguments in
            [&["log", "--prune", "soon"][..], &["log", "--dry-run"], &["log", "--prune", "1d", "-n", "3"]]
        {
            c.equal("P.2", format!("{arguments:?}: exit code"), ask(&sandbox, arguments).code, Some(1));
        }

        let sandbox = Sandbox::with_two_turns();
        log_of(&sandbox, "2001-01-01", &[]);
        sandbox.stop().auditor(&fake("pass")).run();
        let is_there = sandbox.path("logs/2001-01-01.jsonl").exists();
        c.equal("P.2", "a day of long ago after a Stop", is_there, true);
    }

    /// 8.1: what is shown can be chosen.
    #[own]
    fn r8_1_log_shows_what_is_asked_for(c: &mut Checks) {
        let sandbox = with_a_log();
        for (arguments, count) in [
            (&["log", "-n", "2"][..], 2),
            (&["log", "--session", "aaaa"], 2),
            (&["log", "--verdict", "fail,Error"], 2),
            (&["log", "--since", "2026-11-29"], 1),
            (&["log", "--since", "2026-11-28", "-n", "1"], 1),
            (&["log", "--session", "bbbb", "--verdict", "pass"], 1),
        ] {
            let seen = ask(&sandbox, arguments);
            c.equal("8.1", format!("rows of {arguments:?}"), seen.rows().len(), count);
        }
        let lines = ask(&sandbox, &["log", "--json", "-n", "0"]);
        let read: Vec<Value> =
            lines.out.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        c.equal("8.1", "JSON lines", read.len(), 4);
        c.equal("8.1", "as in the log", read[1]["duration_ms"].clone(), json!(12_345));
        let known = read.iter().all(|line| line["id"].as_str().is_some_and(|id| id.len() == 8));
        c.that("8.1", "each with its id", known, "8 characters", lines.out);
        for (arguments, told) in [
            (&["log", "--verdict", "maybe"][..], "maybe"),
            (&["log", "--since", "soon"], "30m"),
            (&["log", "show", "zzzzzzzz"], "没有"),
            (&["log", "show", ""], "没有"),
        ] {
            let seen = ask(&sandbox, arguments);
            c.equal("8.1", format!("{arguments:?}: exit code"), seen.code, Some(1));
            c.contains("8.1", format!("{arguments:?}: why"), &seen.err, told);
        }
        let nothing = ask(&Sandbox::new(), &["log"]);
        c.equal("8.1", "no log yet: exit code", nothing.code, Some(0));
        c.contains("8.1", "no log yet: told", &nothing.err, "没有");
    }

    /// 8.1: the hook's own record whole, with what it cost, what was cut, and what was called.
    #[own]
    fn r8_1_one_record_is_shown_whole(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let codex = FakeCodex::new(&sandbox, &[message("VERDICT: FAIL - 答非所问：要甲给乙")]);
        codex.stop().env("CODEX_API_KEY", "k").env("CLAUDE_PROJECT_DIR", "/home/u/订单系统").run();
        let lines = sandbox.log_lines();
        let line = lines.first().cloned().unwrap_or_default();
        c.equal("8.1", "the project's name and no path", line["project"].clone(), json!("订单系统"));
        c.equal("8.1", "whether this turn was cut", line["shortened"]["current_cut"].clone(), json!(false));
        c.equal("8.1", "earlier turns shown", line["shortened"]["earlier_shown"].clone(), json!(1));
        let length = fs::metadata(sandbox.path("transcript.jsonl")).unwrap().len();
        c.equal("8.1", "the transcript's length", line["transcript_bytes"].clone(), json!(length));
        let id = ids(&sandbox).pop().unwrap_or_default();
        let seen = ask(&sandbox, &["log", "show", &id[..5]]);
        c.equal("8.1", "exit code", seen.code, Some(0));
        let calls = line["last_calls"].as_array().cloned().unwrap_or_default();
        let parts =
            [id.as_str(), "订单系统", sandbox.session_id(), "答非所问：要甲给乙", "41234、40056", "没有截短"];
        let calls = calls.iter().filter_map(Value::as_str);
        for part in parts.into_iter().chain(calls).chain(line["person"].as_str()) {
            c.contains("8.1", format!("it holds {part}"), &seen.out, part);
        }
        c.that("8.1", "calls were made", line["tool_calls"] != json!(0), "calls", line.to_string());
    }

    /// 8.1: the same prefix of several ids names none of them.
    #[own]
    fn r8_1_an_id_that_is_too_short_is_refused_with_the_candidates(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let until = "2026-11-29T00:00:00Z".parse().unwrap();
        made_up::write_log(&sandbox.path("logs"), &made_up::records(200, 3, until)).unwrap();
        let ids = ids(&sandbox);
        let first = &ids[0][..1];
        let same = ids.iter().filter(|id| id.starts_with(first)).count();
        let seen = ask(&sandbox, &["log", "show", first]);
        c.that("8.1", "ids of one beginning", same > 1, "several", same.to_string());
        c.equal("8.1", "exit code", seen.code, Some(1));
        c.contains("8.1", "how many", &seen.err, &format!("有 {same} 条"));
        c.contains("8.1", "the whole id of one", &seen.err, &ids[0]);
    }

    /// 8.1: what comes while it is being looked at.
    #[own]
    fn r8_1_follow_shows_what_comes(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("pass")).run();
        let mut child = command(&sandbox, &["log", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().and_then(Result::ok).unwrap_or_default();
        c.contains("8.1", "the head", &line(), "说明");
        c.contains("8.1", "what was there", &line(), "PASS");
        sandbox.stop().auditor(&says("VERDICT: NOTE - 刚来的")).run();
        c.contains("8.1", "what has come", &line(), "刚来的");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A reader that has seen enough is no error.
    #[own]
    fn r8_1_a_reader_that_goes_away_is_no_error(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let until = "2026-11-29T00:00:00Z".parse().unwrap();
        // More than a pipe holds.
        made_up::write_log(&sandbox.path("logs"), &made_up::records(3_000, 3, until)).unwrap();
        for arguments in [&["log", "-n", "0"][..], &["log", "-n", "0", "--json"]] {
            let mut child =
                command(&sandbox, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut first = [0; 64];
            child.stdout.take().unwrap().read_exact(&mut first).unwrap();
            let output = child.wait_with_output().unwrap();
            c.equal("8.1", format!("{arguments:?}: exit code"), output.status.code(), Some(0));
            c.equal("8.1", format!("{arguments:?}: complaints"), output.stderr.len(), 0);
        }
    }

    /// On a terminal there are colours, unless `NO_COLOR` is set, and no line is wider.
    #[own]
    fn r8_1_a_terminal_has_colours_and_a_width(c: &mut Checks) {
        let sandbox = with_a_log();
        let long = record(
            "2026-11-29T10:00:00.000+08:00",
            "cccc",
            "FAIL",
            1,
            &format!("FAIL - {}", "很长的理由".repeat(40)),
        );
        log_of(&sandbox, "2026-11-30", &[long.to_string()]);
        for (no_color, coloured) in [(None, true), (Some(""), true), (Some("1"), false)] {
            let mut command = Command::new(BINARY);
            command.arg("log").env_clear().env("STOP_AUDITOR_LOG_DIR", sandbox.path("logs"));
            command.envs(no_color.map(|value| ("NO_COLOR", value)));
            let shown = at_a_terminal(command, Some(90), "", |command| command).text;
            let red = shown.contains("\u{1b}[31mFAIL");
            c.equal("8.1", format!("NO_COLOR {no_color:?}: colours"), red, coloured);
            let last = shown.lines().rfind(|line| line.contains("很长")).unwrap_or_default();
            c.that("8.1", "the line is cut at the edge", last.ends_with('…'), "…", last);
            let wide = last.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
            // A Chinese character takes two columns and three bytes.
            let columns =
                wide.chars().map(|c| if c.len_utf8() == 3 && c != '…' { 2 } else { 1 }).sum::<usize>();
            c.that(
                "8.1",
                "and fills the terminal",
                (89..=90).contains(&columns),
                "89 or 90 columns",
                columns.to_string(),
            );
        }
    }

    /// The report's figures, of a log that was counted by hand.
    #[own]
    fn r8_1_report_counts_what_the_log_says(c: &mut Checks) {
        let sandbox = with_a_log();
        let seen = ask(&sandbox, &["report", "--since", "2026-11-01"]);
        c.equal("8.1", "exit code", seen.code, Some(0));
        let fact = |name: &str| {
            let line = seen.out.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
            line.trim_start().trim_start_matches(name).trim().to_owned()
        };
        for (name, told) in [
            ("2026-11-27", "1 "),
            ("PASS", "2（50%）"),
            ("FAIL", "1（25%）"),
            ("ERROR", "1（25%）"),
            // The old record does not say which audit it was.
            ("轮数", "3"),
            ("每 100 轮打回", "33.3 次"),
            ("再审通过", "1（100%）"),
            ("最长连着出错", "1 次"),
            ("用时中位数", "12.3 秒"),
            ("字数中位数", "23,456 字"),
            ("打回（FAIL）", "还没标过"),
        ] {
            c.contains("8.1", name, &fact(name), told);
        }
        c.contains("8.1", "the cause of errors", &seen.out, "1 次  超过 150 秒没有答复");
        c.contains("8.1", "broken lines", &seen.out, "2 处读不懂");
        let empty = ask(&Sandbox::new(), &["report"]);
        c.equal("8.1", "no log: exit code", empty.code, Some(0));
        c.contains("8.1", "no log: told", &empty.out, "没有记录");
    }

    /// 8.1: notes that were handed on, and one that waits.
    #[own]
    fn r8_1_report_knows_which_notes_wait(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for note in ["甲", "乙"] {
            sandbox.stop().auditor(&says(&format!("VERDICT: NOTE - {note}"))).run();
        }
        let told = |sandbox: &Sandbox| ask(sandbox, &["report"]).out;
        c.contains(
            "8.1",
            "both wait",
            &told(&sandbox),
            "2 条：已转交（或被更新的挤掉）0 条，还在等你下一条消息 2 条",
        );
        sandbox.prompt_submit("接着做").run();
        c.contains(
            "8.1",
            "both were handed on",
            &told(&sandbox),
            "2 条：已转交（或被更新的挤掉）2 条，还在等你下一条消息 0 条",
        );
    }

    /// 9.9: looking changes nothing.
    #[own]
    fn r9_9_looking_back_writes_nothing(c: &mut Checks) {
        let sandbox = with_a_log();
        let before = sandbox.files_below("");
        for arguments in [&["log"][..], &["report"], &["log", "show", &ids(&sandbox)[0]]] {
            ask(&sandbox, arguments);
        }
        c.equal("9.9", "files", sandbox.files_below(""), before);
    }
}
