//! The main job by hand: `stop-auditor try`. Only our own program has it.
use std::collections::BTreeSet;
use std::path::Path;

use assert_cmd::Command;
use serde_json::json;

use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;
use crate::kit::terminal::at_a_terminal;

/// What `try` printed, what it said on standard error, and whether it ended well.
struct Tried {
    out: String,
    err: String,
    ok: bool,
}

fn command(sandbox: &Sandbox, arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
    command
        .env_clear()
        // A machine without Codex: the shell's own programs only.
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", sandbox.path("home"))
        .env("TMPDIR", sandbox.path("tmp"))
        .env("STOP_AUDITOR_LOG_DIR", sandbox.path("logs"))
        .arg("try")
        .args(arguments);
    command
}

fn tried(sandbox: &Sandbox, arguments: &[&str]) -> Tried {
    let command = Command::from_std(command(sandbox, arguments));
    let output = { command }.timeout(std::time::Duration::from_secs(30)).output().unwrap();
    Tried {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        ok: output.status.success(),
    }
}

fn is_empty(folder: &Path) -> bool {
    !folder.exists() || std::fs::read_dir(folder).unwrap().next().is_none()
}

checks! {
    /// A newcomer's first command, on a machine without Codex.
    #[own]
    fn r1_1_try_audits_the_built_in_example_with_a_stand_in(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let tried = tried(&sandbox, &[]);
        c.that("1.1", "it ends well", tried.ok, "exit code 0", tried.err.clone());
        c.contains("1.1", "it says that a stand-in judges", &tried.out, "替身审计员");
        c.contains("1.1", "the verdict", &tried.out, "判定：VERDICT: FAIL - ");
        c.contains(
            "6.7",
            "what Claude would be told",
            &tried.out,
            "独立审计员（替身审计员）判定本轮存在偏差：",
        );
        c.that("9.9", "no log", is_empty(&sandbox.path("logs")), "an empty folder", "files");
        c.that("9.9", "nothing left behind", is_empty(&sandbox.path("tmp")), "an empty folder", "files");
    }

    /// The turn that was asked for, its prompt, and another auditor.
    #[own]
    fn r1_1_try_shows_the_prompt_of_the_turn_asked_for(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let path = sandbox.transcript(Rows::two_turns().rows());
        let transcript = path.to_str().unwrap();
        let auditor = ["--auditor-cmd", "cat >/dev/null; echo 'VERDICT: NOTE - small'"];
        let last = tried(&sandbox, &[&[transcript, "--show-prompt"], &auditor[..]].concat());
        let (_, current) = last.out.split_once("【当前轮】\n").unwrap_or_default();
        c.contains("1.1", "the last turn", current, "CURRENT-OUTPUT 12 passed");
        c.absent("1.2", "thinking", &last.out, "THOUGHT");
        c.contains(
            "6.8",
            "the remark",
            &last.out,
            "审计提示（cat，没打回，你下次发消息时会转给 Claude）：small",
        );
        let before = tried(&sandbox, &[&[transcript, "--show-prompt", "--turn", "2"], &auditor[..]].concat());
        let (_, current) = before.out.split_once("【当前轮】\n").unwrap_or_default();
        c.contains("1.1", "the turn before", current, "EARLIER-OUTPUT");
        c.absent("1.1", "nothing of the turn after it", &before.out, "CURRENT");
    }

    /// What the hook keeps back by the settings or the environment is not sent by hand either.
    #[own]
    fn p_1_try_keeps_back_what_the_hook_does(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("看看");
        for (n, name) in ["a.env", "b.pem", "c.txt"].into_iter().enumerate() {
            let id = format!("toolu_{n}");
            rows.call(&id, "Read", json!({"file_path": format!("/srv/{name}")}));
            rows.result(&id, format!("CONTENT-OF-{name} ghp_abcdefghijklmnopqrstuvwxyz0123456789"));
        }
        let sandbox = Sandbox::new();
        let path = sandbox.transcript(rows.says("看了").rows());
        let settings = sandbox.path("home/.claude/settings.json");
        let arguments =
            [path.to_str().unwrap(), "--show-prompt", "--auditor-cmd", "cat >/dev/null; echo VERDICT: PASS"];
        let both = tried(&sandbox, &arguments);
        c.contains("P.1", "without a setting", &both.out, "CONTENT-OF-b.pem");
        c.contains("4.15", "the number of keys", &both.out, "密钥：读到 1 个");
        write(&settings, json!({"env": {"STOP_AUDITOR_IGNORE": "*.pem"}}).to_string());
        let kept_back = tried(&sandbox, &arguments);
        c.that("P.1", "it ends well", kept_back.ok, "exit code 0", kept_back.err.clone());
        c.absent("P.1", "by the settings", &kept_back.out, "CONTENT-OF-b.pem");
        c.contains("P.1", "another file", &kept_back.out, "CONTENT-OF-c.txt");
        write(&settings, json!({"env": {"STOP_AUDITOR_SEND_KEYS": "1"}}).to_string());
        let sent = tried(&sandbox, &arguments);
        c.contains(
            "4.15",
            "what the hook would send is shown",
            &sent.out,
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        );
        c.absent("4.15", "nothing is said to be blotted then", &sent.out, "密钥：读到");
        write(&settings, json!({"env": {"STOP_AUDITOR_IGNORE": "*.{pem"}}).to_string());
        let bad = tried(&sandbox, &arguments);
        c.that("P.1", "a bad pattern", !bad.ok && !bad.out.contains("CONTENT"), "nothing is shown", bad.out);
        c.contains("P.1", "a bad pattern is told", &bad.err, "STOP_AUDITOR_IGNORE");
    }

    /// What was read is told before anybody is asked: from where, which turn, and whether all of it is in the prompt.
    #[own]
    fn r1_1_try_tells_what_it_read(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = ["--auditor-cmd", "cat >/dev/null; echo VERDICT: PASS"];
        let own = tried(&sandbox, &auditor);
        for line in [
            "会话记录：内置的例子（合成的会话）",
            "倒数第 1 轮：「这个仓库里还有地方调用 parse_order 吗？」，0 次工具调用",
            "之前的轮次：列出 1 轮",
        ] {
            c.that("1.1", line, own.out.lines().any(|told| told == line), line, &own.out);
        }
        let lines = |text: &str, start: &str| {
            text.lines().find_map(|line| line.strip_prefix(start).map(str::to_owned))
        };
        let mut rows = Rows::new();
        let mut seen = BTreeSet::new();
        for before in 0..24_usize {
            rows.person(format!("第 {before} 问：{}", "问".repeat(2_000)));
            rows.call(&format!("toolu_{before}"), "Bash", json!({"command": "ls"}));
            rows.result(&format!("toolu_{before}"), "出".repeat(if before == 23 { 90_000 } else { 10 }));
            rows.says(&"答".repeat(2_000));
            let path = sandbox.transcript(rows.rows());
            let told = tried(&sandbox, &[&[path.to_str().unwrap()], &auditor[..]].concat());
            c.equal("1.1", "from where", lines(&told.out, "会话记录："), Some(path.display().to_string()));
            let turn = lines(&told.out, "倒数第 1 轮：「").unwrap_or_default();
            c.that(
                "1.1",
                "which turn",
                turn.starts_with(&format!("第 {before} 问：")),
                before.to_string(),
                &turn,
            );
            c.that("1.1", "its calls", turn.ends_with("，1 次工具调用"), "1", turn);
            let listed = lines(&told.out, "之前的轮次：列出 ").unwrap_or_default();
            let (number, more) = listed.split_once(" 轮").unwrap_or_default();
            let all = number == before.to_string();
            c.equal(
                "1.1",
                format!("{number} of {before} turns"),
                more,
                if all { "" } else { "，更早的没有列出" },
            );
            seen.insert(all);
            let prompt = lines(&told.out, "提示词：").unwrap_or_default();
            // Between the two it depends on how the turns before it share the room.
            let cut = match before {
                0 => "字，本轮的内容没有截短",
                23 => "字，本轮的内容有截短",
                _ => "截短",
            };
            c.that("1.1", format!("{before}: cut"), prompt.ends_with(cut), cut, prompt);
        }
        c.equal("1.1", "sessions of both kinds", seen.len(), 2);
    }

    /// While the auditor works standard error says how long: in one line that changes on a terminal, else once.
    #[own]
    fn r1_1_try_tells_how_long_it_has_been_waiting(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let quick = "cat >/dev/null; echo VERDICT: PASS";
        let slow = format!("sleep 4; {quick}");
        let waits = "等 sleep 答复：";
        let on_a_terminal = |auditor: &str| {
            at_a_terminal(command(&sandbox, &["--auditor-cmd", auditor]), None, "", |command| command).text
        };
        let (slowly, elsewhere) = std::thread::scope(|scope| {
            let elsewhere = scope.spawn(|| tried(&sandbox, &["--auditor-cmd", &slow]).err);
            (on_a_terminal(&slow), elsewhere.join().unwrap())
        });
        // A busy machine may make the first second longer.
        let told = elsewhere.strip_prefix(waits).and_then(|rest| rest.strip_suffix(" 秒（最多 150 秒）\n"));
        let is_number = told.is_some_and(|seconds| seconds.parse::<u32>().is_ok());
        c.that("1.1", "elsewhere, once", is_number, format!("{waits}1 秒（最多 150 秒）"), &elsewhere);
        let lines = slowly.matches(&format!("\r{waits}")).count();
        c.that("1.1", "on a terminal, again and again", lines >= 2, "twice", &slowly);
        c.that("1.1", "and what follows begins a line", slowly.contains("秒）\n用时 "), "a line", slowly);
        let quickly = on_a_terminal(quick);
        c.that(
            "1.1",
            "an auditor that answers at once",
            quickly.contains("）\n用时 ") || quickly.contains("\r等 "),
            "nothing between",
            quickly,
        );
    }

    /// The auditor asked is the hook's, or the one that is named; a model alone is another one of the hook's auditor.
    #[own]
    fn r1_1_try_asks_the_auditor_that_is_named(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let (hooks, other) = ("cat >/dev/null; echo VERDICT: PASS", "cat >/dev/null; echo  VERDICT: PASS");
        let env = json!({"env": {"STOP_AUDITOR_CMD": hooks, "STOP_AUDITOR_MODEL": "hooks"}});
        write(&sandbox.path("home/.claude/settings.json"), env.to_string());
        for (arguments, named) in [
            (&[][..], format!("审计员：hooks（{hooks}）")),
            (&["--model", "other"], format!("审计员：other（{hooks}）")),
            (&["--auditor-cmd", other], format!("审计员：hooks（{other}）")),
            (&["--auditor-cmd", other, "--model", "other"], format!("审计员：other（{other}）")),
        ] {
            let tried = tried(&sandbox, arguments);
            c.that(
                "1.1",
                format!("{arguments:?}"),
                tried.out.lines().any(|line| line == named),
                named,
                &tried.out,
            );
        }
    }

    /// What cannot be audited is said, with what to do.
    #[own]
    fn r1_5_try_says_why_it_did_not_audit(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let path = sandbox.transcript(Rows::two_turns().rows());
        let transcript = path.to_str().unwrap();
        for (arguments, told) in [
            (vec![transcript], "--auditor-cmd"),
            (vec!["/no/such/file"], "/no/such/file"),
            (vec![transcript, "--turn", "7"], "没有倒数第 7 轮"),
            (vec![transcript, "--auditor-cmd", "claude -p"], "Claude 自家"),
        ] {
            let tried = tried(&sandbox, &arguments);
            c.that("1.5", format!("{arguments:?} fails"), !tried.ok, "exit code 1", tried.out);
            c.contains("1.5", format!("{arguments:?} says why"), &tried.err, told);
        }
        let failed =
            tried(&sandbox, &[transcript, "--auditor-cmd", "echo sk-abcdefghijklmnopqrst >&2; exit 3"]);
        c.contains("1.5", "what the person would see", &failed.out, "⚠️ 审计员不可用（");
        c.absent("6.12", "a key in the auditor's complaint", &failed.out, "abcdefghijklmnopqrst");
    }
}
