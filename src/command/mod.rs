//! The commands beside the hook itself: one file each.

mod binary;
mod changes;
mod failure;
pub mod install;
pub mod selftest;
pub mod uninstall;
