//! Anthropic Messages, as far as Claude Code needs it. Requests without tools are side jobs (a title, a summary):
//! they are answered aside and do not count as steps.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::served::{Served, body};
use super::{sse, text_of};
use crate::kit::journal::texts;
use crate::kit::processes::eventually;

/// A part of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Thinking(String),
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
    script: Arc<Script>,
}

impl Anthropic {
    /// Answers each request with the next step; past the last one it says so, which no case expects.
    pub(crate) fn new(steps: Vec<Vec<Part>>) -> Self {
        let script = Arc::new(Script::default());
        script.say(None, steps);
        Self { served: Served::start(Player(Arc::clone(&script))), script }
    }

    /// Answers the n-th request with `reply(n)`, n from 1: for sessions without tools, which have no side jobs.
    pub(crate) fn without_tools(reply: fn(usize) -> String) -> Self {
        let script = Arc::new(Script { without_tools: Some(reply), ..Script::default() });
        Self { served: Served::start(Player(Arc::clone(&script))), script }
    }

    /// All requests for an answer, with their sizes in bytes.
    pub(crate) fn bodies(&self) -> Vec<(usize, Value)> {
        let requests = self.served.requests("/v1/messages");
        requests.iter().map(|request| (request.body.len(), body(request))).collect()
    }

    /// Steps for after the others.
    pub(crate) fn then(&self, steps: Vec<Vec<Part>>) {
        self.script.say(None, steps);
    }

    /// Steps of their own for conversations that begin with a message in which this stands: those of a sub-agent.
    pub(crate) fn aside(&self, begins_with: &str, steps: Vec<Vec<Part>>) {
        self.script.say(Some(begins_with), steps);
    }

    /// Every text that it says or was to say, inputs of tools included.
    pub(crate) fn words(&self) -> Vec<String> {
        let texts = |part: &Part| match part {
            Part::Text(text) | Part::Thinking(text) => vec![text.clone()],
            Part::Tool { input, .. } => texts(input).into_iter().map(str::to_owned).collect(),
        };
        self.script.said.lock().expect("no thread panics with it").iter().flat_map(texts).collect()
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

/// The steps to come of the conversations whose first message holds this; `None` is the session itself.
type Left = (Option<String>, VecDeque<Vec<Part>>);

#[derive(Default)]
struct Script {
    left: Mutex<Vec<Left>>,
    said: Mutex<Vec<Part>>,
    n_asked: AtomicUsize,
    without_tools: Option<fn(usize) -> String>,
}

struct Player(Arc<Script>);

impl Respond for Player {
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
        let is_step = is_main(&request) || self.0.without_tools.is_some();
        let (n, parts) = if is_step { self.0.next(&request) } else { (0, says("title")) };
        let template = ResponseTemplate::new(200).insert_header("request-id", format!("req_{n}").as_str());
        template.set_body_raw(stream(n, &parts, &request["model"]), "text/event-stream")
    }
}

impl Script {
    fn say(&self, begins_with: Option<&str>, steps: Vec<Vec<Part>>) {
        self.said.lock().expect("no thread panics with it").extend(steps.iter().flatten().cloned());
        let mut left = self.left.lock().expect("no thread panics with it");
        let name = begins_with.map(str::to_owned);
        match left.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(steps),
            None => left.push((name, steps.into())),
        }
    }

    fn next(&self, request: &Value) -> (usize, Vec<Part>) {
        let n = self.n_asked.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(reply) = self.without_tools {
            return (n, says(&reply(n)));
        }
        let first = text_of(&request["messages"][0]);
        let is_begun = |name: &Option<String>| name.as_ref().is_some_and(|name| first.contains(name));
        let mut left = self.left.lock().expect("no thread panics with it");
        let at = left.iter().position(|(name, _)| is_begun(name));
        let at = at.or_else(|| left.iter().position(|(name, _)| name.is_none()));
        let step = at.and_then(|at| left[at].1.pop_front());
        (n, step.unwrap_or_else(|| says("the script is over")))
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
        let (block, deltas) = match part {
            Part::Text(text) => {
                (json!({"type": "text", "text": ""}), vec![json!({"type": "text_delta", "text": text})])
            }
            Part::Thinking(text) => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": text}),
                    json!({"type": "signature_delta", "signature": "c2lnbmVk"}),
                ],
            ),
            Part::Tool { name, input } => {
                stop_reason = "tool_use";
                let id = format!("toolu_{n}_{index}");
                (
                    json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                    vec![json!({"type": "input_json_delta", "partial_json": input.to_string()})],
                )
            }
        };
        text += &sse("content_block_start", json!({"index": index, "content_block": block}));
        for delta in deltas {
            text += &sse("content_block_delta", json!({"index": index, "delta": delta}));
        }
        text += &sse("content_block_stop", json!({"index": index}));
    }
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    text += &sse("message_delta", json!({"delta": delta, "usage": {"output_tokens": 5}}));
    text + &sse("message_stop", json!({}))
}
