//! Any bytes as a transcript: no panic, a prompt whose fixed parts stand where they must, and the same prompt as the
//! slow reader of the kit makes. Where an id stands twice this is not asked: a file whose copies are in another order
//! than what they are copies of means nothing definite, and copies in order are what the generated sessions have.
//! Reading keeps to what libFuzzer gives, so a file that is long in time is a finding too.
#![no_main]

#[path = "../../forward.rs"]
mod forward;

use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};

use libfuzzer_sys::fuzz_target;
use stop_auditor::prompt::{self, CLOSING, INSTRUCTION};
use stop_auditor::transcript::line;
use stop_auditor::transcript::session::{self, Session};

fuzz_target!(|bytes: &[u8]| {
    let fast = session::read(of(bytes).path(), &prompt::extent(0)).expect("a regular file can be read");
    let from = fast.as_ref().map_or(0, |session| session.from);
    let text = |session: Session| prompt::build(&session, Some("理由")).text;
    let fast = fast.map(text);
    let mut ids = HashSet::new();
    if bytes.split(|byte| *byte == b'\n').filter_map(line::uuid).all(|id| ids.insert(id)) {
        let slow = forward::read(bytes, from).map(text);
        assert_eq!(fast, slow, "read from the end, and from the beginning");
    }
    let Some(prompt) = fast else { return };
    assert!(prompt.starts_with(INSTRUCTION) && prompt.ends_with(CLOSING.trim_end()));
    let material = prompt.get(INSTRUCTION.len()..).unwrap_or_default();
    let marks = material.lines().filter(|line| line.starts_with("【当前轮】")).count();
    assert_eq!(marks, 1, "no line of the material passes for a mark");
});

/// A file that holds these bytes; `TMPDIR=/dev/shm` keeps it off the disk.
fn of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).and_then(|()| file.seek(SeekFrom::Start(0))).expect("it is written");
    file
}
