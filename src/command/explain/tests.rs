//! Each mistake on a file with nothing else wrong, beside the same file without it.

use super::account::{self, Account, Reached};
use super::host::Host;
use super::mistakes::{Machine, OnDisk};
use serde_json::{Value, json};
use std::path::Path;

/// A machine with a few files on it.
struct Made;

impl Machine for Made {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/u".to_owned())
    }

    fn at(&self, path: &Path) -> OnDisk {
        match path.to_str() {
            Some("/bin/gate" | "/bin/asks" | "/home/u/bin/stop-auditor") => OnDisk::Executable,
            Some("/bin/plain") => OnDisk::NotExecutable,
            _ => OnDisk::Missing,
        }
    }

    fn in_path(&self, name: &str) -> bool {
        matches!(name, "jq" | "sh")
    }

    fn script(&self, path: &Path) -> Option<String> {
        (path == Path::new("/bin/asks")).then(|| "#!/bin/sh\necho no >&2; exit 2\n".to_owned())
    }
}

fn accounts(host: Host, settings: &Value) -> Vec<Account> {
    account::of(host, settings, &Made)
}

/// The account of one handler alone at one event.
fn alone(host: Host, event: &str, handler: &Value) -> Account {
    let settings = json!({"hooks": {event: [{"hooks": [handler]}]}});
    let mut accounts = accounts(host, &settings);
    assert_eq!(accounts.len(), 1);
    accounts.remove(0)
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// What the problems of an account are about.
fn problems(account: &Account) -> Vec<&'static str> {
    account.findings.iter().filter(|finding| finding.is_problem()).map(|finding| finding.about).collect()
}

/// A command with nothing wrong, and these fields beside it.
fn with(more: &Value) -> Value {
    let mut handler = command("/bin/gate");
    handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    handler
}

