//! The contract as a table: one output form a row, and everything that the client made of it, written out. What is not
//! named did not happen. `<command>`, `<path>` and `<lead>` stand for what differs from run to run.

mod long;
mod prompt;
mod prompt_exits;
mod stop;
mod stop_exits;

use super::{CLIENT, Event, Situation};
use crate::hosts::contract::{
    Channel, Effect, End, GoesOn, Handler, HostEnd, Kept, Printed, Proof, Run, Status, ToModel,
};

/// One measured run.
#[derive(Debug, Clone)]
pub struct Row {
    /// What the hook did, in a few words; no two rows of an event have the same.
    pub name: &'static str,
    /// The event that the hook was registered for.
    pub event: Event,
    /// The kind of its handler.
    pub handler: Handler,
    /// Its run.
    pub run: Run,
    /// How often in a row the turn had been kept from ending before.
    pub blocks_in_a_row: usize,
    /// What came of it.
    pub effect: Effect,
    /// The version of the client that it was measured on.
    pub client: &'static str,
    /// Where the form comes from: the study, the facts (part and number), or `measured` alone.
    pub source: &'static str,
    /// What the source says otherwise, where it does; the client's behaviour stands in the row.
    pub differs: Option<&'static str>,
    /// Whether the real client is run for it.
    pub proof: Proof,
}

/// What stands for the hook's command in every row.
pub const COMMAND: &str = "<command>";

/// The message in every row.
pub const PROMPT: &str = "WORDS-OF-THE-PERSON in one line";

impl Row {
    /// What the client knew beside the run.
    pub fn situation(&self) -> Situation {
        Situation {
            command: COMMAND.to_owned(),
            prompt: PROMPT.to_owned(),
            blocks_in_a_row: self.blocks_in_a_row,
        }
    }

    fn differs(self, from: &'static str) -> Self {
        Self { differs: Some(from), ..self }
    }

    fn in_background(self) -> Self {
        Self { handler: Handler::AsyncCommand, ..self }
    }

    fn after(self, blocks_in_a_row: usize) -> Self {
        Self { blocks_in_a_row, ..self }
    }

    fn not_run(self, why: &'static str) -> Self {
        Self { proof: Proof::NotRun { why }, ..self }
    }
}

/// The whole table.
pub fn rows() -> Vec<Row> {
    [prompt::rows(), prompt_exits::rows(), stop::rows(), stop_exits::rows(), long::rows()].concat()
}

fn row(event: Event, name: &'static str, source: &'static str, run: Run, effect: Effect) -> Row {
    Row {
        name,
        event,
        handler: Handler::Command,
        run,
        blocks_in_a_row: 0,
        effect,
        client: CLIENT,
        source,
        differs: None,
        proof: Proof::Run,
    }
}

fn prints(stdout: &str) -> Run {
    Run::exited(0, stdout, "")
}

fn ended(end: End, stdout: &str, stderr: &str) -> Run {
    Run { end, ..Run::exited(0, stdout, stderr) }
}

/// Nothing came of it.
fn nothing() -> Effect {
    Effect {
        status: Status::Completed,
        goes_on: GoesOn::AsBefore,
        to_model: Vec::new(),
        to_person: Vec::new(),
        kept: Vec::new(),
        dropped_prompt_kept: None,
        host_end: HostEnd { exit_code: 0, subtype: Some("success"), printed: Printed::Reply },
    }
}

fn failed(why: &str) -> Status {
    Status::Failed { why: why.to_owned() }
}

fn blocked(reason: &str) -> Status {
    Status::Blocked { reason: reason.to_owned() }
}

fn stopped(reason: Option<&str>) -> Status {
    Status::Stopped { reason: reason.map(str::to_owned) }
}

fn user(text: impl Into<String>) -> ToModel {
    ToModel { channel: Channel::User, text: text.into() }
}

fn system(text: impl Into<String>) -> ToModel {
    ToModel { channel: Channel::Developer, text: text.into() }
}

fn kept(kind: &'static str) -> Kept {
    Kept { kind, rendered: None }
}

fn rendered(kind: &'static str, text: impl Into<String>) -> Kept {
    Kept { kind, rendered: Some(text.into()) }
}

fn printed(printed: Printed) -> HostEnd {
    HostEnd { exit_code: 0, subtype: Some("success"), printed }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::effect;
    use super::*;

    #[test]
    fn the_function_agrees_with_every_row() {
        let rows = rows();
        assert!(!rows.is_empty(), "no rows");
        for row in rows {
            let computed = effect(row.event, row.handler, &row.run, &row.situation());
            assert_eq!(computed, row.effect, "{:?}: {}", row.event, row.name);
        }
    }

    /// A row that goes is missed here; one that comes is counted.
    #[test]
    fn no_row_goes_unseen() {
        let rows = rows();
        let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
        assert_eq!(count(&|row| row.event == Event::UserPromptSubmit), 78);
        assert_eq!(count(&|row| row.event == Event::Stop), 54);
        assert_eq!(count(&|row| row.proof != Proof::Run), 2, "take too long");
        assert_eq!(count(&|row| row.differs.is_some()), 5, "the client does otherwise than the source says");
    }

    #[test]
    fn rows_are_unique_and_have_a_source() {
        let rows = rows();
        let names: BTreeSet<_> = rows.iter().map(|row| (row.event.name(), row.name)).collect();
        assert_eq!(names.len(), rows.len(), "two rows of an event have one name");
        let runs: BTreeSet<String> = rows
            .iter()
            .filter(|row| row.proof == Proof::Run)
            .map(|row| format!("{:?} {:?} {:?} {}", row.event, row.handler, row.run, row.blocks_in_a_row))
            .collect();
        let n_run = rows.iter().filter(|row| row.proof == Proof::Run).count();
        assert_eq!(runs.len(), n_run, "two rows are the same run");
        for row in rows {
            let is_source = ["study", "facts", "measured"].iter().any(|start| row.source.starts_with(start));
            assert!(is_source, "{}: source {:?}", row.name, row.source);
            assert_eq!(row.client, CLIENT, "{}", row.name);
        }
    }
}
