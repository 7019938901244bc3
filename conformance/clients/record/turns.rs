//! Sessions about turns: what begins one, what breaks one off, and what becomes of those before.
use serde_json::json;

use super::seat::{PASS, Seat, bash, desk, desk_of, file_of};
use super::tools::n_denials;
use crate::desk::Desk;
use crate::kit::auditors::InTurn;
use crate::kit::check::Checks;
use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;
use crate::model::anthropic::{Part, says, tool};

/// A command that waits until the scenario lets it go.
fn held() -> Vec<Part> {
    vec![bash("touch begun; cat auditor/gate.99")]
}

fn has_begun(desk: &Desk) -> bool {
    desk.sandbox.path("project/begun").exists()
}

pub(super) fn message_mid_turn(c: &mut Checks) -> Desk {
    let (desk, auditor) = desk(vec![held(), says("Both done.")]);
    let gate = auditor.gate(99);
    let mut seat = Seat::take(&desk, "run it");
    seat.see(c, "the command", has_begun);
    seat.send(c, "and that too");
    seat.written(c, "and that too");
    InTurn::open(&gate);
    seat.ended(c);
    seat.leave(c);
    desk
}

pub(super) fn message_after_rejection(c: &mut Checks) -> Desk {
    let fetch = tool("WebFetch", json!({"url": "http://127.0.0.1:9/x", "prompt": "read"}));
    let (desk, _) = desk(vec![vec![fetch], says("Then without it.")]);
    let mut seat = Seat::take(&desk, "fetch the page");
    seat.shown(c, "127.0.0.1:9");
    seat.escape(c, "a denial", |desk| n_denials(desk) == 1);
    seat.turn(c, "do it without");
    seat.leave(c);
    desk
}

pub(super) fn interrupt(c: &mut Checks) -> Desk {
    let (desk, auditor) = desk(vec![held(), says("Again, then.")]);
    let _gate = auditor.gate(99);
    let mut seat = Seat::take(&desk, "run it");
    seat.see(c, "the command", has_begun);
    seat.escape(c, "the interrupt", |desk| file_of(desk).contains("[Request interrupted"));
    seat.turn(c, "after it");
    seat.leave(c);
    desk
}

pub(super) fn commands_skill_bang_model(c: &mut Checks) -> Desk {
    let sandbox = Sandbox::new();
    let own = |name: &str| sandbox.path(&format!("project/.claude/{name}"));
    write(&own("commands/mycmd.md"), "Do the custom thing with $ARGUMENTS\n");
    let skill = "---\nname: demo\ndescription: a demo\n---\nSKILL BODY TEXT\n";
    write(&own("skills/demo/SKILL.md"), skill);
    let replies = ["to the command", "to the skill", "to the bang", "after the model"].map(says);
    let (desk, _) = desk_of(sandbox, &[PASS], [vec![says("hello")], replies.to_vec()].concat());
    let mut seat = Seat::take(&desk, "a first question");
    seat.ended(c);
    seat.turn(c, "/mycmd alpha");
    seat.turn(c, "/demo beta");
    seat.press("!");
    seat.turn(c, "echo bangmode");
    seat.send(c, "/model sonnet");
    seat.shown(c, "Switch model?");
    seat.press("\r");
    seat.shown(c, "Set model to");
    seat.turn(c, "after the switch");
    seat.written(c, "<local-command-stdout>");
    seat.leave(c);
    desk
}

/// The note of the first turn goes with the next prompt; the one after that is blocked.
pub(super) fn system_message_context_blocked_prompt(c: &mut Checks) -> Desk {
    let steps = vec![says("Three runs."), says("Two, it was."), says("All clean.")];
    let (desk, _) = desk_of(Sandbox::new(), &["VERDICT: NOTE - 次数说多了", PASS], steps);
    desk.edit_settings(|settings| {
        let output = json!({"decision": "block", "reason": "not this"});
        let command = format!("grep -q BLOCKED && printf '%s' '{output}'; true");
        let groups = settings["hooks"]["UserPromptSubmit"].as_array_mut().expect("hooks are registered");
        groups.insert(0, json!({"hooks": [{"type": "command", "command": command}]}));
    });
    let mut seat = Seat::take(&desk, "how many runs");
    seat.ended(c);
    seat.turn(c, "how many in truth");
    seat.send(c, "BLOCKED prompt");
    seat.written(c, "blocked by hook");
    // The client puts the prompt back into the box.
    seat.press("\u{15}");
    seat.turn(c, "a clean one");
    seat.leave(c);
    desk
}

pub(super) fn rewind(c: &mut Checks) -> Desk {
    let (desk, _) = desk(["A1", "A2", "A3"].map(says).to_vec());
    let mut seat = Seat::take(&desk, "first");
    seat.ended(c);
    seat.turn(c, "abandoned");
    seat.send(c, "/rewind");
    seat.shown(c, "Rewind");
    // From the end of the list one up, and the conversation back to there; the prompt is put into the box again.
    seat.press("\u{1b}[A");
    seat.press("\r");
    seat.shown(c, "Restore conversation");
    seat.press("\r");
    seat.screen(c, "the prompt, and not its answer", |screen| {
        screen.contains("abandoned") && !screen.contains("● A2")
    });
    seat.press("\u{15}");
    seat.turn(c, "instead");
    seat.leave(c);
    desk
}

pub(super) fn clear(c: &mut Checks) -> Desk {
    let (desk, _) = desk(["A1", "A2"].map(says).to_vec());
    let mut seat = Seat::take(&desk, "before");
    seat.ended(c);
    seat.send(c, "/clear");
    seat.turn(c, "after the clearing");
    seat.leave(c);
    desk
}

/// Two sessions on one desk: the second one looks who is there and writes to the first.
pub(super) fn peer_message(c: &mut Checks) -> Desk {
    let (desk, _) = desk(["I am here.", "Blue, then."].map(says).to_vec());
    desk.model.aside("who is there", vec![vec![tool("ListAgents", json!({}))], says("I see one.")]);
    let mut first = Seat::take(&desk, "wait for word");
    first.ended(c);
    let mut second = Seat::take(&desk, "who is there");
    second.ended(c);
    let words = json!({"to": peer_in(&file_of(&desk)), "message": "PEER-HELLO blue", "summary": "a colour"});
    let find = tool("ToolSearch", json!({"query": "select:SendMessage", "max_results": 5}));
    desk.model.aside("who is there", vec![vec![find], vec![tool("SendMessage", words)], says("Sent.")]);
    second.turn(c, "tell it");
    first.ended(c);
    first.written(c, "Blue, then.");
    second.leave(c);
    first.leave(c);
    desk
}

/// The name under which the client's list of sessions has the other one.
fn peer_in(text: &str) -> String {
    let (_, list) = text.split_once("Peer sessions (1):\\n").unwrap_or_default();
    list.split_whitespace().next().unwrap_or_default().to_owned()
}
