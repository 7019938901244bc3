//! The kit's proof that it judges an output as the client does; what the client does is proven on the client itself.
use super::run::Run;

const BLOCK: &str = r#"{"decision":"block","reason":"x"}"#;

fn run(event: &str, code: i32, stdout: &str) -> Run {
    Run { stderr: "on stderr\n".to_owned(), ..Run::ended(event, Some(code), stdout) }
}

#[test]
fn what_the_client_blocks_is_blocked() {
    for event in ["Stop", "UserPromptSubmit"] {
        for (code, stdout, reason) in [
            (0, BLOCK, "x"),
            (0, "\n {\"decision\":\"block\",\"reason\":\"x\"}\n", "x"),
            // The exit code does not undo a decision, so that another check has to look at it.
            (1, BLOCK, "x"),
            (2, BLOCK, "x"),
            (2, "", "[hook]: on stderr\n"),
            (2, "a word", "[hook]: on stderr\n"),
            (2, r#"{"decision":5}"#, "[hook]: on stderr\n"),
            (2, r#"{"systemMessage":"x"}"#, "[hook]: on stderr\n"),
            (0, r#"{"decision":"block"}"#, "Blocked by hook"),
            (0, r#"{"decision":"block","reason":""}"#, "Blocked by hook"),
        ] {
            let run = run(event, code, stdout);
            assert!(run.blocked() && !run.lets_through(), "{event} {}", run.seen());
            assert_eq!(run.reason(), reason, "{event} {}", run.seen());
        }
    }
}

#[test]
fn what_the_client_does_not_block_is_not_blocked() {
    for event in ["Stop", "UserPromptSubmit", "SubagentStop"] {
        for (code, stdout) in [
            (0, ""),
            (0, "{}"),
            (1, ""),
            (0, r#"note: {"decision":"block","reason":"x"}"#),
            (0, r#"{"decision":"block","reason":"x"}{}"#),
            (0, r#"[{"decision":"block","reason":"x"}]"#),
            (0, r#"{"decision":"block","reason":5}"#),
            (0, r#"{"decision":"deny","reason":"x"}"#),
        ] {
            let run = run(event, code, stdout);
            assert!(!run.blocked() && run.reason().is_empty(), "{event} {}", run.seen());
            assert_eq!(run.lets_through(), code == 0, "{event} {}", run.seen());
        }
    }
    assert!(!run("SubagentStop", 0, BLOCK).blocked(), "a hook that is not registered there");
    let hung = Run { hung: true, ..Run::ended("Stop", None, BLOCK) };
    assert!(!hung.blocked() && !hung.lets_through(), "the client's time is over");
}

/// Neither a block nor a way through: the turn ends by force, or goes on and nobody is told why.
#[test]
fn what_is_neither_is_neither() {
    for stdout in [
        r#"{"decision":"block","reason":"x","continue":false}"#,
        r#"{"continue":false}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}"#,
    ] {
        let run = run("Stop", 0, stdout);
        assert!(!run.blocked() && !run.lets_through(), "{stdout}");
    }
}

#[test]
fn only_what_is_shown_is_told() {
    let told = |stdout: &str| run("Stop", 0, stdout).message();
    assert_eq!(told(r#"{"systemMessage":"one\ntwo"}"#), "one\ntwo");
    for stdout in ["one", r#"{"systemMessage":5}"#, r#"{"systemMessage":"one"} "x""#, r#"{"message":"one"}"#]
    {
        assert_eq!(told(stdout), "", "{stdout}");
    }
    let long = format!(r#"{{"systemMessage":"{}"}}"#, "x".repeat(10_001));
    assert!(told(&long).starts_with("<persisted-output>"));
    let blocked = r#"{"decision":"block","reason":"x","systemMessage":"one"}"#;
    assert_eq!(run("UserPromptSubmit", 0, blocked).message(), "");
}

#[test]
fn an_error_line_that_is_not_shown_or_does_more_is_none() {
    const ERROR: &str = "⚠️ 审计员不可用（x），本轮没审。";
    let shown = format!(r#"{{"systemMessage":"{ERROR}"}}"#);
    let stop = |code: i32, stdout: &str| run("Stop", code, stdout).not_audited();
    assert!(stop(0, &shown));
    assert!(!stop(1, &shown) && !stop(0, ERROR));
    assert!(!stop(0, &format!(r#"{{"systemMessage":"{ERROR}","decision":"block"}}"#)));
}

#[test]
fn only_what_reaches_the_model_is_handed_on() {
    let handed_on = |stdout: &str| run("UserPromptSubmit", 0, stdout).handed_on();
    let named = |name: &str, more: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"note"}}{more}}}"#)
    };
    assert_eq!(handed_on(&named("UserPromptSubmit", "")), "note");
    for output in [
        named("Stop", ""),
        named("UserPromptSubmit", r#","decision":"block""#),
        named("UserPromptSubmit", r#","continue":false"#),
        r#"{"hookSpecificOutput":{"additionalContext":"note"}}"#.to_owned(),
        r#"{"additionalContext":"note"}"#.to_owned(),
    ] {
        assert_eq!(handed_on(&output), "", "{output}");
    }
}

#[test]
fn silence_is_no_byte_and_exit_0() {
    let silent = |code, stdout| run("Stop", code, stdout).silent();
    assert!(silent(0, "") && !silent(2, "") && !silent(0, "\n"));
}
