//! A slow reader as the oracle for the fast one: the whole file into memory, every row, from the beginning on.
//! It follows the same definitions (4.13): copies count once at their first place among the rows from `from` on,
//! which is where the fast reader stopped. A row that means nothing is no copy of one that means something.
use std::collections::{HashMap, HashSet};

use stop_auditor::transcript::assemble;
use stop_auditor::transcript::line;
use stop_auditor::transcript::queue::Queue;
use stop_auditor::transcript::row::{self, Detail, Meaning, Row};
use stop_auditor::transcript::session::Session;
use stop_auditor::transcript::turn::{Entry, Opener, Sender, Turn, Words};

/// The session that these bytes hold; `None` where they hold no turn.
pub(crate) fn read(bytes: &[u8], from: u64) -> Option<Session> {
    let mut file = File::parse(bytes, from);
    let openers = file.openers();
    let turns = file.turns(&openers);
    let mut newest_first = turns.into_iter().rev();
    let current = newest_first.next()?;
    Some(Session {
        current,
        earlier: newest_first.collect(),
        is_whole: from == 0,
        from,
        until: bytes.len() as u64,
        client_version: None,
        abandoned: Vec::new(),
    })
}

struct File {
    /// Every row that means something, copies and withdrawn rows gone.
    rows: Vec<Option<Row>>,
    /// Ids of rows with the numbers of meaningful rows before them: of several rows that mean something the first, and
    /// the same for those that mean nothing; of these all where no other row was written again.
    places: HashMap<String, Vec<usize>>,
}

impl File {
    fn parse(bytes: &[u8], from: u64) -> File {
        let (mut rows, mut seen) = (Vec::new(), HashSet::new());
        let mut all_places: HashMap<(String, bool), Vec<usize>> = HashMap::new();
        let mut is_written_again = false;
        let mut offset = 0_u64;
        for text in bytes.split(|byte| *byte == b'\n') {
            if offset >= from && seen.is_empty() {
                seen.insert(String::new());
            }
            let meaningful = row::read(text, Detail::Whole);
            if let Some(uuid) = line::uuid(text) {
                all_places.entry((uuid, meaningful.is_some())).or_default().push(rows.len());
            }
            if let Some(row) = meaningful {
                // Copies count once among the rows that were read; what stands before them is not asked.
                let is_first =
                    offset < from || row.uuid.as_ref().is_none_or(|uuid| seen.insert(uuid.clone()));
                if is_first {
                    rows.push(Some(row));
                } else {
                    is_written_again = true;
                }
            }
            offset += text.len() as u64 + 1;
        }
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for ((uuid, means_something), all) in all_places {
            let n = if means_something || is_written_again { 1 } else { all.len() };
            places.entry(uuid).or_default().extend(all.into_iter().take(n));
        }
        let mut file = File { rows, places };
        file.drop_withdrawn();
        file
    }

    fn meaning(&self, index: usize) -> Option<&Meaning> {
        self.rows.get(index).and_then(Option::as_ref).map(|row| &row.meaning)
    }

    fn drop_withdrawn(&mut self) {
        let withdrawn: Vec<(usize, String)> = self
            .rows
            .iter()
            .enumerate()
            .flat_map(|(index, row)| {
                row.iter().flat_map(move |row| row.retracts.iter().map(move |u| (index, u.clone())))
            })
            .collect();
        for (at, uuid) in withdrawn {
            for row in self.rows.iter_mut().take(at) {
                row.take_if(|row| row.uuid.as_ref() == Some(&uuid));
            }
        }
    }

    /// Indices of the rows that start a turn, and of the rows that are on no abandoned branch.
    fn openers(&mut self) -> Vec<usize> {
        self.drop_blocked();
        let mut openers: Vec<usize> = Vec::new();
        let mut next = self.rows.len();
        for index in (0..self.rows.len()).rev() {
            let answered =
                (index + 1..next).any(|later| matches!(self.meaning(later), Some(Meaning::Claude(_))));
            let is_opener = match self.meaning(index) {
                Some(Meaning::Prompt { is_sent, .. }) => {
                    *is_sent
                        || ((answered || next == self.rows.len())
                            && !matches!(self.kept_after(index, next), Some(Meaning::LocalOutput)))
                }
                Some(Meaning::BangCommand(_)) => {
                    let sent = matches!(
                        self.kept_after(index, next),
                        Some(Meaning::BangOutput { is_sent: true, .. })
                    );
                    answered || (sent && next == self.rows.len())
                }
                _ => false,
            };
            if is_opener {
                openers.push(index);
                next = index;
            }
        }
        openers.reverse();
        self.without_doubles_and_rewinds(&openers)
    }

    /// The next row that stays in a turn.
    fn kept_after(&self, index: usize, end: usize) -> Option<&Meaning> {
        (index + 1..end).filter_map(|later| self.meaning(later)).find(|meaning| {
            matches!(
                meaning,
                Meaning::Claude(_)
                    | Meaning::Event(_)
                    | Meaning::LocalOutput
                    | Meaning::BangCommand(_)
                    | Meaning::BangOutput { .. }
                    | Meaning::Results(_, Some(_))
            )
        })
    }

