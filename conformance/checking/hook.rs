//! What `check` says of the hook: who registers it, and whether its program and its log can be used.
use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::Machine;
use crate::kit::check::checks;
use crate::kit::event::write;
use crate::kit::programs::program;

checks! {
    /// P.3: a plugin that registers the hook is as good as the settings, where the program that it names is there.
    #[own]
    fn p_3_a_plugin_is_enough_where_its_program_is_there(c: &mut Checks) {
        let own = "stop-auditor";
        for (command, is_enabled, is_on_path, told) in [
            (own, true, true, "✓ Stop：由插件 stop-auditor@x 注册：stop-auditor\n"),
            (own, true, false, "✗ Stop：插件 stop-auditor@x 注册了，可是 PATH 里没有 stop-auditor\n"),
            ("/opt/x/stop-auditor", true, false, "✓ Stop：由插件 stop-auditor@x 注册：/opt/x/stop-auditor\n"),
            ("/opt/x/another-hook", true, true, "✗ Stop：没有注册\n"),
            (own, false, true, "✗ Stop：没有注册\n"),
        ] {
            let machine = Machine::new();
            machine.settings(&json!({}));
            machine.plugin(command, is_enabled);
            if is_on_path {
                program(&machine.sandbox, own, "");
            }
            let seen = machine.check(&[]);
            let what = format!("{command}, enabled: {is_enabled}, on PATH: {is_on_path}");
            c.contains("P.3", &what, &seen.out, told);
            c.equal("P.3", format!("{what}: exit code"), seen.code, Some(i32::from(told.starts_with('✗'))));
        }
    }

    /// 8.2: a log that nobody can write is told; what is not there yet can be made, and is not made by looking.
    #[own]
    fn r8_2_a_log_that_cannot_be_written_is_told(c: &mut Checks) {
        let beside: fn(&Machine) -> PathBuf = |machine| machine.at("home/a file");
        for (name, log, is_writable) in [
            (
                "a folder that is not there",
                (|machine| machine.at("home/x/y")) as fn(&Machine) -> PathBuf,
                true,
            ),
            ("a file", beside, false),
            ("below a file", |machine| machine.at("home/a file/logs"), false),
            // Nobody makes a file here, whoever they are.
            ("where nothing can be made", |_| PathBuf::from("/proc/logs"), false),
        ] {
            let machine = Machine::new();
            write(&beside(&machine), "");
            let folder = log(&machine);
            let before = machine.sandbox.files_below("home");
            let log = folder.to_string_lossy();
            let seen = machine.check_with(&[("STOP_AUDITOR_LOG_DIR", &log)], &[]);
            let told = if is_writable {
                format!("✓ 日志：{log}\n")
            } else {
                format!("✗ 日志：{log} 写不了\n")
            };
            c.contains("8.2", name, &seen.out, &told);
            c.equal("8.2", format!("{name}: exit code"), seen.code, Some(i32::from(!is_writable)));
            c.equal("9.9", format!("{name}: nothing is made"), machine.sandbox.files_below("home"), before);
            c.equal(
                "9.9",
                format!("{name}: no folder is made"),
                fs::exists(machine.at("home/x")).unwrap(),
                false,
            );
        }
    }
}
