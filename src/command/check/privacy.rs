//! What is kept back from the auditor, as the hook would read it.

use std::env;
use std::path::Path;

use super::finding::Finding;
use super::installation;
use crate::privacy::SEND_KEYS_VARIABLE;
use crate::privacy::ignore::{Ignored, VARIABLE};

const ABOUT: &str = "不发的文件";

pub(super) fn look(settings: Option<&Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(written) = installation::variable(settings, VARIABLE) {
        match Ignored::parse(&written, env::home_dir(), None) {
            Err(bad) => findings.push(Finding::problem(ABOUT, bad.to_string(), "改对这个变量")),
            Ok(ignored) if ignored.count() > 0 => {
                let patterns = ignored.written().collect::<Vec<&str>>().join("、");
                let found = format!("{} 个模式：{patterns}", ignored.count());
                findings.push(Finding::ok(ABOUT, found));
            }
            Ok(_) => {}
        }
    }
    if installation::variable(settings, SEND_KEYS_VARIABLE).is_some_and(|value| value == "1") {
        let found = format!("{SEND_KEYS_VARIABLE} 是 1，密钥照原样发给审计员");
        findings.push(Finding::note("密钥", found));
    }
    findings
}
