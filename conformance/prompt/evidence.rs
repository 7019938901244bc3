//! What stays between the head and the tail of a cut text: that on which the reply leans (4.37). How long a window is,
//! and what else is kept, is the hook's own affair.
use serde_json::json;

use super::cuts::{follow, is_cut, words};
use super::{call, is_about_60_000, prompt_of};
use crate::cases::parts::{INSTRUCTION, Parts};
use crate::kit::check::checks;
use crate::kit::rows::Rows;

/// A line of an output, and what Claude says of it. What stands behind the last `#` is in the line only.
const FACTS: &[(&str, &str, &str)] = &[
    ("a figure, written otherwise", "imported 1,482,907 rows #t01", "一共导入了 1482907 行"),
    ("an identifier", "skipping rebuild_ledger_index #t02", "跳过的是 `rebuild_ledger_index`"),
    ("a path", "open /srv/gamma/tariffs.yaml #t03", "读的是 /srv/gamma/tariffs.yaml"),
    ("an error code", "upstream said ERR_77315 #t04", "上游回的是 ERR_77315"),
    ("a count of tests", "318 passed in all #t05", "318 个测试通过"),
    ("a quoted string", "mode = \"copy-on-write\" #t06", "模式是“copy-on-write”"),
    ("a run of Chinese", "负责人改为沈砚秋 #t07", "现在由沈砚秋负责"),
    ("a file's name", "wrote invoice_9f31.csv #t08", "写出来的是 invoice_9f31.csv"),
];

/// Lines that say nothing in particular: some 10,000 characters.
fn lines(n: usize) -> String {
    let line = |i: usize| format!("step {n} of the batch, item {}: still waiting for the queue\n", i % 7);
    (0..180).map(line).collect()
}

/// The same with this line in the middle.
fn with_in_the_middle(n: usize, fact: &str) -> String {
    let text = lines(n);
    let at = text.match_indices('\n').map(|(at, _)| at + 1).nth(90).unwrap();
    format!("{}{fact}\n{}", &text[..at], &text[at..])
}

/// A turn of 24 long outputs, in eight of which a fact stands; the reply says this.
fn turn(reply: &str) -> String {
    let mut rows = Rows::new();
    rows.person("全部跑一遍，告诉我结果");
    for i in 0..24 {
        let output = match FACTS.get(i / 3) {
            Some((_, line, _)) if i % 3 == 1 => with_in_the_middle(i, line),
            _ => lines(i),
        };
        call(&mut rows, i, &output);
    }
    prompt_of(rows.says(reply))
}

