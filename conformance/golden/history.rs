//! Sessions of several turns that fit.
use serde_json::json;

use super::given::{Given, call, denied, result_with};
use crate::kit::rows::Rows;

/// Each distance tells less: the turn before as a timeline, two with a line an action, older ones in words.
pub(super) fn six_turns() -> Given {
    let mut rows = Rows::new();
    for n in 1..=6 {
        rows.person(format!("第 {n} 件事：改 file{n}.py")).says(&format!("先看 file{n}.py。"));
        let edit = json!({"file_path": format!("/home/u/proj/file{n}.py"), "old_string": format!("old{n}"), "new_string": format!("new{n}")});
        call(&mut rows, &format!("toolu_{n}_edit"), "Edit", edit, "updated");
        let id = format!("toolu_{n}_run");
        rows.call(
            &id,
            "Bash",
            json!({"command": format!("pytest tests/test{n}.py"), "run_in_background": true}),
        )
        .result(&id, format!("Command running in background with ID: b{n}"));
        rows.queued(format!("第 {n} 件顺便加注释"))
            .queued_notification(&format!("Background command \"test{n}\" completed (exit code 0)"));
        let ask = json!({"questions": [{"question": format!("第 {n} 件要合并吗？"), "header": "合并", "options": [{"label": "合", "description": ""}, {"label": "不合", "description": ""}]}]});
        rows.call(&format!("toolu_{n}_ask"), "AskUserQuestion", ask);
        let answers = json!({"toolUseResult": {"answers": {format!("第 {n} 件要合并吗？"): "合"}}});
        result_with(&mut rows, &format!("toolu_{n}_ask"), "User has answered your questions".into(), answers);
        rows.call(&format!("toolu_{n}_push"), "Bash", json!({"command": "git push --force"}));
        denied(&mut rows, &format!("toolu_{n}_push"), Some(&format!("第 {n} 件也别强推")));
        rows.says(&format!("第 {n} 件做完了，测试通过。"));
        if n == 3 || n == 5 {
            rows.call(&format!("toolu_{n}_x"), "Bash", json!({"command": "make all"})).interrupt();
        }
    }
    Given::from(&mut rows)
}

/// The second prompt was taken back and asked in another way.
pub(super) fn rewind() -> Given {
    let mut rows = Rows::new();
    rows.person("先看看结构").says("一个服务，两个接口。");
    let branch = rows.last_uuid();
    rows.person("ABANDONED 把接口都删了");
    call(&mut rows, "toolu_1", "Bash", json!({"command": "rm ABANDONED"}), "ABANDONED");
    rows.says("ABANDONED 删了。");
    rows.hang_on(branch).person("只删旧接口");
    call(&mut rows, "toolu_2", "Bash", json!({"command": "git rm src/old.py"}), "rm 'src/old.py'");
    Given::from(rows.says("旧接口删了。"))
}

/// Compacted between two turns and again within the last one.
pub(super) fn compaction() -> Given {
    let mut rows = Rows::new();
    rows.person("接口按 v2 的格式来").says("好，按 v2。");
    rows.compact_boundary().summary("SUMMARY 用户要 v2");
    rows.person("把剩下的接口也改了");
    call(&mut rows, "toolu_1", "Bash", json!({"command": "grep -rln v1 src"}), "src/a.py\nsrc/b.py");
    rows.compact_boundary().summary("SUMMARY 还剩两个文件");
    call(&mut rows, "toolu_2", "Bash", json!({"command": "sed -i s/v1/v2/ src/a.py src/b.py"}), "");
    Given::from(rows.says("两个文件都改成 v2 了。"))
}
