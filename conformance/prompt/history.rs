//! What becomes of the earlier turns when all does not fit (4.36).
use super::cuts::{follow, is_cut, words};
use super::{ABOUT_60_000, call, command, is_about_60_000, prompt_of};
use crate::cases::parts::{Parts, is_short};
use crate::kit::check::checks;
use crate::kit::rows::Rows;

checks! {
    /// 4.36: a history that is short is not touched while the current turn can still be cut.
    fn r4_36_mild_cuts_come_before_earlier_turns(c: &mut Checks) {
        let mut rows = history(5, 400);
        rows.person("这一轮很长");
        for i in 0..9 {
            call(&mut rows, i, &words(&format!("o{i}"), 10_000));
        }
        let prompt = prompt_of(rows.says("好了"));
        let parts = Parts::of(&prompt);
        c.equal(
            "4.36",
            "earlier turns that are still there",
            turns_in(parts.earlier, 5),
            (0..5).collect::<Vec<_>>(),
        );
        c.contains("4.31", "the current turn was cut", parts.current, "……（省略 ");
        is_about_60_000(c, &prompt);
    }

    /// 4.36: what is left of the history is always its end.
    fn r4_36_the_oldest_turns_go_first(c: &mut Checks) {
        for (name, n_calls) in [("no calls", 0), ("60 calls", 60), ("250 calls", 250)] {
            let n_turns = 80;
            let mut rows = history(n_turns, 1_000);
            rows.person("这一轮");
            for i in 0..n_calls {
                call(&mut rows, i, &words(&format!("o{i:03}"), 1_500));
            }
            let prompt = prompt_of(rows.says("好了"));
            let parts = Parts::of(&prompt);
            let kept = turns_in(parts.earlier, n_turns);
            let n_kept = kept.len();
            c.equal(
                "4.36",
                format!("{name}: the newest {n_kept} turns, in order"),
                kept,
                (n_turns - n_kept..n_turns).collect::<Vec<_>>(),
            );
            c.that(
                "4.36",
                format!("{name}: some had to go"),
                n_kept < n_turns,
                "fewer than 80",
                n_kept.to_string(),
            );
            c.that(
                "4.36",
                format!("{name}: the turn before stays longest"),
                n_kept > 0,
                "1 or more",
                n_kept.to_string(),
            );
            let n_chars = prompt.chars().count();
            c.that(
                "4.31",
                format!("{name}: characters of the prompt"),
                n_chars <= ABOUT_60_000,
                "60,000 or a little more",
                n_chars.to_string(),
            );
            let first = kept_at(parts.earlier, n_turns - n_kept);
            let before = &parts.earlier[..first];
            let told = before.lines().find(|line| TELLING.iter().any(|word| line.contains(word)));
            c.that(
                "4.36",
                format!("{name}: one line says that turns were dropped"),
                told.is_some(),
                format!("a line with one of {TELLING:?}"),
                before,
            );
            let counts = told.is_some_and(|line| line.chars().any(|sign| sign.is_ascii_digit()));
            c.that(
                "4.36",
                format!("{name}: it has no number"),
                !counts,
                "no digit",
                told.unwrap_or_default(),
            );
        }
    }

    /// 4.36: nothing is dropped, so nothing is said about it.
    fn r4_36_a_history_that_fits_is_whole(c: &mut Checks) {
        let prompt = prompt_of(history(10, 300).person("这一轮").says("好了"));
        let parts = Parts::of(&prompt);
        c.equal("4.36", "earlier turns", turns_in(parts.earlier, 10), (0..10).collect::<Vec<_>>());
        let before = &parts.earlier[..kept_at(parts.earlier, 0)];
        c.that(
            "4.36",
            "no line about dropped turns",
            is_short(before) && !before.contains("省略"),
            "nothing between mark and first turn but its heading",
            before,
        );
    }

    /// 4.36: the history keeps about 20,000 characters while the current turn can still give.
    fn r4_36_the_history_keeps_20_000_before_the_tight_tiers(c: &mut Checks) {
        let mut rows = history(60, 1_000);
        rows.person("这一轮");
        for i in 0..100 {
            call(&mut rows, i, &words(&format!("o{i:03}"), 6_000));
        }
        let prompt = prompt_of(rows.says("好了"));
        let parts = Parts::of(&prompt);
        let n_earlier = parts.earlier.chars().count();
        c.that(
            "4.36",
            "characters of the earlier turns",
            (15_000..=22_000).contains(&n_earlier),
            "about 20,000",
            n_earlier.to_string(),
        );
        is_about_60_000(c, &prompt);
        for i in 0..100 {
            c.contains("4.32", "each call", parts.current, &command(i));
        }
    }

    /// 4.33: an entry of an earlier turn is cut as exactly as one of the current turn.
    fn r4_33_cuts_in_the_turn_before_are_exact_too(c: &mut Checks) {
        let (output, reply, message) = (words("out", 40_000), words("rep", 30_000), words("msg", 30_000));
        let mut rows = Rows::new();
        rows.person(message.clone());
        call(&mut rows, 0, &output);
        rows.says(&reply).person("这一轮").says("好了");
        let prompt = prompt_of(&rows);
        let earlier = Parts::of(&prompt).earlier;
        for (name, text) in [("output", &output), ("reply", &reply), ("message", &message)] {
            let n_chars = text.chars().count();
            let kept = follow(earlier, text);
            c.that(
                "4.33",
                format!("the {name} of the turn before"),
                is_cut(&kept, n_chars),
                "a cut that adds up",
                format!("{kept:?}"),
            );
        }
    }

    /// 4.31: a turn before that is longer than everything is cut short, not dropped.
    fn r4_31_a_huge_turn_before_does_not_push_the_limit(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person(format!("很早的一句 OLD-WORDS {}", words("old", 150_000))).says("答了");
        rows.person(format!("上一轮的话 PREVIOUS-WORDS {}", words("msg", 150_000)));
        for i in 0..100 {
            call(&mut rows, i, &words(&format!("o{i:03}"), 3_000));
        }
        rows.says(&format!("上一轮答完 PREVIOUS-REPLY {}", words("rep", 30_000)))
            .person("这一轮")
            .says("好了");
        let prompt = prompt_of(&rows);
        let earlier = Parts::of(&prompt).earlier;
        c.contains("4.21", "the words of the turn before", earlier, "PREVIOUS-WORDS");
        c.contains("4.21", "its reply", earlier, "PREVIOUS-REPLY");
        is_about_60_000(c, &prompt);
    }
}

/// Words for the line that says that turns were dropped: its wording is free.
const TELLING: &[&str] =
    &["更早", "省略", "略去", "丢", "未列", "没列", "删", "omitted", "dropped", "left out"];

/// `n_turns` turns whose words are about `n_chars` long and begin with their number.
fn history(n_turns: usize, n_chars: usize) -> Rows {
    let mut rows = Rows::new();
    for i in 0..n_turns {
        rows.person(format!("{}{}", turn_name(i), words(&format!("h{i:03}"), n_chars)));
        rows.says(&format!("第几轮都答了 reply-{i:03}."));
    }
    rows
}

fn turn_name(i: usize) -> String {
    format!("turn-{i:03}.")
}

/// The turns whose words are in a text, in the order in which they are there.
fn turns_in(text: &str, n_turns: usize) -> Vec<usize> {
    let mut found: Vec<(usize, usize)> =
        (0..n_turns).filter_map(|i| Some((text.find(&turn_name(i))?, i))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, i)| i).collect()
}

fn kept_at(text: &str, i: usize) -> usize {
    text.find(&turn_name(i)).unwrap_or_default()
}
