//! The sentences of `explain`: what a place in the life cycle allows, and what becomes of a hook that fails there.
//! To let everything through is the rule of both hosts; where one does otherwise, the sentence says so.

use super::host::Host;
use crate::hosts::codex;
use crate::hosts::contract::{Handler, Run, Status};
use crate::hosts::life_cycle::{Point, Power};

/// What a handler of this kind can still change.
pub(super) fn can_change(point: &Point, kind: Handler) -> &'static str {
    if kind == Handler::AsyncCommand {
        return "什么都改不了：宿主不等它，它说拦也拦不住";
    }
    match point.power {
        Power::Tool => "工具还没跑：能拒绝它、改它的输入、给模型加一段话",
        Power::Leave => "有人在要权限：能替人答应或拒绝这一次",
        Power::ToolResult => "工具已经跑完：能换掉模型看到的结果、加一段话；已经发生的事改不了",
        Power::ToolResults => "这一批工具都跑完了：能让这一轮到此为止、加一段话",
        Power::Prompt => "这条消息还没送给模型：能拦下它、给模型加一段话",
        Power::TurnEnd => "正要收工：能带着理由让它接着干",
        Power::Step => "这一步还没发生：能拦下它",
        Power::Context => "只能给模型加一段话，拦不住任何事",
        Power::Start => "会话正要开始：能叫停、给模型加一段话",
        Power::Answer => "能用自己的回答换掉原来的",
        Power::Supply => "这件事由它来做：宿主用它打印的结果",
        Power::Nothing => "什么都改不了：这里只是通知",
    }
}

/// What a crash does: an exit code other than 0 and 2, or a program that cannot be started.
pub(super) fn on_crash(host: Host, point: &Point, kind: Handler) -> String {
    let fate = match (point.power, host) {
        (Power::Supply, _) => "这一步做不成",
        (_, Host::ClaudeCode) => "放行，只给人看一行出错提示",
        (_, Host::Codex) => "放行，状态是失败（Failed）",
    };
    if kind != Handler::Command || !refuses_on_2(host, point) {
        return fate.to_owned();
    }
    let on_2 = match host {
        Host::ClaudeCode => "退出码 2 例外：那是拦，理由取 stderr",
        Host::Codex => "退出码 2 加上非空的 stderr 例外：那是拦；stderr 空着就还是失败、放行",
    };
    format!("{fate}（{on_2}）")
}

/// What a time-out does. `limit_s` is in seconds.
pub(super) fn on_time_out(host: Host, point: &Point, limit_s: f64) -> String {
    let fate = match (point.power, host) {
        (Power::Supply, _) => "这一步做不成",
        (_, Host::ClaudeCode) => "输出作废，放行",
        (_, Host::Codex) => "放行，状态是失败（Failed）",
    };
    format!("到 {limit_s} 秒被杀掉，{fate}")
}

/// What silence does: exit code 0 and no output.
pub(super) fn on_silence(point: &Point) -> &'static str {
    match point.power {
        Power::Supply => "这一步做不成：宿主等的就是它打印的结果",
        Power::Tool
        | Power::Leave
        | Power::ToolResult
        | Power::ToolResults
        | Power::Prompt
        | Power::TurnEnd
        | Power::Step
        | Power::Context
        | Power::Start
        | Power::Answer
        | Power::Nothing => "放行，和没挂一样",
    }
}

/// Whether exit code 2 with words on stderr is more than a crash there.
fn refuses_on_2(host: Host, point: &Point) -> bool {
    match (host, codex::Event::named(point.event)) {
        (Host::Codex, Some(event)) => {
            let run = Run::exited(2, "", "no");
            matches!(
                codex::effect(event, Handler::Command, &run).status,
                Status::Blocked { .. } | Status::Stopped { .. }
            )
        }
        (Host::Codex, None) => false,
        // The client's own catalogue says what exit code 2 does at each event.
        (Host::ClaudeCode, _) => match point.power {
            Power::Tool
            | Power::ToolResult
            | Power::ToolResults
            | Power::Prompt
            | Power::TurnEnd
            | Power::Step => true,
            Power::Answer => point.event.starts_with("Elicitation"),
            Power::Leave | Power::Context | Power::Start | Power::Supply | Power::Nothing => false,
        },
    }
}
