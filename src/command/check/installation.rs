//! Whether the hook is in place, whether something stands in its way, and what the log says of the last audits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finding::Finding;
use super::plugins::{self, Plugin};
use crate::auditor::Choice;
use crate::paths;
use crate::record::{Log, Record, Word};
use crate::settings::document::Document;
use crate::settings::file::SettingsFile;
use crate::settings::registration;
use crate::settings::{EVENTS, PROGRAM};

const INSTALL: &str = "运行 stop-auditor install";

/// Settings that an administrator may have set.
const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// From this many errors in a row on they are a problem, not an accident.
const MANY_ERRORS: usize = 2;

/// The auditor that the hook would choose: the settings' `env` counts for it as the environment does.
pub(in crate::command) fn choice(settings: Option<&Path>) -> Choice {
    let document = settings_path(settings).and_then(|path| fs::read(path).ok());
    let settings: Option<Value> = document.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let env = settings.as_ref().and_then(|settings| settings.get("env")?.as_object());
    let texts = env.into_iter().flatten();
    Choice::with(texts.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect())
}

pub(super) fn look(settings: Option<&Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match settings_path(settings) {
        Some(path) => findings.extend(registered(&path)),
        None => findings.push(Finding::problem(
            "hook",
            "找不到配置目录：HOME 和 CLAUDE_CONFIG_DIR 都没有",
            INSTALL,
        )),
    }
    findings.extend(MANAGED.iter().filter_map(|path| managed(Path::new(path))));
    findings.extend(log());
    findings
}

fn settings_path(settings: Option<&Path>) -> Option<PathBuf> {
    settings.map(Path::to_owned).or_else(|| paths::config_dir().map(|dir| dir.join("settings.json")))
}

fn registered(path: &Path) -> Vec<Finding> {
    let read = SettingsFile::read(path).map_err(|error| error.to_string());
    let document = read.and_then(|file| match file.bytes() {
        Some(bytes) => Document::parse(bytes).map(Some).map_err(|refusal| refusal.to_string()),
        None => Ok(None),
    });
    let document = match document {
        Ok(Some(document)) => document,
        Ok(None) => return vec![Finding::problem("hook", format!("没有 {}", path.display()), INSTALL)],
        Err(cause) => {
            let advice = "先把这个文件改成合法的 JSON：Claude Code 读不了就整份不用，里面的 hook 全都不跑";
            return vec![Finding::problem("hook", format!("{} 读不懂：{cause}", path.display()), advice)];
        }
    };
    let plugins = paths::config_dir().map(|folder| plugins::enabled(path, &folder)).unwrap_or_default();
    let mut findings: Vec<Finding> =
        EVENTS.iter().map(|(event, _)| of_event(&document, event, plugins.first())).collect();
    findings.extend(registered_twice(&document, &plugins));
    findings.extend(powerless(&document));
    if crate::settings::hooks_are_off(&document) {
        findings.push(Finding::problem("hook", "disableAllHooks 是 true，hook 全都不跑", "从设置里去掉它"));
    }
    for other in registration::other_auditors(&document) {
        let found = format!("还注册了另一个审计员：{other}");
        findings.push(Finding::problem("hook", found, "两个只留一个，不然每一轮审两遍"));
    }
    findings
}

/// Each registration runs on its own: a turn would be audited once for each.
fn registered_twice(document: &Document, plugins: &[Plugin]) -> Option<Finding> {
    let by_settings = registration::registered_command(document, "Stop").map(|_| "设置");
    let by_plugins = plugins.iter().map(|plugin| plugin.id.as_str());
    let by: Vec<&str> = by_settings.into_iter().chain(by_plugins).collect();
    if by.len() < 2 {
        return None;
    }
    let found = format!("注册了 {} 处，每一轮会审 {0} 遍：{}", by.len(), by.join("、"));
    let advice = "只留一处：stop-auditor uninstall 去掉设置里的，claude plugin disable 名字 停用插件";
    Some(Finding::problem("hook", found, advice))
}

fn of_event(document: &Document, event: &'static str, plugin: Option<&Plugin>) -> Finding {
    let commands = registration::registered_commands(document, event);
    let Some(command) = commands.first() else {
        let by_plugin = plugin.and_then(|plugin| Some((plugin, plugin.command(event)?)));
        return match by_plugin {
            None => Finding::problem(event, "没有注册", INSTALL),
            Some((Plugin { id, .. }, command)) if command == PROGRAM && !paths::is_on_path(PROGRAM) => {
                let found = format!("插件 {id} 注册了，可是 PATH 里没有 {PROGRAM}");
                Finding::problem(event, found, "把 stop-auditor 放进 PATH（cargo install --path . --locked）")
            }
            Some((Plugin { id, .. }, command)) => Finding::ok(event, format!("由插件 {id} 注册：{command}")),
        };
    };
    if commands.len() > 1 {
        return Finding::problem(event, format!("注册了 {} 次", commands.len()), INSTALL);
    }
    let words = shlex::split(command).unwrap_or_default();
    let program = words.last().map(PathBuf::from).unwrap_or_default();
    if paths::is_executable(&program) {
        Finding::ok(event, format!("已注册：{command}"))
    } else {
        Finding::problem(event, format!("注册的程序不能执行：{}", program.display()), INSTALL)
    }
}

