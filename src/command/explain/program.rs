//! What a shell command starts, read from its words as far as they tell. Nothing is run.
//! Where the words do not tell (a variable that only the host knows, a substitution) the answer is "unknown".

use crate::auditor::vendor::is_assignment;

/// Words of the shell's own: there is no file to look for.
const BUILTINS: [&str; 18] = [
    ":", "[", "[[", "!", "{", "(", "cd", "echo", "exit", "false", "for", "if", "printf", "test", "true",
    "while", "read", "export",
];

/// Programs that run the file that follows.
const INTERPRETERS: [&str; 14] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "python",
    "python3",
    "node",
    "bun",
    "deno",
    "ruby",
    "perl",
    "php",
    "osascript",
];

/// The program of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Program {
    /// A file, named by its path; started by itself, or read by an interpreter.
    File {
        /// As it stands there, known variables filled in.
        path: String,
        /// Whether it must be executable.
        itself: bool,
    },
    /// A path with a variable or a `~` that quotes or a backslash keep from the shell: there is no such file.
    Verbatim {
        /// As the shell reads it.
        path: String,
        /// As in [`Program::File`].
        itself: bool,
    },
    /// A name that is looked for in `PATH`.
    Named(String),
    /// The shell's own word, or something that the words do not tell.
    Unknown,
    /// The quotes are not closed: the shell refuses the line.
    Unreadable,
}

/// A command's program, and the limit that the command sets to itself, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Started {
    /// What is started.
    pub(super) program: Program,
    /// Of `timeout N command`.
    pub(super) inner_limit_s: Option<f64>,
}

/// What a command starts. `variable` knows the values of variables.
pub(super) fn started(command: &str, variable: &dyn Fn(&str) -> Option<String>) -> Started {
    let Some(words) = split(command) else {
        return Started { program: Program::Unreadable, inner_limit_s: None };
    };
    let mut inner_limit_s = None;
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.peek().copied() {
        match word {
            "env" | "exec" | "nohup" => {}
            _ if is_assignment(word) => {}
            "timeout" => {
                words.next();
                while let Some(option) = words.next_if(|word| word.starts_with('-')) {
                    if matches!(option, "-k" | "-s") {
                        words.next();
                    }
                }
                inner_limit_s = words.peek().and_then(|word| word.trim_end_matches('s').parse().ok());
            }
            _ => break,
        }
        words.next();
    }
    let first = words.next().unwrap_or_default().trim_end_matches(';');
    let second = words.find(|word| !word.starts_with("--"));
    Started { program: program(first, second, variable), inner_limit_s }
}

/// What stands in [`split`] words for a `$` and for a `~` that are no more than signs. Unicode keeps these two from all text.
const DOLLAR: char = '\u{fdd0}';
const TILDE: char = '\u{fdd1}';

/// The words of a command as the shell parts them; `None` where the quotes are not closed. Words have no quotes any more, so
/// what these keep from the shell is told apart.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    shlex::split(&with_verbatim_signs(command))
}

fn with_verbatim_signs(command: &str) -> String {
    let (mut out, mut quotes) = (String::new(), None);
    let mut signs = command.chars();
    while let Some(sign) = signs.next() {
        let told = match (sign, quotes) {
            ('\\', None | Some('"')) => match signs.next() {
                Some('$') => DOLLAR,
                Some('~') if quotes.is_none() => TILDE,
                escaped => {
                    out.push(sign);
                    out.extend(escaped);
                    continue;
                }
            },
            ('$', Some('\'')) => DOLLAR,
            ('~', Some(_)) => TILDE,
            _ => sign,
        };
        quotes = match quotes {
            None if matches!(sign, '\'' | '"') => Some(sign),
            Some(open) if open == sign => None,
            _ => quotes,
        };
        out.push(told);
    }
    out
}

fn program(first: &str, second: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Program {
    let path = match file(first, true, variable) {
        Program::File { path, .. } => path,
        other => return other,
    };
    if path.is_empty() || BUILTINS.contains(&path.as_str()) || path.starts_with(['(', '{', '"']) {
        return Program::Unknown;
    }
    let is_interpreter = INTERPRETERS.contains(&path.rsplit('/').next().unwrap_or_default());
    match second {
        Some(script) if is_interpreter && !script.starts_with('-') => file(script, false, variable),
        _ if path.contains('/') => Program::File { path, itself: true },
        _ => Program::Named(path),
    }
}

/// The file that a word names.
fn file(word: &str, itself: bool, variable: &dyn Fn(&str) -> Option<String>) -> Program {
    let read = |word: &str| word.replace(DOLLAR, "$").replace(TILDE, "~");
    if word.starts_with(TILDE) || word.contains(DOLLAR) {
        return Program::Verbatim { path: read(word), itself };
    }
    filled_in(word, variable).map_or(Program::Unknown, |path| Program::File { path: read(&path), itself })
}

/// The word with `~`, `$NAME` and `${NAME}` filled in; `None` where something in it is not known.
fn filled_in(word: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let word = match word.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", variable("HOME")?),
        None => word.to_owned(),
    };
    let mut pieces = word.split('$');
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = match piece.strip_prefix('{') {
            Some(braced) => braced.split_once('}')?,
            None => {
                piece.split_at(piece.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(piece.len()))
            }
        };
        filled.push_str(&variable(name)?);
        filled.push_str(rest);
    }
    (!filled.contains(['`', '*', '?'])).then_some(filled)
}

