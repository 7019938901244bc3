//! The end of a session's transcript becomes the current turn and the turns before it.
//!
//! Reading goes backwards and stops when the earlier turns fill their share of the prompt, so a session of a
//! gigabyte costs no more than its end. Everything here must therefore be decided from what stands *behind* a row.
//! Only a prompt whose parent is not near needs a look further back: it may follow a rewind (facts, part 0, 11).

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::assemble::{self, Results};
use super::line::{is_row, uuid, version};
use super::queue::Queue;
use super::row::{self, Detail, Meaning, Row};
use super::tail::Tail;
use super::turn::{Entry, Opener, Sender, Turn, Words};

/// Copies are found by reading past them, and the file is read again without them; a sound file needs one pass and
/// a compacted one two. The limit only bounds what a hostile file can cost.
const MAX_PASSES: usize = 6;

/// Bytes of one pass that are looked through for the siblings of prompts whose parent is not near. Branches are short;
/// in a file whose chain is broken everywhere each prompt would cost the whole file.
const LOOK_BACK: u64 = 64 * 1024 * 1024;

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
    let mut first_places = HashMap::new();
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
    first_places: &'f HashMap<Id, u64>,
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

/// What copies share. A row that means nothing is no copy of one that means something, whatever id a damaged file gives
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Id {
    uuid: String,
    means_something: bool,
}

impl Row {
    /// What its copies share with it.
    fn id(&self) -> Option<Id> {
        self.uuid.clone().map(|uuid| Id { uuid, means_something: true })
    }
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
    fn new(tail: Tail<'f>, first_places: &'f HashMap<Id, u64>) -> Self {
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
            look_back: LOOK_BACK,
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
                && is_first_place(self.first_places, parent, line.bytes, offset)
            {
                met.missing_parent = None;
            }
            if self.client_version.is_none() {
                self.client_version = version(line.bytes);
            }
            let Some(row) = row::read(line.bytes, detail) else {
                // Where rows were written again, those without a meaning were too, and prompts answer them.
                if !self.first_places.is_empty()
                    && let Some(uuid) = uuid(line.bytes)
                {
                    self.is_first(Some(Id { uuid, means_something: false }), offset);
                }
                continue;
            };
            if !self.is_first(row.id(), offset) {
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
        if is_copy(self.first_places, &id, offset) {
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

    /// Whether this prompt stands on a branch that a rewind left: the prompt after it in the file answers a row that
    /// stands before it, and so does this prompt or one before it. Leaves the reader before that branch.
    ///
    /// Where no such sibling is found the chain is merely broken, and nothing is lost.
    fn is_abandoned(&mut self, parent: Option<&str>) -> io::Result<bool> {
        let Some(missing) = self.opener.as_ref().and_then(|met| met.missing_parent.clone()) else {
            return Ok(false);
        };
        if parent == Some(missing.as_str()) {
            return Ok(true);
        }
        let here = self.tail.position();
        while let Some(line) = self.tail.previous()? {
            let passed = here - line.offset;
            if passed > self.look_back {
                break;
            }
            if memchr::memmem::find(line.bytes, missing.as_bytes()).is_none() {
                continue;
            }
            if is_first_place(self.first_places, &missing, line.bytes, line.offset) {
                break;
            }
            let sibling = row::read(line.bytes, Detail::Brief).filter(|row| {
                row.parent.as_ref() == Some(&missing)
                    && matches!(row.meaning, Meaning::Prompt { .. } | Meaning::BangCommand(_))
                    && !row.id().is_some_and(|id| is_copy(self.first_places, &id, line.offset))
            });
            if sibling.is_some() {
                let branch = line.offset;
                self.tail.seek(here);
                self.pass_over(branch)?;
                return Ok(true);
            }
        }
        self.look_back = self.look_back.saturating_sub(here - self.tail.position());
        self.tail.seek(here);
        if let Some(met) = &mut self.opener {
            met.missing_parent = None;
        }
        Ok(false)
    }

    /// Goes on to `until` without taking rows; that they stand here still makes their later copies copies.
    fn pass_over(&mut self, until: u64) -> io::Result<()> {
        while self.tail.position() > until {
            let Some(line) = self.tail.previous()? else { return Ok(()) };
            let offset = line.offset;
            let means_something = row::read(line.bytes, Detail::Brief).is_some();
            let id = uuid(line.bytes).map(|uuid| Id { uuid, means_something });
            self.is_first(id, offset);
        }
        Ok(())
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

/// Whether the row at this place is known to stand earlier too.
fn is_copy(first_places: &HashMap<Id, u64>, id: &Id, offset: u64) -> bool {
    first_places.get(id).is_some_and(|first| *first < offset)
}

/// Whether the line is the row with this id, and no copy as far as this is known.
fn is_first_place(first_places: &HashMap<Id, u64>, uuid: &str, line: &[u8], offset: u64) -> bool {
    if !is_row(line, uuid) {
        return false;
    }
    // Only where rows were written again does it matter which kind of row this is.
    let means_something = first_places.is_empty() || row::read(line, Detail::Brief).is_some();
    !is_copy(first_places, &Id { uuid: uuid.to_owned(), means_something }, offset)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serde_json::json;

    use super::super::turn::{Call, Outcome};
    use super::*;

    /// A transcript, line by line.
    struct Lines(String);

    impl Lines {
        fn new() -> Self {
            Lines(String::new())
        }

        /// A row; gives its offset.
        fn add(&mut self, row: &serde_json::Value) -> u64 {
            let offset = self.0.len() as u64;
            self.0 += &row.to_string();
            self.0.push('\n');
            offset
        }

        fn prompt(&mut self, id: &str, parent: &str) -> u64 {
            self.add(
                &json!({"type": "user", "uuid": id, "parentUuid": parent, "promptId": format!("id-{id}"),
                "promptSource": "typed", "message": {"content": id}}),
            )
        }

        fn reply(&mut self, id: &str, parent: &str) -> u64 {
            self.add(&json!({"type": "assistant", "uuid": id, "parentUuid": parent,
                "message": {"id": id, "content": [{"type": "text", "text": id}]}}))
        }

        /// A turn of a prompt, a call with an output of 1,000 characters, and a reply.
        fn turn(&mut self, n: usize) {
            self.prompt(&format!("p{n}"), &format!("r{}", n - 1));
            let call = format!("c{n}");
            self.add(&json!({"type": "assistant", "message": {"content": [
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "x"}}]}}));
            self.add(&json!({"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": call, "content": "x".repeat(1_000)}]}}));
            self.reply(&format!("r{n}"), &format!("p{n}"));
        }

        fn file(&self) -> tempfile::NamedTempFile {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(self.0.as_bytes()).unwrap();
            file
        }
    }

