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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::turn::{Entry, Sender, Words};

    fn row(prompt_id: Option<&str>, meaning: Meaning) -> Row {
        Row {
            uuid: None,
            parent: None,
            prompt_id: prompt_id.map(str::to_owned),
            retracts: Vec::new(),
            meaning,
        }
    }

    fn prompt() -> Row {
        row(None, Meaning::Prompt { words: Words::default(), sender: Sender::Person, is_sent: true })
    }

    fn event(prompt_id: Option<&str>) -> Row {
        row(prompt_id, Meaning::Event(Entry::Scheduled(String::new())))
    }

    /// Whether anything may have left the queue, after these rows and one that dequeued something.
    fn dequeued_after(rows: &[Row]) -> Queue {
        let mut queue = Queue::default();
        for row in rows {
            queue.note_row(row);
        }
        queue.dequeued();
        queue
    }

    #[test]
    fn what_was_dequeued_is_the_user_row_behind_it_where_there_is_one() {
        for (name, rows, is_released) in [
            ("nothing behind it", vec![], true),
            ("a prompt", vec![prompt()], false),
            ("a row that woke Claude", vec![event(Some("id"))], false),
            ("an attachment", vec![event(None)], true),
            ("a prompt behind Claude's words", vec![prompt(), row(None, Meaning::Claude(Vec::new()))], true),
            ("a prompt behind results", vec![prompt(), row(None, Meaning::Results(Vec::new(), None))], true),
            ("a prompt behind an attachment", vec![prompt(), event(None)], false),
        ] {
            assert_eq!(dequeued_after(&rows).has_released("a"), is_released, "{name}");
        }
        // A row carries one item.
        let mut queue = dequeued_after(&[prompt()]);
        queue.dequeued();
        assert!(queue.has_released("a"));
        queue.note_row(&prompt());
        queue.dequeued();
        assert!(queue.has_released("a"));
    }

    #[test]
    fn what_was_removed_is_the_text_that_the_row_tells_or_any() {
        let mut queue = Queue::default();
        assert!(!queue.has_released("a"));
        queue.removed(Some("a"));
        assert!(queue.has_released("a") && !queue.has_released("b"));
        queue.removed(None);
        assert!(queue.has_released("b"));
    }
}