/// A Stop handler with `async` cannot block, and one with `if` never runs (facts, 2.4).
fn powerless(document: &Document) -> Option<Finding> {
    let settings: Value = serde_json::from_slice(&document.to_bytes()).ok()?;
    let groups = settings.pointer("/hooks/Stop")?.as_array()?;
    let ours = registration::registered_command(document, "Stop")?;
    let mut handlers = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let own =
        handlers.find(|handler| handler.get("command").is_some_and(|command| command == ours.as_str()))?;
    let key = ["async", "asyncRewake", "if"].into_iter().find(|key| own.get(*key).is_some())?;
    Some(Finding::problem("Stop", format!("注册里有 {key}，这样的 hook 拦不住 Claude"), "从那条注册里去掉它"))
}

fn managed(path: &Path) -> Option<Finding> {
    let settings: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let is_set = |name: &str| settings.get(name).is_some_and(|value| value == true);
    let stops = ["disableAllHooks", "allowManagedHooksOnly"].into_iter().find(|name| is_set(name))?;
    let found = format!("{} 里 {stops} 是 true，你自己的 hook 不会跑", path.display());
    Some(Finding::problem("统一管理的设置", found, "找管理员"))
}

fn log() -> Vec<Finding> {
    let Some(directory) = paths::log_dir() else {
        return vec![Finding::problem("日志", "没有地方写", "设 STOP_AUDITOR_LOG_DIR")];
    };
    let advice = "给这个目录写权限，或者用 STOP_AUDITOR_LOG_DIR 换一个";
    // The folder is made by the first Stop; until then the nearest folder above it must take it. A file without a name
    // tells, and leaves nothing.
    let existing = directory.ancestors().find(|folder| folder.exists());
    if existing.is_none_or(|folder| tempfile::tempfile_in(folder).is_err()) {
        return vec![Finding::problem("日志", format!("{} 写不了", directory.display()), advice)];
    }
    let mut findings = vec![Finding::ok("日志", directory.display().to_string())];
    match last_audits(&directory) {
        Ok(audits) => findings.extend(audits),
        Err(error) => findings.push(Finding::problem("日志", format!("读不了：{error}"), advice)),
    }
    findings
}

/// What the log says: the newest record, errors in a row, lines that are no records.
fn last_audits(directory: &Path) -> io::Result<Vec<Finding>> {
    let mut last: Option<Record> = None;
    let mut errors = 0;
    let unread = Log::in_folder(directory).read(None, |record, _| {
        errors = if record.verdict == Word::Error { errors + 1 } else { 0 };
        last = Some(record);
    })?;
    let mut findings = Vec::new();
    if let Some(first) = unread.first() {
        findings.push(Finding::note("日志", format!("{} 处读不懂，跳过了，第一处：{first}", unread.len())));
    }
    findings.push(match last {
        None => Finding::note("最近的审计", "日志里还没有记录"),
        Some(Record { time, verdict, text, .. }) => {
            let last = format!("{time} {} {text}", verdict.name());
            if errors >= MANY_ERRORS {
                let advice = "按原因处理；stop-auditor check --live 可以真问一次";
                let found = format!("连着 {errors} 次出错，最近一次：{last}");
                Finding::problem("最近的审计", found, advice)
            } else {
                Finding::ok("最近的审计", last)
            }
        }
    });
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::managed;
    use std::fs;

    #[test]
    fn r3_1_an_administrators_settings_that_keep_the_hook_out_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("managed-settings.json");
        assert!(managed(&path).is_none());
        for (text, told) in [
            ("{\"disableAllHooks\":true}", Some("disableAllHooks")),
            ("{\"allowManagedHooksOnly\":true}", Some("allowManagedHooksOnly")),
            ("{\"disableAllHooks\":false,\"allowManagedHooksOnly\":\"true\"}", None),
            ("{\"hooks\":{}}", None),
            ("no JSON", None),
        ] {
            fs::write(&path, text).unwrap();
            let finding = managed(&path);
            let found =
                told.map(|told| format!("{} 里 {told} 是 true，你自己的 hook 不会跑", path.display()));
            assert_eq!(finding.as_ref().map(|finding| finding.found.clone()), found, "{text}");
            assert!(finding.is_none_or(|finding| finding.is_problem()), "{text}");
        }
    }
}
