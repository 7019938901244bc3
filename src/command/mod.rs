//! The commands beside the hook itself: one file each.

mod binary;
mod changes;
pub mod check;
pub mod explain;
mod failure;
pub mod install;
pub mod selftest;
pub mod stand_in;
pub mod try_out;
pub mod uninstall;
