//! What no preset's model may see, and what may not start: files that the prompt names, the words, settings, plugins and
//! servers of the person's home, of the project and of the temporary directory. One furnished sandbox for all clients.
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Vendor, no_trace, through};
use crate::kit::check::Checks;
use crate::kit::event::write;
use crate::kit::hook::quoted;
use crate::kit::sandbox::Sandbox;
use crate::model::chat::{Answer, Chat};
use crate::model::text_of;
use crate::model::tunnel::Tunnel;

/// Stands in every planted file.
pub(crate) const PLANTED: &str = "PLANTED-WORDS";

/// What the model may be sent beside the prompt, in bytes.
const MAX_OVERHEAD: usize = 2_000;

/// A sandbox whose home, project and temporary directory are full of what the clients read, and whose prompt names
/// files and commands in the ways that they understand.
pub(crate) fn furnished() -> Sandbox {
    let sandbox = Sandbox::with_two_turns();
    let secret = sandbox.path("project/secret.txt");
    let names = format!(
        "CURRENT-PROMPT @secret.txt @./secret.txt @../../secret.txt @{} !{{touch ran-bang}} !touch ran-bang `touch ran-tick` me@example.com",
        secret.display()
    );
    let transcript = fs::read_to_string(sandbox.path("transcript.jsonl")).unwrap();
    sandbox.transcript_bytes(transcript.replace("CURRENT-PROMPT", &names).as_bytes());
    for place in ["home", "project", "tmp"] {
        for file in ["secret.txt", "GEMINI.md", "QWEN.md", "AGENTS.md", "CLAUDE.md"] {
            write(&sandbox.path(&format!("{place}/{file}")), format!("{PLANTED} {place}/{file}"));
        }
        for tool in [".gemini", ".qwen", ".opencode", ".config/opencode", ".agents", ".claude"] {
            furnish(&sandbox, &sandbox.path(&format!("{place}/{tool}")));
        }
    }
    sandbox
}

/// One client's folder: words, a skill, a plugin, and settings with a server and a hook that would leave a file.
fn furnish(sandbox: &Sandbox, folder: &Path) {
    let touch =
        |what: &str| format!("touch {}", quoted(&sandbox.path(&format!("ran-{what}")).to_string_lossy()));
    for file in ["GEMINI.md", "QWEN.md", "AGENTS.md", "CLAUDE.md"] {
        write(&folder.join(file), format!("{PLANTED} {}", folder.join(file).display()));
    }
    let skill = format!("---\nname: planted\ndescription: {PLANTED} for everything\n---\n{PLANTED}\n");
    write(&folder.join("skills/planted/SKILL.md"), skill);
    let server = json!({"command": "sh", "args": ["-c", touch("mcp")]});
    let hook = json!([{"hooks": [{"type": "command", "command": touch("hook")}]}]);
    let settings = json!({"mcpServers": {"planted": server}, "hooksConfig": {"enabled": true},
                          "hooks": {"BeforeAgent": hook, "SessionStart": hook, "UserPromptSubmit": hook}});
    write(&folder.join("settings.json"), settings.to_string());
    let local = json!({"type": "local", "command": ["sh", "-c", touch("mcp")], "enabled": true});
    write(&folder.join("opencode.json"), json!({"mcp": {"planted": local}}).to_string());
    let file = json!(sandbox.path("ran-plugin"));
    let plugin = format!(
        "import fs from \"fs\";\nfs.writeFileSync({file}, \"\");\nexport const P = async () => ({{}});\n"
    );
    write(&folder.join("plugin/planted.js"), plugin);
}

/// The names of the tools that a request offers.
pub(crate) fn tools_of(request: &Value) -> Vec<String> {
    let listed = request["tools"].as_array().into_iter().flatten();
    let declared = listed.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(declared) => declared.iter().map(|one| one["name"].clone()).collect(),
        None => vec![tool["function"]["name"].clone()],
    });
    declared.map(|name| name.as_str().unwrap_or("?").to_owned()).collect()
}

/// What of the planted things ran.
pub(crate) fn ran(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.root()).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("ran-")).collect()
}

/// Where a client sends usage statistics that nothing turns off; `check` and the README say so.
fn other_hosts(vendor: &Vendor) -> Vec<String> {
    let hosts: &[&str] = match vendor.preset {
        "qwen" => &["gb4w8c3ygj-default-sea.rum.aliyuncs.com:443"],
        _ => &[],
    };
    hosts.iter().map(ToString::to_string).collect()
}

/// One request without a tool, with the prompt and little else in it; nothing planted is in it, and nothing ran.
pub(crate) fn nothing_of_the_persons(c: &mut Checks, vendor: &Vendor) {
    let sandbox = furnished();
    let model = Chat::new(Answer::Text("VERDICT: PASS"));
    let elsewhere = Tunnel::new();
    let event = through(&elsewhere, vendor.stop(&sandbox, &vendor.url(&model)));
    let run = event.patient().run();
    c.that("1.6", "the audit", run.silent(), "PASS", run.seen());
    c.equal("1.6", "other hosts that were asked", elsewhere.refused(), other_hosts(vendor));
    let bodies = model.bodies();
    c.equal("1.6", "requests", bodies.len(), 1);
    let request = bodies.first().cloned().unwrap_or_default();
    let text = text_of(&request);
    c.contains("1.6", "the request", &text, "CURRENT-PROMPT @secret.txt");
    c.absent("1.6", "the request", &text, PLANTED);
    c.equal("1.6", "tools offered", tools_of(&request), Vec::new());
    let prompt = fs::read_to_string(sandbox.path("prompt")).unwrap_or_default();
    let n_bytes = vendor.requests(&model).first().map_or(usize::MAX, |request| request.body.len());
    let overhead = n_bytes.saturating_sub(json!(prompt).to_string().len());
    let want = format!("at most {MAX_OVERHEAD}");
    c.that("1.6", "bytes beside the prompt", overhead <= MAX_OVERHEAD, want, overhead.to_string());
    c.equal("1.6", "what ran", ran(&sandbox), Vec::new());
    no_trace(c, &sandbox);
}

/// The twin: this command, run plainly in the furnished project, shows the model something planted or offers it tools.
pub(crate) fn the_bare_client_would_show_it(
    c: &mut Checks,
    vendor: &Vendor,
    command: &str,
    variables: &[(&str, &str)],
) {
    let sandbox = furnished();
    let model = Chat::new(Answer::Text("VERDICT: PASS"));
    let url = vendor.url(&model);
    let project = quoted(&sandbox.path("project").to_string_lossy());
    let mut event = vendor.stop(&sandbox, &url).auditor(&format!("cd {project} && {command}")).patient();
    for (name, value) in variables {
        event = event.env(name, &value.replace("<url>", &url));
    }
    let run = event.run();
    c.that("1.6", "the audit", run.silent(), "PASS", run.seen());
    let all = model.bodies();
    let planted = all.iter().any(|body| text_of(body).contains(PLANTED));
    c.that("1.6", "planted words in the requests", planted, "there", "none");
    let tools: Vec<String> = all.iter().flat_map(tools_of).collect();
    c.that("1.6", "tools offered", !tools.is_empty(), "some", "none");
    super::end_what_runs(&sandbox);
}
