//! What a line shares with the sentences that claim something of it.
//!
//! A close look counts common tokens too, little as they tell: between two lines with the same figure they decide.

use std::ops::Range;

use super::claims::Needle;
use super::gate::Gate;
use super::hits::Hits;
use super::numbers::Number;
use super::places::Place;
use super::tables::{COMMON, NEAR};
use super::tokens::{Listener, Token};
use super::walk::walk;

/// What a line shares with a sentence that claims one of its needles.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shared {
    /// Which of the needle's sentences it is.
    pub(super) claim: u8,
    pub(super) weight: u32,
}

/// The line that is looked at.
pub(super) struct Company<'h, 'n, 't> {
    hits: &'h Hits<'n, 't>,
    /// What each needle tells: the rarer the more, but a common one still something.
    weights: Vec<u32>,
    /// What the line shares with each sentence, by its number.
    shared: Vec<u32>,
    /// On which line each needle was met last; and which line it is.
    lines: Vec<u32>,
    line: u32,
}

impl<'h, 'n, 't> Company<'h, 'n, 't> {
    /// No line looked at yet.
    pub(super) fn new(hits: &'h Hits<'n, 't>) -> Self {
        let weight = |(number, needle): (Number, &Needle)| {
            let rarity = hits.count(number).unwrap_or(COMMON).max(1).ilog2() + 1;
            needle.weight / rarity
        };
        Company {
            hits,
            weights: (0..).zip(hits.needles.all()).map(weight).collect(),
            shared: vec![0; hits.needles.n_sentences() + 1],
            lines: vec![0; hits.needles.all().len()],
            line: 0,
        }
    }

    /// Looks at what was met on a place's line and is not common; of a long line at what is near the place.
    pub(super) fn look(&mut self, place: &Place<'_>) {
        self.begin();
        let (hits, near) = (self.hits, near(place));
        let of_text = hits.all.get(place.of.hits.clone()).unwrap_or_default();
        let behind = of_text.partition_point(|hit| hit.end() <= near.start);
        let of_line = of_text.iter().skip(behind).take_while(|hit| hit.end() <= near.end);
        for hit in of_line.filter(|hit| near.start <= hit.start() && hits.count(hit.needle).is_some()) {
            self.add(hit.needle);
        }
    }

    /// Looks at all that stands there, which costs a walk.
    pub(super) fn look_closely(&mut self, place: &Place<'_>) {
        self.begin();
        walk(place.of.text.get(near(place)).unwrap_or_default(), self);
    }

    /// Looks at the next line, of which nothing is known yet.
    fn begin(&mut self) {
        self.shared.fill(0);
        self.line += 1;
    }

    /// Adds a needle on the line, which counts once.
    fn add(&mut self, number: Number) {
        let Some(line) = self.lines.get_mut(usize::from(number)) else { return };
        if std::mem::replace(line, self.line) == self.line {
            return;
        }
        let (weight, needle) = (self.weight(number), self.hits.needles.get(number));
        for sentence in needle.into_iter().flat_map(|needle| needle.sentences.iter()) {
            if let Some(shared) = self.shared.get_mut(usize::from(sentence)) {
                *shared += weight;
            }
        }
    }

    /// What the line shares besides this needle with that sentence of those that claim it with which it shares most.
    pub(super) fn of(&self, needle: Number) -> Shared {
        let own = self.weight(needle);
        let sentences = self.hits.needles.get(needle).into_iter().flat_map(|needle| needle.sentences.iter());
        let shared = (0..).zip(sentences).map(|(claim, sentence)| {
            let shared = self.shared.get(usize::from(sentence)).copied().unwrap_or_default();
            Shared { claim, weight: shared.saturating_sub(own) }
        });
        shared.max_by_key(|shared| shared.weight).unwrap_or_default()
    }

    fn weight(&self, needle: Number) -> u32 {
        self.weights.get(usize::from(needle)).copied().unwrap_or_default()
    }
}

/// Hears of every needle on the line.
impl Listener for Company<'_, '_, '_> {
    #[inline]
    fn ends(&self) -> &Gate {
        self.hits.needles.ends()
    }

    #[inline]
    fn wants(&self, hash: u64) -> bool {
        self.hits.needles.gate().may_hold(hash)
    }

    fn take(&mut self, token: Token) -> Option<usize> {
        let needle = self.hits.needles.find(token.hash)?;
        self.add(needle);
        self.hits.needles.result(needle)
    }
}

