//! What a turn is made of, in the words of the field.

/// One message that the person (or a program in their place) sent, and everything up to the next.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// What started it.
    pub opener: Opener,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// Prompt ids of the rows that woke Claude in this turn: the opener's, notifications', other sessions' (6.4).
    pub prompt_ids: Vec<String>,
}

/// The message that started a turn (4.1-4.4).
#[derive(Debug, Clone, Default)]
pub struct Opener {
    /// The words as they were sent; for a command its name and arguments; for `!` input `! command`.
    pub words: String,
    /// Images that came with it.
    pub images: usize,
    /// Who sent it.
    pub sender: Sender,
}

/// Whose words a prompt holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sender {
    /// Somebody typed or chose it.
    #[default]
    Person,
    /// A program sent it (`promptSource: sdk` without an origin); it starts the turn, nobody typed it.
    Program,
}

/// One thing that happened in a turn.
#[derive(Debug, Clone)]
pub enum Entry {
    /// Claude said something (4.5).
    Said(Said),
    /// Claude called a tool (4.6).
    Call(Call),
    /// Claude asked with an option box (4.10).
    Asked(OptionBox),
    /// Background work reported its end (4.9).
    BackgroundResult(String),
    /// The person wrote while Claude worked (4.9).
    Steer(Words),
    /// Another session, a teammate or a channel wrote (4.9).
    Peer {
        /// Who, where it is known.
        from: String,
        /// The bare message.
        body: String,
    },
    /// A timer or the client itself went on with this text; nobody typed it.
    Scheduled(String),
    /// The person pressed Esc; the client's own text (4.9, 4.20).
    Interrupted(String),
    /// The person ran a command with `!`.
    Bang {
        /// The command; empty where it is the turn's opener.
        command: String,
        /// What it printed; no exit code is stored.
        output: String,
    },
    /// An audit of this turn sent Claude back (4.11).
    AuditBlock(String),
    /// Another hook's feedback (4.11).
    OtherHook(String),
    /// Background work that the client lists as still running when the turn ended (4.14).
    StillRunning(String),
}

/// A text of Claude's.
#[derive(Debug, Clone)]
pub struct Said {
    /// The text.
    pub text: String,
    /// The model message it belongs to: old clients wrote it again and again as it grew.
    pub message_id: Option<String>,
    /// Which block of the message it is, where the client says so.
    pub block_index: Option<String>,
}

/// Words of the person, with the images that came with them.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The words.
    pub text: String,
    /// Number of images.
    pub images: usize,
}

/// A tool call and what became of it.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// Its arguments in order.
    pub input: Vec<Field>,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether the work goes on in the background (4.8).
    pub background: bool,
}

/// One argument of a call.
#[derive(Debug, Clone)]
pub struct Field {
    /// The argument's name.
    pub name: String,
    /// Its text; other values as JSON.
    pub text: String,
    /// Whether it is what an edit or a write changes: cut least (4.34).
    pub is_change: bool,
}

/// What became of a call (4.6: four outcomes are told apart).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran and did not fail.
    Ok(Output),
    /// It ran and failed.
    Failed(Output),
    /// It was denied, cancelled or blocked.
    NeverRan {
        /// The client's text.
        output: Output,
        /// Whether it may have begun before the person stopped it: Esc during a run is told like a denial, save that
        /// the client does not say that it came before the run.
        may_have_begun: bool,
        /// What the person typed when denying it; the person's words (4.10).
        reason: Option<String>,
    },
    /// There is no result in the transcript.
    Pending,
}

/// What a tool gave back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Its text.
    pub text: String,
    /// Number of images.
    pub images: usize,
}

/// An option box: what was asked, offered and answered (4.10).
#[derive(Debug, Clone, Default)]
pub struct OptionBox {
    /// The questions in order.
    pub questions: Vec<Question>,
    /// Why there are no answers, where the box was closed or failed.
    pub unanswered: Option<Unanswered>,
}

/// Why an option box has no answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// The person closed it and typed this instead; the person's words.
    Instead(String),
    /// The person closed it.
    Closed,
    /// The client told this error.
    Failed(String),
}

/// One question of an option box.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// What was asked.
    pub question: String,
    /// What was offered.
    pub options: Vec<String>,
    /// What the person chose or wrote; `None` is "no answer", never consent.
    pub answer: Option<String>,
}

impl Entry {
    /// Whether this may be what made Claude go on after it had stopped.
    fn may_wake(&self) -> bool {
        matches!(self, Entry::BackgroundResult(_) | Entry::Peer { .. } | Entry::Scheduled(_))
    }
}

