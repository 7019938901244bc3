//! Records become figures: everything that the report says, counted once for the terminal and the page.
//!
//! A turn is counted at its first audit, a block at each FAIL; a SKIP is neither.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::ToSpan;
use jiff::civil::Date;

use crate::record::marks::Mark;
use crate::record::{Record, Word};

/// What a period of the log says.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Records.
    pub(super) records: usize,
    /// Records of each verdict.
    pub(super) verdicts: HashMap<Word, usize>,
    /// Records of each day, the first to the last, days without any among them.
    pub(super) days: Vec<Day>,
    /// Turns that ended.
    pub(super) turns: usize,
    /// What followed the blocks of first audits.
    pub(super) after_block: AfterBlock,
    /// Errors by cause, the most frequent first.
    pub(super) errors: Vec<Cause>,
    /// The longest run of errors without another verdict between.
    pub(super) longest_errors: usize,
    /// How long audits took, in milliseconds, ascending.
    pub(super) durations_ms: Vec<u64>,
    /// How long prompts were, in characters, ascending.
    pub(super) prompt_chars: Vec<u64>,
    /// What was left out of prompts.
    pub(super) cut: Cut,
    /// Tokens read and written, of audits whose auditor told.
    pub(super) tokens: Tokens,
    /// What became of the notes.
    pub(super) notes: NotesHandedOn,
    /// What the person says of the audits.
    pub(super) judged: Judged,
}

/// A day's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Day {
    /// `2026-11-29`; of several days together the first.
    pub(super) day: String,
    /// Records of each verdict, in the order of [`Word::ALL`].
    pub(super) counts: [usize; 5],
}

impl Day {
    /// Stops that were audited, or should have been.
    pub(super) fn audits(&self) -> usize {
        self.of(Word::Pass) + self.of(Word::Note) + self.of(Word::Fail) + self.of(Word::Error)
    }

    /// Records of this verdict.
    pub(super) fn of(&self, word: Word) -> usize {
        Word::ALL.into_iter().zip(self.counts).find(|(of, _)| *of == word).map_or(0, |(_, count)| count)
    }
}

/// What came next in a session after a first audit's block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AfterBlock {
    /// The second audit found nothing that matters (PASS or NOTE).
    pub(super) passed: usize,
    /// It failed the turn again.
    pub(super) failed_again: usize,
    /// It gave no verdict.
    pub(super) errored: usize,
    /// There was none.
    pub(super) none_came: usize,
}

impl AfterBlock {
    pub(super) fn all(self) -> usize {
        self.passed + self.failed_again + self.errored + self.none_came
    }
}

/// Errors of one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// The beginning of the text, which errors of a kind share.
    pub(super) told: String,
    /// How many.
    pub(super) count: usize,
    /// The time of the newest.
    pub(super) newest: String,
}

/// What was left out of prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cut {
    /// Prompts of which this is known.
    pub(super) known: usize,
    /// Prompts in which entries of the current turn were cut.
    pub(super) current: usize,
    /// Prompts that left earlier turns out.
    pub(super) earlier: usize,
}

/// Tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Audits whose auditor told.
    pub(super) audits: usize,
    /// Tokens read.
    pub(super) read: u64,
    /// Tokens written.
    pub(super) written: u64,
}

/// Notes, and those that still wait for the person's next message. The others were handed on, or five newer ones took
/// their place (7.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NotesHandedOn {
    /// Notes of the period.
    pub(super) all: usize,
    /// Of these, waiting.
    pub(super) waiting: usize,
}

/// What the person says of the audits, of all times.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Blocks marked, and of these right.
    pub(super) blocks: (usize, usize),
    /// Notes marked, and of these right.
    pub(super) notes: (usize, usize),
    /// Passes marked, and of these right.
    pub(super) passes: (usize, usize),
    /// The wrong ones, the newest mark last.
    pub(super) wrong: Vec<Mark>,
}

/// Collects records one at a time.
#[derive(Debug, Default)]
pub(super) struct Collector {
    figures: Figures,
    days: BTreeMap<String, [usize; 5]>,
    causes: HashMap<String, Cause>,
    errors_in_a_row: usize,
    /// Sessions whose newest record is a first audit's block.
    blocked: HashSet<String>,
    notes: HashMap<String, usize>,
}

impl Collector {
    /// Counts a record; they must come in the order of the log.
    pub(super) fn take(&mut self, record: &Record) {
        let figures = &mut self.figures;
        figures.records += 1;
        *figures.verdicts.entry(record.verdict).or_default() += 1;
        let counts = self.days.entry(record.day().to_owned()).or_default();
        for (word, count) in Word::ALL.into_iter().zip(counts) {
            *count += usize::from(word == record.verdict);
        }
        figures.turns += usize::from(record.begins_turn());
        if record.is_audit() {
            figures.durations_ms.push(record.duration_ms);
            figures.prompt_chars.push(record.prompt_chars);
        }
        if let Some(shortened) = record.shortened {
            figures.cut.known += 1;
            figures.cut.current += usize::from(shortened.current_cut);
            figures.cut.earlier += usize::from(shortened.earlier_dropped > 0);
        }
        if let Some((read, written)) = record.tokens {
            let tokens = &mut figures.tokens;
            tokens.audits += 1;
            tokens.read = tokens.read.saturating_add(read);
            tokens.written = tokens.written.saturating_add(written);
        }
        self.follow_block(record);
        self.take_error(record);
        if record.verdict == Word::Note {
            *self.notes.entry(record.session_id.clone()).or_default() += 1;
        }
    }

