//! What of a session is sent, and what is logged of it: without keys (4.15).
//!
//! Texts are changed before anything is cut: a cut would leave half a key, which no shape fits.

pub mod keys;
mod pem;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::transcript::session::Session;
use crate::transcript::turn::Turn;

/// What stands where a key stood, before and behind its number.
pub const MARKER: (&str, &str) = ("［密钥 ", "，已抹去］");

/// Numbers keys by their first appearance, so that the same one is known again. A number tells nothing of the key; a
/// checksum of it could be tried against guesses.
#[derive(Debug, Default)]
pub struct Numbers {
    known: HashMap<String, usize>,
}

impl Numbers {
    /// The text with a marker in the place of each key.
    pub fn blot<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        keys::replace(text, |key| {
            let next = self.known.len() + 1;
            let number = *self.known.entry(key.identity.clone().into_owned()).or_insert(next);
            Some(format!("{}{number}{}", MARKER.0, MARKER.1))
        })
    }

    /// How many keys were met.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Blots the keys of a session. The current turn comes first, so that its numbers do not depend on how far back
    /// the session was read.
    pub fn blot_session(&mut self, session: &mut Session) {
        for turn in std::iter::once(&mut session.current).chain(&mut session.earlier) {
            self.blot_turn(turn);
        }
    }

    /// Blots the keys of a turn.
    pub fn blot_turn(&mut self, turn: &mut Turn) {
        turn.each_text(&mut |text| {
            if let Cow::Owned(blotted) = self.blot(text) {
                *text = blotted;
            }
        });
    }
}

/// Whether the person wants keys to be sent as they stand: `STOP_AUDITOR_SEND_KEYS=1`. The log is blotted all the same.
pub fn sends_keys() -> bool {
    std::env::var_os("STOP_AUDITOR_SEND_KEYS").is_some_and(|value| value == "1")
}
