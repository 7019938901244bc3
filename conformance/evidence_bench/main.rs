//! What survives a cut: `scripts/evidence-bench`. Facts are planted at random, Claude speaks of them in words of its own,
//! and the prompt is looked at; the plain cut of the same sessions stands beside. Exits 1 when a mark is missed.
//!
//! Two sets of seeds: rules that fit one by chance show it on the other.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement that breaks has to stop"
)]
#![allow(
    clippy::cast_precision_loss,
    reason = "counts and times are far below the 2^52 that f64 holds exactly"
)]

mod dice;
mod facts;
mod look;
#[allow(clippy::needless_pass_by_value, reason = "tests hand over literals, which read better without &")]
#[path = "../kit/rows.rs"]
mod rows;
mod times;
mod turns;
mod written;

use std::collections::BTreeMap;
use std::process::ExitCode;

use stop_auditor::material::fit::Between;
use stop_auditor::prompt;
use tempfile::NamedTempFile;

use look::Seen;
use turns::{Place, Planted, Shape};

/// Characters of outputs, edits and results in tenths of the limit.
const SIZES: [(&str, usize); 4] = [("0.8", 8), ("1.5", 15), ("3", 30), ("10", 100)];
const SHAPES: [(&str, Shape); 2] = [("40 calls", Shape::Dozens), ("200 calls", Shape::Hundreds)];

/// Sessions of a set, unless the command line gives another number; and the first seed of each.
const SESSIONS: u64 = 40;
const SETS: [u64; 2] = [1, 1_000_001];

/// Per cent that must survive by place; `None`: printed only.
const MARKS: [(Place, &str, Option<f64>); 11] = [
    (Place::Head, "heads of outputs", Some(95.0)),
    (Place::Middle, "middles of outputs", Some(95.0)),
    (Place::Tail, "tails of outputs", Some(95.0)),
    (Place::BackgroundHead, "heads of background results", Some(95.0)),
    (Place::BackgroundMiddle, "middles of background results", Some(95.0)),
    (Place::BackgroundTail, "tails of background results", Some(95.0)),
    (Place::Edit, "edits", Some(100.0)),
    (Place::Person, "the person's words", Some(100.0)),
    (Place::Agreement, "earlier agreements", Some(100.0)),
    (Place::Previous, "middles of the turn before", None),
    (Place::Contradiction, "failures nobody names", None),
];

/// What finding out what to keep may cost, beside the plain cut.
const TIME: f64 = 1.5;

fn main() -> ExitCode {
    // `cargo bench` adds options of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut numbers = words.iter().filter_map(|word| word.parse::<u64>().ok());
    let n_sessions = numbers.next().unwrap_or(SESSIONS);
    let seeds = numbers.next().map_or(SETS, |seed| [seed, seed + n_sessions]);
    let wanted = words.iter().find(|word| word.parse::<u64>().is_err());
    let mut is_missed = false;
    for (shape_name, shape) in SHAPES {
        for (size_name, tenths) in SIZES {
            let name = format!("{shape_name}, {size_name} x the limit");
            if wanted.is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            println!("\n{name:39} {:>9} {:>9} {:>9}", "plain", "set A", "set B");
            let sets = seeds.map(|first| {
                (first..first + n_sessions)
                    .map(|seed| Made::of(seed, shape, prompt::LIMIT * tenths / 10))
                    .collect::<Vec<Made>>()
            });
            is_missed |= tell_survival(&sets);
            is_missed |= tell_times(&sets);
        }
    }
    if is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A session on disk, and what was planted in it.
struct Made {
    transcript: NamedTempFile,
    planted: Vec<Planted>,
}

impl Made {
    fn of(seed: u64, shape: Shape, n_chars: usize) -> Self {
        let made = turns::make(seed, shape, n_chars);
        Made { transcript: written::transcript(&made.session), planted: made.planted }
    }
}

/// Prints what survives, by place, and what it takes of the prompt; whether a mark is missed.
fn tell_survival(sets: &[Vec<Made>; 2]) -> bool {
    let plain = Tally::of(sets.iter().flatten(), Between::Nothing);
    let [a, b] = [0, 1].map(|set| Tally::of(&sets[set], Between::Evidence));
    let mut is_missed = false;
    for (place, name, mark) in MARKS {
        let shown = [&plain, &a, &b].map(|tally| tally.survival(place));
        let is_low = mark.is_some_and(|mark| shown[1..].iter().flatten().any(|got| *got < mark));
        is_missed |= is_low;
        tell(is_low, name, shown.map(|got| got.map_or("-".into(), |got| format!("{got:.1} %"))));
    }
    let mean = |tally: &Tally| (tally.seen.chars / tally.n_sessions).to_string();
    tell(false, "characters of a prompt", [&plain, &a, &b].map(mean));
    let share =
        |part: usize, tally: &Tally| format!("{:.1} %", 100.0 * part as f64 / tally.seen.chars as f64);
    let [in_a, in_b] = [&a, &b].map(|tally| share(tally.seen.in_windows, tally));
    tell(false, "of it in windows", ["-".into(), in_a, in_b]);
    let [idle_a, idle_b] = [&a, &b].map(|tally| share(tally.seen.in_idle_windows, tally));
    tell(false, "of it in windows without a fact", ["-".into(), idle_a, idle_b]);
    is_missed
}

/// Prints what the building takes; whether it takes too long.
fn tell_times(sets: &[Vec<Made>; 2]) -> bool {
    let [a, b] = [0, 1].map(|set| times::of(sets[set].iter().map(|made| made.transcript.path())));
    let is_slow = [&a, &b].iter().any(|times| times.whole.ratio > TIME);
    for (name, is_slow, [a, b]) in [
        ("time, transcript to prompt", is_slow, [&a.whole, &b.whole]),
        ("time of the cut alone", false, [&a.cut, &b.cut]),
    ] {
        tell(
            is_slow,
            name,
            [format!("{:.2?}", a.plain), format!("{:.2} x", a.ratio), format!("{:.2} x", b.ratio)],
        );
    }
    is_slow
}

fn tell(is_missed: bool, name: &str, [plain, a, b]: [String; 3]) {
    let word = if is_missed { "MISSED" } else { "" };
    println!("{word:6} {name:32} {plain:>9} {a:>9} {b:>9}");
}

/// What was seen of many sessions.
#[derive(Default)]
struct Tally {
    n_sessions: usize,
    /// Planted and seen, by place.
    places: BTreeMap<Place, (usize, usize)>,
    seen: Seen,
}

impl Tally {
    fn of<'a>(made: impl IntoIterator<Item = &'a Made>, between: Between) -> Self {
        let mut tally = Tally::default();
        for Made { transcript, planted } in made {
            let prompt = times::prompt(&times::session(transcript.path()), between);
            let seen = look::at(&prompt, planted);
            for (planted, is_seen) in planted.iter().zip(&seen.facts) {
                let (all, n_seen) = tally.places.entry(planted.place).or_default();
                *all += 1;
                *n_seen += usize::from(*is_seen);
            }
            tally.n_sessions += 1;
            tally.seen.chars += seen.chars;
            tally.seen.in_windows += seen.in_windows;
            tally.seen.in_idle_windows += seen.in_idle_windows;
        }
        tally
    }

    fn survival(&self, place: Place) -> Option<f64> {
        let (all, seen) = self.places.get(&place)?;
        Some(100.0 * *seen as f64 / *all as f64)
    }
}
