//! Programs on the hook's PATH: a `codex` that prints an event stream, and any other name; all record their calls.
#![allow(dead_code, reason = "the vocabulary of all test files; each uses what it needs")]
use serde_json::{Value, json};

use super::auditors::{Recording, recorder};
use super::event::{Event, Run, write};
use super::hook::quoted;
use super::sandbox::Sandbox;

/// A codex on PATH that records its call and prints an event stream.
pub(crate) struct FakeCodex<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> FakeCodex<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox, events: &[Value]) -> Self {
        Self::doing(sandbox, events, "")
    }

    /// The same, running these shell lines before it answers.
    pub(crate) fn doing(sandbox: &'a Sandbox, events: &[Value], before: &str) -> Self {
        let mut stream =
            vec![json!({"type": "thread.started", "thread_id": "t"}), json!({"type": "turn.started"})];
        stream.extend_from_slice(events);
        let usage = json!({"input_tokens": 41_234, "cached_input_tokens": 1000, "output_tokens": 40_056,
                           "reasoning_output_tokens": 40});
        stream.push(json!({"type": "turn.completed", "usage": usage}));
        let lines: Vec<String> = stream.iter().map(Value::to_string).collect();
        write(&sandbox.path("bin/events"), lines.join("\n"));
        let events = quoted(&sandbox.path("bin/events").to_string_lossy());
        let code = quoted(&sandbox.path("bin/exit-code").to_string_lossy());
        write(&sandbox.path("bin/exit-code"), "0\n");
        let record = recorder(&sandbox.path("codex-call"), "");
        // Asked for its version or its features it is no auditor.
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = exec ] || exit 0\n{record} \"$@\" >/dev/null\n{before}\ncat {events}\nread -r code <{code}\nexit \"$code\"\n"
        );
        program(sandbox, "codex", &script);
        Self { sandbox }
    }

    pub(crate) fn stop(&self) -> Event {
        self.sandbox.stop().env("PATH", &path_with_bin(self.sandbox))
    }

    pub(crate) fn recording(&self) -> Recording {
        Recording::of(&self.sandbox.path("codex-call"))
    }
}

/// The event that carries the answer.
pub(crate) fn message(text: &str) -> Value {
    json!({"type": "item.completed", "item": {"id": "m", "type": "agent_message", "text": text}})
}

/// Runs the hook with an auditor command in which `{bin}` is the directory of a program that records its calls.
pub(crate) fn with_program(sandbox: &Sandbox, name: &str, command: &str) -> (Run, Recording) {
    let dir = sandbox.path("program-call");
    program(sandbox, name, &format!("#!/bin/sh\nexec {} \"$@\"\n", recorder(&dir, "VERDICT: PASS")));
    let command = command.replace("{bin}", &sandbox.path("bin").to_string_lossy());
    let run = sandbox.stop().env("PATH", &path_with_bin(sandbox)).auditor(&command).run();
    (run, Recording::of(&dir))
}

/// A link to a program that was never open for writing in this process: the system refuses to run one that is.
pub(crate) fn program(sandbox: &Sandbox, name: &str, script: &str) {
    write(&sandbox.path(&format!("bin/{name}.sh")), script);
    let by_name = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fake-auditors/by-name");
    std::os::unix::fs::symlink(by_name, sandbox.path("bin").join(name)).expect("a link is made");
}

/// PATH with the sandbox's programs before all others.
pub(crate) fn path_with_bin(sandbox: &Sandbox) -> String {
    format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap_or_default())
}
