//! All scenarios by name. One that the client cannot be brought to here stands in the list too, with the reason.
use super::{print, tools, turns};
use crate::desk::Desk;
use crate::kit::check::Checks;

/// Whether a scenario can be recorded.
pub(super) enum Kind {
    /// Plays a session to its end, with what has to be seen on the way.
    Played(fn(&mut Checks) -> Desk),
    /// Not with scripted models on loopback, for this reason.
    #[allow(dead_code, reason = "a client to come may shut one of them off")]
    Impossible(&'static str),
}
use Kind::Played;

pub(super) const SCENARIOS: &[(&str, Kind)] = &[
    ("print-tool-and-one-block", Played(print::tool_and_one_block)),
    ("print-edits-error-background-command", Played(print::edits_error_background_command)),
    ("print-resumed", Played(print::resumed)),
    ("print-forked", Played(print::forked)),
    ("print-nine-blocks", Played(print::nine_blocks)),
    ("print-blocked-prompt", Played(print::blocked_prompt)),
    ("tui-option-box", Played(tools::option_box)),
    ("tui-parallel-tools-image", Played(tools::parallel_tools_image)),
    ("tui-denials-and-plan-mode", Played(tools::denials_and_plan_mode)),
    ("tui-background-agent-compact", Played(tools::background_agent_compact)),
    ("tui-moved-to-background", Played(tools::moved_to_background)),
    ("tui-notification-mid-turn", Played(tools::notification_mid_turn)),
    ("tui-message-mid-turn", Played(turns::message_mid_turn)),
    ("tui-message-after-rejection", Played(turns::message_after_rejection)),
    ("tui-interrupt", Played(turns::interrupt)),
    ("tui-commands-skill-bang-model", Played(turns::commands_skill_bang_model)),
    ("tui-system-message-context-blocked-prompt", Played(turns::system_message_context_blocked_prompt)),
    ("tui-rewind", Played(turns::rewind)),
    ("tui-clear", Played(turns::clear)),
    ("tui-peer-message", Played(turns::peer_message)),
];
