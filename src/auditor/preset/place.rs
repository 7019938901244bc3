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
    let candidates = [env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    let is_outside = |folder: &PathBuf| {
        let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        whole.is_dir() && !whole.ancestors().any(|above| above.join(".git").exists())
    };
    let none = || io::Error::other("临时目录都在项目（git 仓库）里，用 TMPDIR 换一个");
    candidates.into_iter().find(is_outside).ok_or_else(none)
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
    use super::*;

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
