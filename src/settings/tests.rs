//! Install and uninstall over settings files of many looks; no file is touched here.

use super::document::Document;
use super::refusal::{Place, Refusal};
use super::registration::other_auditors;
use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde::Serialize;
use serde_json::{Value, json};

const COMMAND: &str = "/home/u/.claude/hooks/stop-auditor";

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

fn text(document: &Document) -> String {
    String::from_utf8(document.to_bytes()).unwrap()
}

fn value(document: &Document) -> Value {
    serde_json::from_str(text(document).trim_start_matches('\u{feff}')).unwrap()
}

fn request() -> Request {
    Request { command: COMMAND.to_owned(), ..Request::default() }
}

fn with_env(pairs: &[(&'static str, &str)]) -> Request {
    Request { env: pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(), ..request() }
}

fn group(timeout: u64) -> Value {
    json!({ "hooks": [{ "type": "command", "command": COMMAND, "timeout": timeout }] })
}

/// The old settings with ours behind them, computed on values and not on text.
fn expected(old: &Value, env: &[(&'static str, &str)]) -> Value {
    let mut new = old.clone();
    let object = new.as_object_mut().unwrap();
    let hooks = object.entry("hooks").or_insert(json!({})).as_object_mut().unwrap();
    for (event, timeout) in EVENTS {
        hooks.entry(event).or_insert(json!([])).as_array_mut().unwrap().push(group(timeout));
    }
    for (name, value) in env {
        let env = object.entry("env").or_insert(json!({})).as_object_mut().unwrap();
        env.insert((*name).into(), json!(value));
    }
    new
}

const OTHER: &str = r#"{"matcher":"","hooks":[{"type":"command","command":"true","timeout":1}]}"#;

/// Files whose old bytes come back without a look at the baseline.
#[rstest]
#[case::two_spaces("{\n  \"model\": \"opus\"\n}\n")]
#[case::four_spaces("{\n    \"model\": \"opus\"\n}\n")]
#[case::tabs("{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n")]
#[case::crlf("{\r\n  \"model\": \"opus\",\r\n  \"x\": []\r\n}\r\n")]
#[case::no_final_newline("{\n  \"model\": \"opus\"\n}")]
#[case::blank_lines("\n\n{\n  \"a\": 1,\n\n  \"b\": 2\n\n}\n\n\n")]
#[case::minified(r#"{"a":1,"hooks":{"PreToolUse":[]},"z":[1,2]}"#)]
#[case::one_line("{ \"a\": 1, \"b\": { \"c\": 2 } }\n")]
#[case::no_indent("{\n\"a\": 1\n}\n")]
#[case::bom("\u{feff}{\n  \"a\": 1\n}\n")]
#[case::numbers("{\"n\": 123456789012345678901234567890, \"e\": 1E+2, \"f\": 1.000, \"huge\": 1e999}")]
#[case::escapes(r#"{"u":"\u4e2d\ud83d\ude00\/","t":"中😀"}"#)]
#[case::unknown_keys(r#"{"zz":null,"hooks":{"Other":[{"x":true}]},"aa":false}"#)]
#[case::leading_commas("{\n    \"a\": 1\n  , \"b\": 2\n}")]
#[case::mixed_layout("{\"a\": 1,\n\n   \"b\": 2}")]
fn r3_5_uninstall_gives_the_old_bytes_back(#[case] old: &str) {
    for env in [&[][..], &[(COMMAND_VARIABLE, "x y")], &[(COMMAND_VARIABLE, "x"), (MODEL_VARIABLE, "m")]] {
        let before = parse(old);
        let installed = install(Some(&before), None, &with_env(env)).unwrap();
        assert_ne!(text(&installed), old);
        if !old.contains("e999") {
            assert_eq!(value(&installed), expected(&value(&before), env), "{}", text(&installed));
        }
        let again = install(Some(&installed), Some(&before), &with_env(env)).unwrap();
        assert_eq!(text(&again), text(&installed), "the second install changes nothing");
        let mut without_replay = installed.clone();
        for name in VARIABLES.into_iter().rev() {
            restore_variable(&mut without_replay, None, name).unwrap();
        }
        for (event, _) in EVENTS.into_iter().rev() {
            unregister(&mut without_replay, None, event).unwrap();
        }
        assert_eq!(text(&without_replay), old, "by structure\n{}", text(&installed));
        let Uninstalled::Text(back) = uninstall(&installed, Some(&before)).unwrap() else { panic!("{old}") };
        assert_eq!(text(&back), old);
    }
}

/// Files where only the baseline can tell what stood there.
#[rstest]
#[case::empty_object("{}")]
#[case::spaced_object("{ }\n")]
#[case::empty_hooks("{\n  \"hooks\": {}\n}\n")]
#[case::empty_stop(r#"{"hooks":{"Stop":[ ]},"env":{ }}"#)]
#[case::own_variable(r#"{"env":{"STOP_AUDITOR_CMD":"mine"}}"#)]
#[case::own_variable_and_space(r#"{"env":{"STOP_AUDITOR_CMD":"mine"},"hooks":{ }}"#)]
#[case::own_variables("{\n  \"env\": {\n    \"STOP_AUDITOR_MODEL\": \"m\",\n    \"A\": \"b\"\n  }\n}\n")]
fn r3_5_the_baseline_brings_back_what_cannot_be_told(#[case] old: &str) {
    for env in [&[][..], &[(COMMAND_VARIABLE, "x")], &[(MODEL_VARIABLE, "n")]] {
        let before = parse(old);
        let request = Request { force: true, ..with_env(env) };
        let installed = install(Some(&before), None, &request).unwrap();
        let Uninstalled::Text(back) = uninstall(&installed, Some(&before)).unwrap() else { panic!("{old}") };
        assert_eq!(text(&back), old);
        // The same with a change of the person's in between: nothing of theirs goes, nothing of ours stays.
        let mut changed = installed.clone();
        changed.add(&[], "later", &json!(1)).unwrap();
        let Uninstalled::Text(back) = uninstall(&changed, Some(&before)).unwrap() else { panic!("{old}") };
        let mut wanted = value(&before);
        wanted.as_object_mut().unwrap().insert("later".into(), json!(1));
        assert_eq!(value(&back), wanted, "{}", text(&changed));
    }
}

#[test]
fn r3_1_a_missing_file_becomes_exactly_the_registrations() {
    let installed = install(None, None, &request()).unwrap();
    assert_eq!(
        text(&installed),
        r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/home/u/.claude/hooks/stop-auditor",
            "timeout": 180
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/home/u/.claude/hooks/stop-auditor",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"#
    );
    assert!(matches!(uninstall(&installed, None).unwrap(), Uninstalled::Gone));
    let stale = parse("{\"old\":1}");
    assert!(matches!(uninstall(&installed, Some(&stale)).unwrap(), Uninstalled::Gone));
    let mut changed = installed.clone();
    changed.add(&[], "theirs", &json!(1)).unwrap();
    let Uninstalled::Text(left) = uninstall(&changed, None).unwrap() else { panic!() };
    assert_eq!(value(&left), json!({ "theirs": 1 }));
}

#[test]
fn r3_2_other_hooks_stay_first_and_untouched() {
    for old in [
        format!(r#"{{"hooks":{{"Stop":[{OTHER}],"UserPromptSubmit":[{OTHER},{OTHER}]}}}}"#),
        format!(
            "{{\n \"hooks\": {{\n  \"Stop\": [\n   {OTHER}\n  ],\n  \"UserPromptSubmit\": [{OTHER}]\n }}\n}}\n"
        ),
        format!("{{\n \"hooks\": {{\n  \"Stop\": [{{\n   \"hooks\": []\n  }}, {OTHER}] }} }}\n"),
    ] {
        let before = parse(&old);
        let installed = install(Some(&before), None, &request()).unwrap();
        assert_eq!(value(&installed), expected(&value(&before), &[]), "{}", text(&installed));
        let Uninstalled::Text(back) = uninstall(&installed, None).unwrap() else { panic!() };
        assert_eq!(text(&back), old);
    }
}

#[rstest]
#[case::older_path("/old/place/stop-auditor", COMMAND)]
#[case::equals_sign_in_the_path("/a=b/stop-auditor", COMMAND)]
#[case::older_quoted("'/old place/stop-auditor'", COMMAND)]
#[case::older_double_quoted("\"/old place/stop-auditor\"", COMMAND)]
#[case::prefix_stays(
    "STOP_AUDITOR_TIMEOUT=60 /old/stop-auditor",
    "STOP_AUDITOR_TIMEOUT=60 /home/u/.claude/hooks/stop-auditor"
)]
#[case::same_otherwise_quoted(
    "\"/home/u/.claude/hooks/stop-auditor\"",
    "\"/home/u/.claude/hooks/stop-auditor\""
)]
fn r3_2_an_older_registration_is_updated_in_place(#[case] old: &str, #[case] new: &str) {
    let file = |command: &str| {
        let handler =
            json!([{ "hooks": [{ "timeout": 200, "type": "command", "command": command }, {"x": 1}] }, 7]);
        json!({ "hooks": { "UserPromptSubmit": handler, "Stop": handler } }).to_string()
    };
    let installed = install(Some(&parse(&file(old))), None, &request()).unwrap();
    assert_eq!(text(&installed), file(new), "and the longer time limit stays");
}

#[test]
fn r3_2_a_doubled_registration_becomes_one_and_a_short_limit_ours() {
    let one = |path: &str, timeout: u64| json!({ "hooks": [{ "type": "command", "command": path, "timeout": timeout }] });
    let file =
        json!({ "hooks": { "Stop": [one("/a/stop-auditor", 60), {"y": 1}, one("/b/stop-auditor", 180)] } });
    let installed = install(Some(&parse(&file.to_string())), None, &request()).unwrap();
    assert_eq!(value(&installed)["hooks"]["Stop"], json!([group(180), {"y": 1}]));
}

#[rstest]
#[case::script("node /x/stop-auditor.mjs", 1)]
#[case::with_arguments("/x/stop-auditor log", 0)]
#[case::other_name("/x/my-stop-auditor", 0)]
#[case::unfinished_quote("'/x/stop-auditor", 0)]
fn r3_5_what_is_not_ours_stays(#[case] command: &str, #[case] n_auditors: usize) {
    let file = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] } })
        .to_string();
    let before = parse(&file);
    assert!(matches!(uninstall(&before, None).unwrap(), Uninstalled::Nothing));
    let installed = install(Some(&before), None, &request()).unwrap();
    assert_eq!(value(&installed)["hooks"]["Stop"].as_array().unwrap().len(), 2);
    let Uninstalled::Text(back) = uninstall(&installed, None).unwrap() else { panic!() };
    assert_eq!(text(&back), file);
    assert_eq!(other_auditors(&installed).len(), n_auditors);
}

