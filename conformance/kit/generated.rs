//! Checks on generated cases: seeded, so that every run tries the same ones and a failure can be looked at again. A
//! plain run tries a quarter of them, `CONFORMANCE_SLOW=1` all, `CONFORMANCE_CASES=5000` so many others, at random.
//! What fails is made small, and its seed is written to `conformance/seeds/`: commit it with the mend, it is tried first
//! from then on.
use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, FailurePersistence, FileFailurePersistence, RngAlgorithm, TestCaseResult, TestRng, TestRunner,
};

use super::check::Checks;
use super::hook;

/// Whether `holds` does for `n_cases` cases. `seeds`: `conformance/seeds/NAME.txt`.
pub(crate) fn check<S: Strategy>(
    c: &mut Checks,
    requirement: &'static str,
    what: &str,
    (n_cases, seeds): (u32, &'static str),
    strategy: &S,
    holds: impl Fn(S::Value) -> TestCaseResult,
) {
    let wished = std::env::var("CONFORMANCE_CASES").ok();
    let cases = match &wished {
        Some(wished) => wished.parse().expect("CONFORMANCE_CASES is a number"),
        None if hook::slow_allowed() => n_cases,
        None => n_cases.div_ceil(4),
    };
    let config = Config {
        cases,
        // What another hook fails is nothing for our seeds.
        failure_persistence: (!hook::foreign())
            .then(|| -> Box<dyn FailurePersistence> { Box::new(FileFailurePersistence::Direct(seeds)) }),
        // A case may be a whole session and some hooks: it is made small in some hundred tries.
        max_shrink_iters: 400,
        ..Config::default()
    };
    let mut runner = match wished {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let ran = runner.run(strategy, holds);
    let found = ran.err().map_or(String::new(), |error| error.to_string());
    c.that(requirement, format!("{what}, {cases} generated"), found.is_empty(), "all hold", found);
}
