//! The end of a session's transcript becomes the current turn and the turns before it.
//!
//! Reading goes backwards and stops when the earlier turns fill their share of the prompt, so a session of a
//! gigabyte costs no more than its end. Everything here must therefore be decided from what stands *behind* a row.
//! Only a prompt whose parent is not near needs a look further back: it may follow a rewind (facts, part 0, 11).

mod rewind;

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::assemble::{self, Results};
use super::copies::{FirstPlaces, Id};
use super::line::version;
use super::queue::Queue;
use super::row::{self, Detail, Meaning, Row};
use super::tail::Tail;
use super::turn::{Entry, Opener, Sender, Turn, Words};

/// Copies are found by reading past them, and the file is read again without them; a sound file needs one pass and
/// a compacted one two. The limit only bounds what a hostile file can cost.
const MAX_PASSES: usize = 6;

/// What was read of a session.
#[derive(Debug, Default)]
pub struct Session {
    /// The turn that is being audited.
    pub current: Turn,
    /// The turns before it, the nearest first.
    pub earlier: Vec<Turn>,
    /// Whether the file was read to its beginning.
    pub is_whole: bool,
    /// Where in the file the reading stopped, in bytes.
    pub from: u64,
    /// Where it had begun: at the file's end, as a rule.
    pub until: u64,
    /// The client's version, as the newest row names it.
    pub client_version: Option<String>,
    /// Turn ids of prompts that were passed over, because a later one answers what they or one before them answered.
    pub abandoned: Vec<String>,
}

impl Session {
    /// All turns, the nearest first.
    pub fn turns_mut(&mut self) -> impl Iterator<Item = &mut Turn> {
        std::iter::once(&mut self.current).chain(&mut self.earlier)
    }
}

/// How much to read.
pub struct Extent<'a> {
    /// Turns at the end to leave out; 0 for the last turn.
    pub skip: usize,
    /// Bytes of the file to look at, if not all: what was added later is left out.
    pub until: Option<u64>,
    /// Characters that all earlier turns together may take beside this current turn, at most.
    pub share: &'a dyn Fn(&Turn) -> usize,
    /// Whether reading is to be given up: asked again and again.
    pub give_up: &'a dyn Fn() -> bool,
    /// Characters that an earlier turn takes, by its distance from the current one (1: the turn before).
    pub measure: &'a dyn Fn(&Turn, usize) -> usize,
}

/// Reads the end of a transcript; `None` where it holds no turn.
///
/// # Errors
/// Those of reading the file; [`io::ErrorKind::InvalidInput`] where it is no file, [`io::ErrorKind::TimedOut`] where
/// reading was given up, [`io::ErrorKind::UnexpectedEof`] where the file became shorter meanwhile.
pub fn read(path: &Path, extent: &Extent<'_>) -> io::Result<Option<Session>> {
    // A pipe in its place must not be waited for.
    let not_waiting = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(not_waiting).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let length = extent.until.map_or(metadata.len(), |until| until.min(metadata.len()));
    let mut first_places = FirstPlaces::default();
    for _ in 1..MAX_PASSES {
        let mut pass = Pass::new(Tail::new(&file, length, extent.give_up), &first_places);
        pass.run(extent)?;
        if pass.copies.is_empty() {
            return Ok(pass.finish(extent, length));
        }
        let copies = std::mem::take(&mut pass.copies);
        first_places.extend(copies);
    }
    let mut pass = Pass::new(Tail::new(&file, length, extent.give_up), &first_places);
    pass.run(extent)?;
    Ok(pass.finish(extent, length))
}

/// One reading from the end towards the beginning.
struct Pass<'f> {
    tail: Tail<'f>,
    /// First places of rows that are known to stand in the file more than once (4.13).
    first_places: &'f FirstPlaces,
    /// Rows met twice in this pass, with the earlier place.
    copies: HashMap<Id, u64>,
    seen: HashSet<Id>,
    /// Rows of the turn being read, the last one first.
    rows: Vec<Row>,
    turns: Vec<Turn>,
    results: Results,
    retracted: HashSet<String>,
    /// Words of a prompt that a hook blocked, while nothing of Claude's stands between (4.13).
    blocked: Option<String>,
    /// Notifications that a later row carries.
    delivered: HashSet<String>,
    queue: Queue,
    /// The opener read last, and whether the row that it answers has not been met yet.
    opener: Option<Met>,
    /// Bytes that may still be looked through for the siblings of prompts.
    look_back: u64,
    earlier_chars: usize,
    /// Characters of each earlier turn, by the id of its opener.
    chars_of_turns: HashMap<String, usize>,
    share: usize,
    client_version: Option<String>,
    abandoned: Vec<String>,
}

/// An opener that was read, as far as rows before it may concern it.
struct Met {
    words: String,
    prompt_id: Option<String>,
    missing_parent: Option<String>,
}

