//! Lines of a file from its end to its beginning, in bounded memory.
//!
//! Sessions of hundreds of megabytes are real, and what matters is at their end. A line longer than [`MAX_LINE`]
//! is passed over alone; nothing before or after it is lost.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The longest line that is read, in bytes: 128 MiB. A picture of tens of megabytes is one line; a file that is one
/// unbroken run of bytes is no transcript.
pub const MAX_LINE: u64 = 134_217_728;

/// 256 KiB.
const CHUNK: u64 = 262_144;

/// Reads lines backwards from a position in a file whose length was fixed when it was opened.
pub struct Tail<'f> {
    file: &'f File,
    /// [`CHUNK`] and [`MAX_LINE`], which tests make small.
    chunk: u64,
    max_line: u64,
    give_up: &'f dyn Fn() -> bool,
    /// What was read last: the bytes of the file from `start` on, at least to what is read next, for reading goes backwards.
    /// Used again and again: fresh memory for every chunk costs more than reading it.
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
    /// A reader that begins at `end` (usually the file's length) and goes towards the file's beginning, as long as
    /// `give_up` does not say that it took too long.
    pub fn new(file: &'f File, end: u64, give_up: &'f dyn Fn() -> bool) -> Self {
        Tail::with_limits(file, end, give_up, CHUNK, MAX_LINE)
    }

    fn with_limits(
        file: &'f File,
        end: u64,
        give_up: &'f dyn Fn() -> bool,
        chunk: u64,
        max_line: u64,
    ) -> Self {
        Tail { file, chunk, max_line, give_up, window: Vec::new(), start: end, cursor: end }
    }

    /// Where the part that was given out begins.
    pub fn position(&self) -> u64 {
        self.cursor
    }

    /// Goes on from another position.
    pub fn seek(&mut self, position: u64) {
        *self = Tail::with_limits(self.file, position, self.give_up, self.chunk, self.max_line);
    }

    /// The line before the last one given; `None` at the beginning of the file.
    ///
    /// # Errors
    /// Those of reading, among them a file that has become shorter; [`io::ErrorKind::TimedOut`] where it is given up.
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
            if content_end - offset <= self.max_line {
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
            self.go_on()?;
            let from = upto.saturating_sub(self.chunk);
            let length = read(self.file, &mut scratch, from, upto)?;
            if let Some(at) = memchr::memrchr(b'\n', scratch.get(..length).unwrap_or_default()) {
                return Ok(from + at as u64 + 1);
            }
            upto = from;
        }
        Ok(0)
    }

    /// Asked before each look into the file, not for each line.
    fn go_on(&self) -> io::Result<()> {
        if (self.give_up)() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "reading took too long"));
        }
        Ok(())
    }

    /// Makes the window hold `from..to`, with some bytes before it for the lines to come.
    fn cover(&mut self, from: u64, to: u64) -> io::Result<()> {
        if self.start <= from {
            return Ok(());
        }
        self.go_on()?;
        let start = from.min(to.saturating_sub(self.chunk));
        // A window that a long line has blown up is not kept for the short ones.
        if self.window.len() as u64 > 4 * self.chunk {
            self.window = Vec::new();
        }
        read(self.file, &mut self.window, start, to)?;
        self.start = start;
        Ok(())
    }

    fn bytes(&self, from: u64, to: u64) -> &[u8] {
        let at = |offset: u64| usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.window.get(at(from)..at(to)).unwrap_or_default()
    }
}

