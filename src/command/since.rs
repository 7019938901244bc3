//! How far back a command looks: `30m`, `12h`, `2d`, `4w` before now, or a day.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A moment in the past, as the person writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So long before now.
    Before(SignedDuration),
    /// From the beginning of this day on.
    Day(Date),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Since, String> {
        if let Ok(day) = text.parse::<Date>() {
            return Ok(Since::Day(day));
        }
        let wanted = || format!("要写成 30m、12h、2d、4w 或者日期 2026-11-01，不是 {text}");
        let unit = text.chars().next_back().ok_or_else(wanted)?;
        let minutes = match unit {
            'm' => 1,
            'h' => 60,
            'd' => 24 * 60,
            'w' => 7 * 24 * 60,
            _ => return Err(wanted()),
        };
        // So many weeks are still a duration.
        let number: u32 =
            text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wanted)?;
        Ok(Since::Before(SignedDuration::from_mins(i64::from(number) * minutes)))
    }
}

impl Since {
    /// The moment itself.
    pub(super) fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Since::Before(duration) => now.saturating_sub(duration).unwrap_or(Timestamp::MIN),
            Since::Day(day) => {
                day.to_zoned_datetime(TimeZone::system()).map_or(Timestamp::MIN, |zoned| zoned.timestamp())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_shortly_or_as_a_day() {
        let now: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
        let moment = |text: &str| text.parse::<Since>().unwrap().moment(now).to_string();
        assert_eq!(moment("30m"), "2026-11-29T11:30:00Z");
        assert_eq!(moment("12h"), "2026-11-29T00:00:00Z");
        assert_eq!(moment("2d"), "2026-11-27T12:00:00Z");
        assert_eq!(moment("1w"), "2026-11-22T12:00:00Z");
        assert_eq!("2026-11-01".parse::<Since>(), Ok(Since::Day(jiff::civil::date(2026, 11, 1))));
        assert_eq!("4294967295w".parse::<Since>().unwrap().moment(now), Timestamp::MIN);
        for bad in ["", "d", "2", "2y", "-1d", "1.5d", "99999999999999999999d", "2026-13-01", "日"] {
            assert!(bad.parse::<Since>().is_err_and(|why| why.contains("30m")), "{bad}");
        }
    }
}
