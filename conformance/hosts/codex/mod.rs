//! Codex: what its hook engine makes of thirteen events.