    /// A prompt that a hook blocked goes, unless Claude answered it.
    fn drop_blocked(&mut self) {
        for at in 0..self.rows.len() {
            let Some(Meaning::PromptBlocked(blocked)) = self.meaning(at) else { continue };
            let turn_end = (at..self.rows.len())
                .find(|later| matches!(self.meaning(*later), Some(Meaning::Prompt { is_sent: true, .. })))
                .unwrap_or(self.rows.len());
            if (at..turn_end).any(|later| matches!(self.meaning(later), Some(Meaning::Claude(_)))) {
                continue;
            }
            let before = (0..at).rev().find(|index| {
                matches!(
                    self.meaning(*index),
                    Some(
                        Meaning::Claude(_)
                            | Meaning::Results(..)
                            | Meaning::Prompt { .. }
                            | Meaning::BangCommand(_)
                    )
                )
            });
            let Some(index) = before else { continue };
            if matches!(self.meaning(index), Some(Meaning::Prompt { words, .. }) if words.text == *blocked) {
                self.rows[index] = None;
            }
        }
    }

    /// From the end: the last prompt's branch is the one that goes on, and what it left is no longer asked what it had
    /// left itself.
    fn without_doubles_and_rewinds(&mut self, candidates: &[usize]) -> Vec<usize> {
        let mut rest = candidates.to_vec();
        let mut openers: Vec<usize> = Vec::new();
        while let Some(last) = rest.pop() {
            let parent = self.rows[last].as_ref().and_then(|row| row.parent.clone());
            let places = parent.iter().filter_map(|parent| self.places.get(parent)).flatten().copied();
            let parent_place = places.filter(|place| *place <= last).max().unwrap_or(0);
            let mut opener = last;
            loop {
                if let Some(&before) = rest.last()
                    && self.is_double(before, opener)
                {
                    self.rows[opener] = None;
                    opener = before;
                    rest.pop();
                    continue;
                }
                let is_sibling = |earlier: usize| {
                    parent.is_some()
                        && earlier >= parent_place
                        && self.rows[earlier].as_ref().is_some_and(|row| row.parent == parent)
                };
                let Some(position) = rest.iter().position(|&earlier| is_sibling(earlier)) else { break };
                let from = rest[position];
                rest.truncate(position);
                self.rows[from..opener].iter_mut().for_each(|row| *row = None);
            }
            openers.push(opener);
        }
        openers.reverse();
        openers
    }

    fn is_double(&self, first: usize, second: usize) -> bool {
        let (Some(a), Some(b)) = (self.rows[first].as_ref(), self.rows[second].as_ref()) else {
            return false;
        };
        let (Meaning::Prompt { words: x, .. }, Meaning::Prompt { words: y, .. }) = (&a.meaning, &b.meaning)
        else {
            return false;
        };
        let silent = !(first..second).any(|index| matches!(self.meaning(index), Some(Meaning::Claude(_))));
        a.prompt_id.is_some() && a.prompt_id == b.prompt_id && x.text == y.text && silent
    }

    fn deliver_queued(&mut self) {
        let mut carried = HashSet::new();
        let mut queue = Queue::default();
        for row in self.rows.iter_mut().rev().flatten() {
            queue.note_row(row);
            match &row.meaning {
                Meaning::Dequeued => queue.dequeued(),
                Meaning::Removed(text) => queue.removed(text.as_deref()),
                Meaning::Event(Entry::BackgroundResult(text)) => {
                    carried.insert(text.clone());
                }
                Meaning::NotificationQueued(text)
                    if queue.has_released(text) && carried.insert(text.clone()) =>
                {
                    row.meaning = Meaning::Event(Entry::BackgroundResult(text.clone()));
                }
                _ => {}
            }
        }
    }

    fn turns(mut self, openers: &[usize]) -> Vec<Turn> {
        self.deliver_queued();
        let mut openers = openers.to_vec();
        // A message sent into a session whose beginning holds no opener opens a turn there.
        let first = openers.first().copied().unwrap_or(self.rows.len());
        let steer =
            (0..first).find(|index| matches!(self.meaning(*index), Some(Meaning::Event(Entry::Steer(_)))));
        openers.splice(0..0, steer);
        let mut turns = Vec::new();
        let mut results = assemble::Results::new();
        for &index in openers.iter().rev() {
            let mut rows: Vec<Row> = self.rows.split_off(index).into_iter().flatten().collect();
            let opener = rows.remove(0);
            for row in rows.iter_mut().rev() {
                if let Meaning::Results(found, _) = &mut row.meaning {
                    results.extend(found.drain(..).map(|result| (result.call_id.clone(), result)));
                }
            }
            let mut prompt_ids: Vec<String> = opener.prompt_id.iter().cloned().collect();
            prompt_ids.extend(rows.iter().filter_map(|row| match row.meaning {
                Meaning::Event(Entry::BackgroundResult(_) | Entry::Peer { .. } | Entry::Scheduled(_)) => {
                    row.prompt_id.clone()
                }
                _ => None,
            }));
            let (words, sender) = match opener.meaning {
                Meaning::Prompt { words, sender, .. } => (words, sender),
                Meaning::BangCommand(command) => {
                    (Words { text: format!("! {command}"), images: 0 }, Sender::Person)
                }
                Meaning::Event(Entry::Steer(words)) => (words, Sender::Person),
                other => panic!("no opener: {other:?}"),
            };
            let opener = Opener { words: words.text, images: words.images, sender };
            turns.push(Turn { opener, entries: assemble::entries(rows, &mut results), prompt_ids });
        }
        turns.reverse();
        turns
    }
}
