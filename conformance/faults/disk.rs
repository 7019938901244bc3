//! A disk that is full, and folders that may not be written (6.5, 6.9, 7.4, 8.2, 8.3). Full by a limit on a file's length
//! everywhere; by a tiny file system in a namespace of its own from `.ci/run`.
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::kit::auditors::{fake, says};
use crate::kit::check::checks;
use crate::kit::event::{Event, write};
use crate::kit::sandbox::{Run, Sandbox};

/// In a namespace of its own, where mounting is allowed: a file system of two pages in the place of a folder, filled up.
const FULL: &str = "HOOK={hook} exec unshare --user --map-root-user --mount sh -euc '
  mkdir -p \"$PLACE\"; mount -t tmpfs -o size=8k none \"$PLACE\"
  head -c 100000 /dev/zero >\"$PLACE/filled\" 2>/dev/null || true
  \"$HOOK\"; cat \"$PLACE\"/*.jsonl >&2 2>/dev/null || true'";

/// As a plain user whose files these are, without a superuser's rights.
const PLAIN: &str = "HOOK={hook} exec unshare --user --map-user=1000 --map-group=1000 sh -c 'exec \"$HOOK\"'";

checks! {
    /// 6.5: a count that cannot grow by a byte.
    #[own]
    fn r6_5_where_no_file_can_grow_the_person_is_told(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for n in 1..=2 {
            let run = sandbox.stop().auditor(&fake("fail")).through("ulimit -f 0; {hook}").run();
            c.that("6.5", format!("run {n}"), run.not_audited(), "not audited", run.seen());
        }
        let run = sandbox.stop().auditor(&fake("fail")).run();
        c.that("6.5", "with room again", run.blocked(), "a block", run.seen());
        c.that("8.3", "no torn line", whole_lines(&sandbox), "objects", sandbox.log_text());
    }

    /// 8.2, 8.3: room for a count and a note, not for the log's line.
    #[own]
    fn r8_3_a_line_that_does_not_fit_is_not_torn(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for (name, answer) in [("a FAIL", "VERDICT: FAIL - x"), ("a NOTE", "VERDICT: NOTE - 记号")] {
            let long = "长".repeat(900);
            let stop = sandbox.stop().set("last_assistant_message", long).auditor(&says(answer));
            let run = stop.through("ulimit -f 1; {hook}").run();
            c.that("8.2", name, run.blocked() || run.message().contains("记号"), "as ever", run.seen());
            c.equal("8.3", format!("{name}: lines in the log"), sandbox.log_text().as_str(), "");
        }
        let run = sandbox.prompt_submit("接着做").run();
        c.that("7.4", "the note was kept", run.stdout.contains("- 记号"), "the note", run.seen());
    }

    /// 6.5: a full temporary file system.
    #[own]
    #[namespaced]
    fn r6_5_a_full_temporary_file_system_is_told(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = on_full(&sandbox, "tmp", sandbox.stop().auditor(&fake("fail")));
        c.that("6.5", "the person is told", run.not_audited(), "not audited", run.seen());
        c.equal("8.1", "and the log says so", sandbox.log_lines().len(), 1);
    }

    /// 8.2, 8.3: a full file system below the log: verdicts stand, no line is torn, what is shown is shown.
    #[own]
    #[namespaced]
    fn r8_2_a_full_log_changes_no_verdict(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let fail = on_full(&sandbox, "logs", sandbox.stop().auditor(&fake("fail")));
        c.that("8.2", "FAIL blocks", fail.blocked(), "a block", fail.seen());
        c.that("8.3", "no torn line", fail.stderr.is_empty(), "nothing", fail.stderr.clone());
        let note = on_full(&sandbox, "logs", sandbox.stop().again().auditor(&fake("note")));
        c.that("8.2", "NOTE is shown", note.message().starts_with("审计提示（"), "the note", note.seen());
        let prompt = on_full(&sandbox, "logs", sandbox.prompt_submit("接着做"));
        c.that("8.2", "a message goes through", prompt.silent(), "silence", prompt.seen());
    }

    /// 6.5, 6.9, 8.2: folders and files that a plain user may not write or read.
    #[own]
    #[namespaced]
    fn r6_9_what_may_not_be_read_or_written_is_told(c: &mut Checks) {
        let plain = |event: Event| event.through(PLAIN).run();
        let sandbox = Sandbox::with_two_turns();
        let run = plain(sandbox.stop().auditor(&says("VERDICT: NOTE - 记号")));
        c.that("6.8", "nothing is wrong yet", run.message().contains("记号"), "the note", run.seen());

        mode(&sandbox, "logs", 0o555);
        mode(&sandbox, "logs/pending", 0o555);
        let before = sandbox.log_text();
        let run = plain(sandbox.stop().again().auditor(&fake("fail")));
        c.that("8.2", "a read-only log: FAIL blocks", run.blocked(), "a block", run.seen());
        // The file is ours and open for writing, whatever its folder is.
        c.that(
            "8.3",
            "no torn line",
            whole_lines(&sandbox) && sandbox.log_text().starts_with(&before),
            "objects",
            sandbox.log_text(),
        );
        let run = plain(sandbox.prompt_submit("接着做"));
        c.that(
            "7.4",
            "a note that cannot be taken away is not handed on again and again",
            run.silent(),
            "silence",
            run.seen(),
        );
        mode(&sandbox, "logs", 0o700);
        mode(&sandbox, "logs/pending", 0o700);
        let run = plain(sandbox.prompt_submit("接着做"));
        c.that("7.4", "it waits", run.stdout.contains("- 记号"), "the note", run.seen());

        let state = fs::read_dir(sandbox.path("tmp"))
            .expect("a folder")
            .flatten()
            .next()
            .expect("the state's")
            .path();
        fs::rename(&state, sandbox.path("project/state")).expect("it is moved");
        mode(&sandbox, "tmp", 0o555);
        let run = plain(sandbox.stop().auditor(&fake("fail")));
        c.that("6.5", "a read-only temporary folder", run.not_audited(), "not audited", run.seen());
        mode(&sandbox, "tmp", 0o700);

        mode(&sandbox, "transcript.jsonl", 0);
        let run = plain(sandbox.stop().auditor(&fake("fail")));
        c.that("6.9", "a transcript that may not be read", run.not_audited(), "not audited", run.seen());
    }
}

fn on_full(sandbox: &Sandbox, place: &str, event: Event) -> Run {
    write(&sandbox.path(place).join("marker"), "");
    let run = event.env("PLACE", &sandbox.path(place).to_string_lossy()).through(FULL).run();
    fs::remove_file(sandbox.path(place).join("marker")).expect("the folder itself was not touched");
    run
}

fn mode(sandbox: &Sandbox, name: &str, mode: u32) {
    fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).expect("the mode is set");
}

fn whole_lines(sandbox: &Sandbox) -> bool {
    sandbox.log_lines().iter().all(serde_json::Value::is_object)
}
