//! What one given output does: the host's contract, told in sentences.
//! The advice keeps the study's order: first the hook's status (failed or blocked), then whether a reason was given,
//! then the script.

use std::io::{self, Write};

use super::host::Host;
use crate::hosts::contract::{Channel, Effect, End, GoesOn, Handler, Printed, Run, Status};
use crate::hosts::{claude_code, codex};

/// One ended run that the person asks about.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) host: Host,
    pub(super) event: String,
    pub(super) exit_code: u8,
    pub(super) run: Run,
}

impl Question {
    /// A run that exited by itself.
    pub(super) fn new(host: Host, event: &str, exit_code: u8, stdout: &str, stderr: &str) -> Self {
        let run = Run::exited(i32::from(exit_code), stdout, stderr);
        Question { host, event: event.to_owned(), exit_code, run }
    }
}

/// The effect of a run; the error says for which events there is a contract.
pub(super) fn effect(question: &Question) -> Result<Effect, String> {
    let Question { host, event, run, .. } = question;
    match host {
        Host::ClaudeCode => {
            let Some(event) = claude_code::Event::named(event) else {
                return Err(unknown(*host, event, &["Stop", "UserPromptSubmit"]));
            };
            let situation = claude_code::Situation {
                command: "<command>".to_owned(),
                prompt: "<prompt>".to_owned(),
                blocks_in_a_row: 0,
            };
            Ok(claude_code::effect(event, Handler::Command, run, &situation))
        }
        Host::Codex => match codex::Event::named(event) {
            Some(event) => Ok(codex::effect(event, Handler::Command, run)),
            None => Err(unknown(*host, event, &codex::Event::ALL.map(codex::Event::name))),
        },
    }
}

fn unknown(host: Host, event: &str, known: &[&str]) -> String {
    let known = known.join("、");
    match host.point(event) {
        Some(_) => format!("{} 在 {event} 上怎么对待输出，这里没有量过；有表的是：{known}", host.name()),
        None => format!("{} 没有叫 {event} 的事件；有表的是：{known}", host.name()),
    }
}

/// Whether the run did less than its shape promises: it speaks of blocking and does not block, or nobody listened.
pub(super) fn falls_short(run: &Run, effect: &Effect) -> bool {
    let wants_to_block = run.end == End::Exit(2)
        || run.stdout.contains("\"decision\"") && run.stdout.contains("\"block\"")
        || run.stdout.contains("\"permissionDecision\"") && run.stdout.contains("\"deny\"");
    match &effect.status {
        Status::Failed { .. } | Status::Ignored { .. } => true,
        Status::Blocked { .. } | Status::Stopped { .. } => false,
        Status::Completed | Status::Allowed => wants_to_block,
    }
}

/// Prints an effect.
pub(super) fn print(out: &mut impl Write, question: &Question, effect: &Effect) -> io::Result<()> {
    let Question { host, event, exit_code, run } = question;
    writeln!(out, "{}，{event}，退出码 {exit_code}", host.name())?;
    writeln!(out, "  状态：{}", status(effect).replace('\n', "\n    "))?;
    writeln!(out, "  事情：{}", goes_on(effect.goes_on))?;
    let to_model: Vec<String> =
        effect.to_model.iter().map(|sent| format!("（{}）{}", channel(sent.channel), sent.text)).collect();
    texts(out, "送给模型", &to_model)?;
    texts(out, "人看到", &effect.to_person)?;
    let kept: Vec<String> = effect.kept.iter().map(|kept| kept.kind.to_owned()).collect();
    texts(out, "会话记录留下", &kept)?;
    let subtype = effect.host_end.subtype.map(|name| format!("，{name}")).unwrap_or_default();
    let end = format!("  不开终端跑宿主：退出码 {}{subtype}", effect.host_end.exit_code);
    match &effect.host_end.printed {
        Printed::Reply => writeln!(out, "{end}，打印模型的回复")?,
        Printed::Nothing => writeln!(out, "{end}，什么都不打印")?,
        Printed::Words(words) => {
            texts(out, format!("{end}，打印").trim_start(), std::slice::from_ref(words))?;
        }
    }
    writeln!(out, "  怎么办：{}", advice(run, effect))
}

/// A heading and the texts under it, each line of them set off; a word where there are none.
fn texts(out: &mut impl Write, heading: &str, texts: &[String]) -> io::Result<()> {
    if texts.is_empty() {
        return writeln!(out, "  {heading}：没有");
    }
    writeln!(out, "  {heading}：")?;
    for line in texts.iter().flat_map(|text| text.lines()) {
        writeln!(out, "    | {line}")?;
    }
    Ok(())
}

fn status(effect: &Effect) -> String {
    match &effect.status {
        Status::Completed if decides(effect) => "跑完了".to_owned(),
        Status::Completed => "跑完了，没有作任何决定".to_owned(),
        Status::Blocked { reason } => format!("拦下了，理由：{reason}"),
        Status::Stopped { reason: Some(reason) } => format!("叫停了，理由：{reason}"),
        Status::Stopped { reason: None } => "叫停了，没有给理由".to_owned(),
        Status::Allowed => "答应了".to_owned(),
        Status::Failed { why } => format!("失败，放行。宿主的话：{why}"),
        Status::Ignored { why } => format!("没有人听，放行（{why}）"),
    }
}

