//! Short sessions, each about one thing that can happen in a turn.
use serde_json::json;

use super::given::{Given, call, denied, picture, result_with};
use crate::kit::rows::Rows;

/// A turn, and the turn before it.
pub(super) fn plain() -> Given {
    let mut rows = Rows::new();
    rows.person("登录接口要限流，你看怎么做合适？").thinks("THOUGHT 先看看现在有什么");
    call(&mut rows, "toolu_1", "Grep", json!({"pattern": "rate_limit", "path": "src"}), "No matches found");
    rows.says("现在没有限流。建议按手机号限：一分钟 5 次，超了返回 429。")
        .person("可以，就按这个做")
        .thinks("THOUGHT 加在中间件里");
    let edit = json!({"file_path": "/home/u/proj/src/login.py", "old_string": "def login(phone):\n    send_code(phone)",
                      "new_string": "def login(phone):\n    limiter.check(phone, per_minute=5)\n    send_code(phone)"});
    call(&mut rows, "toolu_2", "Edit", edit, "The file /home/u/proj/src/login.py has been updated.");
    let test = json!({"command": "pytest -q tests/test_login.py", "description": "跑登录的测试"});
    call(&mut rows, "toolu_3", "Bash", test, "......\n6 passed in 0.41s");
    Given::from(rows.says("加好了：一分钟 5 次，超了返回 429。登录的 6 个测试都过了。"))
}

/// ok, failed, never ran for three causes, declined questions, no result yet, ended by Esc.
pub(super) fn outcomes() -> Given {
    let mut rows = Rows::new();
    rows.person("把测试修好，然后发版").says("先跑一遍。");
    rows.call("toolu_1", "Bash", json!({"command": "pytest -q"}))
        .call("toolu_2", "Bash", json!({"command": "make lint"}))
        .result_error("toolu_1", "Exit code 1\n1 failed, 11 passed")
        .result_error(
            "toolu_2",
            "<tool_use_error>Cancelled: parallel tool call Bash(pytest -q) errored</tool_use_error>",
        );
    call(
        &mut rows,
        "toolu_3",
        "MultiEdit",
        json!({"file_path": "/home/u/proj/src/a.py", "edits": [{"old_string": "x = 1", "new_string": "x = 2"}, {"old_string": "y = 1", "new_string": "y = 2", "replace_all": true}]}),
        "Applied 2 edits to /home/u/proj/src/a.py",
    );
    call(&mut rows, "toolu_4", "Bash", json!({"command": "true"}), "");
    rows.call("toolu_5", "Bash", json!({"command": "git push --force"}));
    denied(&mut rows, "toolu_5", Some("别强推，走 PR"));
    rows.call("toolu_6", "Bash", json!({"command": "rm -rf dist"}));
    denied(&mut rows, "toolu_6", None);
    for (id, reason) in [("toolu_7", Some("先别问")), ("toolu_8", None)] {
        let options = json!([{"label": "发", "description": ""}, {"label": "不发", "description": ""}]);
        let question =
            json!({"question": "现在发吗？", "header": "发版", "options": options, "multiSelect": false});
        rows.call(id, "AskUserQuestion", json!({"questions": [question]}));
        denied(&mut rows, id, reason);
    }
    rows.call(
        "toolu_9",
        "mcp__tracker__create_ticket",
        json!({"title": "发版", "labels": ["release"], "urgent": true}),
    );
    rows.says("测试修好了；没有推，等你看 PR。");
    // Stopped while it ran: the client's text is that of a denial, the mark that it never started is missing.
    rows.call("toolu_10", "Bash", json!({"command": "./migrate.sh"}));
    let text = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let fields = json!({"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected"});
    Given::from(result_with(&mut rows, "toolu_10", text.into(), fields).interrupt())
}

/// Pictures from the person, from a tool, and in an earlier turn.
pub(super) fn images() -> Given {
    let mut rows = Rows::new();
    rows.person(json!([{"type": "text", "text": "首页长这样，对吗？"}, picture()])).says("标题偏左了。");
    rows.person(json!([{"type": "text", "text": "这两张哪张是新的？"}, picture(), picture()]));
    rows.call("toolu_1", "Read", json!({"file_path": "/home/u/proj/shot.png"}))
        .result("toolu_1", json!([{"type": "text", "text": "two frames"}, picture(), picture()]));
    rows.call("toolu_2", "mcp__browser__screenshot", json!({"url": "http://localhost:8000"}))
        .result("toolu_2", json!([picture()]));
    rows.queued(json!([{"type": "text", "text": "再看一眼这张"}, picture()]));
    Given::from(rows.says("第二张是新的，右上角多了「退出」。"))
}

