//! Prompts on a branch that a rewind left (facts, part 0, 11).
//!
//! The prompt behind such a branch answers a row that stands before it.

use std::io;

use super::super::copies::Id;
use super::super::row::{self, Detail, Meaning};
use super::Pass;

/// Bytes of one pass that are looked through for the siblings of prompts whose parent is not near: 64 MiB. Branches are
/// short; in a file whose chain is broken everywhere each prompt would cost the whole file.
pub(super) const LOOK_BACK: u64 = 67_108_864;

impl Pass<'_> {
    /// Whether this prompt stands on a branch that a rewind left: the prompt after it in the file answers a row that
    /// stands before it, and so does this prompt or one before it. Leaves the reader before that branch.
    ///
    /// Where no such sibling is found the chain is merely broken, and nothing is lost.
    pub(super) fn is_abandoned(&mut self, parent: Option<&str>) -> io::Result<bool> {
        let Some(missing) = self.opener.as_ref().and_then(|met| met.missing_parent.clone()) else {
            return Ok(false);
        };
        if parent == Some(missing.as_str()) {
            return Ok(true);
        }
        let here = self.tail.position();
        while let Some(line) = self.tail.previous()? {
            let passed = here - line.offset;
            if passed > self.look_back {
                break;
            }
            if memchr::memmem::find(line.bytes, missing.as_bytes()).is_none() {
                continue;
            }
            if self.first_places.is_first_place(&missing, line.bytes, line.offset) {
                break;
            }
            let sibling = row::read(line.bytes, Detail::Brief).filter(|row| {
                row.parent.as_ref() == Some(&missing)
                    && matches!(row.meaning, Meaning::Prompt { .. } | Meaning::BangCommand(_))
                    && !Id::of(row).is_some_and(|id| self.first_places.is_copy(&id, line.offset))
            });
            if sibling.is_some() {
                let branch = line.offset;
                self.tail.seek(here);
                self.pass_over(branch)?;
                return Ok(true);
            }
        }
        self.look_back = self.look_back.saturating_sub(here - self.tail.position());
        self.tail.seek(here);
        if let Some(met) = &mut self.opener {
            met.missing_parent = None;
        }
        Ok(false)
    }

    /// Goes on to `until` without taking rows; that they stand here still makes their later copies copies.
    fn pass_over(&mut self, until: u64) -> io::Result<()> {
        while self.tail.position() > until {
            let Some(line) = self.tail.previous()? else { return Ok(()) };
            let offset = line.offset;
            let id = Id::of_line(line.bytes);
            self.is_first(id, offset);
        }
        Ok(())
    }
}