    const EXTENT: Extent<'_> =
        Extent { skip: 0, until: None, share: &|_| usize::MAX, give_up: &|| false, measure: &|_, _| 50 };

    /// The words of all turns, the nearest first.
    fn words<'a>(turns: impl IntoIterator<Item = &'a Turn>) -> Vec<&'a str> {
        turns.into_iter().map(|turn| turn.opener.words.as_str()).collect()
    }

    /// Characters of all outputs.
    fn outputs(turn: &Turn) -> usize {
        let of_entry = |entry: &Entry| match entry {
            Entry::Call(Call { outcome: Outcome::Ok(output), .. }) => output.text.len(),
            _ => 0,
        };
        turn.entries.iter().map(of_entry).sum()
    }

    #[test]
    fn r4_31_reading_goes_on_until_the_earlier_turns_take_more_than_their_share() {
        let mut lines = Lines::new();
        (1..=6).for_each(|n| lines.turn(n));
        let file = lines.file();
        for (share, wanted) in [(0, 1), (99, 2), (100, 3), (101, 3), (usize::MAX, 5)] {
            let extent = Extent { share: &|_| share, ..EXTENT };
            let session = read(file.path(), &extent).unwrap().unwrap();
            assert_eq!(session.earlier.len(), wanted, "{share}");
            assert_eq!((session.is_whole, session.from == 0), (wanted == 5, wanted == 5), "{share}");
        }
    }

    #[test]
    fn r4_21_outputs_are_held_whole_of_the_current_turn_and_the_one_before() {
        let mut lines = Lines::new();
        (1..=5).for_each(|n| lines.turn(n));
        let file = lines.file();
        for (skip, last) in [(0, 5), (1, 4), (2, 3)] {
            let session = read(file.path(), &Extent { skip, ..EXTENT }).unwrap().unwrap();
            let turns = || std::iter::once(&session.current).chain(&session.earlier);
            let wanted: Vec<String> = (1..=last).rev().map(|n| format!("p{n}")).collect();
            assert_eq!(words(turns()), wanted, "{skip}");
            let held: Vec<bool> = turns().map(|turn| outputs(turn) == 1_000).collect();
            let nearest: Vec<bool> = (0..last).map(|distance| distance < 2).collect();
            assert_eq!(held, nearest, "{skip}");
        }
        assert!(read(file.path(), &Extent { skip: 5, ..EXTENT }).unwrap().is_none());
    }

    /// What one pass makes of these lines, having this many bytes to look for siblings in.
    fn one_pass(lines: &Lines, look_back: u64) -> (Vec<String>, Vec<String>, u64) {
        let file = lines.file();
        let first_places = HashMap::new();
        let tail = Tail::new(file.as_file(), lines.0.len() as u64, &|| false);
        let mut pass = Pass::new(tail, &first_places);
        pass.look_back = look_back;
        pass.run(&EXTENT).unwrap();
        let told = |turn: &Turn| format!("{} {}", turn.opener.words, turn.reply());
        (pass.turns.iter().map(told).collect(), pass.abandoned, pass.look_back)
    }

    #[test]
    fn r4_13_a_rewound_branch_of_several_prompts_is_found_as_far_back_as_is_looked() {
        let mut lines = Lines::new();
        lines.prompt("p1", "none");
        lines.reply("r1", "p1");
        let begins = lines.prompt("p2", "r1");
        lines.reply("r2", "p2");
        let looked_from = lines.prompt("p3", "r2");
        lines.reply("r3", "p3");
        lines.prompt("p4", "r1");
        lines.reply("r4", "p4");
        let needed = looked_from - begins;
        let (turns, abandoned, left) = one_pass(&lines, needed);
        assert_eq!(turns, ["p4 r4", "p1 r1"]);
        assert_eq!(abandoned, ["id-p3"]);
        assert_eq!(left, needed);
        // The chain counts as broken then, and nothing is lost.
        let (turns, abandoned, left) = one_pass(&lines, needed - 1);
        assert_eq!(turns, ["p4 r4", "p3 r3", "p2 r2", "p1 r1"]);
        assert!(abandoned.is_empty());
        assert_eq!(left, 0);
    }

    #[test]
    fn r4_13_a_rewound_branch_may_be_megabytes_long() {
        let mut lines = Lines::new();
        lines.prompt("p1", "none");
        lines.prompt("p2", "p1");
        lines.add(&json!({"type": "mode", "filler": "x".repeat(2_000_000)}));
        lines.prompt("p3", "p2");
        lines.prompt("p4", "p1");
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!(words(std::iter::once(&session.current).chain(&session.earlier)), ["p4", "p1"]);
    }

    #[test]
    fn r4_13_what_was_looked_through_in_vain_is_not_looked_through_without_end() {
        let mut lines = Lines::new();
        for _ in 0..5 {
            lines.add(&json!({"type": "mode"}));
        }
        let looked_from = lines.prompt("p1", "none");
        lines.reply("r1", "p1");
        lines.prompt("p2", "gone");
        lines.reply("r2", "p2");
        let (turns, _, left) = one_pass(&lines, 10_000);
        assert_eq!((turns.len(), left), (2, 10_000 - looked_from));

        // Nor behind the row that is answered, wherever it stands.
        let mut lines = Lines::new();
        lines.add(&json!({"type": "mode"}));
        let answered = lines.reply("r0", "none");
        let looked_from = lines.prompt("p1", "none");
        lines.reply("r1", "p1");
        lines.prompt("p2", "r0");
        lines.reply("r2", "p2");
        let (turns, _, left) = one_pass(&lines, 10_000);
        assert_eq!((turns.len(), left), (2, 10_000 - (looked_from - answered)));

        // Where each prompt answers what stands before it nothing is looked for.
        let mut sound = Lines::new();
        (1..=4).for_each(|n| sound.turn(n));
        let (turns, _, left) = one_pass(&sound, 10_000);
        assert_eq!((turns.len(), left), (4, 10_000));
    }

    #[test]
    fn r4_13_rows_that_were_written_again_count_at_their_first_place() {
        let mut lines = Lines::new();
        lines.turn(1);
        lines.turn(2);
        let again = lines.0.clone();
        lines.0 += &again;
        lines.turn(3);
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!(words(std::iter::once(&session.current).chain(&session.earlier)), ["p3", "p2", "p1"]);
        assert!(session.is_whole);

        // Replies alone, behind what they stand in already.
        let mut lines = Lines::new();
        lines.prompt("p1", "none");
        lines.reply("r1", "p1");
        lines.prompt("p2", "r1");
        lines.reply("r2", "p2");
        lines.reply("r1", "p1");
        lines.reply("r2", "p2");
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!((session.current.entries.len(), session.current.reply()), (1, "r2"));
        assert_eq!(words(&session.earlier), ["p1"]);
    }

    #[test]
    fn r4_1_a_command_that_printed_something_is_no_turn_where_nothing_says_that_it_was_sent() {
        let user = |content: &str| json!({"type": "user", "message": {"content": content}});
        let current = |has_output: bool| {
            let mut lines = Lines::new();
            lines.prompt("p1", "none");
            lines.reply("r1", "p1");
            lines.add(&user("<command-name>/fix</command-name>"));
            if has_output {
                lines.add(&user("<local-command-stdout>done</local-command-stdout>"));
            }
            read(lines.file().path(), &EXTENT).unwrap().unwrap().current.opener.words
        };
        assert_eq!(current(true), "p1");
        // At the file's end its answer may not be written yet.
        assert_eq!(current(false), "/fix");
    }

    #[test]
    fn r6_4_the_ids_of_a_turn_are_its_opener_s_and_those_of_what_woke_claude() {
        let mut lines = Lines::new();
        lines.prompt("p1", "none");
        let woken = |id: &str, fields: &serde_json::Value| {
            let mut row = json!({"type": "user", "promptId": id, "message": {"content": "x"}});
            row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            row
        };
        lines.add(&woken("notified", &json!({"turnOrigin": "task_notification"})));
        lines.add(&woken("peer", &json!({"turnOrigin": "peer"})));
        lines.add(&woken("timer", &json!({"turnOrigin": "cron"})));
        lines.add(&woken("interrupt", &json!({"interruptedMessageId": "m"})));
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!(session.current.prompt_ids, ["id-p1", "timer", "peer", "notified"]);
    }

    #[test]
    fn r4_1_a_message_sent_into_a_file_without_a_beginning_opens_its_turn() {
        let steer = |words: &str| json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": words}});
        let mut lines = Lines::new();
        lines.reply("r0", "none");
        lines.add(&steer("first"));
        lines.reply("r1", "none");
        lines.add(&steer("second"));
        lines.reply("r2", "none");
        let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
        assert_eq!(session.current.opener.words, "first");
        assert_eq!((session.current.entries.len(), session.current.reply()), (3, "r2"));
        assert!(session.earlier.is_empty());
    }

    #[test]
    fn r4_1_a_prompt_written_twice_is_one_only_where_nothing_tells_the_two_apart() {
        let ask = |words: &str, id: Option<&str>| json!({"type": "user", "uuid": words, "promptId": id, "promptSource": "typed", "message": {"content": words}});
        for (name, first, is_answered, second, wanted) in [
            ("the same", ask("a", Some("1")), false, ask("a", Some("1")), 1),
            ("other words", ask("a", Some("1")), false, ask("b", Some("1")), 2),
            ("another turn id", ask("a", Some("1")), false, ask("a", Some("2")), 2),
            ("no turn ids", ask("a", None), false, ask("a", None), 2),
            ("answered between", ask("a", Some("1")), true, ask("a", Some("1")), 2),
        ] {
            let mut lines = Lines::new();
            let (mut first, mut second) = (first, second);
            (first["uuid"], second["uuid"]) = (json!("u1"), json!("u2"));
            lines.add(&first);
            if is_answered {
                lines.reply("r1", "u1");
            }
            lines.add(
                &json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "steer"}}),
            );
            lines.add(&second);
            lines.reply("r2", "u2");
            let session = read(lines.file().path(), &EXTENT).unwrap().unwrap();
            assert_eq!(1 + session.earlier.len(), wanted, "{name}");
            // What stood between the two is the turn's.
            let steered = matches!(session.current.entries.first(), Some(Entry::Steer(_)));
            assert_eq!(steered, wanted == 1, "{name}");
        }
    }
}