#[rstest]
#[case::line_comment("{\n  // x\n  \"a\": 1\n}", 2, 3)]
#[case::block_comment("{ /* x */ }", 1, 3)]
#[case::trailing_comma("{\n  \"a\": 1,\n}", 2, 9)]
#[case::trailing_comma_array("{\"a\": [1,]}", 1, 9)]
#[case::missing_comma("{\"a\": 1 \"b\": 2}", 1, 8)]
#[case::single_quotes("{'a': 1}", 1, 2)]
#[case::bare_word("{a: 1}", 1, 2)]
#[case::hexadecimal("{\"a\": 0x1}", 1, 7)]
#[case::wide("{\"中\": 1, x}", 1, 10)]
#[case::two_values("{} {}", 1, 4)]
#[case::cut_off("{\"a\": 1", 1, 1)]
fn r3_3_what_is_not_strict_json_is_refused_with_its_place(
    #[case] file: &str,
    #[case] line: usize,
    #[case] column: usize,
) {
    let Err(Refusal::NotJson { place, what }) = Document::parse(file.as_bytes()) else {
        panic!("{file} was read")
    };
    assert_eq!(place, Place { line, column }, "{what}");
}

#[rstest]
#[case::control_character("{\"a\": \"\u{1}\"}")]
#[case::tab_in_a_string("{\"a\": \"\t\"}")]
#[case::no_break_space("{\u{a0}\"a\": 1}")]
#[case::leading_zero("{\"a\": 01}")]
#[case::plus("{\"a\": +1}")]
#[case::dot("{\"a\": 1.}")]
#[case::nan("{\"a\": NaN}")]
#[case::hex_escape("{\"a\": \"\\x41\"}")]
#[case::two_boms("\u{feff}\u{feff}{}")]
fn r3_3_what_only_a_lenient_parser_takes_is_refused(#[case] file: &str) {
    assert!(matches!(Document::parse(file.as_bytes()), Err(Refusal::NotJson { .. })), "{file:?}");
}

