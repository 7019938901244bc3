//! What each kind of row means, field by field.

use serde_json::{Value, json};

use super::*;

fn meaning(row: &Value) -> Option<Meaning> {
    read(row.to_string().as_bytes(), Detail::Whole).map(|row| row.meaning)
}

/// The row with other fields added or changed.
fn with(row: &Value, fields: &Value) -> Value {
    let mut row = row.clone();
    for (name, value) in fields.as_object().into_iter().flatten() {
        row[name.as_str()] = value.clone();
    }
    row
}

#[test]
fn r4_13_each_of_these_fields_alone_makes_a_row_mean_nothing() {
    let user = json!({"type": "user", "message": {"content": "hi"}});
    let claude = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "hi"}]}});
    for (row, fields) in [
        (&user, json!({"isSidechain": true})),
        (&user, json!({"agentId": "a"})),
        (&user, json!({"isCompactSummary": true})),
        (&user, json!({"isVisibleInTranscriptOnly": true})),
        (&user, json!({"toolUseResult": {}})),
        (&user, json!({"sourceToolUseID": "c"})),
        (&user, json!({"turnCompanion": true})),
        (&user, json!({"turnOrigin": "human", "message": {"content": ""}})),
        (&claude, json!({"isApiErrorMessage": true})),
        (&claude, json!({"message": {"model": "<synthetic>", "content": [{"type": "text", "text": "hi"}]}})),
        (
            &claude,
            json!({"message": {"content": [{"type": "text", "text": " "}, {"type": "thinking", "thinking": "x"}]}}),
        ),
    ] {
        assert!(meaning(row).is_some());
        assert!(meaning(&with(row, &fields)).is_none(), "{fields}");
    }
}

#[test]
fn r4_13_a_row_tells_what_it_withdraws_and_what_was_blocked() {
    let row = json!({"type": "system", "retractedMessageUuids": ["a", 5, "b"], "supersedesUuids": ["c"]});
    let row = read(row.to_string().as_bytes(), Detail::Whole).unwrap();
    assert!(matches!(row.meaning, Meaning::Retraction));
    assert_eq!(row.retracts, ["a", "b", "c"]);
    assert!(meaning(&json!({"type": "system", "subtype": "turn_duration"})).is_none());

    let informed =
        |content: &str| meaning(&json!({"type": "system", "subtype": "informational", "content": content}));
    let blocked = "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: do it";
    assert!(matches!(informed(blocked), Some(Meaning::PromptBlocked(words)) if words == "do it"));
    assert!(informed("Something else\n\nOriginal prompt: do it").is_none());
    assert!(informed("UserPromptSubmit operation blocked by hook:\nno").is_none());
}

#[test]
fn r4_7_a_picture_without_words_is_a_message_unless_the_client_made_it() {
    let picture = json!({"type": "user", "message": {"content": [{"type": "image"}, {"type": "document"}]}});
    let is_prompt = |fields: Value| match meaning(&with(&picture, &fields)) {
        Some(Meaning::Prompt { words, sender: Sender::Person, is_sent: true }) => words.images == 2,
        _ => false,
    };
    assert!(is_prompt(json!({})));
    assert!(is_prompt(json!({"turnOrigin": "human"})));
    assert!(!is_prompt(json!({"isMeta": true})));
    assert!(!is_prompt(json!({"message": {"content": [{"type": "text", "text": " "}]}})));
}

