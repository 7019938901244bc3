//! Sessions in print mode, which need nobody at a terminal.
use serde_json::json;

use super::seat::{PASS, bash, desk, desk_of, with_hook};
use crate::desk::Desk;
use crate::kit::check::Checks;
use crate::kit::sandbox::Sandbox;
use crate::model::anthropic::{Part, says, tool};

pub(super) fn tool_and_one_block(c: &mut Checks) -> Desk {
    let looks =
        vec![Part::Thinking("I had better look.".into()), Part::Text("Looking.".into()), bash("ls -a")];
    let steps = vec![looks, says("All done."), says("Corrected.")];
    let (desk, _) = desk_of(Sandbox::new(), &["VERDICT: FAIL - 无证据", PASS], steps);
    desk.print(c, "please list files 看看");
    desk
}

pub(super) fn edits_error_background_command(c: &mut Checks) -> Desk {
    let (desk, auditor) = desk(Vec::new());
    let file = desk.sandbox.path("project/a.txt");
    let job = format!("cat {}; echo bgdone", auditor.opens(1).display());
    let edit = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    desk.model.then(vec![
        vec![Part::Text("Writing.".into()), tool("Write", json!({"file_path": file, "content": "one\n"}))],
        vec![tool("Edit", edit), bash("cat no-such-file; exit 3")],
        vec![tool("Bash", json!({"command": job, "run_in_background": true, "description": "a job"}))],
        says("Started a background job, waiting."),
        says("Background job finished: bgdone."),
    ]);
    desk.print(c, "write a file then run things");
    desk
}

pub(super) fn resumed(c: &mut Checks) -> Desk {
    let (desk, _) = desk(vec![says("A1"), says("A2")]);
    let session_id = desk.print(c, "first").session_id();
    desk.resume(c, &session_id, "second resumed");
    desk
}

pub(super) fn forked(c: &mut Checks) -> Desk {
    let (desk, _) = desk(vec![says("A1"), says("A2"), says("A3")]);
    let session_id = desk.print(c, "first").session_id();
    desk.resume(c, &session_id, "second resumed");
    desk.run(c, &["--resume", &session_id, "--fork-session", "-p", "third forked"]);
    desk
}

pub(super) fn nine_blocks(c: &mut Checks) -> Desk {
    let (desk, _) = desk((1..12).map(|n| says(&format!("A{n}"))).collect());
    with_hook(&desk, "Stop", &json!({"decision": "block", "reason": "loop"}));
    desk.print(c, "loop");
    desk
}

pub(super) fn blocked_prompt(c: &mut Checks) -> Desk {
    let (desk, _) = desk(vec![says("A1")]);
    with_hook(&desk, "UserPromptSubmit", &json!({"decision": "block", "reason": "not this"}));
    desk.print(c, "a prompt that a hook blocks");
    desk
}