    fn follow_block(&mut self, record: &Record) {
        let after = &mut self.figures.after_block;
        if self.blocked.remove(&record.session_id) {
            let count = match record.verdict {
                _ if record.begins_turn() => &mut after.none_came,
                Word::Pass | Word::Note => &mut after.passed,
                Word::Fail => &mut after.failed_again,
                Word::Error => &mut after.errored,
                Word::Skip => &mut after.none_came,
            };
            *count += 1;
        }
        if record.verdict == Word::Fail && record.begins_turn() {
            self.blocked.insert(record.session_id.clone());
        }
    }

    fn take_error(&mut self, record: &Record) {
        match record.verdict {
            Word::Error => {}
            // A SKIP asked nobody: it says nothing of the auditor.
            Word::Skip => return,
            Word::Pass | Word::Note | Word::Fail => {
                self.errors_in_a_row = 0;
                return;
            }
        }
        self.errors_in_a_row += 1;
        self.figures.longest_errors = self.figures.longest_errors.max(self.errors_in_a_row);
        let cause = cause_of(&record.text);
        let known = self.causes.entry(cause.clone()).or_insert(Cause {
            told: cause,
            count: 0,
            newest: String::new(),
        });
        known.count += 1;
        known.newest.clone_from(&record.time);
    }

    /// The figures. `waiting`: notes that wait, by the session's id.
    pub(super) fn finish(self, waiting: impl Fn(&str) -> usize, marks: Vec<Mark>) -> Figures {
        let mut figures = self.figures;
        figures.after_block.none_came += self.blocked.len();
        figures.days = all_days(&self.days);
        figures.errors = self.causes.into_values().collect();
        figures.errors.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.told.cmp(&b.told)));
        figures.durations_ms.sort_unstable();
        figures.prompt_chars.sort_unstable();
        for (session_id, count) in &self.notes {
            figures.notes.all += count;
            figures.notes.waiting += waiting(session_id).min(*count);
        }
        figures.judged = judged(marks);
        figures
    }
}

impl Figures {
    /// Records of this verdict.
    pub(super) fn of(&self, word: Word) -> usize {
        self.verdicts.get(&word).copied().unwrap_or(0)
    }
}

/// What errors of one kind share: the text up to its first colon.
fn cause_of(text: &str) -> String {
    const MAX: usize = 60;
    let head = text.split(['：', ':']).next().unwrap_or_default().trim();
    head.chars().take(MAX).collect()
}

/// Every day from the first to the last; a log whose days cannot be read has only those that it names.
fn all_days(counted: &BTreeMap<String, [usize; 5]>) -> Vec<Day> {
    /// A typing error in a year must not make a chart of millennia.
    const MOST: usize = 4_000;
    let named = || counted.iter().map(|(day, counts)| Day { day: day.clone(), counts: *counts }).collect();
    let date = |day: Option<&String>| day.and_then(|day| day.parse::<Date>().ok());
    let (Some(first), Some(last)) = (date(counted.keys().next()), date(counted.keys().next_back())) else {
        return named();
    };
    let days: Vec<Date> = first.series(1.day()).take_while(|day| *day <= last).take(MOST + 1).collect();
    if days.len() > MOST {
        return named();
    }
    let day = |day: Date| {
        let day = day.to_string();
        let counts = counted.get(&day).copied().unwrap_or_default();
        Day { day, counts }
    };
    days.into_iter().map(day).collect()
}

/// At most `most` bars: days next to each other are put together, as few as need be.
pub(super) fn bars(days: &[Day], most: usize) -> (usize, Vec<Day>) {
    let per_bar = days.len().div_ceil(most.max(1)).max(1);
    let together = |days: &[Day]| {
        let mut sum =
            Day { day: days.first().map(|day| day.day.clone()).unwrap_or_default(), counts: [0; 5] };
        for day in days {
            sum.counts.iter_mut().zip(day.counts).for_each(|(sum, count)| *sum += count);
        }
        sum
    };
    (per_bar, days.chunks(per_bar).map(together).collect())
}

/// The value that so many per cent of an ascending list do not exceed; `None` of an empty one.
pub(super) fn percentile(ascending: &[u64], per_cent: usize) -> Option<u64> {
    let rank = (ascending.len() * per_cent).div_ceil(100).max(1);
    ascending.get(rank - 1).copied()
}

fn judged(marks: Vec<Mark>) -> Judged {
    let mut judged = Judged::default();
    for mark in marks {
        let (all, right) = match mark.verdict {
            Word::Fail => &mut judged.blocks,
            Word::Note => &mut judged.notes,
            Word::Pass => &mut judged.passes,
            Word::Error | Word::Skip => continue,
        };
        *all += 1;
        *right += usize::from(mark.right);
        if !mark.right {
            judged.wrong.push(mark);
        }
    }
    judged
}
