//! Every text of a turn that somebody wrote or a tool printed, to be changed in place.
//!
//! A new kind of text has to be named here before it compiles: what is forgotten would be sent as it stands.

use super::turn::{
    Call, Entry, Field, Opener, OptionBox, Outcome, Output, Question, Said, Turn, Unanswered, Words,
};

impl Turn {
    /// Calls `change` with each text, in the order of the turn.
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Turn { opener: Opener { words, images: _, sender: _ }, entries, prompt_ids: _ } = self;
        change(words);
        for entry in entries {
            of_entry(entry, change);
        }
    }
}

fn of_entry(entry: &mut Entry, change: &mut dyn FnMut(&mut String)) {
    match entry {
        Entry::Said(Said { text, message_id: _, block_index: _ })
        | Entry::Steer(Words { text, images: _ })
        | Entry::BackgroundResult(text)
        | Entry::Scheduled(text)
        | Entry::Interrupted(text)
        | Entry::AuditBlock(text)
        | Entry::OtherHook(text)
        | Entry::StillRunning(text) => change(text),
        Entry::Peer { from, body } => {
            change(from);
            change(body);
        }
        Entry::Bang { command, output } => {
            change(command);
            change(output);
        }
        Entry::Call(call) => of_call(call, change),
        Entry::Asked(asked) => of_option_box(asked, change),
    }
}

fn of_call(call: &mut Call, change: &mut dyn FnMut(&mut String)) {
    let Call { tool, input, outcome, background: _ } = call;
    change(tool);
    for Field { name, text, is_change: _ } in input {
        change(name);
        change(text);
    }
    match outcome {
        Outcome::Ok(Output { text, images: _ }) | Outcome::Failed(Output { text, images: _ }) => change(text),
        Outcome::NeverRan { output: Output { text, images: _ }, may_have_begun: _, reason } => {
            change(text);
            reason.iter_mut().for_each(change);
        }
        Outcome::Pending => {}
    }
}

fn of_option_box(asked: &mut OptionBox, change: &mut dyn FnMut(&mut String)) {
    let OptionBox { questions, unanswered } = asked;
    for Question { question, options, answer } in questions {
        change(question);
        options.iter_mut().for_each(&mut *change);
        answer.iter_mut().for_each(&mut *change);
    }
    match unanswered {
        Some(Unanswered::Instead(text) | Unanswered::Failed(text)) => change(text),
        Some(Unanswered::Closed) | None => {}
    }
}
