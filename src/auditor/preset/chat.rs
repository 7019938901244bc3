//! A prompt as the body of a request for a chat completion, and the answer in the body that comes back.
//!
//! An answer counts only where the service says that it is finished (facts, vendors 6): a length that was reached, or a
//! call of a tool, is none.

use serde_json::{Value, json};

/// What a response holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The model's words.
    pub text: String,
    /// Tokens in and out, where told.
    pub tokens: Option<(u64, u64)>,
}

/// The body of a request.
pub fn request(model: &str, prompt: &str) -> String {
    json!({"model": model, "stream": false, "messages": [{"role": "user", "content": prompt}]}).to_string()
}

/// Reads the body of a response.
///
/// # Errors
/// What is wrong with it.
pub fn answer(body: &str) -> Result<Answer, String> {
    let body: Value =
        serde_json::from_str(body).map_err(|error| format!("回来的不是一份完整的 JSON（{error}）"))?;
    let text_at = |path: &str| body.pointer(path).and_then(Value::as_str);
    if let Some(error) = complaint_in(&body) {
        return Err(error);
    }
    match text_at("/choices/0/finish_reason") {
        Some("stop") => {}
        Some(reason) => return Err(format!("finish_reason 是 {reason}")),
        None => return Err("没有 finish_reason".to_owned()),
    }
    let text = text_at("/choices/0/message/content").unwrap_or_default();
    let tokens = |name: &str| body.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    Ok(Answer { text: text.to_owned(), tokens: tokens("prompt_tokens").zip(tokens("completion_tokens")) })
}

/// What the body of a refusal says, where it says something.
pub fn complaint(body: &str) -> Option<String> {
    complaint_in(&serde_json::from_str(body).ok()?)
}

/// `{"error": {"message": …}}`, `{"error": …}` or `{"message": …}`: services differ.
fn complaint_in(body: &Value) -> Option<String> {
    let places = ["/error/message", "/error", "/message"];
    places.iter().find_map(|place| body.pointer(place)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(reason: &str, content: &str) -> String {
        let message = json!({"role": "assistant", "content": content});
        json!({"choices": [{"message": message, "finish_reason": reason}],
               "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
        .to_string()
    }

    #[test]
    fn a_finished_answer_counts_with_its_tokens() {
        // A service that is busy sends empty lines first.
        let answer = answer(&format!("\n\n{}", body("stop", "VERDICT: PASS"))).unwrap();
        assert_eq!(answer, Answer { text: "VERDICT: PASS".into(), tokens: Some((7, 3)) });
    }

    #[test]
    fn what_is_not_finished_is_no_answer() {
        for reason in ["length", "tool_calls", "content_filter"] {
            assert!(answer(&body(reason, "VERDICT: PASS")).unwrap_err().contains(reason));
        }
        let mut cut = body("stop", "VERDICT: PASS");
        cut.pop();
        assert!(answer(&cut).is_err());
        assert!(answer("{}").is_err() && answer("").is_err());
        let null = body("stop", "null").replace("\"null\"", "null");
        assert_eq!(answer(&null).unwrap().text, "");
    }

    #[test]
    fn a_refusal_is_told_in_the_service_s_words() {
        for body in [r#"{"error":{"message":"no"}}"#, r#"{"error":"no"}"#, r#"{"message":"no"}"#] {
            assert_eq!(complaint(body).as_deref(), Some("no"), "{body}");
            assert_eq!(answer(body), Err("no".to_owned()));
        }
        assert_eq!(complaint("<html>"), None);
    }
}
