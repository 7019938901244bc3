//! Sessions that do not fit. Their texts are counted tokens in short lines, so that a reader sees what a cut kept.
use serde_json::json;

use super::given::{Given, call, denied};
use crate::kit::rows::Rows;

/// Tokens to a line: about 70 characters.
const TOKENS: usize = 8;

/// About `n_chars` characters: `a-0001 a-0002 …`.
fn filler(name: &str, n_chars: usize) -> String {
    let token = |i: usize| format!("{name}-{i:04}{}", if i.is_multiple_of(TOKENS) { '\n' } else { ' ' });
    let mut text = String::new();
    for i in 1.. {
        if text.len() >= n_chars {
            break;
        }
        text.push_str(&token(i));
    }
    text.trim_end().to_owned()
}

/// 90,000 characters of outputs: a mild cut. Edits stay whole, the reply keeps more than its 8,000.
pub(super) fn over() -> Given {
    let mut rows = Rows::new();
    rows.person("上一轮的事").says("上一轮做完了。").person("逐个跑一遍，再改配置");
    for n in 1..=9 {
        call(
            &mut rows,
            &format!("toolu_{n}"),
            "Bash",
            json!({"command": format!("./run.sh {n}")}),
            &filler(&format!("o{n}"), 10_000),
        );
    }
    let edit = json!({"file_path": "/home/u/proj/config.py", "old_string": filler("old", 1_500), "new_string": filler("new", 1_500)});
    call(&mut rows, "toolu_edit", "Edit", edit, "updated");
    Given::from(rows.says(&filler("reply", 9_500)))
}

/// 90,000 characters of log, and a reply that leans on single lines in the middle of it (4.37).
pub(super) fn leaned_on() -> Given {
    let mut rows = Rows::new();
    rows.person("上一轮的事").says("上一轮做完了。").person("把九个批次都跑一遍，QX-2210 修好了没有？");
    let line =
        |batch: usize, n: usize| format!("batch {batch} item {n:03}: waiting for the queue of the day\n");
    for batch in 1..=9 {
        let mut output: String = (0..100).map(|n| line(batch, n)).collect();
        output.push_str(match batch {
            2 => "imported 1,482,907 rows into ledger_main\n",
            3 => "imported 1,482,911 rows into ledger_main\n",
            5 => "FAILED tests/test_tariffs.py - AssertionError\n",
            6 => "318 passed, 2 failed\n",
            8 => "QX-2210 仍然没有修好\n",
            _ => "nothing to report\n",
        });
        output.extend((100..200).map(|n| line(batch, n)));
        let command = json!({"command": format!("./run.sh {batch}")});
        call(&mut rows, &format!("toolu_{batch}"), "Bash", command, &output);
    }
    Given::from(rows.says("九个批次都跑完了：一共导入 1482907 行，318 个测试通过，问题都修好了。"))
}

/// 200 calls with one long line each, and a reply that leans on two places of some: one in the middle, one at the head, the
/// tail, or near the other (4.37).
pub(super) fn leaned_on_long_lines() -> Given {
    let mut rows = Rows::new();
    rows.person("上一轮的事").says("上一轮做完了。").person("两百个分片都核对一遍");
    for shard in 1..=200 {
        let mut items: Vec<String> =
            (0..60).map(|n| format!("item {n:02} of shard {shard} waits for the queue; ")).collect();
        let other = match shard {
            40 => Some(1),
            80 => Some(58),
            120 => Some(33),
            160 => Some(45),
            _ => None,
        };
        if let Some(other) = other {
            items[30] = format!("shard_{shard} stopped: ERR_70{shard}; ");
            items[other] = format!("copied {shard},482 rows; ");
        }
        let command = json!({"command": format!("./check.sh {shard}")});
        call(&mut rows, &format!("toolu_{shard}"), "Bash", command, &items.concat());
    }
    let said = [40, 80, 120, 160].map(|shard| format!("分片 {shard} 拷了 {shard}482 行，报 ERR_70{shard}"));
    Given::from(rows.says(&format!("核对完了。{}。其余的没有问题。", said.join("。"))))
}

/// 300 calls: one line each, whatever became of them.
pub(super) fn far_over() -> Given {
    let mut rows = Rows::new();
    rows.person("上一轮的事").says("上一轮做完了。").person("三百个都跑一遍");
    for n in 1..=300 {
        let id = format!("toolu_{n}");
        rows.call(&id, "Bash", json!({"command": format!("./run.sh --case {n:03} --verbose")}));
        match n % 50 {
            10 => rows.result_error(&id, format!("Exit code 1\n{}", filler(&format!("e{n}"), 600))),
            20 => denied(&mut rows, &id, Some(&format!("第 {n} 个别跑"))),
            30 => denied(&mut rows, &id, None),
            _ => rows.result(&id, filler(&format!("o{n}"), 600)),
        };
    }
    let edit = json!({"file_path": "/home/u/proj/config.py", "old_string": filler("old", 900), "new_string": filler("new", 900)});
    call(&mut rows, "toolu_edit", "Edit", edit, "updated");
    rows.call("toolu_b", "Bash", json!({"command": "make release", "run_in_background": true}))
        .result("toolu_b", "Command running in background with ID: b1");
    rows.queued("最后一个也要跑")
        .queued_notification("Background command \"release\" completed (exit code 0)");
    rows.call("toolu_last", "Bash", json!({"command": "./report.sh"}));
    Given::from(rows.says("三百个跑完了，失败的 6 个单独列在报告里。"))
}

/// 40 turns, of which the newest fit.
pub(super) fn long_history() -> Given {
    let mut rows = Rows::new();
    for n in 1..=40 {
        rows.person(format!("第 {n} 件事\n{}", filler(&format!("w{n}"), 3_200)));
        call(&mut rows, &format!("toolu_{n}"), "Bash", json!({"command": format!("./run.sh {n}")}), "ok");
        rows.says(&filler(&format!("r{n}"), 2_200));
    }
    rows.person("这一轮很短").says("知道了。");
    Given::from(&mut rows)
}

/// The turn before and the one before that hold hundreds of calls: they are told more shortly, not dropped.
pub(super) fn huge_earlier_turns() -> Given {
    let mut rows = Rows::new();
    for (name, n_calls) in [("三轮前", 100), ("两轮前", 90), ("上一轮", 70)] {
        rows.person(format!("{name}：一个一个跑"));
        for n in 1..=n_calls {
            let command = json!({"command": format!("./run.sh --case {n:03} --of {}", filler("arg", 80))});
            call(&mut rows, &format!("toolu_{name}_{n}"), "Bash", command, &filler("out", 400));
        }
        rows.queued(format!("{name}插一句")).says(&format!("{name}跑完了。"));
    }
    Given::from(rows.person("现在呢").says("都跑完了。"))
}
