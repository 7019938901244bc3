//! The whole prompt: the instruction, the material, the second audit's rules, the closing line.
//!
//! The texts are the spec's own, word for word, each in one file.

use crate::material::fit::{self, Between, Material, Shortened};
use crate::transcript::session::{Extent, Session};

/// The instruction text, first and the same every time (5.1).
pub const INSTRUCTION: &str = include_str!("instruction.txt");

/// The last line (5.2).
pub const CLOSING: &str = include_str!("closing.txt");

/// The rules of a second audit (5.3), with a place for the first one's reason.
const SECOND_AUDIT: &str = include_str!("second_audit.txt");

/// The whole prompt's length in characters, a soft limit (4.31).
pub const LIMIT: usize = 60_000;

/// A prompt and how it was made.
pub struct Prompt {
    /// The text that the auditor gets.
    pub text: String,
    /// Its length in characters.
    pub chars: usize,
    /// What had to be left out.
    pub shortened: Shortened,
}

/// Characters that the material may take at most.
pub fn room() -> usize {
    LIMIT.saturating_sub(INSTRUCTION.chars().count() + 1 + CLOSING.trim_end().chars().count())
}

/// How far back a transcript must be read to fill a prompt, leaving out `skip` turns at its end.
pub fn extent(skip: usize) -> Extent<'static> {
    Extent {
        skip,
        until: None,
        give_up: &|| false,
        share: &|current| fit::share_of_earlier(current, room()),
        measure: &|turn, distance| crate::material::earlier::turn(turn, distance).chars().count(),
    }
}

/// Builds the prompt; `first_reason` is the reason of this turn's first audit where that was a FAIL (5.3).
pub fn build(session: &Session, first_reason: Option<&str>) -> Prompt {
    build_with(session, first_reason, Between::Evidence)
}

/// The same with another cut, for comparison.
pub fn build_with(session: &Session, first_reason: Option<&str>, between: Between) -> Prompt {
    let second = first_reason.map(second_audit).unwrap_or_default();
    let room = room().saturating_sub(second.chars().count());
    let Material { text: material, shortened } =
        fit::fit(&session.current, &session.earlier, session.is_whole, room, between);
    let text = format!("{INSTRUCTION}\n{material}{second}{}", CLOSING.trim_end());
    Prompt { chars: text.chars().count(), text, shortened }
}

/// The reason is one line of the auditor's; nothing in it can begin a line.
fn second_audit(reason: &str) -> String {
    let reason = crate::material::cut::one_line(reason, 1_000);
    SECOND_AUDIT.replace("<上一次的理由>", &reason)
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, build, room};
    use crate::transcript::session::Session;

    #[test]
    fn r4_31_the_material_may_take_what_the_fixed_texts_leave() {
        let session = Session { is_whole: true, ..Session::default() };
        let material = super::fit::fit(&session.current, &[], true, room(), super::Between::Evidence).text;
        let fixed = build(&session, None).chars - material.chars().count();
        assert_eq!(room() + fixed, LIMIT);
    }
}
