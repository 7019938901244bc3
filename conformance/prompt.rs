//! The prompt as a whole: the fixed texts, and what happens to lengths.
use serde_json::{Value, json};

use crate::cases::parts::{CLOSING, CURRENT, EARLIER, INSTRUCTION, Parts};
use crate::kit::check::{Checks, checks};
use crate::kit::rows::Rows;
use crate::kit::sandbox::Sandbox;

pub(crate) mod cuts;
pub(crate) mod evidence;
pub(crate) mod history;

use cuts::{emoji, follow, is_cut, kept_chars, pieces, words};

/// The soft limit of 60,000 characters, with some room for what "about" means.
const ABOUT_60_000: usize = 62_000;

checks! {
    /// 5.1: two sessions, one and the same beginning, and it is the spec's.
    fn r5_1_the_instruction_is_verbatim_and_first(c: &mut Checks) {
        let short = prompt_of(Rows::new().person("问一句").says("答一句"));
        let long = over_the_limit();
        for (name, prompt) in [("a short turn", &short), ("a turn over the limit", &long)] {
            let head: String = prompt.chars().take(INSTRUCTION.chars().count()).collect();
            c.that(
                "5.1",
                format!("{name} begins with the instruction"),
                head == INSTRUCTION,
                INSTRUCTION,
                head,
            );
        }
        let again = prompt_of(Rows::new().person("问一句").says("答一句"));
        c.equal("5.1", "the same session gives the same prompt", again == short, true);
    }

    /// 5.2, however long the material is.
    fn r5_2_the_closing_line_is_last(c: &mut Checks) {
        let short = prompt_of(Rows::new().person("问一句").says("答一句"));
        for (name, prompt) in [("a short turn", short), ("a turn over the limit", over_the_limit())] {
            let last = prompt.trim_end_matches('\n').lines().last().unwrap_or_default();
            c.equal("5.2", format!("the last line of {name}"), last, CLOSING);
        }
    }

    /// 4.4: 200,000 characters and not one less.
    fn r4_4_the_persons_message_is_whole_up_to_200_000(c: &mut Checks) {
        for n_chars in [150_000, 200_000] {
            let text = words("w", n_chars);
            let prompt = prompt_of(Rows::new().person(text.clone()).says("好"));
            let kept = follow(Parts::of(&prompt).current, &text);
            c.equal("4.4", format!("what is kept of {n_chars} characters"), kept, Ok(vec![(0, n_chars)]));
        }
    }

    /// 4.4: beyond that the tail is the longer part, since new instructions stand at the end.
    fn r4_4_a_longer_message_keeps_more_of_its_tail(c: &mut Checks) {
        let n_chars = 300_000;
        let text = words("w", n_chars);
        let prompt = prompt_of(Rows::new().person(text.clone()).says("好"));
        let kept = follow(Parts::of(&prompt).current, &text);
        c.that(
            "4.33",
            "head and tail, and the exact number between",
            is_cut(&kept, n_chars),
            "two or more pieces",
            format!("{kept:?}"),
        );
        let pieces = pieces(Parts::of(&prompt).current, &text);
        let length = |piece: Option<&(usize, usize)>| piece.map_or(0, |(from, to)| to - from);
        let (head, tail) = (length(pieces.first()), length(pieces.last()));
        c.that(
            "4.4",
            "the tail is longer than the head",
            tail > head && head > 0,
            "tail > head > 0",
            format!("head {head}, tail {tail}"),
        );
        c.that(
            "4.4",
            "it was cut to 200,000, not to less",
            kept_chars(&pieces) > 190_000,
            "about 200,000",
            kept_chars(&pieces).to_string(),
        );
    }

    /// 4.31: no cut without need.
    fn r4_31_what_fits_is_not_cut(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("看一下");
        let outputs: Vec<String> = (0..5).map(|i| words(&format!("o{i}"), 9_000)).collect();
        for (i, output) in outputs.iter().enumerate() {
            call(&mut rows, i, output);
        }
        let prompt = prompt_of(rows.says("看完了"));
        let current = Parts::of(&prompt).current;
        for output in &outputs {
            c.equal("4.31", "an output of 9,000 characters", follow(current, output), Ok(vec![(0, 9_000)]));
        }
        c.absent("4.31", "no mark of a cut", current, "（省略 ");
    }

    /// 4.31, 4.32, 4.33: 200,000 characters of outputs.
    fn r4_31_a_long_turn_is_cut_to_about_60_000(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍 WHOLE-MESSAGE");
        let outputs: Vec<String> = (0..20).map(|i| words(&format!("o{i:02}"), 10_000)).collect();
        for (i, output) in outputs.iter().enumerate() {
            call(&mut rows, i, output);
        }
        let prompt = prompt_of(rows.says("跑完了 THE-REPLY"));
        let current = Parts::of(&prompt).current;
        is_about_60_000(c, &prompt);
        c.contains("4.32", "the person's message", current, "全部跑一遍 WHOLE-MESSAGE");
        c.contains("4.5", "the reply", current, "跑完了 THE-REPLY");
        for (i, output) in outputs.iter().enumerate() {
            c.contains("4.32", "each call", current, &command(i));
            let kept = follow(current, output);
            c.that(
                "4.33",
                format!("output {i}: head, tail, exact number"),
                is_cut(&kept, 10_000),
                "a cut that adds up",
                format!("{kept:?}"),
            );
        }
    }

    /// 4.32: every call, however many.
    fn r4_32_five_hundred_calls_all_stay(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("一个一个来 WHOLE-MESSAGE");
        for i in 0..500 {
            call(&mut rows, i, &words(&format!("o{i:03}"), 2_000));
        }
        let prompt = prompt_of(rows.says("五百个都好了 THE-REPLY"));
        let current = Parts::of(&prompt).current;
        let lost: Vec<usize> = (0..500).filter(|i| !current.contains(&command(*i))).collect();
        c.equal("4.32", "calls that are lost", lost, Vec::new());
        c.contains("4.32", "the person's message", current, "一个一个来 WHOLE-MESSAGE");
        c.contains("4.34", "the reply", current, "五百个都好了 THE-REPLY");
        let mut from = 0;
        let in_order = (0..500).all(|i| current[from..].find(&command(i)).map(|at| from += at).is_some());
        c.equal("4.32", "they are in order", in_order, true);
    }

    /// 4.31, 4.36: lists of edits are calls like any other: cut, and one line each where nothing else helps.
    fn r4_36_lists_of_edits_are_cut_like_other_calls(c: &mut Checks) {
        for (n_calls, n_edits) in [(12, 60), (400, 10)] {
            let what = format!("{n_calls} calls of {n_edits} edits");
            let mut rows = Rows::new();
            rows.person("都改掉 WHOLE-MESSAGE");
            for i in 0..n_calls {
                let old = |n: usize| words(&format!("o{i:03}x{n:02}"), 100);
                let new = |n: usize| words(&format!("n{i:03}x{n:02}"), 100);
                let edits: Vec<Value> =
                    (0..n_edits).map(|n| json!({"old_string": old(n), "new_string": new(n)})).collect();
                let id = format!("toolu_{i}");
                rows.call(
                    &id,
                    "MultiEdit",
                    json!({"file_path": format!("/home/u/proj/{}", command(i)), "edits": edits}),
                );
                rows.result(&id, "edited");
            }
            let prompt = prompt_of(rows.says("都改了 THE-REPLY"));
            let current = Parts::of(&prompt).current;
            is_about_60_000(c, &prompt);
            let lost: Vec<usize> = (0..n_calls).filter(|i| !current.contains(&command(*i))).collect();
            c.equal("4.32", format!("{what}: calls that are lost"), lost, Vec::new());
            c.contains("4.34", format!("{what}: the reply"), current, "都改了 THE-REPLY");
            // However many edits a call makes, it is not told in a line for each of them.
            let n_lines = current.lines().count();
            let most = n_calls * n_edits;
            c.that(
                "4.36",
                format!("{what}: lines"),
                n_lines < most,
                format!("< {most}"),
                n_lines.to_string(),
            );
        }
    }

    /// 4.32: the message is not cut for the sake of the limit.
    fn r4_32_a_long_message_stays_beside_long_outputs(c: &mut Checks) {
        let message = words("m", 70_000);
        let mut rows = Rows::new();
        rows.person(message.clone());
        for i in 0..10 {
            call(&mut rows, i, &words(&format!("o{i}"), 10_000));
        }
        let prompt = prompt_of(rows.says("好了"));
        let current = Parts::of(&prompt).current;
        c.equal("4.32", "the message", follow(current, &message), Ok(vec![(0, 70_000)]));
        for i in 0..10 {
            c.contains("4.32", "each call", current, &command(i));
        }
    }

    /// 4.34: the reply's share, also where one call is as long as the limit.
    fn r4_34_the_final_reply_keeps_8_000(c: &mut Checks) {
        for n_calls in [1, 20, 400] {
            let reply = words("r", 20_000);
            let mut rows = Rows::new();
            rows.person("写个总结");
            for i in 0..n_calls {
                call(&mut rows, i, &words(&format!("o{i:03}"), 120_000 / n_calls));
            }
            let prompt = prompt_of(rows.says(&reply));
            let kept = follow(Parts::of(&prompt).current, &reply);
            c.that(
                "4.33",
                format!("{n_calls} calls: the pieces of the reply add up"),
                kept.is_ok(),
                "pieces",
                format!("{kept:?}"),
            );
            let n_kept = kept_chars(&pieces(Parts::of(&prompt).current, &reply));
            c.that(
                "4.34",
                format!("{n_calls} calls: characters of the reply"),
                n_kept >= 8_000,
                "8,000 or more",
                n_kept.to_string(),
            );
        }
    }

    /// 4.34: a reply that is only on stdin has the same share.
    fn r4_34_a_late_reply_keeps_8_000(c: &mut Checks) {
        let reply = words("r", 20_000);
        let mut rows = Rows::new();
        rows.person("写个总结");
        for i in 0..20 {
            call(&mut rows, i, &words(&format!("o{i:03}"), 10_000));
        }
        let sandbox = Sandbox::new();
        sandbox.transcript(rows.rows());
        let prompt = sandbox.stop().set("last_assistant_message", reply.as_str()).prompt();
        let n_kept = kept_chars(&pieces(Parts::of(&prompt).current, &reply));
        c.that("4.34", "characters of the reply", n_kept >= 8_000, "8,000 or more", n_kept.to_string());
    }

    /// 4.34: what changed stays visible.
    fn r4_34_edits_and_writes_are_cut_least(c: &mut Checks) {
        let (old, new, content) = (words("old", 6_000), words("new", 6_000), words("wrt", 6_000));
        let mut rows = Rows::new();
        rows.person("改一下再跑");
        rows.call(
            "toolu_e",
            "Edit",
            json!({"file_path": "/home/u/proj/a.py", "old_string": old, "new_string": new}),
        );
        rows.result("toolu_e", "The file has been updated.");
        rows.call("toolu_w", "Write", json!({"file_path": "/home/u/proj/b.txt", "content": content}));
        rows.result("toolu_w", "File created successfully.");
        let outputs: Vec<String> = (0..20).map(|i| words(&format!("o{i:02}"), 6_000)).collect();
        for (i, output) in outputs.iter().enumerate() {
            call(&mut rows, i, output);
        }
        let prompt = prompt_of(rows.says("改好了"));
        let current = Parts::of(&prompt).current;
        let of = |text: &str| kept_chars(&pieces(current, text));
        let most = outputs.iter().map(|output| of(output.as_str())).max().unwrap_or_default();
        c.that("4.34", "the outputs had to be cut", most < 6_000, "less than 6,000", most.to_string());
        for (name, text) in
            [("the old text of the edit", &old), ("its new text", &new), ("the written content", &content)]
        {
            let n_kept = of(text);
            c.that(
                "4.34",
                format!("{name} keeps more than an output of its size"),
                n_kept > most,
                format!("more than {most}"),
                n_kept.to_string(),
            );
        }
    }

    /// 4.35: cuts fall between characters, and the number counts Unicode scalar values.
    fn r4_35_a_cut_never_splits_a_character(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("表情也要数对");
        let outputs: Vec<String> = (0..16).map(|i| emoji(i, 6_000 + i)).collect();
        for (i, output) in outputs.iter().enumerate() {
            call(&mut rows, i, output);
        }
        let reply = emoji(99, 20_000);
        let prompt = prompt_of(rows.says(&reply));
        c.absent("4.35", "no broken character", &prompt, "\u{fffd}");
        let current = Parts::of(&prompt).current;
        for (i, output) in outputs.iter().chain([&reply]).enumerate() {
            let n_chars = output.chars().count();
            let kept = follow(current, output);
            c.that(
                "4.35",
                format!("text {i} of {n_chars} characters"),
                is_cut(&kept, n_chars),
                "a cut that adds up in characters",
                format!("{kept:?}"),
            );
        }
    }

    /// 4.33: whatever kind of entry is cut.
    fn r4_33_every_kind_of_entry_is_cut_exactly(c: &mut Checks) {
        let n_chars = 30_000;
        let names = [
            "says", "command", "output", "failure", "old", "new", "content", "task", "field", "steer",
            "peer", "result",
        ];
        let texts: Vec<String> = names.iter().map(|name| words(name, n_chars)).collect();
        let text =
            |name: &str| texts[names.iter().position(|other| *other == name).expect("one of them")].as_str();
        let mut rows = Rows::new();
        rows.person("什么都来一点").says(text("says"));
        rows.call("toolu_1", "Bash", json!({"command": text("command")})).result("toolu_1", text("output"));
        rows.call("toolu_2", "Bash", json!({"command": "false"})).result_error("toolu_2", text("failure"));
        rows.call(
            "toolu_3",
            "Edit",
            json!({"file_path": "/home/u/a", "old_string": text("old"), "new_string": text("new")}),
        );
        rows.result("toolu_3", "updated");
        rows.call("toolu_4", "Write", json!({"file_path": "/home/u/b", "content": text("content")}))
            .result("toolu_4", "created");
        rows.call("toolu_5", "Task", json!({"description": "d", "prompt": text("task")}))
            .result("toolu_5", "done");
        rows.call("toolu_6", "mcp__a__b", json!({"field": text("field")})).result("toolu_6", "done");
        rows.queued(text("steer")).peer("proj-d3", text("peer")).notification(text("result")).says("好了");
        let prompt = prompt_of(&rows);
        let current = Parts::of(&prompt).current;
        for (name, text) in names.iter().zip(&texts) {
            let kept = follow(current, text);
            c.that(
                "4.33",
                format!("{name}: the pieces add up"),
                kept.is_ok(),
                "pieces with exact marks",
                format!("{kept:?}"),
            );
        }
        is_about_60_000(c, &prompt);
    }

    /// 4.34: what was said in between gives way to what was said last.
    fn r4_34_long_words_in_between_do_not_take_the_replys_share(c: &mut Checks) {
        let reply = words("r", 20_000);
        let mut rows = Rows::new();
        rows.person("边做边说");
        for i in 0..10 {
            rows.says(&words(&format!("s{i}"), 20_000));
            call(&mut rows, i, "ok");
        }
        let prompt = prompt_of(rows.says(&reply));
        let n_kept = kept_chars(&pieces(Parts::of(&prompt).current, &reply));
        c.that("4.34", "characters of the reply", n_kept >= 8_000, "8,000 or more", n_kept.to_string());
        is_about_60_000(c, &prompt);
    }
}

fn prompt_of(rows: &Rows) -> String {
    let sandbox = Sandbox::new();
    sandbox.transcript(rows.rows());
    sandbox.stop().prompt()
}

fn is_about_60_000(c: &mut Checks, prompt: &str) {
    let n_chars = prompt.chars().count();
    c.that("4.31", "characters of the prompt", n_chars <= ABOUT_60_000, "about 60,000", n_chars.to_string());
}

fn over_the_limit() -> String {
    let mut rows = Rows::new();
    rows.person("全部跑一遍");
    for i in 0..20 {
        call(&mut rows, i, &words(&format!("o{i:02}"), 10_000));
    }
    prompt_of(rows.says("跑完了"))
}

fn command(i: usize) -> String {
    format!("run-{i:04}.")
}

fn call(rows: &mut Rows, i: usize, output: &str) {
    let id = format!("toolu_{i}");
    rows.call(&id, "Bash", json!({"command": command(i)})).result(&id, output);
}

#[test]
fn marks_of_the_parts_are_not_in_the_instruction_at_the_start_of_a_line() {
    assert!(INSTRUCTION.lines().all(|line| !line.starts_with(CURRENT) && !line.starts_with(EARLIER)));
}