impl Turn {
    /// The tool calls in order, option boxes among them (they are calls of the tool `AskUserQuestion`).
    pub fn n_calls(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Call(_) | Entry::Asked(_))).count()
    }

    /// Our own blocks since Claude was last woken, by the opener or by a row that woke it.
    pub fn n_blocks_since_woken(&self) -> u32 {
        let since = self.entries.iter().rev().take_while(|entry| !entry.may_wake());
        u32::try_from(since.filter(|entry| matches!(entry, Entry::AuditBlock(_))).count()).unwrap_or(u32::MAX)
    }

    /// Index of the last text that Claude said.
    pub fn reply_index(&self) -> Option<usize> {
        self.entries.iter().rposition(|entry| matches!(entry, Entry::Said(_)))
    }

    /// The last text that Claude said; empty where there is none.
    pub fn reply(&self) -> &str {
        match self.reply_index().and_then(|index| self.entries.get(index)) {
            Some(Entry::Said(said)) => &said.text,
            _ => "",
        }
    }

    /// Whether Claude's reply is among what was said after the last block (4.12).
    ///
    /// The client gives the last message as one text, the transcript its blocks one by one, so the end of what was
    /// said may also match as a whole, whatever white space joins it.
    pub fn holds_reply(&self, reply: &str) -> bool {
        let reply = reply.trim();
        let sends_on =
            |entry: &Entry| matches!(entry, Entry::AuditBlock(_) | Entry::OtherHook(_)) || entry.may_wake();
        // The last one first.
        let said: Vec<&str> = self
            .entries
            .iter()
            .rev()
            .take_while(|entry| !sends_on(entry))
            .filter_map(|entry| match entry {
                Entry::Said(said) => Some(said.text.trim()),
                _ => None,
            })
            .collect();
        if said.contains(&reply) {
            return true;
        }
        let wanted = squeezed(reply);
        let mut end = String::new();
        for text in said {
            end = squeezed(text) + &end;
            if end.len() >= wanted.len() {
                break;
            }
        }
        end == wanted
    }

    /// Adds the reply that the transcript does not hold yet (4.12).
    pub fn complete(&mut self, reply: &str) {
        if !reply.trim().is_empty() && !self.holds_reply(reply) {
            self.entries.push(Entry::Said(Said {
                text: reply.trim().to_owned(),
                message_id: None,
                block_index: None,
            }));
        }
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Entry {
        Entry::Said(Said { text: text.to_owned(), message_id: None, block_index: None })
    }

    fn turn(entries: Vec<Entry>) -> Turn {
        Turn { entries, ..Turn::default() }
    }

    #[test]
    fn r4_12_a_reply_is_held_as_one_block_or_as_the_last_ones_together() {
        let blocks = || turn(vec![said("A\n"), said("B b"), said("C")]);
        for reply in ["A", " C\n", "B b", "B b\n\nC", "B b C", "A\n\nB b\n\nC"] {
            assert!(blocks().holds_reply(reply), "{reply:?}");
        }
        for reply in ["A B b", "b C", "A C", "C A", "D A B b C", "B bC D"] {
            assert!(!blocks().holds_reply(reply), "{reply:?}");
        }
    }

    #[test]
    fn r4_12_what_was_said_before_claude_was_sent_on_is_no_reply() {
        let text = || "x".to_owned();
        for sent_on in [
            Entry::AuditBlock(text()),
            Entry::OtherHook(text()),
            Entry::BackgroundResult(text()),
            Entry::Peer { from: text(), body: text() },
            Entry::Scheduled(text()),
        ] {
            let turn = turn(vec![said("A"), sent_on, said("B")]);
            assert!(turn.holds_reply("B"), "{turn:?}");
            assert!(!turn.holds_reply("A") && !turn.holds_reply("A B"), "{turn:?}");
        }
        assert!(turn(vec![said("A"), Entry::Interrupted(text()), said("B")]).holds_reply("A B"));
    }

    #[test]
    fn r6_4_blocks_count_since_claude_was_last_woken() {
        let block = || Entry::AuditBlock("x".to_owned());
        let woken = || Entry::BackgroundResult("x".to_owned());
        assert_eq!(turn(vec![said("A")]).n_blocks_since_woken(), 0);
        assert_eq!(turn(vec![block(), said("A"), block()]).n_blocks_since_woken(), 2);
        assert_eq!(turn(vec![block(), block(), woken(), block(), said("A")]).n_blocks_since_woken(), 1);
        assert_eq!(turn(vec![Entry::OtherHook("x".to_owned())]).n_blocks_since_woken(), 0);
    }

    #[test]
    fn r4_12_a_reply_is_added_once_and_trimmed() {
        let mut turn = turn(vec![said("A")]);
        for reply in [" \n", "A", " B ", "B", "A B"] {
            turn.complete(reply);
        }
        assert_eq!((turn.entries.len(), turn.reply()), (2, "B"));
    }
}
