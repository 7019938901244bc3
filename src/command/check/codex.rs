//! What the Codex on this machine says of itself (2.1-2.3).

use std::process::Command;

use super::auditor::told;
use super::finding::Finding;
use crate::auditor::codex::home::Login;
use crate::auditor::codex::{self, Codex, arguments};
use crate::auditor::signals::Signals;
use crate::paths;

/// Flags of `codex exec` that the command uses, by the names that its help gives.
const FLAGS: [&str; 8] = [
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
    "--skip-git-repo-check",
    "--sandbox",
    "--model",
    "--config",
    "--json",
];

const UPDATE: &str = "换一个 Codex 版本（npm install -g @openai/codex），再跑一次 check";

pub(super) fn look(own: &Codex, signals: &Signals, other: &'static str) -> Vec<Finding> {
    let codex = |arguments: &[&str]| told(Command::new(codex::PROGRAM).args(arguments), signals);
    if !paths::is_on_path(codex::PROGRAM) {
        return vec![Finding::problem("Codex", "PATH 里没有 codex", other)];
    }
    let mut findings = vec![match codex(&["--version"]) {
        Ok(version) => Finding::ok("Codex", version.trim()),
        Err(cause) => {
            return vec![Finding::problem("Codex", format!("codex --version 出错：{cause}"), other)];
        }
    }];
    findings.push(match codex(&["exec", "--help"]) {
        Ok(help) => {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let known: Vec<&str> = help.split(|c| !is_word(c)).collect();
            all_known("参数", FLAGS.into_iter(), |flag| known.contains(flag), UPDATE)
        }
        Err(cause) => Finding::problem("参数", format!("codex exec --help 出错：{cause}"), UPDATE),
    });
    findings.push(match codex(&["features", "list"]) {
        // A name that this version lacks is ignored with a warning, so the feature is on under its new name.
        Ok(list) => {
            let known: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
            all_known("关掉的功能", arguments::features_off(), |name| known.contains(name), UPDATE)
        }
        Err(cause) => Finding::problem("关掉的功能", format!("codex features list 出错：{cause}"), UPDATE),
    });
    if let Some(relay) = &own.provider.relay {
        findings
            .push(Finding::note("中转", format!("config.toml 里的 {relay} 会照用（只读它，别的设置不读）")));
    }
    findings.push(login(own, &codex(&["login", "status"]), other));
    findings
}

fn all_known<'a>(
    about: &'static str,
    names: impl Iterator<Item = &'a str>,
    is_known: impl Fn(&&'a str) -> bool,
    advice: &'static str,
) -> Finding {
    let (known, missing): (Vec<&str>, Vec<&str>) = names.partition(is_known);
    if missing.is_empty() {
        Finding::ok(about, format!("{} 个都认得", known.len()))
    } else {
        Finding::problem(about, format!("这个版本不认得 {}", missing.join("、")), advice)
    }
}

fn login(own: &Codex, status: &Result<String, String>, other: &'static str) -> Finding {
    match (own.login(), status) {
        (Login::Linked(file), _) => Finding::ok("登录", format!("用 {}（链接过去，不复制）", file.display())),
        (Login::InEnvironment, Ok(_)) => Finding::ok("登录", "用环境变量里的密钥"),
        (Login::InEnvironment, Err(_)) if own.has_key() => Finding::ok("登录", "用环境变量里的密钥"),
        (Login::OwnHome(_), Ok(_)) => Finding::note(
            "登录",
            "在系统的密钥串里，只好用你自己的 Codex 目录：里面的 AGENTS.md 审计员也会读到",
        ),
        // A key ring that cannot be reached says so in a line of Codex's own; being logged out needs none.
        (Login::OwnHome(_), Err(told)) if !told.contains("Not logged in") => {
            let cause = told.lines().last().unwrap_or_default();
            Finding::problem("登录", format!("没有登录：{cause}"), other)
        }
        (_, Err(_)) => Finding::problem("登录", "没有登录", other),
    }
}
