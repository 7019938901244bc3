//! How long each kind of entry may be, from "nothing is cut" to "one line a call" (4.31-4.36).
//!
//! Limits are in characters and get smaller from tier to tier, so that the first tier that fits shows the most.

/// The person's own message is cut only past this (4.4).
pub const OPENER_LIMIT: usize = 200_000;

/// The final reply of the current turn never keeps less (4.34).
pub const REPLY_FLOOR: usize = 8_000;

/// What the mark of a cut may take beside the [`REPLY_FLOOR`] characters that are the reply's own.
const MARK_ROOM: usize = 32;

/// Limits of one tier.
#[derive(Debug, Clone, Copy)]
pub struct Tier {
    /// A text of Claude's that is not the final reply.
    pub said: usize,
    /// The final reply.
    pub reply: usize,
    /// An argument of a call.
    pub input: usize,
    /// What an edit or a write changes.
    pub change: usize,
    /// What a call gave back.
    pub output: usize,
    /// The result of background work.
    pub background: usize,
    /// The person's words in mid-turn, their answers, an audit's reason.
    pub words: usize,
    /// What other sessions, hooks, timers and `!` commands wrote.
    pub other: usize,
    /// Characters for a call told in one line; `None`: in full form.
    pub call_line: Option<usize>,
}

/// Nothing is cut.
pub const WHOLE: Tier = Tier {
    said: usize::MAX,
    reply: usize::MAX,
    input: usize::MAX,
    change: usize::MAX,
    output: usize::MAX,
    background: usize::MAX,
    words: usize::MAX,
    other: usize::MAX,
    call_line: None,
};

/// The previous turn, each entry cut short (4.21).
pub const PREVIOUS: Tier = Tier {
    said: 600,
    reply: 4_000,
    input: 400,
    change: 800,
    output: 500,
    background: 1_000,
    words: 3_000,
    other: 500,
    call_line: None,
};

/// The mild tiers of the current turn: every entry still tells its story.
pub fn mild() -> impl Iterator<Item = Tier> {
    [12_000, 8_500, 6_000, 4_200, 3_000].into_iter().map(scaled)
}

/// The tight tiers, at whose end every call is one line (4.36).
pub fn tight() -> impl Iterator<Item = Tier> {
    let cut = [2_100, 1_500, 1_050, 740, 520, 360, 250, 180].into_iter().map(scaled);
    let lines = [240, 120, 70].into_iter().map(|n| Tier { call_line: Some(n), ..scaled(120) });
    cut.chain(lines)
}

/// Edits and writes keep three times what an output keeps, and background results twice.
fn scaled(unit: usize) -> Tier {
    Tier {
        said: unit,
        reply: (unit * 2).max(REPLY_FLOOR + MARK_ROOM),
        input: unit,
        change: unit * 3,
        output: unit,
        background: unit * 2,
        words: (unit * 2).max(1_000),
        other: unit,
        call_line: None,
    }
}
