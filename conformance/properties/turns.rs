//! Random sequences of what a client sends to two sessions: Stops with either flag, prompts, wake-ups, two hooks at once,
//! hooks killed on their way. Never more than two audits of a turn (1.3, 6.5), never a lost or doubled note (7.4).
use std::fs;
use std::ops::Range;

use nix::sys::signal::Signal;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use serde_json::json;

use crate::kit::check::checks;
use crate::kit::event::Event;
use crate::kit::generated;
use crate::kit::hook::quoted;
use crate::kit::run::Run;
use crate::kit::sandbox::Sandbox;
use crate::kit::traced;

/// Notes that are kept (7.1).
const KEPT: usize = 5;

/// One thing that happens in one of two sessions.
#[derive(Debug, Clone)]
enum Step {
    /// Claude stops: the flag, what the auditor says, and the place at which the hook is killed.
    Stop { session: usize, flag: bool, says: &'static str, killed: Option<usize> },
    /// The same Stop is handled by two hooks at once, as where a hook is registered twice.
    Twice { session: usize, flag: bool, says: &'static str },
    /// Both sessions stop at once.
    Both { says: &'static str },
    /// The person's next message.
    Person { session: usize, killed: Option<usize> },
    /// A notification wakes Claude.
    WakeUp { session: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let says = || prop::sample::select(vec!["PASS", "FAIL", "NOTE", "NOTE", "NOTE", "nothing"]);
    // A hand-over does nothing that counts before its fifth place or so.
    let killed = |probability: f64, places: Range<usize>| prop::option::weighted(probability, places);
    let step = prop_oneof![
        6 => (0..2_usize, any::<bool>(), says(), killed(0.3, 0..60))
            .prop_map(|(session, flag, says, killed)| Step::Stop { session, flag, says, killed }),
        1 => (0..2_usize, any::<bool>(), says()).prop_map(|(session, flag, says)| Step::Twice { session, flag, says }),
        1 => says().prop_map(|says| Step::Both { says }),
        4 => (0..2_usize, killed(0.7, 4..12)).prop_map(|(session, killed)| Step::Person { session, killed }),
        1 => (0..2_usize).prop_map(|session| Step::WakeUp { session }),
    ];
    prop::collection::vec(step, 1..14)
}

/// What a session must be, as far as anybody outside the hook can know.
#[derive(Default)]
struct Expected {
    turn: usize,
    blocks: usize,
    /// Notes that the person was shown and that wait.
    sure: Vec<String>,
    /// Notes of hooks that were killed: they wait or they do not.
    maybe: Vec<String>,
}

struct World {
    sandbox: Sandbox,
    sessions: [Expected; 2],
    n_notes: usize,
}

impl World {
    fn new() -> Self {
        Self { sandbox: Sandbox::with_two_turns(), sessions: <[Expected; 2]>::default(), n_notes: 0 }
    }

    fn id(&self, session: usize) -> String {
        format!("{}-{session}", self.sandbox.session_id())
    }

    /// A Stop whose auditor leaves a line for its turn each time it is asked.
    fn stop(&mut self, session: usize, flag: bool, says: &str) -> (Event, String) {
        let turn = self.sessions[session].turn;
        self.n_notes += 1;
        let note = format!("提醒{:04}。", self.n_notes);
        let calls = self.sandbox.path(&format!("calls/{session}-{turn}"));
        fs::create_dir_all(self.sandbox.path("calls")).unwrap();
        let answer =
            if says == "nothing" { "想不出来".to_owned() } else { format!("VERDICT: {says} - {note}") };
        let command = format!(
            "echo call >>{}; cat >/dev/null; echo {}",
            quoted(&calls.to_string_lossy()),
            quoted(&answer)
        );
        let event = self.sandbox.stop().set("session_id", self.id(session)).set("stop_hook_active", flag);
        (event.set("prompt_id", format!("turn-{session}-{turn}")).auditor(&command), note)
    }

    /// What a hook printed; a killed one may have stored what it did not show.
    fn seen(
        &mut self,
        session: usize,
        note: String,
        says: &str,
        stdout: &str,
        is_killed: bool,
    ) -> TestCaseResult {
        let value: serde_json::Value = match stdout.trim() {
            "" => json!({}),
            text => serde_json::from_str(text).map_err(|error| fault(format!("{stdout:?}: {error}")))?,
        };
        let expected = &mut self.sessions[session];
        if value["decision"] == "block" {
            prop_assert!(says == "FAIL", "a block that nobody asked for");
            expected.blocks += 1;
        }
        let is_shown = value["systemMessage"].as_str().is_some_and(|text| text.contains(&note));
        if says == "NOTE" {
            if is_shown {
                expected.sure.push(note);
            } else if is_killed {
                expected.maybe.push(note);
            }
        }
        prop_assert!(expected.blocks <= 2, "blocks of one turn");
        Ok(())
    }

    /// Notes that were handed on, by a hook that ended well or by one that was killed behind its printing.
    fn handed_on(&mut self, session: usize, stdout: &str, is_killed: bool) -> TestCaseResult {
        let expected = &mut self.sessions[session];
        let all: Vec<String> = expected.sure.iter().chain(&expected.maybe).cloned().collect();
        let got: Vec<String> = all.iter().filter(|note| stdout.contains(*note)).cloned().collect();
        prop_assert_eq!(
            stdout.matches("提醒0").count(),
            got.len(),
            "each note once, and none of another time: {}",
            stdout
        );
        if is_killed {
            // The client may not have taken what it printed: then the notes come again, or they do not.
            if !stdout.is_empty() {
                expected.maybe = all;
                expected.sure.clear();
            }
            return Ok(());
        }
        if got.len() < KEPT {
            let lost: Vec<&String> = expected.sure.iter().filter(|note| !got.contains(note)).collect();
            prop_assert!(lost.is_empty(), "lost: {:?}", lost);
        }
        prop_assert!(got.len() <= KEPT);
        expected.sure.clear();
        expected.maybe.clear();
        Ok(())
    }

    fn take(&mut self, step: &Step) -> TestCaseResult {
        match step {
            Step::Stop { session, flag, says, killed: None } => {
                let (asked, note) = self.stop(*session, *flag, says);
                let run = ended_well(asked.run())?;
                self.seen(*session, note, says, &run.stdout, false)
            }
            Step::Stop { session, flag, says, killed: Some(place) } => {
                let (asked, note) = self.stop(*session, *flag, says);
                let traced =
                    traced::run(&asked, |call| call.n_before == *place, |call| call.signal(Signal::SIGKILL));
                self.seen(*session, note, says, &traced.stdout, traced.acted)
            }
            Step::Twice { session, flag, says } => {
                let stops = [self.stop(*session, *flag, says), self.stop(*session, *flag, says)];
                let running = stops.map(|(stop, note)| (stop.start(), note));
                for (hook, note) in running {
                    let run = ended_well(hook.finish())?;
                    self.seen(*session, note, says, &run.stdout, false)?;
                }
                Ok(())
            }
            Step::Both { says } => {
                let stops = [self.stop(0, true, says), self.stop(1, true, says)];
                let running = stops.map(|(stop, note)| (stop.start(), note));
                for (session, (hook, note)) in running.into_iter().enumerate() {
                    let run = ended_well(hook.finish())?;
                    self.seen(session, note, says, &run.stdout, false)?;
                }
                Ok(())
            }
            Step::Person { session, killed } => {
                let prompt = self.sandbox.prompt_submit("接着做").set("session_id", self.id(*session));
                let (stdout, is_killed) = match killed {
                    None => (ended_well(prompt.run())?.stdout, false),
                    Some(place) => {
                        let traced = traced::run(
                            &prompt,
                            |call| call.n_before == *place,
                            |call| call.signal(Signal::SIGKILL),
                        );
                        (traced.stdout, traced.acted)
                    }
                };
                self.handed_on(*session, &stdout, is_killed)?;
                self.new_turn(*session)
            }
            Step::WakeUp { session } => {
                let prompt = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
                let run = self.sandbox.prompt_submit(prompt).set("session_id", self.id(*session)).run();
                prop_assert!(run.silent(), "a wake-up gets nothing: {}", run.seen());
                self.new_turn(*session)
            }
        }
    }

    /// The turn is over: how often was it audited?
    fn new_turn(&mut self, session: usize) -> TestCaseResult {
        let expected = &mut self.sessions[session];
        let file = self.sandbox.path(&format!("calls/{session}-{}", expected.turn));
        let n_audits = fs::read_to_string(file).unwrap_or_default().lines().count();
        prop_assert!(n_audits <= 2, "{} audits of one turn", n_audits);
        expected.turn += 1;
        expected.blocks = 0;
        Ok(())
    }
}

fn fault(text: String) -> TestCaseError {
    TestCaseError::fail(text)
}

fn ended_well(run: Run) -> Result<Run, TestCaseError> {
    let is_one = run.stdout.is_empty() || run.json().is_some();
    if run.code == Some(0) && is_one && run.stderr.is_empty() { Ok(run) } else { Err(fault(run.seen())) }
}

checks! {
    /// 1.3, 6.5, 7.4: whatever comes.
    #[own]
    fn r1_3_random_events_make_no_third_audit_and_lose_no_note(c: &mut Checks) {
        generated::check(c, "7.4", "sequences", (40, "conformance/seeds/turns.txt"), &steps(), |steps| {
            let mut world = World::new();
            for step in &steps {
                world.take(step)?;
            }
            for session in 0..2 {
                world.take(&Step::Person { session, killed: None })?;
                let prompt = world.sandbox.prompt_submit("再接着做").set("session_id", world.id(session));
                let run = prompt.run();
                prop_assert!(run.silent(), "a note came twice: {}", run.seen());
            }
            Ok(())
        });
    }
}
