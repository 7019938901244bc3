//! What of a session is sent, and what is logged of it: no keys (4.15), no contents of files that the person keeps back.
//!
//! Texts are changed before anything is cut: a cut would leave half a key, which no shape fits.

pub mod ignore;
pub mod keys;
mod pem;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::auditor::Settings;
use crate::transcript::session::Session;
use crate::transcript::turn::Turn;
use ignore::{BadPattern, Ignored};

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
        session.turns_mut().for_each(|turn| self.blot_turn(turn));
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

/// Set to `1`, keys are sent as they stand.
pub const SEND_KEYS_VARIABLE: &str = "STOP_AUDITOR_SEND_KEYS";

/// Whether keys are sent, as the hook would read it.
pub fn sends_keys(settings: &Settings) -> bool {
    settings.value(SEND_KEYS_VARIABLE).is_some_and(|value| value == "1")
}

/// What the person wants to be kept back.
#[derive(Debug, Clone, Default)]
pub struct Privacy {
    ignored: Ignored,
    /// [`SEND_KEYS_VARIABLE`]; the log is blotted all the same.
    sends_keys: bool,
}

/// A session as the auditor is shown it.
#[derive(Debug)]
pub struct Shown {
    /// The session.
    pub session: Session,
    /// The current turn for the log, where that is another.
    logged: Option<Turn>,
    /// The keys that were met.
    pub keys: Numbers,
}

impl Privacy {
    /// What the environment and these settings say; what either keeps back is kept back.
    ///
    /// # Errors
    /// [`BadPattern`]: nothing may be sent then.
    pub fn with(settings: &Settings) -> Result<Privacy, BadPattern> {
        let mut ignored = Ignored::from_environment()?;
        if let Some(patterns) = settings.own(ignore::VARIABLE) {
            ignored.also(patterns)?;
        }
        Ok(Privacy { ignored, sends_keys: sends_keys(settings) })
    }

    /// The session without what is kept back.
    pub fn show(&self, mut session: Session) -> Shown {
        let mut keys = Numbers::default();
        self.ignored.withhold(&mut session);
        if !self.sends_keys {
            keys.blot_session(&mut session);
            return Shown { session, logged: None, keys };
        }
        let mut logged = session.current.clone();
        Numbers::default().blot_turn(&mut logged);
        Shown { session, logged: Some(logged), keys }
    }

    /// What an earlier audit said, as the next one is shown it.
    pub fn reason(&self, reason: &str, shown: &mut Shown) -> String {
        if self.sends_keys { reason.to_owned() } else { shown.keys.blot(reason).into_owned() }
    }
}

impl Shown {
    /// The current turn as it may be logged.
    pub fn logged(&self) -> &Turn {
        self.logged.as_ref().unwrap_or(&self.session.current)
    }
}
