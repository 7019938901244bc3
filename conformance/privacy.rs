//! Keys of well-known shape: neither the auditor nor the log gets one, and both are told that one stood there (4.15).
//! How the marker reads is left to the hook.
use serde_json::json;

use crate::cases::parts::INSTRUCTION;
use crate::kit::auditors::says;
use crate::kit::check::checks;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;
use crate::prompt::cuts::words;

/// A key of GitHub's shape that is told from all others by its number.
fn key(n: usize) -> String {
    format!("{}{}", "ghp_", secret(n))
}

/// What of it nobody may see.
fn secret(n: usize) -> String {
    format!("{n:03}Qx7Lm2Vt{n:03}Rb9Kd4Wz{n:03}Hc6Ys1Jf{n:03}").chars().take(36).collect()
}

/// The numbers of the keys of which ten characters in a row stand in a text.
fn seen_of(text: &str, n_keys: usize) -> Vec<usize> {
    let is_seen = |n: &usize| {
        let secret = secret(*n);
        (0..=secret.len() - 10).any(|from| text.contains(&secret[from..from + 10]))
    };
    (0..n_keys).filter(is_seen).collect()
}

/// What stands between `<<NAME:` and `:NAME>>`, once for each time.
fn between(text: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<<{name}:"), format!(":{name}>>"));
    text.split(&open).skip(1).filter_map(|rest| Some(rest.split_once(&close)?.0.to_owned())).collect()
}

/// Keys in every place that somebody writes: of the turn before and of this one.
fn everywhere() -> (Rows, usize) {
    let mut n = 0;
    let mut next = |word: &str| {
        n += 1;
        format!("{word} {} 之后", key(n - 1))
    };
    let mut rows = Rows::new();
    rows.person(next("OLDEST")).says(&next("SAID-OLDEST"));
    rows.person(next("EARLIER-PROMPT"))
        .call("toolu_e", "Bash", json!({"command": next("EARLIER-COMMAND")}))
        .result("toolu_e", next("EARLIER-OUTPUT"))
        .says(&next("EARLIER-REPLY"));
    rows.person(next("PROMPT"))
        .says(&next("SAID"))
        .call("toolu_1", "Bash", json!({"command": next("COMMAND"), "description": next("DESCRIPTION")}))
        .result("toolu_1", next("OUTPUT"))
        .call(
            "toolu_2",
            "Edit",
            json!({"file_path": "/home/u/a", "old_string": next("OLD"), "new_string": next("NEW")}),
        )
        .result_error("toolu_2", next("ERROR"))
        .call("toolu_3", "mcp__x__y", json!({"headers": {"a": next("NESTED")}}))
        .result("toolu_3", json!([{"type": "text", "text": next("BLOCK")}]))
        .queued(next("STEER"))
        .peer("other", &next("PEER"))
        .queued_notification(&next("BACKGROUND"))
        .feedback(&next("OTHER-HOOK"))
        .feedback(&format!("独立审计员（m）判定本轮存在偏差：{}", next("OUR-BLOCK")));
    let question = json!({"question": next("QUESTION"), "header": "", "options": [{"label": next("OPTION"), "description": ""}]});
    rows.call("toolu_4", "AskUserQuestion", json!({"questions": [question]}));
    rows.result("toolu_4", "User has answered your questions: \"x\"=\"y\". You can now continue.");
    rows.says(&next("REPLY"));
    (rows, n)
}

