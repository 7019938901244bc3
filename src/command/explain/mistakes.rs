//! Plain mistakes of a handler that runs: what it promises by its shape and will not do.
//! Pure: what lies on the disk is asked through `Machine`.

use std::path::Path;

use super::host::Host;
use super::program::{Program, started};
use super::registration::Registered;
use crate::command::check::Finding;
use crate::hosts::contract::Handler;
use crate::hosts::life_cycle::{Matcher, Point};
use crate::settings::registration::is_ours;

/// From this many seconds on a limit was probably meant in milliseconds.
const SURELY_MILLISECONDS: f64 = 5_000.0;

/// What an asynchronous hook says when it believes that it decides.
const DECISIONS: [&str; 6] =
    ["\"decision\"", "permissionDecision", "exit 2", "exit(2)", "\"continue\"", "'decision'"];

/// What the machine knows.
pub(super) trait Machine {
    /// The value of a variable at the time that the hook runs.
    fn variable(&self, name: &str) -> Option<String>;
    /// What lies at an absolute path.
    fn at(&self, path: &Path) -> OnDisk;
    /// Whether `PATH` has a program of this name.
    fn in_path(&self, name: &str) -> bool;
    /// The text of a script, where it is one and not too long.
    fn script(&self, path: &Path) -> Option<String>;
}

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnDisk {
    /// A file that can be executed.
    Executable,
    /// A file that cannot.
    NotExecutable,
    /// A folder.
    Folder,
    /// Nothing.
    Missing,
}

/// The mistakes of one handler that its host runs.
pub(super) fn of(
    host: Host,
    handler: &Registered<'_>,
    point: &Point,
    kind: Handler,
    machine: &dyn Machine,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(matcher(handler, point));
    if host == Host::Codex && handler.fields.contains_key("if") {
        let said = "这个宿主不认得 if，每次都会跑";
        found.push(Finding::problem("if", said, "把条件写进脚本，或者用 matcher"));
    }
    if let Some(command) = handler.command() {
        found.extend(program(command, machine));
        if kind == Handler::AsyncCommand {
            found.extend(not_awaited(command, machine));
        }
    }
    found.extend(limits(handler, point, kind, machine));
    found
}

fn matcher(handler: &Registered<'_>, point: &Point) -> Option<Finding> {
    let given = handler.matcher?.as_str()?;
    (point.matcher == Matcher::Ignored && !matches!(given, "" | "*")).then(|| {
        let said = format!("{} 不看 matcher，写了 {given} 也每次都跑", point.event);
        Finding::problem("matcher", said, "删掉 matcher；要挑场合，就在脚本里看 stdin")
    })
}

fn program(command: &str, machine: &dyn Machine) -> Option<Finding> {
    let about = "command";
    match started(command, &|name| machine.variable(name)).program {
        Program::Unreadable => Some(Finding::problem(about, "引号没有配对，sh 跑不了这一行", "把引号补上")),
        Program::Verbatim { path, itself } => Some(missing(
            &path,
            itself,
            "sh 原样照读：变量写在双引号里或引号外，~ 写在引号外，前面都不带反斜杠",
        )),
        Program::Unknown if command.trim().is_empty() => {
            Some(Finding::problem(about, "空命令：每次都出错，放行", "写上命令"))
        }
        Program::Unknown => None,
        Program::Named(name) if machine.in_path(&name) => None,
        Program::Named(name) => {
            let said = format!("PATH 里没有 {name}：每次都是退出码 127，放行");
            Some(Finding::problem(about, said, "装上它，或者写绝对路径"))
        }
        Program::File { path, .. } if !Path::new(&path).is_absolute() => {
            let said = format!("{path} 是相对路径：hook 在会话当时所在的目录里跑，换个目录就找不到，放行");
            Some(Finding::problem(
                about,
                said,
                "写绝对路径；Claude Code 里也可以用 \"$CLAUDE_PROJECT_DIR\"/…",
            ))
        }
        Program::File { path, itself } => match (machine.at(Path::new(&path)), itself) {
            (OnDisk::Executable, _) | (OnDisk::NotExecutable, false) => None,
            (OnDisk::Folder, _) => {
                let said = format!("{path} 是一个目录：每次都出错，放行");
                Some(Finding::problem(about, said, "写到里面的程序为止"))
            }
            (OnDisk::NotExecutable, true) => {
                let said = format!("{path} 没有执行权限：每次都是退出码 126，放行");
                Some(Finding::problem(about, said, "chmod +x，或者在前面写上解释器"))
            }
            (OnDisk::Missing, itself) => Some(missing(&path, itself, "改对路径")),
        },
    }
}

