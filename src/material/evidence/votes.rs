//! What each place weighs.
//!
//! A claimed token has one vote. Of the places that hold it the one in the best company gets it, the one whose line
//! shares most with a sentence that claims it; places as good as each other share it. So a token that is everywhere
//! counts for little anywhere, and a small figure is found beside the words that tell what it counts. A place's weight is
//! the sum of what its different tokens got.

use super::company::Company;
use super::hits::{Hit, Hits, Voice, row_of};
use super::numbers::Number;
use super::places::Places;
use super::tables::{COMPANY_MIN, ENOUGH, ENOUGH_DONE, MISSED, RARE_RESULTS, RESULTS, WEAK, WEAK_MAX};

/// Sets the weight of every place.
pub(super) fn weigh(places: &mut Places<'_>, hits: &Hits<'_, '_>) {
    let companies = companies(places, hits);
    let best = best_companies(places, &companies, hits);
    let Places { all, hits: of_places } = places;
    for place in all {
        let hits_of = of_places.get(place.hits.clone()).unwrap_or_default();
        let companies = companies.get(place.hits.clone()).unwrap_or_default();
        let voice = place.of.voice;
        let (mut strong, mut weak, mut missed) = (0_u32, 0_u32, 0_u32);
        let mut voted: Option<(usize, usize)> = None;
        for (hit, company) in claimed(hits_of, companies) {
            let (Some(needle), Some(count)) = (hits.needles.get(hit.needle), hits.count(hit.needle)) else {
                continue;
            };
            let n_equal = match best.get(usize::from(hit.needle)) {
                // What people say is no evidence; what is said of it may point at it all the same.
                _ if voice == Voice::Words => u32::from(count.max(1)),
                Some(best) if best.is_matched_by(company, voice) => best.n_places.max(1),
                _ => {
                    missed = missed.max(company);
                    continue;
                }
            };
            let vote = needle.weight / n_equal;
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

/// The best company of a needle, and how many places have one as good.
#[derive(Clone, Copy, Default)]
struct Best {
    company: u32,
    n_places: u32,
}

impl Best {
    /// A little less is as good: one word more or less in a line proves nothing. Of what was done two thirds are enough:
    /// what was changed is cut last (4.34), so it is judged mildly too.
    fn is_matched_by(self, company: u32, voice: Voice) -> bool {
        let enough = match voice {
            Voice::Input => self.company - self.company / 3,
            Voice::Output | Voice::Words => self.company - self.company / 4,
        };
        company >= enough
    }
}

fn best_companies(places: &Places<'_>, companies: &[u32], hits: &Hits<'_, '_>) -> Vec<Best> {
    let mut best = vec![Best::default(); hits.needles.all().len()];
    let material = || {
        let material = places.all.iter().filter(|place| place.of.voice != Voice::Words);
        material.flat_map(|place| {
            let hits = places.hits.get(place.hits.clone()).unwrap_or_default();
            claimed(hits, companies.get(place.hits.clone()).unwrap_or_default())
        })
    };
    for (hit, company) in material() {
        if let Some(best) = best.get_mut(usize::from(hit.needle)) {
            best.company = best.company.max(company);
        }
    }
    for (hit, company) in material() {
        let best = best.get_mut(usize::from(hit.needle));
        if let Some(best) = best.filter(|best| best.is_matched_by(company, Voice::Output)) {
            best.n_places += 1;
        }
    }
    best
}

/// The hits of claims with their companies.
fn claimed<'p>(hits: &'p [Hit], companies: &'p [u32]) -> impl Iterator<Item = (&'p Hit, u32)> {
    hits.iter().zip(companies.iter().copied()).filter(|(hit, _)| hit.result.is_none())
}

/// For each hit of the places what its line shares with a sentence that claims it; 0 where nothing hangs on it.
fn companies(places: &Places<'_>, hits: &Hits<'_, '_>) -> Vec<u32> {
    let mut company = Company::new(hits);
    let hangs_on_it = |needle: Number| {
        hits.count(needle).is_some_and(|count| count > 1)
            && hits.needles.get(needle).is_some_and(|needle| needle.weight >= COMPANY_MIN)
    };
    let hangs_on_it = |hit: &Hit| hit.result.is_none() && hangs_on_it(hit.needle);
    let mut companies = vec![0; places.hits.len()];
    for place in places.all.iter().filter(|place| place.of.voice != Voice::Words) {
        let hits = places.hits.get(place.hits.clone()).unwrap_or_default();
        if !hits.iter().any(hangs_on_it) {
            continue;
        }
        company.look(place);
        let companies = companies.get_mut(place.hits.clone()).unwrap_or_default();
        for (company_of, hit) in companies.iter_mut().zip(hits).filter(|(_, hit)| hangs_on_it(hit)) {
            *company_of = company.of(hit.needle);
        }
    }
    companies
}
