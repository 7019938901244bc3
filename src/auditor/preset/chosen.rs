//! A row of the table with what the person chose for it: model, address, key. Nothing is run or made here.

use std::fmt;

use super::address;
use super::table::{Key, PRESETS, Preset, Url};
use crate::auditor::choice::Choice;
use crate::auditor::{AuditError, vendor};

/// A preset that can be asked.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The row.
    pub preset: &'static Preset,
    /// The model.
    pub model: String,
    /// Where its requests go, without a slash at the end; empty where the client knows.
    pub url: String,
    /// Its key, where it needs one.
    pub key: Option<Secret>,
}

/// A key and the variable that it came from.
#[derive(Clone)]
pub struct Secret {
    /// The variable's name.
    pub variable: String,
    /// The key.
    pub value: String,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("variable", &self.variable).finish_non_exhaustive()
    }
}

/// Why a preset cannot be asked; nothing was run.
#[derive(Debug, PartialEq, Eq)]
pub enum Unusable {
    /// `STOP_AUDITOR_VENDOR` names no preset.
    Unknown(String),
    /// What has to be said as well is not: which preset, its option, its variable.
    Missing(&'static str, &'static str, &'static str),
    /// What was said as well has no meaning here: which preset, its option.
    NotTaken(&'static str, &'static str),
    /// A model's name that is none.
    Model(String),
    /// An address that cannot be used, and why.
    Address(String, &'static str),
    /// The variable that is to hold the key holds none, or none that can be sent.
    NoKey(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Unknown(name) => {
                write!(f, "不认识审计员 {name}，认识的有 {}", super::names().join("、"))
            }
            Unusable::Missing(preset, option, variable) => {
                write!(f, "审计员 {preset} 还要给 {option}（或者设 {variable}）")
            }
            Unusable::NotTaken(preset, option) => write!(f, "审计员 {preset} 不用 {option}"),
            Unusable::Model(model) => write!(f, "模型名 {model:?} 用不了"),
            Unusable::Address(url, why) => write!(f, "地址 {url} 用不了：{why}"),
            Unusable::NoKey(variable) => {
                write!(f, "环境变量 {variable} 里没有密钥；在启动 Claude Code 的环境里设好它")
            }
        }
    }
}

impl Chosen {
    /// What the person chose.
    ///
    /// # Errors
    /// [`AuditError::Unusable`], and [`AuditError::OwnVendor`] where model or address are Anthropic's (1.7).
    pub fn of(choice: &Choice, name: &str) -> Result<Chosen, AuditError> {
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| Unusable::Unknown(name.to_owned()))?;
        let set = |value: &Option<String>| {
            value.as_deref().map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let model =
            set(&choice.model).ok_or(Unusable::Missing(preset.name, "--model", "STOP_AUDITOR_MODEL"))?;
        if model.starts_with('-') || model.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
            return Err(Unusable::Model(model).into());
        }
        let said = set(&choice.base_url);
        let url = match preset.url {
            Url::Asked => {
                said.ok_or(Unusable::Missing(preset.name, "--base-url", "STOP_AUDITOR_BASE_URL"))?
            }
            Url::Optional => said.unwrap_or_default(),
            Url::Default(url) => said.unwrap_or_else(|| url.to_owned()),
            Url::Own if said.is_some() => return Err(Unusable::NotTaken(preset.name, "--base-url").into()),
            Url::Own => String::new(),
        };
        let url = if url.is_empty() { url } else { checked(&url)? };
        if vendor::names_anthropic(&model) || address::is_anthropic(&url) {
            return Err(AuditError::OwnVendor(format!("{model} {url}")));
        }
        let variable = set(&choice.key_variable);
        let missing = Unusable::Missing(preset.name, "--key-env", "STOP_AUDITOR_KEY_ENV");
        let variable = match preset.key {
            Key::Header if address::is_of_this_machine(&url) => variable,
            Key::Header | Key::Variable(_) => Some(variable.ok_or(missing)?),
            Key::SameVariable(name) => Some(variable.unwrap_or_else(|| name.to_owned())),
            Key::Own => variable,
            Key::None if variable.is_some() => {
                return Err(Unusable::NotTaken(preset.name, "--key-env").into());
            }
            Key::None => None,
        };
        let key = variable.map(|variable| secret(choice, variable)).transpose()?;
        Ok(Chosen { preset, model, url, key })
    }
}

fn checked(url: &str) -> Result<String, Unusable> {
    address::checked(url).map_err(|why| Unusable::Address(address::without_secrets(url), why))
}

