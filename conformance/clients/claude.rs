//! Whole turns of Claude Code in print mode: what the hook prints becomes what the client does.
use std::fs;

use serde_json::{Value, json};

use super::desk::Desk;
use super::kit::auditors::{InTurn, fake_with_pids, missing_program, says as answers};
use super::kit::check::checks;
use super::kit::hook::quoted;
use super::kit::journal;
use super::kit::processes;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::{Part, says, tool};

const PASS: &str = "VERDICT: PASS";
const FAIL: &str = "VERDICT: FAIL - 无证据结论：没有查过就说没有";
const FAIL_REASON: &str = "无证据结论：没有查过就说没有";
const NOTE: &str = "VERDICT: NOTE - 次数说多了，实际只跑了两次";
const NOTE_TEXT: &str = "次数说多了，实际只跑了两次";
const HANDED_ON: &str = "上一轮回复结束时，独立审计员提了下面的提醒";

/// A desk whose auditor gives these answers in turn.
fn desk(verdicts: &[&str], steps: Vec<Vec<Part>>) -> (Desk, InTurn) {
    let sandbox = Sandbox::new();
    let auditor = InTurn::new(&sandbox.path("auditor"), verdicts);
    let desk = Desk::new(sandbox, auditor.command(), steps);
    (desk, auditor)
}

/// A prompt without the instruction, which names every mark itself.
fn material(prompt: &str) -> &str {
    prompt.strip_prefix(include_str!("../kit/instruction.txt").trim_end()).unwrap_or_default()
}

