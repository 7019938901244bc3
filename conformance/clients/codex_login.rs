//! The person's ChatGPT login while the default auditor has it: its tokens rotate, so what a renewal gives must stand in
//! the person's own `auth.json` whatever becomes of the audit. The auditor's home only links to that file.
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::codex::{in_the_empty_home, nothing_is_left, pointed_at, verdicts};
use super::installed;
use super::kit::check::{Checks, checks};
use super::kit::event::{Event, Running, write};
use super::kit::processes::{self, eventually};
use super::kit::sandbox::Sandbox;
use super::model::login::{Logins, Renewal, Tokens};
use super::model::raw::{Manner, Raw};
use super::model::responses::{Answer, Responses, is_sent};

/// How long Codex may take to ask.
const PATIENCE: Duration = Duration::from_secs(20);

/// A sandbox whose person is logged in with these.
fn logged_in(tokens: Tokens) -> Sandbox {
    let sandbox = Sandbox::with_two_turns();
    write_login(&sandbox.path("home/.codex/auth.json"), tokens);
    sandbox
}

/// A file that its owner alone can read, as Codex makes it.
fn write_login(file: &Path, tokens: Tokens) {
    write(file, tokens.file());
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("the mode is set");
}

/// A Stop whose auditor has that login. Everything that Codex asks for beside the model is asked of the model's server.
fn stop(sandbox: &Sandbox, model: &str, renewed_at: &str) -> Event {
    let elsewhere =
        format!(" -c 'chatgpt_base_url=\"{model}\"' -c features.enable_request_compression=false");
    let event = sandbox.stop().env("PATH", &installed::path());
    let event = event.env("STOP_AUDITOR_CODEX_ARGS", &(pointed_at(model) + &elsewhere));
    event.env("CODEX_REFRESH_TOKEN_URL_OVERRIDE", renewed_at)
}

/// Access and refresh token of the person's own file.
fn tokens_of(file: &Path) -> (String, String) {
    let login: Value = serde_json::from_slice(&fs::read(file).unwrap_or_default()).unwrap_or_default();
    let token = |name: &str| login["tokens"][name].as_str().unwrap_or_default().to_owned();
    (token("access_token"), token("refresh_token"))
}

/// The person has these tokens, in a file as private as before, and no copy of any is left elsewhere.
fn the_person_has(c: &mut Checks, sandbox: &Sandbox, file: &Path, tokens: Tokens) {
    let want = (tokens.access(), tokens.refresh().to_owned());
    c.equal("6.2", "the tokens in the person's file", tokens_of(file), want);
    let mode = fs::metadata(file).map(|metadata| metadata.permissions().mode() & 0o777).ok();
    c.equal("6.2", "its mode", mode, Some(0o600));
    let elsewhere = ["tmp", "logs", "project", "home"].map(|name| sandbox.files_below(name)).concat();
    let is_copy = |path: &&std::path::PathBuf| {
        let text = fs::read(path).unwrap_or_default();
        path.as_path() != file && String::from_utf8_lossy(&text).contains("refresh-token-")
    };
    c.equal("6.2", "copies of the tokens", elsewhere.iter().filter(is_copy).collect(), Vec::new());
    nothing_is_left(c, sandbox);
}

fn end_codex(sandbox: &Sandbox) {
    for (id, _) in in_the_empty_home(sandbox) {
        processes::end(id);
    }
}

/// The login is renewed, and the model stays silent until `end` has ended the audit.
fn renewed_and_then(c: &mut Checks, limit_s: u64, logged: &[&str], end: impl FnOnce(&Sandbox, &Running)) {
    let sandbox = logged_in(Tokens::Ended);
    let (model, logins) = (Raw::new(Manner::Silence), Logins::new(Renewal::Granted));
    let event = stop(&sandbox, &model.url(), &logins.url());
    let running = event.env("STOP_AUDITOR_TIMEOUT", &limit_s.to_string()).start();
    let renewed = eventually(PATIENCE, || !logins.asked_with().is_empty() && model.n_requests() > 0);
    c.that("6.2", "the login was renewed", renewed, "and then the service was asked", "not");
    end(&sandbox, &running);
    running.finish();
    c.equal(
        "8.1",
        "verdicts in the log",
        verdicts(&sandbox),
        logged.iter().map(ToString::to_string).collect(),
    );
    the_person_has(c, &sandbox, &sandbox.path("home/.codex/auth.json"), Tokens::New);
}

