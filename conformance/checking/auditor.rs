//! What `check` says of the auditor: where its login lies, which of two choices counts, which models it knows, and what
//! it is asked with `--live`.
use std::fs;

use super::Machine;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::programs::program;

/// A curl that knows its version, and an Ollama behind it with two models.
const CURL: &str = "#!/bin/sh\ncase \"$*\" in\n*--version*) echo 'curl 8.0.0 (made up)' ;;\n\
    *http://127.0.0.1:11434/api/tags) echo '{\"models\":[{\"name\":\"qwen3:8b\"},{\"name\":\"hf.co/x/y_z-1:latest\"}]}' ;;\n\
    *) exit 9 ;;\nesac\n";

/// An llm with one model.
const LLM: &str = "#!/bin/sh\ncase \"$*\" in\n--version) echo 'llm, version 0.36' ;;\n\
    'models list') echo 'OpenAI Chat: gpt-x (aliases: gx)' ;;\n*) exit 9 ;;\nesac\n";

checks! {
    /// 2.3: a login in the system's key ring is told, and why none is there where Codex knows.
    #[own]
    fn r2_3_a_login_in_a_key_ring_is_told(c: &mut Checks) {
        for (code, says, told) in [
            ("0", "Logged in using ChatGPT", "· 登录：在系统的密钥串里"),
            ("1", "Not logged in", "✗ 登录：没有登录\n"),
            (
                "1",
                "Error checking login status:\nno key ring answers",
                "✗ 登录：没有登录：no key ring answers\n",
            ),
        ] {
            let machine = Machine::new();
            fs::remove_file(machine.at("home/.codex/auth.json")).unwrap();
            write(&machine.at("home/.codex/config.toml"), "cli_auth_credentials_store = \"keyring\"\n");
            write(&machine.at("bin/login"), code);
            write(&machine.at("bin/login-says"), says);
            let seen = machine.check(&[]);
            c.contains("2.3", format!("{says:?}"), &seen.out, told);
            c.equal("2.3", format!("{says:?}: exit code"), seen.code, Some(code.parse().unwrap()));
        }
    }

    /// 2.3: a command goes before a preset, and the preset that is therefore not asked is named.
    #[own]
    fn r2_3_a_preset_behind_a_command_is_told(c: &mut Checks) {
        for (vendor, is_told) in [("gemini", true), ("codex", false), ("", false)] {
            let machine = Machine::new();
            machine.set_variable("STOP_AUDITOR_CMD", "sh judge.sh");
            machine.set_variable("STOP_AUDITOR_VENDOR", vendor);
            let seen = machine.check(&[]);
            c.equal("2.3", format!("{vendor:?}: exit code"), seen.code, Some(0));
            let told =
                format!("· 审计员：设了 STOP_AUDITOR_CMD，所以 STOP_AUDITOR_VENDOR（{vendor}）不起作用\n");
            c.equal("2.3", format!("{vendor:?} is told"), seen.out.contains(&told), is_told);
        }
    }

    /// 2.3: where a program can tell which models it has, one that it has not is a problem.
    #[own]
    fn r2_3_a_model_that_is_not_there_is_told(c: &mut Checks) {
        for (vendor, script, model, told) in [
            ("ollama", CURL, "qwen3:8b", Some("✓ 模型：qwen3:8b 在它的列表里\n")),
            ("ollama", CURL, "hf.co/x/y_z-1", Some("✓ 模型：hf.co/x/y_z-1 在它的列表里\n")),
            ("ollama", CURL, "qwen3", Some("✗ 模型：它的列表里没有 qwen3\n")),
            ("ollama", CURL, "8b", Some("✗ 模型：它的列表里没有 8b\n")),
            ("llm", LLM, "gx", Some("✓ 模型：gx 在它的列表里\n")),
            (
                "ollama",
                "#!/bin/sh\ncase \"$*\" in\n*--version*) echo curl ;;\n*) printf 'curl: (7)\\nno server\\n' >&2; exit 7 ;;\nesac\n",
                "m",
                Some("✗ 模型：列不出来：no server\n"),
            ),
            // A program that is broken is not asked for models, and neither is one that cannot tell.
            ("ollama", "#!/bin/sh\ncase \"$*\" in\n*--version*) exit 2 ;;\n*) echo m ;;\nesac\n", "m", None),
            ("gemini", "#!/bin/sh\necho m\n", "m", None),
        ] {
            let machine = Machine::new();
            for name in ["curl", "llm", "gemini"] {
                program(&machine.sandbox, name, script);
            }
            machine.set_variable("STOP_AUDITOR_VENDOR", vendor);
            machine.set_variable("STOP_AUDITOR_MODEL", model);
            machine.set_variable("GEMINI_API_KEY", "k");
            let seen = machine.check(&[]);
            let line = seen.out.split_inclusive('\n').find(|line| line.contains(" 模型："));
            c.equal("2.3", format!("{vendor}, {model}, {script:?}"), line, told);
        }
    }

    /// 2.3: what is asked with `--live` is a whole prompt: the built-in example's.
    #[own]
    fn r2_3_live_asks_about_the_built_in_example(c: &mut Checks) {
        let machine = Machine::new();
        machine.check(&["--live"]);
        let prompt = fs::read_to_string(machine.at("bin/prompt")).unwrap_or_default();
        let (_, current) = prompt.split_once("【当前轮】\n").unwrap_or_default();
        c.contains("2.3", "the turn that is judged", current, "没有了，整个仓库都没用到，可以放心删。");
        c.contains("2.3", "the instruction", &prompt, "VERDICT: PASS");
    }
}
