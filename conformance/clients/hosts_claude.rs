//! The contract of Claude Code against the client itself: every row of the table is run, and all that came of it must
//! be what the row says. Rows that share their settings share a client, a turn each.
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use stop_auditor::hosts::claude_code::Event;
use stop_auditor::hosts::claude_code::rows::{self, Row};
use stop_auditor::hosts::contract::{Effect, End, Handler, Proof, Run, Status};

use super::lab::observed::Evidence;
use super::lab::session::{Session, Setup, Turn};

/// Clients at the same time: each waits more than it works.
const N_AT_ONCE: usize = 4;

/// Rows that one client gets at most.
const N_ROWS: usize = 16;

/// How many rows are not run.
const NOT_RUN: usize = 2;

/// A row with its turn.
struct Played {
    row: Row,
    turn: Turn,
}

#[test]
fn every_row_that_can_be_run_holds_on_the_client() {
    let (run, not_run): (Vec<Row>, Vec<Row>) =
        rows::rows().into_iter().partition(|row| row.proof == Proof::Run);
    let n_run = run.len();
    let mut table = counts(&run, &not_run);
    let groups = groups(run);
    let (next, faults, n_held) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..N_AT_ONCE {
            scope.spawn(|| {
                while let Some((setup, rows)) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = play(*setup, rows);
                    n_held.fetch_add(rows.len() - found.len(), Ordering::Relaxed);
                    faults.lock().expect("no thread panics with it").extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no thread panics with it");
    let n_held = n_held.into_inner();
    let _ = writeln!(table, "{n_run} run for real in {} clients: {n_held} hold", groups.len());
    for row in &not_run {
        if let Proof::NotRun { why } = row.proof {
            let _ = writeln!(table, "not run: {} {} ({why})", row.event.name(), row.name);
        }
    }
    // Not `print!`, which libtest swallows.
    std::io::stdout().write_all(table.as_bytes()).expect("stdout takes the table");
    assert!(faults.is_empty(), "{} rows differ:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(not_run.len(), NOT_RUN, "rows that are not run");
}

fn counts(run: &[Row], not_run: &[Row]) -> String {
    let mut table = String::from("\nClaude Code's hooks  rows  run for real\n");
    for event in [Event::UserPromptSubmit, Event::Stop] {
        let of_event = |rows: &[Row]| rows.iter().filter(|row| row.event == event).count();
        let (n_run, n_not_run) = (of_event(run), of_event(not_run));
        let _ = writeln!(table, "{:<19}  {:>4}  {n_run:>12}", event.name(), n_run + n_not_run);
    }
    table
}

/// What the transcript keeps rendered is not lost where the turn ended: the next request has it.
#[test]
fn what_a_stopped_turn_keeps_rendered_comes_with_the_next_request() {
    let row = rows::rows().into_iter().find(|row| row.event == Event::Stop && row.name == "continue:false");
    let row = row.expect("a row of that name");
    let mut session = Session::start(Setup::of(row.event, row.handler, row.run.end));
    let ended = session.turn("first", &row.run, 1);
    assert_eq!(ended.requests.len(), 1, "the turn ended");
    let next = session.turn("second", &Run::exited(0, "", ""), 0);
    let request = next.requests.first().map(Value::to_string).unwrap_or_default();
    assert!(request.contains("Stop hook stopped continuation: ENOUGH"), "{request}");
    assert_eq!(session.finish().0, Some(0));
}

/// The client writes this failure down once a session.
fn is_told_once(row: &Row) -> bool {
    matches!(&row.effect.status, Status::Failed { why } if why.starts_with("Failed to run"))
}

/// Rows with the same settings, in portions.
fn groups(rows: Vec<Row>) -> Vec<(Setup, Vec<Row>)> {
    let mut groups: Vec<(Setup, Vec<Row>)> = Vec::new();
    for row in rows {
        let setup = Setup::of(row.event, row.handler, row.run.end);
        let has_room =
            |rows: &[Row]| rows.len() < N_ROWS && !(is_told_once(&row) && rows.iter().any(is_told_once));
        match groups.iter_mut().find(|(other, rows)| *other == setup && has_room(rows)) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((setup, vec![row])),
        }
    }
    // The biggest first, so that none is left alone at the end.
    groups.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    groups
}

/// Plays the rows; what does not hold.
fn play(setup: Setup, rows: &[Row]) -> Vec<String> {
    let mut session = Session::start(setup);
    let command = session.command.clone();
    let mut n_turns = 0;
    let mut next_prompt = || {
        n_turns += 1;
        format!("turn {n_turns} of this client: {}", rows::PROMPT)
    };
    let silent = Run::exited(0, "", "");
    // The first request has the client's own texts about the machine.
    session.turn(&next_prompt(), &silent, 0);
    let mut played = Vec::new();
    for row in rows {
        let turn = session.turn(&next_prompt(), &row.run, row.blocks_in_a_row + 1);
        // What a turn without an answer leaves comes with the next request, which is nobody's then.
        if turn.requests.is_empty() {
            session.turn(&next_prompt(), &silent, 0);
        }
        played.push(Played { row: row.clone(), turn });
    }
    let (exit_code, transcript) = session.finish();
    let faults = played.iter().filter_map(|Played { row, turn }| {
        let evidence = Evidence {
            event: row.event,
            turn,
            rows: rows_of(&transcript, &turn.prompt),
            command: &command,
            nth_run: row.blocks_in_a_row + 1,
            exit_code,
        };
        fault(row, &evidence)
    });
    faults.collect()
}

/// From the first row that names the prompt to the one that names the next.
fn rows_of<'a>(transcript: &'a [Value], prompt: &str) -> &'a [Value] {
    let names = |row: &Value, words: &str| row.to_string().contains(words);
    let start = transcript.iter().position(|row| names(row, prompt)).expect("each prompt is written down");
    let rest = &transcript[start..];
    let is_next = |row: &Value| row["type"] == "queue-operation" && row["content"].is_string();
    let end = rest.iter().skip(1).position(is_next).map_or(rest.len(), |n| n + 1);
    &rest[..end]
}

fn fault(row: &Row, evidence: &Evidence) -> Option<String> {
    let seen = evidence.effect();
    let mut want = row.effect.clone();
    // That it was passed over cannot be seen: it is as if it had said nothing.
    if matches!(want.status, Status::Ignored { .. }) {
        want.status = Status::Completed;
    }
    let has_to_run = row.run.end != End::NotStarted && row.handler == Handler::Command;
    if has_to_run && evidence.turn.n_hook_runs <= row.blocks_in_a_row {
        return Some(format!(
            "{} {}: the hook ran {} times",
            row.event.name(),
            row.name,
            evidence.turn.n_hook_runs
        ));
    }
    (seen != want).then(|| format!("{} {}:\n{}", row.event.name(), row.name, difference(&want, &seen)))
}

/// The parts that differ, a line each for what is wanted and what was seen.
fn difference(want: &Effect, seen: &Effect) -> String {
    let parts = |effect: &Effect| {
        [
            format!("{:?}", effect.status),
            format!("{:?}", effect.goes_on),
            format!("to the model {:?}", effect.to_model),
            format!("to the person {:?}", effect.to_person),
            format!("kept {:?}", effect.kept),
            format!("dropped prompt kept {:?}", effect.dropped_prompt_kept),
            format!("{:?}", effect.host_end),
        ]
    };
    let short = |text: &str| text.chars().take(900).collect::<String>();
    let pairs = parts(want).into_iter().zip(parts(seen)).filter(|(want, seen)| want != seen);
    pairs.fold(String::new(), |mut text, (want, seen)| {
        let _ = writeln!(text, "    want: {}\n    seen: {}", short(&want), short(&seen));
        text
    })
}
