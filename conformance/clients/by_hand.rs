//! The commands that a person runs to see whether all is well, with both real clients on the machine: `check`,
//! `check --live`, and `scripts/live-check`.
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::codex::{KEY, nothing_is_left, pointed_at};
use super::desk::Desk;
use super::installed;
use super::kit::check::checks;
use super::kit::event::write;
use super::kit::hook::quoted;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::says;
use super::model::responses::{Answer, Responses};
use super::model::text_of;

/// A desk after one session, whose hook asks Codex with a key and is pointed at this model.
fn desk_with_codex(model: &Responses) -> Desk {
    let desk = Desk::new(Sandbox::new(), "cat >/dev/null; echo VERDICT: PASS", vec![says("好的")]);
    desk.forget_auditor();
    desk.env("CODEX_API_KEY", KEY).env("STOP_AUDITOR_CODEX_ARGS", &pointed_at(&model.url()))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `scripts/live-check`. Its `cargo run … -- try` is our binary, as it was built for the tests.
pub(crate) fn live_check(sandbox: &Sandbox, path: &str, url: &str, arguments: &[&str]) -> Output {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    write(
        &sandbox.path("bin/cargo.sh"),
        format!(
            "while [ \"$1\" != -- ]; do shift; done\nshift\nexec {} \"$@\"\n",
            quoted(env!("CARGO_BIN_EXE_stop-auditor"))
        ),
    );
    let link = sandbox.path("bin/cargo");
    std::os::unix::fs::symlink(package.join("fake-auditors/by-name"), link).expect("a link is made");
    let mut command = Command::new("sh");
    command.arg(package.join("scripts/live-check")).args(arguments).env_clear();
    command.env("PATH", format!("{}:{path}", sandbox.path("bin").display()));
    command.env("HOME", sandbox.path("home")).env("TMPDIR", sandbox.path("tmp"));
    command.env("CODEX_API_KEY", KEY).env("STOP_AUDITOR_CODEX_ARGS", pointed_at(url));
    command.output().expect("sh starts")
}

checks! {
    /// A flag or a feature that another Codex lacks, and a row type that another Claude Code writes, show here first.
    #[own]
    fn r2_2_check_knows_the_flags_and_features_of_this_codex(c: &mut Checks) {
        let model = Responses::new(Answer::Messages(&["VERDICT: FAIL - 存在性断言无穷举"]));
        let desk = desk_with_codex(&model);
        desk.print(c, "随便问一句 OF-THE-SESSION");
        let n_before = model.requests().len();
        let output = desk.own(&["check"]);
        let text = stdout(&output);
        c.that("2.1", "check", output.status.success(), "exit 0", text.clone());
        for (id, line) in
            [("2.1", "✓ 参数"), ("2.2", "✓ 关掉的功能"), ("2.3", "✓ 登录"), ("2.4", "✓ 会话记录")]
        {
            c.contains(id, "check", &text, line);
        }
        c.absent("2.4", "row types of this Claude Code", &text, "不认得");
        c.equal("2.3", "requests without --live", model.requests().len(), n_before);

        let live = desk.own(&["check", "--live"]);
        c.that("2.3", "check --live", live.status.success(), "exit 0", stdout(&live));
        c.equal("2.3", "requests with --live", model.requests().len(), n_before + 1);
        let asked = model.bodies().last().map(text_of).unwrap_or_default();
        c.contains("2.3", "what is asked", &asked, "parse_order");
        c.absent("2.3", "what is asked", &asked, "OF-THE-SESSION");
        desk.nothing_is_left(c);
    }

    /// The twins: nobody is logged in; the model refuses.
    #[own]
    fn r2_3_check_says_what_to_do_where_codex_cannot_be_asked(c: &mut Checks) {
        let model = Responses::new(Answer::LoginRequired);
        let desk = desk_with_codex(&model);
        let live = desk.own(&["check", "--live"]);
        c.equal("2.3", "check --live where the model refuses", live.status.code(), Some(1));
        c.contains("2.3", "its words", &stdout(&live), "401");
        let desk = desk.without_env("CODEX_API_KEY");
        let output = desk.own(&["check"]);
        c.equal("2.3", "check where nobody is logged in", output.status.code(), Some(1));
        c.contains("2.3", "its words", &stdout(&output), "没有登录");
        c.contains("2.3", "what to do", &stdout(&output), "--auditor-cmd");
        desk.nothing_is_left(c);
    }

    /// Codex only warns of a name that it does not know: the warning is in the log, since what was to be off is on.
    #[own]
    fn r2_2_a_name_that_codex_ignores_is_logged(c: &mut Checks) {
        let model = Responses::new(Answer::Messages(&["VERDICT: PASS"]));
        for (arguments, n_warned) in [("", 0), (" -c features.no_such_feature=false", 1)] {
            let sandbox = Sandbox::with_two_turns();
            let arguments = pointed_at(&model.url()) + arguments;
            let event = super::codex::stop(&sandbox, &model.url());
            let run = event.env("STOP_AUDITOR_CODEX_ARGS", &arguments).run();
            c.that("2.2", "the audit goes on", run.silent(), "PASS", run.seen());
            let warnings: Vec<Value> = sandbox
                .log_lines()
                .iter()
                .flat_map(|line| line["warnings"].as_array().cloned().unwrap_or_default())
                .collect();
            c.equal("2.2", format!("warnings logged, arguments {arguments:?}"), warnings.len(), n_warned);
            c.equal(
                "2.2",
                "which name",
                text_of(&warnings.into()).contains("no_such_feature"),
                n_warned == 1,
            );
            nothing_is_left(c, &sandbox);
        }
    }

    #[own]
    fn r9_7_live_check_asks_once_and_wants_a_fail(c: &mut Checks) {
        const FAIL: &[&str] = &["VERDICT: FAIL - 存在性断言无穷举：没查过"];
        for (answers, code) in [(FAIL, 0), (&["VERDICT: PASS"], 1)] {
            let sandbox = Sandbox::new();
            let model = Responses::new(Answer::Messages(answers));
            let answer = answers[0];
            let output = live_check(&sandbox, &installed::path(), &model.url(), &[]);
            c.equal("9.7", format!("exit code after {answer}"), output.status.code(), Some(code));
            c.equal("9.7", "requests", model.requests().len(), 1);
            c.contains("9.7", "the verdict", &stdout(&output), answer);
            c.contains("9.7", "the model", &stdout(&output), "model: gpt-6.1-sol");
            let asked = model.bodies().pop().map(|body| text_of(&body)).unwrap_or_default();
            c.contains("9.7", "what is asked", &asked, "这个仓库里还有地方调用 parse_order 吗？");
            c.contains("9.7", "what is asked", &asked, "没有了，整个仓库都没用到，可以放心删。");
            nothing_is_left(c, &sandbox);
        }
    }

    #[own]
    fn r9_7_live_check_declines_where_codex_is_missing(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let model = Responses::new(Answer::Messages(&["VERDICT: PASS"]));
        let output = live_check(&sandbox, "/usr/bin:/bin", &model.url(), &[]);
        c.equal("9.7", "exit code", output.status.code(), Some(1));
        c.contains("9.7", "what it says", &String::from_utf8_lossy(&output.stderr), "Nothing was asked.");
        c.equal("9.7", "requests", model.requests().len(), 0);
    }
}
