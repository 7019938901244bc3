//! OpenAI chat completions, whole or as a stream, as the request asks: answers that end as they should, answers that
//! do not, and refusals by status; the same answers in Gemini's form are in `gemini.rs`. What a server that speaks HTTP properly cannot do is in `raw.rs`.
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::gemini;
use super::served::{Served, body};

/// What the model answers to every request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// These words, and the end of the answer.
    Text(&'static str),
    /// These words, and then the response ends as if all had been said, without saying so.
    Unended(&'static str),
    /// These words, and another reason for the end than that all was said.
    Ends(&'static str, &'static str),
    /// A call of this tool with these arguments; once its output is in the request, these words.
    Tool(&'static str, Value, &'static str),
    /// An HTTP status, a `retry-after` in seconds if any, and the body.
    Status(u16, Option<u32>, Value),
}

/// A server on loopback.
pub(crate) struct Chat {
    served: Served,
}

impl Chat {
    pub(crate) fn new(answer: Answer) -> Self {
        Self { served: Served::start(answer) }
    }

    /// The base of the API.
    pub(crate) fn url(&self) -> String {
        self.served.url() + "/v1"
    }

    /// The requests for a completion, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.served.requests("/chat/completions")
    }

    /// The base of Gemini's API.
    pub(crate) fn gemini_url(&self) -> String {
        self.served.url()
    }

    /// The requests to Gemini's API, in order, counts of tokens among them: they carry the prompt, too.
    pub(crate) fn gemini_requests(&self) -> Vec<Request> {
        self.served.requests("").into_iter().filter(gemini::is_asked).collect()
    }

    /// Their bodies.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let gemini = self.gemini_requests();
        self.requests().iter().chain(&gemini).map(body).collect()
    }
}

impl Respond for Answer {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let asked = body(request);
        if gemini::is_asked(request) {
            return gemini::respond(self, request);
        }
        if !request.url.path().ends_with("/chat/completions") {
            return ResponseTemplate::new(404);
        }
        let (message, reason) = match self {
            Answer::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
            Answer::Ends(text, reason) => (json!({"role": "assistant", "content": text}), *reason),
            Answer::Unended(text) => (json!({"role": "assistant", "content": text}), ""),
            Answer::Tool(_, _, then) if has_tool_output(&asked) => {
                (json!({"role": "assistant", "content": then}), "stop")
            }
            Answer::Tool(name, arguments, _) => {
                let function = json!({"name": name, "arguments": arguments.to_string()});
                let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
                (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
            }
            Answer::Status(status, retry_after, body) => {
                let template = ResponseTemplate::new(*status).set_body_json(body);
                return match retry_after {
                    Some(seconds) => template.insert_header("retry-after", seconds.to_string().as_str()),
                    None => template,
                };
            }
        };
        let model = &asked["model"];
        if asked["stream"] == true {
            let end = if reason.is_empty() { String::new() } else { end(model, reason) };
            let text = stream(model, &message) + &end;
            return ResponseTemplate::new(200).set_body_raw(text, "text/event-stream");
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": reason});
        ResponseTemplate::new(200).set_body_json(json!({"id": "c", "object": "chat.completion", "created": 1,
            "model": model, "choices": [choice], "usage": usage()}))
    }
}

/// What a call of a tool gave, as a request tells the model.
pub(crate) fn tool_outputs(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] == "tool").map(super::text_of).collect()
}

fn has_tool_output(request: &Value) -> bool {
    !tool_outputs(request).is_empty()
}

/// The body of a refusal.
pub(crate) fn error(message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "code": "some_code"}})
}

/// The beginning of a stream that never gets to its end.
pub(crate) fn cut_stream(text: &str) -> String {
    stream(&json!("m"), &json!({"role": "assistant", "content": text}))
}

/// The beginning of a body that never gets to its end.
pub(crate) fn cut_body(text: &str) -> String {
    let message = json!({"role": "assistant", "content": text});
    let whole = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).to_string();
    whole[..whole.len() - 3].to_owned()
}

fn stream(model: &Value, delta: &Value) -> String {
    chunk(model, json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)
}

fn end(model: &Value, reason: &str) -> String {
    let last = json!([{"index": 0, "delta": {}, "finish_reason": reason}]);
    chunk(model, last, Value::Null) + &chunk(model, json!([]), usage()) + "data: [DONE]\n\n"
}

fn chunk(model: &Value, choices: Value, usage: Value) -> String {
    let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model,
                       "choices": choices, "usage": usage});
    format!("data: {chunk}\n\n")
}

fn usage() -> Value {
    json!({"prompt_tokens": 4321, "completion_tokens": 21, "total_tokens": 4342})
}
