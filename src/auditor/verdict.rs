//! The VERDICT line of an auditor's answer (6.3).
//!
//! The last line that begins with `VERDICT:` counts, even where it names nothing known: an earlier one may be a
//! quotation of the material.

/// What the auditor decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to report.
    Pass,
    /// A remark that holds nobody up.
    Note(String),
    /// Sends Claude back.
    Fail(String),
}

/// Why an answer holds no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoVerdict {
    /// No line begins with `VERDICT:`.
    NoLine,
    /// So many lines do, where only one may.
    Several(usize),
    /// The last such line names none of the three.
    Unknown(String),
}

/// What stands for a reason that the auditor did not give.
const NO_REASON: &str = "审计员没有写理由";

/// Reasons are asked for in fifty characters; this only keeps runaway answers out of messages: five notes that are
/// handed on together stay under the client's 10,000 (6.13).
const MAX_REASON: usize = 1_500;

/// Finds the verdict in an answer.
///
/// # Errors
/// [`NoVerdict`] where the answer holds none.
pub fn find(answer: &str) -> Result<Verdict, NoVerdict> {
    let line = answer.lines().rev().find_map(verdict_line).ok_or(NoVerdict::NoLine)?;
    let word_end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (word, rest) = line.split_at(word_end);
    if is_template(rest) {
        return Err(NoVerdict::Unknown(line.to_owned()));
    }
    match word {
        "PASS" => Ok(Verdict::Pass),
        "NOTE" => Ok(Verdict::Note(reason(rest))),
        "FAIL" => Ok(Verdict::Fail(reason(rest))),
        _ => Err(NoVerdict::Unknown(line.to_owned())),
    }
}

/// How many lines of an answer begin as a verdict does.
pub fn n_lines(answer: &str) -> usize {
    answer.lines().filter_map(verdict_line).count()
}

/// Whether this is a form that the instruction gives and not a verdict: an auditor that only echoes its prompt must
/// not block anybody.
fn is_template(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '—' | '–'));
    rest.starts_with("<50字内：") || rest.starts_with(['/', '|'])
}

/// What follows `VERDICT:` in a line that begins with it, white space and Markdown marks passed over.
fn verdict_line(line: &str) -> Option<&str> {
    let line = line.trim_matches(is_decoration).strip_prefix("VERDICT")?;
    let line = line.trim_start_matches(is_decoration);
    let line = line.strip_prefix([':', '：'])?;
    Some(line.trim_matches(is_decoration))
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '*' | '>' | '\u{feff}')
}

fn reason(rest: &str) -> String {
    let rest = rest
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '—' | '–' | ':' | '：' | '*'));
    let rest = rest.trim();
    if rest.is_empty() { NO_REASON.to_owned() } else { crate::material::cut::one_line(rest, MAX_REASON) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(reason: &str) -> Verdict {
        Verdict::Fail(reason.to_owned())
    }

    #[test]
    fn the_last_line_counts() {
        assert_eq!(find("VERDICT: PASS\nVERDICT: FAIL - x"), Ok(fail("x")));
        assert_eq!(find("VERDICT: FAIL - x\nVERDICT: PASS\nbye"), Ok(Verdict::Pass));
    }

    #[test]
    fn decoration_is_passed_over() {
        for line in [
            "  VERDICT: FAIL - x\r",
            "**VERDICT: FAIL - x**",
            "> `VERDICT：FAIL — x`",
            "VERDICT: FAIL – x",
            "**VERDICT:** FAIL - x",
        ] {
            assert_eq!(find(line), Ok(fail("x")), "{line}");
        }
    }

    #[test]
    fn a_sentence_is_no_verdict() {
        assert_eq!(find("I would say VERDICT: PASS"), Err(NoVerdict::NoLine));
        assert_eq!(find(""), Err(NoVerdict::NoLine));
        assert_eq!(find("VERDICT: MAYBE"), Err(NoVerdict::Unknown("MAYBE".to_owned())));
        assert_eq!(find("VERDICT: PASSED"), Err(NoVerdict::Unknown("PASSED".to_owned())));
        assert!(find(crate::prompt::INSTRUCTION).is_err());
        assert!(find("VERDICT: PASS / NOTE / FAIL").is_err());
        assert_eq!(find("VERDICT: PASS\nVERDICT: hm"), Err(NoVerdict::Unknown("hm".to_owned())));
    }

    #[test]
    fn a_fail_without_a_reason_is_a_fail_that_says_so() {
        assert_eq!(find("VERDICT: FAIL"), Ok(fail(NO_REASON)));
        assert_eq!(find("VERDICT: NOTE -  "), Ok(Verdict::Note(NO_REASON.to_owned())));
    }
}
