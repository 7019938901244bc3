//! Any bytes as an auditor's output: no panic, one verdict line decides, and what the client gets is one short object.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use stop_auditor::auditor::codex::events;
use stop_auditor::auditor::verdict::{self, Verdict};
use stop_auditor::hook::outcome::Outcome;
use stop_auditor::redact;

fuzz_target!(|bytes: &[u8]| {
    let output = String::from_utf8_lossy(bytes);
    let answer = if events::is_event_stream(&output) {
        events::answer(&output).text
    } else {
        output.into_owned()
    };
    let blotted = redact::error_text(&answer);
    let outcome = match verdict::find(&answer) {
        Ok(Verdict::Pass) => Outcome::Silent,
        Ok(Verdict::Note(note)) => Outcome::HandOver { notes: vec![note; 5] },
        Ok(Verdict::Fail(reason)) => {
            assert!(answer.contains("FAIL"), "no FAIL is made up");
            assert_eq!(reason.lines().count(), 1, "a reason is one line: {reason:?}");
            Outcome::Block { auditor: "m".to_owned(), reason }
        }
        Err(_) => Outcome::NotAudited { cause: blotted },
    };
    if let Some(json) = outcome.to_json() {
        assert!(!json.to_string().contains('\n'), "one line");
        for path in ["/systemMessage", "/reason", "/hookSpecificOutput/additionalContext"] {
            let text = json.pointer(path).and_then(Value::as_str).unwrap_or_default();
            assert!(text.chars().count() < 10_000, "the client cuts at 10,000 (6.13)");
        }
    }
    // The last verdict line counts, whatever stands before it.
    assert_eq!(verdict::find(&format!("{answer}\nVERDICT: PASS")), Ok(Verdict::Pass));
    assert_eq!(
        verdict::find(&format!("{answer}\nVERDICT: FAIL - x\r\n")),
        Ok(Verdict::Fail("x".to_owned()))
    );
});
