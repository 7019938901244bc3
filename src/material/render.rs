//! A turn's entries as text, each under its mark.
//!
//! The marks are those that the instruction text explains (4.30); the other labels are plain words.

use super::cut::{self, Keep, cut_round, in_one_line, one_line, push_barred, push_label, push_named};
use super::evidence::{Evidence, Kept, PLAIN, Window, texts};
use super::tier::{OPENER_LIMIT, Tier, Tiers};
use crate::transcript::turn::{
    Call, Entry, Field, Opener, OptionBox, Outcome, Sender, Turn, Unanswered, Words,
};

/// The message that started the turn.
pub fn opener(out: &mut String, opener: &Opener, limit: usize, kept: &Kept) {
    let who = match opener.sender {
        Sender::Person => "用户消息",
        Sender::Program => "用户消息（经程序发来）",
    };
    push_label(out, format_args!("{who}{}：", images(opener.images)));
    let limit = limit.min(OPENER_LIMIT);
    push_barred(out, &cut_round(&opener.words, limit, Keep::MoreTail, kept.of(texts::ONLY)));
}

/// Everything that happened in the turn, in order.
pub fn timeline(out: &mut String, turn: &Turn, tiers: &Tiers, evidence: &Evidence) {
    let reply = turn.reply_index();
    for (index, happened) in turn.entries.iter().enumerate() {
        let kept = evidence.entry(index);
        let tier = tiers.of(kept.is_named);
        let said = if Some(index) == reply { tiers.named.reply } else { tier.said };
        entry(out, happened, tier, said, kept);
    }
}

/// One entry; `said` is the limit for a text of Claude's.
pub fn entry(out: &mut String, entry: &Entry, tier: &Tier, said: usize, kept: &Kept) {
    let labelled = |out: &mut String, label: &str, text: &str, limit: usize| {
        push_label(out, label);
        push_barred(out, &cut_round(text, limit, Keep::Both, kept.of(texts::ONLY)));
    };
    match entry {
        Entry::Said(text) => labelled(out, "助手：", &text.text, said),
        Entry::Call(call) => {
            match tier.call_line {
                None => whole_call(out, call, tier, kept),
                Some(max) => push_label(out, call_line_round(call, max, kept)),
            }
            denial(out, call, tier.words, kept);
        }
        Entry::Asked(asked) => option_box(out, asked, tier, kept),
        Entry::BackgroundResult(text) => labelled(out, "〔后台结果〕", text, tier.background),
        Entry::Steer(words) => steer(out, words, tier.words, kept),
        Entry::Peer { from, body } => {
            push_label(out, "〔其他会话消息〕");
            let body = cut_round(body, tier.other, Keep::Both, kept.of(texts::ONLY));
            if from.is_empty() {
                push_barred(out, &body);
            } else {
                push_barred(out, &format!("来自 {}：{body}", one_line(from, FROM_MAX)));
            }
        }
        Entry::Scheduled(text) => {
            labelled(out, "自动触发的消息（定时任务或客户端自己发的，不是用户打的字）：", text, tier.other);
        }
        Entry::Interrupted(text) => labelled(out, "用户按了中断：", text, tier.other),
        Entry::Bang { command, output } => {
            if !command.is_empty() {
                push_label(out, "用户自己执行的命令：");
                push_barred(out, &cut::cut(&format!("! {command}"), tier.words, Keep::Both));
            }
            labelled(out, "命令输出（没有退出码）：", output, tier.other);
        }
        Entry::AuditBlock(reason) => {
            push_label(out, "〔审计拦截〕");
            push_barred(out, &cut::cut(&verdict_of(reason), tier.words, Keep::Both));
        }
        Entry::OtherHook(reason) => {
            labelled(out, "另一个 Stop hook 的反馈（不是审计员）：", reason, tier.other);
        }
        Entry::StillRunning(task) => labelled(out, "[后台] 本轮结束时还在运行：", task, tier.other),
    }
}

/// Names of other sessions, in characters.
const FROM_MAX: usize = 80;

/// Words that the person sent while Claude worked.
pub fn steer(out: &mut String, words: &Words, limit: usize, kept: &Kept) {
    push_label(out, format_args!("〔用户中途插话〕{}", images(words.images)));
    push_barred(out, &cut_round(&words.text, limit, Keep::MoreTail, kept.of(texts::ONLY)));
}

