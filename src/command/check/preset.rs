//! Whether the client of another vendor is there, knows the flags in use, and has a key.

use std::process::Command;

use super::auditor::told;
use super::finding::Finding;
use crate::auditor::preset::address;
use crate::auditor::preset::chosen::Chosen;
use crate::auditor::preset::table::Key;
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
    let knows_itself = match chosen.preset.key {
        Key::None => Some("不用"),
        Key::Own => Some("用它自己存的"),
        Key::Header | Key::Variable(_) | Key::SameVariable(_) => None,
    };
    findings.push(match (&chosen.key, knows_itself) {
        (Some(key), _) => Finding::ok("密钥", format!("在环境变量 {} 里", key.variable)),
        (None, Some(how)) => Finding::ok("密钥", how),
        (None, None) => Finding::note("密钥", "没有给，不带密钥去问"),
    });
    if findings.iter().all(|finding| !finding.is_problem()) {
        findings.extend(model(chosen, signals));
    }
    if address::is_in_the_clear(&chosen.url) {
        let found = format!("{} 不加密，密钥和提示词会在网络上裸着走", chosen.url);
        findings.push(Finding::note("地址", found));
    }
    findings.extend(preset.remark.map(|remark| Finding::note("要知道", remark)));
    findings
}

/// Whether the program knows the model, where it can tell without asking a service.
fn model(chosen: &Chosen, signals: &Signals) -> Option<Finding> {
    let listed = told(&mut chosen.models_command()?, signals);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | ':' | '/' | '-');
    Some(match listed {
        Ok(list) => {
            // Ollama calls a model without a tag by the tag `latest`.
            let names = [chosen.model.clone(), format!("{}:latest", chosen.model)];
            if list.split(|c| !is_part(c)).any(|word| names.iter().any(|name| name == word)) {
                Finding::ok("模型", format!("{} 在它的列表里", chosen.model))
            } else {
                Finding::problem(
                    "模型",
                    format!("它的列表里没有 {}", chosen.model),
                    "换个模型名，或者先装好这个模型",
                )
            }
        }
        Err(cause) => {
            let cause = cause.lines().last().unwrap_or_default().to_owned();
            Finding::problem("模型", format!("列不出来：{cause}"), "先让它跑起来；命令见 stop-auditor try")
        }
    })
}
