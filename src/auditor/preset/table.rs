//! Auditors of other vendors: one row, one vendor. What a client does that makes a field necessary is said beside it.
//!
//! In arguments, variables and files `<model>`, `<url>`, `<home>`, `<seconds>`, `<config>` and `<llm>` stand for what is chosen
//! or made for one audit; the key is in none of them. Figures and findings: each client run against a scripted model.

/// A vendor's client and how it is used.
#[derive(Debug)]
pub struct Preset {
    /// What the person calls it.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// How one gets the program.
    pub how_to_get: &'static str,
    /// Arguments that print its version, and end badly where it does not know a flag in use.
    pub version: &'static [&'static str],
    /// Arguments with which the program lists the models it knows, where it can without asking a service.
    pub models: Option<&'static [&'static str]>,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// How the prompt goes in, on stdin.
    pub input: Input,
    /// How the answer comes out, on stdout.
    pub output: Output,
    /// Where its requests go.
    pub url: Url,
    /// Its key.
    pub key: Key,
    /// Variables that it gets beside what every auditor gets; one of an address that is not given is left out.
    pub environment: &'static [(&'static str, &'static str)],
    /// Files in its private home.
    pub files: &'static [(&'static str, &'static str)],
    /// Beginnings of lines on stderr that tell nothing.
    pub noise: &'static [&'static str],
    /// What ends it before its time: a text on stderr, when it stands there for the n-th time.
    pub ends_at: &'static [(&'static str, usize)],
    /// Whether a second line on stdout ends it.
    pub is_one_line: bool,
    /// Seconds of processor time that it may take, where it would go on for ever after a hook that was killed.
    pub cpu_seconds: Option<u64>,
    /// What `check` tells about it, where there is something to know.
    pub remark: Option<&'static str>,
}

/// How the prompt goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// As it is.
    Text,
    /// As the body of a request to `/chat/completions`.
    Chat,
    /// As the body of a request to Ollama's `/api/chat`.
    Ollama,
}

/// How the answer comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The model's words and nothing else; a client that repeats itself repeats them, so only one verdict counts.
    Text,
    /// As the body of a `/chat/completions` response that was not streamed.
    Chat,
    /// As the body of an `/api/chat` response that was not streamed.
    Ollama,
}

/// Where requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Url {
    /// The person says.
    Asked,
    /// The client knows, unless the person says otherwise.
    Optional,
    /// The client's own configuration says.
    Own,
    /// Here, unless the person says otherwise.
    Default(&'static str),
}

