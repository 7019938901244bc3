//! A transcript that changes, or is far too long, while our hook reads it (6.10, 6.11, 6.15): it acts as the hook enters
//! its first read, so the change falls between opening and reading.
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use crate::kit::auditors::{Recording, recorder, says};
use crate::kit::check::checks;
use crate::kit::journal;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;
use crate::kit::traced::{self, Call};

/// A hole of this size costs nothing on the disk and some seconds to look through.
const SPARSE: u64 = 4 * 1024 * 1024 * 1024;

/// What the hook has to read a file and to tell, on a loaded machine.
const READS: Duration = Duration::from_secs(40);

/// 6.15, and what a loaded machine adds.
const ENDS: Duration = Duration::from_secs(4);

checks! {
    /// 6.11: what the client writes meanwhile, or another program does with the file.
    #[own]
    fn r6_11_a_transcript_may_change_while_it_is_read(c: &mut Checks) {
        type Change = fn(&Sandbox);
        let changes: [(&str, Change, &str); 5] = [
            ("grows", grow, "CURRENT-PROMPT"),
            ("is cut in half", shorten, "EARLIER-PROMPT"),
            ("is replaced", replace, "CURRENT-PROMPT"),
            ("is deleted", delete, "CURRENT-PROMPT"),
            ("stays", |_| {}, "CURRENT-PROMPT"),
        ];
        for (name, change, wanted) in changes {
            let sandbox = Sandbox::with_two_turns();
            let dir = sandbox.path("recording");
            let stop = sandbox.stop().auditor(&recorder(&dir, "VERDICT: FAIL - x"));
            let traced = traced::run(&stop, Call::reads_a_file, |_| change(&sandbox));
            let recording = Recording::of(&dir);
            c.that("6.11", format!("{name}: it was being read"), traced.acted, "a read", "none");
            c.equal("6.11", format!("{name}: exit code"), traced.code, Some(0));
            c.contains("6.11", format!("{name}: what was there is audited"), &recording.prompt(), wanted);
            c.contains("6.7", format!("{name}: and blocked"), &traced.stdout, "\"decision\":\"block\"");
        }
    }

    /// 4.5, 4.12: the client writes late, and what Claude did before a reply that is not there yet may be missing too.
    #[own]
    fn r4_12_what_is_written_a_moment_late_is_audited(c: &mut Checks) {
        const REPLY: &str = "跑完了 LATE-REPLY";
        let mut rows = Rows::new();
        rows.person("跑一下 CURRENT-PROMPT");
        let n_on_time = rows.rows().len();
        rows.call("toolu_1", "Bash", json!({"command": "echo LATE-COMMAND"}));
        rows.result("toolu_1", "LATE-OUTPUT").says(REPLY);
        let (on_time, late) = rows.rows().split_at(n_on_time);
        let sandbox = Sandbox::new();
        let path = sandbox.transcript(on_time);
        let dir = sandbox.path("recording");
        let stop = sandbox.stop().set("last_assistant_message", REPLY);
        let traced = traced::run(&stop.auditor(&recorder(&dir, "VERDICT: PASS")), Call::reads_a_file, |_| {
            let mut file = OpenOptions::new().append(true).open(&path).expect("it is opened");
            for row in late {
                writeln!(file, "{row}").expect("it grows");
            }
        });
        let prompt = Recording::of(&dir).prompt();
        c.that("4.12", "it was being read", traced.acted, "a read", "none");
        for part in ["LATE-COMMAND", "LATE-OUTPUT", REPLY] {
            c.contains("4.12", part, &prompt, part);
        }
    }

    /// 6.10: one that is emptied holds no turn.
    #[own]
    fn r6_10_a_transcript_that_is_emptied_while_it_is_read_is_silence(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let stop = sandbox.stop().auditor(&says("VERDICT: FAIL - x"));
        let traced = traced::run(&stop, Call::reads_a_file, |_| drop(sandbox.transcript_bytes(b"")));
        c.that("6.10", "it was being read", traced.acted, "a read", "none");
        c.equal("6.10", "exit code and output", (traced.code, traced.stdout.as_str()), (Some(0), ""));
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.equal("6.10", "verdicts in the log", words, vec!["ERROR".to_owned()]);
    }

    /// 6.9: 4 GB of nothing before, between and instead of the rows. The system makes each of these bytes: 10 s.
    #[own]
    #[slow]
    fn r6_9_a_sparse_transcript_of_4_gb_is_read_or_told_of_in_time(c: &mut Checks) {
        let rows: Vec<u8> =
            Rows::two_turns().rows().iter().flat_map(|row| format!("{row}\n").into_bytes()).collect();
        let (earlier, current) = rows.split_at(
            memchr::memmem::find(&rows, b"CURRENT-PROMPT")
                .map_or(0, |at| rows[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)),
        );
        for (name, before, behind, has_turn) in [
            ("rows behind a hole", &b""[..], &rows[..], true),
            ("a hole between two turns", earlier, current, true),
            ("nothing but a hole", b"", b"", false),
        ] {
            let sandbox = Sandbox::new();
            let path = sandbox.transcript_bytes(before);
            let mut file = OpenOptions::new().append(true).open(&path).expect("it is opened");
            file.set_len(SPARSE)
                .and_then(|()| file.write_all(b"\n"))
                .and_then(|()| file.write_all(behind))
                .expect("a file with a hole");
            let (recording, run) = sandbox.stop().within(READS).record("VERDICT: FAIL - x");
            let is_read = recording.prompt().contains("CURRENT-PROMPT") && run.blocked();
            let ok =
                run.code == Some(0) && if has_turn { is_read || run.not_audited() } else { !run.blocked() };
            c.that(
                "6.9",
                format!("{name}: audited or told"),
                ok,
                "in 40 s",
                format!("{:?}: {}", run.elapsed, run.seen()),
            );
            fs::remove_file(path).expect("it goes");
        }
    }

    /// 6.15: Esc while the hook looks through a long file.
    #[own]
    fn r6_15_sigterm_ends_a_hook_that_reads_a_long_file(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let path = sandbox.transcript_bytes(b"");
        OpenOptions::new().append(true).open(&path).and_then(|file| file.set_len(SPARSE)).expect("a hole");
        let stop = sandbox.stop().auditor(&says("VERDICT: FAIL - x"));
        let is_under_way = |call: &Call| call.reads_a_file() && call.n_before > 60;
        let start = std::cell::Cell::new(Instant::now());
        let traced = traced::run(&stop, is_under_way, |call| {
            start.set(Instant::now());
            call.signal(Signal::SIGTERM);
        });
        let took = start.get().elapsed();
        c.that("6.15", "it was reading", traced.acted, "a read", "none");
        c.that("6.15", "it ends within 2 s", took < ENDS, "2 s", format!("{took:?}"));
        c.equal("6.15", "exit code and output", (traced.code, traced.stdout.as_str()), (Some(0), ""));
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.equal("6.15", "verdicts in the log", words, vec!["ERROR".to_owned()]);
    }
}

