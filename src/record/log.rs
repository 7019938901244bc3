//! The log's folder: its day files in order, their lines one at a time.
//!
//! Nothing is held but the line being read, so a log of any length can be gone through.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::{Broken, Record};

/// Bytes that are read at once: 256 KiB.
const BUFFER: usize = 262_144;

/// The log of this machine, which may not be there yet.
#[derive(Debug, Clone)]
pub struct Log {
    directory: PathBuf,
}

impl Log {
    /// The log in this folder.
    pub fn in_folder(directory: &Path) -> Log {
        Log { directory: directory.to_owned() }
    }

    /// The folder.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The day files, the oldest first; none where there is no folder yet.
    ///
    /// # Errors
    /// Those of reading the folder.
    pub fn files(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Goes through every record since a moment, the oldest first, with the line that it stands in.
    ///
    /// # Errors
    /// Those of reading the folder. A file that cannot be read is among the broken places.
    pub fn read(&self, since: Option<Timestamp>, take: impl FnMut(Record, &[u8])) -> io::Result<Vec<Broken>> {
        self.once(since).go_on(take)
    }

    /// A reader that is used once.
    pub fn once(&self, since: Option<Timestamp>) -> Reader {
        Reader { log: self.clone(), since, places: BTreeMap::new(), last_line: LastLine::Read }
    }

    /// A reader that goes on where it stopped.
    pub fn follow(&self, since: Option<Timestamp>) -> Reader {
        Reader { log: self.clone(), since, places: BTreeMap::new(), last_line: LastLine::MayGrow }
    }
}

/// Goes through a log again and again, each time from where it stopped.
#[derive(Debug)]
pub struct Reader {
    log: Log,
    since: Option<Timestamp>,
    places: BTreeMap<PathBuf, Place>,
    last_line: LastLine,
}

/// How far a file was read.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// Bytes up to the end of the last whole line.
    bytes: u64,
    /// Whole lines.
    lines: u64,
}

/// What becomes of a last line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// There is nothing to wait for.
    Read,
    /// It is read once it is whole.
    MayGrow,
}

impl Reader {
    /// Goes through what is new, the oldest first.
    ///
    /// # Errors
    /// Those of reading the folder. A file that cannot be read is among the broken places.
    pub fn go_on(&mut self, mut take: impl FnMut(Record, &[u8])) -> io::Result<Vec<Broken>> {
        let mut broken = Vec::new();
        for file in self.log.files()?.into_iter().filter(|file| may_hold(file, self.since)) {
            let mut lines = Lines { file: &file, place: self.places.get(&file).copied().unwrap_or_default() };
            let read = lines.read(self.last_line, &mut |number, line| match Record::read(line) {
                Ok(record) if self.since.is_none_or(|since| record.at >= since) => take(record, line),
                Ok(_) => {}
                Err(cause) => {
                    let cause = cause.to_string();
                    broken.push(Broken { file: file.clone(), line: Some(number), cause });
                }
            });
            let place = lines.place;
            if let Err(error) = read {
                broken.push(Broken { file: file.clone(), line: None, cause: error.to_string() });
            }
            self.places.insert(file, place);
        }
        Ok(broken)
    }
}

/// The lines of a file from a place on.
struct Lines<'a> {
    file: &'a Path,
    place: Place,
}

impl Lines<'_> {
    /// Gives each line that is not blank, with its number, counted from 1.
    fn read(&mut self, last: LastLine, take: &mut dyn FnMut(u64, &[u8])) -> io::Result<()> {
        let mut opened = File::open(self.file)?;
        opened.seek(SeekFrom::Start(self.place.bytes))?;
        let mut reader = BufReader::with_capacity(BUFFER, opened);
        let mut line = Vec::new();
        loop {
            line.clear();
            let n_bytes = reader.read_until(b'\n', &mut line)?;
            let is_whole = line.ends_with(b"\n");
            if n_bytes == 0 || (!is_whole && last == LastLine::MayGrow) {
                return Ok(());
            }
            let text = line.trim_ascii();
            if !text.is_empty() {
                take(self.place.lines + 1, text);
            }
            self.place = Place { bytes: self.place.bytes + n_bytes as u64, lines: self.place.lines + 1 };
        }
    }
}

/// Whether the file of a day can hold records since a moment. Days begin elsewhere at other moments, so one more is
/// read; a file with another name is always read.
fn may_hold(file: &Path, since: Option<Timestamp>) -> bool {
    let day = || file.file_stem()?.to_str()?.parse::<Date>().ok();
    match (since, day()) {
        (Some(since), Some(day)) => {
            let first = since.to_zoned_datetime(TimeZone::UTC).date();
            day >= first.saturating_sub(1.day())
        }
        (None, _) | (_, None) => true,
    }
}
