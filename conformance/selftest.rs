//! Section 9, one test an item: what a person runs before trusting the hook.
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::kit::auditors::{fake, outlasting, says};
use crate::kit::check::{Checks, checks};
use crate::kit::journal;
use crate::kit::rows::Rows;
use crate::kit::sandbox::{Run, Sandbox};

checks! {
    /// 9.1: PASS is silence and one line in the log.
    fn r9_1_pass_is_silent_and_logged(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor(&fake("pass")).run();
        c.that("9.1", "nothing on stdout, exit 0", run.silent(), "silence", run.seen());
        c.that("6.6", "PASS prints nothing", run.silent(), "silence", run.seen());
        c.equal("9.1", "verdicts in the log", verdicts(&sandbox), vec!["PASS".to_owned()]);
    }

    /// 9.2: FAIL is a block with the auditor's reason.
    fn r9_2_fail_blocks_with_the_reason(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let reason = "无证据结论：没有跑过测试就说全过了";
        let run = sandbox.stop().auditor(&says(&format!("VERDICT: FAIL - {reason}"))).run();
        c.that("9.2", "stdout is one JSON object", run.json().is_some(), "a JSON object", run.seen());
        c.that("9.2", "the client would block", run.blocked(), "a block", run.seen());
        c.equal("9.2", "exit code", run.code, Some(0));
        c.contains("9.2", "the reason is in it", &run.reason(), reason);
        c.equal("9.2", "verdicts in the log", verdicts(&sandbox), vec!["FAIL".to_owned()]);
    }

    /// 9.3: two blocks, then silence; the second audit knows of the first.
    fn r9_3_third_stop_of_a_turn_is_skipped(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let mut rows = Rows::two_turns();
        sandbox.transcript(rows.rows());
        let (_, first) = sandbox.stop().prompt_and_run("VERDICT: FAIL - 第一次的理由甲");
        c.that("9.3", "the first Stop blocks", first.blocked(), "a block", first.seen());

        rows.feedback(&first.reason()).says("我去补一次测试。");
        sandbox.transcript(rows.rows());
        let (prompt, second) = sandbox.stop().again().prompt_and_run("VERDICT: FAIL - 第二次的理由乙");
        c.that("9.3", "the second Stop blocks", second.blocked(), "a block", second.seen());
        c.contains("9.3", "the second prompt holds the first reason", &prompt, "第一次的理由甲");

        rows.feedback(&second.reason()).says("说明一下为什么。");
        sandbox.transcript(rows.rows());
        let (prompt, third) = sandbox.stop().again().prompt_and_run("VERDICT: FAIL - 第三次的理由丙");
        c.that("9.3", "the third Stop is silent", third.silent(), "silence", third.seen());
        c.equal("1.3", "the auditor is not called a third time", prompt, String::new());
        c.equal(
            "9.3",
            "verdicts in the log",
            verdicts(&sandbox),
            ["FAIL", "FAIL", "SKIP"].map(str::to_owned).to_vec(),
        );
    }

    /// 9.4a: an exit code says that the answer cannot be trusted, whatever it says.
    fn r9_4a_exit_code_is_an_error(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor(&fake("exit-nonzero")).run();
        is_error(c, &sandbox, &run);
    }

    /// 9.4b: an answer without a VERDICT line.
    fn r9_4b_no_verdict_is_an_error(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor(&fake("no-verdict")).run();
        is_error(c, &sandbox, &run);
    }

    /// 9.4c: an auditor that does not answer in time.
    #[timed]
    fn r9_4c_time_out_is_an_error(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().short_limit().auditor(&outlasting("timeout", &sandbox.pids())).run();
        is_error(c, &sandbox, &run);
    }

    /// 9.5: NOTE is one line now, and is handed on with the next message, once.
    fn r9_5_note_is_shown_stored_and_handed_on(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let note = "次数说多了，实际只跑了一次";
        let run = sandbox.stop().auditor(&says(&format!("VERDICT: NOTE - {note}"))).run();
        c.that("9.5", "NOTE does not block", run.lets_through(), "no block", run.seen());
        c.contains("9.5", "the note is in systemMessage", &run.message(), note);
        c.that("9.5", "the pending file is there", sandbox.pending().is_file(), "a file", "none");
        c.equal("9.5", "verdicts in the log", verdicts(&sandbox), vec!["NOTE".to_owned()]);

        let next = sandbox.prompt_submit("接着做").run();
        let context = &next.handed_on();
        c.equal("9.5", "exit code of the hand-over", next.code, Some(0));
        c.contains("9.5", "Claude is handed the note", context, note);
        c.that("9.5", "the pending file is gone", !sandbox.pending().exists(), "no file", "a file");
        c.that(
            "1.4",
            "a note holds nobody up",
            run.lets_through() && next.lets_through() && !context.is_empty(),
            "shown, then handed on",
            next.seen(),
        );
    }

    /// 9.6: what the auditor reads. That the debug file holds the same is in the next test.
    fn r9_6_prompt_has_outputs_and_no_thinking(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let prompt = sandbox.stop().prompt();
        no_thinking(c, &prompt);
    }

    /// 9.6: the debug switch of our own hook.
    #[own]
    fn r9_6_debug_file_is_the_prompt(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let file = sandbox.path("prompt.txt");
        let prompt = sandbox.stop().env("STOP_AUDITOR_DEBUG_PROMPT", &file.to_string_lossy()).prompt();
        let written = fs::read_to_string(&file).unwrap_or_default();
        no_thinking(c, &written);
        c.that("9.6", "the file is what the auditor got", written == prompt, prompt, written);
    }

    /// 9.9: nothing outside the log directory and the temporary directory is touched.
    fn r9_9_nothing_outside_the_given_directories_is_written(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let before = fs::read(sandbox.path("transcript.jsonl")).unwrap_or_default();
        let run = sandbox.stop().auditor(&fake("note")).run();
        let next = sandbox.prompt_submit("接着做").run();
        c.that(
            "9.9",
            "the hook worked",
            run.json().is_some() && next.json().is_some(),
            "two answers",
            run.seen(),
        );
        for name in ["home", "project"] {
            let files = sandbox.files_below(name);
            c.that(
                "9.9",
                format!("nothing is written in {name}/"),
                files.is_empty(),
                "no file",
                format!("{files:?}"),
            );
        }
        let after = fs::read(sandbox.path("transcript.jsonl")).unwrap_or_default();
        c.that("9.9", "the transcript is as it was", before == after, "the same bytes", "other bytes");
        let names = entries(sandbox.root());
        let known = ["home", "logs", "pids", "project", "tmp", "transcript.jsonl"];
        c.equal("9.9", "nothing else beside them", names, known.map(str::to_owned).to_vec());
    }
}

