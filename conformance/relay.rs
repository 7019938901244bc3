//! A NOTE on its way to the person's next message (1.4, 7.1-7.4). Every note arrives once, whoever runs at the same time.
use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::kit::auditors::says;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::processes;
use crate::kit::sandbox::{Run, Sandbox};

const BEFORE: &str = "上一轮回复结束时，独立审计员提了下面的提醒，没有打回，用户已在界面上看到：\n";
const AFTER: &str = "\n本轮如果还要用到这些说法，按提醒改正；不用单独道歉或复述。";

/// Prompts that no person typed, as the client sends them.
const WAKE_UPS: &[&str] = &[
    "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>done</summary>\n</task-notification>",
    "<task-notification kind=\"monitor\">\n<task-id>b1</task-id>\n</task-notification>",
    "<cross-session-message from=\"uds:/tmp/peer.sock\" from-name=\"proj-d3\">\nhello\n</cross-session-message>",
    "Another Claude session sent a message:\n<cross-session-message from=\"uds:/tmp/peer.sock\">\nhello\n</cross-session-message>",
];

checks! {
    /// 7.2: the JSON of the spec, word for word, and the file is gone.
    fn r7_2_one_note_word_for_word(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        note(&sandbox, "只跑了 \"2\" 次");
        c.that("7.1", "it waits in pending/<session_id>.json", sandbox.pending().is_file(), "a file", "none");
        let run = sandbox.prompt_submit("接着做").run();
        c.equal("7.2", "the whole output", run.json().unwrap_or_default(), handed_on(&["只跑了 \"2\" 次"]));
        c.equal("7.2", "exit code", run.code, Some(0));
        let words = format!("{BEFORE}- 只跑了 \"2\" 次{AFTER}");
        c.equal("7.2", "what Claude is handed", run.handed_on(), words);
        c.that("7.2", "the message goes through", run.lets_through(), "as before", run.seen());
        c.that("7.2", "the file is gone", !sandbox.pending().exists(), "no file", "a file");
        let run = sandbox.prompt_submit("再接着做").run();
        c.that("7.2", "the message after gets nothing", run.silent(), "silence", run.seen());
    }

    /// 7.2: nothing pending, nothing printed.
    fn r7_2_nothing_pending_prints_nothing(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.prompt_submit("你好").run();
        c.that("7.2", "a session without any note", run.silent(), "silence", run.seen());
        sandbox.stop().auditor(&says("VERDICT: PASS")).run();
        let run = sandbox.prompt_submit("你好").run();
        c.that("7.2", "a session with a PASS", run.silent(), "silence", run.seen());
        note(&sandbox, "别人的");
        let run =
            sandbox.prompt_submit("你好").set("session_id", "0ther000-0000-4000-8000-000000000003").run();
        c.that("7.2", "another session's note", run.silent(), "silence", run.seen());
        c.that("7.2", "it stays for its own session", sandbox.pending().is_file(), "a file", "none");
    }

    /// 7.1: the newest five, oldest first.
    fn r7_1_the_newest_five_are_kept(c: &mut Checks) {
        for (n_notes, first) in [(5, 1), (7, 3)] {
            let sandbox = Sandbox::with_two_turns();
            for n in 1..=n_notes {
                note(&sandbox, &format!("第 {n} 条"));
            }
            let run = sandbox.prompt_submit("接着做").run();
            let left: Vec<String> = (first..=n_notes).map(|n| format!("第 {n} 条")).collect();
            let left: Vec<&str> = left.iter().map(String::as_str).collect();
            c.equal(
                "7.1",
                format!("handed on after {n_notes} notes"),
                run.json().unwrap_or_default(),
                handed_on(&left),
            );
        }
    }

    /// 7.3: a wake-up is no message of the person's, nor is what a sub-agent is given.
    fn r7_3_a_wake_up_hands_nothing_on_and_removes_nothing(c: &mut Checks) {
        let of_a_sub_agent = ("看看代码", Some("a1"));
        for (prompt, agent) in WAKE_UPS.iter().map(|prompt| (*prompt, None)).chain([of_a_sub_agent]) {
            let sandbox = Sandbox::with_two_turns();
            note(&sandbox, "等下一条消息");
            let before = fs::read(sandbox.pending()).unwrap_or_default();
            let event = sandbox.prompt_submit(prompt);
            let run = if let Some(id) = agent { event.set("agent_id", id) } else { event }.run();
            let start: String = prompt.chars().take(40).collect();
            c.that("7.3", format!("{start:?} gets nothing"), run.silent(), "silence", run.seen());
            let after = fs::read(sandbox.pending()).unwrap_or_default();
            c.that(
                "7.3",
                format!("{start:?} leaves the file as it was"),
                !after.is_empty() && before == after,
                "the same bytes",
                "other bytes",
            );
            let run = sandbox.prompt_submit("我的下一条消息").run();
            c.equal(
                "7.3",
                "the person's message gets it",
                run.json().unwrap_or_default(),
                handed_on(&["等下一条消息"]),
            );
        }
    }

    /// 7.3, the twin: what a person types may look like markup.
    fn r7_3_what_a_person_types_gets_it(c: &mut Checks) {
        for prompt in [
            "<div class='a'>为什么不居中？",
            "看看这段：<task-notification>x</task-notification>",
            "Another Claude session did this, why?",
            "<task-notifications-table> 组件坏了",
            "/review src",
            "",
        ] {
            let sandbox = Sandbox::with_two_turns();
            note(&sandbox, "给人的");
            let run = sandbox.prompt_submit(prompt).run();
            c.equal(
                "7.3",
                format!("{prompt:?} gets it"),
                run.json().unwrap_or_default(),
                handed_on(&["给人的"]),
            );
        }
    }

    /// 7.4: hooks of one session that run at the same time lose no note and hand none on twice.
    fn r7_4_parallel_hooks_lose_nothing(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        note(&sandbox, "记号0");
        let runs: Vec<Run> = thread::scope(|scope| {
            let sandbox = &sandbox;
            let stops = (1..=4).map(|n| scope.spawn(move || note(sandbox, &format!("记号{n}"))));
            let prompts = (0..2).map(|_| scope.spawn(|| sandbox.prompt_submit("同时的消息").run()));
            let started: Vec<_> = stops.chain(prompts).collect();
            started.into_iter().map(|thread| thread.join().expect("the hook ran")).collect()
        });
        let last = sandbox.prompt_submit("最后的消息").run();
        let contexts: Vec<String> = runs.iter().chain([&last]).map(Run::handed_on).collect();
        let all = contexts.concat();
        for n in 0..=4 {
            c.equal(
                "7.4",
                format!("how often note {n} arrived"),
                all.matches(&format!("记号{n}")).count(),
                1,
            );
        }
        c.that("7.4", "nothing is left behind", !sandbox.pending().exists(), "no file", "a file");
    }

    /// 7.4: four notes at the same time.
    fn r7_4_parallel_notes_are_all_kept(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        thread::scope(|scope| {
            for n in 1..=4 {
                let sandbox = &sandbox;
                scope.spawn(move || note(sandbox, &format!("记号{n}")));
            }
        });
        let all = sandbox.prompt_submit("接着做").run().handed_on();
        for n in 1..=4 {
            c.equal(
                "7.4",
                format!("how often note {n} arrived"),
                all.matches(&format!("记号{n}")).count(),
                1,
            );
        }
    }

    /// 7.4: a hand-over that could not be printed has not happened.
    fn r7_4_a_note_that_could_not_be_printed_stays(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        note(&sandbox, "没送到");
        let run = sandbox.prompt_submit("接着做").nobody_reads().run();
        c.that("7.4", "no exit code 2", run.code != Some(2) && !run.hung, "0", run.seen());
        let run = sandbox.prompt_submit("再试一次").run();
        c.equal("7.4", "the next message gets it", run.json().unwrap_or_default(), handed_on(&["没送到"]));
    }

    /// 7.4: a message that was taken back while its hook waited for another one got nothing.
    #[own]
    fn r7_4_a_hand_over_that_is_cancelled_keeps_the_notes(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        note(&sandbox, "没送到");
        let path = sandbox.path("logs/pending/.lock");
        let lock = fs::File::options().create(true).append(true).open(&path).expect("the lock's file");
        lock.lock().expect("the lock");
        let hook = sandbox.prompt_submit("接着做").start();
        let waits = processes::eventually(Duration::from_secs(20), || !processes::users_of(&path).is_empty());
        c.that("7.4", "the hook waits for the lock", waits, "it has the file open", "it has not");
        hook.terminate();
        drop(lock);
        let run = hook.finish();
        c.that(
            "7.4",
            "it ends and prints nothing",
            run.stdout.is_empty() && !run.hung,
            "nothing",
            run.seen(),
        );
        let run = sandbox.prompt_submit("再试一次").run();
        c.equal("7.4", "the next message gets it", run.json().unwrap_or_default(), handed_on(&["没送到"]));
    }

    /// 7.1: a pending file that is junk neither stops the person nor the notes after it.
    fn r7_1_a_broken_pending_file_stops_nobody(c: &mut Checks) {
        for junk in ["", "{", "[1, {}, null]", "\"text\"", "{\"notes\": 5}"] {
            let sandbox = Sandbox::with_two_turns();
            write(&sandbox.pending(), junk);
            let run = sandbox.prompt_submit("接着做").run();
            let ok = run.code == Some(0) && !run.stdout.contains("\"decision\"");
            c.that("7.1", format!("{junk:?}: the message goes through"), ok, "exit 0", run.seen());
            write(&sandbox.pending(), junk);
            note(&sandbox, "之后的");
            let all = sandbox.prompt_submit("接着做").run().handed_on();
            c.contains("7.1", format!("{junk:?}: the note after it arrives"), &all, "- 之后的");
        }
    }

    /// 7.1: a session id is no path.
    fn r7_1_odd_session_ids_write_nothing_outside(c: &mut Checks) {
        let long = "x".repeat(5_000);
        for id in [
            "../../evil",
            "..",
            ".",
            "",
            "/evil",
            "a/b/c",
            "a\\..\\b",
            "a\u{0}b",
            "%2e%2e%2fevil",
            "空 格\n换行",
            &long,
        ] {
            let sandbox = Sandbox::with_two_turns();
            let absolute = sandbox.path("project/evil").to_string_lossy().into_owned();
            let id = if id == "/evil" { absolute.as_str() } else { id };
            let before = outside(&sandbox);
            let stop = sandbox.stop().set("session_id", id).auditor(&says("VERDICT: NOTE - 小事")).run();
            // The prompt would take away again what the Stop put in the wrong place.
            let between = outside(&sandbox);
            let prompt = sandbox.prompt_submit("接着做").set("session_id", id).run();
            let shown: String = id.chars().take(20).collect();
            c.equal("7.1", format!("{shown:?}: exit codes"), (stop.code, prompt.code), (Some(0), Some(0)));
            for after in [between, outside(&sandbox)] {
                c.equal(
                    "7.1",
                    format!("{shown:?}: what is there outside logs/ and tmp/"),
                    after,
                    before.clone(),
                );
            }
            let strays: Vec<_> = fs::read_dir(sandbox.path("logs"))
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name())
                .filter(|name| name.to_string_lossy().contains("evil"))
                .collect();
            c.that(
                "7.1",
                format!("{shown:?}: no note beside the log"),
                strays.is_empty(),
                "none",
                format!("{strays:?}"),
            );
        }
    }
}

fn note(sandbox: &Sandbox, text: &str) -> Run {
    sandbox.stop().auditor(&says(&format!("VERDICT: NOTE - {text}"))).run()
}

fn handed_on(notes: &[&str]) -> Value {
    let lines: Vec<String> = notes.iter().map(|note| format!("- {note}")).collect();
    let context = format!("{BEFORE}{}{AFTER}", lines.join("\n"));
    json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}})
}

/// Everything in the sandbox but the two directories that the hook may write in.
fn outside(sandbox: &Sandbox) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(sandbox.root())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "logs")
        .collect();
    let below = ["home", "project"].iter().flat_map(|name| sandbox.files_below(name));
    names.extend(below.map(|path| path.to_string_lossy().into_owned()));
    names.sort();
    names
}
