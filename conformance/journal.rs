//! The log (8.1-8.3). Its fields have no fixed names in the spec: a check asks whether any value of the line fits.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::kit::auditors::{fake, says};
use crate::kit::check::{Checks, checks};
use crate::kit::event::write;
use crate::kit::hook::quoted;
use crate::kit::journal;
use crate::kit::programs::{FakeCodex, message};
use crate::kit::rows::Rows;
use crate::kit::sandbox::{Event, Run, Sandbox};

checks! {
    /// 8.1: who, when, what, how long.
    fn r8_1_a_line_tells_session_time_verdict_and_measures(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let (prompt, run) = sandbox.stop().prompt_and_run("VERDICT: FAIL - 答非所问：要甲给乙");
        let line = only_line(c, &sandbox);
        let has = |want: Value| journal::has(&line, &want);
        let text = line.to_string();
        c.that("8.1", "session_id", has(json!(sandbox.session_id())), sandbox.session_id(), &text);
        let times = journal::texts(&line)
            .into_iter()
            .filter(|text| journal::today().iter().any(|date| text.starts_with(date.as_str())));
        let in_seconds = journal::numbers(&line).into_iter().any(|number| number > 1_700_000_000.0);
        c.that("8.1", "the time", times.count() > 0 || in_seconds, "today's date or a time stamp", &text);
        c.equal("8.1", "verdict", journal::verdicts(&line), vec!["FAIL".to_owned()]);
        c.that(
            "8.1",
            "the verdict's text",
            journal::mentions(&line, "答非所问：要甲给乙"),
            "the reason",
            &text,
        );
        c.that("8.1", "which audit of the turn", has(json!(1)), "1", &text);
        c.that("8.1", "stop_hook_active", has(json!(false)), "false", &text);
        let lengths =
            [prompt.chars().count(), prompt.trim_end().chars().count(), prompt.encode_utf16().count()];
        let found = !prompt.is_empty() && lengths.iter().any(|length| has(json!(length)));
        c.that("8.1", "prompt characters", found, format!("{lengths:?}"), &text);
        c.that("8.1", "it is the line of a block", run.blocked(), "a block", run.seen());
        let version = journal::mentions(&line, "2.1.332");
        c.that("8.1", "the client's version", version, "2.1.332", &text);
    }

    /// 8.1: the second audit of a turn says so.
    fn r8_1_the_second_audit_is_counted(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("fail")).run();
        sandbox.stop().again().auditor(&fake("fail")).run();
        let lines = sandbox.log_lines();
        c.equal("8.1", "lines", lines.len(), 2);
        let second = lines.last().cloned().unwrap_or_default();
        c.that("8.1", "which audit of the turn", journal::has(&second, &json!(2)), "2", second.to_string());
        c.that("8.1", "stop_hook_active", journal::has(&second, &json!(true)), "true", second.to_string());
    }

    /// 8.1: how long it took, in seconds or milliseconds.
    fn r8_1_the_duration_is_the_audits(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor("cat >/dev/null; sleep 0.7; echo 'VERDICT: PASS'").run();
        let line = only_line(c, &sandbox);
        // What a quick audit logs as well is no duration: on a loaded machine the prompt's length could pass for one.
        let quick = Sandbox::with_two_turns();
        quick.stop().auditor("cat >/dev/null; echo 'VERDICT: PASS'").run();
        let both = journal::numbers(&only_line(c, &quick));
        let (least, most) = (0.69, run.elapsed.as_secs_f64());
        let fits =
            |number: &f64| (least..=most).contains(number) || (least..=most).contains(&(number / 1000.0));
        let found = journal::numbers(&line).iter().any(|number| fits(number) && !both.contains(number));
        c.that(
            "8.1",
            "a number of its own between the auditor's 0.7 s and the whole run",
            found,
            format!("{least} to {most} s"),
            line.to_string(),
        );
    }

    /// 8.1: the first 500 characters of the words, the last 1,500 of the reply.
    fn r8_1_words_and_reply_are_cut_to_size(c: &mut Checks) {
        let words = numbered("话", 300);
        let reply = numbered("答", 600);
        let sandbox = Sandbox::new();
        sandbox.transcript(Rows::new().person(words.as_str()).says(&reply).rows());
        sandbox.stop().auditor(&fake("pass")).run();
        let line = only_line(c, &sandbox);
        let head: String = words.chars().take(500).collect();
        let longer: String = words.chars().take(540).collect();
        let tail: String = reply.chars().skip(reply.chars().count() - 1_500).collect();
        let longer_tail: String = reply.chars().skip(reply.chars().count() - 1_540).collect();
        c.that(
            "8.1",
            "the first 500 characters of the words",
            journal::mentions(&line, &head),
            head,
            line.to_string(),
        );
        c.that("8.1", "not 540", !journal::mentions(&line, &longer), "500", line.to_string());
        c.that("8.1", "the last 1,500 of the reply", journal::mentions(&line, &tail), tail, line.to_string());
        c.that("8.1", "not 1,540", !journal::mentions(&line, &longer_tail), "1,500", line.to_string());
    }

    /// 8.1: how many calls, and the last eight with a line each.
    fn r8_1_the_last_eight_calls_have_a_line_each(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("跑十一条命令");
        for n in 1..=11 {
            let id = format!("toolu_{n:02}");
            let command = format!("echo call-{n:02}\necho second-line-{n:02}");
            rows.call(&id, "Bash", json!({"command": command})).result(&id, "out");
        }
        // An option box is a call like any other.
        let question =
            json!({"question": "call-12 还要吗？", "options": [{"label": "要"}, {"label": "不要"}]});
        rows.call("toolu_12", "AskUserQuestion", json!({"questions": [question]}));
        rows.result("toolu_12", "Your questions have been answered: \"call-12 还要吗？\"=\"不要\". ");
        rows.says("跑完了。");
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        sandbox.stop().auditor(&fake("pass")).run();
        let line = only_line(c, &sandbox);
        c.that("8.1", "number of calls", journal::has(&line, &json!(12)), "12", line.to_string());
        let lines: Vec<&str> = journal::texts(&line)
            .into_iter()
            .flat_map(str::lines)
            .filter(|text| text.contains("call-"))
            .collect();
        c.equal("8.1", "lines for calls", lines.len(), 8);
        for n in 5..=12 {
            let name = format!("call-{n:02}");
            let tool = if n == 12 { "AskUserQuestion" } else { "Bash" };
            let found = lines.iter().filter(|text| text.contains(&name) && text.contains(tool)).count();
            c.equal("8.1", format!("lines for {name}"), found, 1);
        }
        let torn = journal::texts(&line)
            .into_iter()
            .flat_map(str::lines)
            .any(|text| text.contains("second-line") && !text.contains("call-"));
        c.that("8.1", "a command of two lines is one line", !torn, "one line", line.to_string());
    }

    /// 8.1 for our own hook: each value under its name, as reports read it.
    #[own]
    fn r8_1_each_value_of_our_own_line_has_its_name(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let stop = |words: &str| {
            let auditor = format!("cat >/dev/null; sleep 0.2; echo {}", quoted(words));
            sandbox.stop().auditor(&auditor)
        };
        let elsewhere = |stop: Event| {
            stop.env("CLAUDE_PROJECT_DIR", "/home/u/订单").env("STOP_AUDITOR_MODEL", "my-own-name")
        };
        stop("VERDICT: FAIL - 甲").run();
        stop("VERDICT: NOTE - 乙").again().run();
        stop("VERDICT: PASS").again().run();
        elsewhere(stop("VERDICT: PASS")).run();
        elsewhere(stop("没有判定")).again().run();
        let lines = sandbox.log_lines();
        let expected = [
            ("FAIL", "FAIL - 甲", 1, false, ["project", "cat"]),
            ("NOTE", "NOTE - 乙", 2, true, ["project", "cat"]),
            ("SKIP", "本轮已审 2 次", 0, true, ["project", "cat"]),
            ("PASS", "PASS", 1, false, ["订单", "my-own-name"]),
            ("ERROR", "回复里没有 VERDICT 行：没有判定", 2, true, ["订单", "my-own-name"]),
        ];
        c.equal("8.1", "lines", lines.len(), expected.len());
        let bytes = fs::metadata(sandbox.path("transcript.jsonl")).expect("it is there").len();
        for (line, (verdict, text, audit, is_active, [project, auditor])) in lines.iter().zip(expected) {
            for (name, wanted) in [
                ("session_id", json!(sandbox.session_id())),
                ("project", json!(project)),
                ("verdict", json!(verdict)),
                ("text", json!(text)),
                ("audit", json!(audit)),
                ("auditor", json!(auditor)),
                ("stop_hook_active", json!(is_active)),
                ("transcript_bytes", json!(bytes)),
                ("person", json!("再跑一次测试 CURRENT-PROMPT")),
                ("reply", json!("测试全过了 CURRENT-REPLY")),
                ("tool_calls", json!(1)),
                ("client_version", json!("2.1.332")),
            ] {
                c.equal("8.1", format!("{verdict}: {name}"), line[name].clone(), wanted);
            }
            let calls = line["last_calls"].as_array().map(Vec::len);
            c.equal("8.1", format!("{verdict}: last_calls"), calls, Some(1));
            let is_audit = verdict != "SKIP";
            let duration = line["duration_ms"].as_u64().unwrap_or_default();
            c.equal("8.1", format!("{verdict}: duration_ms"), (200..30_000).contains(&duration), is_audit);
            let chars = line["prompt_chars"].as_u64().unwrap_or_default();
            c.equal("8.1", format!("{verdict}: prompt_chars"), chars > 500, is_audit);
            let shown = is_audit.then_some(1);
            c.equal(
                "8.1",
                format!("{verdict}: shortened"),
                line["shortened"]["earlier_shown"].as_u64(),
                shown,
            );
        }
    }

    /// 8.1, 2.2: what the default auditor warned of, each once, in one line and without keys.
    #[own]
    fn r8_1_warnings_of_the_default_auditor_are_logged(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let warning = |text: &str| json!({"type": "item.completed", "item": {"id": "e", "type": "error", "message": text}});
        let events =
            [warning("`features.x`\nis ignored"), warning(&format!("a key {key}")), message("VERDICT: PASS")];
        FakeCodex::new(&sandbox, &events).stop().run();
        let line = only_line(c, &sandbox);
        let warnings: Vec<&str> =
            line["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        c.equal("2.2", "warnings", warnings.len(), 2);
        c.equal("2.2", "the first", warnings.first().copied(), Some("`features.x` is ignored"));
        c.contains("8.1", "the second", warnings.last().copied().unwrap_or_default(), "a key ");
        c.absent("6.12", "the key", &sandbox.log_text(), &key[4..]);
    }

    /// 8.1: each Stop one line, each prompt none; the file is the day's.
    fn r8_1_one_line_a_stop_in_the_days_file(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let before = journal::today();
        for name in ["pass", "fail", "note", "no-verdict"] {
            sandbox.stop().auditor(&fake(name)).run();
        }
        sandbox.prompt_submit("接着做").run();
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.equal(
            "8.1",
            "verdicts in order",
            words,
            ["PASS", "FAIL", "NOTE", "ERROR"].map(str::to_owned).to_vec(),
        );
        c.that("8.1", "the last line is closed", sandbox.log_text().ends_with('\n'), "a newline", "none");
        let files = sandbox.log_files();
        // The check may run over midnight, here or in Greenwich.
        let dates = [before, journal::today()].concat();
        for file in &files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            let today = dates.iter().any(|date| digits.contains(&date.replace('-', "")));
            c.that("8.1", "the file is named after the day", today, dates.join(" or "), name);
        }
        c.that("8.1", "there is a file", !files.is_empty(), "a file", "none");
    }

    /// 8.2: a log that cannot be written changes nothing.
    fn r8_2_an_unwritable_log_changes_no_verdict(c: &mut Checks) {
        for place in ["a file in its place", "a file in its parent's place"] {
            let sandbox = Sandbox::with_two_turns();
            write(&sandbox.path("in-the-way"), "");
            let dir = if place.contains("parent") { "in-the-way/logs" } else { "in-the-way" };
            let dir = sandbox.path(dir).to_string_lossy().into_owned();
            let run =
                |name: &str| sandbox.stop().env("STOP_AUDITOR_LOG_DIR", &dir).auditor(&fake(name)).run();
            let (pass, fail, note, error) = (run("pass"), run("fail"), run("note"), run("no-verdict"));
            c.that("8.2", format!("{place}: PASS is silent"), pass.silent(), "silence", pass.seen());
            c.that("8.2", format!("{place}: FAIL blocks"), fail.blocked(), "a block", fail.seen());
            c.that(
                "8.2",
                format!("{place}: NOTE is shown"),
                note.message().starts_with("审计提示（"),
                "the note",
                note.seen(),
            );
            c.that(
                "8.2",
                format!("{place}: an error is told"),
                error.message().starts_with("⚠️ 审计员不可用（"),
                "the error",
                error.seen(),
            );
            let prompt = sandbox.prompt_submit("接着做").env("STOP_AUDITOR_LOG_DIR", &dir).run();
            c.that(
                "8.2",
                format!("{place}: a prompt goes through"),
                prompt.silent(),
                "silence",
                prompt.seen(),
            );
        }
    }

    /// 8.2: the variable moves the log; without it the log is in the home directory.
    fn r8_2_the_log_is_where_the_variable_says(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let elsewhere = sandbox.path("deep/er/logs");
        sandbox.stop().env("STOP_AUDITOR_LOG_DIR", &elsewhere.to_string_lossy()).auditor(&fake("pass")).run();
        c.equal("8.2", "lines in the usual place", sandbox.log_lines().len(), 0);
        c.equal("8.2", "logs in the other place", logs_below(&sandbox, "deep/er/logs"), 1);
        sandbox.stop().without_env("STOP_AUDITOR_LOG_DIR").auditor(&fake("pass")).run();
        let home = logs_below(&sandbox, "home/.claude/stop-auditor-logs");
        c.equal("8.1", "logs in ~/.claude/stop-auditor-logs", home, 1);
    }

    /// 8.3: what was talked about is nobody else's business.
    #[own]
    fn r8_3_log_and_notes_are_private(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("note")).run();
        for dir in ["logs", "logs/pending"] {
            c.equal("8.3", format!("mode of {dir}/"), mode(&sandbox.path(dir)), Some(0o700));
        }
        let files = sandbox.files_below("logs");
        c.that("8.3", "a log and a note are there", files.len() >= 2, "2 files", files.len().to_string());
        for file in files.into_iter().chain(sandbox.files_below("tmp")) {
            let name = file.strip_prefix(sandbox.root()).unwrap_or(&file).display().to_string();
            c.equal("8.3", format!("mode of {name}"), mode(&file), Some(0o600));
        }
    }

    /// 8.3: a log that was made open to others, by hand or by another hook, is closed; a folder that the person chose
    /// is theirs.
    #[own]
    fn r8_3_a_log_that_was_left_open_is_closed(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let folder = sandbox.path("home/.claude/stop-auditor-logs");
        let mut files: Vec<_> =
            journal::today().iter().map(|day| folder.join(format!("{day}.jsonl"))).collect();
        files.dedup();
        for file in &files {
            open_to_others(file);
        }
        let run = sandbox.stop().without_env("STOP_AUDITOR_LOG_DIR").auditor(&fake("pass")).run();
        c.that("8.3", "the turn is audited", run.silent(), "silence", run.seen());
        c.equal("8.3", "mode of the default folder", mode(&folder), Some(0o700));
        let written = files.iter().filter(|file| fs::metadata(file).is_ok_and(|data| data.len() > 0));
        let modes: Vec<_> = written.map(|file| mode(file)).collect();
        c.equal("8.3", "modes of the files that got a line", modes, vec![Some(0o600)]);

        let chosen = sandbox.path("logs");
        open_to_others(&chosen.join("x"));
        sandbox.stop().auditor(&fake("pass")).run();
        c.equal("8.3", "a line in the chosen folder", sandbox.log_lines().len(), 1);
        c.equal("8.3", "mode of a chosen folder", mode(&chosen), Some(0o755));
    }

    /// 8.3: parallel hooks write whole lines.
    fn r8_3_parallel_hooks_write_whole_lines(c: &mut Checks) {
        const N_HOOKS: usize = 8;
        let sandbox = Sandbox::new();
        let mut rows = Rows::new();
        rows.person(numbered("话", 300)).says(&numbered("答", 6_000));
        sandbox.transcript(rows.rows());
        let runs: Vec<Run> = thread::scope(|scope| {
            let sandbox = &sandbox;
            let start = |n: usize| {
                let reason = format!("VERDICT: FAIL - 第{n}个{}", "长".repeat(1_500));
                scope.spawn(move || {
                    sandbox.stop().set("session_id", format!("session-{n}")).auditor(&says(&reason)).run()
                })
            };
            let started: Vec<_> = (0..N_HOOKS).map(start).collect();
            started.into_iter().map(|thread| thread.join().expect("the hook ran")).collect()
        });
        c.that("8.3", "all of them worked", runs.iter().all(Run::blocked), "8 blocks", format!("{runs:?}"));
        let lines = sandbox.log_lines();
        c.equal("8.3", "lines", lines.len(), N_HOOKS);
        for n in 0..N_HOOKS {
            let whole = |line: &&Value| {
                line.is_object()
                    && journal::has(line, &json!(format!("session-{n}")))
                    && journal::mentions(line, &format!("第{n}个"))
            };
            c.equal("8.3", format!("whole lines of hook {n}"), lines.iter().filter(whole).count(), 1);
        }
    }
}

fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).map(|data| data.permissions().mode() & 0o777).ok()
}

/// Makes an empty file of mode 0644 in a folder of mode 0755.
fn open_to_others(file: &Path) {
    write(file, "");
    let folder = file.parent().expect("a file has a folder");
    for (path, mode) in [(file, 0o644), (folder, 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
    }
}

fn only_line(c: &mut Checks, sandbox: &Sandbox) -> Value {
    let mut lines = sandbox.log_lines();
    c.equal("8.1", "lines of one Stop", lines.len(), 1);
    lines.pop().unwrap_or_default()
}

fn logs_below(sandbox: &Sandbox, name: &str) -> usize {
    let files = sandbox.files_below(name);
    files.iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")).count()
}

/// `话001 话002 …`: a text in which every place can be told from every other.
fn numbered(word: &str, count: usize) -> String {
    let pieces: Vec<String> = (1..=count).map(|n| format!("{word}{n:04} ")).collect();
    pieces.concat()
}
