//! Scripted models: what they answer is fixed before the client starts, and every request is kept.
pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod gemini;
pub(crate) mod login;
pub(crate) mod raw;
pub(crate) mod responses;
pub(crate) mod served;
pub(crate) mod tunnel;

use serde_json::Value;

/// One server-sent event; its kind is its name and its `type`.
fn sse(kind: &str, mut data: Value) -> String {
    data["type"] = kind.into();
    format!("event: {kind}\ndata: {data}\n\n")
}

/// Every text in a value, a line each: what a model could read in a request.
pub(crate) fn text_of(value: &Value) -> String {
    crate::kit::journal::texts(value).join("\n")
}