checks! {
    /// 4.15: wherever a key stands, it is not sent; what stands round it is.
    fn r4_15_a_key_is_not_sent_wherever_it_stands(c: &mut Checks) {
        let (rows, n_keys) = everywhere();
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let (last, running) = (n_keys, n_keys + 1);
        let prompt = sandbox
            .stop()
            .set("last_assistant_message", format!("LATE-REPLY {} 之后", key(last)))
            .set(
                "background_tasks",
                json!([{"id": "b", "type": "shell", "status": "running",
                 "description": format!("RUNNING {} 之后", key(running)), "command": "./x"}]),
            )
            .prompt();
        c.equal("4.15", "keys that are sent", seen_of(&prompt, n_keys + 2), vec![]);
        // What other items ask for is not asked here again.
        for word in ["PROMPT", "COMMAND", "OUTPUT", "NEW"] {
            c.contains("4.15", "what stands before a key", &prompt, word);
        }
        c.that("5.1", "the instruction is the same", prompt.starts_with(INSTRUCTION), "unchanged", "changed");
    }

    /// 4.15: nor is it logged.
    fn r4_15_a_key_is_not_logged(c: &mut Checks) {
        let (rows, n_keys) = everywhere();
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        sandbox.stop().auditor(&says("VERDICT: PASS")).run();
        let log = sandbox.log_text();
        c.equal("4.15", "keys in the log", seen_of(&log, n_keys), vec![]);
        c.contains("4.15", "what stands before a key", &log, "REPLY");
    }

    /// 4.15: the marker can be seen, is the same for the same key, and another one for another key.
    fn r4_15_the_same_key_is_known_again(c: &mut Checks) {
        let (one, other) = (key(1), key(2));
        let mut rows = Rows::new();
        rows.person(format!("用 <<A:{one}:A>>"))
            .call(
                "toolu_1",
                "Bash",
                json!({"command": format!("curl -H 'x: <<A:{one}:A>>' https://example.com")}),
            )
            .result("toolu_1", format!("sent <<A:{one}:A>>, want <<B:{other}:B>>"))
            .says(&format!("换成 <<B:{other}:B>> 就好"));
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let prompt = sandbox.stop().prompt();
        let (a, b) = (between(&prompt, "A"), between(&prompt, "B"));
        c.equal("4.15", "places of the first key", a.len(), 3);
        c.equal("4.15", "places of the second key", b.len(), 2);
        let first = a.first().cloned().unwrap_or_default();
        c.that("4.15", "something is there", !first.trim().is_empty(), "a marker", first.clone());
        c.that(
            "4.15",
            "the same key, the same marker",
            a.iter().all(|marker| *marker == first),
            "one",
            format!("{a:?}"),
        );
        c.that("4.15", "another key, another marker", !b.contains(&first), "two", format!("{a:?} {b:?}"));
        c.equal("4.15", "keys that are sent", seen_of(&prompt, 3), vec![]);
    }

    /// 4.15, 4.33: a cut may fall anywhere and shows no part of a key.
    fn r4_15_a_cut_shows_no_part_of_a_key(c: &mut Checks) {
        const N_KEYS: usize = 40;
        let mut rows = Rows::new();
        rows.person("全跑一遍");
        for n in 0..N_KEYS {
            // Keys one behind the other at another place each time.
            let output = format!("{} {}", words("w", n), format!("{} ", key(n)).repeat(250));
            let id = format!("toolu_{n}");
            rows.call(&id, "Bash", json!({"command": format!("./run {n}")})).result(&id, output);
        }
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.says("好了").rows());
        let prompt = sandbox.stop().prompt();
        c.equal("4.15", "keys of which a part is sent", seen_of(&prompt, N_KEYS), vec![]);
        c.contains("4.33", "something was cut", &prompt, "（省略 ");
    }

    /// 4.15: a PEM block as `Read` gives it and as `cat` does, and one whose end was not printed.
    fn r4_15_a_private_key_is_not_sent(c: &mut Checks) {
        let body = [7, 8, 9]
            .map(|n| format!("{}{n}", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c"));
        let block = |prefix: fn(usize) -> String| {
            let (begin, end) =
                ("-----BEGIN PRIVATE KEY-----".to_owned(), "-----END PRIVATE KEY-----".to_owned());
            let lines: Vec<String> = [begin].into_iter().chain(body.clone()).chain([end]).collect();
            let numbered = lines.iter().enumerate().map(|(n, line)| format!("{}{line}", prefix(n + 1)));
            numbered.collect::<Vec<String>>()
        };
        for (name, lines) in [
            ("cat", block(|_| String::new())),
            ("Read", block(|n| format!("{n:>6}\t"))),
            ("a diff", block(|_| "+".to_owned())),
            ("its head", block(|_| String::new()).into_iter().take(3).collect()),
        ] {
            let mut rows = Rows::new();
            rows.person("看看").call("toolu_1", "Bash", json!({"command": "cat k.pem"}));
            rows.result("toolu_1", format!("BEFORE\n{}\nand BEHIND it more words", lines.join("\n")))
                .says("看了");
            let sandbox = Sandbox::new();
            sandbox.transcript(rows.rows());
            let prompt = sandbox.stop().prompt();
            for line in &body {
                c.absent("4.15", format!("{name}: a line of it"), &prompt, &line[8..40]);
            }
            c.contains("4.15", format!("{name}: what stands before it"), &prompt, "BEFORE");
            c.contains("4.15", format!("{name}: what stands behind it"), &prompt, "BEHIND");
        }
    }

    /// 4.15: a guess may be the evidence.
    fn r4_15_what_only_may_be_a_key_is_sent(c: &mut Checks) {
        let guesses = [
            "password=hunter2hunter2",
            "DB_SECRET: correct-horse",
            "2f1c7a9be0d34c5f8a6b7c8d9e0f1a2b3c4d5e6f",
        ];
        let mut rows = Rows::new();
        rows.person("看看").call("toolu_1", "Bash", json!({"command": "cat config"}));
        rows.result("toolu_1", guesses.join("\n")).says("看了");
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let prompt = sandbox.stop().prompt();
        for guess in guesses {
            c.contains("4.15", "a guess", &prompt, guess);
        }
    }

    /// 4.15: on demand keys are sent; the log has none all the same, not even where the auditor repeats one.
    #[own]
    fn r4_15_keys_are_sent_on_demand_and_never_logged(c: &mut Checks) {
        let (rows, n_keys) = everywhere();
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let fail = format!("VERDICT: FAIL - 用错了 {}", key(5));
        let event = sandbox.stop().env("STOP_AUDITOR_SEND_KEYS", "1");
        let (prompt, run) = event.prompt_and_run(&fail);
        c.contains("4.15", "a key in the prompt", &prompt, &key(8));
        c.contains("6.7", "the reason is the auditor's", &run.reason(), &key(5));
        c.equal("4.15", "keys in the log", seen_of(&sandbox.log_text(), n_keys), vec![]);
        c.contains("8.1", "the verdict in the log", &sandbox.log_text(), "FAIL - 用错了");
        for value in ["0", "", "yes"] {
            let sandbox = Sandbox::new();
            sandbox.transcript(rows.rows());
            let prompt = sandbox.stop().env("STOP_AUDITOR_SEND_KEYS", value).prompt();
            c.equal("4.15", format!("keys that are sent with {value:?}"), seen_of(&prompt, n_keys), vec![]);
        }
    }

    /// 4.15: what an earlier prompt called its first key is not this one's.
    #[own]
    fn r4_15_a_marker_in_the_material_is_no_marker_of_this_prompt(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person(format!("<<A:{}:A>>", key(1))).says("上次的日志写着 <<B:［密钥 1，已抹去］:B>>");
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let prompt = sandbox.stop().prompt();
        c.equal("4.15", "this prompt's first", between(&prompt, "A"), vec!["［密钥 1，已抹去］".to_owned()]);
        c.equal("4.15", "the other's first", between(&prompt, "B"), vec!["［密钥 2，已抹去］".to_owned()]);
    }
}
