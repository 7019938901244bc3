//! Lines of a file from its end to its beginning, in bounded memory.
//!
//! Sessions of hundreds of megabytes are real, and what matters is at their end. A line longer than [`MAX_LINE`]
//! is passed over alone; nothing before or after it is lost.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The longest line that is read, in bytes. A picture of tens of megabytes is one line; a file that is one
/// unbroken run of bytes is no transcript.
pub const MAX_LINE: u64 = 128 * 1024 * 1024;

const CHUNK: u64 = 256 * 1024;

/// Reads lines backwards from a position in a file whose length was fixed when it was opened.
pub struct Tail<'f> {
    file: &'f File,
    /// What was read last: the bytes of the file from `start` on.
    window: Vec<u8>,
    start: u64,
    /// Everything from here on was given out.
    cursor: u64,
}

/// A line without its line end, and where it begins in the file.
pub struct Line<'w> {
    /// Offset of the line's first byte.
    pub offset: u64,
    /// The bytes, possibly empty, never with `\n`.
    pub bytes: &'w [u8],
}

impl<'f> Tail<'f> {
    /// A reader that begins at `end` (usually the file's length) and goes towards the file's beginning.
    pub fn new(file: &'f File, end: u64) -> Self {
        Tail { file, window: Vec::new(), start: end, cursor: end }
    }

    /// Where the part that was given out begins.
    pub fn position(&self) -> u64 {
        self.cursor
    }

    /// Goes on from another position.
    pub fn seek(&mut self, position: u64) {
        *self = Tail::new(self.file, position);
    }

    /// The line before the last one given; `None` at the beginning of the file.
    ///
    /// # Errors
    /// Those of reading, among them a file that has become shorter.
    pub fn previous(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if self.cursor == 0 {
                return Ok(None);
            }
            let end = self.cursor;
            self.cover(end.saturating_sub(1), end)?;
            let content_end = if self.bytes(end - 1, end) == b"\n" { end - 1 } else { end };
            let offset = self.line_start(content_end)?;
            self.cursor = offset;
            if content_end - offset <= MAX_LINE {
                self.cover(offset, end)?;
                let bytes = self.bytes(offset, content_end);
                return Ok(Some(Line { offset, bytes }));
            }
        }
    }

    /// Where the line that ends at `end` begins: just behind the line end before it.
    fn line_start(&mut self, end: u64) -> io::Result<u64> {
        let known = self.bytes(self.start.min(end), end);
        if let Some(at) = memchr::memrchr(b'\n', known) {
            return Ok(self.start + at as u64 + 1);
        }
        // Not in the window: look for it in pieces that are not kept, so that a long line costs its own length only.
        let mut scratch = Vec::new();
        let mut upto = self.start.min(end);
        while upto > 0 {
            let from = upto.saturating_sub(CHUNK);
            read(self.file, &mut scratch, from, upto)?;
            if let Some(at) = memchr::memrchr(b'\n', &scratch) {
                return Ok(from + at as u64 + 1);
            }
            upto = from;
        }
        Ok(0)
    }

    /// Makes the window hold `from..to`, with some bytes before it for the lines to come.
    fn cover(&mut self, from: u64, to: u64) -> io::Result<()> {
        if self.start <= from && to <= self.start + self.window.len() as u64 {
            return Ok(());
        }
        let start = from.min(to.saturating_sub(CHUNK));
        // A window that a long line has blown up is not kept for the short ones.
        self.window = Vec::new();
        read(self.file, &mut self.window, start, to)?;
        self.start = start;
        Ok(())
    }

    fn bytes(&self, from: u64, to: u64) -> &[u8] {
        let at = |offset: u64| usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.window.get(at(from)..at(to)).unwrap_or_default()
    }
}

fn read(file: &File, into: &mut Vec<u8>, from: u64, to: u64) -> io::Result<()> {
    let length = usize::try_from(to - from).map_err(io::Error::other)?;
    into.resize(length, 0);
    file.read_exact_at(into, from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn lines(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut tail = Tail::new(&file, bytes.len() as u64);
        let mut lines = Vec::new();
        while let Some(line) = tail.previous().unwrap() {
            lines.push((line.offset, line.bytes.to_vec()));
        }
        lines.reverse();
        lines
    }

    #[test]
    fn lines_come_whole_with_and_without_a_last_line_end() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\n\nbc\n"), [(0, b"a".to_vec()), (2, b"".to_vec()), (3, b"bc".to_vec())]);
        assert_eq!(lines(b"a\nbc"), [(0, b"a".to_vec()), (2, b"bc".to_vec())]);
    }

    #[test]
    fn a_line_may_lie_across_any_number_of_chunks() {
        let chunk = usize::try_from(CHUNK).unwrap();
        for length in [chunk - 1, chunk, chunk + 1, 3 * chunk + 7] {
            let mut bytes = b"first\n".to_vec();
            bytes.extend(std::iter::repeat_n(b'x', length));
            bytes.extend_from_slice(b"\nlast\n");
            let found = lines(&bytes);
            assert_eq!(found.len(), 3, "{length}");
            assert_eq!(found[1].1.len(), length);
            assert_eq!(found[0].1, b"first");
        }
    }
}
