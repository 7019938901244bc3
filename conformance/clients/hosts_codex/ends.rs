//! What a script sees that runs `codex exec`: its exit code, what it prints, and of each hook one word on stderr.
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use serde_json::json;
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::codex::rows::{Row, rows};
use stop_auditor::hosts::contract::{End, GoesOn, Handler, Printed, Status};

use super::super::kit::check::{Checks, checks};
use super::super::kit::processes::eventually;
use super::exec::{Exec, exec, start};
use super::home::Home;
use super::lab::FREE;
use super::script::{AGENTS, ASK, PLAIN, TOOL, WAIT};

fn register(home: &Home, row: &Row) {
    let mut handler = home.handler(row.event, 0);
    match row.run.end {
        End::TimedOut => handler["timeout"] = 1.into(),
        End::NotStarted => handler["command"] = "/no/such/program".into(),
        End::Exit(_) | End::Signal => {}
    }
    home.register(&json!({row.event.name(): [{"hooks": [handler]}]}));
    home.plan(row.event, std::slice::from_ref(&row.run));
}

/// The host's end of a row, and the word for the hook.
fn ends_as(c: &mut Checks, row: &Row, run: &Exec) {
    let name = format!("{}: {}", row.event.name(), row.form);
    let end = &row.effect.host_end;
    c.equal("H.4", format!("{name}: exit code of exec"), run.code, Some(end.exit_code));
    let replied = end.printed == Printed::Reply;
    c.equal("H.4", format!("{name}: exec prints the reply"), run.replied(), replied);
    let words = run.statuses(row.event.name());
    let wanted = word(&row.effect.status);
    // Nobody tells of a sub-agent's hooks, nor of any where everything is being shut down.
    if !matches!(row.event, Event::SessionEnd | Event::SubagentStop) {
        let first = words.first().map(String::as_str);
        c.that(
            "H.4",
            format!("{name}: exec's word"),
            first == Some(wanted),
            wanted,
            format!("{words:?} {}", run.stderr),
        );
    }
}

fn word(status: &Status) -> &'static str {
    match status {
        Status::Completed | Status::Allowed => "Completed",
        Status::Blocked { .. } => "Blocked",
        Status::Stopped { .. } => "Stopped",
        Status::Failed { .. } => "Failed",
        Status::Ignored { .. } => "",
    }
}

/// A line of the table about Stop.
fn line(row: &Row, run: &Exec) -> String {
    let status = run.statuses("Stop").into_iter().next().unwrap_or_default();
    let went_on = if run.requests.len() > 1 { "yes" } else { "no" };
    let sent = if run.requests.len() > 1 { run.last_message() } else { "-".to_owned() };
    let code = run.code.map_or("-".to_owned(), |code| code.to_string());
    // The middle is the same in each, and long.
    let sent = match (sent.split_once(" hook_run_id="), sent.split_once('>')) {
        (Some((tag, _)), Some((_, rest))) => format!("{tag} …>{}", rest.replace('\n', "\\n")),
        _ => sent,
    };
    format!("{:<52}  {status:<9}  {went_on:<7}  {code:>4}  {sent}", row.form)
}

checks! {
    /// The table about Stop, with the host's own words.
    #[own]
    fn h4_stop_table(c: &mut Checks) {
        let home = Home::new(FREE);
        let mut table = String::new();
        let _ = writeln!(
            table,
            "\n{:<52}  {:<9}  {:<7}  {:>4}  sent to the model",
            "Codex, Stop", "status", "goes on", "exit"
        );
        let is_shown = |row: &&Row| row.event == Event::Stop && row.handler == Handler::Command;
        let rows = rows();
        let rows: Vec<&Row> = rows.iter().filter(is_shown).collect();
        for row in &rows {
            register(&home, row);
            let run = exec(&home, &[], PLAIN);
            ends_as(c, row, &run);
            let goes_on = row.effect.goes_on == GoesOn::TurnContinues;
            c.equal(
                "H.4",
                format!("Stop: {}: the turn goes on under exec", row.form),
                run.requests.len() > 1,
                goes_on,
            );
            if let Some(sent) = row.effect.to_model.first() {
                let text = sent.text.split_once('>').map_or("", |(_, rest)| rest);
                c.contains(
                    "H.4",
                    format!("Stop: {}: what the model is sent", row.form),
                    &run.last_message(),
                    text,
                );
            }
            let _ = writeln!(table, "{}", line(row, &run));
        }
        // Not `print!`, which libtest swallows.
        let written = std::io::stdout().write_all(table.as_bytes());
        c.that(
            "H.4",
            "the table is printed",
            written.is_ok() && rows.len() > 20,
            "more than 20 rows",
            rows.len().to_string(),
        );
        home.nothing_is_left(c);
    }

    /// One row for each way in which another event's hook changes a run of `codex exec`.
    #[own]
    fn h4_exec_ends_as_the_rows_say(c: &mut Checks) {
        let home = Home::new(FREE);
        let compacting: &[&str] = &["-c", "model_auto_compact_token_limit=1"];
        for (event, form, arguments, prompt) in [
            (Event::UserPromptSubmit, "block", &[][..], PLAIN),
            (Event::UserPromptSubmit, "continue:false", &[], PLAIN),
            (Event::UserPromptSubmit, "broken JSON", &[], PLAIN),
            (Event::SessionStart, "continue:false", &[], PLAIN),
            (Event::PreToolUse, "deny", &[], TOOL),
            (Event::PostToolUse, "block", &[], TOOL),
            (Event::PostToolUse, "continue:false", &[], TOOL),
            (Event::PreCompact, "continue:false", compacting, TOOL),
            (Event::PostCompact, "continue:false", compacting, TOOL),
            (Event::PreModelRequest, "exit 2 with words on stderr", &[], PLAIN),
            (Event::SubagentStop, "block with a reason", &[], AGENTS),
            (Event::SessionEnd, "exit 2 with words on stderr", &[], PLAIN),
        ] {
            let rows = rows();
            let row =
                rows.iter().find(|row| row.event == event && row.form == form).expect("the row is there");
            register(&home, row);
            let run = exec(&home, arguments, prompt);
            ends_as(c, row, &run);
        }
        home.nothing_is_left(c);
    }

    /// Ctrl-C: the exit code is 1, whatever the hook prints.
    #[own]
    fn h4_exec_is_interrupted(c: &mut Checks) {
        let home = Home::new(FREE);
        let rows = rows();
        let row = rows.iter().find(|row| row.event == Event::Interrupt && row.form == "systemMessage");
        let row = row.expect("the row is there");
        register(&home, row);
        let running = start(&home, home.command(), &["--dangerously-bypass-hook-trust"], WAIT);
        let started = home.sandbox.path("project/started");
        let waited = eventually(Duration::from_secs(20), || started.exists());
        c.that("H.4", "the command runs", waited, "it starts", "it does not");
        running.interrupt();
        let run = running.finish();
        ends_as(c, row, &run);
        home.nothing_is_left(c);
    }

    /// With a reviewer in the person's place `codex exec` asks for leave too, and the hook is first.
    #[own]
    fn h4_exec_asks_for_leave(c: &mut Checks) {
        let home = Home::new(&[]);
        for form in ["allow", "deny"] {
            let rows = rows();
            let row = rows.iter().find(|row| row.event == Event::PermissionRequest && row.form == form);
            let row = row.expect("the row is there");
            register(&home, row);
            let run = exec(&home, &["--approve-for-me"], ASK);
            ends_as(c, row, &run);
            c.equal("H.4", format!("{form}: requests, none for a review"), run.requests.len(), 2);
        }
        home.nothing_is_left(c);
    }
}
