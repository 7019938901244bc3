//! What `explain` says, word for word: of a file with a handler at every event and each mistake once, and of outputs.
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use assert_cmd::Command;
use serde_json::{Map, Value, json};
use stop_auditor::hosts::life_cycle::Point;
use stop_auditor::hosts::{claude_code, codex};

use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;

/// (event, stdout, stderr, exit code)
type Output = (&'static str, &'static str, &'static str, u8);

const BLOCK: &str = r#"{"decision":"block","reason":"没跑测试"}"#;

const OF_CLAUDE_CODE: &[Output] = &[
    ("Stop", "", "", 0),
    ("Stop", BLOCK, "", 0),
    ("Stop", r#"{"decision":"block"}"#, "", 0),
    ("Stop", "", "没跑测试", 2),
    ("Stop", "", " \n", 2),
    ("Stop", "", "一行\n又一行", 2),
    ("Stop", BLOCK, "no", 1),
    ("Stop", r#"{"decision":"block""#, "", 0),
    ("Stop", r#"{"decision":"deny"}"#, "", 0),
    ("Stop", r#"{"permissionDecision":"deny"}"#, "", 0),
    ("Stop", r#"{"permissionDecision":"allow"}"#, "", 0),
    ("Stop", "deny block", "", 0),
    ("Stop", r#"{"continue":false,"stopReason":"到此为止"}"#, "", 0),
    ("Stop", r#"{"continue":false}"#, "", 0),
    ("Stop", r#"{"systemMessage":"两行\n给人看"}"#, "", 0),
    ("UserPromptSubmit", "给模型的话", "", 0),
    ("UserPromptSubmit", BLOCK, "", 0),
    ("UserPromptSubmit", "", "不行", 2),
];

const OF_CODEX: &[Output] = &[
    ("Stop", BLOCK, "", 0),
    ("Stop", "", "没跑测试", 2),
    ("Stop", "", "", 2),
    ("Stop", r#"{"continue":false,"stopReason":"到此为止"}"#, "", 0),
    ("Stop", "{", "", 0),
    ("Stop", "", "no", 1),
    ("UserPromptSubmit", "给模型的话", "", 0),
    ("UserPromptSubmit", BLOCK, "", 0),
    (
        "PreToolUse",
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"不许"}}"#,
        "",
        0,
    ),
    (
        "PreToolUse",
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}"#,
        "",
        0,
    ),
    (
        "PermissionRequest",
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
        "",
        0,
    ),
    (
        "PermissionRequest",
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"不许"}}}"#,
        "",
        0,
    ),
    (
        "PermissionRequest",
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#,
        "",
        0,
    ),
    ("PostToolUse", BLOCK, "", 0),
    ("SessionStart", r#"{"continue":false}"#, "", 0),
];

/// Programs and scripts in a home, and settings of a project and of the user.
struct Desk {
    sandbox: Sandbox,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { sandbox: Sandbox::new() };
        for (name, mode) in [("gate", 0o755), ("plain", 0o644), ("jq", 0o755)] {
            desk.program(name, "#!/bin/sh\nexit 0\n", mode);
        }
        desk.program("asks", "#!/bin/sh\necho no >&2; exit 2\n", 0o755);
        // Longer than a script that is read.
        desk.program("long", &format!("#!/bin/sh\necho no >&2; exit 2\n{}", "# \n".repeat(100_000)), 0o755);
        fs::create_dir(desk.sandbox.path("home/bin/folder")).unwrap();
        desk.program_at("project/.claude/hooks/gate", "#!/bin/sh\n", 0o755);
        desk
    }

    fn program(&self, name: &str, text: &str, mode: u32) {
        self.program_at(&format!("home/bin/{name}"), text, mode);
    }

    fn program_at(&self, place: &str, text: &str, mode: u32) {
        let path = self.sandbox.path(place);
        write(&path, text);
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// What the program says and its exit code, without the places of this sandbox.
    fn explain(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_stop-auditor"))
            .arg("explain")
            .args(arguments)
            .current_dir(self.sandbox.path("project"))
            .env_clear()
            .env("PATH", self.sandbox.path("home/bin"))
            .env("HOME", self.sandbox.path("home"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let code = output.status.code().unwrap();
        let told = format!("$ stop-auditor explain {}\n{text}exit code {code}\n\n", arguments.join(" "));
        told.replace(self.sandbox.root().to_str().unwrap(), "<sandbox>")
    }

    fn settings(&self, place: &str, hooks: Value) {
        write(&self.sandbox.path(place), json!({ "hooks": hooks }).to_string());
    }

    /// What is said of each output.
    fn of_outputs(&self, host: &str, outputs: &[Output]) -> String {
        let mut text = String::new();
        for (event, stdout, stderr, code) in outputs {
            write(&self.sandbox.path("project/out"), stdout);
            write(&self.sandbox.path("project/err"), stderr);
            let _ = writeln!(text, "# stdout: {stdout}\n# stderr: {stderr}");
            let code = code.to_string();
            let arguments = [
                "--host",
                host,
                "--event",
                event,
                "--stdout",
                "out",
                "--stderr",
                "err",
                "--exit-code",
                &code,
            ];
            text += &self.explain(&arguments);
        }
        text
    }
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

fn with(more: &Value) -> Value {
    let mut handler = command("$HOME/bin/gate");
    handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    handler
}

fn group(handlers: &[Value]) -> Value {
    json!({ "hooks": handlers })
}

/// A plain command at every event that has a name with the host.
fn at_every(points: &[Point]) -> Value {
    let plain = group(&[command("$HOME/bin/gate")]);
    points.iter().map(|point| (point.event.to_owned(), json!([plain]))).collect::<Map<_, _>>().into()
}

/// What each event allows, and what becomes of a hook that fails there; one more of each kind at a Stop.
pub(super) fn events_of_claude_code() -> String {
    let desk = Desk::new();
    let mut hooks = at_every(&claude_code::events::EVENTS);
    let kinds = [
        json!({"type": "prompt", "prompt": "做完了吗？"}),
        json!({"type": "agent", "prompt": "做完了吗？"}),
        json!({"type": "http", "url": "http://127.0.0.1:1/"}),
        json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
        with(&json!({"async": true})),
    ];
    hooks["Stop"].as_array_mut().unwrap().push(group(&kinds));
    desk.settings("home/.claude/settings.json", hooks);
    // Without a name: the user's settings.
    desk.explain(&[])
}

/// The same for Codex, whose place is known from the file's.
pub(super) fn events_of_codex() -> String {
    let desk = Desk::new();
    let mut hooks = at_every(&codex::events::EVENTS);
    hooks["Stop"].as_array_mut().unwrap().push(group(&[with(&json!({"timeout": 0}))]));
    desk.settings("home/.codex/hooks.json", hooks);
    let place = desk.sandbox.path("home/.codex/hooks.json");
    desk.explain(&[place.to_str().unwrap()])
}

/// A project's settings with each mistake once, and files that cannot be read.
pub(super) fn mistakes() -> String {
    let desk = Desk::new();
    let commands = [
        "./gate",
        "sh hooks/gate.sh",
        "/gone",
        "$HOME/bin/plain",
        "$HOME/bin/folder",
        "$CLAUDE_PROJECT_DIR/.claude/hooks/gate",
        "$CLAUDE_PROJECT_DIR/gone",
        "$UNKNOWN/gate",
        "jq -r .x",
        "no-such-gate -x",
        "$HOME/bin/gate 'x",
        "timeout 60 $HOME/bin/gate",
        "timeout 600 $HOME/bin/gate",
        "'$HOME/bin/gate'",
        "sh '~/bin/gate'",
    ];
    let limits = [
        json!({"timeout": 600}),
        json!({"timeout": 601}),
        json!({"timeout": 4_999}),
        json!({"timeout": 5_000}),
        json!({"timeout": 60_000}),
        json!({"timeout": 0}),
        json!({"timeout": "5"}),
        json!({"if": "Bash(ls)"}),
        json!({"type": "webhook"}),
        json!({"type": null}),
    ];
    let asynchronous = ["asks", "long", "gate"]
        .map(|name| json!({"type": "command", "command": format!("$HOME/bin/{name}"), "async": true}));
    desk.settings(
        "project/.claude/settings.json",
        json!({
            "Stop": [
                group(&commands.map(command)),
                group(&limits.map(|more| with(&more))),
                group(&asynchronous),
                {"matcher": "Bash", "hooks": [command("$HOME/bin/gate --matched")]},
                {"hooks": [command("$HOME/bin/gate")]},
                {"type": "command", "command": "true"},
                {"hooks": ["$HOME/bin/gate"]},
                5,
            ],
            "PreToolUse": [
                {"matcher": "[", "hooks": [command("$HOME/bin/gate")]},
                {"matcher": "Bash", "hooks": [command("$HOME/bin/gate"), command("\"$HOME/bin/gate\"")]},
            ],
            "SessionEnd": [group(&[with(&json!({"timeout": 60})), with(&json!({"timeout": 61}))])],
            "stop": [group(&[command("$HOME/bin/gate")])],
            "sessionend_hook": [group(&[command("$HOME/bin/gate")])],
            "Bogus": [group(&[command("$HOME/bin/gate")])],
            "SubagentStop": {},
        }),
    );
    write(&desk.sandbox.path("project/torn.json"), "{\"hooks\": ");
    write(&desk.sandbox.path("project/list.json"), "[]");
    write(&desk.sandbox.path("project/none.json"), "{}");
    desk.settings("project/one.json", json!({"Stop": [group(&[command("$HOME/bin/gate")])]}));
    let mut text = desk.explain(&[".claude/settings.json"]);
    for name in ["torn.json", "list.json", "none.json", "gone.json"] {
        text += &desk.explain(&[name]);
    }
    text + &desk.explain(&["--json", "one.json"]) + &desk.explain(&["--host", "codex", "one.json"])
}

/// What a host makes of an output, and what to do now.
pub(super) fn outputs() -> String {
    let desk = Desk::new();
    let mut text = desk.of_outputs("claude-code", OF_CLAUDE_CODE) + &desk.of_outputs("codex", OF_CODEX);
    for arguments in [
        ["--event", "stop", "--exit-code", "0"],
        ["--event", "PreToolUse", "--host", "claude-code"],
        ["--event", "Notification", "--host", "codex"],
        ["--event", "Stop", "--stdout", "gone"],
    ] {
        text += &desk.explain(&arguments);
    }
    text
}
