//! Choosing an auditor of another vendor with `install --auditor`: what is written, what is refused, what comes back.
use std::fs;

use super::home::Home;
use crate::kit::check::checks;
use crate::kit::programs::program;

/// Settings whose person keeps a key in `env`, where Claude Code gives it to every hook.
const WITH_KEY: &str = "{\n  \"env\": {\n    \"VENDOR_KEY\": \"sk-of-the-person\"\n  }\n}\n";

const OPTIONS: [&str; 9] = [
    "install",
    "--auditor",
    "openai-compatible",
    "--base-url",
    "https://api.vendor.example/v1/",
    "--model",
    "m-1",
    "--key-env",
    "VENDOR_KEY",
];

/// What such an install writes.
const WRITTEN: [(&str, &str); 4] = [
    ("STOP_AUDITOR_MODEL", "m-1"),
    ("STOP_AUDITOR_VENDOR", "openai-compatible"),
    ("STOP_AUDITOR_BASE_URL", "https://api.vendor.example/v1/"),
    ("STOP_AUDITOR_KEY_ENV", "VENDOR_KEY"),
];

/// A home on a machine with a curl.
fn home(settings: &str) -> Home {
    let home = Home::with(settings.as_bytes());
    program(&home.sandbox, "curl", "#!/bin/sh\necho 'curl 8.0.0 (made up)'\n");
    home
}

checks! {
    /// 3.1, 3.2, 3.5: four entries, none of them a secret; twice the same; another choice takes their place.
    #[own]
    fn r3_5_a_preset_is_chosen_changed_and_taken_back(c: &mut Checks) {
        let home = home(WITH_KEY);
        let install = home.run(&OPTIONS);
        c.that("3.1", "install", install.ok, "exit 0", &install.text);
        c.equal("3.1", "settings.json", home.value(), home.expected(WITH_KEY, &WRITTEN));
        c.absent("6.12", "what install prints", &install.text, "sk-of-the-person");
        let files = home.files();
        for again in [&OPTIONS[..], &["install"]] {
            let again = home.run(again);
            c.that("3.2", "again", again.ok, "exit 0", &again.text);
            c.equal("3.2", "nothing changed", home.files() == files, true);
        }
        let check = home.run(&["check"]);
        c.contains(
            "2.3",
            "check",
            &check.text,
            "✓ 审计员：m-1：openai-compatible（curl，https://api.vendor.example/v1；",
        );
        c.contains("2.3", "check", &check.text, "✓ 审计员的程序：curl 8.0.0");
        c.contains("2.3", "check", &check.text, "✓ 密钥：在环境变量 VENDOR_KEY 里");
        c.absent("6.12", "what check prints", &check.text, "sk-of-the-person");

        let other = home.run(&["install", "--auditor-cmd", "judge"]);
        c.that("3.2", "a command of one's own", other.ok, "exit 0", &other.text);
        let left = [("STOP_AUDITOR_MODEL", "m-1"), ("STOP_AUDITOR_CMD", "judge")];
        c.equal("3.2", "its settings", home.value(), home.expected(WITH_KEY, &left));
        let default = home.run(&["install", "--auditor", "codex"]);
        c.that("3.2", "back to the default", default.ok, "exit 0", &default.text);
        c.equal("3.2", "its settings", home.value(), home.expected(WITH_KEY, &[]));
        home.run(&OPTIONS);
        home.run(&["uninstall"]);
        c.equal("3.5", "the old bytes", fs::read_to_string(home.settings()).unwrap(), WITH_KEY.to_owned());
    }

    /// 2.3: what is missing is named with what to do; `--force` is for a key that comes later, not for what is unsaid.
    #[own]
    fn r2_3_a_preset_that_lacks_something_is_refused(c: &mut Checks) {
        let without = |option: &str| {
            let at = OPTIONS.iter().position(|word| *word == option).unwrap();
            [&OPTIONS[..at], &OPTIONS[at + 2..]].concat()
        };
        for (settings, arguments, told) in [
            (WITH_KEY, without("--model"), "--model"),
            (WITH_KEY, without("--base-url"), "--base-url"),
            (WITH_KEY, without("--key-env"), "--key-env"),
            (WITH_KEY, [&OPTIONS[..4], &["https://u:p@h.example"], &OPTIONS[5..]].concat(), "密码"),
            (WITH_KEY, [&OPTIONS[..2], &["nobody"]].concat(), "openai-compatible"),
            (WITH_KEY, [&OPTIONS[..4], &["https://api.anthropic.com/v1"], &OPTIONS[5..]].concat(), "自家"),
        ] {
            for force in [&[][..], &["--force"]] {
                let home = home(settings);
                let before = home.files();
                let arguments = [&arguments[..], force].concat();
                let run = home.run(&arguments);
                c.that("2.3", format!("{arguments:?} is refused"), run.code == Some(1), "exit 1", &run.text);
                c.contains("2.3", format!("{arguments:?}"), &run.text, told);
                c.equal("2.5", format!("{arguments:?} changes nothing"), home.files() == before, true);
            }
        }
        let home = home("{}");
        let run = home.run(&OPTIONS);
        c.that("2.3", "without a key", run.code == Some(1), "exit 1", &run.text);
        c.contains("2.3", "without a key", &run.text, "环境变量 VENDOR_KEY 里没有密钥");
        let run = home.run(&[&OPTIONS[..], &["--force"]].concat());
        c.that("2.3", "without a key, forced", run.ok, "exit 0", &run.text);
        c.equal("3.1", "settings.json", home.value(), home.expected("{}", &WRITTEN));
        let missing = self::home(WITH_KEY).run_on("/nonexistent", &OPTIONS);
        c.that("2.3", "without curl", missing.code == Some(1), "exit 1", &missing.text);
        c.contains("2.3", "without curl", &missing.text, "装 curl");
    }

    /// 3.5: a command that the person wrote themselves stands in the way, and says so.
    #[own]
    fn r3_5_a_command_of_the_persons_own_is_silenced_only_when_asked(c: &mut Checks) {
        let old = r#"{"env":{"STOP_AUDITOR_CMD":"mine","VENDOR_KEY":"k"}}"#;
        let home = home(old);
        let run = home.run(&OPTIONS);
        c.that("3.5", "refused", run.code == Some(1), "exit 1", &run.text);
        c.contains("3.5", "what to do", &run.text, "--force");
        let run = home.run(&[&OPTIONS[..], &["--force"]].concat());
        c.that("3.5", "forced", run.ok, "exit 0", &run.text);
        let want = [&[("STOP_AUDITOR_CMD", "")][..], &WRITTEN].concat();
        c.equal("3.5", "settings.json", home.value(), home.expected(old, &want));
        home.run(&["uninstall"]);
        c.equal("3.5", "the old bytes", fs::read_to_string(home.settings()).unwrap(), old.to_owned());
    }
}
