//! The `stop-auditor` command: without arguments it is the hook.

fn main() {
    stop_auditor::hook::run();
}
