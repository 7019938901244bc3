//! `stop-auditor check`: what could keep audits from happening on this machine (2.1-2.4). A machine on which all is
//! well is spoiled in one place at a time; a Codex stand-in tells about itself and notes what it was asked.
pub(crate) mod auditor;
pub(crate) mod hook;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};
use stop_auditor::auditor::codex::arguments;

use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::hook::quoted;
use crate::kit::programs::{message, path_with_bin, program};
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;

const BINARY: &str = env!("CARGO_BIN_EXE_stop-auditor");

/// The flags of the spec's command, as the help of `codex exec` lists them (6.2).
const HELP: &str = "Options:\n  -c, --config <key=value>\n      --ephemeral\n      --ignore-user-config\n      --ignore-rules\n      \
    --skip-git-repo-check\n  -s, --sandbox <SANDBOX_MODE>\n  -m, --model <MODEL>\n      --json\n";

/// What is spoiled, which item shows it, what is told of it.
type Fault = (&'static str, fn(&Machine), &'static str, &'static str);

const FAULTS: &[Fault] = &[
    (
        "codex is not there",
        |machine| fs::remove_file(machine.at("bin/codex")).unwrap(),
        "2.1",
        "PATH 里没有 codex",
    ),
    (
        "codex does not start",
        |machine| write(&machine.at("bin/codex.sh"), "exit 3\n"),
        "2.1",
        "codex --version",
    ),
    ("a flag is gone", |machine| machine.without("help", "--ephemeral"), "2.1", "--ephemeral"),
    ("a feature is gone", |machine| machine.without("features", "shell_tool"), "2.2", "shell_tool"),
    ("nobody is logged in", |machine| machine.log_out(), "2.3", "没有登录"),
    (
        "the auditor is Claude's",
        |machine| machine.set_variable("STOP_AUDITOR_CMD", "claude -p"),
        "1.7",
        "Claude 自家",
    ),
    (
        "the auditor's program is gone",
        |machine| machine.set_variable("STOP_AUDITOR_CMD", "no-such-judge -x"),
        "2.3",
        "no-such-judge",
    ),
    ("nothing is registered", |machine| machine.settings(&json!({})), "3.1", "没有注册"),
    ("no settings", |machine| fs::remove_file(machine.at(SETTINGS)).unwrap(), "3.1", "settings.json"),
    ("a comment in the settings", |machine| write(&machine.at(SETTINGS), "{\n  // x\n}\n"), "3.3", "第 2 行"),
    (
        "registered twice",
        |machine| {
            machine.change(|all| {
                let group = all["hooks"]["Stop"][0].clone();
                all["hooks"]["Stop"].as_array_mut().unwrap().push(group);
            });
        },
        "3.2",
        "注册了 2 次",
    ),
    (
        "a plugin registers it too",
        |machine| {
            machine.plugin("stop-auditor", true);
            machine.change(|all| all["enabledPlugins"]["other@x"] = json!(true));
        },
        "P.3",
        "注册了 2 处，每一轮会审 2 遍：设置、stop-auditor@x",
    ),
    (
        "a pattern that keeps nothing back",
        |machine| machine.set_variable("STOP_AUDITOR_IGNORE", "*.{env,pem}"),
        "P.1",
        "*.{env,pem}",
    ),
    (
        "another auditor beside ours",
        |machine| {
            machine.change(|all| {
                let group = json!({"hooks": [{"type": "command", "command": "node /h/stop-auditor.mjs"}]});
                all["hooks"]["Stop"].as_array_mut().unwrap().push(group);
            });
        },
        "3.2",
        "node /h/stop-auditor.mjs",
    ),
    (
        "all hooks are off",
        |machine| machine.change(|all| all["disableAllHooks"] = json!(true)),
        "3.1",
        "disableAllHooks",
    ),
    (
        "a handler that cannot block",
        |machine| {
            machine.change(|all| {
                all["hooks"]["Stop"][0]["hooks"][0]["async"] = json!(true);
            });
        },
        "3.1",
        "async",
    ),
    ("the program is gone", |machine| fs::remove_file(machine.at(HOOK)).unwrap(), "3.1", "不能执行"),
    ("errors in a row", |machine| machine.log(&["PASS", "ERROR", "ERROR", "ERROR"]), "1.5", "连着 3 次出错"),
];

const SETTINGS: &str = "home/.claude/settings.json";
const HOOK: &str = "home/.claude/hooks/stop-auditor";

checks! {
    /// 2.1-2.4: all is well.
    #[own]
    fn r2_1_a_sound_machine_has_no_problem(c: &mut Checks) {
        let machine = Machine::new();
        let seen = machine.check(&[]);
        c.equal("2.3", "exit code", seen.code, Some(0));
        c.absent("2.3", "no problem is told", &seen.out, "✗");
        c.contains("2.1", "the version", &seen.out, "codex-cli 0.171.0");
        c.contains("2.1", "the flags", &seen.out, "✓ 参数");
        c.contains("2.2", "the features", &seen.out, "✓ 关掉的功能");
        c.contains("2.3", "the login", &seen.out, "✓ 登录");
        c.contains("3.1", "the registration", &seen.out, "✓ Stop");
        c.equal("2.3", "questions to the model", machine.n_questions(), 0);
    }

    /// 2.1-2.3: each fault is told, with what to do, and is exit code 1; nobody is asked.
    #[own]
    fn r2_3_each_fault_is_told_with_what_to_do(c: &mut Checks) {
        for (name, spoil, id, told) in FAULTS {
            let machine = Machine::new();
            spoil(&machine);
            let seen = machine.check(&[]);
            c.equal("2.3", format!("{name}: exit code"), seen.code, Some(1));
            let problem: String =
                seen.out.lines().skip_while(|line| !line.starts_with('✗')).take(2).collect();
            c.contains(id, format!("{name}: told as the first problem"), &problem, told);
            c.contains("2.3", format!("{name}: what to do"), &problem, "怎么办：");
            c.equal("2.3", format!("{name}: questions to the model"), machine.n_questions(), 0);
        }
    }

    /// 2.3: where nobody is logged in or nothing is there, another auditor can be chosen.
    #[own]
    fn r2_3_another_auditor_is_offered(c: &mut Checks) {
        for spoil in [|machine: &Machine| fs::remove_file(machine.at("bin/codex")).unwrap(), Machine::log_out]
        {
            let machine = Machine::new();
            spoil(&machine);
            let seen = machine.check(&[]);
            c.contains("2.3", "how to choose another auditor", &seen.out, "--auditor-cmd");
        }
        let machine = Machine::new();
        fs::remove_file(machine.at("bin/codex")).unwrap();
        machine.set_variable("STOP_AUDITOR_CMD", "sh judge.sh");
        let seen = machine.check(&[]);
        c.equal("2.3", "another auditor needs no codex: exit code", seen.code, Some(0));
    }

    /// 1.5: errors that are over are no problem.
    #[own]
    fn r1_5_errors_that_are_over_are_no_problem(c: &mut Checks) {
        for verdicts in [&["ERROR", "ERROR", "ERROR", "PASS"][..], &["PASS", "ERROR"]] {
            let machine = Machine::new();
            machine.log(verdicts);
            c.equal("1.5", format!("{verdicts:?}: exit code"), machine.check(&[]).code, Some(0));
        }
    }

    /// 2.3: a key in the environment is a login.
    #[own]
    fn r2_3_a_key_in_the_environment_is_a_login(c: &mut Checks) {
        let machine = Machine::new();
        machine.log_out();
        for (variables, code) in [(&[][..], 1), (&[("CODEX_API_KEY", "")], 1), (&[("CODEX_API_KEY", "x")], 0)]
        {
            let seen = machine.check_with(variables, &[]);
            c.equal("2.3", format!("{variables:?}: exit code"), seen.code, Some(code));
            c.equal("2.3", format!("{variables:?}: a login"), seen.out.contains("✓ 登录"), code == 0);
        }
    }

    /// P.1, 4.15: what is kept back is told, and that keys are sent; neither is a problem.
    #[own]
    fn p_1_what_is_kept_back_is_told(c: &mut Checks) {
        let machine = Machine::new();
        c.absent("P.1", "nothing is set", &machine.check(&[]).out, "不发的文件");
        machine.set_variable("STOP_AUDITOR_IGNORE", " : ");
        c.absent("P.1", "no pattern is set", &machine.check(&[]).out, "不发的文件");
        machine.set_variable("STOP_AUDITOR_IGNORE", ".env: *.pem");
        let seen = machine.check(&[]);
        c.contains("P.1", "the patterns", &seen.out, "2 个模式：.env、*.pem");
        c.absent("4.15", "keys are blotted", &seen.out, "密钥照原样发给审计员");
        machine.set_variable("STOP_AUDITOR_SEND_KEYS", "1");
        let seen = machine.check(&[]);
        c.contains("4.15", "keys are sent", &seen.out, "密钥照原样发给审计员");
        c.equal("P.1", "exit code", seen.code, Some(0));
    }

    /// 2.4: the newest transcript, its types known and unknown; that one is unknown is no alarm.
    #[own]
    fn r2_4_types_of_the_newest_transcript_are_told(c: &mut Checks) {
        let machine = Machine::new();
        let old = machine.transcript("old");
        append(&old, &json!({"type": "old-news"}));
        let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3_600);
        fs::File::options().append(true).open(&old).unwrap().set_modified(hour_ago).unwrap();
        let new = machine.transcript("new");
        append(&new, &json!({"type": "brand-new-row"}));
        append(&machine.transcript("agent-x"), &json!({"type": "of-an-agent"}));
        fs::File::options()
            .append(true)
            .open(&new)
            .unwrap()
            .set_modified(std::time::SystemTime::now())
            .unwrap();
        let seen = machine.check(&[]);
        c.equal("2.4", "exit code", seen.code, Some(0));
        c.contains("2.4", "the file", &seen.out, new.to_str().unwrap());
        let line =
            |start: &str| seen.out.lines().find(|line| line.contains(start)).unwrap_or_default().to_owned();
        for known in ["user×4", "assistant×6"] {
            c.contains("2.4", "a known type", &line("认得 "), known);
        }
        c.contains("2.4", "an unknown type", &line("不认得"), "brand-new-row×1");
        for other in ["old-news", "of-an-agent"] {
            c.absent("2.4", "no other file", &seen.out, other);
        }
    }

    /// 2.3: the same as JSON, for programs.
    #[own]
    fn r2_3_json_holds_the_same(c: &mut Checks) {
        for (is_sound, code) in [(true, 0), (false, 1)] {
            let machine = Machine::new();
            if !is_sound {
                machine.log_out();
            }
            let seen = machine.check(&["--json"]);
            let findings: Vec<Value> = serde_json::from_str(&seen.out).unwrap_or_default();
            let told = findings.iter().all(|one| one["about"].is_string() && one["found"].is_string());
            c.that("2.3", "a list of findings", !findings.is_empty() && told, "findings", seen.out);
            let problems = findings.iter().filter(|one| one["state"] == "problem");
            let advised =
                problems.clone().all(|one| one["advice"].as_str().is_some_and(|advice| !advice.is_empty()));
            c.equal("2.3", format!("sound: {is_sound}; problems"), problems.count(), usize::from(!is_sound));
            c.equal("2.3", "each with what to do", advised, true);
            c.equal("2.3", "exit code", seen.code, Some(code));
        }
    }

    /// 2.3: with `--live` the model is asked once, where nothing else is wrong.
    #[own]
    fn r2_3_live_asks_once(c: &mut Checks) {
        let machine = Machine::new();
        let seen = machine.check(&["--live"]);
        c.equal("2.3", "exit code", seen.code, Some(0));
        c.contains("2.3", "the answer", &seen.out, "✓ 真问一次");
        c.equal("2.3", "questions", machine.n_questions(), 1);

        let machine = Machine::new();
        write(
            &machine.at("bin/events"),
            json!({"type": "turn.failed", "error": {"message": "no such model"}}).to_string(),
        );
        let seen = machine.check(&["--live"]);
        c.equal("2.3", "a model that refuses: exit code", seen.code, Some(1));
        c.contains("2.3", "its words", &seen.out, "no such model");

        let machine = Machine::new();
        machine.log_out();
        machine.check(&["--live"]);
        c.equal("2.3", "questions without a login", machine.n_questions(), 0);
    }

    /// 9.9: it looks and changes nothing.
    #[own]
    fn r9_9_check_writes_nothing(c: &mut Checks) {
        let machine = Machine::new();
        machine.check(&[]);
        let files = |name: &str| machine.sandbox.files_below(name);
        let made: Vec<PathBuf> = [files("tmp"), files("logs")].concat();
        c.equal("9.9", "files left behind", made, vec![]);
    }
}

