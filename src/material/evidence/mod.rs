//! What a cut must keep of a turn (4.37): short windows round what Claude says and what the person asked.
//!
//! Which windows an entry has, and in what order they are worth their room, is decided once for a turn, whatever the
//! room is. A cut takes as many of them as fit, in that order, so more room never loses one.

mod claims;
mod company;
mod counts;
mod distinctive;
mod gate;
mod hits;
mod name;
mod numbers;
mod places;
mod runs;
mod signs;
mod tables;
pub mod texts;
mod tokens;
mod votes;
mod walk;
mod windows;
mod words;

use std::cmp::Ordering;
use std::ops::Range;

use crate::transcript::turn::{Call, Entry, Turn};

use claims::{Needles, Source};
use hits::{Hits, Voice};
use places::Places;
use texts::ONLY;

/// A piece of a text that a cut keeps if there is room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Where it stands, in bytes.
    pub bytes: Range<usize>,
    /// Where it stands, in characters.
    pub chars: Range<usize>,
    /// Characters of the whole text, so that a cut need not count them each time.
    pub text_chars: usize,
}

impl Window {
    /// The same window where its text stands behind so much of another; how long that one is, is not known yet.
    #[must_use]
    pub fn behind(&self, n_bytes: usize, n_chars: usize) -> Self {
        let moved = |range: &Range<usize>, by| range.start + by..range.end + by;
        Window { bytes: moved(&self.bytes, n_bytes), chars: moved(&self.chars, n_chars), ..self.clone() }
    }
}

/// What is to be kept of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Whether something refers to the entry, or it is one that is cut last anyway. The others give their room away first.
    pub is_named: bool,
    /// Windows of each text of the entry, by the numbers of [`texts`]; of those of one text the weightiest first. They do
    /// not overlap.
    windows: Vec<Vec<Window>>,
}

/// Head and tail, nothing else.
pub static PLAIN: Kept = Kept { is_named: true, windows: Vec::new() };

impl Kept {
    /// These windows, by the numbers of the entry's texts.
    #[cfg(test)]
    pub fn with(windows: Vec<Vec<Window>>) -> Self {
        Kept { is_named: true, windows }
    }

    /// The windows of a text of this entry.
    pub fn of(&self, text: usize) -> &[Window] {
        self.windows.get(text).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What is to be kept of a turn.
#[derive(Debug, Clone)]
pub struct Evidence {
    opener: Kept,
    entries: Vec<Kept>,
}

impl Evidence {
    /// The plain cut: no windows, and no entry before another.
    pub fn none() -> Self {
        Evidence { opener: PLAIN.clone(), entries: Vec::new() }
    }

    /// What the claims of these turns lean on in them, the last turn first. One walk through their texts.
    pub fn of(turns: &[&Turn]) -> Vec<Self> {
        let needles = Needles::of(turns);
        let mut hits = Hits::new(&needles);
        let mut source = Source::FIRST;
        for (index, turn) in turns.iter().enumerate() {
            hits.look(source, ONLY, &turn.opener.words, Voice::Words);
            // The last reply claims: nearly all that is met in it would be its own, and no text is evidence for itself.
            let reply = turn.reply_index().filter(|_| index == 0);
            for (number, entry) in turn.entries.iter().enumerate() {
                source = source.behind(1);
                if Some(number) == reply {
                    continue;
                }
                for (number, text) in texts::of(entry).into_iter().enumerate() {
                    hits.look(source, number, text, voice(entry, number));
                }
            }
            source = source.behind(1);
        }
        let mut places = Places::of(&hits);
        votes::weigh(&mut places, &hits);
        let mut rest = places.all.as_slice();
        let mut source = Source::FIRST;
        let mut kept_of_next = |is_cut_last| {
            let n = rest.iter().take_while(|place| place.of.source == source).count();
            let (places, behind) = rest.split_at_checked(n).unwrap_or_default();
            (rest, source) = (behind, source.behind(1));
            windows::chosen(places, is_cut_last)
        };
        let evidence = turns.iter().map(|turn| {
            let opener = kept_of_next(true);
            let entries = turn.entries.iter().map(|entry| kept_of_next(is_cut_last(entry)));
            Evidence { opener, entries: entries.collect() }
        });
        evidence.collect()
    }

    /// What is to be kept of the message that started the turn.
    pub fn opener(&self) -> &Kept {
        &self.opener
    }

    /// What is to be kept of the entry with this index.
    pub fn entry(&self, index: usize) -> &Kept {
        self.entries.get(index).unwrap_or(&PLAIN)
    }
}

fn voice(entry: &Entry, number: usize) -> Voice {
    match entry {
        Entry::Said(_) | Entry::Steer(_) | Entry::Asked(_) => Voice::Words,
        Entry::Call(call) => match number.cmp(&texts::output_of(call)) {
            Ordering::Less => Voice::Input,
            Ordering::Equal => Voice::Output,
            Ordering::Greater => Voice::Words,
        },
        Entry::BackgroundResult(_)
        | Entry::Peer { .. }
        | Entry::Scheduled(_)
        | Entry::Interrupted(_)
        | Entry::Bang { .. }
        | Entry::AuditBlock(_)
        | Entry::OtherHook(_)
        | Entry::StillRunning(_) => Voice::Output,
    }
}

/// Entries that nobody has to refer to: the person's words, and what was changed (4.34).
fn is_cut_last(entry: &Entry) -> bool {
    match entry {
        Entry::Steer(_) | Entry::Asked(_) | Entry::AuditBlock(_) | Entry::Interrupted(_) => true,
        Entry::Call(Call { input, .. }) => input.iter().any(|field| field.is_change),
        Entry::Said(_)
        | Entry::BackgroundResult(_)
        | Entry::Peer { .. }
        | Entry::Scheduled(_)
        | Entry::Bang { .. }
        | Entry::OtherHook(_)
        | Entry::StillRunning(_) => false,
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong boundary has to stop the test")]
mod tests;
