//! The report as one page that opens from disk: no network, no foreign script, and nothing of the log can become a part
//! of it. Text is escaped where it stands in the page, and told as JSON to the page's own script.

use serde::Serialize;

use super::Report;
use super::charts::{self, Line};
use super::summary::{facts, period, wrong};
use crate::command::screen::plain;
use crate::record::{Record, Word, broken};

/// The frame; `{{name}}` is a place for what is made here.
const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The title of the chart of days says which colour is which.
const LEGEND: &str = "每天的审计 <small><b class=\"word PASS\">■</b> 通过 <b class=\"word NOTE\">■</b> 提醒 \
    <b class=\"word FAIL\">■</b> 打回 <b class=\"word ERROR\">■</b> 出错</small>";

/// A line of the page's table: time, id, project, session, audit, verdict, seconds, characters, text.
#[derive(Debug, Serialize)]
pub(super) struct Row(String, String, String, String, u32, Word, f64, u64, String);

impl Row {
    pub(super) fn of(record: &Record) -> Row {
        #[expect(clippy::cast_precision_loss, reason = "an audit takes no 2^52 milliseconds")]
        let seconds = (record.duration_ms.saturating_add(50) / 100) as f64 / 10.0;
        Row(
            record.time.chars().take(16).collect::<String>().replace('T', " "),
            record.id(),
            record.project.clone(),
            record.session_id.chars().take(8).collect(),
            record.audit,
            record.verdict,
            seconds,
            record.prompt_chars,
            plain(&record.text),
        )
    }
}

/// The whole page.
pub(super) fn html(report: &Report, rows: &[Row]) -> String {
    let parts = [
        ("style", STYLE.to_owned()),
        ("script", SCRIPT.to_owned()),
        ("period", escaped(&period(report))),
        ("made", escaped(&report.made.strftime("%Y-%m-%d %H:%M").to_string())),
        ("charts", pictures(report)),
        ("facts", facts_as_html(report)),
        ("wrong", wrong_as_html(report)),
        ("unread", broken::told(&report.unread).iter().map(|line| paragraph(line)).collect()),
        ("rows", json_in_html(rows)),
    ];
    filled(FRAME, &parts)
}

/// The frame with its places filled in one go: what is filled in is not looked through for places.
fn filled(frame: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        if let Some((_, part)) = parts.iter().find(|(of, _)| *of == name) {
            out.push_str(part);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn pictures(report: &Report) -> String {
    let figures = &report.figures;
    let after = figures.after_block;
    let verdicts: Vec<Line<'_>> =
        Word::ALL.into_iter().map(|word| (word.name().to_owned(), figures.of(word), word.name())).collect();
    let followed: Vec<Line<'_>> = [
        ("再审通过", after.passed, "PASS"),
        ("再审又打回", after.failed_again, "FAIL"),
        ("再审出错", after.errored, "ERROR"),
        ("没有再审", after.none_came, "SKIP"),
    ]
    .map(|(name, count, class)| (name.to_owned(), count, class))
    .to_vec();
    let errors: Vec<Line<'_>> =
        figures.errors.iter().take(8).map(|cause| (plain(&cause.told), cause.count, "ERROR")).collect();
    let pictures = [
        ("wide", LEGEND, charts::days(&figures.days)),
        ("half", "判定", charts::lines(&verdicts)),
        ("half", "打回之后", charts::lines(&followed)),
        ("half", "审计员用时", charts::histogram(&figures.durations_ms, 1_000, "秒")),
        ("half", "提示词字数", charts::histogram(&figures.prompt_chars, 1, "字")),
        ("half", "出错的原因", charts::lines(&errors)),
    ];
    let picture = |(class, title, svg): &(&str, &str, String)| {
        format!("<figure class=\"{class}\"><figcaption>{title}</figcaption>{svg}</figure>\n")
    };
    pictures.iter().map(picture).collect()
}

fn facts_as_html(report: &Report) -> String {
    let fact =
        |(name, told): &(&str, String)| format!("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(told));
    let section = |(title, facts): &(&str, Vec<_>)| {
        let facts: String = facts.iter().map(fact).collect();
        format!("<section><h2>{}</h2><dl>{facts}</dl></section>\n", escaped(title))
    };
    facts(&report.figures).iter().map(section).collect()
}

fn wrong_as_html(report: &Report) -> String {
    let wrong = wrong(&report.figures);
    if wrong.is_empty() {
        return String::new();
    }
    let item = |(line, word): &(String, Word)| {
        format!("<li><b class=\"word {0}\">{0}</b> {1}</li>\n", word.name(), escaped(line))
    };
    let items: String = wrong.iter().map(item).collect();
    format!("<section class=\"wrong\"><h2>判错的</h2><ul>\n{items}</ul></section>\n")
}

fn paragraph(line: &str) -> String {
    format!("<p class=\"unread\">{}</p>\n", escaped(&plain(line)))
}

/// The text as it may stand anywhere in a page, in attributes too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that no text in it can end: `<` is written as its code, so neither `</script>` nor `<!--` can stand there.
fn json_in_html(rows: &[Row]) -> String {
    let json = serde_json::to_string(rows).unwrap_or_else(|_| "[]".to_owned());
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_log_cannot_leave_its_place() {
        let text = "</script><script>alert(1)</script><!-- {{rows}} & \" '";
        let record = Record {
            project: text.to_owned(),
            text: text.to_owned(),
            session_id: text.to_owned(),
            ..Record::default()
        };
        let json = json_in_html(&[Row::of(&record)]);
        assert!(!json.contains('<'), "{json}");
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((back[0][2].as_str(), back[0][8].as_str()), (Some(text), Some(text)));
        assert!(!escaped(text).contains(['<', '>', '"', '\'']));
        let page = filled("a{{x}}b{{y}}c", &[("x", "{{y}}".to_owned()), ("y", "1".to_owned())]);
        assert_eq!(page, "a{{y}}b1c");
    }

    #[test]
    fn every_place_of_the_frame_is_known() {
        let names = ["style", "script", "period", "made", "charts", "facts", "wrong", "unread", "rows"];
        let places: Vec<&str> =
            FRAME.split("{{").skip(1).filter_map(|rest| rest.split("}}").next()).collect();
        assert!(places.iter().all(|place| names.contains(place)), "{places:?}");
        assert!(names.iter().all(|name| places.contains(name)), "{places:?}");
    }
}
