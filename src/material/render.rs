//! A turn's entries as text, each under its mark.
//!
//! The marks are those that the instruction text explains (4.30); the other labels are plain words.

use super::cut::{self, Keep, cut, one_line, push_barred, push_label, push_named};
use super::tier::{OPENER_LIMIT, Tier};
use crate::transcript::turn::{
    Call, Entry, Field, Opener, OptionBox, Outcome, Output, Sender, Turn, Unanswered, Words,
};

/// The message that started the turn.
pub fn opener(out: &mut String, opener: &Opener, limit: usize) {
    let who = match opener.sender {
        Sender::Person => "用户消息",
        Sender::Program => "用户消息（经程序发来）",
    };
    push_label(out, format_args!("{who}{}：", images(opener.images)));
    push_barred(out, &cut(&opener.words, limit.min(OPENER_LIMIT), Keep::MoreTail));
}

/// Everything that happened in the turn, in order.
pub fn timeline(out: &mut String, turn: &Turn, tier: &Tier) {
    let reply = turn.reply_index();
    for (index, happened) in turn.entries.iter().enumerate() {
        let said = if Some(index) == reply { tier.reply } else { tier.said };
        entry(out, happened, tier, said);
    }
}

/// One entry; `said` is the limit for a text of Claude's.
pub fn entry(out: &mut String, entry: &Entry, tier: &Tier, said: usize) {
    match entry {
        Entry::Said(text) => labelled(out, "助手：", &text.text, said),
        Entry::Call(call) => {
            match tier.call_line {
                None => whole_call(out, call, tier),
                Some(max) => push_label(out, call_line(call, max)),
            }
            denial(out, call, tier.words);
        }
        Entry::Asked(asked) => option_box(out, asked, tier),
        Entry::BackgroundResult(text) => labelled(out, "〔后台结果〕", text, tier.background),
        Entry::Steer(words) => steer(out, words, tier.words),
        Entry::Peer { from, body } if from.is_empty() => labelled(out, "〔其他会话消息〕", body, tier.other),
        Entry::Peer { from, body } => {
            labelled(out, "〔其他会话消息〕", &format!("来自 {from}：{body}"), tier.other);
        }
        Entry::Scheduled(text) => {
            labelled(out, "自动触发的消息（定时任务或客户端自己发的，不是用户打的字）：", text, tier.other);
        }
        Entry::Interrupted(text) => labelled(out, "用户按了中断：", text, tier.other),
        Entry::Bang { command, output } => {
            if !command.is_empty() {
                labelled(out, "用户自己执行的命令：", &format!("! {command}"), tier.words);
            }
            labelled(out, "命令输出（没有退出码）：", output, tier.other);
        }
        Entry::AuditBlock(reason) => labelled(out, "〔审计拦截〕", &verdict_of(reason), tier.words),
        Entry::OtherHook(reason) => {
            labelled(out, "另一个 Stop hook 的反馈（不是审计员）：", reason, tier.other);
        }
        Entry::StillRunning(task) => labelled(out, "[后台] 本轮结束时还在运行：", task, tier.other),
    }
}

fn labelled(out: &mut String, label: &str, text: &str, limit: usize) {
    push_label(out, label);
    push_barred(out, &cut(text, limit, Keep::Both));
}

/// Words that the person sent while Claude worked.
pub fn steer(out: &mut String, words: &Words, limit: usize) {
    push_label(out, format_args!("〔用户中途插话〕{}", images(words.images)));
    push_barred(out, &cut(&words.text, limit, Keep::MoreTail));
}

/// The questions, the options and the answers of an option box (4.10).
pub fn option_box(out: &mut String, asked: &OptionBox, tier: &Tier) {
    push_label(out, "〔选项框〕");
    let told = |text: &str| cut(text, tier.words, Keep::Both).into_owned();
    for question in &asked.questions {
        push_named(out, "问：", &told(&question.question));
        if !question.options.is_empty() {
            push_named(out, "选项：", &told(&question.options.join(" / ")));
        }
        match &question.answer {
            Some(answer) => push_named(out, "用户的回答：", &told(answer)),
            None if asked.unanswered.is_none() => push_barred(out, "（没有回答）"),
            None => {}
        }
    }
    match &asked.unanswered {
        Some(Unanswered::Instead(words)) => push_named(out, "用户没有选，写的是：", &told(words)),
        Some(Unanswered::Closed) => push_barred(out, "（用户没有回答，关掉了选项框）"),
        Some(Unanswered::Failed(error)) => push_named(out, "（没有回答，选项框出错）", &told(error)),
        None => {}
    }
}

fn whole_call(out: &mut String, call: &Call, tier: &Tier) {
    push_label(out, format_args!("工具 {}{}", name(call), background(call)));
    for Field { name, text, is_change } in &call.input {
        let limit = if *is_change { tier.change } else { tier.input };
        push_named(out, &format!("{name}: "), &cut(text, limit, Keep::Both));
    }
    let label = outcome_label(call);
    let Some(output) = output(&call.outcome) else {
        push_label(out, format_args!("（{label}）"));
        return;
    };
    push_label(out, format_args!("输出（{label}）{}：", images(output.images)));
    let text = if output.text.is_empty() { "（空）" } else { &output.text };
    push_barred(out, &cut(text, tier.output, Keep::Both));
}

