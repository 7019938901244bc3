//! What comes with the program: its version, completions, manual pages, and the plugin in `scripts/plugin`.
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use stop_auditor::settings::{EVENTS, PROGRAM};

use crate::kit::check::{Checks, checks};
use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;

/// Every command that a person may run.
const COMMANDS: [&str; 11] = [
    "try",
    "check",
    "explain",
    "log",
    "report",
    "rate",
    "install",
    "uninstall",
    "selftest",
    "completions",
    "man",
];

fn own(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
    command.args(arguments).env_clear().output().expect("the program runs")
}

/// What a command prints, where it ends well and complains of nothing.
fn printed(c: &mut Checks, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = own(arguments);
    let complaint = String::from_utf8_lossy(&stderr).into_owned();
    c.that("P.4", format!("{arguments:?}"), status.success() && complaint.is_empty(), "exit 0", complaint);
    String::from_utf8_lossy(&stdout).into_owned()
}

/// A log of one record.
fn write_log(sandbox: &Sandbox) {
    let record = json!({"time": "2026-11-29T10:00:00.000+08:00", "session_id": "s", "verdict": "PASS", "text": "PASS"});
    write(&sandbox.path("logs/2026-11-29.jsonl"), format!("{record}\n"));
}

fn plugin(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/plugin").join(file);
    serde_json::from_slice(&std::fs::read(path).expect("the file is there")).expect("and is JSON")
}

checks! {
    /// The version is the package's, with a commit where it is built for use.
    #[own]
    fn p_4_the_version_is_told(c: &mut Checks) {
        let text = printed(c, &["--version"]);
        let rest = text.strip_prefix(concat!("stop-auditor ", env!("CARGO_PKG_VERSION")));
        c.that("P.4", "name and version", rest.is_some(), "stop-auditor X.Y.Z", text.clone());
        let told = rest.unwrap_or_default().trim();
        let inner = told.strip_prefix('(').and_then(|told| told.strip_suffix(')'));
        let is_commit = |id: &str| id.len() == 10 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ok = told.is_empty() || inner.is_some_and(|inner| inner == "debug" || is_commit(inner));
        c.that("P.4", "what follows", ok, "a commit, or that it is a build for trying out", text);
    }

    /// Every shell's script knows every command.
    #[own]
    fn p_4_shells_complete_every_command(c: &mut Checks) {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = printed(c, &["completions", shell]);
            for command in COMMANDS {
                c.contains("P.4", format!("the script of {shell}"), &script, command);
            }
            c.contains("P.4", format!("the script of {shell}"), &script, "dry-run");
        }
        let refused = own(&["completions", "command.com"]);
        c.equal("6.11", "an unknown shell: exit code", refused.status.code(), Some(1));
    }

    /// A page for the program names every command, and each has one of its own.
    #[own]
    fn p_4_the_manual_has_a_page_for_every_command(c: &mut Checks) {
        let page = printed(c, &["man"]);
        c.contains("P.4", "the head", &page, ".TH stop-auditor 1");
        for command in COMMANDS {
            c.contains("P.4", "the page of the program", &page, &format!("stop\\-auditor\\-{command}(1)"));
            let own_page = printed(c, &["man", command]);
            c.contains(
                "P.4",
                format!("the page of {command}"),
                &own_page,
                &format!(".TH stop-auditor-{command} 1"),
            );
        }
        let refused = own(&["man", "no-such-command"]);
        c.equal("P.4", "an unknown command: exit code", refused.status.code(), Some(1));
    }

    /// A reader that has seen enough (`| head`) is no error; a disk that is full is one, and is said.
    #[own]
    fn p_4_what_cannot_be_printed_is_said_unless_nobody_reads(c: &mut Checks) {
        let sandbox = Sandbox::new();
        write_log(&sandbox);
        for arguments in [&["man"][..], &["man", "log"], &["completions", "fish"], &["log"], &["report"]] {
            let onto = |stdout: Stdio| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_stop-auditor"));
                command.args(arguments).env_clear().env("STOP_AUDITOR_LOG_DIR", sandbox.path("logs"));
                let output =
                    command.stdout(stdout).stderr(Stdio::piped()).output().expect("the program runs");
                (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
            };
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            c.equal(
                "P.4",
                format!("{arguments:?}, nobody reads"),
                onto(writer.into()),
                (Some(0), String::new()),
            );
            // Only Linux has a disk that is always full.
            if let Ok(full) = File::options().write(true).open("/dev/full") {
                let (code, said) = onto(full.into());
                c.equal("P.4", format!("{arguments:?}, a full disk: exit code"), code, Some(1));
                c.contains("P.4", format!("{arguments:?}, a full disk"), &said, "No space left on device");
            }
        }
    }

    /// The plugin registers what `install` does, and is of this version.
    #[own]
    fn p_3_the_plugin_registers_what_install_does(c: &mut Checks) {
        let hooks = plugin("hooks/hooks.json");
        let events = hooks["hooks"].as_object().map(serde_json::Map::len);
        c.equal("P.3", "events", events, Some(EVENTS.len()));
        for (event, timeout) in EVENTS {
            let handler = &hooks["hooks"][event][0]["hooks"][0];
            c.equal("P.3", format!("{event}: command"), handler["command"].as_str(), Some(PROGRAM));
            c.equal("P.3", format!("{event}: seconds"), handler["timeout"].as_u64(), Some(timeout));
        }
        let version = plugin(".claude-plugin/plugin.json")["version"].as_str().map(str::to_owned);
        c.equal("P.3", "version", version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    }
}
