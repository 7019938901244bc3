//! The auditor: text goes in, a verdict comes out.

pub mod vendor;
