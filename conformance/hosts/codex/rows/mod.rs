//! The contract as a table: an event, what a hook did there, and what Codex made of it. The function `effect` must
//! agree with every row, and so must the real client.

mod agents;
mod configurations;
mod leave;
mod lifecycle;
mod post_tool;
mod pre_tool;
mod prompts;
mod several;
mod stop;

use super::Event;
use super::effect::{Made, whole};
use crate::hosts::contract::{Channel, Effect, End, GoesOn, Handler, Run, Status};

pub use configurations::{ConfigRow, configurations};
pub use several::{Several, several};

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A rule of the study, by its id.
    Study(&'static str),
    /// The facts about the client, by section.
    Facts(&'static str),
    /// The client itself, for this table.
    Client,
}

/// One output of a hook and its effect. The suite `clients` brings the real client to every one of them.
#[derive(Debug, Clone)]
pub struct Row {
    /// Where it ran.
    pub event: Event,
    /// What kind of handler it was.
    pub handler: Handler,
    /// The output's form, in a few words; with the event it names the row.
    pub form: &'static str,
    /// What it did.
    pub run: Run,
    /// What came of it.
    pub effect: Effect,
    /// Who says so.
    pub source: Source,
}

/// All rows about one hook's output.
pub fn rows() -> Vec<Row> {
    [
        stop::rows(),
        pre_tool::rows(),
        post_tool::rows(),
        prompts::rows(),
        leave::rows(),
        agents::rows(),
        lifecycle::rows(),
    ]
    .concat()
}

/// The rows of one event: what its hooks can print.
struct Rows {
    event: Event,
    rows: Vec<Row>,
}

impl Rows {
    fn of(event: Event) -> Self {
        Self { event, rows: Vec::new() }
    }

    fn add(&mut self, source: Source, form: &'static str, run: Run, made: Made) {
        self.by(Handler::Command, source, form, run, made);
    }

    fn by(&mut self, handler: Handler, source: Source, form: &'static str, run: Run, made: Made) {
        let (event, effect) = (self.event, whole(self.event, made));
        self.rows.push(Row { event, handler, form, run, effect, source });
    }

    /// A row that fails with these words and changes nothing.
    fn fails(&mut self, source: Source, form: &'static str, run: Run, why: &str) {
        self.add(source, form, run, failed(why));
    }
}

/// It printed this and ended well.
fn says(stdout: &str) -> Run {
    Run::exited(0, stdout, "")
}

/// It ended with this code and these words on stderr.
fn exits(code: i32, stderr: &str) -> Run {
    Run::exited(code, "", stderr)
}

fn ended(end: End) -> Run {
    Run { stdout: String::new(), stderr: String::new(), end }
}

fn completed() -> Made {
    Made::new(Status::Completed)
}

fn failed(why: &str) -> Made {
    let made = Made::new(Status::Failed { why: why.to_owned() });
    if why.is_empty() { made } else { made.person(why) }
}

fn blocked(reason: &str) -> Made {
    Made::new(Status::Blocked { reason: reason.to_owned() }).person(reason)
}

/// `continue: false` with these words, if any.
fn stopped(reason: Option<&str>) -> Made {
    let made = Made::new(Status::Stopped { reason: reason.map(str::to_owned) });
    reason.into_iter().fold(made, Made::person)
}

/// A text that the model gets as the developer's.
fn context(made: Made, text: &str) -> Made {
    made.model(Channel::Developer, text).person(text)
}

/// What Stop and SubagentStop do with a reason.
fn continued(reason: &str) -> Made {
    let text = format!("<hook_prompt hook_run_id=\"<id>\">{reason}</hook_prompt>");
    blocked(reason).goes_on(GoesOn::TurnContinues).model(Channel::User, &text)
}

/// An object with this in its `hookSpecificOutput`.
fn specific(event: Event, fields: &str) -> Run {
    says(&format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{}",{fields}}}}}"#, event.name()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Event, conduct, configuration, effect, rules, together};
    use super::*;

    #[test]
    fn the_function_agrees_with_every_row() {
        for row in rows() {
            let got = effect(row.event, row.handler, &row.run);
            assert_eq!(got, row.effect, "{} {:?}: {}", row.event.name(), row.handler, row.form);
        }
        for row in several() {
            let each: Vec<Effect> =
                row.runs.iter().map(|run| effect(row.event, Handler::Command, run)).collect();
            assert_eq!(together(row.event, &each), row.effect, "{}: {}", row.event.name(), row.form);
        }
        for row in configurations() {
            assert_eq!(configuration::read(&row.text), row.listing, "{}: {}", row.form, row.text);
        }
    }

    /// A row that goes is missed here; one that comes is counted.
    #[test]
    fn no_row_goes_unseen() {
        let of_event = |event| rows().iter().filter(|row| row.event == event).count();
        let counts = Event::ALL.map(|event| (event.name(), of_event(event)));
        assert_eq!(
            counts,
            [
                ("PreModelRequest", 9),
                ("PostModelRequest", 9),
                ("PreToolUse", 40),
                ("PermissionRequest", 30),
                ("PostToolUse", 24),
                ("PreCompact", 11),
                ("PostCompact", 11),
                ("SessionStart", 20),
                ("SessionEnd", 11),
                ("UserPromptSubmit", 28),
                ("SubagentStart", 9),
                ("SubagentStop", 10),
                ("Stop", 41),
                ("Interrupt", 10)
            ]
        );
        assert_eq!((several().len(), configurations().len()), (10, 80));
    }

    #[test]
    fn rows_have_names_of_their_own() {
        let mut seen = BTreeSet::new();
        for row in rows() {
            assert!(seen.insert((row.event, row.form)), "twice: {} {}", row.event.name(), row.form);
        }
        let mut seen = BTreeSet::new();
        for row in configurations() {
            assert!(seen.insert(row.form.clone()), "twice: {}", row.form);
        }
    }

    #[test]
    fn every_rule_of_the_study_is_a_row_and_no_row_cites_another() {
        let of_rows = rows().into_iter().map(|row| row.source);
        let of_configurations = configurations().into_iter().map(|row| row.source);
        let of_several = several().into_iter().map(|row| row.source);
        let of_conduct = conduct::CONDUCT.iter().map(|row| row.source);
        let sources = of_rows.chain(of_configurations).chain(of_several).chain(of_conduct);
        let cited: BTreeSet<&str> = sources
            .filter_map(|source| match source {
                Source::Study(id) => Some(id),
                Source::Facts(_) | Source::Client => None,
            })
            .collect();
        let known: BTreeSet<&str> = rules::RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(known.len(), rules::RULES.len(), "an id twice");
        assert_eq!(cited, known);
    }

    /// Each event can do what `may` says, and nothing else: a row shows it.
    #[test]
    fn the_rows_show_what_each_event_may_do() {
        for event in Event::ALL {
            let mut shown: Vec<GoesOn> = Vec::new();
            for row in rows().into_iter().filter(|row| row.event == event) {
                if row.effect.goes_on != GoesOn::AsBefore && !shown.contains(&row.effect.goes_on) {
                    shown.push(row.effect.goes_on);
                }
            }
            let may = event.may();
            let same = shown.len() == may.len() && shown.iter().all(|goes_on| may.contains(goes_on));
            assert!(same, "{}: {shown:?}, not {may:?}", event.name());
        }
    }
}
