//! Records as lines of equal columns, by what characters take on the screen and not by their number.

use crate::command::screen::{Screen, fitted, grouped, left, plain, right, seconds, width};
use crate::record::Record;

/// How wide the columns are; those that depend on the records are fixed once.
#[derive(Debug)]
pub(super) struct Table {
    project: usize,
    screen: Screen,
}

const TIME: usize = 16;
const ID: usize = 8;
const SESSION: usize = 8;
const AUDIT: usize = 4;
const VERDICT: usize = 5;
const SECONDS: usize = 6;
const CHARS: usize = 7;

/// The project's column, at least and at most.
const PROJECT: (usize, usize) = (4, 16);

/// What the text gets on a narrow terminal.
const LEAST_TEXT: usize = 20;

impl Table {
    pub(super) fn for_records(records: &[&Record], screen: Screen) -> Table {
        let widest = records.iter().map(|record| width(&plain(&record.project))).max().unwrap_or(0);
        Table { project: widest.clamp(PROJECT.0, PROJECT.1), screen }
    }

    pub(super) fn head(&self) -> String {
        let before = self.columns(["时间", "ID", "项目", "会话", "第几", "判定", "秒", "字数"]);
        format!("{} 说明", before.join(" "))
    }

    /// One record; the verdict has its colour, the text what is left of the line.
    pub(super) fn row(&self, record: &Record) -> String {
        let project = if record.project.is_empty() { "-".to_owned() } else { plain(&record.project) };
        let session: String = plain(&record.session_id).chars().take(SESSION).collect();
        let or_dash = |number: u64, told: String| if number == 0 { "-".to_owned() } else { told };
        let columns = self.columns([
            &shown_time(record),
            &record.id(),
            &project,
            &session,
            &or_dash(record.audit.into(), record.audit.to_string()),
            record.verdict.name(),
            &or_dash(record.duration_ms, seconds(record.duration_ms)),
            &or_dash(record.prompt_chars, grouped(record.prompt_chars)),
        ]);
        let taken: usize = columns.iter().map(|column| width(column) + 1).sum();
        let text = plain(record.verdict.said(&record.text));
        let text = match self.screen.width {
            Some(columns) => fitted(&text, columns.saturating_sub(taken).max(LEAST_TEXT)),
            None => text,
        };
        let coloured = |(index, column): (usize, &String)| {
            if index == 5 { self.screen.coloured(column, record.verdict) } else { column.clone() }
        };
        let columns: Vec<String> = columns.iter().enumerate().map(coloured).collect();
        format!("{} {text}", columns.join(" ")).trim_end().to_owned()
    }

    fn columns(
        &self,
        [time, id, project, session, audit, verdict, seconds, chars]: [&str; 8],
    ) -> [String; 8] {
        [
            left(time, TIME),
            left(id, ID),
            left(project, self.project),
            left(session, SESSION),
            right(audit, AUDIT),
            left(verdict, VERDICT),
            right(seconds, SECONDS),
            right(chars, CHARS),
        ]
    }
}

/// `2026-11-29 22:33`, in the time zone of the record.
pub(super) fn shown_time(record: &Record) -> String {
    plain(&record.time).replace('T', " ").chars().take(TIME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Word;

    fn record(project: &str, text: &str) -> Record {
        Record {
            time: "2026-11-29T22:33:01.500+08:00".to_owned(),
            session_id: "0b5a1c2d-3e4f".to_owned(),
            project: project.to_owned(),
            verdict: Word::Fail,
            text: text.to_owned(),
            audit: 1,
            duration_ms: 12_345,
            prompt_chars: 23_456,
            ..Record::default()
        }
    }

    #[test]
    fn columns_stand_below_each_other_whatever_is_in_them() {
        let records = [
            record("订单系统", "FAIL - 无证据结论"),
            record("a", "x"),
            record("", "FAIL"),
            record("很长很长很长很长的项目名", "y"),
        ];
        let table = Table::for_records(&records.iter().collect::<Vec<_>>(), Screen::default());
        let lines: Vec<String> =
            std::iter::once(table.head()).chain(records.iter().map(|one| table.row(one))).collect();
        let verdict_at = |line: &String| {
            let at = line.find("FAIL").or_else(|| line.find("判定")).unwrap();
            width(line.split_at(at).0)
        };
        let places: Vec<usize> = lines.iter().map(verdict_at).collect();
        assert!(places.iter().all(|place| *place == places[0]), "{places:?}\n{}", lines.join("\n"));
        assert_eq!(lines[1].split_whitespace().last(), Some("无证据结论"));
        assert!(lines[1].contains(" 12.3 ") && lines[1].contains(" 23,456 "), "{}", lines[1]);
    }

    #[test]
    fn a_line_fits_the_terminal_and_has_no_colours_elsewhere() {
        let long = record("订单系统", &format!("FAIL - {}", "没有证据".repeat(60)));
        let screen = Screen { width: Some(100), colours: true };
        let line = Table::for_records(&[&long], screen).row(&long);
        assert!(line.contains("\u{1b}[31mFAIL \u{1b}[0m"), "{line:?}");
        assert!(line.ends_with('…'));
        let bare = line.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
        assert!((99..=100).contains(&width(&bare)), "{} columns", width(&bare));
        let piped = Table::for_records(&[&long], Screen::default()).row(&long);
        assert!(!piped.contains('\u{1b}') && piped.ends_with("没有证据"));
    }

    #[test]
    fn what_the_auditor_wrote_cannot_steer_the_terminal() {
        let bad = record("p\u{1b}]0;x\u{7}", "FAIL - \u{1b}[2Jgone\nsecond");
        let line = Table::for_records(&[&bad], Screen { width: Some(120), colours: false }).row(&bad);
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}