/// (what is wrong with it, host, event, handler, how far it gets, what is told of)
type Fault = (&'static str, Host, &'static str, Value, Reached, &'static str);

fn faults_of_shape() -> Vec<Fault> {
    use Host::{ClaudeCode, Codex};
    vec![
        ("no such event", ClaudeCode, "Stopp", command("/bin/gate"), Reached::Nothing, "认不得"),
        ("another case", ClaudeCode, "stop", command("/bin/gate"), Reached::Nothing, "认不得"),
        (
            "an event of the other host",
            Codex,
            "Notification",
            command("/bin/gate"),
            Reached::Nothing,
            "认不得",
        ),
        ("no such type", ClaudeCode, "Stop", json!({"type": "webhook"}), Reached::Nothing, "认不得"),
        ("an empty command", ClaudeCode, "Stop", command(" "), Reached::Run, "command"),
        ("an empty command", Codex, "Stop", command(" "), Reached::Parsed, "不会跑"),
        ("http", Codex, "Stop", json!({"type": "http", "url": "http://h/"}), Reached::Nothing, "认不得"),
        ("half a second", Codex, "Stop", with(&json!({"timeout": 1.5})), Reached::Recognised, "解析不过"),
        ("no command", ClaudeCode, "Stop", json!({"type": "command"}), Reached::Recognised, "解析不过"),
        ("a limit of 0", ClaudeCode, "Stop", with(&json!({"timeout": 0})), Reached::Recognised, "解析不过"),
        (
            "a limit in words",
            ClaudeCode,
            "Stop",
            with(&json!({"timeout": "5"})),
            Reached::Recognised,
            "解析不过",
        ),
        ("if on Stop", ClaudeCode, "Stop", with(&json!({"if": "Bash(ls)"})), Reached::Parsed, "不会跑"),
        (
            "if where it is not known",
            Codex,
            "PreToolUse",
            with(&json!({"if": "Bash(ls)"})),
            Reached::Run,
            "if",
        ),
        ("a prompt", Codex, "Stop", json!({"type": "prompt", "prompt": "ok?"}), Reached::Parsed, "不会跑"),
        ("an agent", Codex, "Stop", json!({"type": "agent", "prompt": "ok?"}), Reached::Parsed, "不会跑"),
        (
            "a prompt at the end",
            ClaudeCode,
            "SessionEnd",
            json!({"type": "prompt", "prompt": "ok?"}),
            Reached::Parsed,
            "不会跑",
        ),
        (
            "http at the start",
            ClaudeCode,
            "SessionStart",
            json!({"type": "http", "url": "http://h/"}),
            Reached::Parsed,
            "不会跑",
        ),
    ]
}

/// Those of commands and limits.
fn faults_of_commands() -> Vec<Fault> {
    use Host::{ClaudeCode, Codex};
    vec![
        ("relative", ClaudeCode, "Stop", command("./gate"), Reached::Run, "command"),
        ("relative script", ClaudeCode, "Stop", command("sh hooks/gate.sh"), Reached::Run, "command"),
        ("missing", ClaudeCode, "Stop", command("/bin/gone"), Reached::Run, "command"),
        ("missing script", ClaudeCode, "Stop", command("sh /bin/gone"), Reached::Run, "command"),
        ("not executable", ClaudeCode, "Stop", command("/bin/plain"), Reached::Run, "command"),
        ("not in PATH", ClaudeCode, "Stop", command("no-such-gate -x"), Reached::Run, "command"),
        ("a variable in quotes", ClaudeCode, "Stop", command("'$HOME/gate'"), Reached::Run, "command"),
        ("open quotes", ClaudeCode, "Stop", command("/bin/gate 'x"), Reached::Run, "command"),
        (
            "nobody waits",
            ClaudeCode,
            "Stop",
            json!({"type": "command", "command": "/bin/asks", "async": true}),
            Reached::Run,
            "async",
        ),
        (
            "nobody waits, inline",
            Codex,
            "Stop",
            json!({"type": "command", "command": "echo no >&2; exit 2", "async": true}),
            Reached::Run,
            "async",
        ),
        ("milliseconds", ClaudeCode, "Stop", with(&json!({"timeout": 10_000})), Reached::Run, "timeout"),
        ("over the host's cap", Codex, "SessionEnd", with(&json!({"timeout": 10})), Reached::Run, "timeout"),
        (
            "the inner limit is the longer",
            ClaudeCode,
            "Stop",
            json!({"type": "command", "command": "timeout 60 /bin/gate", "timeout": 30}),
            Reached::Run,
            "timeout",
        ),
        (
            "our own, cut off",
            ClaudeCode,
            "Stop",
            json!({"type": "command", "command": "/home/u/bin/stop-auditor", "timeout": 60}),
            Reached::Run,
            "timeout",
        ),
    ]
}

#[test]
fn every_mistake_is_told_of_and_nothing_else() {
    for (what, host, event, handler, reached, about) in [faults_of_shape(), faults_of_commands()].concat() {
        let account = alone(host, event, &handler);
        assert_eq!(account.reached, reached, "{what}");
        assert_eq!(problems(&account), [about], "{what}");
        assert!(account.is_broken(), "{what}");
    }
}

#[test]
fn a_handler_without_a_mistake_has_none() {
    use Host::{ClaudeCode, Codex};
    let twins = [
        (ClaudeCode, "Stop", command("/bin/gate")),
        (ClaudeCode, "Stop", json!({"type": "prompt", "prompt": "ok?"})),
        (ClaudeCode, "Stop", command("sh /bin/plain")),
        (ClaudeCode, "Stop", command("jq -r .x")),
        (ClaudeCode, "Stop", command("\"$HOOKS\"/gate")),
        (ClaudeCode, "Stop", command("[ -f x ] && exit 2")),
        (ClaudeCode, "PreToolUse", json!({"type": "command", "command": "/bin/gate", "if": "Bash(ls)"})),
        (ClaudeCode, "Stop", json!({"type": "command", "command": "/bin/gate", "async": true})),
        (ClaudeCode, "Stop", json!({"type": "command", "command": "timeout 20 /bin/gate", "timeout": 30})),
        (
            ClaudeCode,
            "Stop",
            json!({"type": "command", "command": "/home/u/bin/stop-auditor", "timeout": 180}),
        ),
        (ClaudeCode, "SessionEnd", json!({"type": "command", "command": "/bin/gate", "timeout": 10})),
        (Codex, "Stop", command("/bin/gate")),
        (Codex, "SessionEnd", json!({"type": "command", "command": "/bin/gate", "timeout": 3})),
    ];
    for (host, event, handler) in twins {
        let account = alone(host, event, &handler);
        assert_eq!(account.reached, Reached::Run, "{event} {handler}");
        assert_eq!(problems(&account), [""; 0], "{event} {handler}");
    }
}

#[test]
fn a_matcher_counts_only_where_the_host_looks_at_it() {
    let with = |event: &str, matcher: &str| {
        let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [command("/bin/gate")]}]}});
        problems(&accounts(Host::ClaudeCode, &settings)[0])
    };
    assert_eq!(with("Stop", "Bash"), ["matcher"]);
    assert_eq!(with("Stop", "*"), [""; 0]);
    assert_eq!(with("Stop", ""), [""; 0]);
    assert_eq!(with("PreToolUse", "Bash"), [""; 0]);
    assert_eq!(with("PreToolUse", "["), ["不会跑"]);
    assert_eq!(with("PreToolUse", "^(?!Bash)"), [""; 0], "JavaScript knows more groups");
    assert_eq!(with("SessionStart", "resume"), [""; 0]);
}

