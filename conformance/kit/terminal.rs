//! A command at a terminal, as a person has it who runs it by hand.
use std::io::{Read, Write};
use std::process::Command;

use pty_process::{Size, blocking};

/// What stands on a terminal at the end, the echo of what was typed included, and how the command ended.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) code: Option<i32>,
}

/// Runs the command with a terminal in the place of all three streams, of which `choose` may take some away again. The
/// person types the given text and then has no more to say. Without a width the terminal does not tell it.
pub(crate) fn at_a_terminal(
    command: Command,
    columns: Option<u16>,
    typed: &str,
    choose: impl FnOnce(blocking::Command) -> blocking::Command,
) -> Shown {
    let (pty, pts) = blocking::open().expect("a terminal");
    if let Some(columns) = columns {
        pty.resize(Size::new(24, columns)).expect("it takes a size");
    }
    (&pty).write_all(typed.as_bytes()).expect("it takes keys");
    // What ends an input, at the beginning of a line.
    (&pty).write_all(b"\x04").expect("it takes keys");
    let mut child = choose(command.into()).spawn(pts).expect("the command starts");
    let mut shown = Vec::new();
    // A terminal whose last user has gone ends with an error on Linux.
    let _ = (&pty).read_to_end(&mut shown);
    let code = child.wait().expect("it ends").code();
    Shown { text: String::from_utf8_lossy(&shown).replace("\r\n", "\n"), code }
}
