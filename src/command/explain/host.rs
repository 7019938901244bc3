//! Which host a hook configuration belongs to, and the tables that speak for it.
//! Both hosts write the same shapes, so the place of the file decides; `--host` overrules it.

use std::path::Path;

use crate::hosts::life_cycle::Point;
use crate::hosts::{claude_code, codex};

/// A program that runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Host {
    /// Claude Code: `settings.json`.
    ClaudeCode,
    /// Codex CLI: `hooks.json`.
    Codex,
}

impl Host {
    /// The host that reads a file at this place: a `hooks.json` is Codex's, except in the folder `hooks` of a
    /// Claude Code plugin.
    pub(super) fn of(path: &Path) -> Self {
        let parent = path.parent().and_then(Path::file_name);
        let is_hooks_file = path.file_name().is_some_and(|name| name == "hooks.json");
        if parent.is_some_and(|name| name == ".codex")
            || is_hooks_file && parent.is_none_or(|name| name != "hooks")
        {
            Host::Codex
        } else {
            Host::ClaudeCode
        }
    }

    /// Its name and the version that the tables were measured on.
    pub(super) fn name(self) -> String {
        match self {
            Host::ClaudeCode => format!("Claude Code {}", claude_code::CLIENT),
            Host::Codex => format!("Codex {}", codex::events::CLIENT),
        }
    }

    /// Its events.
    pub(super) fn points(self) -> &'static [Point] {
        match self {
            Host::ClaudeCode => &claude_code::events::EVENTS,
            Host::Codex => &codex::events::EVENTS,
        }
    }

    /// The event of this name, which the host matches letter by letter.
    pub(super) fn point(self, event: &str) -> Option<&'static Point> {
        self.points().iter().find(|point| point.event == event)
    }

    /// The event that was probably meant.
    pub(super) fn meant(self, event: &str) -> Option<&'static str> {
        let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
        let wanted = plain(event);
        self.points().iter().map(|point| point.event).find(|name| {
            let name = plain(name);
            name.starts_with(&wanted) || wanted.starts_with(&name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Host;
    use std::path::Path;

    #[test]
    fn the_place_of_a_file_tells_its_host() {
        let host = |path: &str| Host::of(Path::new(path));
        assert_eq!(host("/home/u/.claude/settings.json"), Host::ClaudeCode);
        assert_eq!(host("settings.local.json"), Host::ClaudeCode);
        assert_eq!(host("/p/plugin/hooks/hooks.json"), Host::ClaudeCode);
        assert_eq!(host("/home/u/.codex/hooks.json"), Host::Codex);
        assert_eq!(host("hooks.json"), Host::Codex);
    }

    #[test]
    fn a_misspelt_event_is_guessed() {
        assert_eq!(Host::ClaudeCode.meant("stop"), Some("Stop"));
        assert_eq!(Host::ClaudeCode.meant("user_prompt_submit"), Some("UserPromptSubmit"));
        assert_eq!(Host::ClaudeCode.meant("Stopp"), Some("Stop"));
        assert_eq!(Host::ClaudeCode.meant("Bogus"), None);
    }
}
