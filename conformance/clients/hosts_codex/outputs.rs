//! What a hook prints, and what becomes of it: a case an event, each with all rows of its table.
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::codex::rows::{rows, several};
use stop_auditor::hosts::contract::Handler;

use super::super::kit::check::{Checks, checks};
use super::home::Home;
use super::lab::{ASKING, FREE, Lab};

/// Runs the rows of one event.
fn show(c: &mut Checks, event: Event) {
    let settings = if event == Event::PermissionRequest { ASKING } else { FREE };
    let rows: Vec<_> = rows().into_iter().filter(|row| row.event == event).collect();
    let mut home = Home::new(settings);
    if rows.iter().any(|row| row.handler == Handler::McpTool) {
        home = home.with_mcp_server();
    }
    let lab = Lab::new(home);
    for row in &rows {
        let got = lab.effect(event, row.handler, std::slice::from_ref(&row.run), &row.effect);
        c.equal("H.4", format!("{}: {}", event.name(), row.form), &got, &row.effect);
    }
    for row in several().iter().filter(|row| row.event == event) {
        let got = lab.effect(event, Handler::Command, &row.runs, &row.effect);
        c.equal("H.4", format!("{}: {}", event.name(), row.form), &got, &row.effect);
    }
    lab.close(c);
}

checks! {
    #[own]
    fn h4_outputs_of_stop(c: &mut Checks) {
        show(c, Event::Stop);
    }

    #[own]
    fn h4_outputs_of_pre_tool_use(c: &mut Checks) {
        show(c, Event::PreToolUse);
    }

    #[own]
    fn h4_outputs_of_post_tool_use(c: &mut Checks) {
        show(c, Event::PostToolUse);
    }

    #[own]
    fn h4_outputs_of_user_prompt_submit(c: &mut Checks) {
        show(c, Event::UserPromptSubmit);
    }

    #[own]
    fn h4_outputs_of_session_start(c: &mut Checks) {
        show(c, Event::SessionStart);
    }

    #[own]
    fn h4_outputs_of_permission_request(c: &mut Checks) {
        show(c, Event::PermissionRequest);
    }

    #[own]
    fn h4_outputs_of_subagent_start(c: &mut Checks) {
        show(c, Event::SubagentStart);
    }

    #[own]
    fn h4_outputs_of_subagent_stop(c: &mut Checks) {
        show(c, Event::SubagentStop);
    }

    #[own]
    fn h4_outputs_round_a_compaction(c: &mut Checks) {
        show(c, Event::PreCompact);
        show(c, Event::PostCompact);
    }

    #[own]
    fn h4_outputs_round_a_request(c: &mut Checks) {
        show(c, Event::PreModelRequest);
        show(c, Event::PostModelRequest);
    }

    #[own]
    fn h4_outputs_of_session_end(c: &mut Checks) {
        show(c, Event::SessionEnd);
    }

    #[own]
    fn h4_outputs_of_interrupt(c: &mut Checks) {
        show(c, Event::Interrupt);
    }

    /// A row of an event that no case above names would not be run.
    #[own]
    fn h4_every_event_has_its_case(c: &mut Checks) {
        for event in Event::ALL {
            let n_rows = rows().iter().filter(|row| row.event == event).count();
            c.that("H.4", format!("rows of {}", event.name()), n_rows > 0, "some", n_rows.to_string());
        }
    }
}
