//! What Claude says and what the person asked, as a table of the tokens that are looked for in the material.
//!
//! A token keeps its heaviest claim only, and that claim's entry: no text is evidence for itself.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::distinctive;
use super::gate::Gate;
use super::tables::{
    ASKED, ASKED_CHARS, CLAIMED_MAX, CLAIMED_OFTEN, COMMON, FADE, FADED, LEAST, RESULTS, SENTENCES, WEAK,
    WEAK_RARE, WHOLE,
};
use super::tokens::{self, Kind, Listener, Token};
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

/// There is room for so many needles from the beginning.
const USUAL: usize = 2_048;

/// All needles of a turn, numbered.
pub(super) struct Needles {
    all: Vec<Needle>,
    /// How many of them are results.
    n_results: usize,
    /// The number of the last sentence.
    n_sentences: u16,
    numbers: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    /// Lets their hashes pass.
    gate: Gate,
}

impl Needles {
    /// What is claimed in these turns, the last one first.
    pub(super) fn of(turns: &[&Turn]) -> Self {
        let mut needles = Needles {
            all: Vec::with_capacity(USUAL),
            n_results: 0,
            n_sentences: 0,
            numbers: HashMap::with_capacity_and_hasher(USUAL, BuildHasherDefault::default()),
            gate: Gate::closed(),
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
            };
            let text = last_bytes(text, left);
            left -= text.len();
            for sentence in sentences(text) {
                needles.n_sentences = needles.n_sentences.saturating_add(1);
                needles.push_sentence(sentence, weight, source);
            }
        }
        needles.close();
        needles
    }

    /// What is claimed everywhere is looked for nowhere; the rest passes the gate.
    fn close(&mut self) {
        for (hash, number) in &self.numbers {
            let Some(needle) = self.all.get_mut(*number) else { continue };
            if needle.weight < WEAK && needle.sentences.iter().count() > CLAIMED_OFTEN {
                needle.weight = 0;
            }
            if needle.weight > 0 || needle.result.is_some() {
                self.gate.add(*hash);
            }
        }
    }

    /// The number of the needle that this token is.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<usize> {
        self.numbers.get(&hash).copied()
    }

    /// Lets the needles pass.
    pub(super) fn gate(&self) -> &Gate {
        &self.gate
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

    fn push_sentence(&mut self, text: &str, claim_weight: u32, source: Source) {
        let mut sentences = Sentences::default();
        sentences.add(self.n_sentences);
        let needle = Needle { weight: claim_weight, source, sentences, result: None };
        let quoted = distinctive::quotations(text);
        let mut claiming = Claiming { needles: self, text, quoted, words: [None; 2], needle };
        tokens::walk(text, &mut claiming);
    }

    fn push_results(&mut self) {
        for (row, (words, _)) in RESULTS.iter().enumerate() {
            for word in *words {
                let mut last = Last(None);
                tokens::walk(word, &mut last);
                let source = Source { turn: usize::MAX, entry: None };
                let needle = Needle { weight: 0, source, sentences: Sentences::default(), result: Some(row) };
                if let Last(Some(hash)) = last {
                    self.push(hash, needle);
                }
            }
        }
    }

    fn push(&mut self, hash: u64, needle: Needle) {
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

/// A sentence whose tokens become needles.
struct Claiming<'n, 't> {
    needles: &'n mut Needles,
    text: &'t str,
    quoted: Vec<(usize, usize)>,
    /// The last words, the newest first: a pair is told of behind its second one.
    words: [Option<Token>; 2],
    /// What a token of the greatest weight becomes.
    needle: Needle,
}

impl Listener for Claiming<'_, '_> {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        if matches!(token.kind, Kind::Word | Kind::Figure) {
            self.words = [Some(token), self.words[0]];
        }
        let looks = distinctive::weight(self.text, token, self.words, &self.quoted);
        let row = self.needles.find(token.hash).and_then(|number| self.needles.result(number));
        self.push(token.hash, looks);
        row
    }
}

impl Claiming<'_, '_> {
    fn push(&mut self, hash: u64, looks: u32) {
        let weight = looks * self.needle.weight / WHOLE;
        if weight >= LEAST {
            self.needles.push(hash, Needle { weight, ..self.needle });
        }
    }
}

/// The last token of a text.
struct Last(Option<u64>);

impl Listener for Last {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        self.0 = Some(token.hash);
        None
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
    found.push(Claim { text: words.get(at..).unwrap_or_default(), source, by: By::Person });
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
