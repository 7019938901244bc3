//! Keys of the usual shapes in error texts (6.12) and in what is sent (4.15): none survives, and ordinary text is left
//! alone.
use proptest::prelude::*;
use serde_json::{Value, json};
use stop_auditor::privacy::Numbers;
use stop_auditor::redact::{error_text, known_keys};

use crate::kit::auditors::says_file;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::generated;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;
use crate::prompt::cuts::words;
use crate::reading::transcripts;

/// What stands for a key.
const BLOT: &str = "［已抹去］";

/// A text that holds a key, and the part of it that nobody may see.
#[derive(Debug, Clone)]
struct Leak {
    text: String,
    secret: String,
}

/// Keys by the vendors' published shapes: the fixed beginning, and what is drawn at random behind it.
fn keys() -> impl Strategy<Value = String> {
    let random = |begin: &'static str, shape: &'static str| {
        shape.prop_map(move |rest: String| format!("{begin}{rest}")).boxed()
    };
    prop_oneof![
        random("sk-", "[A-Za-z0-9]{48}"),
        random("sk-proj-", "[A-Za-z0-9_-]{40,156}[A-Za-z0-9]"),
        random("sk-svcacct-", "[A-Za-z0-9_-]{40,120}[A-Za-z0-9]"),
        random("sk-ant-api03-", "[A-Za-z0-9_-]{93}AA"),
        random("sk-or-v1-", "[0-9a-f]{64}"),
        random("ghp_", "[A-Za-z0-9]{36}"),
        random("gho_", "[A-Za-z0-9]{36}"),
        random("ghs_", "[A-Za-z0-9]{36}"),
        random("github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        random("glpat-", "[A-Za-z0-9_-]{19}[A-Za-z0-9]"),
        random("AKIA", "[A-Z2-7]{16}"),
        random("ASIA", "[A-Z2-7]{16}"),
        random("AIza", "[A-Za-z0-9_-]{34}[A-Za-z0-9]"),
        random("xoxb-", "[0-9]{11,13}-[0-9]{11,13}-[A-Za-z0-9]{24}"),
        random("xoxp-", "[0-9]{11,13}-[0-9]{11,13}-[0-9]{12}-[0-9a-f]{32}"),
        random("xapp-1-", "A[A-Z0-9]{10}-[0-9]{13}-[0-9a-f]{64}"),
        random("eyJ", "[A-Za-z0-9_-]{20,60}\\.eyJ[A-Za-z0-9_-]{20,200}\\.[A-Za-z0-9_-]{42}[A-Za-z0-9]"),
        random("npm_", "[A-Za-z0-9]{36}"),
        random("hf_", "[A-Za-z]{34}"),
        random("xai-", "[A-Za-z0-9]{80}"),
        random("gsk_", "[A-Za-z0-9]{52}"),
        random("pk_live_", "[A-Za-z0-9]{24,99}"),
        random("rk_live_", "[A-Za-z0-9]{24,99}"),
    ]
}

/// A key where error texts have it: in a sentence, a header, JSON, an address, a line of a file.
fn in_place() -> impl Strategy<Value = Leak> {
    let places = prop::sample::select(vec![
        "401 Unauthorized: incorrect key {} provided",
        "{}",
        "Authorization: Bearer {}",
        "x-api-key: {}\nretry-after: 3",
        "{\"error\":{\"message\":\"bad key '{}'\",\"code\":401}}",
        "curl -H \"Authorization: Bearer {}\" https://example.com",
        "https://example.com/v1?key={}&alt=sse",
        "\tOPENAI_API_KEY={}\n",
        "钥匙是“{}”，被拒绝",
        "(`{}`)",
    ]);
    (places, keys()).prop_map(|(place, key)| Leak { text: place.replace("{}", &key), secret: key })
}

/// What only its place tells for a secret.
fn guessed() -> impl Strategy<Value = Leak> {
    let words = "[A-Za-z0-9!$%*+./?@^_~-]{8,40}";
    let places_that_tell = prop::sample::select(vec![
        "password={}",
        "db_password: {}",
        "PASSWD={};x",
        "{\"password\": \"{}\"}",
        "client_secret={}&grant_type=x",
        "api_key: '{}'",
        "API-KEY={}",
        "token={}",
    ]);
    (places_that_tell, words)
        .prop_map(|(place, secret): (&str, String)| Leak { text: place.replace("{}", &secret), secret })
}

/// A block of a key file, whole or cut off.
fn pem() -> impl Strategy<Value = Leak> {
    let base64 = prop::collection::vec("[A-Za-z0-9+/]{64}", 2..20);
    let kind = prop::sample::select(vec!["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "]);
    (base64, kind, any::<bool>()).prop_map(|(lines, kind, is_whole)| {
        let body = lines.join("\n");
        let end = if is_whole { format!("\n-----END {kind}PRIVATE KEY-----\n") } else { String::new() };
        Leak { text: format!("read: -----BEGIN {kind}PRIVATE KEY-----\n{body}{end}"), secret: body }
    })
}

fn leaks() -> impl Strategy<Value = Leak> {
    prop_oneof![6 => in_place(), 2 => guessed(), 1 => pem()]
}

/// Without the guesses (4.15).
fn known() -> impl Strategy<Value = Leak> {
    prop_oneof![6 => in_place(), 1 => pem()]
}

/// Ten characters in a row of the secret that stand in a text, behind its public beginning.
fn left_of(secret: &str, text: &str) -> Option<String> {
    let chars: Vec<char> = secret.chars().collect();
    let width = 10.min(chars.len());
    let mut windows = chars.windows(width).map(|window| window.iter().collect::<String>());
    windows.find(|window| text.contains(window.as_str()))
}

fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, into)),
        Value::Object(map) => map.values().for_each(|value| texts(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

checks! {
    /// 6.12: the function that every error text goes through.
    #[own]
    fn r6_12_no_generated_key_survives(c: &mut Checks) {
        generated::check(c, "6.12", "keys", (400, "conformance/seeds/keys.txt"), &leaks(), |leak| {
            let blotted = error_text(&leak.text);
            let left = left_of(&leak.secret, &blotted);
            prop_assert!(left.is_none(), "{left:?} is left in {blotted:?}");
            prop_assert!(blotted.contains(BLOT), "nothing is said about it: {blotted:?}");
            prop_assert_eq!(error_text(&blotted), blotted.clone(), "twice is once");
            Ok(())
        });
    }

    /// 6.12: through the auditor's complaint to the person's line and the log.
    fn r6_12_no_generated_key_reaches_message_or_log(c: &mut Checks) {
        generated::check(c, "6.12", "errors", (12, "conformance/seeds/key-errors.txt"), &leaks(), |leak| {
            let sandbox = Sandbox::with_two_turns();
            write(&sandbox.path("complaint"), &leak.text);
            let command = format!("({}) >&2; exit 3", says_file(&sandbox.path("complaint")));
            let run = sandbox.stop().auditor(&command).run();
            prop_assert!(run.not_audited(), "{}", run.seen());
            for (place, text) in [("message", run.message()), ("log", sandbox.log_text())] {
                prop_assert!(!text.is_empty());
                let left = left_of(&leak.secret, &text);
                prop_assert!(left.is_none(), "{left:?} is left in the {place}: {text}");
            }
            Ok(())
        });
    }

    /// 4.15: the function that every text of a prompt goes through.
    #[own]
    fn r4_15_no_generated_key_survives(c: &mut Checks) {
        generated::check(c, "4.15", "keys", (400, "conformance/seeds/known-keys.txt"), &known(), |leak| {
            let mut numbers = Numbers::default();
            let text = format!("{}\n\nand again: {}", leak.text, leak.text);
            let blotted = numbers.blot(&text).into_owned();
            let left = left_of(&leak.secret, &blotted);
            prop_assert!(left.is_none(), "{left:?} is left in {blotted:?}");
            prop_assert_eq!(numbers.count(), 1, "one key has one number: {}", blotted);
            prop_assert_eq!(blotted.matches("［密钥 1，已抹去］").count(), 2, "{}", blotted);
            prop_assert_eq!(Numbers::default().blot(&blotted).into_owned(), blotted.clone(), "twice is once");
            Ok(())
        });
    }

    /// 4.15: through rows, cuts and log, wherever in a long output it stands.
    fn r4_15_no_generated_key_is_sent_or_logged(c: &mut Checks) {
        let cases = (known(), 0..90_000_usize, 0..90_000_usize);
        generated::check(
            c,
            "4.15",
            "sent",
            (12, "conformance/seeds/sent-keys.txt"),
            &cases,
            |(leak, before, behind)| {
                let output = format!("{}\n{}\n{}", words("b", before), leak.text, words("e", behind));
                let mut rows = Rows::new();
                rows.person(format!("看看 {}", leak.text)).call(
                    "toolu_1",
                    "Bash",
                    json!({"command": leak.text}),
                );
                rows.result("toolu_1", output).says(&format!("看了 {}", leak.text));
                let sandbox = Sandbox::new();
                sandbox.transcript(rows.rows());
                let prompt = sandbox.stop().prompt();
                for (place, text) in [("prompt", prompt), ("log", sandbox.log_text())] {
                    prop_assert!(text.contains("看看"), "{place}: {text}");
                    let left = left_of(&leak.secret, &text);
                    prop_assert!(left.is_none(), "{left:?} is left in the {place}: {text}");
                }
                Ok(())
            },
        );
    }

    /// 4.15: nothing of what people and tools wrote in the recorded sessions is a key.
    #[own]
    fn r4_15_ordinary_text_is_sent_as_it_stands(c: &mut Checks) {
        let mut all = Vec::new();
        for path in transcripts().into_iter().filter(|path| path.to_string_lossy().contains("recorded")) {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                texts(&serde_json::from_str(line).unwrap(), &mut all);
            }
        }
        let hits: Vec<&String> = all.iter().filter(|text| known_keys(text) != **text).collect();
        c.that("4.15", format!("hits in {} texts", all.len()), hits.is_empty(), "none", format!("{hits:?}"));
        c.that("4.15", "there are texts", all.len() > 1_000, "over 1,000", all.len().to_string());
    }

    /// 6.12: what people and tools wrote in the recorded sessions is no key. Those who guess blot a word now and then: at
    /// most one text in a thousand.
    #[own]
    fn r6_12_ordinary_text_is_left_alone(c: &mut Checks) {
        let mut all = Vec::new();
        for path in transcripts().into_iter().filter(|path| path.to_string_lossy().contains("recorded")) {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                texts(&serde_json::from_str(line).unwrap(), &mut all);
            }
        }
        let hits: Vec<&String> = all.iter().filter(|text| error_text(text) != **text).collect();
        let n_chars: usize = all.iter().map(|text| text.chars().count()).sum();
        let what = format!("false hits in {} texts of {n_chars} characters", all.len());
        c.that("6.12", what, hits.len() * 1_000 <= all.len(), "1 in 1,000 at most", format!("{hits:?}"));
        c.that("6.12", "there are texts", all.len() > 1_000, "over 1,000", all.len().to_string());
    }
}
