//! A prompt as the body of a request to Ollama's `/api/chat`, and the answer in what comes back.
//!
//! Ollama cuts a prompt that is longer than its context without a word: the context is asked for, and what it says it has
//! read is held against what there was to read (facts, vendors 7; from its documentation, never run).

use serde_json::{Value, json};

use super::chat::{self, Answer};

/// Tokens of context that are asked for: room for a prompt of 60,000 characters (4.31) and the answer.
const CONTEXT: u32 = 98_304;

/// The body of a request.
pub fn request(model: &str, prompt: &str) -> String {
    let messages = [json!({"role": "user", "content": prompt})];
    json!({"model": model, "stream": false, "options": {"num_ctx": CONTEXT}, "messages": messages})
        .to_string()
}

/// Reads the body of a response to this prompt.
///
/// # Errors
/// What is wrong with it.
pub fn answer(body: &str, prompt: &str) -> Result<Answer, String> {
    if let Some(error) = chat::complaint(body) {
        return Err(error);
    }
    let body: Value =
        serde_json::from_str(body).map_err(|error| format!("回来的不是一份完整的 JSON（{error}）"))?;
    match body.get("done_reason").and_then(Value::as_str) {
        Some("stop") => {}
        Some(reason) => return Err(format!("done_reason 是 {reason}")),
        None => return Err("没有 done_reason".to_owned()),
    }
    let tokens = |name: &str| body.get(name).and_then(Value::as_u64);
    let read = tokens("prompt_eval_count").ok_or("没有说读了多少（prompt_eval_count）")?;
    let least = least_tokens(prompt);
    if read < least {
        return Err(format!(
            "只读了 {read} 个 token，提示词至少有 {least} 个：被截断了，把 Ollama 的上下文调大（OLLAMA_CONTEXT_LENGTH）"
        ));
    }
    let text = body.pointer("/message/content").and_then(Value::as_str).unwrap_or_default();
    Ok(Answer { text: text.to_owned(), tokens: Some((read, tokens("eval_count").unwrap_or_default())) })
}

/// Fewer tokens than any vocabulary makes of a text: eight characters of ASCII in one, five others in two. An estimate
/// that is too low lets a small cut pass; one that is too high would lose whole audits.
fn least_tokens(text: &str) -> u64 {
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    let n_others = text.chars().filter(|c| !c.is_ascii()).count();
    u64::try_from(n_ascii / 8 + n_others * 2 / 5).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(read: Option<u64>, reason: &str) -> String {
        json!({"message": {"role": "assistant", "content": "VERDICT: PASS"}, "done": true, "done_reason": reason,
               "prompt_eval_count": read, "eval_count": 5})
        .to_string()
    }

    #[test]
    fn a_prompt_that_was_read_whole_gives_an_answer() {
        let prompt = "审".repeat(1_000);
        let answer = answer(&body(Some(700), "stop"), &prompt).unwrap();
        assert_eq!(answer, Answer { text: "VERDICT: PASS".into(), tokens: Some((700, 5)) });
    }

    #[test]
    fn a_prompt_that_was_cut_gives_none() {
        let prompt = "审".repeat(30_000);
        assert!(answer(&body(Some(4_096), "stop"), &prompt).unwrap_err().contains("4096"));
        assert!(answer(&body(None, "stop"), &prompt).unwrap_err().contains("prompt_eval_count"));
        assert!(answer(&body(Some(30_000), "length"), &prompt).unwrap_err().contains("length"));
        assert!(answer("{\"error\":\"model not found\"}", &prompt).unwrap_err().contains("model not found"));
    }

    #[test]
    fn a_prompt_is_held_against_the_fewest_tokens_that_it_can_be() {
        // Eight characters of ASCII make one token, five others two.
        let prompt = format!("{}{}", "abcdefgh".repeat(10), "审计员看到".repeat(4));
        assert!(answer(&body(Some(18), "stop"), &prompt).is_ok());
        assert!(answer(&body(Some(17), "stop"), &prompt).unwrap_err().contains("至少有 18 个"));
    }

    #[test]
    fn the_context_is_asked_for() {
        let request: Value = serde_json::from_str(&request("m", "p")).unwrap();
        assert_eq!(request["options"]["num_ctx"], 98_304);
        assert_eq!(request["messages"][0]["content"], "p");
    }
}
