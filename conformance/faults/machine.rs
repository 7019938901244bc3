//! A machine that is not as it should be: no home, another umask, an odd clock, odd files in the hook's places, an input
//! without an end (6.5, 6.10, 6.11, 7.4, 8.2).
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::kit::auditors::{fake, says};
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::hook::quoted;
use crate::kit::sandbox::{Run, Sandbox};
use crate::kit::{journal, processes};

/// Our hook waits 5 s for an event, and a loaded machine adds to that.
const OWN_STDIN_LIMIT: Duration = Duration::from_secs(12);

/// A day, and some.
const LATER: Duration = Duration::from_secs(100_000);

checks! {
    /// 6.11, 8.2: a service without a home.
    fn r6_11_without_a_home_the_turn_is_audited(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().without_env("HOME").auditor(&fake("fail")).run();
        c.that("6.11", "HOME is not set", run.blocked(), "a block", run.seen());
        c.equal("8.2", "lines in the log that the variable names", sandbox.log_lines().len(), 1);
        let run = sandbox.stop().env("HOME", "/nonexistent/home").auditor(&fake("fail")).run();
        c.that("6.11", "HOME leads nowhere", run.blocked(), "a block", run.seen());
    }

    /// 8.2 for our own hook: nowhere to log to.
    #[own]
    fn r8_2_without_a_home_and_a_log_the_turn_is_audited(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let stop = || sandbox.stop().env("HOME", "").without_env("STOP_AUDITOR_LOG_DIR");
        let run = stop().auditor(&fake("fail")).run();
        c.that("8.2", "a FAIL blocks", run.blocked(), "a block", run.seen());
        let run = stop().auditor(&fake("note")).run();
        c.that("8.2", "a NOTE is shown", run.message().starts_with("审计提示（"), "the note", run.seen());
    }

    /// 7.1: an id of a megabyte is an id like any other.
    fn r7_1_a_session_id_of_a_megabyte_works(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let id = "长".repeat(350_000);
        let run = sandbox.stop().set("session_id", id.as_str()).auditor(&says("VERDICT: NOTE - 记号")).run();
        c.that("7.1", "a Stop is audited", run.message().contains("记号"), "the note", run.message());
        let run = sandbox.prompt_submit("接着做").set("session_id", id.as_str()).run();
        c.that(
            "7.1",
            "the next message gets its note",
            run.stdout.contains("- 记号"),
            "the note",
            run.stdout,
        );
        let whole = sandbox.log_lines().iter().all(serde_json::Value::is_object);
        c.that("8.3", "the log's line is whole", whole, "an object", "torn");
    }

    /// 6.10 for our own hook: what never becomes an event is not waited for.
    #[own]
    fn r6_10_an_input_without_an_end_is_silence(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let event = || sandbox.stop().auditor(&fake("fail")).within(OWN_STDIN_LIMIT);
        let (hook, input) = event().start_open(b"{\"hook_event_name\":\"Stop\",");
        let pipe = input.written(OWN_STDIN_LIMIT);
        let run = hook.finish();
        drop(pipe);
        c.that("6.10", "half an event, and then nothing", run.silent() && !run.hung, "silence", run.seen());
        for flood in ["yes '{\"a\":'", "cat /dev/zero", "yes '{}}'"] {
            let run = event().through(&format!("{flood} 2>/dev/null | {{hook}}")).run_without_stdin();
            c.that(
                "6.10",
                format!("{flood} without an end"),
                run.silent() && !run.hung,
                "silence",
                run.seen(),
            );
        }
    }

    /// 6.5, 7.4, 8.1: the clock was set back, so that all that is there is of tomorrow.
    fn r6_5_files_of_tomorrow_count_like_any_other(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let fail = || sandbox.stop().again().auditor(&fake("fail")).run();
        sandbox.stop().auditor(&says("VERDICT: NOTE - 记号")).run();
        let later = SystemTime::now() + LATER;
        let age = || {
            let files = ["logs", "tmp"].into_iter().flat_map(|name| sandbox.files_below(name));
            for file in files.chain([sandbox.path("transcript.jsonl")]) {
                let times = FileTimes::new().set_modified(later).set_accessed(later);
                File::options()
                    .append(true)
                    .open(file)
                    .and_then(|file| file.set_times(times))
                    .expect("it is aged");
            }
        };
        age();
        let run = fail();
        c.that("6.5", "the second audit", run.blocked(), "a block", run.seen());
        age();
        let run = fail();
        c.that("6.5", "no third one", run.silent(), "silence", run.seen());
        let run = sandbox.prompt_submit("接着做").run();
        c.that("7.2", "the note is handed on", run.stdout.contains("- 记号"), "the note", run.seen());
        // The same, of a day: from the first place on earth that has it to the last.
        let stop = |zone: &str| sandbox.stop().env("TZ", zone).auditor(&fake("pass")).run();
        let runs = [stop("UTC-14"), stop("UTC+12")];
        c.that("8.1", "the day goes back", runs.iter().all(Run::silent), "two passes", format!("{runs:?}"));
        c.that(
            "8.1",
            "a file for each day",
            sandbox.log_files().len() >= 2,
            "2 or more",
            format!("{:?}", sandbox.log_files()),
        );
        let words = journal::verdict_of_each(&sandbox.log_lines());
        c.equal("8.1", "lines of both", words.iter().filter(|word| *word == "PASS").count(), 2);
    }

    /// 6.5: a count that a version of tomorrow wrote.
    #[own]
    fn r6_5_a_count_of_another_version_never_makes_a_third_audit(c: &mut Checks) {
        for (name, count) in [
            (
                "with more fields",
                r#"{"version":9,"prompt_id":null,"audits":2,"last_reason":null,"by":{"a":[1]}}"#,
            ),
            ("with a list", r#"{"version":9,"prompt_id":null,"audits":["x","y"],"last_reason":null}"#),
            ("with a huge number", r#"{"prompt_id":null,"audits":99999999999999999999,"last_reason":null}"#),
            ("with the largest number", r#"{"prompt_id":null,"audits":4294967295,"last_reason":null}"#),
            ("with nothing", "{}"),
            ("half of it", r#"{"prompt_id":null,"audits":2,"la"#),
        ] {
            let sandbox = Sandbox::with_two_turns();
            sandbox.stop().auditor(&fake("fail")).run();
            for file in sandbox.files_below("tmp").into_iter().filter(|file| file.extension().is_some()) {
                write(&file, count);
            }
            let run = sandbox.stop().again().auditor(&fake("fail")).run();
            let told = run.silent() || run.not_audited();
            c.that("6.5", format!("{name}: no block"), told, "silence, or not audited", run.seen());
            let run = sandbox.stop().auditor(&fake("fail")).run();
            c.that("6.5", format!("{name}: the next turn"), run.blocked(), "a block", run.seen());
        }
    }

    /// 6.5, 8.2: the places are not there yet, or are links that the person made.
    fn r8_2_missing_and_linked_folders_work(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for folder in ["elsewhere", "real-tmp"] {
            fs::create_dir(sandbox.path(folder)).expect("a folder");
        }
        symlink(sandbox.path("elsewhere"), sandbox.path("logs")).expect("a link");
        symlink(sandbox.path("real-tmp"), sandbox.path("linked-tmp")).expect("a link");
        let tmp = sandbox.path("linked-tmp").to_string_lossy().into_owned();
        let run = |name: &str| sandbox.stop().again().env("TMPDIR", &tmp).auditor(&fake(name)).run();
        let (note, fail, third) = (run("note"), run("fail"), run("fail"));
        c.that("6.8", "a NOTE", note.message().starts_with("审计提示（"), "the note", note.seen());
        c.that("6.7", "a FAIL", fail.blocked(), "a block", fail.seen());
        c.that("6.5", "they are counted", third.silent(), "silence", third.seen());
        c.equal("8.2", "lines behind the link", sandbox.log_lines().len(), 3);
        let missing = sandbox.path("not/there/yet").to_string_lossy().into_owned();
        let run = sandbox.stop().env("TMPDIR", &missing).auditor(&fake("fail")).run();
        let ok = run.blocked() || run.not_audited();
        c.that("6.5", "a temporary folder that is not there", ok, "a block, or not audited", run.seen());
    }

    /// 6.5: a link with the state folder's name leads where somebody else wants it.
    #[own]
    fn r6_5_a_state_folder_that_is_a_link_is_not_used(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("pass")).run();
        let state = fs::read_dir(sandbox.path("tmp"))
            .expect("a folder")
            .flatten()
            .next()
            .expect("the state's")
            .path();
        fs::rename(&state, sandbox.path("project/target")).expect("it is moved");
        symlink(sandbox.path("project/target"), &state).expect("a link takes its place");
        let before = sandbox.files_below("project");
        let run = sandbox.stop().auditor(&fake("fail")).run();
        c.that("6.5", "the person is told", run.not_audited(), "not audited", run.seen());
        c.equal("6.5", "nothing is written there", sandbox.files_below("project"), before);
    }

    /// 6.11: a pipe in a file's place would wait for somebody at its other end.
    #[own]
    fn r6_11_pipes_in_the_places_of_files_are_not_waited_for(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        sandbox.stop().auditor(&fake("note")).run();
        let files: Vec<_> = ["logs", "tmp"].into_iter().flat_map(|name| sandbox.files_below(name)).collect();
        for file in files {
            // A note is no longer there once it was handed on.
            let kept = fs::read(&file).unwrap_or_default();
            let _ = fs::remove_file(&file);
            let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo runs");
            let name = file.strip_prefix(sandbox.root()).unwrap_or(&file).display().to_string();
            c.that("6.11", format!("{name} is a pipe"), made.success(), "made", "not made");
            let run = sandbox.stop().auditor(&fake("note")).within(Duration::from_secs(10)).run();
            let ok = run.message().starts_with("审计提示（") || run.not_audited();
            c.that("6.11", format!("{name}: a Stop"), ok, "the note, or not audited", run.seen());
            let run = sandbox.prompt_submit("接着做").within(Duration::from_secs(10)).run();
            c.that("6.11", format!("{name}: a message"), run.code == Some(0), "exit 0", run.seen());
            let _ = fs::remove_file(&file);
            write(&file, kept);
        }
    }

    /// 1.6, 8.3: where nothing is private by itself.
    #[own]
    fn r8_3_a_umask_of_0_opens_nothing(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let modes = sandbox.path("modes");
        let auditor = format!(
            "cat >/dev/null; find {} {} -printf '%m %y %P\\n' >{}; echo 'VERDICT: NOTE - x'",
            quoted(&sandbox.path("tmp").to_string_lossy()),
            quoted(&sandbox.path("logs").to_string_lossy()),
            quoted(&modes.to_string_lossy())
        );
        for folder in ["tmp", "logs"] {
            fs::create_dir_all(sandbox.path(folder)).expect("a folder");
            fs::set_permissions(sandbox.path(folder), fs::Permissions::from_mode(0o777))
                .expect("it is opened");
        }
        for _ in 0..2 {
            let run = sandbox.stop().through("umask 0; {hook}").auditor(&auditor).run();
            c.that("6.8", "a NOTE", run.message().starts_with("审计提示（"), "the note", run.seen());
        }
        let seen = fs::read_to_string(modes).unwrap_or_default();
        // The two folders themselves are the person's.
        let ours: Vec<&str> = seen.lines().filter(|line| !line.ends_with(' ')).collect();
        let open: Vec<&&str> = ours
            .iter()
            .filter(|line| !line.split(' ').next().is_some_and(|mode| mode.ends_with("00")))
            .collect();
        c.that(
            "8.3",
            "modes while the auditor runs",
            open.is_empty(),
            "none for others",
            format!("{open:?}"),
        );
        c.that("8.3", "there was something to look at", ours.len() >= 5, "5 or more", seen.clone());
    }

    /// 7.4, 6.11: a full device in the client's place.
    fn r7_4_a_full_device_takes_no_note(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let run = sandbox.stop().auditor(&says("VERDICT: NOTE - 记号")).through("{hook} >/dev/full").run();
        c.that("6.11", "a Stop", run.silent() && !run.hung, "exit 0", run.seen());
        let run = sandbox.prompt_submit("接着做").through("{hook} >/dev/full").run();
        c.that("6.11", "a message", run.code != Some(2) && !run.hung, "no exit code 2", run.seen());
        let run = sandbox.prompt_submit("再接着做").run();
        c.that(
            "7.4",
            "the next message gets the note",
            run.stdout.contains("- 记号"),
            "the note",
            run.seen(),
        );
        let run = sandbox.stop().auditor(&fake("fail")).through("{hook} 2>&1 >/dev/full").run();
        c.that("6.11", "a FAIL that cannot be printed", run.silent(), "exit 0 and no complaint", run.seen());
    }

    /// 6.14: what our hook started is gone when it is gone, whatever it ended with.
    #[own]
    fn r6_14_nothing_is_left_running_after_any_of_these(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        for shell in [
            "ulimit -f 0; {hook}",
            "umask 0; {hook}",
            "{hook} >/dev/full",
            "ulimit -n 20; {hook}",
            "ulimit -n 12; {hook}",
        ] {
            let run = sandbox.stop().auditor(&fake("fail")).through(shell).run();
            c.that("6.11", format!("{shell}: exit code"), run.code == Some(0), "0", run.seen());
            let left = || processes::with_environment(sandbox.root());
            let alone = processes::eventually(Duration::from_secs(5), || left().is_empty());
            c.that("6.14", format!("{shell}: nothing is left"), alone, "nothing", format!("{:?}", left()));
        }
    }
}
