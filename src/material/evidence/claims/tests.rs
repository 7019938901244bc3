//! What is claimed, what it weighs, and whose it is.

use super::super::Evidence;
use super::super::texts;
use super::super::walk::tests::tokens;
use super::*;
use crate::transcript::turn::{Call, Opener, OptionBox, Outcome, Output, Question, Said, Words};

fn said(text: &str) -> Entry {
    Entry::Said(Said { text: text.into(), message_id: None, block_index: None })
}

fn steer(text: &str) -> Entry {
    Entry::Steer(Words { text: text.into(), images: 0 })
}

fn answered(answer: &str) -> Entry {
    let question = Question { question: "哪个？".into(), options: vec![], answer: Some(answer.into()) };
    Entry::Asked(OptionBox { questions: vec![question], unanswered: None })
}

fn turn(words: &str, entries: Vec<Entry>) -> Turn {
    Turn { opener: Opener { words: words.into(), ..Opener::default() }, entries, prompt_ids: vec![] }
}

/// The needle that is the last token of this text, where it is looked for.
fn wanted(needles: &Needles, token: &str) -> Option<Needle> {
    let hash = tokens(token).last()?.hash;
    needles.wanted().find(|(wanted, _)| *wanted == hash).map(|(_, needle)| *needle)
}

fn is_wanted(words: &str, entries: Vec<Entry>, token: &str) -> bool {
    wanted(&Needles::of(&[&turn(words, entries)]), token).is_some()
}

#[test]
fn a_claim_weighs_by_its_looks_by_who_says_it_and_by_what_came_after() {
    let mut entries: Vec<Entry> = (0..13).map(|n| said(&format!("said_{n}"))).collect();
    entries.extend([steer("steered_1 44"), answered("answered_1"), said("last_1 44 batch")]);
    let needles = Needles::of(&[&turn("asked_1 batch, queue", entries)]);
    for (token, weight) in [
        ("last_1", Some(WHOLE)),
        ("44", Some(WEAK)),
        ("batch", Some(150)),
        // Each loses 20 to the one behind it, down to 800; the person's words lose nothing.
        ("said_12", Some(980)),
        ("said_11", Some(960)),
        ("said_4", Some(820)),
        ("said_3", Some(800)),
        ("said_2", Some(800)),
        ("said_0", Some(800)),
        ("steered_1", Some(600)),
        ("answered_1", Some(600)),
        ("asked_1", Some(600)),
        // 90 is too little.
        ("queue", None),
    ] {
        assert_eq!(wanted(&needles, token).map(|needle| needle.weight), weight, "{token}");
    }
}

#[test]
fn the_heaviest_claim_stays_and_of_equals_the_one_nearest_to_the_end() {
    let entries = vec![said("code_1"), steer("code_1 code_2"), said("code_3"), steer("code_2"), said("fine")];
    let needles = Needles::of(&[&turn("code_1 code_2 code_3", entries)]);
    let source = |token| wanted(&needles, token).map(|needle| needle.source);
    let entry = |index: usize| Some(Source::FIRST.behind(index + 1));
    assert_eq!(["code_1", "code_2", "code_3"].map(source), [0, 3, 2].map(entry));
}

#[test]
fn a_weak_token_of_many_sentences_is_looked_for_no_longer() {
    let is_wanted = |text: &str, token| is_wanted("跑", vec![said(text)], token);
    let sentences = |token: &str, n: usize| format!("{token}。").repeat(n);
    assert!(is_wanted(&sentences("batch", 3), "batch"));
    assert!(!is_wanted(&sentences("batch", 4), "batch"));
    assert!(!is_wanted(&sentences("batch", 9), "batch"));
    assert!(is_wanted("batch, batch, batch, batch, batch", "batch"), "one sentence");
    for strong in ["77", "code_1"] {
        assert!(is_wanted(&sentences(strong, 9), strong), "{strong}");
    }
    // A result is looked for whatever is claimed.
    assert!(is_wanted(&sentences("failed", 9), "failed"));
}

#[test]
fn sentences_end_at_their_signs_and_lines_at_their_ends() {
    let text = "v1.2 runs. Fine! Really? yes\n一。二！三？四；五, 六";
    let parts = ["v1.2 runs. ", "Fine! ", "Really? ", "yes\n", "一。", "二！", "三？", "四；", "五, 六"];
    assert!(sentences(text).eq(parts));
}

#[test]
fn of_very_long_claims_the_end_is_looked_at() {
    let long = |n_left: usize| said(&" ".repeat(CLAIMED_MAX - n_left));
    let before = "gone_1 一kept_2";
    for (n_left, is_gone, is_kept) in [(16, false, true), (8, true, true), (6, true, true), (5, true, false)]
    {
        let is_wanted = |token| is_wanted("", vec![said(before), long(n_left)], token);
        assert_eq!((is_wanted("gone_1"), is_wanted("kept_2")), (!is_gone, is_kept), "{n_left}");
    }
    // Of what the person wrote in the beginning the last thousand characters.
    for (n_between, is_early) in [(986, true), (987, false)] {
        let words = format!("early_1{}later_2", "、".repeat(n_between));
        let is_wanted = |token| is_wanted(&words, vec![said("fine")], token);
        assert_eq!((is_wanted("early_1"), is_wanted("later_2")), (is_early, true), "{n_between}");
    }
}

/// What is kept of an output beside what Claude says of it, the weightiest first.
fn kept<'o>(output: &'o str, reply: &str) -> Vec<&'o str> {
    let outcome = Outcome::Ok(Output { text: output.into(), images: 0 });
    let call = Call { tool: "Bash".into(), input: vec![], outcome, background: false };
    let at = texts::output_of(&call);
    let evidence = Evidence::of(&[&turn("跑", vec![Entry::Call(call), said(reply)])]);
    let windows = evidence[0].entry(0).of(at).iter();
    windows.map(|window| output.get(window.bytes.clone()).expect("whole characters").trim()).collect()
}

#[test]
fn a_count_is_found_in_another_language() {
    // Far enough from each other that no figure counts the next line's result.
    let lines = |line: &str| format!("{line}\nthen it was run once more\n");
    let output = |line| (1..=5).map(|n| lines(line).replace('#', &n.to_string())).collect::<String>();
    for (line, reply, windows) in [
        // The ends of a text show its results anyway.
        ("# failed", "有 3 个失败。", &["3 failed", "1 failed", "5 failed"][..]),
        ("exit code #", "退出码 3。", &["exit code 3", "exit code 5"]),
        ("# passed", "3 项通过。", &["3 passed", "5 passed"]),
        ("通过：#", "3 passed.", &["通过：3", "通过：5"]),
        ("# passed", "3 项失败。", &["5 passed"]),
    ] {
        assert_eq!(kept(&output(line), reply), windows, "{reply}");
    }
}
