//! The texts of an entry that may be cut, numbered. Selection and rendering speak of them by these numbers.

use crate::transcript::turn::{Call, Entry, OptionBox, Outcome, Output, Unanswered};

/// The only text of most entries.
pub const ONLY: usize = 0;

/// What a call gave back stands behind its arguments.
pub fn output_of(call: &Call) -> usize {
    call.input.len()
}

/// What the person typed when denying a call stands last.
pub fn denial_of(call: &Call) -> usize {
    call.input.len() + 1
}

/// A question of an option box; its answer is the next number.
pub fn question(index: usize) -> usize {
    index * 2
}

/// What the person wrote instead of answering stands last.
pub fn instead_of(asked: &OptionBox) -> usize {
    asked.questions.len() * 2
}

/// An entry's texts, in the order of their numbers. What is always short has none.
pub fn of(entry: &Entry) -> Vec<&str> {
    match entry {
        Entry::Said(said) => vec![&said.text],
        Entry::Call(call) => {
            let input = call.input.iter().map(|field| body(&field.text));
            let output = output(&call.outcome).map(|output| body(&output.text)).unwrap_or_default();
            input.chain([output, denial(&call.outcome)]).collect()
        }
        Entry::Asked(asked) => {
            let questions = asked
                .questions
                .iter()
                .flat_map(|asked| [asked.question.as_str(), asked.answer.as_deref().unwrap_or_default()]);
            let instead = match &asked.unanswered {
                Some(Unanswered::Instead(words) | Unanswered::Failed(words)) => words.as_str(),
                Some(Unanswered::Closed) | None => "",
            };
            questions.chain([instead]).collect()
        }
        Entry::Steer(words) => vec![&words.text],
        Entry::Bang { output, .. } => vec![output],
        Entry::Peer { body: text, .. }
        | Entry::BackgroundResult(text)
        | Entry::Scheduled(text)
        | Entry::Interrupted(text)
        | Entry::OtherHook(text)
        | Entry::StillRunning(text) => vec![text],
        Entry::AuditBlock(_) => Vec::new(),
    }
}

/// What a call gave back, where there is a result.
pub fn output(outcome: &Outcome) -> Option<&Output> {
    match outcome {
        Outcome::Ok(output) | Outcome::Failed(output) | Outcome::NeverRan { output, .. } => Some(output),
        Outcome::Pending => None,
    }
}

/// What is told of an argument or an output: blank lines round it are layout, and would take the place of its head and
/// tail.
pub fn body(text: &str) -> &str {
    text.trim_end().trim_start_matches(['\n', '\r'])
}

fn denial(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::NeverRan { reason: Some(reason), .. } => reason,
        Outcome::NeverRan { reason: None, .. } | Outcome::Ok(_) | Outcome::Failed(_) | Outcome::Pending => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::turn::{Field, Question};

    #[test]
    fn the_numbers_are_those_of_the_list() {
        let field = |name: &str, text: &str| Field { name: name.into(), text: text.into(), is_change: false };
        let input = vec![field("command", "\nls"), field("cwd", "  src\n\n"), field("why", "\r\nlook")];
        let outcome = Outcome::NeverRan {
            output: Output { text: "\n no\n ".into(), images: 0 },
            may_have_begun: false,
            reason: Some("别跑".into()),
        };
        let call = Call { tool: "Bash".into(), input, outcome, background: false };
        let (output, denial) = (output_of(&call), denial_of(&call));
        let entry = Entry::Call(call);
        let texts = of(&entry);
        // Blank lines round them are gone, the indentation of the first line is not.
        assert_eq!(texts, ["ls", "  src", "look", " no", "别跑"]);
        assert_eq!((texts[output], texts[denial]), (" no", "别跑"));

        let asked = |question: &str, answer: Option<&str>| Question {
            question: question.into(),
            options: vec![],
            answer: answer.map(str::to_owned),
        };
        let asked = OptionBox {
            questions: vec![asked("哪个？", Some("A")), asked("何时？", None), asked("谁？", Some("C"))],
            unanswered: Some(Unanswered::Instead("都不要".into())),
        };
        let instead = instead_of(&asked);
        let entry = Entry::Asked(asked);
        let texts = of(&entry);
        assert_eq!(texts, ["哪个？", "A", "何时？", "", "谁？", "C", "都不要"]);
        assert_eq!([0, 1, 2].map(|index| texts[question(index)]), ["哪个？", "何时？", "谁？"]);
        assert_eq!(texts[instead], "都不要");
    }
}