enum Step {
    Go,
    Stop,
}

impl<'f> Pass<'f> {
    fn new(tail: Tail<'f>, first_places: &'f FirstPlaces) -> Self {
        Pass {
            tail,
            first_places,
            copies: HashMap::new(),
            seen: HashSet::new(),
            rows: Vec::new(),
            turns: Vec::new(),
            results: HashMap::new(),
            retracted: HashSet::new(),
            blocked: None,
            delivered: HashSet::new(),
            queue: Queue::default(),
            opener: None,
            look_back: rewind::LOOK_BACK,
            earlier_chars: 0,
            chars_of_turns: HashMap::new(),
            share: usize::MAX,
            client_version: None,
            abandoned: Vec::new(),
        }
    }

    fn run(&mut self, extent: &Extent<'_>) -> io::Result<()> {
        loop {
            // Outputs are told only of the audited turn and of the one before it.
            let detail = if self.turns.len() <= extent.skip + 1 { Detail::Whole } else { Detail::Brief };
            let Some(line) = self.tail.previous()? else { return Ok(()) };
            let offset = line.offset;
            if let Some(met) = &mut self.opener
                && let Some(parent) = &met.missing_parent
                && self.first_places.is_first_place(parent, line.bytes, offset)
            {
                met.missing_parent = None;
            }
            if self.client_version.is_none() {
                self.client_version = version(line.bytes);
            }
            let Some(row) = row::read(line.bytes, detail) else {
                if self.first_places.is_empty() {
                    continue;
                }
                // Where rows were written again, those without a meaning were too, and prompts answer them.
                let id = Id::of_silent(line.bytes);
                self.is_first(id, offset);
                continue;
            };
            if !self.is_first(Id::of(&row), offset) {
                continue;
            }
            if let Step::Stop = self.take(row, extent)? {
                return Ok(());
            }
        }
    }

    /// Whether the row stands at its first place, as far as this is known; copies count there only.
    fn is_first(&mut self, id: Option<Id>, offset: u64) -> bool {
        let Some(id) = id else { return true };
        if self.first_places.is_copy(&id, offset) {
            return false;
        }
        let is_retracted = self.retracted.contains(&id.uuid);
        if self.seen.contains(&id) {
            // What a copied prompt opened will be gone: there is room to read on for its first place's sake.
            if id.means_something {
                let chars = self.chars_of_turns.remove(&id.uuid).unwrap_or(0);
                self.earlier_chars = self.earlier_chars.saturating_sub(chars);
            }
            self.copies.insert(id, offset);
        } else {
            self.seen.insert(id);
        }
        !is_retracted
    }

    fn take(&mut self, row: Row, extent: &Extent<'_>) -> io::Result<Step> {
        self.retracted.extend(row.retracts.iter().cloned());
        self.queue.note_row(&row);
        match &row.meaning {
            Meaning::Prompt { words, is_sent, .. } => {
                if self.blocked.take_if(|blocked| *blocked == words.text).is_some() {
                    return Ok(Step::Go);
                }
                let is_local = matches!(self.rows.last(), Some(Row { meaning: Meaning::LocalOutput, .. }));
                // At the end of the file the answer may not be written yet.
                if *is_sent || ((self.is_answered() || self.turns.is_empty()) && !is_local) {
                    return self.open(row, extent);
                }
            }
            Meaning::BangCommand(_) => {
                let goes_to_model = matches!(
                    self.rows.last(),
                    Some(Row { meaning: Meaning::BangOutput { is_sent: true, .. }, .. })
                );
                // At the end of the file its answer may not be written yet.
                if self.is_answered() || (goes_to_model && self.turns.is_empty()) {
                    return self.open(row, extent);
                }
                self.rows.push(row);
            }
            // A prompt that Claude answered was not blocked, whatever this row says (facts, B31).
            Meaning::PromptBlocked(words) => self.blocked = (!self.is_answered()).then(|| words.clone()),
            Meaning::NotificationQueued(text) => {
                if self.queue.has_released(text) && self.delivered.insert(text.clone()) {
                    let event = Meaning::Event(Entry::BackgroundResult(text.clone()));
                    self.rows.push(Row { meaning: event, ..row });
                }
            }
            Meaning::Dequeued => self.queue.dequeued(),
            Meaning::Removed(text) => self.queue.removed(text.as_deref()),
            Meaning::Event(event) => {
                if let Entry::BackgroundResult(text) = event {
                    self.delivered.insert(text.clone());
                }
                self.rows.push(row);
            }
            Meaning::Claude(_) => {
                self.blocked = None;
                self.rows.push(row);
            }
            Meaning::Results(..) => self.take_results(row),
            Meaning::BangOutput { .. } | Meaning::LocalOutput => self.rows.push(row),
            Meaning::Retraction => {}
        }
        Ok(Step::Go)
    }

