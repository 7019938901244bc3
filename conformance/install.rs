//! Installing, uninstalling and the self-test command, through the binary and in a home of their own.
//! Every install runs the whole self-test, which waits for a time-out: cases of a table run side by side.
pub(crate) mod auditor;
pub(crate) mod home;
pub(crate) mod settings;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Stdio;
use std::thread;

use home::{BINARY, Home, below};
use pty_process::blocking::Command;
use serde_json::json;

use crate::kit::check::{Checks, checks};
use crate::kit::terminal::at_a_terminal;

const ITEMS: [&str; 8] = ["9.1", "9.2", "9.3", "9.4a", "9.4b", "9.4c", "9.5", "9.6"];

checks! {
    /// 3.1: nothing was there; afterwards nothing is left.
    #[own]
    fn r3_1_a_home_without_settings_gets_exactly_the_registrations(c: &mut Checks) {
        let home = Home::new();
        let install = home.run(&["install"]);
        c.that("3.1", "install succeeds", install.ok, "exit 0", &install.text);
        c.equal("3.1", "settings.json", home.value(), home.expected("{}", &[]));
        let command = home.value()["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
        let words = shlex::split(&command).unwrap();
        c.equal(
            "3.1",
            "the command is one absolute path, quoted for sh",
            words,
            vec![home.binary().to_str().unwrap().to_owned()],
        );
        c.that(
            "3.1",
            "the sandbox's path needs quotes",
            command.starts_with(['\'', '"']),
            "a quote",
            command,
        );
        home.run(&["uninstall"]);
        c.equal("3.5", "settings.json is gone", home.settings().exists(), false);
        c.equal("3.5", "the hooks folder is gone", home.config().join("hooks").exists(), false);
    }

    /// 3.2: the second time nothing is written at all; a newer binary is put in place; options that are not given
    /// leave what is there.
    #[own]
    fn r3_2_a_second_install_changes_nothing(c: &mut Checks) {
        let home = Home::with(b"{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}, 7]\n  }\n}\n");
        home.run(&["install", "--model", "m"]);
        let stamps = |home: &Home| {
            [home.settings(), home.binary()].map(|path| {
                let metadata = fs::metadata(path).unwrap();
                (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
            })
        };
        let (files, before) = (home.files(), stamps(&home));
        let again = home.run(&["install"]);
        c.that("3.2", "the second install succeeds", again.ok, "exit 0", &again.text);
        c.equal("3.2", "every file is the same, backups included", home.files() == files, true);
        c.equal("3.2", "and was not even written again", stamps(&home), before);
        c.equal("3.2", "other hooks stay first", home.value()["hooks"]["Stop"][1].clone(), json!(7));

        let mut older = fs::read(BINARY).unwrap();
        older.push(0);
        fs::write(home.binary(), older).unwrap();
        home.run(&["install"]);
        c.equal(
            "3.1",
            "another build is replaced",
            fs::read(home.binary()).unwrap() == fs::read(BINARY).unwrap(),
            true,
        );
    }

    /// 3.2: a registration of an older path is changed in place.
    #[own]
    fn r3_2_an_older_registration_is_not_doubled(c: &mut Checks) {
        let old = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/stop-auditor","timeout":180}]},1]}}"#;
        let home = Home::with(old.as_bytes());
        home.run(&["install"]);
        let stop = home.value()["hooks"]["Stop"].clone();
        c.equal("3.2", "Stop", stop, json!([home.group(180), 1]));
    }

    /// 3.1: a file of somebody else's in the binary's place is not lost.
    #[own]
    fn r3_1_a_foreign_file_in_the_place_is_kept(c: &mut Checks) {
        let home = Home::with(b"{}");
        fs::create_dir(home.config().join("hooks")).unwrap();
        fs::write(home.binary(), "#!/bin/sh\n").unwrap();
        let before = home.files();
        let run = home.run(&["install"]);
        c.that("3.1", "refused", !run.ok && run.text.contains("--force"), "exit 1 and what to do", &run.text);
        c.equal("3.1", "nothing changed", home.files() == before, true);
        home.run(&["uninstall"]);
        c.equal("3.5", "uninstall leaves it", home.files() == before, true);
    }

    /// 1.7: Claude's own vendor is refused, also with --force and also where the settings say so already.
    #[own]
    fn r1_7_install_refuses_an_anthropic_auditor(c: &mut Checks) {
        let present = r#"{"env":{"STOP_AUDITOR_CMD":"npx claude -p"}}"#;
        for (settings, arguments, told) in [
            ("{}", &["--auditor-cmd", "claude -p"][..], "claude -p"),
            ("{}", &["--model", "claude-opus-5", "--force"], "claude-opus-5"),
            ("{}", &["--auditor-cmd", "judge", "--model", "claude-opus-5"], "judge，模型 claude-opus-5"),
            (present, &[], "npx claude -p"),
        ] {
            let home = Home::with(settings.as_bytes());
            let before = home.files();
            let run = home.run(&[&["install"], arguments].concat());
            c.that("1.7", format!("{settings} {arguments:?} is refused"), !run.ok, "exit 1", &run.text);
            let told = format!("自家的模型：{told}。");
            c.contains("1.7", format!("{settings} {arguments:?}: what it is"), &run.text, &told);
            c.equal("1.7", format!("{settings} {arguments:?} changes nothing"), home.files() == before, true);
        }
    }

    /// 10.1: the hand-over, line by line.
    #[own]
    fn r10_1_install_hands_over(c: &mut Checks) {
        let home = Home::with(b"{\n  \"a\": 1\n}\n");
        let before = home.files();
        let dry = home.run(&["install", "--dry-run"]);
        c.contains("10.1", "--dry-run prints the diff", &dry.text, "+  \"hooks\": {");
        c.equal("10.1", "and changes nothing", home.files() == before, true);

        let run = home.run(&["install"]);
        for path in [home.binary(), home.settings(), home.backups().remove(0)] {
            c.contains("10.1", "a file that was made or changed", &run.text, path.to_str().unwrap());
        }
        for line in ["第 2 行 -   \"a\": 1\n", "第 2 行 +   \"a\": 1,\n", "第 3 行 +   \"hooks\": {\n"]
        {
            c.contains("10.1", "a changed line with its number", &run.text, line);
        }
        for item in ITEMS {
            c.contains("10.1", "an item's outcome", &run.text, &format!("  {item} 通过\n"));
        }
        c.contains("10.1", "how to turn it off", &run.text, "删掉");
        c.contains("10.1", "the other way", &run.text, "stop-auditor uninstall");
        for warning in ["自测没有全过", "环境里设着"] {
            c.absent("10.1", "nothing to warn of", &run.text, warning);
        }
    }

    /// 10.1: what keeps an install from being one, or from asking the auditor that it wrote, stands in the hand-over.
    #[own]
    fn r10_1_install_hands_over_what_is_wrong(c: &mut Checks) {
        for (auditor, is_told) in [("judge", true), ("", false)] {
            let home = Home::new();
            // Without a shell the self-test cannot run what is registered.
            let mut command = home.command("/nonexistent", &["install", "--force"]);
            command.env("STOP_AUDITOR_CMD", auditor);
            let run = Home::said(command);
            c.equal("10.2", "a self-test that fails: exit code", run.code, Some(1));
            c.contains("10.1", "it is no install yet", &run.text, "自测没有全过，不算装好");
            c.equal("10.1", "the registration is there", home.value(), home.expected("{}", &[]));
            let what = format!("the environment's auditor {auditor:?} is told");
            c.equal("10.1", what, run.text.contains("环境里设着 STOP_AUDITOR_CMD"), is_told);
        }
    }

    /// 3.5, 10.1: what uninstall would do, and what it did, line by line.
    #[own]
    fn r3_5_uninstall_says_what_it_takes_away(c: &mut Checks) {
        let cases = [
            (
                Some("{\n  \"a\": 1\n}\n"),
                "会先备份再改",
                &["第 2 行 -   \"a\": 1,\n", "第 2 行 +   \"a\": 1\n", "第 3 行 -   \"hooks\": {\n"][..],
            ),
            (None, "会先备份再删掉", &["第 1 行 - {\n", "第 2 行 -   \"hooks\": {\n"]),
        ];
        side_by_side(c, &cases, |c, (old, would, lines)| {
            let home = old.map_or_else(Home::new, |old| Home::with(old.as_bytes()));
            let nothing = home.run(&["uninstall", "--dry-run"]);
            c.that(
                "3.5",
                "nothing to take away",
                nothing.text.contains("没有要去掉的"),
                "said",
                &nothing.text,
            );
            let nothing = home.run(&["uninstall"]);
            c.that("3.5", "nothing was there", nothing.text.starts_with("没有装过："), "said", &nothing.text);
            home.run(&["install"]);
            let before = home.files();
            let dry = home.run(&["uninstall", "--dry-run"]);
            c.that("3.5", format!("{old:?}: --dry-run"), dry.ok, "exit 0", &dry.text);
            c.equal("3.5", format!("{old:?}: --dry-run changes nothing"), home.files() == before, true);
            let path = home.settings().display().to_string();
            for told in [&format!("{would} {path}\n"), "\n-  \"hooks\": {\n"] {
                c.contains("3.5", format!("{old:?}: --dry-run"), &dry.text, told);
            }
            let run = home.run(&["uninstall"]);
            for line in *lines {
                c.contains("3.5", format!("{old:?}: a line with its number"), &run.text, line);
            }
            c.contains("3.5", format!("{old:?}: that logs stay"), &run.text, "日志");
        });
    }

    /// 10.2: the self-test looks at what is registered, with command, output and outcome, and can fail.
    #[own]
    fn r10_2_selftest_looks_at_the_registered_command(c: &mut Checks) {
        let home = Home::new();
        let run = home.run(&["selftest"]);
        c.that("10.2", "nothing registered: it tests itself and says so", run.ok, "exit 0", &run.text);
        c.contains("10.2", "nothing registered: says so", &run.text, "没有注册");

        let broken = home.sandbox.path("stop-auditor");
        fs::write(&broken, "#!/bin/sh\ncat >/dev/null\necho broken-output\n").unwrap();
        fs::set_permissions(&broken, Permissions::from_mode(0o755)).unwrap();
        let command = shlex::try_quote(broken.to_str().unwrap()).unwrap().into_owned();
        let group = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
        fs::create_dir_all(home.config()).unwrap();
        fs::write(home.settings(), json!({ "hooks": { "Stop": group } }).to_string()).unwrap();
        let run = home.run(&["selftest"]);
        c.equal("10.2", "a broken hook: exit 1", run.code, Some(1));
        c.contains("10.2", "the registered command is told", &run.text, &command);
        c.contains("10.2", "its output", &run.text, "broken-output");
        for item in ITEMS {
            c.contains("10.2", "a broken hook: every item", &run.text, &format!("  {item} 没过\n"));
        }
        let own = shlex::try_quote(BINARY).unwrap();
        let run = home.run(&["selftest", "--command", &own]);
        c.that("10.2", "--command goes before the registered one", run.ok, "exit 0", &run.text);
    }

    /// 9.9: neither the home nor the temporary directory holds anything afterwards.
    #[own]
    fn r9_9_selftest_leaves_nothing_behind(c: &mut Checks) {
        let home = Home::with(b"{\"a\":1}");
        let before = below(home.sandbox.root());
        let run = home.run(&["selftest"]);
        c.that("9.9", "the self-test ran", run.ok, "exit 0", &run.text);
        c.equal("9.9", "nothing was written that is still there", below(home.sandbox.root()) == before, true);
    }

    /// 6.11: a wrong argument in a registered command must not be taken for a block.
    #[own]
    fn r6_11_a_wrong_argument_is_not_exit_code_2(c: &mut Checks) {
        let home = Home::new();
        for arguments in [&["--nonsense"][..], &["install", "--nonsense"], &["nonsense"]] {
            c.equal("6.11", format!("{arguments:?}"), home.run(arguments).code, Some(1));
        }
        for arguments in
            [&["--help"][..], &["install", "--help"], &["uninstall", "--help"], &["selftest", "--help"]]
        {
            let run = home.run(arguments);
            c.that(
                "10.1",
                format!("{arguments:?} teaches with an example"),
                run.ok && run.text.contains("例："),
                "例：",
                run.text,
            );
        }
    }

    /// 2.3: on a terminal another auditor is asked for; where the question or the answer has none, it is not.
    #[own]
    fn r2_3_on_a_terminal_another_auditor_is_asked_for(c: &mut Checks) {
        type Streams = fn(Command) -> Command;
        const QUESTION: &str = "换哪个审计员？";
        let whole = |command: Command| command;
        let deaf = |command: Command| command.stdin(Stdio::null());
        let mute = |command: Command| command.stderr(Stdio::null());
        let cases: [(&str, Streams, &str, Option<&str>); 5] = [
            ("judge 'x y'\n", whole, QUESTION, Some("judge 'x y'")),
            ("\n", whole, QUESTION, None),
            ("claude -p\n", whole, "自家", None),
            ("judge\n", deaf, "PATH 里没有 codex", None),
            ("judge\n", mute, "judge", None),
        ];
        for (typed, streams, told, written) in cases {
            let home = Home::with(b"{}");
            fs::remove_file(home.sandbox.path("bin/codex")).unwrap();
            let before = home.files();
            let shown = at_a_terminal(home.command("/usr/bin:/bin", &["install"]), None, typed, streams);
            let what = format!("{typed:?}, expecting {told}");
            c.equal("2.3", format!("{what}: exit code"), shown.code, Some(i32::from(written.is_none())));
            c.contains("2.3", &what, &shown.text, told);
            match written {
                Some(written) => {
                    c.equal("3.1", what, home.value(), home.expected("{}", &[("STOP_AUDITOR_CMD", written)]));
                }
                None => c.equal("2.5", format!("{what}: nothing changed"), home.files() == before, true),
            }
        }
    }

    /// 2.3: without an auditor that can be asked nothing is installed, unless somebody says so.
    #[own]
    fn r2_3_install_looks_at_the_auditor_first(c: &mut Checks) {
        let home = Home::with(b"{}\n");
        fs::remove_file(home.sandbox.path("bin/codex")).unwrap();
        let before = home.files();
        let refused = home.run_on("/usr/bin:/bin", &["install"]);
        c.that("2.3", "it is refused", !refused.ok, "exit code 1", &refused.text);
        for told in ["PATH 里没有 codex", "--auditor-cmd", "--force"] {
            c.contains("2.3", "what to do", &refused.text, told);
        }
        c.that("2.5", "nothing was changed", home.files() == before, "the same files", "others");
        for arguments in [&["install", "--force"][..], &["install", "--auditor-cmd", "judge"]] {
            let home = Home::with(b"{}\n");
            fs::remove_file(home.sandbox.path("bin/codex")).unwrap();
            let installed = home.run_on("/usr/bin:/bin", arguments);
            c.that("2.3", format!("{arguments:?} installs"), installed.ok, "exit code 0", &installed.text);
        }
    }
}

/// Runs the cases of a table at the same time, and their checks come in the table's order.
fn side_by_side<T: Sync>(c: &mut Checks, cases: &[T], check: impl Fn(&mut Checks, &T) + Sync) {
    assert!(!cases.is_empty(), "no cases");
    thread::scope(|scope| {
        let check = &check;
        let running: Vec<_> = cases
            .iter()
            .map(|case| {
                scope.spawn(move || {
                    let mut own = Checks::default();
                    check(&mut own, case);
                    own
                })
            })
            .collect();
        for case in running {
            c.append(case.join().unwrap());
        }
    });
}