/// The questions, the options and the answers of an option box (4.10).
pub fn option_box(out: &mut String, asked: &OptionBox, tier: &Tier, kept: &Kept) {
    push_label(out, "〔选项框〕");
    let told = |text: &str, number| cut_round(text, tier.words, Keep::Both, kept.of(number)).into_owned();
    for (index, question) in asked.questions.iter().enumerate() {
        push_named(out, "问：", &told(&question.question, texts::question(index)));
        if !question.options.is_empty() {
            let options = question.options.join(" / ");
            push_named(out, "选项：", &cut::cut(&options, tier.words, Keep::Both));
        }
        match &question.answer {
            Some(answer) => push_named(out, "用户的回答：", &told(answer, texts::question(index) + 1)),
            None if asked.unanswered.is_none() => push_barred(out, "（没有回答）"),
            None => {}
        }
    }
    match &asked.unanswered {
        Some(Unanswered::Instead(words)) => {
            push_named(out, "用户没有选，写的是：", &told(words, texts::instead_of(asked)));
        }
        Some(Unanswered::Closed) => push_barred(out, "（用户没有回答，关掉了选项框）"),
        Some(Unanswered::Failed(error)) => {
            push_named(out, "（没有回答，选项框出错）", &told(error, texts::instead_of(asked)));
        }
        None => {}
    }
}

fn whole_call(out: &mut String, call: &Call, tier: &Tier, kept: &Kept) {
    push_label(out, format_args!("工具 {}{}", name(call), background(call)));
    for (index, Field { name, text, is_change }) in call.input.iter().enumerate() {
        let limit = if *is_change { tier.change } else { tier.input };
        let text = cut_round(texts::body(text), limit, Keep::Both, kept.of(index));
        push_named(out, &format!("{name}: "), &text);
    }
    let label = outcome_label(call);
    let Some(output) = texts::output(&call.outcome) else {
        push_label(out, format_args!("（{label}）"));
        return;
    };
    push_label(out, format_args!("输出（{label}）{}：", images(output.images)));
    let text = cut_round(texts::body(&output.text), tier.output, Keep::Both, kept.of(texts::output_of(call)));
    push_barred(out, if text.is_empty() { "（空）" } else { &text });
}