fn verdicts(sandbox: &Sandbox) -> Vec<String> {
    journal::verdict_of_each(&sandbox.log_lines())
}

fn is_error(c: &mut Checks, sandbox: &Sandbox, run: &Run) {
    c.that("9.4", "never a block, exit 0", run.lets_through(), "no block", run.seen());
    let told = run.not_audited();
    c.that(
        "9.4",
        "systemMessage says so, with the cause",
        told,
        "⚠️ 审计员不可用（…），本轮没审。",
        run.seen(),
    );
    c.that("1.5", "the turn goes through and the person is told", told, "told", run.seen());
    c.equal("9.4", "verdicts in the log", verdicts(sandbox), vec!["ERROR".to_owned()]);
}

fn no_thinking(c: &mut Checks, prompt: &str) {
    for thought in ["CURRENT-THOUGHT", "EARLIER-THOUGHT"] {
        c.absent("9.6", "no word of thinking", prompt, thought);
    }
    for text in [
        "CURRENT-PROMPT",
        "CURRENT-OUTPUT 12 passed",
        "CURRENT-REPLY",
        "EARLIER-PROMPT",
        "EARLIER-OUTPUT",
        "EARLIER-REPLY",
    ] {
        c.contains("9.6", format!("{text} is there"), prompt, text);
    }
    let command = json!("cargo test --quiet");
    c.contains("9.6", "the command is there", prompt, command.as_str().unwrap_or_default());
}

fn entries(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