/// A machine with everything in place.
struct Machine {
    sandbox: Sandbox,
}

/// What `check` printed, and its exit code.
struct Seen {
    out: String,
    code: Option<i32>,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { sandbox: Sandbox::new() };
        let features: Vec<String> =
            arguments::features_off().map(|name| format!("{name}  stable  true\n")).collect();
        write(&machine.at("bin/help"), HELP);
        write(&machine.at("bin/features"), features.concat());
        write(&machine.at("bin/login"), "0\n");
        let answer = [message("VERDICT: FAIL - x"), json!({"type": "turn.completed", "usage": {}})];
        write(&machine.at("bin/events"), answer.map(|event| event.to_string()).join("\n"));
        let bin = quoted(&machine.at("bin").to_string_lossy()).clone();
        let script = format!(
            "#!/bin/sh\ncd {bin} || exit 9\nprintf '%s\\n' \"$*\" >>calls\ncase \"$*\" in\n--version) echo codex-cli 0.171.0 ;;\n\
             'exec --help') cat help ;;\n'features list') cat features ;;\n'login status') cat login-says 2>/dev/null; read -r code <login; exit \"$code\" ;;\n\
             exec*) cat >prompt; cat events ;;\nesac\n"
        );
        program(&machine.sandbox, "codex", &script);
        write(&machine.at("home/.codex/auth.json"), "{}");
        fs::create_dir_all(machine.at("home/.claude/hooks")).unwrap();
        symlink(BINARY, machine.at(HOOK)).unwrap();
        let handler = json!({"type": "command", "command": machine.at(HOOK)});
        let group = json!([{"hooks": [handler]}]);
        machine.settings(&json!({"hooks": {"Stop": group, "UserPromptSubmit": group}}));
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    fn check(&self, arguments: &[&str]) -> Seen {
        self.check_with(&[], arguments)
    }

