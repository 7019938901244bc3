//! The plugin in `scripts/plugin`, as the real client takes it: valid, installed, run, and told of beside a
//! registration in the settings.
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::desk::Desk;
use super::installed;
use super::kit::auditors::InTurn;
use super::kit::check::checks;
use super::kit::journal;
use super::kit::sandbox::Sandbox;
use super::model::anthropic::says;

const PASS: &str = "VERDICT: PASS";
const FAIL: &str = "VERDICT: FAIL - 无证据结论：没有查过就说没有";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/plugin")
}

/// `claude plugin …` on this desk.
fn plugin(desk: &Desk, arguments: &[&str]) -> Output {
    let (environment, project) = desk.environment();
    let mut command = Command::new(installed::claude());
    command.arg("plugin").args(arguments).env_clear().envs(environment.pairs()).current_dir(project);
    command.stdin(Stdio::null()).output().expect("the client starts")
}

fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

checks! {
    /// The client's own check, warnings counted as errors; then the plugin blocks a real turn, and `check` tells of it.
    #[own]
    fn p_3_the_plugin_is_valid_runs_and_is_told_of_when_registered_twice(c: &mut Checks) {
        let sandbox = Sandbox::new();
        let auditor = InTurn::new(&sandbox.path("auditor"), &[FAIL, PASS]);
        let steps = vec![says("没有了，可以放心删。"), says("我没有查过，撤回刚才的话。")];
        let own = Path::new(env!("CARGO_BIN_EXE_stop-auditor")).parent().expect("a folder");
        let path = format!("{}:{}", own.display(), installed::path());
        let desk = Desk::new(sandbox, auditor.command(), steps);
        let desk = desk.env("PATH", &path).env("STOP_AUDITOR_CMD", auditor.command());

        let folder = folder();
        let folder = folder.to_str().expect("text");
        let marketplace = ["marketplace", "add", folder];
        for arguments in
            [&["validate", "--strict", folder][..], &marketplace, &["install", "stop-auditor@stop-auditor"]]
        {
            let output = plugin(&desk, arguments);
            c.that("P.3", format!("{arguments:?}"), output.status.success(), "exit 0", told(&output));
        }

        let both = desk.own(&["check"]);
        c.equal("P.3", "registered twice: exit code of check", both.status.code(), Some(1));
        c.contains("P.3", "registered twice", &told(&both), "注册了 2 处");
        c.contains("P.3", "registered twice", &told(&both), "stop-auditor@stop-auditor");
        let output = desk.own(&["uninstall"]);
        c.that("3.5", "uninstall", output.status.success(), "exit 0", told(&output));
        let check = desk.own(&["check"]);
        c.equal("P.3", "the plugin alone: exit code of check", check.status.code(), Some(0));
        c.contains("P.3", "the plugin alone", &told(&check), "由插件 stop-auditor@stop-auditor 注册");

        desk.print(c, "还有地方调用 parse_order 吗？");
        let verdicts = journal::verdict_of_each(&desk.sandbox.log_lines());
        c.equal("P.3", "verdicts in the log", verdicts, vec!["FAIL".to_owned(), "PASS".into()]);
        let last = desk.model.conversations().last().cloned().unwrap_or_default();
        c.contains("P.3", "the reason reaches Claude", &last, "没有查过就说没有");
        desk.nothing_is_left(c);
    }
}
