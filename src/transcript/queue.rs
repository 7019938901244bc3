//! The client's queue of messages, as far as it tells that a notification reached the model.
//!
//! A notification may be carried by no other row than the one that queued it; but being queued is no delivery
//! (facts, rules 9 and 14).

use std::collections::HashSet;

use super::row::{Meaning, Row};

/// What has left the queue, as the rows noted so far tell; they are noted from the end of the file on.
#[derive(Default)]
pub struct Queue {
    /// A user row whose text was queued, until the row that dequeued it is met.
    carried: bool,
    /// Something was dequeued that no user row carries, or removed without a text.
    released_any: bool,
    released: HashSet<String>,
}

impl Queue {
    /// Takes note of a row before (in the file) those noted so far.
    pub fn note_row(&mut self, row: &Row) {
        match &row.meaning {
            Meaning::Prompt { .. } => self.carried = true,
            // Attachments have no turn id; a user row that woke Claude has.
            Meaning::Event(_) if row.prompt_id.is_some() => self.carried = true,
            Meaning::Claude(_) | Meaning::Results(..) => self.carried = false,
            _ => {}
        }
    }

    /// The first item was given out.
    pub fn dequeued(&mut self) {
        self.released_any |= !std::mem::take(&mut self.carried);
    }

    /// An item was taken out, to be given to the model in mid-turn.
    pub fn removed(&mut self, text: Option<&str>) {
        match text {
            Some(text) => {
                self.released.insert(text.to_owned());
            }
            None => self.released_any = true,
        }
    }

    /// Whether this text may have left the queue.
    pub fn has_released(&self, text: &str) -> bool {
        self.released_any || self.released.contains(text)
    }
}
