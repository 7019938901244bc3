//! Several hooks at one event. They run side by side, all of them; then the strictest is heard.

use super::Event;
use super::effect::{Made, whole};
use crate::hosts::contract::{Effect, GoesOn, Status, ToModel};

/// What becomes of an event whose hooks had these effects, in the order of the configuration.
///
/// A stop beats a block; the reasons of several blocks of a Stop are all handed on; of a tool's or a leave's refusals
/// the first is. An allowance counts only where nobody refuses. Of two changed inputs that of the hook that was done
/// last is taken, which their order does not tell.
pub fn together(event: Event, effects: &[Effect]) -> Effect {
    let rank = |effect: &Effect| match (&effect.status, effect.goes_on) {
        (Status::Stopped { .. }, _) => 4,
        (Status::Blocked { .. }, _) => 3,
        (Status::Allowed, _) | (_, GoesOn::ToolChanged | GoesOn::ToolRefused) => 2,
        (Status::Completed, _) => 1,
        (Status::Failed { .. } | Status::Ignored { .. }, _) => 0,
    };
    // The first of equals.
    let deciding = effects.iter().rev().max_by_key(|effect| rank(effect));
    let Some(deciding) = deciding else { return whole(event, Made::new(Status::Completed)) };
    let is_heard = |effect: &&Effect| {
        let all_blocks = matches!(event, Event::Stop | Event::SubagentStop | Event::PostToolUse);
        effect.goes_on == GoesOn::AsBefore
            || std::ptr::eq(*effect, deciding)
            || (all_blocks && rank(effect) == rank(deciding))
    };
    let to_model: Vec<ToModel> =
        effects.iter().filter(is_heard).flat_map(|effect| effect.to_model.iter().cloned()).collect();
    let mut made = Made::new(deciding.status.clone()).goes_on(deciding.goes_on);
    for sent in &to_model {
        made = made.model(sent.channel, &sent.text);
    }
    for text in effects.iter().flat_map(|effect| &effect.to_person) {
        made = made.person(text);
    }
    whole(event, made)
}