    fn take_results(&mut self, row: Row) {
        self.blocked = None;
        let Row { meaning: Meaning::Results(results, beside), uuid, parent, prompt_id, retracts } = row
        else {
            return;
        };
        for result in results {
            self.results.insert(result.call_id.clone(), result);
        }
        if beside.is_some() {
            let meaning = Meaning::Results(Vec::new(), beside);
            self.rows.push(Row { uuid, parent, prompt_id, retracts, meaning });
        }
    }

    fn is_answered(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.meaning, Meaning::Claude(_)))
    }

    /// An opener: the rows read since the last one are its turn.
    fn open(&mut self, row: Row, extent: &Extent<'_>) -> io::Result<Step> {
        self.blocked = None;
        let (words, sender) = match row.meaning {
            Meaning::Prompt { words, sender, .. } => (words, sender),
            Meaning::BangCommand(command) => {
                (Words { text: format!("! {command}"), images: 0 }, Sender::Person)
            }
            _ => return Ok(Step::Go),
        };
        if self.is_written_twice(&words.text, row.prompt_id.as_deref()) {
            self.join_to_last();
            return Ok(Step::Go);
        }
        if self.is_abandoned(row.parent.as_deref())? {
            self.abandoned.extend(row.prompt_id);
            self.rows.clear();
            return Ok(Step::Go);
        }
        self.opener = Some(Met {
            words: words.text.clone(),
            prompt_id: row.prompt_id.clone(),
            missing_parent: row.parent.clone(),
        });
        let opener = Opener { words: words.text, images: words.images, sender };
        Ok(self.close_turn(opener, row.uuid, row.prompt_id, extent))
    }

    fn close_turn(
        &mut self,
        opener: Opener,
        uuid: Option<String>,
        prompt_id: Option<String>,
        extent: &Extent<'_>,
    ) -> Step {
        let rows = std::mem::take(&mut self.rows);
        let is_skipped = self.turns.len() < extent.skip;
        let mut prompt_ids: Vec<String> = prompt_id.into_iter().collect();
        prompt_ids.extend(rows.iter().filter_map(woken_by).cloned());
        let entries = assemble::entries(rows.into_iter().rev(), &mut self.results);
        let turn = if is_skipped { Turn::default() } else { Turn { opener, entries, prompt_ids } };
        let distance = self.turns.len().saturating_sub(extent.skip);
        match (is_skipped, distance) {
            (true, _) => {}
            (false, 0) => self.share = (extent.share)(&turn),
            (false, _) => {
                let chars = (extent.measure)(&turn, distance);
                self.earlier_chars += chars;
                self.chars_of_turns.extend(uuid.map(|uuid| (uuid, chars)));
            }
        }
        self.turns.push(turn);
        if self.earlier_chars > self.share { Step::Stop } else { Step::Go }
    }

    /// The desktop app writes the first prompt twice, under two ids (facts, B46): same turn id, same words, nothing
    /// of Claude's between.
    fn is_written_twice(&self, words: &str, prompt_id: Option<&str>) -> bool {
        let Some(met) = &self.opener else { return false };
        prompt_id.is_some()
            && met.prompt_id.as_deref() == prompt_id
            && met.words == words
            && !self.is_answered()
    }

    fn join_to_last(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let between = assemble::entries(rows.into_iter().rev(), &mut self.results);
        if let Some(turn) = self.turns.last_mut() {
            turn.entries.splice(0..0, between);
        }
    }

    fn finish(mut self, extent: &Extent<'_>, until: u64) -> Option<Session> {
        let is_whole = self.tail.position() == 0;
        if is_whole {
            self.close_steered_turn(extent);
        }
        let from = self.tail.position();
        let mut turns = self.turns.into_iter().skip(extent.skip);
        let current = turns.next()?;
        Some(Session {
            current,
            earlier: turns.collect(),
            is_whole,
            from,
            until,
            client_version: self.client_version,
            abandoned: self.abandoned,
        })
    }

    /// Where the file begins without an opener, a message that the person sent into it opens the turn.
    fn close_steered_turn(&mut self, extent: &Extent<'_>) {
        let steer = self.rows.iter().rposition(|row| matches!(row.meaning, Meaning::Event(Entry::Steer(_))));
        let Some(at) = steer else { return };
        self.rows.truncate(at + 1);
        if let Some(Row { meaning: Meaning::Event(Entry::Steer(words)), prompt_id, .. }) = self.rows.pop() {
            let opener = Opener { words: words.text, images: words.images, sender: Sender::Person };
            self.close_turn(opener, None, prompt_id, extent);
        }
    }
}

/// Turn ids of rows that wake Claude without being the person's: notifications, other sessions, timers.
fn woken_by(row: &Row) -> Option<&String> {
    match row.meaning {
        Meaning::Event(Entry::BackgroundResult(_) | Entry::Peer { .. } | Entry::Scheduled(_)) => {
            row.prompt_id.as_ref()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
