//! Whose model an auditor command asks (1.7): Claude is never audited by its own vendor.
//! It reads a shell command without running it, so it sees what is written there and not what a script does inside.

/// Words that name an Anthropic model or tool wherever they stand in a model's name.
const ANTHROPIC: [&str; 5] = ["claude", "anthropic", "opus", "sonnet", "haiku"];
/// Programs and words of the shell that only start another program.
const STARTERS: [&str; 25] = [
    "env", "npx", "bunx", "uvx", "pnpx", "exec", "command", "nohup", "nice", "time", "timeout", "sudo",
    "setsid", "stdbuf", "xargs", "eval", "{", "!", "if", "then", "else", "elif", "do", "while", "until",
];
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// Whether the auditor is Anthropic's: `command` is the whole shell command (6.1), `model` the name from
/// `STOP_AUDITOR_MODEL` where there is one.
pub fn is_anthropic(command: &str, model: Option<&str>) -> bool {
    model.is_some_and(names_anthropic) || asks_anthropic(command)
}

fn asks_anthropic(command: &str) -> bool {
    simple_commands(command).iter().any(|words| simple_asks_anthropic(words))
}

fn simple_asks_anthropic(words: &[String]) -> bool {
    let Some((program, arguments)) = program(words) else { return false };
    let name = file_name(program);
    if SHELLS.contains(&name) {
        // One word of the command: it is shorter, and there is an end.
        return script(arguments).is_some_and(asks_anthropic);
    }
    // Python's `-m` names a module.
    let is_python = name.starts_with("python");
    is_tool(program) || (!is_python && models(arguments).any(names_anthropic))
}

/// The program that a command's answer is from, as far as its words tell: the first that is no change of folder.
pub(crate) fn first_program(command: &str) -> Option<String> {
    let commands = simple_commands(command);
    let programs = commands.iter().filter_map(|words| program(words)).map(|(program, _)| program);
    // `cat>/dev/null` is one word to us.
    programs
        .map(|program| program.split(['<', '>']).next().unwrap_or_default())
        .find(|program| !program.is_empty() && *program != "cd")
        .map(str::to_owned)
}

/// `claude`, `/opt/bin/claude`, `@anthropic-ai/claude-code@latest`; not `my-claudette`.
fn is_tool(program: &str) -> bool {
    program.starts_with("@anthropic-ai/")
        || file_name(program)
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| part.eq_ignore_ascii_case("claude") || part.eq_ignore_ascii_case("anthropic"))
}

/// Whether a model's name is one of Anthropic's.
pub(crate) fn names_anthropic(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    ANTHROPIC.iter().any(|name| model.contains(name))
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The program that really runs, behind leading assignments and starters, and its arguments.
fn program(words: &[String]) -> Option<(&str, &[String])> {
    let mut rest = words;
    let mut started = false;
    while let Some((word, after)) = rest.split_first() {
        if is_assignment(word) {
            rest = after;
        } else if STARTERS.contains(&file_name(word)) {
            started = true;
            rest = after;
        } else if started && takes_a_name(word) {
            rest = after.split_first().map_or(after, |(_, after)| after);
        } else if started && (word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())) {
            rest = after; // a starter's flag, or its seconds
        } else {
            return Some((word, after));
        }
    }
    None
}

/// Flags of `env` and `sudo` whose next word is not the program.
fn takes_a_name(word: &str) -> bool {
    matches!(word, "-u" | "-C" | "-k" | "-s")
}

/// Whether a shell word before the program sets a variable: `NAME=value`.
pub(crate) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// What `sh -c SCRIPT` or `bash -lc SCRIPT` runs.
fn script(arguments: &[String]) -> Option<&str> {
    let flag = arguments
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    arguments.get(flag + 1).map(String::as_str)
}

/// The values of `-m X`, `-mX`, `--model X`, `--model=X`, and of Codex's `-c model=X`.
fn models(arguments: &[String]) -> impl Iterator<Item = &str> {
    arguments.iter().enumerate().filter_map(|(at, word)| match word.as_str() {
        "-m" | "--model" | "--model-id" => arguments.get(at + 1).map(String::as_str),
        other => other
            .strip_prefix("--model=")
            .or_else(|| codex_setting(other))
            .or_else(|| other.strip_prefix("-m").filter(|_| !other.starts_with("--"))),
    })
}

/// The value of Codex's `model` setting: `model=X`, `model = "X"`, also glued to its flag.
fn codex_setting(word: &str) -> Option<&str> {
    let setting = word.strip_prefix("--config=").or_else(|| word.strip_prefix("-c")).unwrap_or(word);
    let value = setting.trim_start().strip_prefix("model")?.trim_start().strip_prefix('=')?;
    Some(value.trim_matches([' ', '"', '\'']))
}

