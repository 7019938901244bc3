//! Installing, uninstalling and the self-test command, through the binary and in a home of their own.
//! Every install runs the whole self-test, which waits for a time-out: cases of a table run side by side.
mod home;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::thread;

use home::{BINARY, Home, below, mode};
use serde_json::json;

use crate::kit::check::{Checks, checks};
use crate::kit::event::write;

const ITEMS: [&str; 8] = ["9.1", "9.2", "9.3", "9.4a", "9.4b", "9.4c", "9.5", "9.6"];

/// Settings of many looks: uninstall must give each of them back byte for byte.
const ACCEPTED: &[(&str, &str)] = &[
    ("tabs, no final newline", "{\n\t\"model\": \"opus\",\n\t\"x\": {\n\t\t\"y\": []\n\t}\n}"),
    ("4 spaces, CRLF", "{\r\n    \"model\": \"opus\"\r\n}\r\n"),
    ("minified", r#"{"z":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}]},"a":[1,2]}"#),
    ("empty object", "{ }\n"),
    ("empty containers", "{\"hooks\": {\"Stop\": [ ]}, \"env\": { }}"),
    (
        "BOM, big numbers, escapes",
        "\u{feff}{\n  \"n\": 12345678901234567890, \"f\": 1.00e+2,\n  \"u\": \"\\u4e2d\\/中\"\n}\n",
    ),
    (
        "other hooks, own variables",
        "{\n  \"env\": {\n    \"STOP_AUDITOR_TIMEOUT\": \"90\"\n  },\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \
         \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }]\n      }\n    ]\n  }\n}\n",
    ),
];

/// Settings that are left alone, and what the message must hold.
const REFUSED: &[(&str, &[u8], &str)] = &[
    ("line comment", b"{\n  // x\n  \"a\": 1\n}\n", "第 2 行第 3 列"),
    ("trailing comma", b"{\n  \"a\": [1,]\n}\n", "第 2 行第 10 列"),
    ("array", b"[]", "第 1 行第 1 列"),
    ("empty file", b"", "第 1 行第 1 列"),
    ("hooks is no object", b"{\"hooks\": 1}", "第 1 行第 11 列"),
    ("Stop is no array", b"{\"hooks\": {\"Stop\": {}}}", "第 1 行第 20 列"),
    ("not UTF-8", b"{\n \"\xff\": 1}", "第 2 行第 3 列"),
    ("cut off", b"{\"a\": 1", "第 1 行"),
    ("the same name twice", b"{\"hooks\": {},\n\"hooks\": {}}", "第 2 行第 1 列"),
];

checks! {
    /// 2.5, 3.1, 3.5: what is added, what is kept, what comes back.
    #[own]
    fn r3_5_install_then_uninstall_gives_every_file_back(c: &mut Checks) {
        side_by_side(c, ACCEPTED, |c, (name, old)| {
            let home = Home::with(old.as_bytes());
            fs::set_permissions(home.settings(), Permissions::from_mode(0o640)).unwrap();
            fs::create_dir(home.config().join("stop-auditor-logs")).unwrap();
            fs::write(home.config().join("stop-auditor-logs/2026-11-29.jsonl"), "{}\n").unwrap();
            let before = home.files();
            let install = home.run(&["install", "--auditor-cmd", "judge 'x y'", "--model", "m"]);
            c.that("10.2", format!("{name}: the self-test passes"), install.ok, "exit 0", &install.text);

            let backup = home.backups();
            let [backup] = backup.as_slice() else { panic!("{name}: {backup:?}") };
            c.equal(
                "2.5",
                format!("{name}: the backup holds the old bytes"),
                fs::read(backup).unwrap(),
                old.as_bytes().to_vec(),
            );
            c.equal("2.5", format!("{name}: and the mode"), mode(backup), 0o640);
            c.contains("2.5", format!("{name}: its path is told"), &install.text, backup.to_str().unwrap());
            c.equal("2.5", format!("{name}: settings.json keeps its mode"), mode(&home.settings()), 0o640);
            let wanted =
                home.expected(old, &[("STOP_AUDITOR_CMD", "judge 'x y'"), ("STOP_AUDITOR_MODEL", "m")]);
            c.equal("2.5", format!("{name}: only additions, each at its end"), home.value(), wanted);
            c.equal(
                "3.1",
                format!("{name}: the binary is a copy"),
                fs::read(home.binary()).unwrap() == fs::read(BINARY).unwrap(),
                true,
            );
            c.equal("3.1", format!("{name}: and can be run"), mode(&home.binary()), 0o755);

            let uninstall = home.run(&["uninstall"]);
            c.that("3.5", format!("{name}: uninstall succeeds"), uninstall.ok, "exit 0", &uninstall.text);
            let mut after = home.files();
            after.retain(|path, _| !path.to_string_lossy().contains("stop-auditor-backup"));
            c.equal(
                "3.5",
                format!("{name}: all that was there is back, and nothing else, but for backups"),
                after,
                before,
            );
        });
    }

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

    /// 3.3: what the client would drop whole is not touched, nor is anything else.
    #[own]
    fn r3_3_a_broken_file_is_refused_with_its_place(c: &mut Checks) {
        for (name, bytes, place) in REFUSED {
            let home = Home::with(bytes);
            let before = home.files();
            for command in [&["install", "--force"][..], &["install", "--dry-run"], &["uninstall"]] {
                let run = home.run(command);
                c.that("3.3", format!("{name}: {command:?} is refused"), !run.ok, "exit 1", &run.text);
                c.contains("3.3", format!("{name}: {command:?} tells the place"), &run.text, place);
                c.equal("3.3", format!("{name}: {command:?} changes nothing"), home.files() == before, true);
            }
        }
    }

    /// 3.3: where a file cannot be put, nothing is changed and nothing is left lying about.
    #[own]
    fn r3_3_what_cannot_be_written_changes_nothing(c: &mut Checks) {
        let home = Home::with(b"{}");
        fs::write(home.config().join("hooks"), "a file where the folder should be").unwrap();
        let before = home.files();
        let run = home.run(&["install"]);
        c.that("3.3", "no place for the binary: refused", !run.ok, "exit 1", &run.text);
        c.equal("3.3", "no place for the binary: nothing changed", home.files() == before, true);
        let below_a_file = home.settings().join("settings.json");
        let run = home.run(&["install", "--settings", below_a_file.to_str().unwrap()]);
        c.that("3.3", "no place for the settings: refused", !run.ok, "exit 1", &run.text);
        c.equal("3.3", "no place for the settings: nothing changed", home.files() == before, true);
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

    /// 2.5: a symbolic link stays one; its target is written.
    #[own]
    fn r2_5_a_linked_file_stays_linked(c: &mut Checks) {
        let home = Home::new();
        let target = home.sandbox.path("dotfiles.json");
        fs::create_dir_all(home.config()).unwrap();
        fs::write(&target, "{\"a\":1}").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        symlink(&target, home.settings()).unwrap();
        home.run(&["install"]);
        c.equal("2.5", "still a link", fs::symlink_metadata(home.settings()).unwrap().is_symlink(), true);
        c.equal("2.5", "the target is registered", home.value(), home.expected("{\"a\":1}", &[]));
        c.equal("2.5", "the target's mode", mode(&target), 0o600);
        home.run(&["uninstall"]);
        c.equal(
            "3.5",
            "the target's old bytes",
            fs::read_to_string(&target).unwrap(),
            "{\"a\":1}".to_owned(),
        );
        c.equal("3.5", "still a link", fs::symlink_metadata(home.settings()).unwrap().is_symlink(), true);
    }

    /// 3.5: the person's own auditor is neither overwritten nor removed.
    #[own]
    fn r3_5_the_persons_own_variables_survive(c: &mut Checks) {
        let old = r#"{"env":{"STOP_AUDITOR_CMD":"mine"}}"#;
        let home = Home::with(old.as_bytes());
        let run = home.run(&["install", "--auditor-cmd", "other"]);
        c.that(
            "3.5",
            "another value is refused",
            !run.ok && run.text.contains("--force"),
            "exit 1",
            &run.text,
        );
        c.equal("3.5", "and nothing changed", fs::read_to_string(home.settings()).unwrap(), old.to_owned());
        home.run(&["install"]);
        home.run(&["uninstall"]);
        c.equal("3.5", "it survives", fs::read_to_string(home.settings()).unwrap(), old.to_owned());
        home.run(&["install", "--auditor-cmd", "other", "--force"]);
        c.equal(
            "3.5",
            "--force replaces it",
            home.value()["env"].clone(),
            json!({"STOP_AUDITOR_CMD": "other"}),
        );
        home.run(&["uninstall"]);
        c.equal(
            "3.5",
            "and uninstall brings it back",
            fs::read_to_string(home.settings()).unwrap(),
            old.to_owned(),
        );
    }

    /// 3.5: what the person changed since the install stays changed; ours goes all the same, backup or not.
    #[own]
    fn r3_5_a_change_made_since_stays(c: &mut Checks) {
        side_by_side(c, &[true, false], |c, with_backup| {
            let home = Home::with(b"{\n  \"a\": 1,\n  \"b\": 2\n}\n");
            home.run(&["install", "--model", "m"]);
            let installed = fs::read_to_string(home.settings()).unwrap();
            fs::write(home.settings(), installed.replace("\"a\": 1", "\"a\": 3")).unwrap();
            if !with_backup {
                fs::remove_file(home.backups().remove(0)).unwrap();
            }
            home.run(&["uninstall"]);
            let left = fs::read_to_string(home.settings()).unwrap();
            c.equal(
                "3.5",
                format!("with a backup: {with_backup}"),
                left,
                "{\n  \"a\": 3,\n  \"b\": 2\n}\n".to_owned(),
            );
        });
    }

    /// 3.5: the program stays while the user's own settings run it: a hook without its program fails at every turn.
    #[own]
    fn r3_5_another_files_uninstall_leaves_the_program_to_the_user(c: &mut Checks) {
        for is_users in [true, false] {
            let home = Home::new();
            let registered = home.expected("{}", &[]).to_string();
            let user = if is_users { registered.as_str() } else { "{}" };
            let other = home.sandbox.path("project/settings.json");
            for (path, text) in [(home.settings(), user), (other.clone(), &registered)] {
                write(&path, text);
            }
            fs::create_dir(home.config().join("hooks")).unwrap();
            fs::copy(BINARY, home.binary()).unwrap();
            let run = home.run(&["uninstall", "--settings", other.to_str().unwrap()]);
            c.that("3.5", "it succeeds", run.ok, "exit 0", &run.text);
            let left = fs::read_to_string(&other).unwrap_or_default();
            c.absent("3.5", "the other file is rid of it", &left, "stop-auditor");
            let what = format!("registered in the user's settings: {is_users}; the program is there");
            c.equal("3.5", what, home.binary().exists(), is_users);
            c.equal(
                "3.5",
                "the user's settings are as they were",
                fs::read_to_string(home.settings()).unwrap(),
                user.to_owned(),
            );
        }
    }

    /// 1.7: Claude's own vendor is refused, also with --force and also where the settings say so already.
    #[own]
    fn r1_7_install_refuses_an_anthropic_auditor(c: &mut Checks) {
        let present = r#"{"env":{"STOP_AUDITOR_CMD":"npx claude -p"}}"#;
        for (settings, arguments) in [
            ("{}", &["--auditor-cmd", "claude -p"][..]),
            ("{}", &["--model", "claude-opus-5", "--force"]),
            (present, &[]),
        ] {
            let home = Home::with(settings.as_bytes());
            let before = home.files();
            let run = home.run(&[&["install"], arguments].concat());
            c.that("1.7", format!("{settings} {arguments:?} is refused"), !run.ok, "exit 1", &run.text);
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
        let uninstall = home.run(&["uninstall"]);
        c.contains("3.5", "uninstall says that logs stay", &uninstall.text, "日志");
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
