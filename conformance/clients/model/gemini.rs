//! Gemini's `generateContent`, whole or as a stream: the answers of `chat.rs` in another form.
use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use super::chat::Answer;
use super::served::body;

/// Whether a request is one to this API.
pub(crate) fn is_asked(request: &Request) -> bool {
    request.method.as_str() == "POST" && request.url.path().contains("/models/")
}

pub(crate) fn respond(answer: &Answer, request: &Request) -> ResponseTemplate {
    let asked = body(request);
    let (part, reason) = match answer {
        Answer::Text(text) => (json!({"text": text}), "STOP"),
        Answer::Unended(text) => (json!({"text": text}), ""),
        Answer::Ends(text, reason) => (json!({"text": text}), *reason),
        Answer::Tool(_, _, then) if !tool_outputs(&asked).is_empty() => (json!({"text": then}), "STOP"),
        Answer::Tool(name, arguments, _) => {
            (json!({"functionCall": {"name": name, "args": arguments}}), "STOP")
        }
        Answer::Status(status, _, body) => {
            let error =
                json!({"error": {"code": status, "message": body["error"]["message"], "status": "FAILED"}});
            return ResponseTemplate::new(*status).set_body_json(error);
        }
    };
    let parts = if part["text"] == "" { json!([]) } else { json!([part]) };
    let response = response(parts, reason);
    if request.url.path().contains("stream") {
        return ResponseTemplate::new(200).set_body_raw(format!("data: {response}\n\n"), "text/event-stream");
    }
    ResponseTemplate::new(200).set_body_json(response)
}

/// What a call of a tool gave, as a request tells the model.
pub(crate) fn tool_outputs(request: &Value) -> Vec<String> {
    let contents = request["contents"].as_array().into_iter().flatten();
    let parts = contents.flat_map(|content| content["parts"].as_array().into_iter().flatten());
    parts.filter(|part| part.get("functionResponse").is_some()).map(super::text_of).collect()
}

/// The beginning of a stream that never gets to its end.
pub(crate) fn cut_stream(text: &str) -> String {
    format!("data: {}\n\n", response(json!([{"text": text}]), ""))
}

fn response(parts: Value, reason: &str) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if !reason.is_empty() {
        candidate["finishReason"] = reason.into();
    }
    let usage = json!({"promptTokenCount": 4321, "candidatesTokenCount": 21, "totalTokenCount": 4342});
    json!({"candidates": [candidate], "usageMetadata": usage})
}