/// A shell command cut at `|`, `&`, `;`, brackets and line ends that stand outside quotes, each part as words.
fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    for c in command.chars() {
        let cuts = quote.is_none() && !escaped && matches!(c, '|' | '&' | ';' | '(' | ')' | '`' | '\n');
        // A substitution runs inside double quotes too.
        let cuts = cuts || (quote == Some('"') && !escaped && matches!(c, '(' | ')' | '`'));
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        if cuts {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| words(part)).collect()
}

/// An unfinished quote is still worth reading: the shell refuses the command, and until then its words tell.
fn words(part: &str) -> Vec<String> {
    shlex::split(part).unwrap_or_else(|| part.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::{is_anthropic, is_assignment};
    use rstest::rstest;

    #[rstest]
    #[case::bare("claude -p")]
    #[case::path("/usr/local/bin/claude -p --output-format text")]
    #[case::assignment("FOO=1 BAR='a b' claude -p")]
    #[case::quoted_name("\"claude\" -p")]
    #[case::env("env -i PATH=/bin claude")]
    #[case::env_unset("env -u HOME claude")]
    #[case::npx("npx -y @anthropic-ai/claude-code@latest -p")]
    #[case::timeout("timeout 60 claude -p")]
    #[case::in_a_pipe("cat | claude -p")]
    #[case::after_cd("cd /tmp && claude -p")]
    #[case::in_a_shell("bash -lc 'cd /tmp; claude -p'")]
    #[case::behind_options_of_a_shell("bash --norc -x -c 'claude -p'")]
    #[case::in_shells_of_shells("sh -c 'bash -c \"zsh -lc \\\"claude -p\\\"\"'")]
    #[case::behind_an_escape("echo \\a; claude -p")]
    #[case::behind_a_quotation("echo 'a'; claude -p")]
    #[case::model("llm -m claude-opus-4")]
    #[case::model_glued("llm -mclaude-opus-4")]
    #[case::model_equals("x --model=anthropic/some-model")]
    #[case::model_upper("x --model Sonnet")]
    #[case::codex_setting("codex exec -c model=haiku -")]
    #[case::codex_setting_spaced("codex exec -c 'model = \"claude-opus-4\"' -")]
    #[case::codex_setting_long("codex exec --config=model=claude-opus-4 -")]
    #[case::codex_setting_glued("codex exec -cmodel=claude-opus-4 -")]
    #[case::unfinished_quote("claude -p 'x")]
    #[case::in_braces("{ claude -p; }")]
    #[case::behind_then("if true; then claude -p; fi")]
    #[case::substituted("echo \"$(claude -p)\"")]
    #[case::in_backticks("echo `claude -p`")]
    #[case::xargs("cat | xargs -0 claude -p")]
    #[case::model_id("aws bedrock --model-id anthropic.x")]
    fn r1_7_an_anthropic_auditor_is_seen(#[case] command: &str) {
        assert!(is_anthropic(command, None), "{command}");
    }

    #[rstest]
    #[case::codex("codex exec -m gpt-6.1-sol --json -")]
    #[case::gemini("gemini -m gemini-3-pro")]
    #[case::fake("cat >/dev/null; echo 'VERDICT: NOTE - claude said too much'")]
    #[case::quoted_separator("echo 'a; claude b | claude'")]
    #[case::quoted_brackets("echo 'a (claude) b'")]
    #[case::escaped_separator(r"echo a\; claude")]
    #[case::a_script_of_a_shell("bash -x 'claude -p'")]
    #[case::a_script_s_arguments("bash run.c 'claude -p'")]
    #[case::path_part("/opt/claude/bin/judge")]
    #[case::argument("judge --subject claude")]
    #[case::python_module("python3 -m claude_free_judge")]
    #[case::longer_word("claudette -p")]
    #[case::other_flag("judge --modelling opus")]
    #[case::empty("")]
    fn r1_7_another_vendor_is_let_be(#[case] command: &str) {
        assert!(!is_anthropic(command, None), "{command}");
    }

    #[test]
    fn an_assignment_has_a_name_before_it() {
        for (word, is) in [
            ("A=1", true),
            ("A_1=", true),
            ("_=x", true),
            ("=x", false),
            ("1A=x", false),
            ("A-B=x", false),
            ("A", false),
        ] {
            assert_eq!(is_assignment(word), is, "{word}");
        }
    }

    #[test]
    fn r1_7_the_model_variable_counts_too() {
        assert!(is_anthropic("judge", Some("claude-sonnet-5")));
        assert!(!is_anthropic("judge", Some("gpt-6.1-sol")));
    }
}