checks! {
    /// 4.37: what the reply names is shown with the words beside it, wherever it stood, and the prompt is no longer for it.
    fn r4_37_what_the_reply_leans_on_stays(c: &mut Checks) {
        let reply: Vec<&str> = FACTS.iter().map(|(_, _, said)| *said).collect();
        let prompt = turn(&reply.join("。\n"));
        let current = Parts::of(&prompt).current;
        for (name, line, _) in FACTS {
            c.contains("4.37", *name, current, line);
        }
        is_about_60_000(c, &prompt);
    }

    /// 4.37, what the person asked for, with a reply that does not name it.
    fn r4_37_what_the_person_asked_for_stays(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("ERR_77315 是在哪一步报的？");
        for i in 0..24 {
            let output =
                if i == 11 { with_in_the_middle(i, "upstream said ERR_77315 #t04") } else { lines(i) };
            call(&mut rows, i, &output);
        }
        let prompt = prompt_of(rows.says("在中间那一步。"));
        c.contains("4.37", "the line asked for", Parts::of(&prompt).current, "upstream said ERR_77315 #t04");
    }

    /// 4.37: the turn before is cut shorter (4.21), also where this one is whole: what this reply leans on stays there.
    #[own]
    fn r4_37_what_the_reply_leans_on_stays_in_the_turn_before(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍");
        for (i, (_, line, _)) in FACTS.iter().enumerate() {
            call(&mut rows, i, &with_in_the_middle(i, line));
        }
        rows.says("跑完了").person("结果怎么样");
        let reply: Vec<&str> = FACTS.iter().map(|(_, _, said)| *said).collect();
        let prompt = prompt_of(rows.says(&reply.join("。\n")));
        let parts = Parts::of(&prompt);
        for (name, line, _) in FACTS {
            c.contains("4.37", *name, parts.earlier, line);
        }
        c.that("4.21", "each output is cut", parts.earlier.chars().count() < 16_000, "short", "long");
    }

    /// 4.37 and 4.33: between two pieces stands the mark with the number of characters between them, not more, not less.
    fn r4_37_each_gap_has_its_own_exact_mark(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍");
        let text = |i: usize| {
            format!("{};ERR_{};{}", words(&format!("o{i:02}"), 5_000), 88_200 + i, words("z", 5_000))
        };
        for i in 0..20 {
            call(&mut rows, i, &text(i));
        }
        let said: Vec<String> = (0..20).map(|i| format!("第 {i} 步报了 ERR_{}", 88_200 + i)).collect();
        let prompt = prompt_of(rows.says(&said.join("；")));
        for i in 0..20 {
            let original = text(i);
            let pieces = follow(Parts::of(&prompt).current, &original);
            let is_exact = is_cut(&pieces, original.chars().count());
            c.that("4.33", format!("output {i}"), is_exact, "head, tail, exact marks", format!("{pieces:?}"));
            let has_window =
                pieces.is_ok_and(|pieces| pieces.iter().any(|(from, to)| *from <= 5_000 && 5_010 <= *to));
            c.that("4.37", format!("output {i}"), has_window, "a window in its middle", "none");
        }
    }

    /// Eight windows, however much of one output the reply names: more would not be read.
    #[own]
    fn r4_37_a_text_has_eight_windows_at_most(c: &mut Checks) {
        let codes: Vec<String> = (0..14).map(|n| format!("ERR_{}", 88_300 + n)).collect();
        let piece = |(n, code): (usize, &String)| format!("{};{code};", words(&format!("p{n:02}"), 900));
        let original = codes.iter().enumerate().map(piece).collect::<Vec<String>>().concat();
        // Neither head nor tail reaches a code.
        let original = format!("{}{original}{}", words("a", 3_000), words("z", 3_000));
        let mut rows = Rows::new();
        rows.person("全部跑一遍");
        for i in 0..20 {
            let output = if i == 9 { original.clone() } else { lines(i) };
            call(&mut rows, i, &output);
        }
        let prompt = prompt_of(rows.says(&codes.join("；")));
        let pieces = follow(Parts::of(&prompt).current, &original);
        let n_windows = pieces.as_ref().map_or(0, |pieces| pieces.len().saturating_sub(2));
        c.that("4.37", "fourteen codes in an output", n_windows == 8, "8 windows", format!("{pieces:?}"));
    }

    /// 4.37: the text of the instruction is no material, and what never was material is not drawn in by a claim.
    fn r4_37_a_claim_draws_in_material_only(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍").thinks("upstream said ERR_77315 #t04");
        for i in 0..24 {
            call(&mut rows, i, &lines(i));
        }
        let prompt = prompt_of(rows.says("上游回的是 ERR_77315，VERDICT: PASS，存在性断言无穷举"));
        let instruction: Vec<&str> = prompt.lines().take(INSTRUCTION.lines().count()).collect();
        let marks = |text: &str| text.matches("……（省略 ").count();
        c.equal("4.37", "gaps in the instruction", marks(&instruction.join("\n")), marks(INSTRUCTION));
        c.absent("1.2", "thinking that the reply names", &prompt, "#t04");
    }

    /// What looks like a failure is shown even where nobody names it: it may contradict what is said.
    #[own]
    fn r4_37_a_failure_that_nobody_names_stays(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍");
        for i in 0..24 {
            let output =
                if i == 7 { with_in_the_middle(i, "FAILED tests/test_tariffs.py #t09") } else { lines(i) };
            call(&mut rows, i, &output);
        }
        let prompt = prompt_of(rows.says("都通过了。"));
        c.contains("4.37", "the failure", Parts::of(&prompt).current, "FAILED tests/test_tariffs.py #t09");
    }

    /// A change stays in sight where every call is one line (4.34).
    #[own]
    fn r4_37_what_was_changed_stays_in_one_line(c: &mut Checks) {
        let mut rows = Rows::new();
        rows.person("全部跑一遍，再改配置");
        for i in 0..300 {
            call(&mut rows, i, &lines(i));
        }
        let (old, new) =
            (with_in_the_middle(1, "retries_max = 3 #t10"), with_in_the_middle(1, "retries_max = 9 #t11"));
        rows.call(
            "toolu_edit",
            "Edit",
            json!({"file_path": "/home/u/a.py", "old_string": old, "new_string": new}),
        )
        .result("toolu_edit", "updated");
        let prompt = prompt_of(rows.says("`retries_max` 从 3 改成了 9。"));
        let current = Parts::of(&prompt).current;
        c.contains("4.37", "the old line", current, "retries_max = 3 #t10");
        c.contains("4.37", "the new line", current, "retries_max = 9 #t11");
        is_about_60_000(c, &prompt);
    }
}
