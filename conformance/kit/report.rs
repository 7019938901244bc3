//! Runs every test once, writes `target/conformance/report.json` (`clients.json` for the real clients; elsewhere where
//! `CONFORMANCE_REPORT` names a file), prints a table per section, and fails when a requirement has no check. Failing
//! checks are not its affair: their own tests tell.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::check::{Check, Named, NotRun};
use super::hook;
use super::requirements::{REQUIREMENTS, Requirement, Testable};

/// A case with a real client that takes longer hangs.
const CLIENT_CASE_LIMIT: Duration = Duration::from_secs(60);

/// Which test target reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The hook by itself.
    Kit,
    /// The real clients.
    Clients,
}

impl Target {
    fn file(self) -> &'static str {
        match self {
            Target::Kit => "report.json",
            Target::Clients => "clients.json",
        }
    }

    /// Threads beside libtest's own. A hook mostly waits; a client works hard while it starts.
    fn n_threads(self) -> usize {
        match self {
            Target::Kit => 6,
            Target::Clients => 2,
        }
    }

    /// Whether this target owes a check for such a requirement.
    fn owes(self, testable: Testable) -> bool {
        match testable {
            Testable::ByAnyone => self == Target::Kit,
            Testable::OursOnly(_) => self == Target::Kit && !hook::foreign(),
            Testable::WithClients => self == Target::Clients && !hook::foreign(),
        }
    }
}