    fn check_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Seen {
        let output = Command::new(BINARY)
            .env_clear()
            .env("PATH", path_with_bin(&self.sandbox))
            .env("HOME", self.at("home"))
            .env("TMPDIR", self.at("tmp"))
            .env("STOP_AUDITOR_LOG_DIR", self.at("logs"))
            .envs(variables.iter().copied())
            .arg("check")
            .args(arguments)
            .timeout(Duration::from_secs(60))
            .output()
            .unwrap();
        Seen { out: String::from_utf8(output.stdout).unwrap(), code: output.status.code() }
    }

    /// How often codex was asked what a model answers.
    fn n_questions(&self) -> usize {
        let calls = fs::read_to_string(self.at("bin/calls")).unwrap_or_default();
        calls.lines().filter(|call| call.starts_with("exec ") && *call != "exec --help").count()
    }

    fn settings(&self, settings: &Value) {
        write(&self.at(SETTINGS), settings.to_string());
    }

    fn change(&self, change: impl FnOnce(&mut Value)) {
        let mut settings = serde_json::from_slice(&fs::read(self.at(SETTINGS)).unwrap()).unwrap();
        change(&mut settings);
        self.settings(&settings);
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.change(|all| all["env"][name] = json!(value));
    }

    /// Our plugin with another command in it.
    fn plugin(&self, command: &str, is_enabled: bool) {
        self.change(|all| all["enabledPlugins"] = json!({"stop-auditor@x": is_enabled}));
        let folder = self.at("home/.claude/plugins/cache/x/stop-auditor");
        let plugins = json!({"version": 2, "plugins": {"stop-auditor@x": [{"installPath": folder}]}});
        write(&self.at("home/.claude/plugins/installed_plugins.json"), plugins.to_string());
        let hooks = include_str!("../scripts/plugin/hooks/hooks.json");
        let hooks = hooks.replace("\"stop-auditor\"", &json!(command).to_string());
        write(&folder.join("hooks/hooks.json"), hooks);
    }

