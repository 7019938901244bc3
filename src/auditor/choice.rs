//! What the person chose: the variables that name an auditor, before anything is made of them.

use std::collections::BTreeMap;
use std::fmt;

/// Variables that choose the auditor, as the environment gives them.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// `STOP_AUDITOR_CMD`.
    pub command: Option<String>,
    /// `STOP_AUDITOR_VENDOR`: the name of a preset.
    pub vendor: Option<String>,
    /// `STOP_AUDITOR_MODEL`.
    pub model: Option<String>,
    /// `STOP_AUDITOR_BASE_URL`: where a preset's requests go.
    pub base_url: Option<String>,
    /// `STOP_AUDITOR_KEY_ENV`: the name of the variable that holds a preset's key.
    pub key_variable: Option<String>,
    /// `STOP_AUDITOR_CODEX_ARGS`.
    pub codex_args: Option<String>,
    /// `STOP_AUDITOR_TIMEOUT`.
    pub timeout: Option<String>,
    /// Variables that go before the environment's.
    pub settings: Settings,
}

/// The `env` of a settings file, for who looks at the hook from outside: Claude Code gives it to the hook.
#[derive(Clone, Default)]
pub struct Settings(BTreeMap<String, String>);

impl Choice {
    /// What the environment says. A value that is not UTF-8 is read as far as it is.
    pub fn from_environment() -> Self {
        Self::with(Settings::default())
    }

    /// The same, where these settings stand before it.
    pub fn with(settings: Settings) -> Self {
        let text = |name: &str| settings.value(name);
        Choice {
            command: text("STOP_AUDITOR_CMD"),
            vendor: text("STOP_AUDITOR_VENDOR"),
            model: text("STOP_AUDITOR_MODEL"),
            base_url: text("STOP_AUDITOR_BASE_URL"),
            key_variable: text("STOP_AUDITOR_KEY_ENV"),
            codex_args: text("STOP_AUDITOR_CODEX_ARGS"),
            timeout: text("STOP_AUDITOR_TIMEOUT"),
            settings,
        }
    }

    /// The preset chosen, where it is not the default one.
    pub fn preset(&self) -> Option<&str> {
        let vendor = self.vendor.as_deref().map(str::trim).unwrap_or_default();
        (!vendor.is_empty() && vendor != super::codex::PROGRAM).then_some(vendor)
    }
}

impl Settings {
    /// A variable's value in the settings alone.
    pub fn own(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A variable's value: the settings', else the environment's.
    pub fn value(&self, name: &str) -> Option<String> {
        let environment = || std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        self.own(name).map(str::to_owned).or_else(environment)
    }
}

impl FromIterator<(String, String)> for Settings {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(variables: T) -> Self {
        Settings(variables.into_iter().collect())
    }
}

/// Without the values: a key may be among them.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_has_its_variable() {
        let names = ["CMD", "VENDOR", "MODEL", "BASE_URL", "KEY_ENV", "CODEX_ARGS", "TIMEOUT"];
        let variables = names.map(|name| (format!("STOP_AUDITOR_{name}"), format!("value of {name}")));
        let choice = Choice::with(variables.into_iter().collect());
        let values = [
            choice.command,
            choice.vendor,
            choice.model,
            choice.base_url,
            choice.key_variable,
            choice.codex_args,
            choice.timeout,
        ];
        for (name, value) in names.iter().zip(values) {
            assert_eq!(value, Some(format!("value of {name}")));
        }
        let settings = format!("{:?}", choice.settings);
        assert!(settings.contains("STOP_AUDITOR_KEY_ENV") && !settings.contains("value of"), "{settings}");
    }

    #[test]
    fn a_preset_is_what_is_not_the_default() {
        for (vendor, preset) in [
            (None, None),
            (Some(""), None),
            (Some(" "), None),
            (Some("codex"), None),
            (Some(" codex "), None),
            (Some(" gemini "), Some("gemini")),
        ] {
            let choice = Choice { vendor: vendor.map(str::to_owned), ..Choice::default() };
            assert_eq!(choice.preset(), preset, "{vendor:?}");
        }
    }
}