/// Runs the registry.
///
/// # Panics
/// When a requirement has no check, a check cites no requirement, a test has an unknown mark, or a file cannot be
/// written.
pub(crate) fn of(registry: &[&'static Named], target: Target) {
    let mut report = Report::of(registry, target);
    if target == Target::Kit {
        // Some hundred cases of some milliseconds each.
        report.times.clear();
    }
    report.write_json(target);
    // Not `print!`, which libtest swallows.
    let mut stdout = std::io::stdout();
    stdout
        .write_all(report.table(target).as_bytes())
        .and_then(|()| stdout.flush())
        .expect("stdout takes the table");
    let faults = report.faults(registry, target);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[derive(Clone, Copy, Default)]
struct Count {
    checks: usize,
    failed: usize,
}

/// What is wrong with a registry, for the proof that the report can fail.
#[allow(dead_code, reason = "the proof is in one target only")]
pub(crate) fn faults_of(registry: &[&'static Named], target: Target) -> Vec<String> {
    Report::of(registry, target).faults(registry, target)
}

#[derive(Default)]
struct Report {
    counts: BTreeMap<&'static str, Count>,
    /// Failed checks as `test: what`, by requirement.
    failures: BTreeMap<&'static str, Vec<String>>,
    /// Tests that broke, so that what they would have shown is not known.
    broken: Vec<String>,
    not_run: Vec<(&'static str, NotRun)>,
    times: BTreeMap<&'static str, Duration>,
}

impl Report {
    fn of(registry: &[&'static Named], target: Target) -> Self {
        let report = Mutex::new(Self::default());
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..target.n_threads() {
                scope.spawn(|| {
                    while let Some(named) = registry.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let ran = named.not_run().map_or_else(|| Ok(named.outcome()), Err);
                        let mut report = report.lock().expect("no thread panics with it");
                        match ran {
                            Ok(outcome) => {
                                outcome.checks.iter().for_each(|check| report.count(named.name, check));
                                report.times.insert(named.name, outcome.elapsed);
                                report.broken.extend(outcome.panicked.iter().map(|_| named.name.to_owned()));
                            }
                            Err(reason) => report.not_run.push((named.name, reason)),
                        }
                    }
                });
            }
        });
        report.into_inner().expect("no thread panics with it")
    }

    fn count(&mut self, test: &str, check: &Check) {
        let count = self.counts.entry(check.requirement).or_default();
        count.checks += 1;
        if !check.ok {
            count.failed += 1;
            self.failures.entry(check.requirement).or_default().push(format!("{test}: {}", check.what));
        }
    }

    fn count_of(&self, id: &str) -> Count {
        self.counts.get(id).copied().unwrap_or_default()
    }

    fn faults(&self, registry: &[&'static Named], target: Target) -> Vec<String> {
        let mut faults = Vec::new();
        for requirement in REQUIREMENTS {
            let waits = self.left_out(requirement, NotRun::TooSlow).next().is_some();
            if target.owes(requirement.testable) && !waits && self.count_of(requirement.id).checks == 0 {
                faults.push(format!("{} {}: no check", requirement.id, requirement.title));
            }
        }
        for id in self.counts.keys() {
            if !REQUIREMENTS.iter().any(|requirement| requirement.id == *id) {
                faults.push(format!("{id}: cited by a check, but no requirement"));
            }
        }
        for named in registry {
            faults.extend(named.unknown_marks().map(|mark| format!("{}: unknown mark {mark}", named.name)));
        }
        for (name, _) in self.times.iter().filter(|(_, time)| **time > CLIENT_CASE_LIMIT) {
            faults.push(format!("{name}: takes more than {CLIENT_CASE_LIMIT:?}"));
        }
        faults
    }

    /// Tests of a requirement that were not run for this reason; their names begin with its number.
    fn left_out(&self, requirement: &Requirement, why: NotRun) -> impl Iterator<Item = &'static str> {
        let prefix = format!("r{}", requirement.id.replace('.', "_"));
        let shows = move |name: &str| {
            name.strip_prefix(&prefix)
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
        };
        let left_out = self.not_run.iter().filter(move |(_, reason)| *reason == why).map(|(name, _)| *name);
        left_out.filter(move |name| shows(name))
    }

    fn table(&self, target: Target) -> String {
        let mut text = String::from("\nsection  requirements  checks  failed\n");
        let mut sections: Vec<(&str, Vec<&Requirement>)> = Vec::new();
        let is_looked_at = |requirement: &&Requirement| match target {
            Target::Kit => requirement.testable != Testable::WithClients,
            Target::Clients => target.owes(requirement.testable) || self.count_of(requirement.id).checks > 0,
        };
        for requirement in REQUIREMENTS.iter().filter(is_looked_at) {
            let section = requirement.id.split_once('.').map_or(requirement.id, |(section, _)| section);
            match sections.last_mut() {
                Some((open, requirements)) if *open == section => requirements.push(requirement),
                Some(_) | None => sections.push((section, vec![requirement])),
            }
        }
        for (section, requirements) in &sections {
            let counts = || requirements.iter().map(|requirement| self.count_of(requirement.id));
            let shown = counts().filter(|count| count.checks > 0).count();
            let checks: usize = counts().map(|count| count.checks).sum();
            let failed: usize = counts().map(|count| count.failed).sum();
            let of = format!("{shown}/{}", requirements.len());
            let _ = writeln!(text, "{section:>7}  {of:>12}  {checks:>6}  {failed:>6}");
        }
        for (id, count) in self.counts.iter().filter(|(_, count)| count.failed > 0) {
            let _ = writeln!(text, "failed: {id} ({} of {} checks)", count.failed, count.checks);
        }
        for (name, time) in &self.times {
            let _ = writeln!(text, "{:>6.1} s  {name}", time.as_secs_f64());
        }
        for name in &self.broken {
            let _ = writeln!(text, "broken: {name}");
        }
        text + &self.not_testable()
    }

    fn not_testable(&self) -> String {
        let mut text = String::new();
        if hook::foreign() {
            for requirement in REQUIREMENTS {
                if let Testable::OursOnly(reason) = requirement.testable {
                    let _ =
                        writeln!(text, "not testable: {} {} ({reason})", requirement.id, requirement.title);
                }
            }
        }
        for (name, reason) in &self.not_run {
            let _ = match reason {
                NotRun::OwnOnly => writeln!(text, "not testable: {name} (needs what only our own hook has)"),
                NotRun::Namespaces => {
                    writeln!(
                        text,
                        "not run: {name} (needs more than a plain user; CONFORMANCE_NAMESPACES=1 runs it)"
                    )
                }
                NotRun::TooSlow => {
                    writeln!(text, "not run: {name} (takes minutes; CONFORMANCE_SLOW=1 runs it)")
                }
            };
        }
        text
    }

    fn write_json(&self, target: Target) {
        let requirements: Vec<_> = REQUIREMENTS
            .iter()
            .map(|requirement| {
                let count = self.count_of(requirement.id);
                json!({"id": requirement.id, "checks": count.checks, "failed": count.failed})
            })
            .collect();
        let foreign = hook::foreign();
        let name = if foreign { hook::command() } else { env!("CARGO_PKG_NAME").to_owned() };
        let version = (!foreign).then_some(env!("CARGO_PKG_VERSION"));
        let seconds: BTreeMap<_, _> =
            self.times.iter().map(|(name, time)| (*name, time.as_secs_f64())).collect();
        let report = json!({"implementation": name, "version": version, "requirements": requirements,
                            "failures": self.failures, "seconds": seconds, "broken": self.broken});
        let path = place(target);
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).expect("the report's directory is made");
        }
        std::fs::write(path, format!("{report:#}\n")).expect("the report is written");
    }
}

/// The report's file.
fn place(target: Target) -> PathBuf {
    let default = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("conformance").join(target.file());
    std::env::var_os("CONFORMANCE_REPORT").map_or_else(default, PathBuf::from)
}
