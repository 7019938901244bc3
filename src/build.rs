//! Gives `--version` its commit. Neither Git nor any path of this machine goes into the program.
//!
//! A build for trying things out names none: its commit changes with every step, and all tests would be built anew.

#[path = "commit.rs"]
mod commit;

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/build.rs");
    println!("cargo:rerun-if-changed=src/commit.rs");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let sources = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let is_debug = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let commit = sources.filter(|_| !is_debug).map(|sources| commit::of(&sources)).unwrap_or_default();
    for file in &commit.watched {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    let told = match commit.id {
        Some(id) => format!("{version} ({id})"),
        None if is_debug => format!("{version} (debug)"),
        None => version,
    };
    println!("cargo:rustc-env=STOP_AUDITOR_VERSION={told}");
}
