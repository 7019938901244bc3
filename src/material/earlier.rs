//! The turns before the current one: the nearer, the more is told (4.20-4.23).

use super::cut::{Keep, cut, push_barred, push_label};
use super::render;
use super::tier::{PREVIOUS, Tier};
use crate::transcript::turn::{Entry, Outcome, Turn};

/// Limit of the person's words in an earlier turn: what was agreed there still binds, so they are cut late.
const WORDS: usize = 3_000;

/// Limit of the final reply two turns back and earlier.
const REPLY: usize = 2_000;

/// Limit of one action told in one line.
const ACTION: usize = 160;

/// Up to this distance actions are told one by one, and interrupts and background results are told at all.
const NEAR: usize = 3;

/// An earlier turn, by its distance from the current one (1: the turn before).
pub fn turn(turn: &Turn, distance: usize) -> String {
    let mut out = String::new();
    if distance == 1 {
        push_label(&mut out, "—— 上一轮 ——");
        render::opener(&mut out, &turn.opener, WORDS * 2);
        render::timeline(&mut out, turn, &PREVIOUS);
    } else {
        push_label(&mut out, format_args!("—— 往前第 {distance} 轮 ——"));
        render::opener(&mut out, &turn.opener, WORDS);
        for entry in &turn.entries {
            told_briefly(&mut out, entry, distance <= NEAR);
        }
    }
    push_label(&mut out, format_args!("动作清单：{}", render::action_counts(turn)));
    if distance > 1 && turn.reply_index().is_some() {
        push_label(&mut out, "最终回复：");
        push_barred(&mut out, &cut(turn.reply(), REPLY, Keep::Both));
    }
    out
}

fn told_briefly(out: &mut String, entry: &Entry, is_near: bool) {
    const BRIEF: Tier = Tier { words: WORDS, ..PREVIOUS };
    match entry {
        Entry::Asked(asked) => render::option_box(out, asked, &BRIEF),
        Entry::Steer(words) => render::steer(out, words, WORDS),
        Entry::Call(call) => {
            if is_near {
                push_label(out, render::call_line_without_output(call, ACTION));
            }
            // What the person typed when denying is their word, however old.
            if let Outcome::NeverRan { reason: Some(reason), .. } = &call.outcome {
                push_label(out, "〔用户中途插话〕（拒绝时写的）");
                push_barred(out, &cut(reason, WORDS, Keep::MoreTail));
            }
        }
        Entry::BackgroundResult(_) | Entry::Interrupted(_) if is_near => render::entry(out, entry, &BRIEF, 0),
        Entry::BackgroundResult(_)
        | Entry::Interrupted(_)
        | Entry::Said(_)
        | Entry::Peer { .. }
        | Entry::Scheduled(_)
        | Entry::Bang { .. }
        | Entry::AuditBlock(_)
        | Entry::OtherHook(_)
        | Entry::StillRunning(_) => {}
    }
}
