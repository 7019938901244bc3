//! The options that choose an auditor, the same for every command that can.
//! `--auditor` names a whole choice: what is not given with it is unset, not left as it was.

use crate::auditor::{Choice, codex, preset};
use crate::settings::{
    BASE_URL_VARIABLE, COMMAND_VARIABLE, KEY_VARIABLE, MODEL_VARIABLE, VARIABLES, VENDOR_VARIABLE,
};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};

/// Which auditor to ask.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct AuditorArgs {
    /// A preset, written as `env.STOP_AUDITOR_VENDOR`.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(preset::names()),
        conflicts_with = "auditor_cmd",
        help = "审计员是哪一家；除 codex 以外都要给 --model"
    )]
    pub auditor: Option<String>,
    /// Written as `env.STOP_AUDITOR_BASE_URL`.
    #[arg(
        long,
        value_name = "URL",
        value_parser = NonEmptyStringValueParser::new(),
        requires = "auditor",
        help = "这一家的接口地址，例如 https://api.deepseek.com"
    )]
    pub base_url: Option<String>,
    /// Written as `env.STOP_AUDITOR_KEY_ENV`.
    #[arg(
        long,
        value_name = "VARIABLE",
        value_parser = NonEmptyStringValueParser::new(),
        requires = "auditor",
        help = "密钥在哪个环境变量里（写变量名，不写密钥）"
    )]
    pub key_env: Option<String>,
    /// Written as `env.STOP_AUDITOR_CMD`.
    #[arg(
        long,
        value_name = "CMD",
        value_parser = NonEmptyStringValueParser::new(),
        help = "自己的审计员：一条 shell 命令，从 stdin 读提示词，把回复打到 stdout"
    )]
    pub auditor_cmd: Option<String>,
    /// Written as `env.STOP_AUDITOR_MODEL`.
    #[arg(
        long,
        value_name = "M",
        value_parser = NonEmptyStringValueParser::new(),
        help = "审计员模型"
    )]
    pub model: Option<String>,
}

impl AuditorArgs {
    /// Whether they name an auditor.
    pub(super) fn name_one(&self) -> bool {
        self.auditor.is_some() || self.auditor_cmd.is_some()
    }

    /// The choice that the hook would make with them.
    pub(super) fn applied_to(&self, choice: Choice) -> Choice {
        match &self.auditor {
            Some(name) => Choice {
                command: None,
                vendor: Some(name.clone()),
                model: self.model.clone(),
                base_url: self.base_url.clone(),
                key_variable: self.key_env.clone(),
                ..choice
            },
            None => Choice {
                command: self.auditor_cmd.clone().or(choice.command),
                model: self.model.clone().or(choice.model),
                ..choice
            },
        }
    }

    /// What of it stands in `env`, and what must not.
    pub(super) fn variables(&self) -> (Vec<(&'static str, String)>, Vec<&'static str>) {
        // The default needs no name.
        let vendor = self.auditor.clone().filter(|name| name != codex::PROGRAM);
        let values = [
            (COMMAND_VARIABLE, self.auditor_cmd.clone()),
            (MODEL_VARIABLE, self.model.clone()),
            (VENDOR_VARIABLE, vendor),
            (BASE_URL_VARIABLE, self.base_url.clone()),
            (KEY_VARIABLE, self.key_env.clone()),
        ];
        let written: Vec<(&'static str, String)> =
            values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let is_replaced = |name: &&'static str| match *name {
            COMMAND_VARIABLE | MODEL_VARIABLE => self.auditor.is_some(),
            VENDOR_VARIABLE | BASE_URL_VARIABLE | KEY_VARIABLE => self.name_one(),
            _ => false,
        };
        let is_written = |name: &&'static str| written.iter().any(|(known, _)| known == name);
        let unset = VARIABLES.into_iter().filter(|name| is_replaced(name) && !is_written(name)).collect();
        (written, unset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_takes_the_place_of_all_that_was_chosen_before() {
        let args =
            AuditorArgs { auditor: Some("gemini".into()), model: Some("m".into()), ..AuditorArgs::default() };
        let (written, unset) = args.variables();
        assert_eq!(written, [(MODEL_VARIABLE, "m".to_owned()), (VENDOR_VARIABLE, "gemini".to_owned())]);
        assert_eq!(unset, [COMMAND_VARIABLE, BASE_URL_VARIABLE, KEY_VARIABLE]);
    }

    #[test]
    fn a_command_leaves_the_model_and_nothing_leaves_all() {
        let args = AuditorArgs { auditor_cmd: Some("judge".into()), ..AuditorArgs::default() };
        let (written, unset) = args.variables();
        assert_eq!(written, [(COMMAND_VARIABLE, "judge".to_owned())]);
        assert_eq!(unset, [VENDOR_VARIABLE, BASE_URL_VARIABLE, KEY_VARIABLE]);
        assert_eq!(AuditorArgs::default().variables(), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_default_is_chosen_by_taking_back_what_chose_another() {
        let args = AuditorArgs { auditor: Some("codex".into()), ..AuditorArgs::default() };
        assert_eq!(args.variables(), (Vec::new(), VARIABLES.to_vec()));
    }
}
