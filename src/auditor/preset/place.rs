//! What a preset's client runs in: an empty folder, a home and a temporary folder of its own, an environment from
//! nothing. All of it lies below the audit's one folder, which goes with the audit.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, PipeReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};

use super::chosen::{Chosen, Secret};
use super::table::Key;
use crate::auditor::environment;

/// How long listing models may take.
const MODELS_LIMIT: Duration = Duration::from_secs(10);

/// A command and what has to stay open until it runs.
pub struct Prepared {
    /// The command.
    pub command: Command,
    /// The pipe that its configuration is read from.
    pub config: Option<PipeReader>,
}

/// What stands for the placeholders of the table.
struct Values<'a> {
    model: &'a str,
    url: &'a str,
    home: String,
    seconds: String,
    config: String,
    llm: String,
}

impl Values<'_> {
    /// A text of the table with its placeholders filled; a value that looks like one stays as it is.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            filled.push_str(before);
            let (name, after) = after.split_once('>').unwrap_or((after, ""));
            filled.push_str(match name {
                "model" => self.model,
                "url" => self.url,
                "home" => &self.home,
                "seconds" => &self.seconds,
                "config" => &self.config,
                "llm" => &self.llm,
                // A test sees to it that there is no other.
                _ => "",
            });
            rest = after;
        }
        filled + rest
    }
}

impl Chosen {
    /// The command for one audit in `directory`, which is empty and stays ours.
    ///
    /// # Errors
    /// Those of making folders, files and the pipe.
    pub fn prepare(&self, directory: &Path, limit: Duration) -> io::Result<Prepared> {
        let [empty, home, temporary] = ["empty", "home", "tmp"].map(|name| directory.join(name));
        for folder in [&empty, &home, &temporary] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        let config = self.config()?;
        let values = Values {
            config: config.as_ref().map(|pipe| format!("/dev/fd/{}", pipe.as_raw_fd())).unwrap_or_default(),
            ..self.values(&home, limit)
        };
        for (name, text) in self.preset.files {
            let path = home.join(name);
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            fs::write(path, values.fill(text))?;
        }
        let mut command = Command::new(self.preset.program);
        command.args(self.preset.arguments.iter().map(|argument| values.fill(argument)));
        command.current_dir(empty).env_clear();
        command.envs(environment::passed_on(|_| false)).envs(environment::shim_folders());
        command.env("HOME", &home).env("TMPDIR", &temporary);
        let is_said = |text: &str| !self.url.is_empty() || !text.contains("<url>");
        let variables = self.preset.environment.iter().filter(|(_, text)| is_said(text));
        command.envs(variables.map(|(name, text)| (name, OsString::from(values.fill(text)))));
        if let Some(key) = &self.key
            && let Some(name) = self.key_s_variable(key)
        {
            command.env(name, &key.value);
        }
        Ok(Prepared { command, config })
    }

    /// The words of the command for a person: what is made for each audit is shown by what it is.
    pub fn words(&self) -> Vec<String> {
        let values = Values { config: "PIPE".to_owned(), ..self.values(Path::new("DIR"), Duration::ZERO) };
        let arguments = self.preset.arguments.iter().map(|argument| values.fill(argument));
        std::iter::once(self.preset.program.to_owned()).chain(arguments).collect()
    }

    fn values(&self, home: &Path, limit: Duration) -> Values<'_> {
        Values {
            model: &self.model,
            url: &self.url,
            home: home.to_string_lossy().into_owned(),
            // Our own limit comes first; without a hook the client's own has to do.
            seconds: (limit.as_secs() + 1).to_string(),
            config: String::new(),
            llm: llm_folder().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    }

    /// The program with which a person would list the models that it knows, in their own environment.
    pub fn models_command(&self) -> Option<Command> {
        let values = self.values(Path::new("/"), MODELS_LIMIT);
        let mut command = Command::new(self.preset.program);
        command.args(self.preset.models?.iter().map(|argument| values.fill(argument)));
        Some(command)
    }

