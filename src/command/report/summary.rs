//! The report as text. The page says the same; what a figure means is said in one place, [`facts`].

use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::Report;
use super::figures::{AfterBlock, Day, Figures, bars, percentile};
use crate::command::screen::{Screen, fitted, grouped, left, plain, right, seconds};
use crate::record::{Word, broken};

/// Bars in the terminal, at most.
const MOST_BARS: usize = 31;

/// A bar's columns.
const BAR: usize = 40;

/// Wrong ones that are listed, the newest.
pub(super) const MOST_WRONG: usize = 20;

/// Causes of errors that are listed.
const MOST_CAUSES: usize = 8;

/// A figure by its name.
pub(super) type Fact = (&'static str, String);

/// Prints the report.
pub(super) fn print(out: &mut impl Write, report: &Report, screen: Screen) -> io::Result<()> {
    let figures = &report.figures;
    writeln!(out, "{}", period(report))?;
    if figures.records == 0 {
        writeln!(out, "这段时间没有记录。")?;
    } else {
        print_days(out, &figures.days, screen)?;
    }
    for (title, facts) in facts(figures) {
        writeln!(out, "\n{title}")?;
        for (name, told) in facts {
            writeln!(out, "  {} {told}", left(name, 20))?;
        }
    }
    if !figures.judged.wrong.is_empty() {
        writeln!(out, "\n判错的（最新的在最后）")?;
        for (line, word) in wrong(figures) {
            let line = screen.width.map_or(line.clone(), |columns| fitted(&line, columns.saturating_sub(9)));
            writeln!(out, "  {} {line}", screen.coloured(&left(word.name(), 5), word))?;
        }
    }
    let unread = broken::told(&report.unread);
    if !unread.is_empty() {
        writeln!(out)?;
    }
    for line in unread {
        writeln!(out, "{}", plain(&line))?;
    }
    Ok(())
}

/// `2026-10-30 到 2026-11-29：812 条记录`.
pub(super) fn period(report: &Report) -> String {
    let since = report.since.to_zoned_datetime(TimeZone::system()).date();
    let records = grouped(report.figures.records as u64);
    format!("{since} 到 {}：{records} 条记录", report.made.date())
}

/// Everything but the charts and lists, in sections.
pub(super) fn facts(figures: &Figures) -> Vec<(&'static str, Vec<Fact>)> {
    vec![
        ("判定", verdicts(figures)),
        ("打回之后（第一次打回的下一步）", after_block(figures.after_block)),
        ("出错", errors(figures)),
        ("花费", costs(figures)),
        ("提示词和提醒", prompts(figures)),
        ("判得对不对（stop-auditor rate 标的，不限时间）", judged(figures)),
    ]
}

fn verdicts(figures: &Figures) -> Vec<Fact> {
    let mut facts: Vec<Fact> =
        Word::ALL.into_iter().map(|word| (word.name(), share(figures.of(word), figures.records))).collect();
    facts.push(("轮数", grouped(figures.turns as u64)));
    facts.push(("每 100 轮打回", per_hundred(figures.of(Word::Fail), figures.turns)));
    facts
}

fn after_block(after: AfterBlock) -> Vec<Fact> {
    let of = |count| share(count, after.all());
    vec![
        ("再审通过", of(after.passed)),
        ("再审又打回", of(after.failed_again)),
        ("再审出错", of(after.errored)),
        ("没有再审", of(after.none_came)),
    ]
}

fn errors(figures: &Figures) -> Vec<Fact> {
    let mut facts = vec![("最长连着出错", format!("{} 次", figures.longest_errors))];
    for cause in figures.errors.iter().take(MOST_CAUSES) {
        let newest: String = cause.newest.chars().take(16).collect();
        let told = format!("{}（最近 {}）", plain(&cause.told), plain(&newest.replace('T', " ")));
        facts.push(("", format!("{} 次  {told}", cause.count)));
    }
    let others: usize = figures.errors.iter().skip(MOST_CAUSES).map(|cause| cause.count).sum();
    if others > 0 {
        facts.push(("", format!("{others} 次  别的原因")));
    }
    facts
}

fn costs(figures: &Figures) -> Vec<Fact> {
    let of = |list: &[u64], per_cent, told: fn(u64) -> String| {
        percentile(list, per_cent).map_or("-".to_owned(), told)
    };
    let in_seconds = |per_cent| of(&figures.durations_ms, per_cent, |ms| format!("{} 秒", seconds(ms)));
    let tokens = figures.tokens;
    let told = if tokens.audits == 0 {
        "审计员没有报".to_owned()
    } else {
        format!("读 {}，写 {}（{} 次审计报了）", grouped(tokens.read), grouped(tokens.written), tokens.audits)
    };
    vec![("用时中位数", in_seconds(50)), ("用时 95 分位", in_seconds(95)), ("token", told)]
}

fn prompts(figures: &Figures) -> Vec<Fact> {
    let chars = |per_cent| {
        percentile(&figures.prompt_chars, per_cent).map_or("-".to_owned(), |n| format!("{} 字", grouped(n)))
    };
    let cut = figures.cut;
    let notes = figures.notes;
    let gone = notes.all - notes.waiting;
    vec![
        ("字数中位数", chars(50)),
        ("字数 95 分位", chars(95)),
        ("截短了本轮内容", share(cut.current, cut.known)),
        ("去掉了更早的轮次", share(cut.earlier, cut.known)),
        (
            "提醒",
            format!(
                "{} 条：已转交（或被更新的挤掉）{gone} 条，还在等你下一条消息 {} 条",
                notes.all, notes.waiting
            ),
        ),
    ]
}

fn judged(figures: &Figures) -> Vec<Fact> {
    let judged = &figures.judged;
    let precision = |(all, right): (usize, usize)| match all {
        0 => "还没标过".to_owned(),
        all => format!("{}% 判得对（标过 {all} 条，对 {right} 条）", percent(right, all)),
    };
    let (passes, right) = judged.passes;
    vec![
        ("打回（FAIL）", precision(judged.blocks)),
        ("提醒（NOTE）", precision(judged.notes)),
        ("放过（PASS）", format!("标过 {passes} 条，漏掉了问题的 {} 条", passes - right)),
    ]
}

/// The wrong ones in a line each, with their verdicts.
pub(super) fn wrong(figures: &Figures) -> Vec<(String, Word)> {
    let wrong = &figures.judged.wrong;
    let newest = wrong.iter().skip(wrong.len().saturating_sub(MOST_WRONG));
    newest
        .map(|mark| {
            let day: String = mark.audited.chars().take(10).collect();
            let why =
                if mark.why.is_empty() { String::new() } else { format!("（你说：{}）", mark.why) };
            (plain(&format!("{day} {} {}{why}", mark.id, mark.verdict.said(&mark.text))), mark.verdict)
        })
        .collect()
}

/// Audits a day; each verdict that is no PASS has a shade of its own, so that colours are not needed.
fn print_days(out: &mut impl Write, days: &[Day], screen: Screen) -> io::Result<()> {
    let (per_bar, bars) = bars(days, MOST_BARS);
    let most = bars.iter().map(Day::audits).max().unwrap_or(0).max(1);
    let each = if per_bar == 1 { "每天".to_owned() } else { format!("每 {per_bar} 天") };
    writeln!(out, "\n{each}的审计（█ 通过  ▒ 提醒  ▓ 打回  ░ 出错）")?;
    for day in &bars {
        // Ends of segments are rounded, not their lengths, so that a bar is as long as its sum.
        let mut bar = String::new();
        let (mut sum, mut drawn) = (0, 0);
        for (word, shade) in [(Word::Pass, "█"), (Word::Note, "▒"), (Word::Fail, "▓"), (Word::Error, "░")]
        {
            sum += day.of(word);
            let end = (sum * BAR + most / 2) / most;
            bar.push_str(&screen.coloured(&shade.repeat(end.saturating_sub(drawn)), word));
            drawn = drawn.max(end);
        }
        let count = right(&grouped(day.audits() as u64), 6);
        writeln!(out, "  {} {count} {bar}", day.day)?;
    }
    Ok(())
}

fn share(count: usize, of: usize) -> String {
    match of {
        0 => "-".to_owned(),
        of => format!("{}（{}%）", grouped(count as u64), percent(count, of)),
    }
}

/// One decimal where it says something.
fn percent(count: usize, of: usize) -> String {
    let tenths = (count * 1_000 + of / 2).checked_div(of).unwrap_or(0);
    if tenths.is_multiple_of(10) {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

fn per_hundred(count: usize, turns: usize) -> String {
    if turns == 0 { "-".to_owned() } else { format!("{} 次", percent(count, turns)) }
}
