//! Another user of the machine in the shared temporary folder (6.5, 8.3): what is theirs is neither followed, nor read,
//! nor written. Making files that belong to somebody else needs root; the hook itself runs as a plain user.
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use crate::kit::auditors::fake;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::sandbox::Sandbox;

/// `nobody` on most systems, and nobody's where there is no such name.
const SOMEBODY_ELSE: u32 = 65_534;

/// As a plain user who is not the one that made the traps.
const PLAIN: &str = "HOOK={hook} exec unshare --user --map-user=1000 --map-group=1000 sh -c 'exec \"$HOOK\"'";

/// A count that would keep a turn from being audited, for whoever reads it.
const USED_UP: &str = r#"{"prompt_id":null,"audits":2,"last_reason":"来自别人"}"#;

checks! {
    /// 6.5: a folder that somebody else made first, open to all.
    #[own]
    #[namespaced]
    fn r6_5_a_state_folder_of_another_user_is_not_used(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let state = state_folder(&sandbox);
        let file = state.join(format!("{}.json", sandbox.session_id()));
        write(&file, USED_UP);
        for path in [&file, &state] {
            give_away(path);
        }
        for active in [false, true] {
            let stop = sandbox.stop().set("stop_hook_active", active);
            let run = stop.auditor(&fake("fail")).through(PLAIN).run();
            c.that(
                "6.5",
                format!("flag {active}: the person is told"),
                run.not_audited(),
                "not audited",
                run.seen(),
            );
        }
        c.equal(
            "6.5",
            "their file is as it was",
            fs::read_to_string(&file).unwrap_or_default().as_str(),
            USED_UP,
        );
        let n_files = fs::read_dir(&state).expect("a folder").count();
        c.equal("6.5", "and nothing of ours is there", n_files, 1);
    }

    /// 6.5: a link of somebody else's, to a folder of the person's own.
    #[own]
    #[namespaced]
    fn r6_5_a_link_of_another_user_in_the_state_folders_place_is_not_followed(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let target = sandbox.path("project/target");
        fs::create_dir(&target).expect("a folder");
        let state = state_folder(&sandbox);
        symlink(&target, &state).expect("a link");
        std::os::unix::fs::lchown(&state, Some(SOMEBODY_ELSE), Some(SOMEBODY_ELSE))
            .expect("root gives it away");
        let run = sandbox.stop().auditor(&fake("fail")).through(PLAIN).run();
        c.that("6.5", "the person is told", run.not_audited(), "not audited", run.seen());
        c.equal("6.5", "nothing is written behind it", sandbox.files_below("project"), Vec::<PathBuf>::new());
    }

    /// 8.3: a debug prompt goes into no file of somebody else's, who could read it there.
    #[own]
    #[namespaced]
    fn r8_3_a_debug_prompt_goes_into_no_file_of_another_user(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let (trap, link) = (sandbox.path("tmp/prompt.txt"), sandbox.path("tmp/link.txt"));
        write(&trap, "theirs");
        give_away(&trap);
        symlink(&trap, &link).expect("a link");
        for path in [&trap, &link] {
            let stop = sandbox.stop().env("STOP_AUDITOR_DEBUG_PROMPT", &path.to_string_lossy());
            let run = stop.auditor(&fake("fail")).through(PLAIN).run();
            c.that("6.7", "the audit does not depend on it", run.blocked(), "a block", run.seen());
            c.equal("8.3", "their file", fs::read_to_string(&trap).unwrap_or_default().as_str(), "theirs");
        }
    }

    /// 6.5: the twin; the same traps of the person's own are no traps.
    #[own]
    #[namespaced]
    fn r6_5_a_state_folder_of_ones_own_that_was_left_open_is_closed_and_used(c: &mut Checks) {
        let sandbox = Sandbox::with_two_turns();
        let state = state_folder(&sandbox);
        fs::create_dir(&state)
            .and_then(|()| fs::set_permissions(&state, fs::Permissions::from_mode(0o777)))
            .expect("an open folder");
        let run = sandbox.stop().auditor(&fake("fail")).through(PLAIN).run();
        c.that("6.5", "it is audited", run.blocked(), "a block", run.seen());
        let mode = fs::metadata(&state).map(|data| data.permissions().mode() & 0o777).ok();
        c.equal("8.3", "and the folder is closed", mode, Some(0o700));
    }
}

/// Where our hook keeps its state as the user that [`PLAIN`] makes of it.
fn state_folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("tmp/stop-auditor-1000")
}

/// Makes it somebody else's and open to all, as a trap in a shared folder is.
fn give_away(path: &Path) {
    let mode = if path.is_dir() { 0o777 } else { 0o666 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
    chown(path, Some(SOMEBODY_ELSE), Some(SOMEBODY_ELSE))
        .expect("only root gives files away: run this as root");
}