fn goes_on(goes_on: GoesOn) -> &'static str {
    match goes_on {
        GoesOn::AsBefore => "照常，和没挂一样",
        GoesOn::TurnContinues => "本来要结束的这一轮接着干",
        GoesOn::TurnEnds => "这一轮到此为止",
        GoesOn::PromptDropped => "这条消息被扔掉，没有问模型",
        GoesOn::ToolRefused => "工具不跑",
        GoesOn::ToolChanged => "工具换一份输入再跑",
        GoesOn::ResultReplaced => "工具跑过了，模型看到的结果换成理由",
        GoesOn::Refused => "要的权限被拒绝",
        GoesOn::AllowedOnce => "要的权限给这一次",
        GoesOn::HostRefusesToStart => "宿主拒绝启动",
    }
}

fn channel(channel: Channel) -> &'static str {
    match channel {
        Channel::User => "用户角色",
        Channel::Developer => "开发者角色",
        Channel::ToolResult => "工具结果",
    }
}

fn advice(run: &Run, effect: &Effect) -> &'static str {
    match &effect.status {
        Status::Failed { .. } if run.end == End::Exit(2) && run.stderr.trim().is_empty() => {
            "先看状态：是失败，不是拦。退出码 2 要在 stderr 里带上理由才算拦；再看脚本"
        }
        Status::Failed { .. } => {
            "先看状态：是失败，不是拦。要拦就给明确的决定和理由：{\"decision\":\"block\",\"reason\":\"…\"}，或者退出码 2 加 stderr 里的理由；再看脚本"
        }
        Status::Ignored { .. } => "先看状态：它的话没有人听。换成宿主会等、会跑的写法",
        Status::Blocked { .. } if gives_no_reason(run) => {
            "它的决定生效了，但没有给理由：收到的人不知道该改什么"
        }
        Status::Blocked { .. } | Status::Stopped { .. } | Status::Allowed => "它的决定生效了",
        Status::Completed if decides(effect) => "它的决定生效了",
        Status::Completed if falls_short(run, effect) => {
            "它想拦，但说法不算数。先看有没有给理由：{\"decision\":\"block\",\"reason\":\"…\"}，或者退出码 2 加 stderr 里的理由"
        }
        Status::Completed => {
            "它没说要拦。要拦就写 {\"decision\":\"block\",\"reason\":\"…\"}，或者退出码 2 加 stderr 里的理由"
        }
    }
}

/// Whether a run that neither blocked nor stopped anything changed what happens.
fn decides(effect: &Effect) -> bool {
    effect.goes_on != GoesOn::AsBefore
}

/// Whether a run that blocked left the reason to the host.
fn gives_no_reason(run: &Run) -> bool {
    if run.end == End::Exit(2) {
        return run.stderr.trim().is_empty();
    }
    !["\"reason\"", "\"permissionDecisionReason\"", "\"message\""]
        .iter()
        .any(|name| run.stdout.contains(name))
}

#[cfg(test)]
mod tests {
    use super::{Host, Question, effect, falls_short, print};

    fn told(event: &str, code: u8, stdout: &str, stderr: &str) -> (String, bool) {
        let question = Question::new(Host::ClaudeCode, event, code, stdout, stderr);
        let effect = effect(&question).unwrap();
        let mut out = Vec::new();
        print(&mut out, &question, &effect).unwrap();
        (String::from_utf8(out).unwrap(), falls_short(&question.run, &effect))
    }

    #[test]
    fn a_block_is_told_with_its_reason_and_who_gets_it() {
        let (text, short) = told("Stop", 0, r#"{"decision":"block","reason":"没跑测试"}"#, "");
        assert!(!short);
        for part in ["拦下了，理由：没跑测试", "接着干", "（用户角色）", "没跑测试", "退出码 0，success"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_is_not_heard_falls_short() {
        for (code, stdout, stderr) in [
            (1, "", "no"),
            (0, "{\"decision\":\"block\",", ""),
            (0, "{\"decision\":\"deny\"}", ""),
            (0, "note: {\"decision\":\"block\",\"reason\":\"x\"}", ""),
        ] {
            let (text, short) = told("Stop", code, stdout, stderr);
            assert!(short && text.contains("怎么办：") && !text.contains("拦下了"), "{stdout}: {text}");
        }
        let (text, short) = told("Stop", 0, "", "");
        assert!(!short && text.contains("没有作任何决定"), "{text}");
    }

    #[test]
    fn an_event_without_a_table_is_an_error_that_names_those_with_one() {
        let question = Question::new(Host::ClaudeCode, "stop", 0, "", "");
        assert!(effect(&question).unwrap_err().contains("Stop、UserPromptSubmit"));
    }
}
