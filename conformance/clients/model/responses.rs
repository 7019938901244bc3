//! OpenAI Responses, as far as Codex needs it: streams that end as they should, streams that do not, and refusals by
//! status. What a server that speaks HTTP properly cannot do is in `raw.rs`.
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::served::{Served, body};
use super::{sse, text_of};

/// What the model answers to every request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// These messages, in order, then the end of the response.
    Messages(&'static [&'static str]),
    /// These calls of tools; once their outputs are in the request, a PASS.
    Tools(Vec<Value>),
    /// The items that this makes of the request.
    Script(fn(&Value) -> Vec<Value>),
    /// A refusal of the model's own, which is a part of a message.
    Refusal(&'static str),
    /// The response ends before the message does.
    Incomplete(&'static str),
    /// The service says that the response failed.
    Failed(&'static str),
    /// An HTTP status, a `retry-after` in seconds if any, and the body.
    Status(u16, Option<u32>, Value),
    /// 401 unless a key is sent, which nobody has.
    LoginRequired,
    /// 401 unless this token is sent; then a PASS.
    OnlyFor(String),
}

/// A server on loopback.
pub(crate) struct Responses {
    served: Served,
}

impl Responses {
    pub(crate) fn new(answer: Answer) -> Self {
        Self { served: Served::start(answer) }
    }

    /// The base of the API.
    pub(crate) fn url(&self) -> String {
        self.served.url() + "/v1"
    }

    /// The requests for a response, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.served.requests("/responses");
        requests.into_iter().filter(|request| request.method.as_str() == "POST").collect()
    }

    /// Their bodies.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.bodies_since(0)
    }

    /// The bodies of all but the first `n`.
    pub(crate) fn bodies_since(&self, n: usize) -> Vec<Value> {
        self.requests().iter().skip(n).map(body).collect()
    }
}

impl Respond for Answer {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        if request.method.as_str() != "POST" {
            return ResponseTemplate::new(404);
        }
        let text = match self {
            Answer::Messages(texts) => {
                let items: String = texts.iter().enumerate().map(|(n, text)| message(n, text)).collect();
                created() + &items + &completed()
            }
            Answer::Tools(_) if !call_outputs(&body(request)).is_empty() => {
                created() + &message(0, "VERDICT: PASS") + &completed()
            }
            Answer::Tools(calls) => items(calls),
            Answer::Script(script) => items(&script(&body(request))),
            Answer::Refusal(text) => {
                let content = json!([{"type": "refusal", "refusal": text}]);
                created() + &item(0, content) + &completed()
            }
            Answer::Incomplete(text) => {
                let end = json!({"response": {"id": "resp_1", "status": "incomplete",
                                              "incomplete_details": {"reason": "max_output_tokens"}}});
                created() + &message(0, text) + &sse("response.incomplete", end)
            }
            Answer::Failed(text) => {
                let error = json!({"code": "server_error", "message": text});
                let end = json!({"response": {"id": "resp_1", "status": "failed", "error": error}});
                created() + &sse("response.failed", end)
            }
            Answer::Status(status, retry_after, body) => {
                return refused(*status, *retry_after, body);
            }
            Answer::OnlyFor(token) if is_sent(request, token) => {
                created() + &message(0, "VERDICT: PASS") + &completed()
            }
            Answer::OnlyFor(_) => {
                return refused(401, None, &error("token_expired", "Your token has expired"));
            }
            Answer::LoginRequired => {
                let body = error("invalid_api_key", "Missing bearer or basic authentication in header");
                return refused(401, None, &body);
            }
        };
        ResponseTemplate::new(200).set_body_raw(text, "text/event-stream")
    }
}

/// Whether a request carries this token.
pub(crate) fn is_sent(request: &Request, token: &str) -> bool {
    let header = request.headers.get("authorization").and_then(|value| value.to_str().ok());
    header == Some(&format!("Bearer {token}"))
}

/// What the calls of tools gave, as a request tells the model.
pub(crate) fn call_outputs(request: &Value) -> Vec<String> {
    let items = request["input"].as_array().into_iter().flatten();
    let is_output = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
    items.filter(is_output).map(text_of).collect()
}

fn refused(status: u16, retry_after: Option<u32>, body: &Value) -> ResponseTemplate {
    let template = ResponseTemplate::new(status).set_body_json(body);
    match retry_after {
        Some(seconds) => template.insert_header("retry-after", seconds.to_string().as_str()),
        None => template,
    }
}

/// The body of a refusal.
pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({"error": {"type": "invalid_request_error", "code": code, "message": message}})
}

/// The beginning of a stream that never gets to its end.
pub(crate) fn cut_stream(text: &str) -> String {
    created() + &message(0, text)
}

fn created() -> String {
    sse("response.created", json!({"response": {"id": "resp_1"}}))
}

fn message(n: usize, text: &str) -> String {
    item(n, json!([{"type": "output_text", "text": text, "annotations": []}]))
}

fn item(n: usize, content: Value) -> String {
    let item = json!({"type": "message", "role": "assistant", "id": format!("msg_{n}"), "status": "completed",
                      "content": content});
    sse("response.output_item.done", json!({"output_index": n, "item": item}))
}

/// A whole response with these items.
fn items(items: &[Value]) -> String {
    let done = |(n, item): (usize, &Value)| {
        sse("response.output_item.done", json!({"output_index": n, "item": item}))
    };
    created() + &items.iter().enumerate().map(done).collect::<String>() + &completed()
}

fn completed() -> String {
    let usage = json!({"input_tokens": 4321, "output_tokens": 21, "total_tokens": 4342});
    sse("response.completed", json!({"response": {"id": "resp_1", "usage": usage}}))
}