#[rstest]
#[case::array("[]", "第 1 行第 1 列：整个文件应当是一个对象")]
#[case::string("\"x\"", "第 1 行第 1 列：整个文件应当是一个对象")]
#[case::hooks_array("{\"hooks\": []}", "第 1 行第 11 列：hooks 应当是对象")]
#[case::hooks_null("{\"hooks\": null}", "第 1 行第 11 列：hooks 应当是对象")]
#[case::stop_object("{\"hooks\": {\"Stop\": {}}}", "第 1 行第 20 列：hooks.Stop 应当是数组")]
#[case::prompt_string(
    "{\"hooks\": {\"UserPromptSubmit\": \"\"}}",
    "第 1 行第 32 列：hooks.UserPromptSubmit 应当是数组"
)]
#[case::env_array("{\"env\": []}", "第 1 行第 9 列：env 应当是对象")]
fn r3_3_a_value_of_another_kind_is_refused(#[case] file: &str, #[case] told: &str) {
    let to_be_emptied = Request { unset: vec![MODEL_VARIABLE], ..request() };
    for request in [with_env(&[(MODEL_VARIABLE, "m")]), to_be_emptied] {
        let refused = install(Some(&parse(file)), None, &request).map(drop).unwrap_err();
        assert!(matches!(refused, Refusal::WrongKind { .. }), "{refused:?}");
        assert_eq!(refused.to_string(), told);
    }
}

