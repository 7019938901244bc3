//! Stops with nothing to audit, and input that no client should send (1.1, 6.10, 6.11): silence, never exit code 2.
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::kit::auditors::{fake, says};
use crate::kit::check::{Checks, checks};
use crate::kit::event::write;
use crate::kit::journal;
use crate::kit::rows::Rows;
use crate::kit::sandbox::{Run, Sandbox};

/// A hook that has not read its input by then does not read it.
const READS: Duration = Duration::from_secs(20);

/// 6.15, and what a loaded machine adds.
const ENDS: Duration = Duration::from_secs(3);

checks! {
    /// 6.10: a hook that is given nothing says nothing.
    fn r6_10_no_readable_stdin_is_silence(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let event = || sandbox.stop().auditor(&fake("fail"));
        let run = event().run_without_stdin();
        c.that("6.10", "no stdin", run.silent(), "silence", run.seen());
        let deep = "[".repeat(200_000);
        for (name, bytes) in [
            ("empty", &b""[..]),
            ("white space", b" \n"),
            ("no JSON", b"hello"),
            ("cut JSON", b"{\"hook_event_name\": \"Stop\", \"session"),
            ("a list", b"[1, 2]"),
            ("a text", b"\"Stop\""),
            ("no UTF-8", b"\xff\xfe{}"),
            ("an empty object", b"{}"),
            ("200,000 brackets", deep.as_bytes()),
        ] {
            let run = event().run_raw(bytes);
            c.that("6.10", name, run.silent(), "silence", run.seen());
        }
    }

    /// 6.10 for our own hook: the event is whole when its object is, whether or not the client closes the stream.
    #[own]
    fn r6_10_an_event_on_a_stream_that_stays_open_is_handled(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let event = || sandbox.stop().auditor(&fake("fail"));
        for (name, event, end) in [
            ("a whole event", event(), ""),
            ("and a line end", event(), "\n"),
            // Wherever a read ends, it ends as an object does.
            ("one of many reads", event().set("more", "}".repeat(1_200_000)), ""),
        ] {
            let json = event.json.to_string() + end;
            let (hook, input) = event.start_open(json.as_bytes());
            let pipe = input.written(READS);
            let run = hook.finish();
            drop(pipe);
            c.that("6.10", name, run.blocked(), "a block", run.seen());
        }
    }

    /// 6.15: Esc before the client has written the event.
    fn r6_15_sigterm_ends_a_hook_that_still_reads(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let event = sandbox.stop().auditor(&fake("fail")).set("more", "x".repeat(300_000));
        let json = event.json.to_string();
        let (hook, input) = event.start_open(&json.as_bytes()[..json.len() - 1]);
        // More than a pipe holds is written only once the hook has read.
        let pipe = input.written(READS);
        c.that("6.15", "the hook reads", pipe.is_some(), "300,000 bytes are read", "they are not");
        let signal = Instant::now();
        hook.terminate();
        let run = hook.finish();
        let took = signal.elapsed();
        drop(pipe);
        // The shell round it ends in any case; a hook that goes on still holds the output.
        let ended = !run.hung && !run.held_open && took < ENDS;
        c.that(
            "6.15",
            "it ends within 2 s",
            ended,
            "< 2 s, output closed",
            format!("{took:?}, {}", run.seen()),
        );
        c.equal("6.15", "nothing is printed", run.stdout.as_str(), "");
    }

    /// 6.10: no transcript: nothing on stdout, one ERROR line that says why.
    fn r6_10_no_transcript_is_silence_and_one_line(c: &mut Checks) {
        let sandbox = Sandbox::new();
        write(&sandbox.path("directory/x"), "");
        let missing = sandbox.path("gone.jsonl").to_string_lossy().into_owned();
        let directory = sandbox.path("directory").to_string_lossy().into_owned();
        for (name, path) in [
            ("a path that is gone", json!(missing)),
            ("a directory", json!(directory)),
            ("an empty path", json!("")),
            ("null", json!(null)),
            ("a number", json!(5)),
        ] {
            let (recording, run) = sandbox.stop().set("transcript_path", path).record("VERDICT: FAIL - x");
            nothing_to_audit(c, name, &sandbox, &run, recording.n_calls());
        }
        let (recording, run) = sandbox.stop().unset("transcript_path").record("VERDICT: FAIL - x");
        nothing_to_audit(c, "no path", &sandbox, &run, recording.n_calls());
    }

    /// 6.10 for our own hook: in which way there is nothing to audit.
    #[own]
    fn r6_10_the_log_says_what_is_wrong_with_the_transcript(c: &mut Checks) {
        let sandbox = Sandbox::new();
        write(&sandbox.path("folder/x"), "");
        write(&sandbox.path("empty.jsonl"), "{}\n");
        for (name, told) in [
            ("", "没有给会话记录的路径".to_owned()),
            ("gone.jsonl", format!("会话记录不存在：{}", sandbox.path("gone.jsonl").display())),
            ("folder", format!("会话记录不是普通文件：{}", sandbox.path("folder").display())),
            ("empty.jsonl", format!("会话记录里找不到当前轮：{}", sandbox.path("empty.jsonl").display())),
        ] {
            let path = if name.is_empty() { String::new() } else { sandbox.path(name).display().to_string() };
            sandbox.stop().set("transcript_path", path).auditor(&fake("fail")).run();
            let line = sandbox.log_lines().pop().unwrap_or_default();
            c.equal("6.10", format!("{name:?}: what the log says"), line["text"].clone(), json!(told));
        }
    }

    /// 6.10 for our own hook: a pipe in the transcript's place would wait for a writer.
    #[own]
    fn r6_10_a_pipe_is_no_transcript(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let made = Command::new("mkfifo").arg(sandbox.path("transcript.jsonl")).status();
        c.that("6.10", "a pipe was made", made.is_ok_and(|status| status.success()), "a pipe", "none");
        let event = sandbox.stop().within(Duration::from_secs(8));
        let (recording, run) = event.record("VERDICT: FAIL - x");
        nothing_to_audit(c, "a pipe", &sandbox, &run, recording.n_calls());
    }

    /// 6.10: a transcript in which the person has not said anything.
    fn r6_10_no_current_turn_is_silence_and_one_line(c: &mut Checks) {
        let mut settings = Rows::new();
        settings.local_command("model", "sonnet", "Set model to sonnet");
        let mut replies = Rows::new();
        replies.says("没有人问我。");
        let mut summary = Rows::new();
        summary.compact_boundary().summary("earlier we did things");
        for (name, rows) in [
            ("no rows", Rows::new()),
            ("only a setting", settings),
            ("only a reply", replies),
            ("only a summary", summary),
        ] {
            let sandbox = Sandbox::new();
            sandbox.transcript(rows.rows());
            let (recording, run) = sandbox.stop().record("VERDICT: FAIL - x");
            nothing_to_audit(c, name, &sandbox, &run, recording.n_calls());
        }
    }

    /// 6.11: fields of another kind than expected never make an exit code, and never a block without an audit.
    fn r6_11_odd_fields_let_the_turn_through(c: &mut Checks) {
        for (key, value) in [
            ("session_id", json!(5)),
            ("session_id", json!(null)),
            ("session_id", json!({"a": 1})),
            ("stop_hook_active", json!("yes")),
            ("stop_hook_active", json!(null)),
            ("prompt_id", json!(7)),
            ("cwd", json!(["x"])),
            ("last_assistant_message", json!({"text": "x"})),
            ("background_tasks", json!("none")),
            ("background_tasks", json!([null, 5, {"id": {}}])),
            ("permission_mode", json!(0)),
            ("a_field_of_tomorrow", json!({"deep": [1, 2, 3]})),
        ] {
            let sandbox = Sandbox::with_two_turns();
            let run = sandbox.stop().set(key, value.clone()).auditor(&fake("pass")).run();
            let ok = run.lets_through() && !run.hung;
            c.that("6.11", format!("{key} is {value}"), ok, "exit 0, no block", run.seen());
            let run = sandbox.prompt_submit("接着做").set(key, value.clone()).run();
            c.that("6.11", format!("{key} is {value}, with a prompt"), run.silent(), "silence", run.seen());
        }
        let sandbox = Sandbox::with_two_turns();
        for prompt in [json!(null), json!(5), json!(["a"])] {
            let run = sandbox.prompt_submit("").set("prompt", prompt.clone()).run();
            c.that("6.11", format!("the prompt is {prompt}"), run.silent(), "silence", run.seen());
        }
    }

    /// 6.11: a client that has gone is no reason for an exit code 2.
    fn r6_11_a_closed_stdout_makes_no_exit_code_2(c: &mut Checks) {
        for name in ["fail", "note", "no-verdict"] {
            let run = Sandbox::with_two_turns().stop().auditor(&fake(name)).nobody_reads().run();
            let ended = run.code != Some(2) && !run.hung;
            c.that("6.11", format!("{name}: no exit code 2"), ended, "another one, or a signal", run.seen());
        }
    }

    /// 6.11: whoever reads what is printed may take their time.
    fn r6_11_a_slow_reader_gets_everything(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let notes: Vec<String> = (1..=5).map(|n| format!("{n}{}", "长".repeat(1_400))).collect();
        for note in &notes {
            sandbox.stop().auditor(&says(&format!("VERDICT: NOTE - {note}"))).run();
        }
        let run = sandbox.prompt_submit("接着做").through("{hook} | dd bs=1 2>/dev/null").run();
        let context = run.json().map(|json| json["hookSpecificOutput"]["additionalContext"].to_string());
        let whole = context.as_ref().is_some_and(|context| notes.iter().all(|note| context.contains(note)));
        c.that("6.11", "five long notes, a byte at a time", whole, "all of them", run.seen());
    }

    /// 6.9: two terminals that go on with one session write two turns side by side. The one that has ended is audited by
    /// itself, or the person is told; its reply is never held against the other one's message.
    fn r6_9_a_turn_beside_another_one_is_its_own_or_told_of(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let mut rows = Rows::new();
        rows.person("开始 BEGINNING").says("好。");
        let fork = rows.last_uuid();
        rows.person("甲终端的话 FIRST-TERMINAL");
        let (first, first_id) = (rows.last_uuid(), rows.prompt_id());
        rows.hang_on(fork).person("乙终端的话 SECOND-TERMINAL");
        let (second, second_id) = (rows.last_uuid(), rows.prompt_id());
        rows.hang_on(first)
            .call("toolu_1", "Bash", json!({"command": "echo first"}))
            .result("toolu_1", "first out");
        rows.says("甲的回复 FIRST-REPLY");
        rows.hang_on(second)
            .call("toolu_2", "Bash", json!({"command": "echo second"}))
            .result("toolu_2", "second out");
        rows.says("乙的回复 SECOND-REPLY");
        sandbox.transcript(rows.rows());
        let stop =
            |id: &str, reply: &str| sandbox.stop().set("prompt_id", id).set("last_assistant_message", reply);
        let (recording, run) = stop(&first_id, "甲的回复 FIRST-REPLY").record("VERDICT: PASS");
        let prompt = recording.prompt();
        let own = prompt.contains("FIRST-TERMINAL") && !prompt.contains("SECOND-TERMINAL");
        c.that(
            "6.9",
            "the first terminal's turn",
            own || run.not_audited(),
            "its own, or told",
            format!("{}\n{prompt}", run.seen()),
        );
        let (recording, _) = stop(&second_id, "乙的回复 SECOND-REPLY").record("VERDICT: PASS");
        c.contains("4.1", "the second terminal's turn", &recording.prompt(), "SECOND-TERMINAL");
    }

    /// 1.1: only the main session's own Stop is audited.
    fn r1_1_events_of_others_are_silent(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for (name, event) in [
            ("SubagentStop", sandbox.stop().set("hook_event_name", "SubagentStop").set("agent_id", "a1")),
            ("a Stop inside a sub-agent", sandbox.stop().set("agent_id", "a1").set("agent_type", "Explore")),
            ("StopFailure", sandbox.stop().set("hook_event_name", "StopFailure").set("error", "overloaded")),
            ("another event", sandbox.stop().set("hook_event_name", "PreToolUse")),
            ("no event", sandbox.stop().unset("hook_event_name")),
        ] {
            let (recording, run) = event.record("VERDICT: FAIL - x");
            c.that("1.1", format!("{name} is silent"), run.silent(), "silence", run.seen());
            c.equal("1.1", format!("{name} asks nobody"), recording.n_calls(), 0);
        }
        c.equal("8.1", "no line of the log is theirs", sandbox.log_lines(), vec![]);
        let main_agent = sandbox.stop().set("agent_type", "reviewer");
        let (recording, _) = main_agent.record("VERDICT: PASS");
        c.equal("1.1", "a main session with an agent type is audited", recording.n_calls(), 1);
    }

    /// 6.11 for our own hook: the switch that turns it off.
    #[own]
    fn r6_11_the_off_switch_is_silent(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let (recording, run) = sandbox.stop().env("STOP_AUDITOR_OFF", "1").record("VERDICT: FAIL - x");
        c.that("6.11", "off: silent", run.silent(), "silence", run.seen());
        c.equal("6.11", "off: asks nobody", recording.n_calls(), 0);
        c.equal("6.11", "off: logs nothing", sandbox.log_lines(), vec![]);
        sandbox.stop().auditor(&fake("note")).run();
        let run = sandbox.prompt_submit("接着做").env("STOP_AUDITOR_OFF", "1").run();
        c.that("6.11", "off: a note is not handed on", run.silent(), "silence", run.seen());
        c.that("6.11", "off: it waits", sandbox.pending().is_file(), "a file", "none");
        let run = sandbox.stop().env("STOP_AUDITOR_OFF", "0").auditor(&fake("fail")).run();
        c.that("6.11", "0 is not off", run.blocked(), "a block", run.seen());
    }
}

fn nothing_to_audit(c: &mut Checks, name: &str, sandbox: &Sandbox, run: &Run, n_calls: usize) {
    c.that("6.10", format!("{name}: silent"), run.silent(), "silence", run.seen());
    c.equal("6.10", format!("{name}: nobody is asked"), n_calls, 0);
    let lines = sandbox.log_lines();
    let last = lines.last().cloned().unwrap_or_default();
    c.equal(
        "6.10",
        format!("{name}: verdict in the log"),
        journal::verdicts(&last),
        vec!["ERROR".to_owned()],
    );
    // Beside the verdict, the time, the session and the folder's name something must tell the cause.
    let known = |text: &&str| {
        text.len() < 4
            || ["ERROR", "project"].contains(text)
            || text.contains(sandbox.session_id())
            || journal::today().iter().any(|date| text.starts_with(date.as_str()))
    };
    let cause = journal::texts(&last).into_iter().any(|text| !known(&text));
    c.that("6.10", format!("{name}: with the cause"), cause, "some words", last.to_string());
    for file in sandbox.log_files() {
        fs::remove_file(file).expect("the next case has its own log");
    }
}
