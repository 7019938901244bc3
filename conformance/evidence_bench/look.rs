//! What a prompt shows of the planted facts. Claude's words and what the person asked do not count as evidence.

use super::turns::{Place, Planted};

/// What one prompt, or many together, showed.
#[derive(Default)]
pub(crate) struct Seen {
    /// Of each planted fact, whether it is there.
    pub(crate) facts: Vec<bool>,
    /// Characters of the prompt.
    pub(crate) chars: usize,
    /// Those that stand between two marks of one text.
    pub(crate) in_windows: usize,
    /// Those in windows that hold no planted fact.
    pub(crate) in_idle_windows: usize,
}

const OPEN: &str = "……（省略 ";
const CLOSE: &str = " 字）……";

pub(crate) fn at(prompt: &str, planted: &[Planted]) -> Seen {
    let (mut evidence, mut words) = (String::new(), String::new());
    let mut windows = Vec::new();
    for block in blocks(prompt) {
        windows.extend(between_marks(&block.text));
        // The person's words are where the person's facts are looked for, and nowhere else.
        let into = if block.label.starts_with("助手：") {
            continue;
        } else if ["用户消息", "〔用户中途插话〕", "〔选项框〕"]
            .iter()
            .any(|label| block.label.starts_with(label))
        {
            &mut words
        } else {
            &mut evidence
        };
        into.push_str(&block.text);
        into.push_str("\n\n");
    }
    let is_seen = planted.iter().map(|fact| match fact.place {
        Place::Person | Place::Agreement => words.contains(&fact.key),
        _ => evidence.contains(&fact.key),
    });
    let n = |text: &String| text.chars().count();
    let is_idle = |text: &&String| !planted.iter().any(|fact| text.contains(&fact.key));
    Seen {
        facts: is_seen.collect(),
        chars: prompt.chars().count(),
        in_windows: windows.iter().map(n).sum(),
        in_idle_windows: windows.iter().filter(is_idle).map(n).sum(),
    }
}

struct Block {
    label: String,
    text: String,
}

/// Each label with the barred lines under it; a call in one line is a block of its own.
fn blocks(prompt: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in prompt.lines() {
        if let (Some(text), Some(block)) = (line.strip_prefix("| "), blocks.last_mut()) {
            block.text.push_str(text);
            block.text.push('\n');
            continue;
        }
        let text = if line.starts_with("工具 ") { format!("{line}\n") } else { String::new() };
        blocks.push(Block { label: line.to_owned(), text });
    }
    blocks
}

fn between_marks(text: &str) -> Vec<String> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text;
    let mut is_behind_mark = false;
    while let Some((before, after)) = rest.split_once(OPEN) {
        if is_behind_mark {
            pieces.push(before);
        }
        rest = after.split_once(CLOSE).map_or("", |(_, rest)| rest);
        is_behind_mark = true;
    }
    pieces.into_iter().map(str::to_owned).collect()
}
