//! Rows that stand in a file more than once: a compaction may write all rows so far again. They count where they stand
//! first (4.13).
//!
//! Reading from the end meets the copies first, so which rows have some is known only for the next reading.

use std::collections::HashMap;

use super::line::{is_row, uuid};
use super::row::{self, Detail, Row};

/// What copies share. A row that means nothing is no copy of one that means something, whatever id a damaged file gives
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id {
    /// The row's own id.
    pub(super) uuid: String,
    /// Whether the row means something.
    pub(super) means_something: bool,
}

impl Id {
    /// That of a row that means something.
    pub(super) fn of(row: &Row) -> Option<Id> {
        row.uuid.clone().map(|uuid| Id { uuid, means_something: true })
    }

    /// That of a row that means nothing.
    pub(super) fn of_silent(line: &[u8]) -> Option<Id> {
        uuid(line).map(|uuid| Id { uuid, means_something: false })
    }

    /// That of any row.
    pub(super) fn of_line(line: &[u8]) -> Option<Id> {
        uuid(line).map(|uuid| Id { uuid, means_something: means_something(line) })
    }
}

fn means_something(line: &[u8]) -> bool {
    row::read(line, Detail::Brief).is_some()
}

/// Where rows that are known to have copies stand first, in bytes.
#[derive(Debug, Default)]
pub(super) struct FirstPlaces(HashMap<Id, u64>);

impl FirstPlaces {
    /// Whether no row is known to have copies.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in what a reading found.
    pub(super) fn extend(&mut self, found: HashMap<Id, u64>) {
        self.0.extend(found);
    }

    /// Whether the row at this place is known to stand earlier too.
    pub(super) fn is_copy(&self, id: &Id, offset: u64) -> bool {
        self.0.get(id).is_some_and(|first| *first < offset)
    }

    /// Whether the line at this place is the row with this id, and no copy as far as this is known.
    pub(super) fn is_first_place(&self, uuid: &str, line: &[u8], offset: u64) -> bool {
        if !is_row(line, uuid) {
            return false;
        }
        // Only where rows were written again does it matter which kind of row this is.
        let means_something = self.is_empty() || means_something(line);
        !self.is_copy(&Id { uuid: uuid.to_owned(), means_something }, offset)
    }
}
