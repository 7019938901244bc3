//! What the default auditor gets of the person's: their login and their relay, and nothing else (1.6). A Codex stand-in
//! on PATH tells what it was given; arguments can be read by every user of the machine.
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::hook::quoted;
use crate::kit::programs::{FakeCodex, message};
use crate::kit::sandbox::Sandbox;

/// The person's Codex configuration: a relay with two secrets, and words that are no business of the auditor's.
const CONFIG: &str = r#"
model_provider = "relay"
developer_instructions = "PERSONS-INSTRUCTIONS"

[model_providers.relay]
name = "Relay"
base_url = "https://relay.example/v1"
experimental_bearer_token = "BEARER-VALUE"
http_headers = { "X-Relay-Key" = "HEADER-VALUE" }
"#;

/// Puts another file in the login's place, as a client does that writes a new file and renames it.
const RENEWS: &str =
    "printf renewed >\"$CODEX_HOME/new\" && mv -f \"$CODEX_HOME/new\" \"$CODEX_HOME/auth.json\"";

checks! {
    /// 1.6: the relay's secrets go by environment.
    #[own]
    fn r1_6_no_secret_of_a_relay_is_an_argument(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        write(&sandbox.path("home/.codex/config.toml"), CONFIG);
        let values = sandbox.path("values");
        let tells = format!("env >{}", quoted(&values.to_string_lossy()));
        let codex = FakeCodex::doing(&sandbox, &[message("VERDICT: PASS")], &tells);
        let run = codex.stop().run();
        c.that("1.6", "the turn is audited", run.silent(), "a pass", run.seen());
        let arguments = codex.recording().argv().join("\n");
        let environment = fs::read_to_string(values).unwrap_or_default();
        c.contains("1.6", "the relay is an argument", &arguments, "https://relay.example/v1");
        for secret in ["BEARER-VALUE", "HEADER-VALUE"] {
            c.absent("1.6", format!("{secret} is no argument"), &arguments, secret);
            let lines = environment.lines().filter_map(|line| line.split_once('='));
            let names: Vec<&str> =
                lines.filter(|(_, value)| *value == secret).map(|(name, _)| name).collect();
            c.equal("1.6", format!("variables that hold {secret}"), names.len(), 1);
            for name in names {
                c.contains("1.6", format!("the arguments name the variable of {secret}"), &arguments, name);
            }
        }
        for text in ["PERSONS-INSTRUCTIONS", "EARLIER-PROMPT"] {
            c.absent("1.6", format!("{text} is no argument"), &arguments, text);
        }
        c.absent("1.6", "no secret in the log", &sandbox.log_text(), "-VALUE");
    }

    /// 1.6: tokens rotate, so a login that was renewed in the auditor's home must come home.
    #[own]
    fn r1_6_a_renewed_login_comes_home(c: &mut Checks) {
        for (lines, want) in
            [(RENEWS, "renewed"), ("printf renewed >\"$CODEX_HOME/auth.json\"", "renewed"), ("", "old")]
        {
            for is_link in [false, true] {
                let what = format!("{lines:?}, the person's file is a link: {is_link}");
                let sandbox = Sandbox::with_two_turns();
                let login = sandbox.path("home/.codex/auth.json");
                let file = if is_link { sandbox.path("home/kept/auth.json") } else { login.clone() };
                write(&file, "old");
                fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("the mode is set");
                if is_link {
                    fs::create_dir(sandbox.path("home/.codex")).expect("a directory");
                    symlink(&file, &login).expect("a link");
                }
                let codex = FakeCodex::doing(&sandbox, &[message("VERDICT: PASS")], lines);
                let run = codex.stop().run();
                c.that(
                    "1.6",
                    format!("{what}: audited"),
                    run.silent() && codex.recording().n_calls() == 1,
                    "a pass",
                    run.seen(),
                );
                c.equal(
                    "1.6",
                    format!("{what}: the login"),
                    fs::read_to_string(&file).unwrap_or_default(),
                    want.to_owned(),
                );
                let mode = fs::metadata(&file).map(|data| data.permissions().mode() & 0o777).ok();
                c.equal("1.6", format!("{what}: its mode"), mode, Some(0o600));
                c.equal("1.6", format!("{what}: a link stays one"), login.is_symlink(), is_link);
            }
        }
    }

    /// 1.6: what the person tells their own Codex is not said to the auditor.
    #[own]
    fn r1_6_the_auditors_home_holds_the_login_only(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for name in [
            "AGENTS.md",
            "auth.json",
            "hooks.json",
            "skills/mine/SKILL.md",
            "memories/one.md",
            "history.jsonl",
        ] {
            write(&sandbox.path("home/.codex").join(name), "PERSONS");
        }
        let listing = sandbox.path("listing");
        let tells = format!(
            "{{ cd \"$CODEX_HOME\" && pwd -P && find . -mindepth 1; }} >{}",
            quoted(&listing.to_string_lossy())
        );
        let codex = FakeCodex::doing(&sandbox, &[message("VERDICT: PASS")], &tells);
        let run = codex.stop().env("OTHER_SERVICE_KEY", "x").env("CODEX_HOME", "").run();
        c.that("1.6", "the turn is audited", run.silent(), "a pass", run.seen());
        let listed = fs::read_to_string(listing).unwrap_or_default();
        let (home, files) = listed.split_once('\n').unwrap_or_default();
        c.equal("1.6", "what CODEX_HOME holds", files.trim_end(), "./auth.json");
        let own = sandbox.path("home/.codex").canonicalize().expect("the person's");
        c.that("1.6", "it is not the person's", !home.is_empty() && own.as_os_str() != home, "another", home);
        let has_other_key = codex.recording().environment().iter().any(|name| name == "OTHER_SERVICE_KEY");
        c.equal("1.6", "a variable of no use to it is set for it", has_other_key, false);
    }
}
