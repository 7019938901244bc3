//! What Claude says and what the person asked, as a table of the tokens that are looked for in the material.
//!
//! A token keeps its heaviest claim only, and that claim's entry: no text is evidence for itself.

use super::distinctive;
use super::gate::Gate;
use super::numbers::{Number, Numbers};
use super::tables::{
    ASKED, ASKED_CHARS, CLAIMED_MAX, CLAIMED_OFTEN, COMMON, FADE, FADED, LEAST, RESULTS, SENTENCES, WEAK,
    WEAK_RARE, WHOLE,
};
use super::tokens::{Kind, Last, Listener, Token};
use super::walk::walk;
use crate::transcript::turn::{Entry, Turn};

/// Where a text stands: in the opener of a turn or in one of its entries, which are numbered in this order through all the
/// turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source(u32);

impl Source {
    /// The first turn's opener.
    pub(super) const FIRST: Source = Source(0);

    /// The one so far behind this one.
    pub(super) fn behind(self, n: usize) -> Self {
        Source(self.0.saturating_add(u32::try_from(n).unwrap_or(u32::MAX)))
    }
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
    /// What it ends with.
    pub(super) last: Last,
}

impl Needle {
    /// In more places than this the token is common and tells nothing.
    pub(super) fn most(&self) -> u8 {
        match self.weight {
            0 => 0,
            1..WEAK => WEAK_RARE,
            WEAK.. => COMMON,
        }
    }
}

/// Some sentences by their numbers, which begin with 1; 0 stands for none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sentences([u16; SENTENCES]);

impl Sentences {
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> {
        self.0.into_iter().take_while(|sentence| *sentence > 0)
    }

    /// There is room for the nearest ones.
    fn add(&mut self, sentence: u16) {
        if let Some(own) = self.0.iter_mut().find(|own| [0, sentence].contains(own)) {
            *own = sentence;
        }
    }
}

/// About so many bytes of claims make one needle.
const NEEDLE_BYTES: usize = 8;

/// All needles of a turn, numbered.
pub(super) struct Needles {
    all: Vec<Needle>,
    /// The first of them are results: their rows of [`RESULTS`].
    results: Vec<usize>,
    /// The number of the last sentence.
    n_sentences: u16,
    numbers: Numbers,
    /// Lets their hashes pass.
    gate: Gate,
    /// Lets pass what they end with.
    ends: Gate,
}

