//! Every transcript of the kit cut off behind any byte, as a crash or a reader that came too early leaves it.
//! A torn row tells nothing: what is seen is what the whole rows before it tell.
use std::fs;
use std::io::Write as _;
use std::path::Path;

use stop_auditor::prompt;
use stop_auditor::transcript::session;

use crate::kit::check::{Checks, checks};
use crate::kit::sandbox::Sandbox;
use crate::reading::transcripts;

/// The prompt of the first bytes of a file that holds more; "" where they hold no turn.
struct Cut {
    file: tempfile::NamedTempFile,
}

impl Cut {
    fn of(bytes: &[u8]) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Self { file }
    }

    /// Cuts the file to this length, which is no more than it has.
    fn prompt(&self, length: usize) -> String {
        self.file.as_file().set_len(length as u64).unwrap();
        let session = session::read(self.file.path(), &prompt::extent(0)).expect("the rest can be read");
        session.map(|session| prompt::build(&session, None).text).unwrap_or_default()
    }
}

/// Where rows end, the file's beginning included: behind the line end.
fn borders(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let mut borders: Vec<usize> = std::iter::once(0).chain(ends).chain([bytes.len()]).collect();
    borders.dedup();
    borders
}

/// Looks at the cuts inside each row that `inside` picks; the row is whole one byte before its border.
fn torn_rows_tell_nothing(c: &mut Checks, path: &Path, inside: impl Fn(usize, usize) -> Vec<usize>) {
    let bytes = fs::read(path).unwrap();
    let borders = borders(&bytes);
    let cut = Cut::of(&bytes);
    let (mut n_cuts, mut wrong) = (0, Vec::new());
    // The file only ever gets shorter.
    for pair in borders.windows(2).rev() {
        let &[from, to] = pair else { continue };
        let whole = cut.prompt(to);
        let places = inside(from, to);
        let torn: Vec<(usize, String)> =
            places.into_iter().rev().map(|place| (place, cut.prompt(place))).collect();
        let before = cut.prompt(from);
        for (place, prompt) in torn {
            n_cuts += 1;
            let is_whole = bytes[place..to].iter().all(|byte| b"\r\n\0 \t".contains(byte));
            // Half a row may already be a row, where a broken file has two in one line or a row has spaces behind it.
            let is_row = serde_json::from_slice::<serde_json::Value>(&bytes[from..place]).is_ok();
            let wanted = if is_whole || is_row { &whole } else { &before };
            if prompt != *wanted && !(is_row && prompt == before) {
                wrong.push(place);
            }
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    c.that(
        "4.13",
        format!("{name}, {n_cuts} cuts"),
        wrong.is_empty(),
        "the whole rows' prompt",
        format!("{wrong:?}"),
    );
}

checks! {
    /// In each row behind its first byte, in the middle, and before its last byte and its line end.
    #[own]
    fn r4_13_a_torn_row_tells_nothing(c: &mut Checks) {
        for path in transcripts() {
            torn_rows_tell_nothing(c, &path, |from, to| {
                let mut places = vec![from + 1, from.midpoint(to), to.saturating_sub(2), to - 1];
                places.retain(|place| *place > from && *place < to);
                places.dedup();
                places
            });
        }
    }

    /// Behind every byte of every transcript: minutes.
    #[own]
    #[slow]
    fn r4_13_a_transcript_may_end_behind_any_byte(c: &mut Checks) {
        for path in transcripts() {
            torn_rows_tell_nothing(c, &path, |from, to| (from + 1..to).collect());
        }
    }

    /// The hook itself, at a row's border and one byte before and behind it, with an auditor that gives the prompt back,
    /// verdicts and all.
    fn r6_11_a_transcript_cut_at_a_border_lets_the_turn_through(c: &mut Checks) {
        let picked = |borders: &[usize], path: &Path| {
            // A border in each ninth file, the same in every run.
            let sum: usize =
                path.file_name().unwrap().as_encoded_bytes().iter().copied().map(usize::from).sum();
            if sum.is_multiple_of(9) { vec![borders[sum % borders.len()]] } else { Vec::new() }
        };
        hook_at_borders(c, picked);
    }

    /// The same at every border: minutes.
    #[slow]
    fn r6_11_a_transcript_cut_at_any_border_lets_the_turn_through(c: &mut Checks) {
        hook_at_borders(c, |borders, _| borders.to_vec());
    }
}

fn hook_at_borders(c: &mut Checks, pick: impl Fn(&[usize], &Path) -> Vec<usize>) {
    let (mut n_runs, mut wrong) = (0, Vec::new());
    for path in transcripts() {
        let bytes = fs::read(&path).unwrap();
        for border in pick(&borders(&bytes), &path) {
            for length in [border.saturating_sub(1), border, (border + 1).min(bytes.len())] {
                let sandbox = Sandbox::new();
                sandbox.transcript_bytes(&bytes[..length]);
                let run = sandbox.stop().auditor("cat").run();
                n_runs += 1;
                // No verdict of the auditor's own: nothing may block.
                if !(run.silent() || run.not_audited()) || !run.stderr.is_empty() {
                    wrong.push(format!("{} at {length}: {}", path.display(), run.seen()));
                }
            }
        }
    }
    c.that(
        "6.11",
        format!("{n_runs} cut transcripts"),
        wrong.is_empty(),
        "silence, or not audited",
        wrong.join("\n"),
    );
}
