//! Files whose contents are kept back (`STOP_AUDITOR_IGNORE`). Only our own program has them.
use serde_json::json;

use crate::cases::parts::Parts;
use crate::kit::auditors::says;
use crate::kit::check::checks;
use crate::kit::journal;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;

/// A session that reads, writes, edits and searches a file, and another one.
fn session() -> Sandbox {
    let (env, other) = ("/home/u/proj/.env", "/home/u/proj/main.rs");
    let mut rows = Rows::new();
    rows.person("上一轮")
        .call("toolu_0", "Read", json!({"file_path": env}))
        .result("toolu_0", "HIDDEN-EARLIER");
    rows.says("读了").person("改一下配置");
    rows.call("toolu_1", "Read", json!({"file_path": env})).result("toolu_1", "HIDDEN-READ=12345");
    rows.call("toolu_2", "Write", json!({"file_path": env, "content": "HIDDEN-WRITE"}))
        .result("toolu_2", "HIDDEN-TOLD");
    rows.call(
        "toolu_3",
        "Edit",
        json!({"file_path": env, "old_string": "HIDDEN-OLD", "new_string": "HIDDEN-NEW"}),
    );
    rows.result_error("toolu_3", "String to replace not found: HIDDEN-ERROR");
    rows.call(
        "toolu_4",
        "MultiEdit",
        json!({"file_path": env, "edits": [{"old_string": "HIDDEN-A", "new_string": "HIDDEN-B"}]}),
    );
    rows.result("toolu_4", "ok").call(
        "toolu_5",
        "Grep",
        json!({"pattern": "TOKEN", "output_mode": "content"}),
    );
    rows.result("toolu_5", format!("{env}:1:HIDDEN-GREP\n{other}:7:SHOWN-GREP"));
    rows.call("toolu_6", "Read", json!({"file_path": other})).result("toolu_6", "SHOWN-READ");
    rows.call("toolu_7", "Bash", json!({"command": "cat .env"}))
        .result("toolu_7", "SHOWN-BASH")
        .says("改好了");
    let sandbox = Sandbox::new();
    sandbox.transcript(rows.rows());
    sandbox
}

checks! {
    /// What such files hold is neither sent nor logged; that they were read and written is, with name and length.
    #[own]
    fn p_1_contents_of_ignored_files_are_kept_back(c: &mut Checks) {
        for (patterns, is_kept_back) in
            [(".env", true), ("no-such-name:/home/u/proj/.e*", true), ("", false), ("*.pem", false)]
        {
            let sandbox = session();
            let prompt = sandbox.stop().env("STOP_AUDITOR_IGNORE", patterns).prompt();
            let log = sandbox.log_text();
            for (place, text) in [("prompt", &prompt), ("log", &log)] {
                let what = format!("{patterns:?}: contents in the {place}");
                c.equal("P.1", what, text.contains("HIDDEN-"), !is_kept_back);
            }
            let current = Parts::of(&prompt).current;
            for shown in
                ["SHOWN-GREP", "SHOWN-READ", "SHOWN-BASH", "工具 Write", "工具 Edit", "/home/u/proj/.env"]
            {
                c.contains("P.1", format!("{patterns:?}: what is no such content"), current, shown);
            }
            // 17 characters were read.
            c.equal("P.1", format!("{patterns:?}: the length"), current.contains("（17 字，"), is_kept_back);
        }
    }

    /// A pattern that cannot be understood: nothing is sent, the person is told why, nothing of the turn is logged.
    #[own]
    fn p_1_a_pattern_that_is_none_stops_the_audit(c: &mut Checks) {
        for patterns in ["*.{env,pem}", ".env:[a", "!x"] {
            let sandbox = session();
            let (recording, run) =
                sandbox.stop().env("STOP_AUDITOR_IGNORE", patterns).record("VERDICT: PASS");
            c.equal("P.1", format!("{patterns}: prompts that were sent"), recording.n_calls(), 0);
            c.that(
                "P.1",
                format!("{patterns}: the person is told"),
                run.not_audited(),
                "no audit",
                run.seen(),
            );
            c.contains("P.1", "which variable", &run.message(), "STOP_AUDITOR_IGNORE");
            c.equal(
                "P.1",
                "the log",
                journal::verdict_of_each(&sandbox.log_lines()),
                vec!["ERROR".to_owned()],
            );
            c.absent("P.1", "nothing of the turn is logged", &sandbox.log_text(), "HIDDEN-");
        }
    }

    /// The order of events is not the person's to guess: keys of a file that is not kept back are blotted all the same.
    #[own]
    fn p_1_keys_are_blotted_beside_it(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("看看").call("toolu_1", "Read", json!({"file_path": "/home/u/a.env"}));
        rows.result("toolu_1", "HIDDEN-READ").call("toolu_2", "Read", json!({"file_path": "/home/u/b"}));
        rows.result("toolu_2", "B=ghp_abcdefghijklmnopqrstuvwxyz0123456789").says("看了");
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let prompt = sandbox.stop().env("STOP_AUDITOR_IGNORE", "*.env").prompt();
        c.contains("P.1", "the key's marker", &prompt, "B=［密钥 1，已抹去］");
        c.absent("P.1", "the file", &prompt, "HIDDEN-READ");
        sandbox
            .stop()
            .env("STOP_AUDITOR_IGNORE", "*.env")
            .env("STOP_AUDITOR_SEND_KEYS", "1")
            .auditor(&says("VERDICT: PASS"))
            .run();
        c.absent("P.1", "the log, where keys are sent", &sandbox.log_text(), "HIDDEN-READ");
    }
}
