//! The default auditor: Codex CLI with the spec's command, and what keeps it to the text it is given (6.2, 1.6).

pub mod arguments;
pub mod events;
pub mod home;
pub mod provider;

use std::io;
use std::path::Path;
use std::process::Command;

use home::{Login, Store};
use provider::Provider;

/// The model that audits unless another is chosen.
pub const DEFAULT_MODEL: &str = "gpt-6.1-sol";

/// Codex's program.
pub const PROGRAM: &str = "codex";

/// Codex as the auditor.
#[derive(Debug, Clone)]
pub struct Codex {
    /// The model.
    pub model: String,
    /// The person's own arguments, placed before the final `-`.
    pub extra: Vec<String>,
    /// Where its requests go.
    pub provider: Provider,
    /// Where its login is kept.
    pub store: Store,
}

impl Codex {
    /// Codex for the person whose environment this is.
    pub fn new(model: String, extra: Vec<String>) -> Self {
        let config = home::person_codex_home().map(|home| home::config(&home)).unwrap_or_default();
        Codex { model, extra, provider: Provider::of(&config), store: Store::of(&config) }
    }

    /// The whole argument list.
    pub fn arguments(&self) -> Vec<String> {
        let mut settings = self.provider.settings();
        if let Login::OwnHome(_) = self.login() {
            settings.push(self.store.setting());
        }
        arguments::list(&self.model, settings, &self.extra)
    }

    /// How it is logged in.
    pub fn login(&self) -> Login {
        home::login(self.store, &self.keys())
    }

    /// The command, with a home of its own below `directory` and an environment built from scratch.
    ///
    /// # Errors
    /// Those of making the home.
    pub fn command(&self, directory: &Path) -> io::Result<Command> {
        let mut command = Command::new(PROGRAM);
        command.args(self.arguments());
        home::prepare(&mut command, directory, self.login(), &self.keys())?;
        command.envs(self.provider.secrets.iter().map(|(name, secret)| (name, secret)));
        Ok(command)
    }

    /// Brings a login that Codex renewed in its own home back to the person's.
    ///
    /// # Errors
    /// Those of writing the person's file.
    pub fn bring_login_back(&self, directory: &Path) -> io::Result<()> {
        home::bring_login_back(directory, self.login())
    }

    /// Whether a key is in the environment.
    pub fn has_key(&self) -> bool {
        home::has_key(&self.keys())
    }

    /// Variables that hold the keys of the providers in use, the person's own arguments included.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = self.provider.variables.clone();
        keys.extend(self.extra.iter().flat_map(|argument| provider::variables_named_in(argument)));
        keys
    }
}
