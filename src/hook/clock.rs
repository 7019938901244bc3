//! The time of day where the person is, and whether a point in time has come.
//!
//! The system's zone is read as the one file that it is. Asked for by its name, it would first be looked for in the list
//! of all zones, for which every folder of them is gone through: a tenth of what the hook costs.

use std::env;
use std::fs;
use std::path::Path;
use std::time::Instant;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

const SYSTEM: &str = "/etc/localtime";

/// Now. A zone in `TZ`, and a system that has its zone elsewhere, go the usual way.
pub fn now() -> ZonedDateTime {
    let system = || if env::var_os("TZ").is_none() { zone(Path::new(SYSTEM)) } else { None };
    system().map_or_else(ZonedDateTime::now, |zone| Timestamp::now().to_zoned_datetime(zone))
}

/// Whether a point in time has come.
pub fn is_past(time: Instant) -> bool {
    time.saturating_duration_since(Instant::now()).is_zero()
}

fn zone(file: &Path) -> Option<TimeZone> {
    TimeZone::tzif("", &fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_time_that_the_zone_by_its_name_has() {
        let (before, now, after) = (ZonedDateTime::now(), now(), ZonedDateTime::now());
        assert!(before.timestamp() <= now.timestamp() && now.timestamp() <= after.timestamp());
        assert_eq!(now.offset(), after.offset());
    }

    #[test]
    fn what_was_just_now_is_past_and_what_comes_is_not() {
        assert!(is_past(Instant::now()));
        assert!(!is_past(Instant::now() + std::time::Duration::from_secs(3_600)));
    }

    #[test]
    fn a_zone_s_file_gives_its_offset() {
        // RFC 9636: no transitions, one type of eight hours east called CST.
        let mut file = b"TZif2".to_vec();
        file.extend([0; 15]);
        let counts: [u32; 6] = [0, 0, 0, 0, 1, 4];
        let block =
            [counts.map(u32::to_be_bytes).concat(), [0, 0, 0x70, 0x80, 0, 0].to_vec(), b"CST\0".to_vec()];
        let block = block.concat();
        file.extend(&block);
        let head = file.get(..20).unwrap().to_vec();
        file.extend(head);
        file.extend(&block);
        file.extend(b"\nCST-8\n");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("localtime");
        fs::write(&path, file).unwrap();
        let zone = zone(&path).expect("a zone");
        assert_eq!(Timestamp::now().to_zoned_datetime(zone).offset().seconds(), 8 * 3_600);
        fs::write(&path, "no zone").unwrap();
        assert!(super::zone(&path).is_none());
    }
}
