//! What is kept back from the auditor, as the hook would read it.

use std::env;

use super::finding::Finding;
use crate::auditor::Settings;
use crate::privacy::ignore::{Ignored, VARIABLE};
use crate::privacy::{self, SEND_KEYS_VARIABLE};

const ABOUT: &str = "不发的文件";

pub(super) fn look(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(written) = settings.value(VARIABLE) {
        match Ignored::parse(&written, env::home_dir(), None) {
            Err(bad) => findings.push(Finding::problem(ABOUT, bad.to_string(), "改对这个变量")),
            Ok(ignored) => {
                let patterns: Vec<&str> = ignored.written().collect();
                let found = || format!("{} 个模式：{}", patterns.len(), patterns.join("、"));
                findings.extend((!patterns.is_empty()).then(|| Finding::ok(ABOUT, found())));
            }
        }
    }
    if privacy::sends_keys(settings) {
        let found = format!("{SEND_KEYS_VARIABLE} 是 1，密钥照原样发给审计员");
        findings.push(Finding::note("密钥", found));
    }
    findings
}