    fn log_out(&self) {
        fs::remove_file(self.at("home/.codex/auth.json")).unwrap();
        write(&self.at("bin/login"), "1\n");
    }

    /// Takes the lines with this word out of what codex tells; a longer word that begins so is another.
    fn without(&self, name: &str, word: &str) {
        let text = fs::read_to_string(self.at("bin").join(name)).unwrap();
        let lines = text.lines().filter(|line| !line.split_whitespace().any(|one| one == word));
        let left: Vec<&str> = lines.collect();
        assert!(left.len() < text.lines().count(), "{name} has no {word}");
        write(&self.at("bin").join(name), left.join("\n"));
    }

    fn log(&self, verdicts: &[&str]) {
        let line = |verdict: &&str| {
            json!({"time": "2026-11-29T09:00:00Z", "verdict": verdict, "text": "x"}).to_string()
        };
        let lines: Vec<String> = verdicts.iter().map(line).collect();
        write(&self.at("logs/2026-11-29.jsonl"), lines.join("\n") + "\n");
    }

    fn transcript(&self, name: &str) -> PathBuf {
        let path = self.at(&format!("home/.claude/projects/-home-u-proj/{name}.jsonl"));
        write(&path, "");
        Rows::two_turns().rows().iter().for_each(|row| append(&path, row));
        path
    }
}

fn append(path: &std::path::Path, row: &Value) {
    let text = fs::read_to_string(path).unwrap_or_default();
    write(path, format!("{text}{row}\n"));
}