/// Reads `from..to` to the beginning of a buffer, which grows where it must, and gives the number of bytes.
fn read(file: &File, into: &mut Vec<u8>, from: u64, to: u64) -> io::Result<usize> {
    let length = usize::try_from(to - from).map_err(io::Error::other)?;
    into.resize(into.len().max(length), 0);
    file.read_exact_at(into.get_mut(..length).unwrap_or_default(), from)?;
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn lines(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
        lines_with(bytes, CHUNK, MAX_LINE)
    }

    fn lines_with(bytes: &[u8], chunk: u64, max_line: u64) -> Vec<(u64, Vec<u8>)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut tail = Tail::with_limits(&file, bytes.len() as u64, &|| false, chunk, max_line);
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
        for length in [chunk - 1, chunk, chunk + 1, 3 * chunk + 7, 9 * chunk] {
            let mut bytes = b"first\n".to_vec();
            bytes.extend(std::iter::repeat_n(b'x', length));
            bytes.extend_from_slice(b"\nlast\n");
            let found = lines(&bytes);
            assert_eq!(found.len(), 3, "{length}");
            assert_eq!(found[1].1.len(), length);
            assert_eq!(found[0].1, b"first");
        }
    }

    #[test]
    fn a_window_of_a_few_chunks_is_kept_and_a_longer_one_is_not() {
        for (length, kept) in [(20, 21), (38, 39), (39, 40), (40, 10), (400, 10)] {
            let mut file = tempfile::tempfile().unwrap();
            let bytes = format!("{}{}\n", "ab\n".repeat(20), "x".repeat(length));
            file.write_all(bytes.as_bytes()).unwrap();
            let mut tail = Tail::with_limits(&file, bytes.len() as u64, &|| false, 10, 1_000);
            assert_eq!(tail.previous().unwrap().unwrap().bytes.len(), length);
            assert_eq!(tail.window.len(), length + 1);
            assert_eq!(tail.previous().unwrap().unwrap().bytes, b"ab");
            assert_eq!(tail.window.len(), kept, "{length}");
        }
    }

    #[test]
    fn r6_15_reading_is_given_up_inside_a_long_line_too() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(100 * CHUNK).unwrap();
        let n_asked = std::cell::Cell::new(0);
        let give_up = || n_asked.replace(n_asked.get() + 1) == 50;
        let error = Tail::new(&file, 100 * CHUNK, &give_up).previous().err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(n_asked.get(), 51);
    }

    /// The same lines, found from the beginning on.
    fn forward(bytes: &[u8], max_line: u64) -> Vec<(u64, Vec<u8>)> {
        let mut offset = 0;
        let mut lines = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            if content.len() as u64 <= max_line {
                lines.push((offset, content.to_vec()));
            }
            offset += line.len() as u64;
        }
        lines
    }

    /// Bytes of which many are line ends, NULs or no UTF-8.
    fn file() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![3 => Just(b'\n'), 1 => Just(0), 1 => Just(0xff), 8 => b'a'..=b'z'];
        let run = prop_oneof![4 => Just(1_usize), 1 => 1..40_usize];
        let runs = prop::collection::vec((byte, run), 0..40);
        runs.prop_map(|runs| runs.into_iter().flat_map(|(byte, n)| std::iter::repeat_n(byte, n)).collect())
    }

    proptest! {
        #[test]
        fn r4_13_a_chunk_may_begin_at_any_byte_and_a_long_line_goes_alone(
            bytes in file(),
            chunk in 1..70_u64,
            max_line in prop_oneof![Just(MAX_LINE), 0..30_u64],
        ) {
            prop_assert_eq!(lines_with(&bytes, chunk, max_line), forward(&bytes, max_line));
        }

        /// Going on from any place a line begins at gives the lines before it.
        #[test]
        fn r4_13_reading_goes_on_from_the_beginning_of_any_line(bytes in file(), chunk in 1..70_u64) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let mut tail = Tail::with_limits(&file, bytes.len() as u64, &|| false, chunk, MAX_LINE);
            let all = forward(&bytes, MAX_LINE);
            for (n_before, (offset, _)) in all.iter().enumerate() {
                tail.seek(*offset);
                let line = tail.previous().unwrap().map(|line| (line.offset, line.bytes.to_vec()));
                prop_assert_eq!(line.as_ref(), n_before.checked_sub(1).map(|before| &all[before]));
            }
        }
    }
}