#[test]
fn r3_2_what_is_not_needed_may_be_anything() {
    let before = parse("{\"env\": []}");
    let installed = install(Some(&before), None, &request()).unwrap();
    assert_eq!(value(&installed), expected(&value(&before), &[]));
}

/// What is added looks like what is there.
#[rstest]
#[case::minified(r#"{"env":{}}"#, r#"{"env":{"n":{"p":[1,2],"q":3}},"z":4}"#)]
#[case::minified_with_an_entry(r#"{"env":{"a":0}}"#, r#"{"env":{"a":0,"n":{"p":[1,2],"q":3}},"z":4}"#)]
#[case::one_line(r#"{"env": {}}"#, r#"{"env": {"n": {"p": [1, 2], "q": 3}}, "z": 4}"#)]
#[case::one_line_with_an_entry(
    r#"{"env": {"a": 0}}"#,
    r#"{"env": {"a": 0, "n": {"p": [1, 2], "q": 3}}, "z": 4}"#
)]
#[case::wide(
    "{ \"env\": {} ,  \"b\": 0 }",
    "{ \"env\": {\"n\": {\"p\": [1, 2], \"q\": 3}} ,  \"b\": 0,  \"z\": 4 }"
)]
#[case::lines(
    "{\n\t\"env\": {}\n}",
    "{\n\t\"env\": {\n\t\t\"n\": {\n\t\t\t\"p\": [\n\t\t\t\t1,\n\t\t\t\t2\n\t\t\t],\n\t\t\t\"q\": 3\n\t\t}\n\t},\n\t\"z\": 4\n}"
)]
#[case::a_line_within_lines(
    "{\n  \"env\": {\"a\": 0}\n}",
    "{\n  \"env\": {\"a\": 0, \"n\": {\"p\": [1, 2], \"q\": 3}},\n  \"z\": 4\n}"
)]
fn r2_5_what_is_added_looks_like_what_is_there(#[case] before: &str, #[case] after: &str) {
    let mut document = parse(before);
    document.add(&[ENV], "n", &json!({ "p": [1, 2], "q": 3 })).unwrap();
    document.add(&[], "z", &json!(4)).unwrap();
    assert_eq!(text(&document), after);
}

#[rstest]
#[case::hooks("{\"hooks\": {},\n \"hooks\": {}}", 2, 2)]
#[case::stop("{\"hooks\": {\"Stop\": [], \"St\\u006fp\": []}}", 1, 24)]
#[case::variable("{\"env\": {\"STOP_AUDITOR_MODEL\": \"\", \"STOP_AUDITOR_MODEL\": \"\"}}", 1, 36)]
fn r3_3_a_doubled_name_is_refused(#[case] file: &str, #[case] line: usize, #[case] column: usize) {
    match install(Some(&parse(file)), None, &with_env(&[(MODEL_VARIABLE, "m")])) {
        Err(Refusal::Duplicate { place, .. }) => assert_eq!(place, Place { line, column }),
        other => panic!("{other:?}"),
    }
}

#[test]
fn r3_3_empty_and_not_utf8_are_refused() {
    assert_eq!(Document::parse(b"").unwrap_err(), Refusal::Empty);
    assert_eq!(Document::parse(b" \n").unwrap_err(), Refusal::Empty);
    assert_eq!(Document::parse("\u{feff}".as_bytes()).unwrap_err(), Refusal::Empty);
    let place = Place { line: 2, column: 3 };
    assert_eq!(Document::parse(b"{\n \"\xff\"}").unwrap_err(), Refusal::NotUtf8(place));
}

