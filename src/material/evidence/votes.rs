//! What each place weighs.
//!
//! A claimed token has one vote for each sentence that claims it. Of the places that hold it and go with that sentence the
//! one in the best company gets it, the one whose line shares most with the sentence; places as good as each other share
//! it. So a token that is everywhere counts for little anywhere, and a small figure is found beside the words that tell
//! what it counts, whatever else it counts elsewhere. A place's weight is the sum of what its different tokens got.

use super::company::{Company, Shared};
use super::hits::{Hit, Hits, Voice, row_of};
use super::places::Places;
use super::tables::{
    COMPANY_MIN, ENOUGH, ENOUGH_DONE, MISSED, ONCE, RARE_RESULTS, RESULTS, SENTENCES, WEAK, WEAK_MAX,
};

/// Sets the weight of every place.
pub(super) fn weigh(places: &mut Places<'_>, hits: &Hits<'_, '_>) {
    let (companies, bests) = companies(places, hits);
    let Places { all, hits: of_places } = places;
    for place in all {
        let hits_of = of_places.get(place.hits.clone()).unwrap_or_default();
        let companies = companies.get(place.hits.clone()).unwrap_or_default();
        let voice = place.of.voice;
        let (mut strong, mut weak, mut missed) = (0_u32, 0_u32, 0_u32);
        let mut voted: Option<(usize, usize)> = None;
        for (hit, company) in hits_of.iter().zip(companies).filter(|(hit, _)| hit.result.is_none()) {
            let (Some(needle), Some(count)) = (hits.needles.get(hit.needle), hits.count(hit.needle)) else {
                continue;
            };
            let n_equal = match company {
                // What people say is no evidence; what is said of it may point at it all the same.
                None => u32::from(count.max(1)),
                Some(company) => {
                    let best =
                        bests.get(usize::from(hit.needle)).and_then(|bests| bests.met(*company, voice));
                    let Some(best) = best else {
                        missed = missed.max(company.weight);
                        continue;
                    };
                    best.n_places.max(1)
                }
            };
            // What stands in one place only can be kept nowhere else.
            let times = if voice != Voice::Words && count == 1 { ONCE } else { 1 };
            let vote = needle.weight / n_equal * times;
            if needle.weight >= WEAK {
                strong = strong.saturating_add(vote);
            } else {
                weak += vote;
            }
            let (start, end) = voted.unwrap_or((hit.start(), hit.end()));
            voted = Some((start.min(hit.start()), end.max(hit.end())));
        }
        place.weight = strong.saturating_add(weak.min(WEAK_MAX));
        // Of the places of a change that got no vote the one in the best company is the best all the same.
        if place.weight == 0 && voice == Voice::Input {
            place.weight = (missed / MISSED).min(ENOUGH_DONE - 1);
        }
        place.is_named = place.weight >= ENOUGH;
        for hit in hits_of {
            let Some(kind) = hit.result else { continue };
            let result = RESULTS.get(row_of(kind)).map_or(0, |(_, weight)| *weight);
            place.weight = place.weight.max(result);
            let n_texts = hits.result_texts.get(usize::from(kind));
            place.is_named |= n_texts.is_some_and(|n_texts| *n_texts <= RARE_RESULTS);
            voted = voted.or(Some((hit.start(), hit.end())));
        }
        // A window is laid round what counted.
        if let Some((start, end)) = voted {
            place.span = start..end;
        }
    }
}

/// The best company that a needle has in the places that go with one sentence, and how many of them have one as good.
#[derive(Clone, Copy, Default)]
struct Best {
    company: u32,
    n_places: u32,
}

impl Best {
    /// A little less is as good: one word more or less in a line proves nothing. Of what was done half is enough:
    /// what was changed is cut last (4.34), so it is judged mildly too.
    fn is_matched_by(self, company: u32, voice: Voice) -> bool {
        let enough = match voice {
            Voice::Input => self.company - self.company / 2,
            Voice::Output | Voice::Words => self.company - self.company / 4,
        };
        company >= enough
    }
}

/// The best companies of a needle, by the sentences that claim it.
#[derive(Clone, Copy, Default)]
struct Bests([Best; SENTENCES]);

