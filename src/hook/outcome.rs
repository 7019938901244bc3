//! What the hook tells the client: nothing, or exactly one JSON object (spec, sections 6 and 7).

use serde_json::{Value, json};

use crate::material::cut::one_line;

/// The fate of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to do or nothing to say: PASS, SKIP, no current turn, nothing pending.
    Silent,
    /// Claude is sent back.
    Block {
        /// The auditor's name.
        auditor: String,
        /// The reason of its FAIL.
        reason: String,
    },
    /// The person is shown a remark.
    Remark {
        /// The auditor's name.
        auditor: String,
        /// The text of its NOTE.
        note: String,
    },
    /// The person is told that this turn was not audited, and why.
    NotAudited {
        /// The cause, without keys.
        cause: String,
    },
    /// Remarks are handed to Claude with the person's message.
    HandOver {
        /// The remarks, oldest first.
        notes: Vec<String>,
    },
}

/// The client cuts messages of 10,000 characters and more (6.13).
const MAX_CAUSE: usize = 600;
const MAX_NAME: usize = 100;

impl Outcome {
    /// The JSON for the client; `None` where nothing is to be printed.
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Outcome::Silent => None,
            Outcome::Block { auditor, reason } => {
                let auditor = one_line(auditor, MAX_NAME);
                Some(json!({
                    "decision": "block",
                    "reason": format!(
                        "独立审计员（{auditor}）判定本轮存在偏差：{reason}\n\
                         处理要求：如属实，当场修正或向用户明确说明偏差与理由后再结束；\
                         如审计有误，向用户一句话说明为何误报后结束。不得静默忽略。"
                    ),
                }))
            }
            Outcome::Remark { auditor, note } => {
                let auditor = one_line(auditor, MAX_NAME);
                Some(json!({
                    "systemMessage":
                        format!("审计提示（{auditor}，没打回，你下次发消息时会转给 Claude）：{note}"),
                }))
            }
            Outcome::NotAudited { cause } => {
                let cause = one_line(cause, MAX_CAUSE);
                Some(json!({ "systemMessage": format!("⚠️ 审计员不可用（{cause}），本轮没审。") }))
            }
            Outcome::HandOver { notes } => {
                let listed = format!("- {}\n", notes.join("\n- "));
                Some(json!({
                    "hookSpecificOutput": {
                        "hookEventName": "UserPromptSubmit",
                        "additionalContext": format!(
                            "上一轮回复结束时，独立审计员提了下面的提醒，没有打回，用户已在界面上看到：\n\
                             {listed}本轮如果还要用到这些说法，按提醒改正；不用单独道歉或复述。"
                        ),
                    },
                }))
            }
        }
    }
}
