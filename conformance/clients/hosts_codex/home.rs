//! A machine with Codex on it, made for one test: its own home, folders and model, and one hook script for all events,
//! which keeps what it is told and then does what the current row says.
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use stop_auditor::hosts::codex::Event;
use stop_auditor::hosts::contract::{End, Run};

use super::super::codex::KEY;
use super::super::installed;
use super::super::kit::check::Checks;
use super::super::kit::event::write;
use super::super::kit::hook::quoted;
use super::super::kit::processes::{self, eventually};
use super::super::kit::sandbox::Sandbox;
use super::super::model::responses::{Answer, Responses};
use super::script::script;
use std::time::Duration;

/// Reads one line, answers it: an MCP server with one tool, whose answer is a file, and after that nothing.
const MCP_SERVER: &str = r#"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    [ -n "$id" ] || continue
    case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"0"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) mkdir "$1.once" 2>/dev/null && result=$(cat "$1") || result='{"content":[]}' ;;
    *) result='{}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// See the head of this file.
pub(super) struct Home {
    pub(super) sandbox: Sandbox,
    pub(super) model: Responses,
    settings: Vec<String>,
    tables: Vec<String>,
}

impl Home {
    /// With these lines at the top of `config.toml`.
    pub(super) fn new(settings: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        let model = Responses::new(Answer::Script(script));
        let tables = vec![
            format!(
                "[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\nenv_key = \"SCRIPTED_KEY\"\n\
                 wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
                model.url()
            ),
            "[analytics]\nenabled = false\n".to_owned(),
            // What a hook has nothing to do with costs a quarter of the time.
            "[features]\nshell_snapshot = false\nplugins = false\nremote_plugin = false\napps = false\n\
             unbounded_connection_retries = false\ngoals = false\nbrowser_use = false\ncomputer_use = false\n\
             image_generation = false\nskill_search = false\ntool_suggest = false\nsleep_tool = false\n\
             mentions_v2 = false\nin_app_browser = false\n"
                .to_owned(),
        ];
        let settings = settings.iter().map(|line| (*line).to_owned()).collect();
        let home = Self { sandbox, model, settings, tables };
        for dir in ["in", "row"] {
            fs::create_dir(home.sandbox.path(dir)).expect("a directory");
        }
        let script = format!(
            "event=$1 n=$2 f={0}/in/$(date +%s%N)-$$-$1\ncat >$f.part; mv $f.part $f\ncd {0}/row || exit 0\n\
             [ -e $event-$n.sh ] || exit 0\nexec sh $event-$n.sh\n",
            quoted(&home.sandbox.root().to_string_lossy())
        );
        write(&home.sandbox.path("hook"), script);
        home.write_config(&[]);
        home
    }

    /// Adds the MCP server `s` with its tool `t`.
    pub(super) fn with_mcp_server(mut self) -> Self {
        write(&self.sandbox.path("mcp-server"), MCP_SERVER);
        let at = |name: &str| self.sandbox.path(name).to_string_lossy().into_owned();
        let arguments = json!([at("mcp-server"), at("mcp-answer")]);
        self.tables.push(format!("[mcp_servers.s]\ncommand = \"sh\"\nargs = {arguments}\n"));
        self.write_config(&[]);
        self
    }

    /// What the tool answers.
    pub(super) fn mcp_answers(&self, run: &Run) {
        let (text, is_error) = match run.end {
            End::Exit(0) => (&run.stdout, false),
            End::Exit(_) | End::Signal | End::TimedOut | End::NotStarted => (&run.stderr, true),
        };
        let answer = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        write(&self.sandbox.path("mcp-answer"), answer.to_string());
        // Left by the row before.
        drop(fs::remove_dir(self.sandbox.path("mcp-answer.once")));
    }

    pub(super) fn codex_home(&self) -> PathBuf {
        self.sandbox.path("home/.codex")
    }

