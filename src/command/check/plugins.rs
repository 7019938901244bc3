//! Plugins of Claude Code that run our hook: a copy of its own beside the one in the settings (facts, B40).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::settings::registration;

/// A plugin whose hooks run our program.
pub(super) struct Plugin {
    /// As the client names it: `name@marketplace`.
    pub(super) id: String,
    hooks: Value,
}

impl Plugin {
    /// The command of ours that it runs at an event.
    pub(super) fn command(&self, event: &str) -> Option<&str> {
        let groups = self.hooks.get("hooks")?.get(event)?.as_array()?;
        let handlers = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
        let mut commands = handlers.filter_map(|handler| handler.get("command")?.as_str());
        commands.find(|command| registration::is_ours(command))
    }
}

/// The plugins that this settings file enables and that run our program at a Stop. The client keeps where each lies in
/// `plugins/installed_plugins.json` (2.1.332).
pub(super) fn enabled(settings: &Path, config_dir: &Path) -> Vec<Plugin> {
    let settings = read(settings).unwrap_or_default();
    let installed = read(&config_dir.join("plugins/installed_plugins.json")).unwrap_or_default();
    let enabled = settings.get("enabledPlugins").and_then(Value::as_object).into_iter().flatten();
    enabled
        .filter(|(_, is_enabled)| **is_enabled == true)
        .filter_map(|(id, _)| {
            let copies = installed.get("plugins")?.get(id)?.as_array()?;
            let folder = copies.iter().find_map(|copy| copy.get("installPath")?.as_str())?;
            let hooks = read(&PathBuf::from(folder).join("hooks/hooks.json"))?;
            Some(Plugin { id: id.clone(), hooks })
        })
        .filter(|plugin| plugin.command("Stop").is_some())
        .collect()
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