#[test]
fn r4_34_what_an_edit_changes_is_known_edit_by_edit() {
    let fields = |input: Value, detail: Detail| {
        let block = json!({"type": "tool_use", "id": "c", "name": "Edit", "input": input});
        let row = json!({"type": "assistant", "message": {"content": [block]}});
        match read(row.to_string().as_bytes(), detail).map(|row| row.meaning) {
            Some(Meaning::Claude(blocks)) => match &blocks[..] {
                [Block::Call(_, call)] => {
                    let told = |field: &super::super::turn::Field| {
                        format!(
                            "{}={}{}",
                            field.name,
                            field.text,
                            if field.is_change { " changes" } else { "" }
                        )
                    };
                    call.input.iter().map(told).collect::<Vec<_>>()
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    let edits = || json!({"path": "p", "edits": [{"old_string": "a", "new_string": "b"}, {"all": true, "new_string": "c"}]});
    let all = [
        "path=p",
        "edits[0].old_string=a changes",
        "edits[0].new_string=b changes",
        "edits[1].all=true",
        "edits[1].new_string=c changes",
    ];
    assert_eq!(fields(edits(), Detail::Whole), all);
    assert_eq!(fields(edits(), Detail::Brief), ["path=p", "edits[1].all=true"]);
    assert_eq!(
        fields(json!({"edits": "all", "todos": [{"content": "x"}]}), Detail::Whole),
        ["edits=all", r#"todos=[{"content":"x"}]"#]
    );
}

#[test]
fn r4_11_only_a_stop_hook_s_block_is_one() {
    let block = |event: &str| {
        let error = json!({"blockingError": " why "});
        let attachment = json!({"type": "hook_blocking_error", "hookEvent": event, "blockingError": error});
        meaning(&json!({"type": "attachment", "attachment": attachment}))
    };
    assert!(matches!(block("Stop"), Some(Meaning::Event(Entry::OtherHook(reason))) if reason == "why"));
    assert!(block("PreToolUse").is_none());
}

#[test]
fn r4_9_what_was_queued_is_told_by_its_origin_its_mode_or_its_text() {
    let queued = |fields: Value| {
        let attachment = with(&json!({"type": "queued_command", "prompt": "hi"}), &fields);
        let kind = match meaning(&json!({"type": "attachment", "attachment": attachment})) {
            Some(Meaning::Event(Entry::Steer(_))) => "steer",
            Some(Meaning::Event(Entry::BackgroundResult(_))) => "background",
            Some(Meaning::Event(Entry::Peer { .. })) => "peer",
            Some(Meaning::Event(Entry::Scheduled(_))) => "scheduled",
            Some(_) => "other",
            None => "nothing",
        };
        (kind, fields)
    };
    for (wanted, fields) in [
        ("steer", json!({})),
        ("steer", json!({"commandMode": "prompt"})),
        ("steer", json!({"prompt": "", "origin": {"kind": "human"}})),
        ("steer", json!({"prompt": "<task-notification>", "origin": {"kind": "human"}})),
        ("steer", json!({"prompt": [{"type": "image"}]})),
        ("nothing", json!({"prompt": ""})),
        ("background", json!({"commandMode": "task-notification"})),
        ("background", json!({"origin": {"kind": "task-notification"}})),
        ("background", json!({"prompt": "<task-notification>x"})),
        ("peer", json!({"origin": {"kind": "peer"}})),
        ("peer", json!({"origin": {"kind": "channel"}})),
        ("peer", json!({"prompt": "<channel>x</channel>"})),
        ("scheduled", json!({"origin": {"kind": "cron"}})),
        ("scheduled", json!({"isMeta": true})),
        ("scheduled", json!({"commandMode": "bash"})),
    ] {
        let (kind, fields) = queued(fields);
        assert_eq!(kind, wanted, "{fields}");
    }
}

/// The only result of a row with these fields beside its result of this text.
fn result(is_error: bool, text: &str, fields: &Value) -> ToolResult {
    let content = json!([{"type": "tool_result", "tool_use_id": "c", "is_error": is_error, "content": text}]);
    let row = with(&json!({"type": "user", "message": {"content": content}}), fields);
    match meaning(&row) {
        Some(Meaning::Results(mut results, None)) if results.len() == 1 => results.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn r4_6_a_call_never_ran_where_a_field_or_an_old_client_s_text_says_so() {
    let old = || json!({"version": "2.1.203"});
    let new = || json!({"version": "2.1.204"});
    let refusal = "Permission to use Bash has been denied";
    for (is_error, text, fields, never_ran) in [
        (true, refusal, old(), true),
        (true, refusal, json!({}), true),
        (true, refusal, new(), false),
        (true, refusal, json!({"version": "2.2.0"}), false),
        (true, refusal, json!({"version": "3.0.0"}), false),
        (true, refusal, json!({"version": "1.9.999"}), true),
        (false, refusal, old(), false),
        (false, refusal, json!({"toolDenialKind": "user-rejected"}), true),
        (true, "PreToolUse:Bash hook error: no", old(), true),
        (true, "PreToolUse:Bash is no error", old(), false),
        (true, "a hook error", old(), false),
        (true, "x\nPreToolUse:Bash hook error", old(), false),
        (true, "Hook PreToolUse:Bash did not respond", old(), true),
        (true, "Hook Stop did not respond", old(), true),
        (true, "Hook Stop answered", old(), false),
        (true, "It did not respond", old(), false),
        (true, "<tool_use_error>Cancelled: x", new(), true),
        (false, "<tool_use_error>Cancelled: x", new(), false),
        (true, "<tool_use_error>File not found", old(), false),
    ] {
        assert_eq!(result(is_error, text, &fields).never_ran, never_ran, "{is_error} {text:?} {fields}");
    }
}

#[test]
fn r4_10_what_a_person_typed_when_denying_is_taken_from_a_person_s_denial_only() {
    let typed = "No.\nTo tell you how to proceed, the user said:\n rather not ";
    let blank = "No.\nTo tell you how to proceed, the user said:\n ";
    let denied = |kind: &str| json!({"toolDenialKind": kind, "version": "2.1.300"});
    for (is_error, text, fields, reason, may_have_begun) in [
        (true, typed, denied("user-rejected"), Some("rather not"), true),
        (
            true,
            typed,
            with(&denied("user-rejected"), &json!({"toolDenialBeforeRun": true})),
            Some("rather not"),
            false,
        ),
        (true, blank, denied("user-rejected"), None, true),
        (true, "No.", with(&denied("user-rejected"), &json!({"userFeedback": "later"})), Some("later"), true),
        (true, "No.", with(&denied("hook"), &json!({"userFeedback": "later"})), None, false),
        (true, typed, denied("interrupted"), None, true),
        (true, typed, denied("hook"), None, false),
        (true, &format!("Permission to use Bash: {typed}"), json!({}), Some("rather not"), false),
        // A tool may print such words.
        (false, typed, json!({}), None, false),
        (true, typed, json!({}), None, false),
    ] {
        let result = result(is_error, text, &fields);
        let seen = (result.reason.as_deref(), result.may_have_begun);
        assert_eq!(seen, (reason, may_have_begun), "{text:?} {fields}");
    }
}

#[test]
fn r4_8_the_client_s_field_tells_what_was_moved_and_its_words_only_without_one() {
    for (text, fields, moved, resumed, ended) in [
        ("out", json!({}), false, false, false),
        ("it was moved to the background", json!({}), true, false, false),
        ("it was manually backgrounded", json!({}), true, false, false),
        ("it was moved to the background", json!({"toolUseResult": {}}), false, false, false),
        ("out", json!({"toolUseResult": {"backgroundTaskId": "b"}}), true, false, false),
        ("out", json!({"toolUseResult": {"assistantAutoBackgrounded": true}}), true, false, false),
        ("out", json!({"toolUseResult": {"resumedAgentId": "a"}}), false, true, false),
        ("{\"resumedAgentId\": \"a\"}", json!({}), false, true, false),
        ("out", json!({"toolUseResult": {"status": "completed"}}), false, false, true),
        ("out", json!({"toolUseResult": {"status": "running"}}), false, false, false),
    ] {
        let result = result(false, text, &fields);
        let seen = (result.moved_to_background, result.resumed_agent, result.ended_in_foreground);
        assert_eq!(seen, (moved, resumed, ended), "{text:?} {fields}");
    }
}

#[test]
fn r4_23_of_older_turns_only_what_a_person_said_is_held_whole() {
    let long = "x".repeat(1_000);
    let held = |is_error: bool, denial: Option<&str>, text: &str| {
        let content = json!([{"type": "tool_result", "is_error": is_error, "content": text}]);
        let row = json!({"type": "user", "toolDenialKind": denial, "message": {"content": content}});
        match read(row.to_string().as_bytes(), Detail::Brief).map(|row| row.meaning) {
            Some(Meaning::Results(results, None)) => results.iter().all(|result| result.output.text == text),
            other => panic!("{other:?}"),
        }
    };
    assert!(!held(false, None, &long));
    assert!(held(true, None, &long));
    assert!(held(false, Some("user-rejected"), &long));
    assert!(held(false, None, &format!("User has answered your questions: {long}")));
    assert!(held(false, None, &format!("Your questions have been answered: {long}")));
}