#[test]
fn the_same_hook_twice_is_told_of_at_the_second_place() {
    let twice = |host, event: &str, first: &str, second: &str, matchers: [&str; 2]| {
        let settings = json!({"hooks": {event: [
            {"matcher": matchers[0], "hooks": [command(first)]},
            {"matcher": matchers[1], "hooks": [command(second)]},
        ]}});
        let accounts = accounts(host, &settings);
        assert_eq!(problems(&accounts[0]), [""; 0]);
        accounts[1].findings.iter().map(|finding| finding.found.clone()).collect::<String>()
    };
    let same = ["", ""];
    assert!(twice(Host::ClaudeCode, "Stop", "/bin/gate", "/bin/gate", same).contains("只跑一次"));
    assert!(twice(Host::ClaudeCode, "Stop", "/bin/gate", "'/bin/gate'", same).contains("跑两遍"));
    assert!(twice(Host::Codex, "Stop", "/bin/gate", "/bin/gate", same).contains("跑两遍"));
    assert_eq!(twice(Host::ClaudeCode, "Stop", "/bin/gate", "/bin/gate -x", same), "");
    assert_eq!(twice(Host::ClaudeCode, "PreToolUse", "/bin/gate", "/bin/gate", ["Bash", "Edit"]), "");
}

#[test]
fn what_has_not_the_shape_is_told_of_and_the_rest_stays() {
    let good = json!({"hooks": [command("/bin/gate")]});
    // (the hooks, whether Claude Code runs the last of them, whether Codex does)
    for (hooks, with_claude, with_codex) in [
        (json!({"Stop": {"hooks": []}, "SessionEnd": [good]}), true, false),
        (json!({"Stop": [command("/bin/gate"), good]}), true, true),
        (json!({"Stop": [{"hooks": ["/bin/gate", command("/bin/gate")]}]}), true, false),
        (json!({"Stop": [{"matcher": 5, "hooks": [command("/bin/gate")]}, good]}), true, false),
        (json!({"Stop": [5, good]}), true, false),
        (json!({"Stop": [{"hooks": 5}, good]}), true, false),
        (json!({"Notification": 5, "Stop": [good]}), true, true),
        (json!(["Stop"]), false, false),
    ] {
        for (host, runs) in [(Host::ClaudeCode, with_claude), (Host::Codex, with_codex)] {
            let accounts = accounts(host, &json!({ "hooks": hooks }));
            assert!(accounts[0].is_broken(), "{host:?} {hooks}");
            assert_eq!(accounts.last().unwrap().reached == Reached::Run, runs, "{host:?} {hooks}");
        }
    }
}

#[test]
fn a_file_that_switches_all_hooks_off_runs_none() {
    let settings = json!({"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [command("/bin/gate")]}]}});
    assert_eq!(accounts(Host::ClaudeCode, &settings)[0].reached, Reached::Parsed);
    assert_eq!(accounts(Host::Codex, &settings).len(), 2, "Codex knows no such word, and drops the file");
}

#[test]
fn a_file_without_hooks_has_no_account() {
    assert!(accounts(Host::ClaudeCode, &json!({})).is_empty());
    assert!(accounts(Host::ClaudeCode, &json!({"hooks": {}})).is_empty());
}

/// What Codex lists of a file was measured; the account of the same file says that just these run.
#[test]
fn codex_runs_what_the_account_says_of_every_measured_file() {
    let rows = crate::hosts::codex::rows::configurations();
    assert!(rows.len() > 50);
    for row in rows {
        let Ok(settings) = serde_json::from_str(&row.text) else { continue };
        let accounts = accounts(Host::Codex, &settings);
        let run = accounts.iter().filter(|account| account.reached == Reached::Run);
        let mut said: Vec<&str> = run.map(|account| account.place.split(' ').next().unwrap()).collect();
        let mut measured: Vec<&str> = row.listing.handlers.iter().map(|listed| listed.event.name()).collect();
        said.sort_unstable();
        measured.sort_unstable();
        assert_eq!(said, measured, "{}: {}", row.form, row.text);
    }
}