/// What the person typed when denying a call: the person's words (4.10).
pub fn denial(out: &mut String, call: &Call, limit: usize) {
    if let Outcome::NeverRan { reason: Some(reason), .. } = &call.outcome {
        push_label(out, "〔用户中途插话〕（拒绝时写的）");
        push_barred(out, &cut(reason, limit, Keep::MoreTail));
    }
}

/// What became of a call (4.6). Work in the background has only begun.
fn outcome_label(call: &Call) -> &'static str {
    match &call.outcome {
        Outcome::Ok(_) if call.background => "已在后台启动",
        Outcome::Ok(_) => "成功",
        Outcome::Failed(_) => "报错",
        Outcome::NeverRan { may_have_begun: true, .. } => "被用户拒绝或打断，没有做完",
        Outcome::NeverRan { .. } => "没有执行",
        Outcome::Pending => "还没有结果",
    }
}

fn output(outcome: &Outcome) -> Option<&Output> {
    match outcome {
        Outcome::Ok(output) | Outcome::Failed(output) | Outcome::NeverRan { output, .. } => Some(output),
        Outcome::Pending => None,
    }
}

/// A call in one line of about `max` characters: two thirds for what it did, the rest for what came back.
pub fn call_line(call: &Call, max: usize) -> String {
    let told = format!("工具 {} → {}", summary(call, max * 2 / 3), outcome_label(call));
    match output(&call.outcome).map(|output| one_line(&output.text, max / 3)) {
        Some(output) if !output.is_empty() => format!("{told}：{output}"),
        _ => told,
    }
}

/// A call in one line that tells what was done and whether it worked, not what came back (4.22).
pub fn call_line_without_output(call: &Call, max: usize) -> String {
    format!("动作 {} → {}", summary(call, max), outcome_label(call))
}

/// The tool and its most telling argument in one line: the command, the file, what was searched; for an edit also
/// what became of what.
pub fn summary(call: &Call, max: usize) -> String {
    const TELLING: [&str; 12] = [
        "command",
        "file_path",
        "notebook_path",
        "path",
        "pattern",
        "url",
        "query",
        "skill",
        "to",
        "description",
        "prompt",
        "plan",
    ];
    let field =
        |name: &str| call.input.iter().find(|field| field.name == name).map(|field| field.text.as_str());
    let telling = TELLING.iter().find_map(|name| field(name));
    let told = telling.or_else(|| call.input.first().map(|field| field.text.as_str())).unwrap_or_default();
    let mut line = format!("{}{}：{}", name(call), background(call), one_line(told, max));
    if call.input.iter().any(|field| field.is_change) {
        line.push(' ');
        line.push_str(&changes(call, max));
    }
    line
}

/// What became of what, in one line of at most twice `max` characters however many edits a call makes. Texts that were
/// cut are not cut again: half a mark would stand there, and the other's number would say too little (4.33).
fn changes(call: &Call, max: usize) -> String {
    let told = |text: fn(&str, usize) -> String| {
        let changes = call.input.iter().filter(|field| field.is_change);
        let told = changes.map(|field| format!("{}「{}」", field.name, text(&field.text, max / 2)));
        told.collect::<Vec<String>>().join(" ")
    };
    let each_cut = told(one_line);
    if each_cut.chars().count() <= max * 2 {
        return each_cut;
    }
    one_line(&told(|text, _| text.to_owned()), max * 2)
}

/// Names of tools come from the transcript too, and servers choose theirs freely.
fn name(call: &Call) -> String {
    one_line(&call.tool, 80)
}

fn background(call: &Call) -> &'static str {
    if call.background { " [后台]" } else { "" }
}

fn images(n: usize) -> String {
    if n == 0 { String::new() } else { format!("（图片 {n} 张，内容看不到）") }
}

/// The verdict in our own feedback, from its first line (6.13).
fn verdict_of(reason: &str) -> String {
    let first = reason.lines().next().unwrap_or_default();
    match first.split_once("判定本轮存在偏差：") {
        Some((_, verdict)) => format!("FAIL - {verdict}"),
        None => first.to_owned(),
    }
}

/// The number of calls of each tool, in the order of their first use.
pub fn action_counts(turn: &Turn) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for entry in &turn.entries {
        let tool = match entry {
            Entry::Call(call) => name(call),
            Entry::Asked(_) => "AskUserQuestion".to_owned(),
            _ => continue,
        };
        match counts.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, n)) => *n += 1,
            None => counts.push((tool, 1)),
        }
    }
    let listed: Vec<String> = counts.iter().map(|(tool, n)| format!("{tool}×{n}")).collect();
    if listed.is_empty() {
        "（没有调用工具）".to_owned()
    } else {
        cut::one_line(&listed.join("、"), 1_000)
    }
}
