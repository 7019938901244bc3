//! A client with one hook and nothing else: the isolation of the study (`--setting-sources project,local --tools ""
//! --strict-mcp-config`), an environment made from nothing, a home of its own.
pub(crate) mod observed;
pub(crate) mod session;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use stop_auditor::hosts::contract::{End, Run};

use super::desk::environment;
use super::installed;
use super::kit::event::write;
use super::kit::hook::quoted;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::Anthropic;

/// The client in print mode with a hook for one event; what the prompt and the streams are is left to the caller.
pub(crate) fn client(sandbox: &Sandbox, model: &Anthropic, event: &str, handler: &Value) -> Command {
    let settings = json!({"hooks": {event: [{"hooks": [handler]}]}});
    write(&sandbox.path("project/.claude/settings.json"), settings.to_string());
    let mut command = Command::new(installed::claude());
    command.args(["-p", "--setting-sources", "project,local", "--tools", "", "--strict-mcp-config"]);
    command.args(["--model", "opus", "--output-format", "stream-json", "--verbose", "--include-hook-events"]);
    command.env_clear().envs(environment(sandbox, &model.url()).pairs()).current_dir(sandbox.path("project"));
    command.process_group(0);
    command
}

/// The only transcript that the client wrote.
///
/// # Panics
/// When there is none, or more than one, or a row is no JSON.
pub(crate) fn transcript(sandbox: &Sandbox) -> Vec<Value> {
    let mut files: Vec<PathBuf> = sandbox.files_below("home/.claude/projects");
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    assert_eq!(files.len(), 1, "transcripts: {files:?}");
    let text = fs::read_to_string(&files[0]).expect("a transcript is text");
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

/// The hook, at `hook` in the sandbox: does what [`tell_hook`] told it.
///
/// # Panics
/// When it cannot be written.
pub(crate) fn write_hook(sandbox: &Sandbox) {
    let path = sandbox.path("hook");
    let script = format!(
        "#!/bin/sh\ncd {} || exit 9\ncat >/dev/null\necho >>ran\n[ \"$(wc -l <ran)\" -le \"$(cat times)\" ] || exit 0\n\
         cat out\ncat err >&2\n. ./end\n",
        quoted(&sandbox.path("row").to_string_lossy())
    );
    write(&path, script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be started");
}

/// What the hook is to do the next times that it runs; afterwards it is silent.
pub(crate) fn tell_hook(sandbox: &Sandbox, run: &Run, n_times: usize) {
    let end = match run.end {
        End::Exit(code) => format!("exit {code}"),
        End::Signal => "kill -KILL $$".to_owned(),
        End::TimedOut => "exec tail -f /dev/null".to_owned(),
        End::NotStarted => String::new(),
    };
    let times = n_times.to_string();
    for (name, text) in [("out", &run.stdout), ("err", &run.stderr), ("end", &end), ("times", &times)] {
        write(&sandbox.path(&format!("row/{name}")), text);
    }
    write(&sandbox.path("row/ran"), "");
}