/// A place's line; of a long one what is near the place.
fn near(place: &Place<'_>) -> Range<usize> {
    let mut part = place.line.clone();
    if !place.is_short {
        part.start = part.start.max(place.span.start.saturating_sub(NEAR));
        part.end = part.end.min(place.span.end + NEAR);
        while !place.of.text.is_char_boundary(part.start) {
            part.start += 1;
        }
        while !place.of.text.is_char_boundary(part.end) {
            part.end -= 1;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::super::hits::Voice;
    use super::super::places::Places;
    use super::super::walk::tests::tokens;
    use super::*;
    use crate::material::evidence::claims::{Needles, Source};
    use crate::transcript::turn::{Entry, Opener, Said, Turn};

    /// Of every place of an output: what is looked at, and what it shares besides `4417` with what this reply says, by what
    /// was met and by all that stands there.
    fn looked_at(reply: &str, output: &str) -> Vec<(String, u32, u32)> {
        let said = Entry::Said(Said { text: reply.into(), message_id: None, block_index: None });
        let turn = Turn { opener: Opener::default(), entries: vec![said], prompt_ids: vec![] };
        let needles = Needles::of(&[&turn]);
        let mut hits = Hits::new(&needles);
        hits.look(Source::FIRST, 0, output, Voice::Output);
        let figure = needles.find(tokens("4417")[0].hash).expect("the reply names it");
        let mut company = Company::new(&hits);
        let of_place = |place: &Place<'_>| {
            company.look(place);
            let of_met = company.of(figure).weight;
            company.look_closely(place);
            let of_all = company.of(figure).weight;
            assert!(of_met <= of_all, "{of_met} of {of_all}");
            (place.of.text.get(near(place)).unwrap().to_owned(), of_met, of_all)
        };
        Places::of(&hits).all.iter().map(of_place).collect()
    }

    fn shared(reply: &str, output: &str) -> Vec<u32> {
        looked_at(reply, output).into_iter().map(|(.., shared)| shared).collect()
    }

    #[test]
    fn a_line_shares_what_one_sentence_says_of_the_figure() {
        let reply = "alpha_1 took 4417。beta_2 said gamma_3 of 4417。delta_4 did not";
        let shared = |line| shared(reply, line)[0];
        assert!(shared("alpha_1 then 4417") > 0);
        assert_eq!(shared("4417 alone"), 0);
        assert_eq!(shared("delta_4 then 4417"), 0, "another sentence");
        let (in_one, in_two) = ("alpha_1, alpha_1 then 4417", "alpha_1 then 4417\nalpha_1");
        assert_eq!(shared(in_one), shared(in_two), "what a line says twice it shares once");
        assert!(shared("beta_2, gamma_3, 4417") > shared("beta_2 then 4417"));
        assert_eq!(shared("beta_2, alpha_1, 4417"), shared("beta_2 then 4417"), "one sentence");
    }

    #[test]
    fn what_is_rare_tells_more_and_what_is_common_something() {
        let of_first = |n_more: usize| {
            shared("alpha_1 took 4417", &format!("alpha_1 then 4417{}", "\nalpha_1".repeat(n_more)))[0]
        };
        assert!(of_first(0) > of_first(1) && of_first(1) > of_first(30));
        assert!(of_first(30) > of_first(300) && of_first(300) > 0);
    }

    #[test]
    fn what_was_met_tells_as_much_as_all_that_stands_there_where_nothing_is_common() {
        let reply = "alpha_1 and beta_2 took 4417";
        let gap = |n: usize| ".".repeat(n);
        // 96 bytes before and behind the place, and one more.
        let near = format!("alpha_1{}4417{}beta_2", gap(89), gap(90));
        let far = format!("alpha_1{}4417{}beta_2", gap(90), gap(91));
        let both = looked_at(reply, "alpha_1 4417 beta_2")[0].1;
        // Which place the figure is, and what it shares.
        for (output, place, shared) in [
            ("beta_2, 4417, alpha_1", 0, both),
            ("4417", 0, 0),
            (&near, 1, both),
            (&far, 1, 0),
            ("beta_2\n4417 alpha_1", 1, both / 2),
        ] {
            let (_, of_met, of_all) = looked_at(reply, output)[place];
            assert_eq!((of_met, of_all), (shared, shared), "{output}");
        }
        // Common ones were not all met.
        let output = format!("4417 alpha_1{}", "\nalpha_1".repeat(COMMON.into()));
        let [(_, of_met, of_all)] = looked_at(reply, &output)[..] else { panic!("one place") };
        assert_eq!((of_met, of_all > 0), (0, true));
    }

    #[test]
    fn each_line_is_looked_at_alone() {
        let output = "alpha_1 then 4417\nx 4417\nalpha_1 was 4417";
        let shared = shared("alpha_1 took 4417", output);
        assert_eq!((shared[0], shared[1]), (shared[2], 0));
    }

    #[test]
    fn a_short_line_is_looked_at_whole_and_a_long_one_near_the_place() {
        let [short, signs, letters] = ["沈".repeat(40), "沈".repeat(200), "a".repeat(200)];
        // 96 bytes on both sides, and no sign in two.
        let [signs_near, near] = [&"沈".repeat(31), &"a".repeat(95)];
        for (line, looked) in [
            (format!("{short}4417{short}"), format!("{short}4417{short}")),
            (format!("{letters} 4417 {letters}"), format!("{near} 4417 {near}")),
            (format!("{signs} 4417 {signs}"), format!("{signs_near} 4417 {signs_near}")),
            (format!("4417,{letters}"), format!("4417,{near}")),
            (format!("{letters},4417"), format!("{near},4417")),
        ] {
            let output = format!("before\n{line}\nbehind");
            assert_eq!(looked_at("4417", &output), [(looked, 0, 0)], "{line}");
        }
    }
}
