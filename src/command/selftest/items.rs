//! The items of section 9 that need no real model, numbered as there.
//! Log fields have no fixed names in the spec, so a log line is searched for its value.

use super::bench::{Bench, Ended, Run, SESSION};
use serde_json::Value;
use std::fs;
use std::io;

/// What one item did and what is right or wrong about it.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) runs: Vec<Run>,
    pub(super) checks: Vec<Check>,
}

/// One fact that must hold.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) what: &'static str,
    pub(super) ok: bool,
}

impl Item {
    fn check(&mut self, what: &'static str, ok: bool) {
        self.checks.push(Check { what, ok });
    }
}

type Perform = fn(&Bench) -> io::Result<Item>;

/// Number, title, and what does it.
pub(super) const ITEMS: [(&str, &str, Perform); 8] = [
    ("9.1", "回 PASS：什么都不输出", pass),
    ("9.2", "回 FAIL：拦下，带上理由", fail),
    ("9.3", "同一轮连着三次 Stop：拦两次，第三次不审", three_stops),
    ("9.4a", "审计员退出码非 0：放行并提示", exits_nonzero),
    ("9.4b", "回复里没有 VERDICT 行：放行并提示", says_no_verdict),
    ("9.4c", "审计员超时：放行并提示", times_out),
    ("9.5", "回 NOTE：提示一行，下次发消息时转交", note),
    ("9.6", "提示词：没有思考过程，有工具输出和上一轮", prompt),
];

const FIRST_REASON: &str = "无证据结论：自测第一次的理由";
const SECOND_REASON: &str = "改约：自测第二次的理由";
const NOTE: &str = "自测提醒：次数说多了一次";
/// Words of the transcript that stand in `thinking` and `redacted_thinking` blocks and nowhere else.
const THOUGHTS: [&str; 3] = ["自测思考甲", "自测思考乙", "selftest-redacted-thinking"];

/// A fake auditor: reads the prompt to its end, then answers.
fn says(answer: &str) -> String {
    format!("cat >/dev/null; echo '{answer}'")
}

fn pass(bench: &Bench) -> io::Result<Item> {
    let run = bench.stop(&says("VERDICT: PASS"), false, &[])?;
    let log = bench.log()?;
    let mut item = Item::default();
    item.check("stdout 为空", run.stdout.is_empty());
    item.check("退出码 0", run.ended == Ended::Code(0));
    item.check("日志恰好一条，是 PASS", matches!(log.as_slice(), [line] if has(line, "PASS")));
    item.runs.push(run);
    Ok(item)
}

fn fail(bench: &Bench) -> io::Result<Item> {
    let run = bench.stop(&says(&format!("VERDICT: FAIL - {FIRST_REASON}")), false, &[])?;
    let json = run.json();
    let mut item = Item::default();
    item.check("stdout 是合法 JSON", json.is_some());
    item.check("decision 是 block", text(json.as_ref(), "/decision") == "block");
    item.check("reason 里有这条理由", text(json.as_ref(), "/reason").contains(FIRST_REASON));
    item.check("退出码 0", run.ended == Ended::Code(0));
    item.runs.push(run);
    Ok(item)
}

fn three_stops(bench: &Bench) -> io::Result<Item> {
    let mut item = Item::default();
    for (name, reason, is_continued) in [
        ("prompt-1", FIRST_REASON, false),
        ("prompt-2", SECOND_REASON, true),
        ("prompt-3", SECOND_REASON, true),
    ] {
        let auditor = format!("cat >{}; echo 'VERDICT: FAIL - {reason}'", bench.quoted(name)?);
        item.runs.push(bench.stop(&auditor, is_continued, &[])?);
    }
    let blocks = |run: Option<&Run>| text(run.and_then(Run::json).as_ref(), "/decision") == "block";
    let [first, second] = [0, 1].map(|at| blocks(item.runs.get(at)));
    let third = item.runs.get(2).is_some_and(Run::is_silent);
    let log = bench.log()?;
    let second_prompt = read(bench, "prompt-2")?;
    item.check("第一次拦下", first);
    item.check("第二次拦下", second);
    item.check("第三次什么都不输出，退出码 0", third);
    item.check("第三次没有叫审计员", !bench.path("prompt-3").exists());
    item.check("日志三条，最后一条是 SKIP", matches!(log.as_slice(), [_, _, line] if has(line, "SKIP")));
    item.check("第二次的提示词里有第一次的理由", second_prompt.contains(FIRST_REASON));
    Ok(item)
}

