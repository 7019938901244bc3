//! What a preset's client runs in: an empty folder, a home and a temporary folder of its own, an environment from
//! nothing. All of it lies below the audit's one folder, which goes with the audit.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, PipeReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};

use super::chosen::Chosen;
use super::table::Key;
use crate::auditor::environment;

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
        command.envs(
            self.preset.environment.iter().map(|(name, text)| (name, OsString::from(values.fill(text)))),
        );
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
        }
    }

    /// Curl's configuration in a pipe that the child inherits: nothing of it is an argument or a file.
    fn config(&self) -> io::Result<Option<PipeReader>> {
        match self.preset.key {
            Key::Header => {}
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
        };
        assert_eq!(values.fill("-m <model> <url>/x <home>/y"), "-m <url> https://h/x /h/y");
        assert_eq!(values.fill("<seconds><config>"), "7/dev/fd/9");
    }
}
