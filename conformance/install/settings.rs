//! What becomes of `settings.json` and of the files beside it: only added to, given back byte for byte, and left alone
//! where it cannot be read.
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::home::{BINARY, Home, mode};
use super::side_by_side;
use crate::kit::check::checks;
use crate::kit::event::write;

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

    /// 3.5: a file that was there before is the person's, though nothing but an older install's registration is in it.
    #[own]
    fn r3_5_a_file_that_was_there_is_emptied(c: &mut Checks) {
        let home = Home::new();
        write(&home.settings(), home.expected("{}", &[]).to_string().replace("180", "60"));
        home.run(&["install"]);
        let run = home.run(&["uninstall"]);
        c.that("3.5", "it succeeds", run.ok, "exit 0", &run.text);
        c.equal(
            "3.5",
            "what is left",
            fs::read_to_string(home.settings()).unwrap_or_default(),
            "{}\n".to_owned(),
        );
    }

    /// 3.5: a file that only the install made, which the person linked into place afterwards, is emptied and not taken.
    #[own]
    fn r3_5_a_file_that_was_linked_since_is_emptied(c: &mut Checks) {
        let home = Home::new();
        home.run(&["install"]);
        let target = home.sandbox.path("dotfiles.json");
        fs::rename(home.settings(), &target).unwrap();
        symlink(&target, home.settings()).unwrap();
        let run = home.run(&["uninstall"]);
        c.that("3.5", "it succeeds", run.ok, "exit 0", &run.text);
        c.equal("3.5", "what the link leads to", home.value(), json!({}));
        c.equal("3.5", "still a link", fs::symlink_metadata(home.settings()).unwrap().is_symlink(), true);
    }

    /// 2.5, 3.5: a relative path is taken from where the command runs, and its backups lie there too.
    #[own]
    fn r3_5_a_relative_path_is_as_good(c: &mut Checks) {
        let old = r#"{"hooks":{ }}"#;
        let home = Home::with(old.as_bytes());
        let there = home.sandbox.path("project/settings.json");
        write(&there, old);
        for words in
            [["install", "--settings", "settings.json"], ["uninstall", "--settings", "settings.json"]]
        {
            let run = home.run(&words);
            c.that("3.5", format!("{words:?} succeeds"), run.ok, "exit 0", &run.text);
        }
        c.equal("3.5", "the old bytes", fs::read_to_string(&there).unwrap(), old.to_owned());
        let backup = home.sandbox.path("project/settings.json.stop-auditor-backup.1");
        c.equal("2.5", "the backup", fs::read_to_string(backup).unwrap_or_default(), old.to_owned());
        c.equal("3.5", "the user's file", fs::read_to_string(home.settings()).unwrap(), old.to_owned());
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
}
