//! What each place weighs.
//!
//! A claimed token has one vote. Of the places that hold it the one in the best company gets it, the one whose line
//! shares most with a sentence that claims it; places as good as each other share it. So a token that is everywhere
//! counts for little anywhere, and a small figure is found beside the words that tell what it counts. A place's weight is
//! the sum of what its different tokens got.

use super::company::Company;
use super::hits::{Hit, Hits, Voice, row_of};
use super::places::Place;
use super::tables::{COMPANY_MIN, ENOUGH, ENOUGH_DONE, MISSED, RARE_RESULTS, RESULTS, WEAK, WEAK_MAX};

/// Sets the weight of every place.
pub(super) fn weigh(places: &mut [Place<'_>], hits: &Hits<'_, '_>) {
    let companies = companies(places, hits);
    let best = best_companies(places, &companies, hits);
    for (place, companies) in places.iter_mut().zip(&companies) {
        let (mut strong, mut weak, mut missed) = (0_u32, 0_u32, 0_u32);
        let mut voted: Option<(usize, usize)> = None;
        for (hit, company) in claimed(place, companies) {
            let (Some(needle), Some(count)) = (hits.needles.get(hit.needle), hits.count(hit.needle)) else {
                continue;
            };
            let n_equal = match best.get(hit.needle) {
                // What people say is no evidence; what is said of it may point at it all the same.
                _ if place.voice == Voice::Words => count.max(1),
                Some(best) if best.is_matched_by(company, place.voice) => best.n_places.max(1),
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
            let (start, end) = voted.unwrap_or((hit.start, hit.end));
            voted = Some((start.min(hit.start), end.max(hit.end)));
        }
        place.weight = strong.saturating_add(weak.min(WEAK_MAX));
        // Of the places of a change that got no vote the one in the best company is the best all the same.
        if place.weight == 0 && place.voice == Voice::Input {
            place.weight = (missed / MISSED).min(ENOUGH_DONE - 1);
        }
        place.is_named = place.weight >= ENOUGH;
        for hit in &place.hits {
            let Some(kind) = hit.result else { continue };
            let result = RESULTS.get(row_of(kind)).map_or(0, |(_, weight)| *weight);
            place.weight = place.weight.max(result);
            place.is_named |= hits.result_texts.get(kind).is_some_and(|n_texts| *n_texts <= RARE_RESULTS);
            voted = voted.or(Some((hit.start, hit.end)));
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

fn best_companies(places: &[Place<'_>], companies: &[Vec<u32>], hits: &Hits<'_, '_>) -> Vec<Best> {
    let mut best = vec![Best::default(); hits.needles.len()];
    let material = || places.iter().zip(companies).filter(|(place, _)| place.voice != Voice::Words);
    for (hit, company) in material().flat_map(|(place, companies)| claimed(place, companies)) {
        if let Some(best) = best.get_mut(hit.needle) {
            best.company = best.company.max(company);
        }
    }
    for (hit, company) in material().flat_map(|(place, companies)| claimed(place, companies)) {
        let best = best.get_mut(hit.needle);
        if let Some(best) = best.filter(|best| best.is_matched_by(company, Voice::Output)) {
            best.n_places += 1;
        }
    }
    best
}

/// The place's hits of claims with their companies.
fn claimed<'p>(place: &'p Place<'_>, companies: &'p [u32]) -> impl Iterator<Item = (&'p Hit, u32)> {
    place.hits.iter().zip(companies.iter().copied()).filter(|(hit, _)| hit.result.is_none())
}

/// For each hit of each place what its line shares with a sentence that claims it; 0 where nothing hangs on it.
fn companies(places: &[Place<'_>], hits: &Hits<'_, '_>) -> Vec<Vec<u32>> {
    let mut company = Company::new(hits);
    let hangs_on_it = |hit: &Hit| {
        let is_open = hit.result.is_none() && hits.count(hit.needle).is_some_and(|count| count > 1);
        is_open && hits.needles.get(hit.needle).is_some_and(|needle| needle.weight >= COMPANY_MIN)
    };
    let of_place = |place: &Place<'_>| {
        if place.voice == Voice::Words || !place.hits.iter().any(hangs_on_it) {
            return vec![0; place.hits.len()];
        }
        company.look(place);
        let of_hit = |hit: &Hit| if hangs_on_it(hit) { company.of(hit.needle) } else { 0 };
        place.hits.iter().map(of_hit).collect()
    };
    places.iter().map(of_place).collect()
}
