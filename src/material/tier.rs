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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Tier {
    /// No limit for a text in full form is below this.
    pub fn least(&self) -> usize {
        [self.said, self.input, self.output, self.other, self.words].into_iter().min().unwrap_or_default()
    }
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

/// Two tiers at a time: an entry that nothing refers to gives its room away first (4.37).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiers {
    /// For what Claude or the person refers to, what they said, and what was changed.
    pub named: Tier,
    /// For the rest.
    pub unnamed: Tier,
}

impl Tiers {
    /// The same for every entry.
    pub const fn all(tier: Tier) -> Self {
        Tiers { named: tier, unnamed: tier }
    }

    /// The tier of an entry.
    pub fn of(&self, is_named: bool) -> &Tier {
        if is_named { &self.named } else { &self.unnamed }
    }
}

/// The mild tiers of the current turn: every entry still tells its story.
pub fn mild() -> Vec<Tiers> {
    let tiers = MILD.map(scaled);
    one_leads(WHOLE, &tiers, &tiers)
}

/// The tight tiers, at whose end every call is one line (4.36).
pub fn tight() -> Vec<Tiers> {
    let lines = LINES.map(|n| Tier { call_line: Some(n), ..scaled(LINE_UNIT) });
    let ending = |end: &[usize]| {
        let units = TIGHT.iter().chain(end).copied();
        units.map(scaled).chain(lines).collect::<Vec<Tier>>()
    };
    one_leads(mildest(), &ending(&TIGHT_END), &ending(&TIGHT_END_NAMED))
}

/// The last of the mild tiers.
pub fn mildest() -> Tier {
    let [.., last] = MILD;
    scaled(last)
}

/// The last of the tight ones.
pub fn tightest() -> Tier {
    let [.., last] = LINES;
    Tier { call_line: Some(last), ..scaled(LINE_UNIT) }
}

const MILD: [usize; 9] = [12_000, 10_000, 8_500, 7_100, 6_000, 5_000, 4_200, 3_500, 3_000];
const TIGHT: [usize; 14] = [2_500, 2_100, 1_750, 1_500, 1_250, 1_050, 880, 740, 620, 520, 430, 360, 300, 250];
/// Before the lines named entries take smaller steps, as the others are one line by then: hundreds of them share the room,
/// and a step of a sixth leaves too much of it unused.
const TIGHT_END: [usize; 2] = [210, 180];
const TIGHT_END_NAMED: [usize; 4] = [230, 210, 195, 180];
const LINES: [usize; 3] = [240, 120, 70];

/// What is not a call, beside calls that are one line.
const LINE_UNIT: usize = 120;

/// How many tiers unnamed entries are ahead: they have about a third of the room.
const LEAD: usize = 6;

/// Each tier of one list for unnamed entries and, some steps behind, of the other for named ones, so that no step shows
/// more than the one before.
fn one_leads(before: Tier, unnamed: &[Tier], named: &[Tier]) -> Vec<Tiers> {
    let at = |list: &[Tier], step: usize| match step.min(list.len()).checked_sub(1) {
        Some(index) => list.get(index).copied().unwrap_or(before),
        None => before,
    };
    (1..=named.len() + LEAD)
        .map(|step| Tiers { named: at(named, step.saturating_sub(LEAD)), unnamed: at(unnamed, step) })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r4_34_edits_background_results_and_the_persons_words_keep_more_than_outputs() {
        let Tier { said, reply, input, change, output, background, words, other, call_line } = scaled(1_000);
        assert_eq!((said, input, output, other, call_line), (1_000, 1_000, 1_000, 1_000, None));
        assert_eq!((change, background, words, reply), (3_000, 2_000, 2_000, 8_032));
        assert_eq!((scaled(300).words, scaled(12_000).reply), (1_000, 24_000));
        assert_eq!(scaled(300).least(), 300);
        assert_eq!(PREVIOUS.least(), 400);
    }

    /// Entries that nothing refers to lead by six tiers, and wait at the end for the others.
    #[test]
    fn r4_37_what_nothing_refers_to_gives_way_first() {
        for (before, list) in [(WHOLE, mild()), (mildest(), tight())] {
            let named: Vec<&Tier> = list.iter().map(|tiers| &tiers.named).collect();
            let mut unnamed: Vec<&Tier> = list.iter().map(|tiers| &tiers.unnamed).collect();
            assert!(list.windows(2).all(|pair| pair.first() != pair.last()), "each step changes something");
            assert_eq!(named.get(..6), Some([&before; 6].as_slice()));
            // All that the others went through, and at the end of the tight ones two steps more.
            unnamed.dedup();
            let (same, more): (Vec<&Tier>, Vec<&Tier>) =
                named.into_iter().skip(6).partition(|tier| unnamed.contains(tier));
            assert_eq!(same, unnamed);
            let more: Vec<usize> = more.into_iter().map(|tier| tier.output).collect();
            assert_eq!(more, if before == WHOLE { [].as_slice() } else { &[230, 195] });
        }
        // These come when the others are at their end.
        let at_end = tight().into_iter().skip_while(|tiers| tiers.unnamed != tightest());
        let outputs: Vec<usize> = at_end.map(|tiers| tiers.named.output).collect();
        assert_eq!(outputs, [300, 250, 230, 210, 195, 180, 120, 120, 120]);
        assert_eq!(mild().last().map(|tiers| tiers.named), Some(mildest()));
        assert_eq!(tight().last().map(|tiers| tiers.named), Some(tightest()));
    }
}