/// How the key gets to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// As a header in curl's configuration, which is read from a pipe: arguments can be read by every user of the
    /// machine, and a file would stay after a kill. A server on this machine may need none.
    Header,
    /// In this variable of the client's; the person's has another name, which they say.
    Variable(&'static str),
    /// In this variable, which is the person's too unless they say otherwise.
    SameVariable(&'static str),
    /// In the client's own store, or in the variable that the person says, under that name.
    Own,
    /// None.
    None,
}

/// What stands for the clients' own long instructions.
const SYSTEM: &str = "You are a text auditor. Answer with one VERDICT line.";

/// Arguments of curl before those of a request.
macro_rules! curl {
    ($($more:literal),*) => {
        &[
            // First: the person's ~/.curlrc is not read.
            "-q",
            "--silent",
            "--show-error",
            "--globoff",
            "--proto",
            "=http,https",
            "--fail-with-body",
            "--connect-timeout",
            "10",
            // What is left running after a hook that was killed ends by itself.
            "--max-time",
            "<seconds>",
            "--header",
            "content-type: application/json",
            $($more),*
        ]
    };
}

/// Getting curl, and what it must know.
const GET_CURL: &str = "装 curl（7.76 以上）";
const CURL_VERSION: &[&str] = &["--fail-with-body", "--version"];

/// The rows beside Codex, which has a module of its own.
pub static PRESETS: [Preset; 6] = [
    Preset {
        name: "openai-compatible",
        program: "curl",
        how_to_get: GET_CURL,
        version: CURL_VERSION,
        models: None,
        arguments: curl!["--config", "<config>", "--data-binary", "@-", "<url>/chat/completions"],
        input: Input::Chat,
        output: Output::Chat,
        url: Url::Asked,
        key: Key::Header,
        environment: &[],
        files: &[],
        noise: &[],
        ends_at: &[],
        is_one_line: false,
        cpu_seconds: None,
        remark: None,
    },
    // Gemini CLI 0.61.0. Files that `@path` in the prompt names are read below the folder it runs in.
    Preset {
        name: "gemini",
        program: "gemini",
        how_to_get: "npm install -g @google/gemini-cli",
        version: &["--version"],
        models: None,
        arguments: &[
            // Without a model a router is asked first, with the prompt.
            "-m",
            "<model>",
            "--skip-trust",
            "-e",
            "none",
            "--allowed-mcp-server-names",
            "none",
            "--admin-policy",
            "<home>/deny.toml",
        ],
        input: Input::Text,
        output: Output::Text,
        url: Url::Optional,
        key: Key::SameVariable("GEMINI_API_KEY"),
        environment: &[
            ("GEMINI_CLI_HOME", "<home>"),
            ("GEMINI_SYSTEM_MD", "<home>/system.md"),
            // As two processes the one that is killed leaves the other.
            ("GEMINI_CLI_NO_RELAUNCH", "1"),
            ("GOOGLE_GEMINI_BASE_URL", "<url>"),
        ],
        files: &[
            (".gemini/settings.json", include_str!("gemini-settings.json")),
            ("deny.toml", "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n"),
            ("system.md", SYSTEM),
        ],
        noise: &[
            "Warning: 256-color",
            "Ripgrep is not available",
            "[STARTUP]",
            "An unexpected critical error",
        ],
        ends_at: &[],
        is_one_line: false,
        cpu_seconds: None,
        remark: Some("只用 API 密钥，不用 Google 登录（没有拿登录验证过）"),
    },
    // OpenCode 1.18.33. Without a limit it asks for ever where a stream is cut, ten times a second.
    Preset {
        name: "opencode",
        program: "opencode",
        how_to_get: "npm install -g opencode-ai",
        version: &["--version"],
        models: None,
        arguments: &[
            "run",
            "-m",
            "auditor/<model>",
            // Without a title the prompt is sent a second time, for one.
            "--title",
            "audit",
            "--pure",
            "--agent",
            "auditor",
            // What it is about to do stands on stderr before it does it.
            "--print-logs",
            "--log-level",
            "INFO",
        ],
        input: Input::Text,
        output: Output::Text,
        url: Url::Asked,
        key: Key::Variable("STOP_AUDITOR_SECRET"),
        environment: &[
            ("XDG_CONFIG_HOME", "<home>/.config"),
            ("OPENCODE_CONFIG_CONTENT", include_str!("opencode.json")),
            ("OPENCODE_PERMISSION", "{\"*\":\"deny\"}"),
            // Nothing of the prompt on the disk.
            ("OPENCODE_DB", ":memory:"),
            ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
            ("OPENCODE_DISABLE_CLAUDE_CODE", "1"),
            ("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_SHARE", "1"),
            // For each folder of configuration it would fetch its library for plugins.
            ("npm_config_offline", "true"),
        ],
        // It runs the plugins of every folder above it, up to a project's root, or the system's where there is none: the
        // temporary folder is everybody's. So the empty folder is a root.
        files: &[
            ("../empty/.git/HEAD", "ref: refs/heads/main\n"),
            ("../empty/.git/objects/none", ""),
            ("../empty/.git/refs/none", ""),
        ],
        noise: &["timestamp=", "> auditor"],
        // A refusal would be followed by five more requests, a cut stream by as many as there is time for.
        ends_at: &[("message=\"stream error\"", 1), ("message=stream ", 2)],
        is_one_line: true,
        // It starts in five; what is left is a few hundred requests and not all that the night has time for.
        cpu_seconds: Some(30),
        remark: Some("只用密钥，不用 opencode 自己的登录（没有拿登录验证过）"),
    },
    // llm 0.36. The person's own folder says what its models are; no tool is given, and nothing is logged.
    Preset {
        name: "llm",
        program: "llm",
        how_to_get: "pipx install llm",
        version: &["--version"],
        models: Some(&["models", "list"]),
        arguments: &["-m", "<model>", "-n", "--no-stream", "-s", SYSTEM],
        input: Input::Text,
        output: Output::Text,
        url: Url::Own,
        key: Key::Own,
        environment: &[("LLM_USER_PATH", "<llm>")],
        files: &[],
        noise: &[],
        ends_at: &[],
        is_one_line: false,
        cpu_seconds: None,
        remark: Some("服务没有答好时 llm 自己会再问两次；插件带来的模型没有验证过"),
    },
    // Qwen Code 0.15.10, a fork of Gemini CLI: it reads the files that `@path` in the prompt names, too. With `--bare` it
    // reads no settings, so that its usage statistics cannot be turned off.
    Preset {
        name: "qwen",
        program: "qwen",
        how_to_get: "npm install -g @qwen-code/qwen-code",
        version: &["--version"],
        models: None,
        arguments: &[
            "--auth-type",
            "openai",
            "--bare",
            "--chat-recording",
            "false",
            "--system-prompt",
            SYSTEM,
            // The three that `--bare` leaves.
            "--exclude-tools",
            "read_file",
            "edit",
            "run_shell_command",
        ],
        input: Input::Text,
        output: Output::Text,
        url: Url::Asked,
        key: Key::Variable("OPENAI_API_KEY"),
        environment: &[
            ("OPENAI_BASE_URL", "<url>"),
            ("OPENAI_MODEL", "<model>"),
            ("QWEN_HOME", "<home>/.qwen"),
            ("QWEN_CODE_NO_RELAUNCH", "1"),
        ],
        files: &[],
        noise: &[],
        ends_at: &[],
        is_one_line: false,
        cpu_seconds: None,
        remark: Some(
            "Qwen Code 另外会向阿里云发用量统计（不含提示词），这样用关不掉；服务说 429 或 500 时它会一直重试到时限。同一个地址用 openai-compatible 更好",
        ),
    },
    // Ollama, from its documentation. A prompt longer than the context is cut without a word, and the context is 4,096
    // tokens on most machines unless the request says otherwise.
    Preset {
        name: "ollama",
        program: "curl",
        how_to_get: GET_CURL,
        version: CURL_VERSION,
        models: Some(curl!["<url>/api/tags"]),
        arguments: curl!["--data-binary", "@-", "<url>/api/chat"],
        input: Input::Ollama,
        output: Output::Ollama,
        url: Url::Default("http://127.0.0.1:11434"),
        key: Key::None,
        environment: &[],
        files: &[],
        noise: &[],
        ends_at: &[],
        is_one_line: false,
        cpu_seconds: None,
        remark: Some("只照文档写成，没有拿真的 Ollama 跑过；先用 stop-auditor check --live 问一次"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_of_its_own_and_knows_its_placeholders() {
        let known = ["model", "url", "home", "seconds", "config", "llm"];
        for (n, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS.iter().skip(n + 1).all(|other| other.name != preset.name), "{}", preset.name);
            let values = preset.environment.iter().chain(preset.files).map(|(_, value)| value);
            for text in preset.arguments.iter().chain(preset.models.into_iter().flatten()).chain(values) {
                for rest in text.split('<').skip(1) {
                    let name = rest.split('>').next().unwrap_or_default();
                    assert!(known.contains(&name), "{}: {text}", preset.name);
                }
            }
        }
    }
}