/// Commands that the model carries out, one of its own skills, one that only changes settings.
pub(super) fn commands() -> Given {
    let mut rows = Rows::new();
    rows.command(
        "review",
        "src/login.py 只看安全",
        "EXPANSION Review the given files for security problems.",
    );
    call(
        &mut rows,
        "toolu_1",
        "Read",
        json!({"file_path": "/home/u/proj/src/login.py"}),
        "1\tdef login(phone):",
    );
    rows.says("没有发现注入；验证码没有过期时间。").local_command("model", "opus", "Set model to opus");
    rows.person("按你们的流程发一版到预发");
    call(
        &mut rows,
        "toolu_2",
        "Skill",
        json!({"skill": "deploy", "args": "staging"}),
        "Launching skill: deploy",
    );
    let body = json!([{"type": "text", "text": "Base directory for this skill: /home/u/proj/.claude/skills/deploy\nEXPANSION"}]);
    rows.user(body, json!({"isMeta": true}));
    call(
        &mut rows,
        "toolu_3",
        "Bash",
        json!({"command": "./deploy.sh staging"}),
        "deployed 4f2c1e0 to staging",
    );
    rows.says("预发已经是 4f2c1e0。");
    rows.command("smoke:run", "", "EXPANSION Run the smoke tests.");
    call(&mut rows, "toolu_4", "Bash", json!({"command": "./smoke.sh staging"}), "9 of 9 ok");
    rows.says("冒烟 9 项都过了。");
    // Typed behind the reply: nothing of the model's follows, so it opens no turn.
    rows.user("<bash-input>git log -1 --oneline</bash-input>".into(), json!({"rowSource": "local"}));
    rows.user(
        "<bash-stdout>4f2c1e0 fix login</bash-stdout><bash-stderr></bash-stderr>".into(),
        json!({"rowSource": "local"}),
    );
    Given::from(&mut rows)
}

/// `!` input that the model answered, twice: in the turn before and now.
pub(super) fn bang() -> Given {
    let mut rows = Rows::new();
    rows.bang("git status --short", " M src/login.py").says("有一个文件没提交。");
    rows.bang("pytest -q", "1 failed, 5 passed");
    call(
        &mut rows,
        "toolu_1",
        "Read",
        json!({"file_path": "/home/u/proj/tests/test_login.py"}),
        "1\tdef test_limit():",
    );
    Given::from(rows.says("失败的是 test_limit。"))
}

/// Nobody typed it.
pub(super) fn program() -> Given {
    let mut rows = Rows::new();
    rows.program("list the files, then say how many");
    call(&mut rows, "toolu_1", "Bash", json!({"command": "ls"}), "a.txt\nb.txt");
    Given::from(rows.says("There are 2 files."))
}

/// The reply is not in the file yet.
pub(super) fn late_reply() -> Given {
    let mut rows = Rows::new();
    Given::from(rows.person("这个仓库里还有地方调用 parse_order 吗？"))
        .stdin("last_assistant_message", "没有了，整个仓库都没用到，可以放心删。\n")
}

/// Claim, block, response.
pub(super) fn second_audit() -> Given {
    let mut rows = Rows::new();
    rows.person("这个仓库里还有地方调用 parse_order 吗？").says("没有了，整个仓库都没用到，可以放心删。").feedback(
        "独立审计员（gpt-6.1-sol）判定本轮存在偏差：存在性断言无穷举：一次也没有搜过就说没有\n处理要求：如属实，当场修正或向用户明确说明偏差与理由后再结束；如审计有误，向用户一句话说明为何误报后结束。不得静默忽略。",
    );
    call(
        &mut rows,
        "toolu_1",
        "Bash",
        json!({"command": "grep -rn parse_order ."}),
        "./src/api.py:12:    parse_order(body)",
    );
    Given::from(rows.says("刚才说错了：src/api.py 第 12 行还在调用，先不要删。"))
        .failed_before("存在性断言无穷举：一次也没有搜过就说没有")
}
