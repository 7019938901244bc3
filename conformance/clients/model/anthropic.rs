//! Anthropic Messages, as far as Claude Code needs it. Requests without tools are side jobs (a title, a summary):
//! they are answered aside and do not count as steps.
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::served::{Served, body};
use super::{sse, text_of};
use crate::kit::processes::eventually;

/// A part of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Tool { name: String, input: Value },
}

/// A reply that ends the turn.
pub(crate) fn says(text: &str) -> Vec<Part> {
    vec![Part::Text(text.to_owned())]
}

/// A call of a tool.
pub(crate) fn tool(name: &str, input: Value) -> Part {
    Part::Tool { name: name.to_owned(), input }
}

/// A server on loopback.
pub(crate) struct Anthropic {
    served: Served,
}

impl Anthropic {
    /// Answers each request with the next step; past the last one it says so, which no case expects.
    pub(crate) fn new(steps: Vec<Vec<Part>>) -> Self {
        let script = Script { steps: Steps::Listed(steps), n_asked: Mutex::new(0) };
        Self { served: Served::start(script) }
    }

    /// Answers the n-th request with `reply(n)`, n from 1: for sessions without tools, which have no side jobs.
    pub(crate) fn without_tools(reply: fn(usize) -> String) -> Self {
        let script = Script { steps: Steps::Made(reply), n_asked: Mutex::new(0) };
        Self { served: Served::start(script) }
    }

    /// All requests for an answer, with their sizes in bytes.
    pub(crate) fn bodies(&self) -> Vec<(usize, Value)> {
        let requests = self.served.requests("/v1/messages");
        requests.iter().map(|request| (request.body.len(), body(request))).collect()
    }

    pub(crate) fn url(&self) -> String {
        self.served.url()
    }

    /// What the model could read of the conversation, a text for each request of the session itself.
    pub(crate) fn conversations(&self) -> Vec<String> {
        let bodies = self.served.requests("/v1/messages").iter().map(body).collect::<Vec<Value>>();
        bodies.iter().filter(|body| is_main(body)).map(|body| text_of(&body["messages"])).collect()
    }

    /// Waits until that many requests of the session have come.
    pub(crate) fn has_been_asked(&self, n_times: usize) -> bool {
        eventually(Duration::from_secs(30), || self.conversations().len() >= n_times)
    }
}

struct Script {
    steps: Steps,
    n_asked: Mutex<usize>,
}

enum Steps {
    Listed(Vec<Vec<Part>>),
    Made(fn(usize) -> String),
}

impl Respond for Script {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        if request.method.as_str() != "POST" {
            return ResponseTemplate::new(200);
        }
        if path.ends_with("/count_tokens") {
            return ResponseTemplate::new(200).set_body_json(json!({"input_tokens": 5}));
        }
        if !path.ends_with("/v1/messages") {
            return ResponseTemplate::new(200).set_body_json(json!({}));
        }
        let request = body(request);
        let is_step = is_main(&request) || matches!(self.steps, Steps::Made(_));
        let (n, parts) = if is_step { self.next() } else { (0, says("title")) };
        ResponseTemplate::new(200).set_body_raw(stream(n, &parts, &request["model"]), "text/event-stream")
    }
}

impl Script {
    fn next(&self) -> (usize, Vec<Part>) {
        let mut n_asked = self.n_asked.lock().expect("no thread panics with it");
        let n = *n_asked;
        *n_asked += 1;
        let step = match &self.steps {
            Steps::Listed(steps) => steps.get(n).cloned().unwrap_or_else(|| says("the script is over")),
            Steps::Made(reply) => says(&reply(n + 1)),
        };
        (n + 1, step)
    }
}

fn is_main(body: &Value) -> bool {
    body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn stream(n: usize, parts: &[Part], model: &Value) -> String {
    let mut text = sse(
        "message_start",
        json!({"message": {"id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    );
    let mut stop_reason = "end_turn";
    for (index, part) in parts.iter().enumerate() {
        let (block, delta) = match part {
            Part::Text(text) => {
                (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
            }
            Part::Tool { name, input } => {
                stop_reason = "tool_use";
                let id = format!("toolu_{n}_{index}");
                (
                    json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                    json!({"type": "input_json_delta", "partial_json": input.to_string()}),
                )
            }
        };
        text += &sse("content_block_start", json!({"index": index, "content_block": block}));
        text += &sse("content_block_delta", json!({"index": index, "delta": delta}));
        text += &sse("content_block_stop", json!({"index": index}));
    }
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    text += &sse("message_delta", json!({"delta": delta, "usage": {"output_tokens": 5}}));
    text + &sse("message_stop", json!({}))
}
