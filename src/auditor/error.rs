//! Why there is no verdict, in the person's words (6.9). None of these ever becomes a block.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::preset::chosen::Unusable;
use super::verdict::NoVerdict;

/// Why there is no verdict (6.9).
#[derive(Debug)]
pub enum AuditError {
    /// The auditor is Claude's own vendor (1.7).
    OwnVendor(String),
    /// `STOP_AUDITOR_CODEX_ARGS` is no list of shell words.
    BadArguments(String),
    /// What was chosen cannot be asked as it is.
    Unusable(Unusable),
    /// The empty working directory could not be made.
    NoDirectory(io::Error),
    /// The program could not be started, or not be waited for.
    NotStarted(String, io::Error),
    /// It ended with another exit code than 0, or by a signal; with what it complained about.
    Failed(String, String),
    /// It took longer than this.
    TimedOut(Duration),
    /// It was ended because it was about to ask again, or had failed and would have; with what it complained about.
    Stopped(String),
    /// The hook itself was asked to end.
    Cancelled,
    /// It ended well without completing its answer.
    Incomplete(String),
    /// Its answer holds no verdict.
    NoVerdict(NoVerdict, String),
}

impl AuditError {
    /// It ended badly; with what it complained about.
    pub(super) fn failed(status: ExitStatus, complaint: String) -> Self {
        let status = match (status.code(), status.signal()) {
            (Some(code), _) => format!("退出码 {code}"),
            (None, Some(signal)) => format!("信号 {signal}"),
            (None, None) => status.to_string(),
        };
        AuditError::Failed(status, complaint)
    }
}

impl From<Unusable> for AuditError {
    fn from(unusable: Unusable) -> Self {
        AuditError::Unusable(unusable)
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::OwnVendor(what) => write!(f, "审计员不能是 Claude 自家的模型：{what}"),
            AuditError::BadArguments(arguments) => {
                write!(f, "STOP_AUDITOR_CODEX_ARGS 的引号不成对：{arguments}")
            }
            AuditError::Unusable(unusable) => write!(f, "{unusable}"),
            AuditError::NoDirectory(error) => write!(f, "建不了审计员的临时目录：{error}"),
            AuditError::NotStarted(program, error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "找不到命令 {program}，装好它，或用 STOP_AUDITOR_CMD 换一个审计员")
            }
            AuditError::NotStarted(program, error) => write!(f, "{program} 起不来：{error}"),
            AuditError::Failed(status, told) if told.trim().is_empty() => {
                write!(f, "审计员出错，{status}")
            }
            AuditError::Failed(status, told) => write!(f, "审计员出错，{status}：{}", told.trim()),
            AuditError::TimedOut(limit) => write!(f, "超过 {} 秒没有答复", limit.as_secs_f64()),
            AuditError::Stopped(told) if told.trim().is_empty() => {
                f.write_str("审计员没有答完就要再问一次，已经结束它")
            }
            AuditError::Stopped(told) => write!(f, "审计员出错：{}", told.trim()),
            AuditError::Cancelled => f.write_str("hook 被客户端中断"),
            AuditError::Incomplete(told) if told.is_empty() => f.write_str("审计员没有答完"),
            AuditError::Incomplete(told) => write!(f, "审计员没有答完：{told}"),
            AuditError::NoVerdict(NoVerdict::NoLine, answer) if answer.trim().is_empty() => {
                f.write_str("审计员的回复是空的，没有 VERDICT 行")
            }
            AuditError::NoVerdict(NoVerdict::NoLine, answer) => {
                write!(f, "回复里没有 VERDICT 行：{}", answer.trim())
            }
            AuditError::NoVerdict(NoVerdict::Several(n), _) => {
                write!(f, "回复里有 {n} 行 VERDICT，说不准哪行算数")
            }
            AuditError::NoVerdict(NoVerdict::Unknown(line), _) => {
                write!(f, "VERDICT 行不是 PASS、NOTE、FAIL 之一：{line}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r6_9_each_cause_is_told_in_words_of_its_own() {
        let not_started =
            |kind: io::ErrorKind| AuditError::NotStarted("judge".to_owned(), io::Error::new(kind, "why"));
        let text = str::to_owned;
        for (error, told) in [
            (
                not_started(io::ErrorKind::NotFound),
                "找不到命令 judge，装好它，或用 STOP_AUDITOR_CMD 换一个审计员",
            ),
            (not_started(io::ErrorKind::PermissionDenied), "judge 起不来：why"),
            (AuditError::Failed(text("退出码 3"), text(" \n")), "审计员出错，退出码 3"),
            (AuditError::Failed(text("信号 9"), text("no quota\n")), "审计员出错，信号 9：no quota"),
            (AuditError::TimedOut(Duration::from_millis(1_500)), "超过 1.5 秒没有答复"),
            (AuditError::Stopped(text(" ")), "审计员没有答完就要再问一次，已经结束它"),
            (AuditError::Stopped(text("no quota ")), "审计员出错：no quota"),
            (AuditError::Incomplete(text("")), "审计员没有答完"),
            (AuditError::Incomplete(text("cut")), "审计员没有答完：cut"),
            (AuditError::NoVerdict(NoVerdict::NoLine, text(" \n")), "审计员的回复是空的，没有 VERDICT 行"),
            (AuditError::NoVerdict(NoVerdict::NoLine, text("hm\n")), "回复里没有 VERDICT 行：hm"),
            (
                AuditError::NoVerdict(NoVerdict::Unknown(text("MAYBE")), text("x")),
                "VERDICT 行不是 PASS、NOTE、FAIL 之一：MAYBE",
            ),
        ] {
            assert_eq!(error.to_string(), told);
        }
        let ended = |status: i32| AuditError::failed(ExitStatus::from_raw(status), String::new()).to_string();
        assert_eq!(
            (ended(3 << 8).as_str(), ended(9).as_str()),
            ("审计员出错，退出码 3", "审计员出错，信号 9")
        );
    }
}