impl Bests {
    /// The best that this company is as good as. A place that goes with no sentence counts only where none goes with any.
    fn met(&self, company: Shared, voice: Voice) -> Option<&Best> {
        let counts = company.weight > 0 || self.0.iter().all(|best| best.company == 0);
        self.0
            .get(usize::from(company.claim))
            .filter(|best| counts && best.is_matched_by(company.weight, voice))
    }

    /// Those of every needle in companies of these hits.
    fn of_all(hits: &[Hit], companies: &[Option<Shared>], n_needles: usize) -> Vec<Bests> {
        let mut all = vec![Bests::default(); n_needles];
        let met = || hits.iter().zip(companies).filter_map(|(hit, company)| Some((hit.needle, (*company)?)));
        for (needle, company) in met() {
            let bests = all.get_mut(usize::from(needle));
            if let Some(best) = bests.and_then(|bests| bests.0.get_mut(usize::from(company.claim))) {
                best.company = best.company.max(company.weight);
            }
        }
        for (needle, company) in met() {
            let bests = all.get_mut(usize::from(needle));
            let bests = bests.filter(|bests| bests.met(company, Voice::Output).is_some());
            if let Some(best) = bests.and_then(|bests| bests.0.get_mut(usize::from(company.claim))) {
                best.n_places += 1;
            }
        }
        all
    }
}

