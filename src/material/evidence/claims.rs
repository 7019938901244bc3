//! What Claude says and what the person asked, as a table of the tokens that are looked for in the material.
//!
//! A token keeps its heaviest claim only, and that claim's entry: no text is evidence for itself.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::counts::Counts;
use super::distinctive;
use super::tables::{
    ASKED, ASKED_CHARS, CLAIMED_MAX, COMMON, FADE, FADED, PASTED, RESULTS, SENTENCES, WEAK, WEAK_RARE, WHOLE,
};
use super::tokens;
use crate::transcript::turn::{Entry, Turn};

/// Where a text stands: in which of the turns, and in which of its entries; `None`: in its opener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) turn: usize,
    pub(super) entry: Option<usize>,
}

/// A token that is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needle {
    /// What its claim weighs, in thousandths; 0 where nobody claims it.
    pub(super) weight: u32,
    /// Where the claim stands.
    pub(super) source: Source,
    /// The sentences that claim it, nearest to the end first.
    pub(super) sentences: Sentences,
    /// Which row of [`RESULTS`] it belongs to.
    pub(super) result: Option<usize>,
}

impl Needle {
    /// In more places than this the token is common and tells nothing.
    pub(super) fn most(&self) -> u32 {
        if self.weight < WEAK { WEAK_RARE } else { COMMON }
    }
}

/// Some sentences by their numbers, which begin with 1; 0 stands for none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sentences([u16; SENTENCES]);

impl Sentences {
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> {
        self.0.into_iter().take_while(|sentence| *sentence > 0)
    }

    pub(super) fn hold(&self, sentence: u16) -> bool {
        self.0.contains(&sentence)
    }

    /// There is room for the nearest ones.
    fn add(&mut self, sentence: u16) {
        if sentence > 0
            && !self.hold(sentence)
            && let Some(free) = self.0.iter_mut().find(|free| **free == 0)
        {
            *free = sentence;
        }
    }
}

/// All needles of a turn, numbered.
pub(super) struct Needles {
    all: Vec<Needle>,
    /// How many of them are results.
    n_results: usize,
    /// The number of the last sentence.
    n_sentences: u16,
    numbers: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    bits: Bits,
}

/// A bit for each value of the low bits of a hash: nearly every token of the material ends here.
#[derive(Clone)]
pub(super) struct Bits {
    set: Vec<u64>,
    /// Those of several needles, which stay set.
    shared: Vec<u64>,
}

/// How many values the low bits of a hash have.
const N_BITS: usize = 1 << 17;

impl Bits {
    fn new() -> Self {
        Bits { set: vec![0; N_BITS / 64], shared: vec![0; N_BITS / 64] }
    }

    fn add(&mut self, hash: u64) {
        let (word, bit) = bit_of(hash);
        if let (Some(set), Some(shared)) = (self.set.get_mut(word), self.shared.get_mut(word)) {
            *shared |= *set & bit;
            *set |= bit;
        }
    }

    /// The needle with this hash is looked for no longer.
    pub(super) fn remove(&mut self, hash: u64) {
        let (word, bit) = bit_of(hash);
        if let (Some(set), Some(shared)) = (self.set.get_mut(word), self.shared.get(word)) {
            *set &= !bit | shared;
        }
    }

    /// Whether a needle may have this hash.
    #[inline]
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = bit_of(hash);
        self.set.get(word).is_some_and(|word| word & bit != 0)
    }
}

fn bit_of(hash: u64) -> (usize, u64) {
    // The high bits of a product are the better mixed ones.
    let low = (hash ^ (hash >> 32)) % (N_BITS as u64);
    (usize::try_from(low / 64).unwrap_or_default(), 1 << (low % 64))
}

impl Needles {
    /// What is claimed in these turns, the last one first.
    pub(super) fn of(turns: &[&Turn]) -> Self {
        let mut needles = Needles {
            all: Vec::new(),
            n_results: 0,
            n_sentences: 0,
            numbers: HashMap::default(),
            bits: Bits::new(),
        };
        needles.push_results();
        needles.n_results = needles.all.len();
        let (mut left, mut n_said) = (CLAIMED_MAX, 0);
        let claims = turns.iter().enumerate().flat_map(|(index, turn)| claims(turn, index));
        for Claim { text, source, by } in claims {
            let weight = match by {
                By::Claude => {
                    n_said += 1;
                    WHOLE.saturating_sub(FADE * (n_said - 1)).max(FADED)
                }
                By::Person => ASKED,
                By::Paste => PASTED,
            };
            let text = last_bytes(text, left);
            left -= text.len();
            for sentence in sentences(text) {
                needles.n_sentences = needles.n_sentences.saturating_add(1);
                // A paste has no sentence of the person's own.
                let number = if matches!(by, By::Paste) { 0 } else { needles.n_sentences };
                needles.push_sentence(sentence, weight, source, number);
            }
        }
        needles
    }

