//! What the scripted model does: the person's last prompt names it.
use serde_json::{Value, json};

use super::super::model::responses::call_outputs;

/// Answers at once.
pub(super) const PLAIN: &str = "PROMPT-PLAIN";
/// Runs [`TOOL_COMMAND`], then answers.
pub(super) const TOOL: &str = "PROMPT-TOOL";
/// The same, and asks for leave to run it outside the sandbox.
pub(super) const ASK: &str = "PROMPT-ASK";
/// Runs a command that takes long.
pub(super) const WAIT: &str = "PROMPT-WAIT";
/// Starts a sub-agent and waits for it.
pub(super) const AGENTS: &str = "PROMPT-AGENTS";
/// Runs a command that ends with an error.
pub(super) const ERROR: &str = "PROMPT-ERROR";
/// Calls a tool in a way in which it cannot run.
pub(super) const NOWHERE: &str = "PROMPT-NOWHERE";

/// The command of the tool. It leaves a file where it runs.
pub(super) const TOOL_COMMAND: &str = "echo TOOL-RAN; touch ran";

/// What the model says at the end.
pub(super) const REPLY: &str = "MODEL-REPLY";

/// The model's next items.
pub(super) fn script(request: &Value) -> Vec<Value> {
    let n_outputs = call_outputs(request).len();
    let run = |arguments: Value| vec![call("exec_command", "c1", &arguments)];
    match (last_prompt(request).as_str(), n_outputs) {
        (TOOL, 0) => run(json!({"cmd": TOOL_COMMAND})),
        (ASK, n) if n < n_prompts(request) => run(json!({"cmd": TOOL_COMMAND, "justification": "J",
                                                         "sandbox_permissions": "require_escalated"})),
        (WAIT, 0) => run(json!({"cmd": "touch started; exec sleep 30", "yield_time_ms": 25_000})),
        (ERROR, 0) => run(json!({"cmd": "exit 3"})),
        (NOWHERE, 0) => run(json!({"cmd": "true", "workdir": "/no/such/folder"})),
        (AGENTS, 0) => {
            let task = json!({"task_name": "task", "message": "CHILD-TASK", "fork_turns": "none"});
            vec![in_namespace(call("spawn_agent", "c1", &task))]
        }
        (AGENTS, 1) => vec![in_namespace(call("wait_agent", "c2", &json!({"timeout_ms": 15_000})))],
        _ => vec![json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
                         "content": [{"type": "output_text", "text": REPLY, "annotations": []}]})],
    }
}

fn call(name: &str, id: &str, arguments: &Value) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
           "arguments": arguments.to_string()})
}

fn in_namespace(mut call: Value) -> Value {
    call["namespace"] = "collaboration".into();
    call
}

/// The person's prompts in a request; a sub-agent's has none.
fn prompts(request: &Value) -> Vec<String> {
    let texts = messages(request, "user").into_iter();
    texts.filter(|text| text.starts_with("PROMPT-")).collect()
}

pub(super) fn last_prompt(request: &Value) -> String {
    prompts(request).pop().unwrap_or_default()
}

fn n_prompts(request: &Value) -> usize {
    prompts(request).len()
}

/// The texts of one role in a request, in order, a part each.
pub(super) fn messages(request: &Value, role: &str) -> Vec<String> {
    let items = request["input"].as_array().into_iter().flatten();
    let items = items.filter(|item| item["type"] == "message" && item["role"] == role);
    items.flat_map(parts).collect()
}

/// The parts of a message.
pub(super) fn parts(item: &Value) -> Vec<String> {
    let parts = item["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
}
