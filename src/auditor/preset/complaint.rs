//! What a client complained about, out of all that it prints on stderr: no stack, no log, no colours.

/// Lines that are told at most.
const LINES: usize = 3;

/// Where a client's log quotes what the service said.
const QUOTED: &str = "error.error=";

/// The lines of a text that tell something; nothing where none does.
pub(super) fn words(stderr: &str, noise: &[&str]) -> String {
    let plain = without_colours(stderr);
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let quoted = lines.iter().find_map(|line| line.split_once(QUOTED));
    if let Some((_, quoted)) = quoted {
        return quoted.trim_matches('"').to_owned();
    }
    let tells = |line: &&&str| !line.starts_with("at ") && !noise.iter().any(|noise| line.starts_with(noise));
    let telling: Vec<&str> = lines.iter().filter(tells).take(LINES).copied().collect();
    telling.join("；")
}

/// Without the sequences `ESC [ … letter` that set colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let mut letters = rest.chars();
        letters.next();
        rest = letters.as_str();
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_stack_and_noise_are_passed_over() {
        let stderr =
            "Warning: 256-color support\nAttempt 1 failed: quota\n    at f (x.js:1)\n    at g (y.js:2)\n";
        assert_eq!(words(stderr, &["Warning: 256"]), "Attempt 1 failed: quota");
        assert_eq!(words("\u{1b}[91m\u{1b}[1mError: \u{1b}[0mno such model\n", &[]), "Error: no such model");
        assert_eq!(words("noise\n", &["noise"]), "");
        assert_eq!(words("", &["noise"]), "");
    }

    #[test]
    fn three_lines_are_told_at_most() {
        assert_eq!(words(" a \n\nb\nc\nd\n", &[]), "a；b；c");
        assert_eq!(words("\u{1b}[1;31mred\u{1b}[0m\u{1b}[K", &[]), "red");
    }

    #[test]
    fn what_a_log_quotes_of_the_service_is_told() {
        let log = "level=INFO message=loop\nlevel=ERROR message=\"stream error\" error.error=\"AI_APICallError: 500\"\n";
        assert_eq!(words(log, &["level="]), "AI_APICallError: 500");
    }
}