fn count(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

fn verdicts(desk: &Desk) -> Vec<String> {
    journal::verdict_of_each(&desk.sandbox.log_lines())
}

checks! {
    /// The reason reaches Claude, whose answer is audited again.
    #[own]
    fn r1_3_a_fail_sends_claude_back_and_the_corrected_reply_passes(c: &mut Checks) {
        let (desk, auditor) =
            desk(&[FAIL, PASS], vec![says("没有了，可以放心删。"), says("我没有查过，撤回刚才的话。")]);
        let turn = desk.print(c, "还有地方调用 parse_order 吗？");
        let conversations = desk.model.conversations();
        c.equal("1.3", "requests to Claude's model", conversations.len(), 2);
        let last = conversations.last().cloned().unwrap_or_default();
        c.contains("6.7", "the second request", &last, FAIL_REASON);
        c.contains("6.7", "the second request", &last, "不得静默忽略。");
        c.equal("8.1", "verdicts in the log", verdicts(&desk), vec!["FAIL".into(), "PASS".into()]);
        c.contains("5.3", "the second prompt", &auditor.prompt(2), "【这是同一轮的第二次审计】");
        c.contains("5.3", "the second prompt", &auditor.prompt(2), FAIL_REASON);
        c.contains("4.11", "the second prompt", &auditor.prompt(2), "我没有查过，撤回刚才的话。");
        let active: Vec<Value> =
            desk.events_named("Stop").iter().map(|stop| stop["stop_hook_active"].clone()).collect();
        c.equal("6.4", "stop_hook_active of the two Stops", active, vec![json!(false), json!(true)]);
        c.contains("1.3", "what print mode gives", &turn.shown(), "我没有查过，撤回刚才的话。");
        desk.nothing_is_left(c);
    }

    /// Two AIs do not argue for ever.
    #[own]
    fn r6_5_after_two_blocks_the_session_ends_by_itself(c: &mut Checks) {
        let replies = ["第一次", "第二次", "第三次"].map(says);
        let (desk, auditor) = desk(&[FAIL], replies.to_vec());
        let turn = desk.print(c, "查一下");
        c.equal("1.3", "requests to Claude's model", desk.model.conversations().len(), 3);
        c.equal("6.5", "audits", auditor.n_calls(), 2);
        let want: Vec<String> = ["FAIL", "FAIL", "SKIP"].map(str::to_owned).into();
        c.equal("6.5", "verdicts in the log", verdicts(&desk), want);
        c.contains("1.3", "what print mode gives", &turn.shown(), "第三次");
        desk.nothing_is_left(c);
    }

    /// The person sees the line at once; Claude gets it with the next prompt, and only then.
    #[own]
    fn r7_2_a_note_is_shown_and_goes_with_the_next_prompt_once(c: &mut Checks) {
        let (desk, _) = desk(&[NOTE, PASS, PASS], ["跑了三次，都过。", "好的", "再见"].map(says).to_vec());
        let first = desk.print(c, "跑一下测试");
        let session_id = first.session_id();
        c.contains("6.8", "what the person is shown", &first.shown(), "审计提示（");
        c.contains("6.8", "what the person is shown", &first.shown(), NOTE_TEXT);
        c.equal("1.4", "requests: nobody is held up", desk.model.conversations().len(), 1);
        c.that("7.1", "the note waits", desk.pending(&session_id).is_file(), "pending file", "none");

        let second = desk.resume(c, &session_id, "然后呢");
        c.equal("7.2", "the session resumed", second.session_id(), session_id.clone());
        let conversations = desk.model.conversations();
        let request = conversations.get(1).cloned().unwrap_or_default();
        c.equal("7.2", "notes in the next prompt's request", count(&request, HANDED_ON), 1);
        c.equal("7.2", "the words of it", count(&request, NOTE_TEXT), 1);
        c.that("7.2", "the note is gone", !desk.pending(&session_id).exists(), "no file", "a file");

        desk.resume(c, &session_id, "没事了");
        let request = desk.model.conversations().get(2).cloned().unwrap_or_default();
        c.equal("7.2", "notes one prompt later: only the history's", count(&request, HANDED_ON), 1);
        desk.nothing_is_left(c);
    }

    /// The client does fire UserPromptSubmit for a finished background command; the note is the person's.
    #[own]
    fn r7_3_a_finished_background_command_takes_no_note_and_opens_a_turn(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = InTurn::new(&sandbox.path("auditor"), &[NOTE, FAIL, PASS, PASS]);
        // The command ends when the first audit has begun, which is after the reply.
        let job = format!("cat {}", quoted(&auditor.opens(1).to_string_lossy()));
        let background = json!({"command": job, "run_in_background": true, "description": "wait"});
        let steps = vec![
            vec![tool("Bash", background)],
            says("在后台跑着，等它。"),
            says("后台跑完了。"),
            says("改好了。"),
            says("好的"),
        ];
        let desk = Desk::new(sandbox, auditor.command(), steps);
        let first = desk.print(c, "在后台跑一下");
        let session_id = first.session_id();
        let prompts = desk.events_named("UserPromptSubmit");
        let woken = prompts.iter().any(|event| {
            event["prompt"].as_str().is_some_and(|prompt| prompt.starts_with("<task-notification>"))
        });
        c.that("7.3", "the wake-up goes through UserPromptSubmit", woken, "one", format!("{prompts:?}"));
        let conversations = desk.model.conversations();
        c.equal("7.3", "requests of the first prompt", conversations.len(), 4);
        for (n, conversation) in conversations.iter().enumerate() {
            c.absent("7.3", format!("request {}", n + 1), conversation, HANDED_ON);
        }
        c.that("7.3", "the note still waits", desk.pending(&session_id).is_file(), "pending file", "none");
        let want: Vec<String> = ["NOTE", "FAIL", "PASS"].map(str::to_owned).into();
        c.equal("6.4", "verdicts in the log", verdicts(&desk), want);
        // Were the wake-up the same turn, its FAIL would be the second audit and the next Stop a SKIP.
        c.absent("6.4", "the wake-up's prompt", &auditor.prompt(2), "【这是同一轮的第二次审计】");
        c.contains("6.4", "the Stop after the block", &auditor.prompt(3), "【这是同一轮的第二次审计】");
        c.contains("4.9", "the wake-up's prompt", material(&auditor.prompt(2)), "〔后台结果〕");
        c.contains("4.8", "the first prompt", material(&auditor.prompt(1)), "[后台]");

        desk.resume(c, &session_id, "好");
        let request = desk.model.conversations().pop().unwrap_or_default();
        c.equal("7.2", "notes in the person's next request", count(&request, HANDED_ON), 1);
        desk.nothing_is_left(c);
    }

    #[own]
    fn r6_9_an_auditor_that_does_not_start_holds_nobody_up(c: &mut Checks) {
        let desk = Desk::new(Sandbox::new(), &missing_program(), vec![says("做完了")]);
        let turn = desk.print(c, "做一下");
        c.contains("6.9", "what the person is shown", &turn.shown(), "⚠️ 审计员不可用（");
        c.equal("6.9", "requests to Claude's model", desk.model.conversations().len(), 1);
        c.equal("6.9", "verdicts in the log", verdicts(&desk), vec!["ERROR".to_owned()]);
        desk.nothing_is_left(c);
    }

    #[own]
    fn r6_9_an_auditor_that_takes_too_long_holds_nobody_up(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = fake_with_pids("timeout", &sandbox.pids());
        let desk = Desk::new(sandbox, &auditor, vec![says("做完了")]).env("STOP_AUDITOR_TIMEOUT", "1");
        let turn = desk.print(c, "做一下");
        c.contains("6.9", "what the person is shown", &turn.shown(), "⚠️ 审计员不可用（");
        c.equal("6.9", "requests to Claude's model", desk.model.conversations().len(), 1);
        c.equal("6.9", "verdicts in the log", verdicts(&desk), vec!["ERROR".to_owned()]);
        c.that(
            "6.9",
            "the auditor was asked",
            !processes::ids_in(&desk.sandbox.pids()).is_empty(),
            "yes",
            "no",
        );
        desk.nothing_is_left(c);
    }

    /// The client's own time-out, where somebody registered a shorter one.
    #[own]
    fn r6_15_the_client_s_own_time_out_ends_hook_and_auditor(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = fake_with_pids("timeout", &sandbox.pids());
        let desk = Desk::new(sandbox, &auditor, vec![says("做完了")]);
        desk.edit_settings(|settings| {
            for group in settings["hooks"]["Stop"].as_array_mut().into_iter().flatten() {
                group["hooks"][0]["timeout"] = json!(2);
            }
        });
        desk.print(c, "做一下");
        desk.the_audit_is_over(c);
        c.that(
            "6.15",
            "the auditor was asked",
            !processes::ids_in(&desk.sandbox.pids()).is_empty(),
            "yes",
            "no",
        );
        c.equal("6.15", "requests to Claude's model", desk.model.conversations().len(), 1);
        c.equal("6.15", "verdicts in the log", verdicts(&desk), vec!["ERROR".to_owned()]);
        desk.nothing_is_left(c);
    }

    /// Section 9's last check, with the log where it is by default.
    #[own]
    fn r9_8_a_session_after_the_install_is_in_the_log(c: &mut Checks) {
        let desk = Desk::new(Sandbox::new(), &answers(PASS), vec![says("你好，有什么可以帮你？")]);
        let desk = desk.without_env("STOP_AUDITOR_LOG_DIR");
        let turn = desk.print(c, "随便问一句");
        let logs = desk.sandbox.files_below("home/.claude/stop-auditor-logs");
        let texts: Vec<String> = logs.iter().filter_map(|log| fs::read_to_string(log).ok()).collect();
        let lines: Vec<Value> =
            texts.concat().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        c.equal("9.8", "verdicts in the log", journal::verdict_of_each(&lines), vec!["PASS".to_owned()]);
        for wanted in ["随便问一句", "你好，有什么可以帮你？", &turn.session_id()] {
            let found = lines.iter().any(|line| journal::mentions(line, wanted));
            c.that("9.8", "the line", found && !wanted.is_empty(), wanted, format!("{lines:?}"));
        }
        desk.nothing_is_left(c);
    }

    /// The client writes its file late. A hook of ours sees one without the reply, as the client once left it.
    #[own]
    fn r4_12_a_reply_that_is_not_in_the_file_yet_is_audited_all_the_same(c: &mut Checks) {
        const REPLY: &str = "迟到的回复 LATE-REPLY";
        let (desk, auditor) = desk(&[PASS], vec![says(REPLY), says(REPLY)]);
        desk.print(c, "在文件里的 ON-TIME");
        c.equal("4.12", "the reply with the file as it is", count(&auditor.prompt(1), REPLY), 1);
        let late = desk.sandbox.path("late");
        fs::write(&late, LATE_FILE).expect("a script is written");
        let late = format!("sh {}", quoted(&late.to_string_lossy()));
        desk.edit_command("Stop", |command| format!("{late} {command}"));
        desk.print(c, "在文件里的 ON-TIME");
        c.contains("4.12", "the prompt", &auditor.prompt(2), "ON-TIME");
        c.equal("4.12", "the reply with a late file", count(&auditor.prompt(2), REPLY), 1);
        let cut = desk.sandbox.files_below("tmp").into_iter().find(|path| path.ends_with("late.jsonl"));
        let cut = cut.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        c.contains("4.12", "the late file", &cut, "ON-TIME");
        c.absent("4.12", "the late file", &cut, "LATE-REPLY");
        desk.nothing_is_left(c);
    }

    /// What a turn can hold is all in the material.
    #[own]
    fn r4_6_parallel_tools_an_edit_an_error_and_a_background_job_are_in_the_material(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = InTurn::new(&sandbox.path("auditor"), &[PASS]);
        let job = format!("echo BACKGROUND-JOB; cat {}", quoted(&auditor.opens(1).to_string_lossy()));
        let file = sandbox.path("project/notes.txt");
        let edit = json!({"file_path": file, "old_string": "OLD-WORDS", "new_string": "NEW-WORDS"});
        let steps = vec![
            vec![
                Part::Text("先看两样 TWO-AT-ONCE".to_owned()),
                tool("Bash", json!({"command": "echo FIRST-$((20 + 1))", "description": "first"})),
                tool("Bash", json!({"command": "echo SECOND-$((40 + 2))", "description": "second"})),
            ],
            vec![tool("Write", json!({"file_path": file, "content": "OLD-WORDS\n"}))],
            vec![tool("Edit", edit)],
            vec![tool("Bash", json!({"command": "echo ERROR-OUTPUT >&2; exit 3", "description": "fails"}))],
            vec![tool("Bash", json!({"command": job, "run_in_background": true, "description": "job"}))],
            says("都做了，后台还在跑 FINAL-REPLY"),
            says("后台也完了 AFTER-THE-JOB"),
        ];
        let desk = Desk::new(sandbox, auditor.command(), steps);
        desk.print(c, "都做一下 THE-PROMPT");
        let prompt = auditor.prompt(1);
        let prompt = material(&prompt);
        for (id, part) in [
            ("4.4", "THE-PROMPT"),
            ("4.5", "TWO-AT-ONCE"),
            ("4.6", "FIRST-21"),
            ("4.6", "SECOND-42"),
            ("4.6", "echo FIRST-$((20 + 1))"),
            ("4.6", "notes.txt"),
            ("4.6", "OLD-WORDS"),
            ("4.6", "NEW-WORDS"),
            ("4.6", "exit 3"),
            ("4.6", "ERROR-OUTPUT"),
            ("4.8", "[后台]"),
            ("4.8", "echo BACKGROUND-JOB"),
            ("4.5", "FINAL-REPLY"),
        ] {
            c.contains(id, "the prompt", prompt, part);
        }
        let order = ["FIRST-21", "SECOND-42", "NEW-WORDS", "ERROR-OUTPUT", "BACKGROUND-JOB", "FINAL-REPLY"];
        let places: Vec<Option<usize>> = order.map(|part| prompt.find(part)).into();
        c.that("4.6", "in the order of events", places.is_sorted(), "sorted", format!("{places:?}"));
        let written = fs::read_to_string(&file).unwrap_or_default();
        c.equal("4.6", "the client did the edit", written.as_str(), "NEW-WORDS\n");
        c.contains("4.9", "the prompt after the job", material(&auditor.prompt(2)), "〔后台结果〕");
        c.contains("4.5", "the prompt after the job", &auditor.prompt(2), "AFTER-THE-JOB");
        desk.nothing_is_left(c);
    }

    /// Off is off, and the hook of somebody else stays.
    #[own]
    fn r3_5_after_the_uninstall_the_next_session_runs_no_hook(c: &mut Checks) {
        let (desk, auditor) = desk(&[PASS], ["一", "二"].map(says).to_vec());
        desk.print(c, "装着的时候");
        c.equal("3.5", "audits while installed", auditor.n_calls(), 1);
        let output = desk.own(&["uninstall"]);
        c.that("3.5", "uninstall", output.status.success(), "exit 0", format!("{output:?}"));
        desk.print(c, "卸了以后");
        c.equal("3.5", "requests to Claude's model", desk.model.conversations().len(), 2);
        c.equal("3.5", "audits", auditor.n_calls(), 1);
        c.equal("3.5", "lines in the log", desk.sandbox.log_lines().len(), 1);
        c.equal("3.5", "Stops that the other hook saw", desk.events_named("Stop").len(), 2);
        desk.nothing_is_left(c);
    }
}

/// Gives the hook a copy of the transcript without the rows of the reply.
const LATE_FILE: &str = r#"
event=$(cat)
file=$(printf '%s' "$event" | sed 's/.*"transcript_path":"\([^"]*\)".*/\1/')
grep -v LATE-REPLY "$file" >"$TMPDIR/late.jsonl"
printf '%s' "$event" | sed "s|\"transcript_path\":\"[^\"]*\"|\"transcript_path\":\"$TMPDIR/late.jsonl\"|" | "$@"
"#;