fn grow(sandbox: &Sandbox) {
    let mut rows = Rows::new();
    rows.person("已经是下一轮了 NEXT-PROMPT").says("好");
    let mut file =
        OpenOptions::new().append(true).open(sandbox.path("transcript.jsonl")).expect("it is opened");
    for row in rows.rows() {
        writeln!(file, "{row}").expect("it grows");
    }
}

/// Leaves the first turn.
fn shorten(sandbox: &Sandbox) {
    let path = sandbox.path("transcript.jsonl");
    let bytes = fs::read(&path).expect("it is there");
    let end = memchr::memmem::find(&bytes, b"EARLIER-REPLY").expect("the first turn's end");
    let end = end + memchr::memchr(b'\n', &bytes[end..]).expect("a row's end") + 1;
    let file = OpenOptions::new().write(true).open(path).expect("it is opened");
    file.set_len(end as u64).expect("it gets shorter");
}

fn replace(sandbox: &Sandbox) {
    let mut rows = Rows::new();
    rows.person("CURRENT-PROMPT 换成了别的文件").says("好");
    let lines: Vec<String> = rows.rows().iter().map(|row| format!("{row}\n")).collect();
    let new = sandbox.path("new.jsonl");
    fs::write(&new, lines.concat())
        .and_then(|()| fs::rename(new, sandbox.path("transcript.jsonl")))
        .expect("replaced");
}

fn delete(sandbox: &Sandbox) {
    fs::remove_file(sandbox.path("transcript.jsonl")).expect("it goes");
}
