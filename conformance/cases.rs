//! Runs every transcript under `transcripts/` against the hook and compares the prompt that the auditor got with the
//! `.expect.json` beside it. A transcript that nobody expects anything of is a failure, not a pass.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::kit::check::{Checks, checks};
use crate::kit::hook::quoted;
use crate::kit::requirements::REQUIREMENTS;
use crate::kit::sandbox::{Run, Sandbox};

mod expectation;
mod judge;
pub(crate) mod parts;

use expectation::{Case, Expectation};

/// What one case gave: the prompt, and all other places where a text of the session could end up.
pub(crate) struct Seen {
    pub(crate) prompt: String,
    pub(crate) run: Run,
    /// stdout, stderr and every file that the hook left in its log, temporary and home directories.
    pub(crate) left: String,
}

/// Runs all cases of all transcripts directly in one folder of `transcripts/`.
fn folder(c: &mut Checks, name: &str) {
    let dir = root().join(name);
    let mut broken = Vec::new();
    let files = transcripts_below(&dir).into_iter().filter(|path| path.parent() == Some(dir.as_path()));
    for path in files {
        match Expectation::beside(&path) {
            Ok(expectation) => file(c, &path, &expectation, &mut broken),
            Err(cause) => broken.push(format!("{}: {cause}", shown(&path))),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn file(c: &mut Checks, path: &Path, expectation: &Expectation, broken: &mut Vec<String>) {
    let bytes = fs::read(path).expect("a transcript can be read");
    let seen: BTreeMap<&str, Seen> =
        expectation.cases.iter().map(|case| (case.name.as_str(), run(&bytes, case))).collect();
    for case in &expectation.cases {
        for check in &case.checks {
            let place = format!("{} › {}", shown(path), case.name);
            let Some(requirement) = REQUIREMENTS.iter().find(|known| known.id == check.id) else {
                broken.push(format!("{place}: there is no requirement {}", check.id));
                continue;
            };
            match judge::judge(check, &seen[case.name.as_str()], &seen) {
                Ok(verdict) => {
                    let what = format!("{place}: {}", check.what);
                    c.that(requirement.id, what, verdict.ok, verdict.want, verdict.got);
                }
                Err(cause) => broken.push(format!("{place}: {cause}")),
            }
        }
    }
}

fn run(bytes: &[u8], case: &Case) -> Seen {
    let sandbox = Sandbox::new();
    sandbox.transcript_bytes(&of_session(&case.rows_of(bytes), sandbox.session_id()));
    let mut event = sandbox.stop();
    for (key, value) in &case.stdin {
        event = if value.is_null() { event.unset(key) } else { event.set(key, value.clone()) };
    }
    // Some hundred cases: the recording auditor's seven processes each would be most of the time.
    let file = sandbox.path("prompt");
    let run = event.auditor(&format!("cat >{}; echo VERDICT: PASS", quoted(&file.to_string_lossy()))).run();
    let prompt = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
    // Two cases of one file are compared with each other: their sandboxes' names must not make the difference.
    let root = sandbox.root().to_string_lossy().into_owned();
    let prompt = prompt.replace(&root, "/sandbox").replace(sandbox.session_id(), "SESSION");
    let mut left = format!("{}\n{}\n", run.stdout, run.stderr);
    for path in ["logs", "tmp", "home"].into_iter().flat_map(|name| sandbox.files_below(name)) {
        left.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap_or_default()));
    }
    Seen { prompt, run, left }
}

/// The same rows as rows of this session, in the way the client writes one session into one file.
fn of_session(bytes: &[u8], id: &str) -> Vec<u8> {
    const KEY: &str = "\"sessionId\":\"";
    let text = String::from_utf8_lossy(bytes);
    let old = text.split_once(KEY).and_then(|(_, rest)| rest.split_once('"')).map(|(old, _)| old.to_owned());
    let Some(old) = old.filter(|old| old.len() == id.len()) else { return bytes.to_vec() };
    let mut out = bytes.to_vec();
    for at in memchr::memmem::find_iter(bytes, old.as_bytes()) {
        out[at..at + id.len()].copy_from_slice(id.as_bytes());
    }
    out
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/transcripts")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).with_extension("").display().to_string()
}

/// All `.jsonl` files below a directory, by name.
fn transcripts_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = files_below(dir);
    found.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    found
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A test for each folder, and the list of the folders for the test that none was forgotten.
macro_rules! folders {
    ($($test:ident = $folder:literal),+ $(,)?) => {
        checks! { $(fn $test(c: &mut Checks) { folder(c, $folder); })+ }
        #[cfg(test)]
        const FOLDERS: &[&str] = &[$($folder),+];
    };
}

folders! {
    cases_recorded_2_1_332 = "recorded/2.1.332",
    cases_background = "synthetic/background",
    cases_bytes = "synthetic/bytes",
    cases_compaction = "synthetic/compaction",
    cases_history = "synthetic/history",
    cases_hook_input = "synthetic/hook-input",
    cases_hooks = "synthetic/hooks",
    cases_marks = "synthetic/marks",
    cases_openers = "synthetic/openers",
    cases_peers = "synthetic/peers",
    cases_reply = "synthetic/reply",
    cases_rewind = "synthetic/rewind",
    cases_rows = "synthetic/rows",
    cases_samples = "synthetic/samples",
    cases_thinking = "synthetic/thinking",
    cases_tools = "synthetic/tools",
    cases_words = "synthetic/words",
}

#[test]
fn every_transcript_is_in_a_folder_that_is_run() {
    let run: Vec<PathBuf> = FOLDERS.iter().map(|name| root().join(name)).collect();
    let forgotten: Vec<String> = transcripts_below(&root())
        .iter()
        .filter(|path| !run.iter().any(|dir| path.parent() == Some(dir)))
        .map(|path| shown(path))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new(), "in no folder of `folders!`");
}

#[test]
fn every_expectation_belongs_to_a_transcript() {
    let orphans: Vec<PathBuf> = files_below(&root())
        .into_iter()
        .filter(|path| {
            let name = path.to_string_lossy();
            name.strip_suffix(".expect.json")
                .is_some_and(|base| !Path::new(&format!("{base}.jsonl")).is_file())
        })
        .collect();
    assert_eq!(orphans, Vec::<PathBuf>::new(), "no .jsonl beside it");
}