fn missing(path: &str, itself: bool, advice: &'static str) -> Finding {
    let said = if itself {
        format!("没有 {path}：每次都是退出码 127，放行")
    } else {
        format!("没有 {path}：解释器每次都出错（python 此时以 2 退出，能拦的地方就成了次次都拦）")
    };
    Finding::problem("command", said, advice)
}

/// An asynchronous handler that speaks as if somebody waited for it.
fn not_awaited(command: &str, machine: &dyn Machine) -> Option<Finding> {
    let decides = |text: &str| DECISIONS.iter().any(|decision| text.contains(decision));
    let script = match started(command, &|name| machine.variable(name)).program {
        Program::File { path, .. } => machine.script(Path::new(&path)),
        Program::Named(_) | Program::Verbatim { .. } | Program::Unknown | Program::Unreadable => None,
    };
    (decides(command) || script.is_some_and(|text| decides(&text))).then(|| {
        Finding::problem("async", "想拦，但宿主不等异步的 hook：它拦不住", "去掉 async（和 asyncRewake）")
    })
}

fn limits(handler: &Registered<'_>, point: &Point, kind: Handler, machine: &dyn Machine) -> Vec<Finding> {
    let about = "timeout";
    let host = point.limit_of(kind);
    let given = handler.fields.get("timeout").and_then(serde_json::Value::as_f64);
    let mut found = Vec::new();
    if let Some(seconds) = given.filter(|seconds| *seconds >= SURELY_MILLISECONDS) {
        let said = format!("单位是秒，{seconds} 秒是 {:.1} 小时", seconds / 3600.0);
        found.push(Finding::problem(about, said, "写秒数"));
    } else if let (Some(seconds), Some(cap)) = (given, host.cap_s)
        && seconds > cap
    {
        let said = format!("宿主在 {} 上最多给 {cap} 秒，写 {seconds} 也没用", point.event);
        found.push(Finding::problem(about, said, "写到上限以内"));
    } else if let Some(seconds) = given.filter(|seconds| *seconds > host.default_s) {
        let said = format!("比宿主默认的 {} 秒长：它卡住时，人要等 {seconds} 秒", host.default_s);
        found.push(Finding::note(about, said));
    }
    let outer = limit_s(handler, point, kind);
    if let Some(inner) = handler.command().and_then(|command| inner_limit_s(command, point.event, machine))
        && inner >= outer
    {
        let said = format!("命令自己的限时 {inner} 秒不小于宿主的 {outer} 秒：先到的是宿主，它的话就作废了");
        found.push(Finding::problem(about, said, "让里面的限时比外面的短"));
    }
    found
}

/// How long the host lets this handler run, in seconds.
pub(super) fn limit_s(handler: &Registered<'_>, point: &Point, kind: Handler) -> f64 {
    let given = handler.fields.get("timeout").and_then(serde_json::Value::as_f64);
    let host = point.limit_of(kind);
    // Codex gives at least a second; less than that is no whole number of them, and Claude Code keeps to it.
    let wanted = given.map_or(host.default_s, |given| if given > 0.0 { given } else { 1.0 });
    host.cap_s.map_or(wanted, |cap| wanted.min(cap))
}

/// The limit that a command keeps by itself: `timeout N`, and what this program keeps at a Stop.
fn inner_limit_s(command: &str, event: &str, machine: &dyn Machine) -> Option<f64> {
    if is_ours(command) && event == "Stop" {
        return Some(crate::hook::STOP_LIMIT.as_secs_f64());
    }
    started(command, &|name| machine.variable(name)).inner_limit_s
}
