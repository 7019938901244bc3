//! How much and how long: hooks that nobody waits for, many at once, long texts, the last second of a session.
use std::fs::{self, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::codex::spill::{LIMIT, cut};
use stop_auditor::hosts::contract::Run;

use super::super::kit::check::checks;
use super::super::kit::event::write;
use super::super::kit::processes::eventually;
use super::exec::exec;
use super::home::Home;
use super::lab::{FREE, Lab};
use super::script::{PLAIN, messages};

/// How long processes may take to start on a busy machine.
const START: Duration = Duration::from_secs(20);

/// Lets everybody go who reads this pipe; `false` where nobody does.
fn open(gate: &Path) -> bool {
    // Without waiting for a reader.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    options.write(true).open(gate).is_ok()
}

/// What the model gets of a text of the UserPromptSubmit hook's, which has this limit.
fn given(lab: &Lab, text: &str, limit: Option<usize>) -> String {
    let mut handler = lab.home.handler(Event::UserPromptSubmit, 0);
    if let Some(limit) = limit {
        handler["additionalContextLimit"] = limit.into();
    }
    lab.register(Event::UserPromptSubmit, &[handler]);
    lab.home.plan(Event::UserPromptSubmit, &[Run::exited(0, text, "")]);
    let n_requests = lab.home.model.requests().len();
    lab.turn(&lab.thread().0, PLAIN);
    let requests = lab.home.model.bodies_since(n_requests);
    let last = requests.last().map(|request| messages(request, "developer"));
    last.and_then(|mut texts| texts.pop()).unwrap_or_default()
}

/// The file that a cut text names.
fn saved(text: &str) -> &str {
    text.rsplit_once("Full hook output saved to: ")
        .map_or("", |(_, rest)| rest.split('<').next().unwrap_or_default())
}

checks! {
    #[own]
    fn h4_spill(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        let text = |n: usize| "汉H".repeat(n / 4) + &"T".repeat(n % 4);
        let whole = text(10_000);
        c.equal("H.4", "10,000 bytes", given(&lab, &whole, None) == whole, true);
        for (n, limit) in [(10_001, None), (30_002, None), (400, Some(10)), (4_000, Some(500))] {
            let whole = text(n);
            let got = given(&lab, &whole, limit);
            let path = saved(&got).to_owned();
            let want = cut(&whole, limit.unwrap_or(LIMIT), Some(&path));
            c.that("H.4", format!("{n} bytes, limit {limit:?}"), got == want, want, got);
            c.contains(
                "H.4",
                "the file's folder",
                &path,
                &lab.home.sandbox.path("tmp/hook_outputs").to_string_lossy(),
            );
            c.equal("H.4", "the file holds all", fs::read_to_string(&path).ok() == Some(whole), true);
            let mode = fs::metadata(&path).map(|data| data.permissions().mode() & 0o777).unwrap_or_default();
            c.equal("H.4", "everybody may read it", mode & 0o044, 0o044);
        }
        let whole = text(30_000);
        c.equal("H.4", "30,000 bytes, limit 0", given(&lab, &whole, Some(0)) == whole, true);

        lab.register(Event::Stop, &[lab.home.handler(Event::Stop, 0)]);
        let reason = "Q".repeat(20_000);
        let block = json!({"decision": "block", "reason": reason}).to_string();
        lab.home.plan(Event::Stop, &[Run::exited(0, &block, "")]);
        lab.turn(&lab.thread().0, PLAIN);
        let request = lab.home.model.bodies_since(0).pop().unwrap_or_default();
        let sent = messages(&request, "user").pop().unwrap_or_default();
        let want = cut(&reason, LIMIT, Some(saved(&sent)));
        c.contains("H.4", "a long reason of a Stop", &sent, &want);

        fs::remove_dir_all(lab.home.sandbox.path("tmp/hook_outputs")).expect("texts were saved");
        write(&lab.home.sandbox.path("tmp/hook_outputs"), "in the way");
        let whole = text(30_000);
        let (got, want) = (given(&lab, &whole, None), cut(&whole, LIMIT, None));
        c.that("H.4", "no file can be written", got == want, want, got);
        lab.close(c);
    }

    #[own]
    fn h4_async_output(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        let event = Event::UserPromptSubmit;
        let mut handler = lab.home.handler(event, 0);
        handler["async"] = true.into();
        lab.register(event, &[handler]);
        let gate = lab.home.gate();
        let output = json!({"systemMessage": "MESSAGE", "decision": "block", "reason": "R",
                            "hookSpecificOutput": {"hookEventName": event.name(), "additionalContext": "CONTEXT"}});
        let script = format!("mkdir once 2>/dev/null || exit 0; cat gate; printf '%s' '{output}'");
        lab.home.plan_script(event, 0, &script);
        let (thread, _) = lab.thread();
        lab.turn(&thread, PLAIN);
        c.equal("H.4", "requests: nobody waits", lab.home.model.requests().len(), 1);
        c.that("H.4", "it was running", eventually(START, || open(&gate)), "a reader of the pipe", "none");
        let warned = |note: &Value| note["method"] == "warning" && note["params"]["message"] == "MESSAGE";
        let developer = || {
            let request = lab.home.model.bodies_since(0).pop().unwrap_or_default();
            messages(&request, "developer").pop().unwrap_or_default()
        };
        // A message takes along what is there when it comes.
        for _ in 0..50 {
            lab.turn(&thread, PLAIN);
            if developer() == "CONTEXT" {
                break;
            }
        }
        c.equal("H.4", "the context went with a later message", developer(), "CONTEXT".to_owned());
        c.that("H.4", "the message is a warning", lab.server.note(0, warned), "MESSAGE", "none");
        c.equal("H.4", "runs told", lab.hook_runs(event, 0).len(), 0);
        lab.close(c);
    }

    #[own]
    fn h4_eight_at_once(c: &mut Checks) {
        let lab = Lab::new(Home::new(FREE));
        let event = Event::SessionStart;
        let gate = lab.home.gate();
        let handlers = |is_async: bool| {
            let with = |n| {
                let mut handler = lab.home.handler(event, n);
                handler["async"] = is_async.into();
                handler
            };
            (0..10).map(with).collect::<Vec<Value>>()
        };
        for n in 0..10 {
            lab.home.plan_script(event, n, &format!("touch mark-{n}; cat gate >/dev/null"));
        }
        lab.register(event, &handlers(true));
        let (thread, _) = lab.thread();
        lab.turn(&thread, PLAIN);
        let begun = |n| eventually(START, || lab.home.marks("mark-") >= n);
        c.that("H.4", "async: eight run", begun(8), "8", lab.home.marks("mark-").to_string());
        // Time enough for a ninth.
        for _ in 0..3 {
            lab.turn(&thread, PLAIN);
        }
        c.equal("H.4", "async: and no more", lab.home.marks("mark-"), 8);
        let rest = eventually(START, || open(&gate) && lab.home.marks("mark-") == 10);
        c.that("H.4", "async: the others later", rest, "10", lab.home.marks("mark-").to_string());
        eventually(START, || !open(&gate));
        for n in 0..10 {
            lab.home.plan_script(event, n, &format!("touch wait-{n}; cat gate >/dev/null"));
        }
        lab.register(event, &handlers(false));
        let (thread, _) = lab.thread();
        let from = lab.server.n_notes();
        lab.begin(&thread, PLAIN);
        let all = eventually(START, || lab.home.marks("wait-") == 10);
        c.that("H.4", "waited for: all run at once", all, "10", lab.home.marks("wait-").to_string());
        let runs = eventually(START, || {
            open(&gate);
            lab.hook_runs(event, from).len() == 10
        });
        c.that("H.4", "waited for: all are done", runs, "10", lab.hook_runs(event, from).len().to_string());
        lab.ended(&thread, from);
        lab.close(c);
    }

    #[own]
    fn h4_async_at_the_end(c: &mut Checks) {
        let home = Home::new(FREE);
        let event = Event::SessionStart;
        let (mut left, waited_for) = (home.handler(event, 0), home.handler(event, 1));
        left["async"] = true.into();
        home.register(&json!({event.name(): [{"hooks": [left, waited_for]}]}));
        home.gate();
        // The turn goes on once the other has begun.
        home.plan_script(event, 0, "touch begun; echo >gate; sleep 30; touch done");
        home.plan_script(event, 1, "cat gate >/dev/null");
        let run = exec(&home, &[], PLAIN);
        c.equal("H.4", "exit code", run.code, Some(0));
        c.equal("H.4", "it had begun", home.marks("begun"), 1);
        home.nothing_is_left(c);
        c.equal("H.4", "and was ended", home.marks("done"), 0);
    }

    #[own]
    fn h4_session_end(c: &mut Checks) {
        let home = Home::new(FREE);
        let event = Event::SessionEnd;
        home.register(&json!({event.name(): [{"hooks": [home.handler(event, 0)]}]}));
        home.gate();
        home.plan_script(event, 0, "touch begun; cat gate; touch done");
        let run = exec(&home, &[], PLAIN);
        c.equal("H.4", "exit code", run.code, Some(0));
        c.equal("H.4", "it had begun", home.marks("begun"), 1);
        let reasons: Vec<Value> = home.told(event).iter().map(|told| told["reason"].clone()).collect();
        c.equal("H.4", "what it is told", reasons, vec![json!("other")]);
        home.nothing_is_left(c);
        c.equal("H.4", "and was ended", home.marks("done"), 0);
    }
}