/// What the person typed when denying a call: the person's words (4.10).
pub fn denial(out: &mut String, call: &Call, limit: usize, kept: &Kept) {
    if let Outcome::NeverRan { reason: Some(reason), .. } = &call.outcome {
        push_label(out, "〔用户中途插话〕（拒绝时写的）");
        push_barred(out, &cut_round(reason, limit, Keep::MoreTail, kept.of(texts::denial_of(call))));
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

/// A call in one line of about `max` characters: two thirds for what it did, the rest for what came back.
pub fn call_line(call: &Call, max: usize) -> String {
    call_line_round(call, max, &PLAIN)
}

/// The same, with windows: what holds some has twice the room, less would show none of them.
fn call_line_round(call: &Call, max: usize, kept: &Kept) -> String {
    let told = format!("工具 {} → {}", summary(call, max * 2 / 3, kept), outcome_label(call));
    let windows = kept.of(texts::output_of(call));
    let room = if windows.is_empty() { max / 3 } else { max * 2 / 3 };
    let output = texts::output(&call.outcome)
        .map(|output| in_one_line(&cut_round(texts::body(&output.text), room, Keep::Both, windows)));
    match output {
        Some(output) if !output.is_empty() => format!("{told}：{output}"),
        _ => told,
    }
}

/// A call in one line that tells what was done and whether it worked, not what came back (4.22); of an edit, what became
/// of what only with `changes`.
pub fn call_line_without_output(call: &Call, max: usize, changes: bool) -> String {
    let told = if changes { summary(call, max, &PLAIN) } else { subject(call, max, &PLAIN) };
    format!("动作 {told} → {}", outcome_label(call))
}

/// The tool and its most telling argument in one line; for an edit also what became of what.
fn summary(call: &Call, max: usize, kept: &Kept) -> String {
    let mut line = subject(call, max, kept);
    if call.input.iter().any(|field| field.is_change) {
        line.push(' ');
        line.push_str(&changes(call, max, kept));
    }
    line
}

/// The tool and its most telling argument in one line: the command, the file, what was searched.
fn subject(call: &Call, max: usize, kept: &Kept) -> String {
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
    let told = |index: usize, field: &Field, max| {
        in_one_line(&cut_round(texts::body(&field.text), max, Keep::Both, kept.of(index)))
    };
    let fields = || call.input.iter().enumerate();
    let telling = TELLING.iter().find_map(|name| fields().find(|(_, field)| field.name == *name));
    // A change is told by `changes`.
    let telling = telling
        .or_else(|| fields().find(|(_, field)| !field.is_change))
        .map(|(index, field)| told(index, field, max))
        .unwrap_or_default();
    format!("{}{}：{telling}", name(call), background(call))
}

/// The most that changes take in one line: what one of them has in the tier before lines, so that a line shows no more.
const CHANGE_IN_LINE: usize = 540;

/// What became of what, in one line of at most twice `max` characters however many edits a call makes; of some more where
/// there are windows, so that each text shows its first one. Texts that were cut are not cut again: half a mark would
/// stand there, and the other's number would say too little (4.33).
fn changes(call: &Call, max: usize, kept: &Kept) -> String {
    let changes = || call.input.iter().enumerate().filter(|(_, field)| field.is_change);
    let has_windows = changes().any(|(index, _)| !kept.of(index).is_empty());
    let all_max = if has_windows { (max * 5).min(CHANGE_IN_LINE) } else { max * 2 };
    let each_cut: Vec<String> = changes()
        .map(|(index, field)| {
            let windows = kept.of(index);
            let room = if windows.is_empty() { max / 2 } else { all_max / 2 };
            let text = cut_round(texts::body(&field.text), room, Keep::Both, windows);
            format!("{}「{}」", field.name, in_one_line(&text))
        })
        .collect();
    let each_cut = each_cut.join(" ");
    if each_cut.chars().count() <= all_max {
        return each_cut;
    }
    // The windows of each text as windows of all of them together, the first one of each text first.
    let (mut all, mut all_chars) = (String::new(), 0);
    let mut windows: Vec<(usize, Window)> = Vec::new();
    for (index, field) in changes() {
        let text = texts::body(&field.text);
        let before = format!("{}{}「", if all.is_empty() { "" } else { " " }, field.name);
        all_chars += before.chars().count();
        all.push_str(&before);
        let moved = kept.of(index).iter().map(|window| window.behind(all.len(), all_chars));
        windows.extend(moved.enumerate());
        all.push_str(text);
        all.push('」');
        all_chars += text.chars().count() + 1;
    }
    windows.sort_by_key(|(rank, _)| *rank);
    let of_all = windows.into_iter().map(|(_, window)| Window { text_chars: all_chars, ..window });
    let windows: Vec<Window> = of_all.collect();
    in_one_line(&cut_round(&all, all_max, Keep::Both, &windows))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::cut::cut;
    use crate::transcript::turn::{Output, Question};

    fn call(fields: &[(&str, &str, bool)], outcome: Outcome) -> Call {
        let input = fields
            .iter()
            .map(|(name, text, is_change)| Field {
                name: (*name).into(),
                text: (*text).into(),
                is_change: *is_change,
            })
            .collect();
        Call { tool: "T".to_owned(), input, outcome, background: false }
    }

    fn ok(text: &str) -> Outcome {
        Outcome::Ok(Output { text: text.to_owned(), images: 0 })
    }

    fn long(first: u32) -> String {
        (first..first + 900).filter_map(char::from_u32).collect()
    }

    #[test]
    fn a_line_is_two_thirds_what_was_done_and_a_third_what_came_back() {
        let (command, output) = (long(0x4e00), long(0x5e00));
        let told = call_line(&call(&[("command", &command, false)], ok(&output)), 300);
        let wanted =
            format!("工具 T：{} → 成功：{}", cut(&command, 200, Keep::Both), cut(&output, 100, Keep::Both));
        assert_eq!(told, wanted);
        assert_eq!(call_line(&call(&[("command", "ls", false)], ok("a")), 240), "工具 T：ls → 成功：a");
        assert_eq!(call_line(&call(&[("command", "ls", false)], ok("\n")), 240), "工具 T：ls → 成功");
        assert_eq!(
            call_line(&call(&[("command", "ls", false)], Outcome::Pending), 240),
            "工具 T：ls → 还没有结果"
        );
    }

    #[test]
    fn an_edit_in_a_line_shows_as_much_of_the_old_as_of_the_new() {
        let (old, new) = (long(0x4e00), long(0x5e00));
        let edit = call(&[("path", "/f", false), ("old", &old, true), ("new", &new, true)], ok(""));
        let changes = format!("old「{}」 new「{}」", cut(&old, 75, Keep::Both), cut(&new, 75, Keep::Both));
        let told = call_line_without_output(&edit, 150, true);
        assert_eq!(told, format!("动作 T：/f {changes} → 成功"));
        assert_eq!(call_line_without_output(&edit, 150, false), "动作 T：/f → 成功");
        // Two texts and their names just fit into twice the room of one.
        let only = call(&[("old_string", "a", true), ("new_string", "b", true)], ok(""));
        assert_eq!(
            call_line_without_output(&only, 60, true),
            "动作 T： old_string「a」 new_string「b」 → 成功"
        );
        let many: Vec<(&str, &str, bool)> = vec![("edit", &old, true); 9];
        let told = call_line_without_output(&call(&many, ok("")), 150, true);
        assert_eq!(told.chars().count(), "动作 T：  → 成功".chars().count() + 300);
        assert_eq!(told.matches("省略").count(), 1, "cut once: {told}");
    }

    /// A window of 40 characters in a text of this many, each of three bytes, moved by what stands before the text.
    fn window_at(start: usize, text_chars: usize, moved: (usize, usize)) -> Window {
        let (n_bytes, n_chars) = moved;
        let bytes = start * 3 + n_bytes..(start + 40) * 3 + n_bytes;
        Window { bytes, chars: start + n_chars..start + 40 + n_chars, text_chars }
    }

    #[test]
    fn a_line_with_windows_has_two_thirds_for_what_came_back() {
        let output = long(0x5e00);
        let windows = vec![window_at(400, 900, (0, 0))];
        let shown = cut_round(&output, 200, Keep::Both, &windows);
        let window: String = output.chars().skip(400).take(40).collect();
        assert!(shown.contains(&window), "{shown}");
        let kept = Kept::with(vec![vec![], windows.clone()]);
        let told = call_line_round(&call(&[("command", "ls", false)], ok(&output)), 300, &kept);
        assert_eq!(told, format!("工具 T：ls → 成功：{shown}"));
    }

    #[test]
    fn an_edit_in_a_line_has_more_room_for_windows() {
        let (old, new) = (long(0x4e00), long(0x5e00));
        let of_new = vec![window_at(500, 900, (0, 0))];
        let only_new = call(&[("new", &new, true)], ok(""));
        // Five times the room of one, and no more than a line may have.
        for (max, room) in [(100, 500), (150, CHANGE_IN_LINE)] {
            let told = changes(&only_new, max, &Kept::with(vec![of_new.clone()]));
            assert_eq!(told, format!("new「{}」", cut_round(&new, room / 2, Keep::Both, &of_new)));
        }

        // Both texts in one, cut once, with a window of each.
        let both = call(&[("old", &old, true), ("new", &new, true)], ok(""));
        let kept = Kept::with(vec![vec![window_at(300, 900, (0, 0)), window_at(700, 900, (0, 0))], of_new]);
        let told = changes(&both, 80, &kept);
        let all = format!("old「{old}」 new「{new}」");
        let n_chars = all.chars().count();
        let before_old = ("old「".len(), 4);
        let before_new = (before_old.0 + old.len() + "」 new「".len(), 4 + 900 + 6);
        let windows = [
            window_at(300, n_chars, before_old),
            window_at(500, n_chars, before_new),
            window_at(700, n_chars, before_old),
        ];
        assert_eq!(told, cut_round(&all, 400, Keep::Both, &windows));
        let shown = |text: &str, start| told.contains(&text.chars().skip(start).take(40).collect::<String>());
        assert!(shown(&old, 300) && shown(&new, 500), "one of each at least: {told}");
    }

    #[test]
    fn a_question_and_its_answer_have_windows_of_their_own() {
        let (question, answer) = (long(0x4e00), long(0x5e00));
        let asked = OptionBox {
            questions: vec![Question {
                question: question.clone(),
                options: vec![],
                answer: Some(answer.clone()),
            }],
            unanswered: None,
        };
        let windows = [vec![window_at(300, 900, (0, 0))], vec![window_at(600, 900, (0, 0))]];
        let mut told = String::new();
        let tier = Tier { words: 200, ..crate::material::tier::WHOLE };
        option_box(&mut told, &asked, &tier, &Kept::with(windows.to_vec()));
        let cut = |text: &str, number: usize| cut_round(text, 200, Keep::Both, &windows[number]).into_owned();
        let (question, answer) = (cut(&question, 0), cut(&answer, 1));
        assert_eq!(told, format!("〔选项框〕\n| 问：{question}\n| 用户的回答：{answer}\n"));
    }
}