    /// The number of the needle that this token is.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<usize> {
        if self.bits.may_hold(hash) { self.numbers.get(&hash).copied() } else { None }
    }

    /// What [`Needles::find`] looks at first.
    pub(super) fn bits(&self) -> &Bits {
        &self.bits
    }

    /// The needle of this number.
    pub(super) fn get(&self, number: usize) -> Option<&Needle> {
        self.all.get(number)
    }

    /// The row of [`RESULTS`] that this needle belongs to. Results come first, so most need no look.
    #[inline]
    pub(super) fn result(&self, number: usize) -> Option<usize> {
        if number < self.n_results { self.get(number)?.result } else { None }
    }

    /// How many sentences there are.
    pub(super) fn n_sentences(&self) -> usize {
        self.n_sentences.into()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn push_sentence(&mut self, text: &str, claim_weight: u32, source: Source, sentence: u16) {
        let quoted = distinctive::quotations(text);
        let mut counts = Counts::default();
        let mut sentences = Sentences::default();
        sentences.add(sentence);
        tokens::walk(text, |token| {
            let looks = distinctive::weight(text, token, &quoted);
            let result = self.find(token.hash).and_then(|number| self.result(number));
            let weight = |looks| looks * claim_weight / WHOLE;
            if looks > 0 {
                self.push(token.hash, Needle { weight: weight(looks), source, sentences, result: None });
            }
            if let Some(count) = counts.next(token, result) {
                let weight = weight(super::tables::COUNT);
                self.push(count.hash, Needle { weight, source, sentences, result: None });
            }
        });
    }

    fn push_results(&mut self) {
        for (row, (words, _)) in RESULTS.iter().enumerate() {
            for word in *words {
                let mut last = None;
                tokens::walk(word, |token| last = Some(token.hash));
                let source = Source { turn: usize::MAX, entry: None };
                let needle = Needle { weight: 0, source, sentences: Sentences::default(), result: Some(row) };
                if let Some(hash) = last {
                    self.push(hash, needle);
                }
            }
        }
    }

    fn push(&mut self, hash: u64, needle: Needle) {
        if !self.numbers.contains_key(&hash) {
            self.bits.add(hash);
        }
        let number = *self.numbers.entry(hash).or_insert(self.all.len());
        match self.all.get_mut(number) {
            None => self.all.push(needle),
            Some(known) => {
                for sentence in needle.sentences.iter() {
                    known.sentences.add(sentence);
                }
                // Claims come nearest to the end first, so of equals the nearest one stays.
                if needle.weight > known.weight {
                    (known.weight, known.source) = (needle.weight, needle.source);
                }
            }
        }
    }
}

/// A token's hash is one already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct Claim<'a> {
    text: &'a str,
    source: Source,
    by: By,
}

enum By {
    Claude,
    Person,
    Paste,
}

/// A turn's claims, nearest to its end first, the opener last.
fn claims(turn: &Turn, number: usize) -> Vec<Claim<'_>> {
    let mut found = Vec::new();
    for (index, entry) in turn.entries.iter().enumerate().rev() {
        let source = Source { turn: number, entry: Some(index) };
        let mut push = |text, by| found.push(Claim { text, source, by });
        match entry {
            Entry::Said(said) => push(&said.text, By::Claude),
            Entry::Steer(words) => push(&words.text, By::Person),
            Entry::Asked(asked) => {
                for question in &asked.questions {
                    push(question.answer.as_deref().unwrap_or_default(), By::Person);
                }
            }
            Entry::Call(_)
            | Entry::BackgroundResult(_)
            | Entry::Peer { .. }
            | Entry::Scheduled(_)
            | Entry::Interrupted(_)
            | Entry::Bang { .. }
            | Entry::AuditBlock(_)
            | Entry::OtherHook(_)
            | Entry::StillRunning(_) => {}
        }
    }
    let source = Source { turn: number, entry: None };
    let words = turn.opener.words.as_str();
    let at = words.char_indices().rev().nth(ASKED_CHARS - 1).map_or(0, |(at, _)| at);
    let (pasted, asked) = words.split_at(at);
    found.push(Claim { text: asked, source, by: By::Person });
    found.push(Claim { text: pasted, source, by: By::Paste });
    found
}

fn last_bytes(text: &str, max: usize) -> &str {
    let from = text.len().saturating_sub(max);
    (from..=text.len()).find_map(|from| text.get(from..)).unwrap_or_default()
}

/// The sentences of a text. Tokens of one sentence speak of one thing.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    text.split_inclusive(move |c: char| {
        let is_end =
            matches!(c, '\n' | '。' | '！' | '？' | '；') || (c == ' ' && matches!(before, '.' | '!' | '?'));
        before = c;
        is_end
    })
}
