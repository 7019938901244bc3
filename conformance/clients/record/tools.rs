//! Sessions about tools: asked, refused, at once, and in the background.
use serde_json::json;

use super::seat::{PASS, Seat, bash, desk, desk_of, file_of};
use crate::desk::Desk;
use crate::kit::auditors::InTurn;
use crate::kit::check::Checks;
use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;
use crate::model::anthropic::{Part, says, tool};

/// How a row tells of a notification that waits for its moment; tools' descriptions hold the tag of one.
const ENQUEUED: &str = "\"operation\":\"enqueue\"";

/// A small one.
const PICTURE: &[u8] = include_bytes!("pixel.png");

pub(super) fn option_box(c: &mut Checks) -> Desk {
    let options = json!([{"label": "Postgres", "description": "server"},
                         {"label": "SQLite", "description": "embedded"}]);
    let question =
        json!({"question": "Which database?", "header": "DB", "multiSelect": false, "options": options});
    let asks = tool("AskUserQuestion", json!({"questions": [question]}));
    let steps = vec![vec![Part::Text("Which one?".into()), asks], says("SQLite it is.")];
    let (desk, _) = desk(steps);
    // The client's own choice, which asks nothing here: there is nothing to allow.
    desk.edit_settings(|settings| settings["permissions"]["defaultMode"] = "auto".into());
    let mut seat = Seat::take(&desk, "ask me about the database");
    seat.shown(c, "embedded");
    seat.press("\u{1b}[B");
    seat.press("\r");
    seat.ended(c);
    seat.written(c, "Your questions have been answered");
    seat.leave(c);
    desk
}

pub(super) fn parallel_tools_image(c: &mut Checks) -> Desk {
    let sandbox = Sandbox::new();
    let picture = sandbox.path("project/img.png");
    write(&picture, PICTURE);
    let read = tool("Read", json!({"file_path": picture}));
    let steps = vec![vec![bash("echo one"), bash("echo two"), read], says("All three.")];
    let (desk, _) = desk_of(sandbox, &[PASS], steps);
    let mut seat = Seat::take(&desk, "look at all three");
    seat.ended(c);
    seat.leave(c);
    desk
}

pub(super) fn denials_and_plan_mode(c: &mut Checks) -> Desk {
    let fetch = tool("WebFetch", json!({"url": "http://127.0.0.1:9/x", "prompt": "read"}));
    let plan = tool("ExitPlanMode", json!({"plan": "# Plan\n1. do A\n2. do B"}));
    let steps = vec![
        vec![fetch],
        says("Without it, then."),
        vec![tool("ToolSearch", json!({"query": "select:ExitPlanMode", "max_results": 5}))],
        vec![plan],
    ];
    let (desk, _) = desk(steps);
    let mut seat = Seat::take(&desk, "fetch the page");
    seat.shown(c, "127.0.0.1:9");
    seat.escape(c, "a denial", |desk| n_denials(desk) == 1);
    seat.send(c, "/plan");
    seat.turn(c, "make a plan");
    seat.see(c, "plan mode", |desk| desk.events().iter().any(|event| event["permission_mode"] == "plan"));
    seat.send(c, "now show the steps");
    seat.shown(c, "1. Yes,");
    seat.escape(c, "two denials", |desk| n_denials(desk) == 2);
    seat.leave(c);
    desk
}

/// The compaction also tells what has become of the agent.
pub(super) fn background_agent_compact(c: &mut Checks) -> Desk {
    let task = json!({"description": "sub", "prompt": "AGENT-SUB-1 do it", "subagent_type": "general-purpose",
                      "run_in_background": true});
    // The compaction asks twice.
    let replies = ["It runs.", "It found three.", "A summary.", "A summary.", "Three, as I said."].map(says);
    let steps = [vec![vec![tool("Agent", task)]], replies.to_vec()].concat();
    let (desk, auditor) = desk(steps);
    let gate = auditor.gate(99);
    desk.model.aside("AGENT-SUB-1", vec![vec![bash("cat auditor/gate.99")], says("found 3 items")]);
    let mut seat = Seat::take(&desk, "launch the agent");
    seat.ended(c);
    InTurn::open(&gate);
    seat.ended(c);
    seat.written(c, "found 3 items");
    seat.send(c, "/compact");
    seat.written(c, "compact_boundary");
    seat.turn(c, "after the compaction");
    seat.leave(c);
    desk
}

pub(super) fn moved_to_background(c: &mut Checks) -> Desk {
    let long =
        json!({"command": "cat auditor/gate.99; echo finally", "timeout": 2000, "description": "long"});
    let steps = vec![vec![tool("Bash", long)], says("It goes on."), says("It is done.")];
    let (desk, auditor) = desk(steps);
    let gate = auditor.gate(99);
    let mut seat = Seat::take(&desk, "run the long command");
    seat.ended(c);
    seat.written(c, "was moved to the background");
    InTurn::open(&gate);
    seat.ended(c);
    seat.written(c, ENQUEUED);
    seat.leave(c);
    desk
}

pub(super) fn notification_mid_turn(c: &mut Checks) -> Desk {
    let quick = json!({"command": "cat auditor/gate.98; echo quick", "description": "quick",
                       "run_in_background": true});
    let steps = vec![
        vec![tool("Bash", quick)],
        vec![bash("touch begun; cat auditor/gate.99")],
        says("Both done."),
        says("It is no tag."),
    ];
    let (desk, auditor) = desk(steps);
    let (background, foreground) = (auditor.gate(98), auditor.gate(99));
    let mut seat = Seat::take(&desk, "one behind and one in front");
    seat.see(c, "the command in front", |desk| desk.sandbox.path("project/begun").exists());
    InTurn::open(&background);
    seat.written(c, ENQUEUED);
    InTurn::open(&foreground);
    seat.ended(c);
    seat.written(c, "queued_command");
    seat.turn(c, "<div>why so?</div>");
    seat.leave(c);
    desk
}

/// How many calls the person has denied, as the rows of their results say.
pub(super) fn n_denials(desk: &Desk) -> usize {
    file_of(desk).matches("\"toolDenialKind\"").count()
}
