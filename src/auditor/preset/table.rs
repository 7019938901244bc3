//! Auditors of other vendors: one row, one vendor. What a client does that makes a field necessary is said beside it.
//!
//! In arguments, variables and files `<model>`, `<url>`, `<home>`, `<seconds>` and `<config>` stand for what is chosen
//! or made for one audit; the key is in none of them. Figures and findings: each client run against a scripted model.

/// A vendor's client and how it is used.
#[derive(Debug)]
pub struct Preset {
    /// What the person calls it.
    pub name: &'static str,
    /// What it is, for the person.
    pub what: &'static str,
    /// The program.
    pub program: &'static str,
    /// How one gets the program.
    pub how_to_get: &'static str,
    /// Arguments that print its version, and end badly where it does not know a flag in use.
    pub version: &'static [&'static str],
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
    /// Variables that it gets beside what every auditor gets.
    pub environment: &'static [(&'static str, &'static str)],
    /// Files in its private home.
    pub files: &'static [(&'static str, &'static str)],
    /// Whether it is the real client that was run against a scripted model.
    pub was_run: bool,
}

/// How the prompt goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// As it is.
    Text,
    /// As the body of a request to `/chat/completions`.
    Chat,
}

/// How the answer comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// As the body of a `/chat/completions` response that was not streamed.
    Chat,
}

/// Where requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Url {
    /// The person says.
    Asked,
}

/// How the key gets to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// As a header in curl's configuration, which is read from a pipe: arguments can be read by every user of the
    /// machine, and a file would stay after a kill. A server on this machine may need none.
    Header,
}

/// The rows beside Codex, which has a module of its own.
pub static PRESETS: [Preset; 1] = [Preset {
    name: "openai-compatible",
    what: "任何 OpenAI 兼容的 /chat/completions 服务（DeepSeek、Qwen、GLM、Kimi、自建的都行），用 curl 去问",
    program: "curl",
    how_to_get: "装 curl（7.76 以上）",
    version: &["--fail-with-body", "--version"],
    arguments: &[
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
        "--config",
        "<config>",
        "--data-binary",
        "@-",
        "<url>/chat/completions",
    ],
    input: Input::Chat,
    output: Output::Chat,
    url: Url::Asked,
    key: Key::Header,
    environment: &[],
    files: &[],
    was_run: true,
}];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_of_its_own_and_knows_its_placeholders() {
        let known = ["model", "url", "home", "seconds", "config"];
        for (n, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS.iter().skip(n + 1).all(|other| other.name != preset.name), "{}", preset.name);
            let values = preset.environment.iter().chain(preset.files).map(|(_, value)| value);
            for text in preset.arguments.iter().chain(values) {
                for (at, _) in text.match_indices('<') {
                    let name = text[at + 1..].split('>').next().unwrap_or_default();
                    assert!(known.contains(&name), "{}: {text}", preset.name);
                }
            }
        }
    }
}
