//! A home for the installer's commands, and what can be seen in it afterwards.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::kit::hook::quoted;
use crate::kit::programs::{path_with_bin, program};
use crate::kit::sandbox::Sandbox;
use stop_auditor::auditor::codex::arguments::features_off;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_stop-auditor");

/// Flags that `codex exec --help` of the stand-in names.
const FLAGS: &str =
    "--ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check --sandbox --model --config --json";

/// A home with a configuration folder whose path needs quoting.
pub(crate) struct Home {
    pub(crate) sandbox: Sandbox,
}

/// What a command said, both streams together, and how it ended.
pub(crate) struct Said {
    pub(crate) ok: bool,
    pub(crate) code: Option<i32>,
    pub(crate) text: String,
}

impl Home {
    /// A home on a machine with a Codex that is logged in.
    pub(crate) fn new() -> Self {
        let home = Self { sandbox: Sandbox::new() };
        home.with_codex(true);
        home
    }

    /// Puts a Codex on PATH that says of itself what `check` asks.
    pub(crate) fn with_codex(&self, is_logged_in: bool) {
        let features = features_off().collect::<Vec<_>>().join(" stable true\n");
        fs::create_dir_all(self.sandbox.path("bin")).unwrap();
        fs::write(self.sandbox.path("bin/features"), features).unwrap();
        let _ = fs::remove_file(self.sandbox.path("bin/codex"));
        let script = format!(
            "#!/bin/sh\ncase \"$1 $2\" in\n'exec --help') echo '{FLAGS}' ;;\n'features list') cat {} ;;\n\
             'login status') exit {} ;;\n*) echo 'codex-cli 0.0.0' ;;\nesac\n",
            quoted(&self.sandbox.path("bin/features").to_string_lossy()),
            i32::from(!is_logged_in)
        );
        program(&self.sandbox, "codex", &script);
    }

    pub(crate) fn with(settings: &[u8]) -> Self {
        let home = Self::new();
        fs::create_dir_all(home.config()).unwrap();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.sandbox.path("home/claude's config")
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.config().join("settings.json")
    }

    pub(crate) fn binary(&self) -> PathBuf {
        self.config().join("hooks/stop-auditor")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        self.run_on(&path_with_bin(&self.sandbox), arguments)
    }

    /// Runs it with another PATH.
    pub(crate) fn run_on(&self, path: &str, arguments: &[&str]) -> Said {
        Self::said(self.command(path, arguments))
    }

    /// The program with these arguments, ready to run.
    pub(crate) fn command(&self, path: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .args(arguments)
            .current_dir(self.sandbox.path("project"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.sandbox.path("home"))
            // The login that `login status` stands for.
            .env("CODEX_API_KEY", "dummy")
            .env("TMPDIR", self.sandbox.path("tmp"))
            .env("CLAUDE_CONFIG_DIR", self.config());
        command
    }

    /// Runs it to its end.
    pub(crate) fn said(command: Command) -> Said {
        let mut command = assert_cmd::Command::from_std(command);
        let output = command.timeout(Duration::from_secs(120)).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Said { ok: output.status.success(), code: output.status.code(), text }
    }

    pub(crate) fn value(&self) -> Value {
        value(&fs::read_to_string(self.settings()).unwrap())
    }

    pub(crate) fn backups(&self) -> Vec<PathBuf> {
        let is_backup =
            |path: &PathBuf| path.to_string_lossy().contains("settings.json.stop-auditor-backup.");
        below(&self.config()).into_keys().filter(is_backup).collect()
    }

    /// Every file of the configuration folder, with its bytes and mode.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
        below(&self.config())
    }

    pub(crate) fn group(&self, timeout: u64) -> Value {
        let command = shlex::try_quote(self.binary().to_str().unwrap()).unwrap().into_owned();
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    /// The old settings with ours behind them.
    pub(crate) fn expected(&self, old: &str, env: &[(&str, &str)]) -> Value {
        let mut new = value(old);
        for (event, timeout) in [("Stop", 180), ("UserPromptSubmit", 10)] {
            let slot = &mut new["hooks"][event];
            let mut groups = slot.as_array().cloned().unwrap_or_default();
            groups.push(self.group(timeout));
            *slot = groups.into();
        }
        for (name, value) in env {
            new["env"][name] = (*value).into();
        }
        new
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

pub(crate) fn below(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(path) = todo.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            found.insert(path, (Vec::new(), metadata.mode()));
        } else {
            found.insert(path.clone(), (fs::read(&path).unwrap(), metadata.mode()));
        }
    }
    found
}
