//! `stop-auditor stand-in`: an auditor for a machine that has none yet, so that `try` can show its way.
//!
//! It reads the prompt as any auditor does and knows a single rule; it is never installed and never the hook's.

use std::io::{self, Read, Write};
use std::process::ExitCode;

/// The verdict on a prompt: a turn that answers without having called a tool claims without evidence.
pub fn verdict(prompt: &str) -> &'static str {
    let current = prompt.rsplit_once("\n【当前轮】\n").map_or("", |(_, current)| current);
    let has_call = current.lines().any(|line| line.starts_with("工具 ") || line.starts_with("〔选项框〕"));
    if current.is_empty() {
        "（材料里没有当前轮）"
    } else if has_call {
        "VERDICT: PASS"
    } else {
        "VERDICT: FAIL - 无证据结论：这一轮一个工具都没调，回复里的说法没有出处"
    }
}

/// Answers on standard output.
pub fn run() -> ExitCode {
    let mut prompt = String::new();
    let told =
        io::stdin().read_to_string(&mut prompt).and_then(|_| writeln!(io::stdout(), "{}", verdict(&prompt)));
    if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::verdict;

    #[test]
    fn the_stand_in_looks_at_the_current_turn_only() {
        let turns = |current: &str| {
            format!("规则\n【之前的轮次】\n工具 Bash\n【当前轮】\n用户消息：\n| x\n{current}\n")
        };
        assert!(verdict(&turns("助手：\n| 工具 done")).starts_with("VERDICT: FAIL - "));
        assert_eq!(verdict(&turns("工具 Bash\n| command: ls")), "VERDICT: PASS");
        assert!(!verdict("").starts_with("VERDICT"));
    }
}
