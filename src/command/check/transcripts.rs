//! Whether the parser knows what the client on this machine writes (2.4).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use super::finding::Finding;
use crate::paths;
use crate::transcript::{json, row};

/// Lines that are read of the newest transcript: a new type shows early.
const MAX_LINES: usize = 20_000;

pub(super) fn look() -> Vec<Finding> {
    let Some(path) = newest() else {
        return vec![Finding::note("会话记录", "本机还没有会话记录")];
    };
    let counts = match types(&path) {
        Ok(counts) => counts,
        Err(error) => {
            let found = format!("{} 读不了：{error}", path.display());
            return vec![Finding::problem("会话记录", found, "看看这个文件的权限")];
        }
    };
    let listed = |known: bool| {
        let names = counts.iter().filter(|(name, _)| row::KNOWN_TYPES.contains(&name.as_str()) == known);
        names.map(|(name, n)| format!("{name}×{n}")).collect::<Vec<_>>().join("、")
    };
    let (known, unknown) = (listed(true), listed(false));
    let mut findings = vec![Finding::ok("会话记录", format!("{}：认得 {known}", path.display()))];
    if !unknown.is_empty() {
        // A new type is passed over, as it must be; that it exists is worth a look, not an alarm.
        findings.push(Finding::note("会话记录", format!("不认得、会跳过的类型：{unknown}")));
    }
    findings
}

/// The session file that was written last; sub-agents' files lie deeper or have other names.
fn newest() -> Option<PathBuf> {
    let projects = fs::read_dir(paths::config_dir()?.join("projects")).ok()?;
    projects
        .flatten()
        .filter_map(|project| fs::read_dir(project.path()).ok())
        .flat_map(Iterator::flatten)
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-")))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .max()
        .map(|(_, path)| path)
}

fn types(path: &PathBuf) -> std::io::Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for line in BufReader::new(File::open(path)?).split(b'\n').take(MAX_LINES) {
        let line = line?;
        if let Some(name) = json::parse_object(&line).and_then(|row| row.text("type")) {
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    Ok(counts)
}
