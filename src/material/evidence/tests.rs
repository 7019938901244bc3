//! The selection as a whole: from a turn to what is kept of its entries.

use super::*;
use crate::transcript::turn::{Field, Opener, Outcome, Output, Said};

pub(super) fn said(text: &str) -> Entry {
    Entry::Said(Said { text: text.into(), message_id: None, block_index: None })
}

fn call(output: &str) -> Entry {
    let field = Field { name: "command".into(), text: "./run.sh".into(), is_change: false };
    let outcome = Outcome::Ok(Output { text: output.into(), images: 0 });
    Entry::Call(Call { tool: "Bash".into(), input: vec![field], outcome, background: false })
}

pub(super) fn turn(words: &str, entries: Vec<Entry>) -> Turn {
    Turn { opener: Opener { words: words.into(), ..Opener::default() }, entries, prompt_ids: vec![] }
}

/// What is met in these texts, each of an entry of its own, when Claude replies this.
pub(super) fn with_hits<R>(reply: &str, texts: &[(Voice, &str)], see: impl FnOnce(&Hits<'_, '_>) -> R) -> R {
    let needles = Needles::of(&[&turn("跑", vec![said(reply)])]);
    let mut hits = Hits::new(&needles);
    // Before them come what the person asked, and the reply.
    for (index, (voice, text)) in texts.iter().enumerate() {
        hits.look(Source::FIRST.behind(index + 2), ONLY, text, *voice);
    }
    see(&hits)
}

/// What is kept of the outputs of these calls, beside what Claude says at the end.
fn kept(words: &str, outputs: &[&str], reply: &str) -> Vec<Vec<String>> {
    let mut entries: Vec<Entry> = outputs.iter().map(|output| call(output)).collect();
    entries.push(said(reply));
    let turn = turn(words, entries);
    let evidence = Evidence::of(&[&turn]);
    let windows = |(index, output): (usize, &&str)| {
        let windows = evidence[0].entry(index).of(1).iter();
        windows.map(|window| output[window.bytes.clone()].trim().to_owned()).collect()
    };
    outputs.iter().enumerate().map(windows).collect()
}

const OUTPUT: &str = "start\nwaiting\nretries 4417 of all\nwaiting\n共 9 项\nend";

#[test]
fn the_line_that_the_reply_names_is_kept() {
    assert_eq!(kept("跑一遍", &[OUTPUT], "一共 4,417 次重试。"), [["retries 4417 of all"]]);
    assert_eq!(kept("跑一遍", &[OUTPUT], "跑完了。"), [Vec::<String>::new()]);
}

#[test]
fn what_the_person_asks_for_is_kept_too() {
    assert_eq!(kept("4417 是哪来的？", &[OUTPUT], "跑完了。"), [["retries 4417 of all"]]);
}

#[test]
fn of_two_lines_with_the_same_figure_the_one_that_shares_more_is_kept() {
    let outputs = ["wil_por p95 4417 us\nx", "x\ndex_cor p95 4417 us"];
    let none = Vec::<String>::new();
    assert_eq!(
        kept("跑", &outputs, "dex_cor 的 p95 是 4417 µs。"),
        [none, vec!["dex_cor p95 4417 us".to_owned()]]
    );
}

#[test]
fn what_is_everywhere_tells_nothing() {
    let many = "code ERR_1\n".repeat(100);
    assert_eq!(kept("跑", &[&many], "报的是 ERR_1。"), [Vec::<String>::new()]);
}

#[test]
fn a_result_is_kept_though_nobody_names_it() {
    assert_eq!(kept("跑", &["a\nFAILED test_x\nb"], "都好。"), [["FAILED test_x"]]);
    assert_eq!(kept("跑", &["a\nfine test_x\nb"], "都好。"), [Vec::<String>::new()]);
}

#[test]
fn claude_is_no_evidence_for_itself() {
    let turn = turn("跑", vec![said("一共 4417 次。"), call("nothing"), said("一共 4417 次重试。")]);
    let evidence = Evidence::of(&[&turn]);
    assert!(!evidence[0].entry(1).is_named);
    assert!(evidence[0].entry(2).of(texts::ONLY).is_empty());
}

#[test]
fn what_was_changed_and_what_the_person_said_is_cut_last() {
    let field = Field { name: "new_string".into(), text: "x".into(), is_change: true };
    let edit = Call { tool: "Edit".into(), input: vec![field], outcome: Outcome::Pending, background: false };
    let turn = turn("改", vec![Entry::Call(edit), call("x"), said("改了。")]);
    let evidence = Evidence::of(&[&turn]);
    assert_eq!([0, 1].map(|index| evidence[0].entry(index).is_named), [true, false]);
}

#[test]
fn a_change_shows_its_best_place_though_another_text_is_in_better_company() {
    let changed = "x\nwil_por p95 4417 us\ny";
    let field = Field { name: "new_string".into(), text: changed.into(), is_change: true };
    let edit = Call { tool: "Edit".into(), input: vec![field], outcome: Outcome::Pending, background: false };
    let entries = vec![Entry::Call(edit), call("dex_cor p95 4417 us"), said("dex_cor 的 p95 是 4417 µs。")];
    let evidence = Evidence::of(&[&turn("改", entries)]);
    let windows = evidence[0].entry(0).of(0).iter().map(|window| changed[window.bytes.clone()].trim());
    assert_eq!(windows.collect::<Vec<_>>(), ["wil_por p95 4417 us"]);
}

#[test]
fn the_turn_before_has_its_own_windows() {
    let (current, before) =
        (turn("那次重试了几次？", vec![said("4417 次。")]), turn("跑", vec![call(OUTPUT)]));
    let evidence = Evidence::of(&[&current, &before]);
    let window = &evidence[1].entry(0).of(1)[0];
    assert_eq!(&OUTPUT[window.bytes.clone()], "\nretries 4417 of all\n");
}

#[test]
fn what_the_reply_before_says_is_evidence_and_what_this_one_says_is_not() {
    let long = format!("{}\n问题是 ERR_7 引起的\n{}", "前面".repeat(40), "后面".repeat(40));
    let current = turn("上次的 `ERR_7` 是怎么回事？", vec![said("说过了：ERR_7。")]);
    let before = turn("跑", vec![call("nothing"), said(&long)]);
    let evidence = Evidence::of(&[&current, &before]);
    let windows = |turn: usize, entry: usize| evidence[turn].entry(entry).of(ONLY).len();
    assert_eq!((windows(0, 0), windows(1, 1)), (0, 1));
    assert!(evidence[1].entry(1).is_named);
}