/// For each hit of the places what its line shares with a sentence that claims it, and the best that each needle has;
/// none for results and for what people say.
///
/// Where what was met already tells one place from the others, its line is not looked at closely.
fn companies(places: &Places<'_>, hits: &Hits<'_, '_>) -> (Vec<Option<Shared>>, Vec<Bests>) {
    let mut company = Company::new(hits);
    let mut companies = vec![None; places.hits.len()];
    let n_needles = hits.needles.all().len();
    let of_material = || places.all.iter().filter(|place| place.of.voice != Voice::Words);
    // For light needles, and for those in one place, it is not asked which place is the best.
    let hangs_on_it = |hit: &Hit| {
        matches!(hits.count(hit.needle), Some(2..))
            && hits.needles.get(hit.needle).is_some_and(|needle| needle.weight >= COMPANY_MIN)
    };
    for place in of_material() {
        let of_place = places.hits.get(place.hits.clone()).unwrap_or_default();
        let companies = companies.get_mut(place.hits.clone()).unwrap_or_default();
        if of_place.iter().any(hangs_on_it) {
            company.look(place);
        }
        for (company_of, hit) in companies.iter_mut().zip(of_place).filter(|(_, hit)| hit.result.is_none()) {
            let shared = hangs_on_it(hit).then(|| company.of(hit.needle));
            *company_of = Some(shared.unwrap_or_default());
        }
    }
    let bests = Bests::of_all(&places.hits, &companies, n_needles);
    let is_tied = |hit: &Hit, company: Option<Shared>| {
        let of_needle = bests.get(usize::from(hit.needle));
        let best = company.and_then(|company| of_needle?.met(company, Voice::Input));
        best.is_some_and(|best| best.n_places > 1) && hangs_on_it(hit)
    };
    for place in of_material() {
        let of_place = places.hits.get(place.hits.clone()).unwrap_or_default();
        let companies = companies.get_mut(place.hits.clone()).unwrap_or_default();
        let mut tied: Vec<_> =
            companies.iter_mut().zip(of_place).filter(|(company, hit)| is_tied(hit, **company)).collect();
        if !tied.is_empty() {
            company.look_closely(place);
        }
        for (company_of, hit) in &mut tied {
            **company_of = Some(company.of(hit.needle));
        }
    }
    // The list is as long as all needles: one at a time.
    drop(bests);
    let bests = Bests::of_all(&places.hits, &companies, n_needles);
    (companies, bests)
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_hits;
    use super::*;
    use Voice::{Input, Output, Words};

    /// What the places of these texts weigh where Claude replies this, and whether a claim leans on each.
    fn weights(reply: &str, texts: &[(Voice, &str)]) -> Vec<(u32, bool)> {
        with_hits(reply, texts, |hits| {
            let mut places = Places::of(hits);
            weigh(&mut places, hits);
            places.all.iter().map(|place| (place.weight, place.is_named)).collect()
        })
    }

    #[test]
    fn a_place_weighs_the_votes_of_its_tokens() {
        let plain = ["batch", "queue", "socket", "thread", "worker"];
        let claims = plain.join("\n");
        let words = |n: usize| plain[..n].join(" ");
        for (reply, texts, expected) in [
            // What stands once counts double.
            ("ERR_1", &[(Output, "a ERR_1 b")][..], &[(2_000, true)][..]),
            ("ERR_1", &[(Input, "a ERR_1 b")], &[(2_000, true)]),
            ("ERR_1。ERR_2。", &[(Output, "ERR_1 ERR_2 ERR_1")], &[(3_000, true)]),
            ("ERR_1", &[(Output, "nothing")], &[]),
            // Places as good as each other share it.
            ("ERR_1", &[(Output, "ERR_1\nERR_1")], &[(500, true); 2]),
            ("ERR_1", &[(Output, "ERR_1"), (Input, "ERR_1"), (Output, "ERR_1")], &[(333, true); 3]),
            ("ERR_1", &[(Output, "ERR_1\nERR_1\nERR_1\nERR_1")], &[(250, false); 4]),
            // Weak ones count for so much and no more, whatever strong ones are worth.
            (&claims, &[(Output, &words(1))], &[(300, false)]),
            (&claims, &[(Output, &words(2)), (Output, &words(2))], &[(150, false); 2]),
            (&claims, &[(Output, &words(3)), (Output, &words(2))], &[(450, true), (150, false)]),
            (&claims, &[(Output, &words(5))], &[(WEAK_MAX, true)]),
            (
                &format!("{claims}\nERR_1\nERR_2"),
                &[(Output, &format!("{} ERR_1 ERR_2", words(5)))],
                &[(4_000 + WEAK_MAX, true)],
            ),
            // What is said is no evidence, but may be pointed at.
            ("ERR_1", &[(Words, "ERR_1")], &[(1_000, true)]),
            ("ERR_1", &[(Words, "ERR_1"), (Output, "ERR_1")], &[(1_000, true), (2_000, true)]),
            ("ERR_1", &[(Words, "ERR_1"), (Output, "ERR_1"), (Output, "ERR_1")], &[(500, true); 3]),
        ] {
            assert_eq!(weights(reply, texts), expected, "{reply}: {texts:?}");
        }
    }

    #[test]
    fn of_several_places_the_one_in_the_best_company_has_the_vote() {
        // Two words side by side weigh 250 too, and of three letters nothing.
        for (reply, texts, expected) in [
            (
                "ERR_1 batch",
                &[(Output, "ERR_1 batch"), (Output, "ERR_1"), (Words, "ERR_1")][..],
                &[(1_000 + WEAK_MAX, true), (0, false), (500, true)][..],
            ),
            // Of light ones it is not asked.
            ("ERR_1 batch", &[(Output, "ERR_1 batch"), (Output, "batch")], &[(2_575, true), (75, false)]),
            ("「沈砚」ERR_1", &[(Output, "沈砚 ERR_1"), (Output, "沈砚")], &[(2_300, true), (0, false)]),
            // Nearly as good is as good.
            (
                "ERR_1 or ERR_2 or ERR_3 or batch",
                &[(Output, "ERR_1 or ERR_2 or ERR_3 or batch"), (Output, "ERR_1 or ERR_2 or ERR_3")],
                &[(1_800, true), (1_500, true)],
            ),
        ] {
            assert_eq!(weights(reply, texts), expected, "{reply}: {texts:?}");
        }
    }

    #[test]
    fn between_places_that_are_equal_by_what_is_rare_what_is_common_decides() {
        // `batch` alone is common in this turn: it is in nine places.
        let common = "batch\n".repeat(9);
        let all = [(Output, "444 alone"), (Output, "444 of batch"), (Output, common.as_str())];
        let weights_of = |reply: &str| weights(reply, &all);
        assert_eq!(weights_of("444 for batch")[..], [(0, false), (1_000, true)]);
        assert_eq!(weights_of("444 there。batch")[..], [(500, true); 2]);
        // Where something rare tells one from the other, what is common is not asked.
        let all = [(Output, "444 of E_1"), (Output, "444 of batch"), (Output, common.as_str())];
        assert_eq!(weights("444 for E_1 and batch", &all)[..], [(3_000, true), (0, false)]);
    }

    /// Else what is common would take it from the change beside it, which has half of the company.
    #[test]
    fn what_is_common_is_not_asked_of_a_place_that_is_best_alone() {
        let common = "batch\nqueue\nsocket\n".repeat(9);
        let told = (Output, "444 E_1 E_2 E_3 socket queue batch");
        let all = [told, (Input, "444 E_1 E_2"), (Output, common.as_str())];
        let reply = "E_1 or E_2 or E_3 at 444, batch or queue or socket";
        assert_eq!(weights(reply, &all)[..], [(5_000, true), (3_000, true)]);
    }

    #[test]
    fn each_sentence_that_claims_a_token_has_a_vote_of_its_own() {
        // 444 weighs 1000 on both lines, though the second shares more; each name, which stands once, 2000.
        let reply = "E_1 at 444。E_2 or E_3 at 444";
        let both = [(Output, "E_1 444"), (Output, "E_2 E_3 444")];
        assert_eq!(weights(reply, &both)[..], [(3_000, true), (5_000, true)]);
        // Of the lines that go with one sentence the best one has it.
        let more = [both.as_slice(), &[(Output, "E_2 444")]].concat();
        assert_eq!(weights(reply, &more)[2], (0, false));
        // What goes with none has no vote, whichever sentence it is that nothing goes with.
        let alone = [(Output, "E_2 444"), (Output, "444 alone")];
        for reply in ["444 there。E_2 at 444", "E_2 at 444。444 there"] {
            assert_eq!(weights(reply, &alone)[1], (0, false), "{reply}");
        }
    }

    #[test]
    fn a_change_that_got_no_vote_weighs_a_little_by_its_company_all_the_same() {
        let two = "ERR_1 or ERR_2";
        let all = [(Output, "ERR_1 or ERR_2 or ERR_3"), (Input, two), (Output, two)];
        // ERR_2, which is met three times, weighs half beside ERR_1.
        let expected = [(4_000, true), (500 / MISSED, false), (0, false)];
        assert_eq!(weights("ERR_1 or ERR_2 or ERR_3", &all), expected);

        // Twenty beside each other have more, but less than a window needs.
        let names = |from: u32, n: u32| (from..from + n).map(|n| format!("E{n}"));
        let changed: Vec<String> = names(10, 20).collect();
        let told: Vec<String> =
            names(10, 20).zip(names(50, 20)).flat_map(|(one, other)| [one, other]).collect();
        let (changed, told) = (changed.join(" "), told.join(" "));
        let all = weights(&told, &[(Output, &told), (Input, &changed)]);
        assert_eq!(all.last(), Some(&(ENOUGH_DONE - 1, false)));
    }

    #[test]
    fn a_result_weighs_what_its_kind_does_and_is_referred_to_where_it_is_rare() {
        for (text, weight) in [("it failed", 360), ("exit code", 355), ("all passed", 350)] {
            for (n, is_rare) in [(1, true), (RARE_RESULTS, true), (RARE_RESULTS + 1, false)] {
                let texts = vec![(Output, text); n];
                assert_eq!(weights("好了。", &texts), vec![(weight, is_rare); n], "{n} times {text}");
            }
        }
        let many = vec![(Output, "ERR_1 failed"); RARE_RESULTS + 1];
        assert_eq!(weights("ERR_2。batch", &many), vec![(360, false); RARE_RESULTS + 1]);
        assert_eq!(weights("ERR_1。", &many[..2]), [(500, true); 2]);
        assert_eq!(weights("batch", &[(Output, "batch failed")]), [(360, true)]);
        assert_eq!(weights("好了。", &[(Input, "it failed"), (Words, "it failed")]), []);
    }

    #[test]
    fn a_little_less_company_is_as_good_and_of_what_was_done_half_is() {
        let best = Best { company: 12, n_places: 1 };
        let least = |voice| (0..20).find(|company| best.is_matched_by(*company, voice));
        assert_eq!([Output, Words, Input].map(least), [Some(9), Some(9), Some(6)]);
        assert!(best.is_matched_by(12, Output) && best.is_matched_by(20, Input));
    }
}