#[cfg(test)]
mod tests {
    use super::{Program, started};

    fn of(command: &str) -> Program {
        let known = |name: &str| match name {
            "HOME" => Some("/home/u".to_owned()),
            "CLAUDE_PROJECT_DIR" => Some("/p".to_owned()),
            _ => None,
        };
        started(command, &known).program
    }

    fn file(path: &str, itself: bool) -> Program {
        Program::File { path: path.to_owned(), itself }
    }

    fn verbatim(path: &str, itself: bool) -> Program {
        Program::Verbatim { path: path.to_owned(), itself }
    }

    #[test]
    fn the_words_tell_which_file_is_started() {
        assert_eq!(of("/a/b.sh --x"), file("/a/b.sh", true));
        assert_eq!(of("KEY=1 env B=2 ./b.sh"), file("./b.sh", true));
        assert_eq!(of("python3 -u hooks/x.py"), Program::Named("python3".to_owned()));
        assert_eq!(of("python3 hooks/x.py"), file("hooks/x.py", false));
        assert_eq!(of("node \"$CLAUDE_PROJECT_DIR\"/x.mjs"), file("/p/x.mjs", false));
        assert_eq!(of("\"${CLAUDE_PROJECT_DIR}/a b.sh\""), file("/p/a b.sh", true));
        assert_eq!(of("~/x.sh"), file("/home/u/x.sh", true));
        assert_eq!(of("jq -r .x"), Program::Named("jq".to_owned()));
        assert_eq!(of("bash -c 'exit 2'"), Program::Named("bash".to_owned()));
    }

    /// As dash 0.5.12 does, and with it Claude Code 2.1.332 (`r3_3_explain_fills_in_what_the_shell_fills_in`).
    #[test]
    fn what_quotes_keep_from_the_shell_is_not_filled_in() {
        for (command, path) in [
            ("'$HOME/x.sh' a", "$HOME/x.sh"),
            ("'${HOME}/a b.sh'", "${HOME}/a b.sh"),
            ("'a$HOME/x.sh'", "a$HOME/x.sh"),
            (r"\$HOME/x.sh", "$HOME/x.sh"),
            (r#""\$HOME"/x.sh"#, "$HOME/x.sh"),
            ("\"~/x.sh\"", "~/x.sh"),
            ("'~'/x.sh", "~/x.sh"),
            (r"\~/x.sh", "~/x.sh"),
        ] {
            assert_eq!(of(command), verbatim(path, true), "{command}");
        }
        assert_eq!(of("sh '$HOME/x.sh'"), verbatim("$HOME/x.sh", false));
        for (command, path) in [
            ("\"it's\"/'a'\"$HOME\"", "it's/a/home/u"),
            (r#""a\"$HOME""#, "a\"/home/u"),
            (r"\'$HOME", "'/home/u"),
            ("'a'\"$HOME/~\"", "a/home/u/~"),
            (r"'a\'$HOME", r"a\/home/u"),
            ("/a~'~'", "/a~~"),
            (r#""\~"/x.sh"#, r"\~/x.sh"),
        ] {
            assert_eq!(of(command), file(path, true), "{command}");
        }
    }

    #[test]
    fn what_the_words_do_not_tell_is_unknown() {
        for command in
            ["$HOOK", "${CLAUDE_PLUGIN_ROOT}/x.sh", "echo hi; exit 2", "", "[ -f x ] && y", "`which x`"]
        {
            assert_eq!(of(command), Program::Unknown, "{command}");
        }
        assert_eq!(of("echo 'x"), Program::Unreadable);
    }

    #[test]
    fn a_limit_of_the_command_itself_is_read() {
        let limit = |command| started(command, &|_| None).inner_limit_s;
        assert_eq!(limit("timeout 200 /a/b.sh"), Some(200.0));
        assert_eq!(limit("timeout -k 5 --foreground 200s /a/b.sh"), Some(200.0));
        assert_eq!(limit("/a/b.sh"), None);
    }
}