#[test]
fn r3_5_a_value_of_the_persons_is_not_overwritten_unasked() {
    let old = r#"{"env":{"STOP_AUDITOR_CMD":"mine"}}"#;
    let refused = install(Some(&parse(old)), None, &with_env(&[(COMMAND_VARIABLE, "other")]));
    assert!(matches!(refused, Err(Refusal::Taken { name: COMMAND_VARIABLE, .. })), "{refused:?}");
    let same = install(Some(&parse(old)), None, &with_env(&[(COMMAND_VARIABLE, "mine")])).unwrap();
    let again = install(Some(&same), Some(&parse(old)), &with_env(&[(COMMAND_VARIABLE, "other")]));
    assert!(matches!(again, Err(Refusal::Taken { .. })), "also once installed: {again:?}");
    let forced = Request { force: true, ..with_env(&[(COMMAND_VARIABLE, "other")]) };
    let forced = install(Some(&same), Some(&parse(old)), &forced).unwrap();
    assert_eq!(value(&forced)["env"], json!({ "STOP_AUDITOR_CMD": "other" }));
}

#[test]
fn r3_2_a_value_that_an_install_wrote_is_replaced_by_a_later_one_and_left_without_one() {
    let before = parse("{\"a\":1}");
    let [one, two] = ["one", "two"].map(|model| with_env(&[(MODEL_VARIABLE, model)]));
    let first = install(Some(&before), None, &one).unwrap();
    let second = install(Some(&first), Some(&before), &two).unwrap();
    assert_eq!(value(&second)["env"], json!({ "STOP_AUDITOR_MODEL": "two" }));
    let third = install(Some(&second), Some(&before), &request()).unwrap();
    assert_eq!(text(&third), text(&second));
    install(Some(&install(None, None, &one).unwrap()), None, &two).unwrap();
}

#[test]
fn r3_5_what_the_person_took_out_by_hand_is_no_hindrance() {
    let before = parse("{\"a\":1}");
    let mut left = install(Some(&before), None, &with_env(&[(MODEL_VARIABLE, "m")])).unwrap();
    left.remove(&[HOOKS]).unwrap();
    let Uninstalled::Text(back) = uninstall(&left, Some(&before)).unwrap() else { panic!() };
    assert_eq!(text(&back), "{\"a\":1}");
    assert!(matches!(uninstall(&back, Some(&before)).unwrap(), Uninstalled::Nothing));
}

/// Any JSON object, written in one of a few layouts.
fn settings() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\\\\\"/中😀\n]{0,6}".prop_map(Value::from),
    ];
    let any_value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,3}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    });
    let events = prop::collection::vec(
        (
            prop::sample::select(vec!["Stop", "UserPromptSubmit", "PreToolUse"]),
            prop::collection::vec(any_value.clone(), 1..3),
        ),
        1..3,
    );
    let hooks = events.prop_map(|events| {
        Value::Object(
            events.into_iter().map(|(event, groups)| (event.to_owned(), Value::from(groups))).collect(),
        )
    });
    let parts =
        (prop::collection::vec(("[a-z]{1,2}", any_value), 1..4), prop::option::of(hooks), any::<bool>());
    (parts, 0..5_usize, any::<bool>()).prop_map(|((pairs, hooks, hooks_first), layout, crlf)| {
        let mut object = serde_json::Map::new();
        if let (Some(hooks), true) = (&hooks, hooks_first) {
            object.insert("hooks".into(), hooks.clone());
        }
        object.extend(pairs);
        if let (Some(hooks), false) = (hooks, hooks_first) {
            object.insert("hooks".into(), hooks);
        }
        let written = match layout {
            0 => serde_json::to_string(&object).unwrap(),
            indent => {
                let indent = ["", "  ", "    ", "\t"][indent - 1];
                let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
                let mut out = Vec::new();
                object.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).unwrap();
                String::from_utf8(out).unwrap() + "\n"
            }
        };
        if crlf { written.replace('\n', "\r\n") } else { written }
    })
}

proptest! {
    #[test]
    fn r3_5_any_settings_come_back(old in settings()) {
        let before = parse(&old);
        let env = [(COMMAND_VARIABLE, "a 'b'"), (MODEL_VARIABLE, "m")];
        let installed = install(Some(&before), None, &with_env(&env)).unwrap();
        prop_assert_eq!(value(&installed), expected(&value(&before), &env));
        if old.contains("\r\n") {
            prop_assert!(!text(&installed).replace("\r\n", "").contains('\n'), "one kind of line end");
        }
        let Uninstalled::Text(back) = uninstall(&installed, None).unwrap() else { panic!("nothing left") };
        prop_assert_eq!(text(&back), old);
    }
}