checks! {
    /// Twice: what the first audit brought home is what the second one uses.
    #[own]
    fn r6_2_a_login_renewed_by_an_audit_is_the_person_s_and_the_next_audit_s(c: &mut Checks) {
        for tokens in [Tokens::Ended, Tokens::Withdrawn] {
            let sandbox = logged_in(tokens);
            let model = Responses::new(Answer::OnlyFor(Tokens::New.access()));
            let logins = Logins::new(Renewal::Granted);
            for session in ["one", "another"] {
                let event = stop(&sandbox, &model.url(), &logins.url()).set("session_id", session);
                let run = event.run();
                c.that("6.2", format!("{tokens:?}: the audit"), run.silent(), "PASS", run.seen());
            }
            c.equal("8.1", "verdicts in the log", verdicts(&sandbox), vec!["PASS".to_owned(); 2]);
            let asked = logins.asked_with();
            c.equal("6.2", format!("{tokens:?}: renewals"), asked, vec![tokens.refresh().to_owned()]);
            let new = Tokens::New.access();
            let n_new = model.requests().iter().filter(|request| is_sent(request, &new)).count();
            c.equal("6.2", format!("{tokens:?}: requests with the new token"), n_new, 2);
            the_person_has(c, &sandbox, &sandbox.path("home/.codex/auth.json"), Tokens::New);
        }
    }

    /// Where the person keeps the file elsewhere, it is renewed there.
    #[own]
    fn r6_2_a_login_that_is_itself_a_link_stays_one(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let (kept, link) = (sandbox.path("home/kept/auth.json"), sandbox.path("home/.codex/auth.json"));
        write_login(&kept, Tokens::Ended);
        fs::create_dir(sandbox.path("home/.codex")).expect("a directory");
        symlink(&kept, &link).expect("a link");
        let model = Responses::new(Answer::OnlyFor(Tokens::New.access()));
        let run = stop(&sandbox, &model.url(), &Logins::new(Renewal::Granted).url()).run();
        c.that("6.2", "the audit", run.silent(), "PASS", run.seen());
        c.that("6.2", "the person's link", link.is_symlink(), "a link", "a file");
        the_person_has(c, &sandbox, &kept, Tokens::New);
    }

    #[own]
    fn r6_2_a_renewed_login_outlives_an_audit_that_is_at_its_limit(c: &mut Checks) {
        renewed_and_then(c, 4, &["ERROR"], |_, _| {});
    }

    #[own]
    fn r6_15_a_renewed_login_outlives_an_audit_that_the_client_ends(c: &mut Checks) {
        renewed_and_then(c, 60, &["ERROR"], |_, running| running.terminate());
    }

    #[own]
    fn r6_2_a_renewed_login_outlives_a_codex_that_is_killed(c: &mut Checks) {
        renewed_and_then(c, 60, &["ERROR"], |sandbox, _| end_codex(sandbox));
    }

    /// A hook that is killed brings nothing home: the link has to be enough.
    #[own]
    fn r6_2_a_renewed_login_outlives_a_hook_that_is_killed(c: &mut Checks) {
        renewed_and_then(c, 60, &[], |sandbox, running| {
            running.kill();
            end_codex(sandbox);
        });
    }

    /// The service does not answer: the limit comes, and the old tokens stand where they stood.
    #[own]
    fn r6_14_a_renewal_that_is_not_answered_leaves_the_login_as_it_was(c: &mut Checks) {
        let sandbox = logged_in(Tokens::Ended);
        let (model, silent) = (Raw::new(Manner::Silence), Raw::new(Manner::Silence));
        let event = stop(&sandbox, &model.url(), &silent.url()).env("STOP_AUDITOR_TIMEOUT", "4");
        let run = event.run();
        c.that("6.9", "told, and no block", run.not_audited(), "systemMessage", run.seen());
        c.that("6.2", "the renewal was asked for", silent.n_requests() > 0, "a request", "none");
        the_person_has(c, &sandbox, &sandbox.path("home/.codex/auth.json"), Tokens::Ended);
    }

    /// The twin: somebody else has used the old tokens already.
    #[own]
    fn r6_9_a_login_that_cannot_be_renewed_is_told(c: &mut Checks) {
        let sandbox = logged_in(Tokens::Ended);
        let model = Responses::new(Answer::OnlyFor(Tokens::New.access()));
        let logins = Logins::new(Renewal::Refused);
        let run = stop(&sandbox, &model.url(), &logins.url()).patient().run();
        c.that("6.9", "told, and no block", run.not_audited(), "systemMessage", run.seen());
        c.contains("6.9", "the cause", &run.message(), "refresh");
        c.that("6.9", "time", run.elapsed < Duration::from_secs(30), "30 s", format!("{:?}", run.elapsed));
        c.that("6.2", "the renewal was asked for", !logins.asked_with().is_empty(), "a request", "none");
        the_person_has(c, &sandbox, &sandbox.path("home/.codex/auth.json"), Tokens::Ended);
    }
}