    /// The variable in which the client looks for the key; `None` where it gets it another way.
    fn key_s_variable<'a>(&self, key: &'a Secret) -> Option<&'a str> {
        match self.preset.key {
            Key::Variable(name) | Key::SameVariable(name) => Some(name),
            Key::Own => Some(&key.variable),
            Key::Header | Key::None => None,
        }
    }

    /// Curl's configuration in a pipe that the child inherits: nothing of it is an argument or a file.
    fn config(&self) -> io::Result<Option<PipeReader>> {
        if self.preset.key != Key::Header {
            return Ok(None);
        }
        let (reader, mut writer) = io::pipe()?;
        if let Some(key) = &self.key {
            let quoted = key.value.replace('\\', "\\\\").replace('"', "\\\"");
            // A key is far shorter than what a pipe takes without a reader.
            writeln!(writer, "header = \"Authorization: Bearer {quoted}\"")?;
        }
        fcntl_setfd(&reader, FdFlags::empty())?;
        Ok(Some(reader))
    }
}

/// A temporary folder that is in nobody's project: clients read and run what a project holds, up to its root.
///
/// # Errors
/// Where there is none.
pub fn outside_projects() -> io::Result<PathBuf> {
    let none = || io::Error::other("临时目录都在项目（git 仓库）里，用 TMPDIR 换一个");
    first_outside([env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")]).ok_or_else(none)
}

fn first_outside<const N: usize>(candidates: [PathBuf; N]) -> Option<PathBuf> {
    let is_outside = |folder: &PathBuf| {
        let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        whole.is_dir() && !whole.ancestors().any(|above| above.join(".git").exists())
    };
    candidates.into_iter().find(is_outside)
}

/// Where the person's `llm` keeps its models and keys: `$LLM_USER_PATH`, else its folder for applications.
fn llm_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = env::home_dir();
    let below = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let applications = if cfg!(target_os = "macos") {
        below("Library/Application Support")
    } else {
        set("XDG_CONFIG_HOME").or_else(|| below(".config"))
    };
    set("LLM_USER_PATH").or_else(|| Some(applications?.join("io.datasette.llm")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::auditor::preset::table::PRESETS;

    fn chosen(name: &str, url: &str, key: Option<&str>) -> Chosen {
        let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap();
        let key = key.map(|value| Secret { variable: "OF_THE_PERSON".to_owned(), value: value.to_owned() });
        Chosen { preset, model: "a-model".to_owned(), url: url.to_owned(), key }
    }

    fn words(command: &Command) -> Vec<String> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn variables(command: &Command) -> BTreeMap<String, String> {
        let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        command.get_envs().filter_map(|(name, value)| Some((text(name), text(value?)))).collect()
    }

    #[test]
    fn r1_6_a_client_runs_in_folders_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let chosen = chosen("gemini", "", Some("k"));
        let Prepared { command, config } = chosen.prepare(directory.path(), Duration::from_secs(9)).unwrap();
        assert!(config.is_none());
        for folder in ["empty", "home", "tmp", "home/.gemini"] {
            let mode = fs::metadata(at(folder)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o700, "{folder}");
        }
        assert_eq!(fs::read_dir(at("empty")).unwrap().count(), 0);
        assert_eq!(command.get_current_dir(), Some(at("empty").as_path()));
        let policy = fs::read_to_string(at("home/deny.toml")).unwrap();
        assert!(policy.contains("decision = \"deny\""), "{policy}");
        assert!(fs::read_to_string(at("home/.gemini/settings.json")).unwrap().starts_with('{'));
        let variables = variables(&command);
        for (name, wanted) in [
            ("HOME", at("home")),
            ("TMPDIR", at("tmp")),
            ("GEMINI_CLI_HOME", at("home")),
            ("GEMINI_API_KEY", "k".into()),
        ] {
            assert_eq!(variables.get(name).map(PathBuf::from), Some(wanted), "{name}");
        }
        let policy = at("home/deny.toml").to_string_lossy().into_owned();
        assert!(words(&command).windows(2).any(|words| words == ["--admin-policy", policy.as_str()]));
    }

    #[test]
    fn an_address_is_told_where_there_is_one() {
        for (url, told) in [("", None), ("http://h.example", Some("http://h.example"))] {
            let directory = tempfile::tempdir().unwrap();
            let prepared = chosen("gemini", url, None).prepare(directory.path(), Duration::ZERO).unwrap();
            let variables = variables(&prepared.command);
            assert_eq!(variables.get("GOOGLE_GEMINI_BASE_URL").map(String::as_str), told);
            assert_eq!(variables.get("GEMINI_CLI_NO_RELAUNCH").map(String::as_str), Some("1"));
        }
    }

    #[test]
    fn a_key_stands_in_the_client_s_variable_or_in_a_pipe() {
        for (name, variable) in
            [("opencode", Some("STOP_AUDITOR_SECRET")), ("llm", Some("OF_THE_PERSON")), ("ollama", None)]
        {
            let directory = tempfile::tempdir().unwrap();
            let chosen = chosen(name, "http://h.example", Some("the-key"));
            let prepared = chosen.prepare(directory.path(), Duration::ZERO).unwrap();
            let variables = variables(&prepared.command);
            let with_key: Vec<&str> = variables
                .iter()
                .filter(|(_, value)| *value == "the-key")
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(with_key, Vec::from_iter(variable), "{name}");
            assert!(prepared.config.is_none(), "{name}");
        }
        for (key, wanted) in [
            (Some("the-key"), "header = \"Authorization: Bearer the-key\"\n"),
            (Some(r#"a"b\c"#), "header = \"Authorization: Bearer a\\\"b\\\\c\"\n"),
            (None, ""),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let chosen = chosen("openai-compatible", "http://h.example", key);
            let prepared = chosen.prepare(directory.path(), Duration::from_secs(149)).unwrap();
            assert!(variables(&prepared.command).values().all(|value| value != "the-key"));
            let mut pipe = prepared.config.unwrap();
            let words = words(&prepared.command);
            let config = format!("/dev/fd/{}", pipe.as_raw_fd());
            for pair in [["--config", config.as_str()], ["--max-time", "150"]] {
                assert!(words.windows(2).any(|words| words == pair), "{pair:?} {words:?}");
            }
            assert_eq!(words.last().map(String::as_str), Some("http://h.example/chat/completions"));
            let mut read = String::new();
            pipe.read_to_string(&mut read).unwrap();
            assert_eq!(read, wanted);
        }
    }

    #[test]
    fn a_folder_in_a_project_is_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let [project, below, missing, outside] =
            ["project", "project/a/b", "missing", "outside"].map(|name| base.path().join(name));
        for folder in [&project.join(".git"), &below, &outside] {
            fs::create_dir_all(folder).unwrap();
        }
        let found = first_outside([project, below.clone(), missing, outside.clone()]);
        assert_eq!(found, Some(outside));
        assert_eq!(first_outside([below]), None);
        assert!(outside_projects().unwrap().is_dir());
    }

    #[test]
    fn a_person_is_shown_the_command_and_can_list_models() {
        let chosen = chosen("ollama", "http://h.example", None);
        let words = chosen.words();
        assert_eq!(words.first().map(String::as_str), Some("curl"));
        assert_eq!(words.last().map(String::as_str), Some("http://h.example/api/chat"));
        let words = self::chosen("openai-compatible", "http://h.example", None).words();
        assert!(words.windows(2).any(|words| words == ["--config", "PIPE"]), "{words:?}");
        let models = self::words(&chosen.models_command().unwrap());
        assert!(models.windows(2).any(|words| words == ["--max-time", "11"]), "{models:?}");
        assert_eq!(models.last().map(String::as_str), Some("http://h.example/api/tags"));
        assert!(self::chosen("qwen", "", None).models_command().is_none());
    }

    #[test]
    fn a_value_that_looks_like_a_placeholder_stays_as_it_is() {
        let values = Values {
            model: "<url>",
            url: "https://h",
            home: "/h".into(),
            seconds: "7".into(),
            config: "/dev/fd/9".into(),
            llm: "/l".into(),
        };
        assert_eq!(values.fill("-m <model> <url>/x <home>/y"), "-m <url> https://h/x /h/y");
        assert_eq!(values.fill("<seconds><config>"), "7/dev/fd/9");
    }
}