    /// Codex, with nothing but this home.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("codex");
        let at = |name: &str| self.sandbox.path(name);
        command.env_clear().env("PATH", installed::path()).env("HOME", at("home")).env("TMPDIR", at("tmp"));
        command.env("CODEX_HOME", self.codex_home()).env("SCRIPTED_KEY", KEY).env("LANG", "C.UTF-8");
        command.current_dir(at("project")).stderr(Stdio::null());
        command
    }

    /// Writes `config.toml`, with these tables after the usual ones.
    pub(super) fn write_config(&self, more: &[String]) {
        let mut text = "model = \"gpt-6.1-sol\"\nmodel_provider = \"scripted\"\n".to_owned();
        text.extend(self.settings.iter().map(|line| format!("{line}\n")));
        text.extend(self.tables.iter().chain(more).map(|table| format!("\n{table}")));
        write(&self.codex_home().join("config.toml"), text);
    }

    /// Registers these hooks, `hooks.json` as it is under its one key.
    pub(super) fn register(&self, hooks: &Value) {
        write(&self.codex_home().join("hooks.json"), json!({"hooks": hooks}).to_string());
    }

    /// The n-th handler of an event: the hook script.
    pub(super) fn handler(&self, event: Event, n: usize) -> Value {
        let script = quoted(&self.sandbox.path("hook").to_string_lossy());
        json!({"type": "command", "command": format!("sh {script} {} {n}", event.name())})
    }

    /// What the hooks do from now on: the n-th of the event's does the n-th run, the first time it is called.
    pub(super) fn plan(&self, event: Event, runs: &[Run]) {
        let row = self.sandbox.path("row");
        fs::remove_dir_all(&row).expect("the row before");
        fs::create_dir(&row).expect("a directory");
        for (n, run) in runs.iter().enumerate() {
            let name = format!("{}-{n}", event.name());
            write(&row.join(format!("{name}.out")), &run.stdout);
            write(&row.join(format!("{name}.err")), &run.stderr);
            let end = match run.end {
                End::Exit(code) => format!("cat {name}.out; cat {name}.err >&2; exit {code}"),
                End::Signal => "kill -9 $$".to_owned(),
                End::TimedOut | End::NotStarted => "exec sleep 30".to_owned(),
            };
            write(
                &row.join(format!("{name}.sh")),
                format!("mkdir {name}.once 2>/dev/null || exit 0\n{end}\n"),
            );
        }
    }

    /// What the n-th hook of an event does from now on, each time: this script, in a folder of its own.
    pub(super) fn plan_script(&self, event: Event, n: usize, script: &str) {
        write(&self.sandbox.path("row").join(format!("{}-{n}.sh", event.name())), script);
    }

    /// Makes a pipe in that folder: a hook that reads it is held until the test opens it.
    pub(super) fn gate(&self) -> PathBuf {
        let gate = self.sandbox.path("row/gate");
        let made = Command::new("mkfifo").arg(&gate).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe is made");
        gate
    }

    /// The files in that folder whose names begin like this.
    pub(super) fn marks(&self, start: &str) -> usize {
        let files = self.sandbox.files_below("row").into_iter();
        let names = files.filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
        names.filter(|name| name.starts_with(start)).count()
    }

    /// What the hooks of an event were told, in order.
    pub(super) fn told(&self, event: Event) -> Vec<Value> {
        let end = format!("-{}", event.name());
        let files = self.sandbox.files_below("in").into_iter();
        let files = files.filter(|path| path.to_string_lossy().ends_with(&end));
        files.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect()
    }

    /// Nothing that the test started goes on after it.
    pub(super) fn nothing_is_left(&self, c: &mut Checks) {
        let running = || processes::with_environment(self.sandbox.root());
        eventually(Duration::from_secs(3), || running().is_empty());
        c.equal("H.4", "processes left by Codex and its hooks", running(), Vec::new());
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for (id, _) in processes::with_environment(self.sandbox.root()) {
            processes::end(id);
        }
    }
}
