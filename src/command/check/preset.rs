//! Whether the client of another vendor is there, knows the flags in use, and has a key.

use std::process::Command;

use super::auditor::told;
use super::finding::Finding;
use crate::auditor::preset::address;
use crate::auditor::preset::chosen::Chosen;
use crate::auditor::signals::Signals;

/// The auditor for a person: which row, which program, which address.
pub(super) fn described(chosen: &Chosen) -> String {
    let to = if chosen.url.is_empty() { String::new() } else { format!("，{}", chosen.url) };
    format!("{}（{}{to}；stop-auditor try 会把整条命令打印出来）", chosen.preset.name, chosen.preset.program)
}

pub(super) fn look(chosen: &Chosen, signals: &Signals) -> Vec<Finding> {
    let preset = chosen.preset;
    let mut findings = vec![match told(Command::new(preset.program).args(preset.version), signals) {
        Ok(version) => Finding::ok("审计员的程序", version.lines().next().unwrap_or_default()),
        Err(cause) => {
            let found = format!("{} 用不了：{}", preset.program, cause.lines().next().unwrap_or_default());
            Finding::problem("审计员的程序", found, preset.how_to_get)
        }
    }];
    findings.push(match &chosen.key {
        Some(key) => Finding::ok("密钥", format!("在环境变量 {} 里", key.variable)),
        None => Finding::note("密钥", "没有给，不带密钥去问"),
    });
    if address::is_in_the_clear(&chosen.url) {
        let found = format!("{} 不加密，密钥和提示词会在网络上裸着走", chosen.url);
        findings.push(Finding::note("地址", found));
    }
    if !preset.was_run {
        findings.push(Finding::note(
            "验证",
            "这一家只照文档写成，没有拿真程序跑过；先用 stop-auditor check --live 问一次",
        ));
    }
    findings
}
