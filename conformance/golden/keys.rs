//! Keys in what is sent: each has its number, here and in the turn before.
use serde_json::json;

use super::given::{Given, call};
use crate::kit::rows::Rows;

const GITHUB: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const OPENAI: &str = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLXNvbWUtbGVuZ3Ro";

/// A private key as `Read` gives it.
fn numbered_pem() -> String {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let lines =
        ["-----BEGIN PRIVATE KEY-----", body, body, "p2PKSQnSJP3AJLQN", "-----END PRIVATE KEY-----", "# end"];
    let numbered = lines.iter().enumerate().map(|(n, line)| format!("{:>6}\t{line}", n + 1));
    numbered.collect::<Vec<String>>().join("\n")
}

/// One key in many places, others beside it, guesses, and a marker of an earlier prompt.
pub(super) fn keys() -> Given {
    let mut rows = Rows::new();
    rows.person(format!("用这个推：{GITHUB}")).says("推上去了。");
    rows.person("现在 CI 报 401，看看是不是密钥配错了");
    let env = format!("OPENAI_API_KEY={OPENAI}\nGH_TOKEN={GITHUB}\nDB_PASSWORD=hunter2hunter2\n");
    call(&mut rows, "toolu_1", "Read", json!({"file_path": "/home/u/proj/.env"}), &env);
    call(&mut rows, "toolu_2", "Read", json!({"file_path": "/home/u/proj/deploy.pem"}), &numbered_pem());
    let curl = json!({"command": format!("curl -s -H 'Authorization: Bearer {JWT}' https://example.com/me")});
    call(&mut rows, "toolu_3", "Bash", curl, "{\"error\":\"invalid signature\"}");
    let edit = json!({"file_path": "/home/u/proj/ci.yml", "old_string": format!("token: {OPENAI}"), "new_string": format!("token: {GITHUB}")});
    call(&mut rows, "toolu_4", "Edit", edit, "updated");
    let log = "上次的提示词里写的是［密钥 1，已抹去］";
    call(&mut rows, "toolu_5", "Bash", json!({"command": "tail -1 prompt.txt"}), log);
    Given::from(rows.says(&format!("原来填的是 OpenAI 的 {OPENAI}，换成了 GitHub 的 {GITHUB}。")))
}
