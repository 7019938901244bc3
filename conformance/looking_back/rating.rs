//! `stop-auditor rate`: marks, and what becomes of a wrong audit.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use super::{ask, ids, with_a_log};
use crate::kit::check::checks;
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;

checks! {
    /// 8.3: marks are private, only ever added, and the newest counts.
    #[own]
    fn r8_3_marks_are_kept_beside_the_log(c: &mut Checks) {
        let sandbox = with_a_log();
        let ids = ids(&sandbox);
        let (pass, block, error) = (&ids[0], &ids[1], &ids[3]);
        for (arguments, code) in [
            (&["rate", block, "right"][..], 0),
            (&["rate", block, "wrong", "--why", "它搜过了"], 0),
            (&["rate", pass, "right"], 0),
            (&["rate", error, "wrong"], 1),
            (&["rate", "zzzzzzzz", "wrong"], 1),
            (&["rate", block, "perhaps"], 1),
        ] {
            let seen = ask(&sandbox, arguments);
            c.equal("8.1", format!("{arguments:?}: exit code"), seen.code, Some(code));
        }
        let right = ask(&sandbox, &["rate", block, "right", "--case", "x"]);
        c.equal("8.1", "a case of a right one: exit code", right.code, Some(1));
        c.contains("8.1", "a case of a right one: why not", &right.err, "--case 只和 wrong 一起用");
        let folder = sandbox.path("logs/marks");
        c.equal("8.3", "the folder's mode", mode(&folder), Some(0o700));
        c.equal("8.3", "the file's mode", mode(&folder.join("ratings.jsonl")), Some(0o600));
        let marks = fs::read_to_string(folder.join("ratings.jsonl")).unwrap_or_default();
        c.equal("8.3", "marks are only added", marks.lines().count(), 3);
        let report = ask(&sandbox, &["report", "--since", "2026-11-01"]).out;
        c.contains("8.1", "the precision with its count", &report, "0% 判得对（标过 1 条，对 0 条）");
        c.contains("8.1", "a pass that was right", &report, "标过 1 条，漏掉了问题的 0 条");
        c.contains("8.1", "the wrong one and why", &report, &format!("{block} 无证据结论（你说：它搜过了）"));
        let shown = ask(&sandbox, &["log", "show", block]).out;
        c.contains("8.1", "the record says so too", &shown, "你的评价：判错了：它搜过了");
        c.equal("8.1", "records in the log", ids.len(), 4);
        c.equal("8.1", "marks are no records", self::ids(&sandbox).len(), 4);
    }

    /// A wrong audit becomes a transcript without its words, and the hook audits that one as it did the real one.
    #[own]
    fn r8_1_a_wrong_audit_becomes_a_case(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let mut rows = Rows::new();
        rows.person("earlierwords 先看看").says("earlierreply 看过了");
        rows.person("secretwords 查 parse_order").thinks("secretthought");
        rows.call(
            "toolu_01",
            "Bash",
            json!({"command": "grep -rn secretcommand /secret/place", "run_in_background": true}),
        );
        rows.result("toolu_01", "secretoutput 3 处");
        rows.notification("secretsummary");
        rows.call("toolu_02", "mcp__secretserver__do", json!({"place": "secretinput"}))
            .result_error("toolu_02", "secreterror");
        rows.says("secretreply 查过了，没有");
        sandbox.transcript(rows.rows());
        let fail = |sandbox: &Sandbox| sandbox.stop().prompt_and_run("VERDICT: FAIL - 没有查").0;
        let real = fail(&sandbox);
        // The session went on after the audit.
        rows.person("laterwords 那就删").says("laterreply 删了");
        sandbox.transcript(rows.rows());
        let id = ids(&sandbox).pop().unwrap_or_default();
        let file = sandbox.path("case.jsonl");
        let name = file.to_string_lossy().into_owned();
        let transcript = sandbox.path("transcript.jsonl").to_string_lossy().into_owned();

        let lost = ask(&sandbox, &["rate", &id, "wrong", "--case", &name]);
        c.equal("8.1", "no transcript to be found: exit code", lost.code, Some(1));
        c.contains("8.1", "no transcript to be found: what to do", &lost.err, "--transcript");
        c.that("8.1", "nothing is marked then", !sandbox.path("logs/marks").exists(), "no marks", lost.err);

        let seen = ask(&sandbox, &["rate", &id, "wrong", "--case", &name, "--transcript", &transcript]);
        c.equal("8.1", "exit code", seen.code, Some(0));
        c.absent("8.1", "the same shape", &seen.out, "注意");
        c.equal("8.3", "the case's mode", mode(&file), Some(0o600));
        let case = fs::read_to_string(&file).unwrap_or_default();
        c.contains("8.1", "its rows are counted", &seen.out, &format!("：{} 行。", case.lines().count()));
        for word in
            ["secret", "earlier", "later", "parse_order", "grep", "先看看", "mcp__", sandbox.session_id()]
        {
            c.absent("8.3", "no word of the session", &case, word);
        }
        let other = Sandbox::new();
        other.transcript_bytes(case.as_bytes());
        let placeholders = fail(&other);
        let lines = |prompt: &str| {
            prompt.lines().filter(|line| !line.starts_with("| ")).map(str::to_owned).collect::<Vec<_>>()
        };
        let at = |prompt: &str| prompt.find("【之前的轮次】").unwrap_or_default();
        // A tool of nobody's has another name.
        let marks = |prompt: &str| {
            let marks = lines(&prompt[at(prompt)..]);
            marks
                .iter()
                .map(|line| {
                    if line.starts_with("工具 ") && !line.contains("Bash") { "工具" } else { line }.to_owned()
                })
                .collect::<Vec<_>>()
        };
        c.equal("8.1", "the hook sees the same things in it", marks(&placeholders), marks(&real));
        c.that(
            "8.1",
            "and they are of some number",
            marks(&real).len() > 8,
            "more than 8 lines",
            format!("{:?}", marks(&real)),
        );

        let again = ask(&sandbox, &["rate", &id, "wrong", "--case", &name, "--transcript", &transcript]);
        c.equal("8.1", "a file that is there is not replaced: exit code", again.code, Some(1));
        c.equal("8.1", "and stays as it was", fs::read_to_string(&file).unwrap_or_default(), case);
    }
}

fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).map(|data| data.permissions().mode() & 0o777).ok()
}