fn exits_nonzero(bench: &Bench) -> io::Result<Item> {
    lets_through(bench, "cat >/dev/null; echo 'VERDICT: FAIL - 不该算数'; exit 3", &[])
}

fn says_no_verdict(bench: &Bench) -> io::Result<Item> {
    lets_through(bench, &says("我看没什么问题。"), &[])
}

fn times_out(bench: &Bench) -> io::Result<Item> {
    lets_through(bench, "cat >/dev/null; exec sleep 30", &[("STOP_AUDITOR_TIMEOUT", "1")])
}

/// An auditor's error: never a block, the person is told, the log says ERROR (6.9).
fn lets_through(bench: &Bench, auditor: &str, env: &[(&str, &str)]) -> io::Result<Item> {
    let run = bench.stop(auditor, false, env)?;
    let json = run.json();
    let log = bench.log()?;
    let mut item = Item::default();
    item.check("不拦", !run.stdout.contains("\"decision\"") && run.ended == Ended::Code(0));
    item.check(
        "systemMessage 说审计员不可用",
        text(json.as_ref(), "/systemMessage").contains("审计员不可用"),
    );
    item.check("日志恰好一条，是 ERROR", matches!(log.as_slice(), [line] if has(line, "ERROR")));
    item.runs.push(run);
    Ok(item)
}

fn note(bench: &Bench) -> io::Result<Item> {
    let pending = bench.path(&format!("logs/pending/{SESSION}.json"));
    let mut item = Item::default();
    let stop = bench.stop(&says(&format!("VERDICT: NOTE - {NOTE}")), false, &[])?;
    item.check("systemMessage 里有提醒", text(stop.json().as_ref(), "/systemMessage").contains(NOTE));
    item.check("没有拦", !stop.stdout.contains("\"decision\"") && stop.ended == Ended::Code(0));
    let was_pending = pending.exists();
    item.check("有待转交文件", was_pending);
    let next = bench.prompt_submit()?;
    let context = "/hookSpecificOutput/additionalContext";
    item.check("下次发消息时输出 additionalContext", text(next.json().as_ref(), context).contains(NOTE));
    item.check("转交后文件被删掉", was_pending && !pending.exists());
    item.runs.extend([stop, next]);
    Ok(item)
}

fn prompt(bench: &Bench) -> io::Result<Item> {
    let debug = bench.path("prompt.txt");
    let debug = debug.to_str().unwrap_or_default();
    let run = bench.stop(&says("VERDICT: PASS"), false, &[("STOP_AUDITOR_DEBUG_PROMPT", debug)])?;
    let prompt = read(bench, "prompt.txt")?;
    let mut item = Item::default();
    item.check("提示词写到了文件", !prompt.is_empty());
    let is_clean = !prompt.is_empty() && THOUGHTS.iter().all(|thought| !prompt.contains(thought));
    item.check("思考过程一个字都不在", is_clean);
    item.check("工具输出在", prompt.contains("test result: ok. 7319 passed"));
    item.check("上一轮的原话在", prompt.contains("端口就用配置里的，别改"));
    item.check("上一轮的工具输出在", prompt.contains("port = 48213"));
    item.runs.push(run);
    Ok(item)
}

/// What a fake auditor or the debug switch wrote; nothing where it was never asked.
fn read(bench: &Bench, name: &str) -> io::Result<String> {
    let path = bench.path(name);
    let bytes = if path.try_exists()? { fs::read(path)? } else { Vec::new() };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn text<'a>(json: Option<&'a Value>, pointer: &str) -> &'a str {
    json.and_then(|json| json.pointer(pointer)).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a value anywhere in the line is exactly this text.
fn has(line: &Value, wanted: &str) -> bool {
    match line {
        Value::String(text) => text == wanted,
        Value::Array(values) => values.iter().any(|value| has(value, wanted)),
        Value::Object(members) => members.values().any(|value| has(value, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::has;

    #[test]
    fn a_word_is_a_value_wherever_it_stands_and_no_name_and_no_part_of_one() {
        for line in [json!({"verdict": "PASS"}), json!({"audit": {"verdicts": ["FAIL", "PASS"]}})] {
            assert!(has(&line, "PASS"), "{line}");
        }
        for line in [json!({"PASS": 1}), json!({"text": "PASS or \"PASS\"", "n": [1, null, true]}), json!({})]
        {
            assert!(!has(&line, "PASS"), "{line}");
        }
    }
}