/// A key that a header or a variable can hold: one line.
fn secret(choice: &Choice, variable: String) -> Result<Secret, Unusable> {
    let value = choice.settings.value(&variable).map(|value| value.trim().to_owned()).unwrap_or_default();
    if value.is_empty() || value.contains(char::is_control) {
        return Err(Unusable::NoKey(variable));
    }
    Ok(Secret { variable, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auditor::choice::Settings;

    fn choice(url: &str) -> Choice {
        let key = [("A_KEY".to_owned(), "secret-value".to_owned())];
        Choice {
            model: Some("m".into()),
            base_url: Some(url.into()),
            key_variable: Some("A_KEY".into()),
            settings: Settings::from_iter(key),
            ..Choice::default()
        }
    }

    fn told(choice: &Choice) -> String {
        Chosen::of(choice, "openai-compatible").unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_named_with_its_option() {
        let whole = choice("https://h.example/v1/");
        let chosen = Chosen::of(&whole, "openai-compatible").unwrap();
        assert_eq!(
            (chosen.url.as_str(), chosen.key.unwrap().value.as_str()),
            ("https://h.example/v1", "secret-value")
        );
        assert!(told(&Choice { model: None, ..whole.clone() }).contains("--model"));
        assert!(told(&Choice { base_url: None, ..whole.clone() }).contains("--base-url"));
        assert!(told(&Choice { key_variable: None, ..whole.clone() }).contains("--key-env"));
        assert!(
            told(&Choice { key_variable: Some("NOT_SET_ANYWHERE".into()), ..whole.clone() })
                .contains("NOT_SET_ANYWHERE")
        );
        assert!(Chosen::of(&whole, "nobody").unwrap_err().to_string().contains("openai-compatible"));
    }

    #[test]
    fn a_server_of_this_machine_needs_no_key() {
        let local = Choice { key_variable: None, ..choice("http://127.0.0.1:8000/v1") };
        assert!(Chosen::of(&local, "openai-compatible").unwrap().key.is_none());
    }

    #[test]
    fn no_key_is_printed_by_accident() {
        let whole = choice("https://h.example/v1");
        let chosen = Chosen::of(&whole, "openai-compatible").unwrap();
        let told = format!("{chosen:?} {whole:?}");
        assert!(told.contains("A_KEY") && !told.contains("secret-value"), "{told}");
        assert!(format!("{:?}", chosen.key).contains("A_KEY"));
    }

    #[test]
    fn r1_7_an_anthropic_model_or_address_is_refused() {
        let refused = |choice: &Choice| {
            matches!(Chosen::of(choice, "openai-compatible"), Err(AuditError::OwnVendor(_)))
        };
        assert!(refused(&Choice {
            model: Some("anthropic/claude-opus-5".into()),
            ..choice("https://h.example/v1")
        }));
        assert!(refused(&choice("https://api.anthropic.com/v1")));
        assert!(!refused(&choice("https://h.example/v1")));
    }

    #[test]
    fn a_model_s_name_is_no_option() {
        for model in ["-K", "a\"b", "a\\b", "a\nb"] {
            let choice = Choice { model: Some(model.into()), ..choice("https://h.example/v1") };
            assert_eq!(told(&choice), format!("模型名 {model:?} 用不了"));
        }
    }

    #[test]
    fn what_has_no_meaning_for_a_preset_is_refused() {
        let whole = choice("https://h.example/v1");
        let told = |name: &str, choice: &Choice| Chosen::of(choice, name).unwrap_err().to_string();
        assert_eq!(told("llm", &whole), "审计员 llm 不用 --base-url");
        assert_eq!(told("ollama", &whole), "审计员 ollama 不用 --key-env");
        let without_key = Choice { key_variable: Some(" ".into()), ..whole.clone() };
        let local = Choice { base_url: None, ..without_key.clone() };
        assert_eq!(Chosen::of(&local, "ollama").unwrap().url, "http://127.0.0.1:11434");
        let own = Chosen::of(&local, "llm").unwrap();
        assert_eq!((own.url.as_str(), own.key.is_none()), ("", true));
        assert_eq!(told("qwen", &without_key), "审计员 qwen 还要给 --key-env（或者设 STOP_AUDITOR_KEY_ENV）");
    }

    #[test]
    fn a_key_is_one_line_of_the_variable_that_is_named() {
        for (value, key) in [(" k \n", Some("k")), ("", None), (" ", None), ("a\nb", None)] {
            let settings = Settings::from_iter([("A_KEY".to_owned(), value.to_owned())]);
            let chosen =
                Chosen::of(&Choice { settings, ..choice("https://h.example/v1") }, "openai-compatible");
            let found = chosen.ok().and_then(|chosen| chosen.key).map(|key| (key.variable, key.value));
            assert_eq!(found, key.map(|key| ("A_KEY".to_owned(), key.to_owned())), "{value:?}");
        }
        let settings = Settings::from_iter([("GEMINI_API_KEY".to_owned(), "k".to_owned())]);
        let usual = Choice { settings, base_url: None, key_variable: None, ..choice("") };
        assert_eq!(Chosen::of(&usual, "gemini").unwrap().key.unwrap().value, "k");
    }
}
