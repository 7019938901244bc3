//! The `stop-auditor` command.

fn main() {}
