//! Strings that look like keys are blotted out of error text before it is logged or shown (6.12).
//!
//! An error text is nobody's evidence, so here a guess (`password=…`) is blotted too.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::privacy::keys;

/// What stands where a key stood.
const BLOT: &str = "［已抹去］";

/// Guesses, beside the shapes that vendors publish ([`keys`]). What a first group catches stays: it names the key, it is
/// none.
const GUESSES: [&str; 7] = [
    // A block of a key file that breaks off, whatever its lines look like.
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    // Some blot the middle of a key themselves.
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9*._-]{8,}",
    r"\bgh[pousr]_[A-Za-z0-9]{16,}",
    r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?",
    r"(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}",
    r#"(?i)(\b[a-z0-9_-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]{4,}"#,
];

static GUESSED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| GUESSES.iter().filter_map(|shape| Regex::new(shape).ok()).collect());

/// The text without what looks like a key.
pub fn error_text(text: &str) -> String {
    GUESSED.iter().fold(known_keys(text).into_owned(), |text, key| {
        let replaced = key.replace_all(&text, |found: &regex_lite::Captures<'_>| {
            format!("{}{BLOT}", found.get(1).map_or("", |kept| kept.as_str()))
        });
        replaced.into_owned()
    })
}

/// The text without keys of well-known shape, where nothing is to be guessed (4.15).
pub fn known_keys(text: &str) -> Cow<'_, str> {
    keys::replace(text, |key| (!key.is_marker).then(|| BLOT.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_valid_expression() {
        assert_eq!(GUESSED.len(), GUESSES.len());
    }

    #[test]
    fn r6_12_keys_go_and_words_stay() {
        for key in [
            "sk-proj-abcdefghijklmnop1234",
            "sk-ant-api03-abcdefghijklmnop",
            "sk-test-*ummy1234",
            "ghp_abcdefghijklmnopqrstuvwx",
            "AKIAIOSFODNN7EXAMPLE",
            "AIzaSyA1234567890abcdefghijklmnopqrstuv",
            "xoxb-1234567890-abcdef",
            "xapp-1-A0123456789-1234567890123-0a1b2c3d",
            "npm_0123456789abcdefghijABCDEFGHIJ",
            "hf_abcdefghijABCDEFGHIJabcdefghij",
            "gsk_0123456789abcdefghijABCDEFGHIJ",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        ] {
            let text = error_text(&format!("before {key} after"));
            assert_eq!(text, format!("before {BLOT} after"), "{key}");
        }
        assert_eq!(error_text("Authorization: Bearer abcdef123456"), format!("Authorization: Bearer {BLOT}"));
        assert_eq!(error_text("db_password=hunter2hunter"), format!("db_password={BLOT}"));
        // What the hook itself has put in a key's place is none.
        assert_eq!(
            known_keys("用了［密钥 2，已抹去］ghp_abcdefghijklmnopqrstuvwx"),
            format!("用了［密钥 2，已抹去］{BLOT}")
        );
        for plain in ["exit code 1: no such file", "ask-me-anything", "the token was rejected", "risk-free"] {
            assert_eq!(error_text(plain), plain);
        }
    }
}