impl Needles {
    /// What is claimed in these turns, the last one first.
    pub(super) fn of(turns: &[&Turn]) -> Self {
        let mut opener = Source::FIRST;
        let claims = turns.iter().flat_map(|turn| {
            let claims = claims(turn, opener);
            opener = opener.behind(turn.entries.len() + 1);
            claims
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let n_bytes: usize = claims.iter().map(|claim| claim.text.len()).sum();
        let mut left = CLAIMED_MAX;
        let n_about = n_bytes.min(left).div_ceil(NEEDLE_BYTES);
        let mut needles = Needles {
            all: Vec::with_capacity(n_about),
            results: Vec::new(),
            n_sentences: 0,
            numbers: Numbers::with_capacity(n_about),
            gate: Gate::closed(),
            ends: Gate::closed(),
        };
        needles.push_results();
        let mut said = (FADED..=WHOLE).rev().step_by(FADE);
        for Claim { text, source, by } in claims {
            let weight = match by {
                By::Claude => said.next().unwrap_or(FADED),
                By::Person => ASKED,
            };
            let text = last_bytes(text, left);
            left -= text.len();
            let openings = distinctive::opening_marks(text);
            for sentence in sentences(text) {
                needles.n_sentences = needles.n_sentences.saturating_add(1);
                needles.push_sentence(sentence, &openings, weight, source);
            }
        }
        needles.close();
        needles
    }

    /// What is claimed everywhere is looked for nowhere; the rest passes the gate.
    fn close(&mut self) {
        for needle in &mut self.all {
            if needle.weight < WEAK && needle.sentences.iter().count() > CLAIMED_OFTEN {
                needle.weight = 0;
            }
        }
        let (mut gate, mut ends) = (Gate::closed(), Gate::closed());
        for (hash, needle) in self.wanted() {
            gate.add(hash);
            needle.last.hashes().for_each(|hash| ends.add(hash));
        }
        (self.gate, self.ends) = (gate, ends);
    }

    /// The row of [`RESULTS`] that this token belongs to, until the gate is closed for claims.
    fn row(&self, hash: u64) -> Option<usize> {
        // Nothing but results passes yet.
        if self.gate.may_hold(hash) { self.result(self.find(hash)?) } else { None }
    }

    /// Those that are looked for, with their hashes.
    pub(super) fn wanted(&self) -> impl Iterator<Item = (u64, &Needle)> {
        let all = self.numbers.hashes().zip(&self.all).zip(0..);
        let wanted = all.filter(|((_, needle), number)| needle.weight > 0 || self.result(*number).is_some());
        wanted.map(|(wanted, _)| wanted)
    }

    /// The number of the needle that this token is.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<Number> {
        self.numbers.find(hash)
    }

    /// Lets the needles pass.
    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Lets pass what needles end with.
    pub(super) fn ends(&self) -> &Gate {
        &self.ends
    }

    /// The needle of this number.
    pub(super) fn get(&self, number: Number) -> Option<&Needle> {
        self.all.get(usize::from(number))
    }

    /// All of them, in the order of their numbers.
    pub(super) fn all(&self) -> &[Needle] {
        &self.all
    }

    /// The row of [`RESULTS`] that this needle belongs to.
    #[inline]
    pub(super) fn result(&self, number: Number) -> Option<usize> {
        self.results.get(usize::from(number)).copied()
    }

    /// How many sentences there are.
    pub(super) fn n_sentences(&self) -> usize {
        self.n_sentences.into()
    }

    fn push_sentence(&mut self, text: &str, openings: &[char], claim_weight: u32, source: Source) {
        let mut sentences = Sentences::default();
        sentences.add(self.n_sentences);
        let needle = Needle { weight: claim_weight, source, sentences, last: Last::Word(0) };
        let quoted = distinctive::quotations(text, openings);
        let mut claiming = Claiming { needles: self, text, quoted, words: [None; 2], needle };
        walk(text, &mut claiming);
    }

    fn push_results(&mut self) {
        for (row, (words, _)) in RESULTS.iter().enumerate() {
            for word in *words {
                let mut last = Only(None);
                walk(word, &mut last);
                if let Only(Some(Token { hash, last, .. })) = last {
                    let (source, sentences) = (Source::FIRST, Sentences::default());
                    self.push(hash, Needle { weight: 0, source, sentences, last });
                    self.results.push(row);
                    self.gate.add(hash);
                }
            }
        }
    }

    fn push(&mut self, hash: u64, needle: Needle) {
        let Some(number) = self.numbers.of(hash) else { return };
        match self.all.get_mut(usize::from(number)) {
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
        let row = self.needles.row(token.hash);
        self.push(token, looks);
        row
    }
}

impl Claiming<'_, '_> {
    fn push(&mut self, token: Token, looks: u32) {
        let weight = looks * self.needle.weight / WHOLE;
        if weight >= LEAST {
            self.needles.push(token.hash, Needle { weight, last: token.last, ..self.needle });
        }
    }
}

/// The last token of a text.
struct Only(Option<Token>);

impl Listener for Only {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        self.0 = Some(token);
        None
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
fn claims(turn: &Turn, opener: Source) -> Vec<Claim<'_>> {
    let mut found = Vec::new();
    for (index, entry) in turn.entries.iter().enumerate().rev() {
        let source = opener.behind(index + 1);
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
    let words = turn.opener.words.as_str();
    let at = words.char_indices().rev().take(ASKED_CHARS).last().map_or(0, |(at, _)| at);
    found.push(Claim { text: words.get(at..).unwrap_or_default(), source: opener, by: By::Person });
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

#[cfg(test)]
mod tests;
