//! `stop-auditor log --prune 90d`: old day files go, on demand only.
//!
//! What has another name than a day's, or is no file, stays: the folder may be one that the person uses for more.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use crate::command::since::Since;
use crate::record::Log;

/// A day's file.
#[derive(Debug)]
struct Old {
    path: PathBuf,
    bytes: u64,
}

/// Deletes the files of the days before the one that `before` lies in, or says which these are; exit code 1 where one
/// could not be deleted.
pub(super) fn run(log: &Log, before: Since, dry_run: bool) -> ExitCode {
    let first_kept = first_kept(before, &ZonedDateTime::now());
    let delete: Option<Delete> = (!dry_run).then_some(|path| fs::remove_file(path));
    match prune(log, first_kept, delete, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => crate::command::refuse(&format!("{}：{error}", log.directory().display())),
    }
}

/// The oldest day that stays. Today always does: a hook may be writing its file.
fn first_kept(before: Since, now: &ZonedDateTime) -> Date {
    let moment: Timestamp = before.moment(now.timestamp());
    moment.to_zoned_datetime(TimeZone::system()).date().min(now.date())
}

/// Takes a file away.
type Delete = fn(&Path) -> io::Result<()>;

/// Whether all that was to go has gone. Without `delete` it is only told.
fn prune(log: &Log, first_kept: Date, delete: Option<Delete>, out: &mut impl Write) -> io::Result<bool> {
    let old: Vec<Old> = log.files()?.into_iter().filter_map(|path| old(path, first_kept)).collect();
    if old.is_empty() {
        writeln!(out, "没有 {first_kept} 之前的日志，什么都没删。")?;
        return Ok(true);
    }
    let mut gone = 0;
    for Old { path, bytes } in &old {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match delete.map_or(Ok(()), |delete| delete(path)) {
            Ok(()) => {
                gone += 1;
                writeln!(out, "{name}  {bytes} 字节")?;
            }
            Err(error) => writeln!(out, "{name}  删不了：{error}")?,
        }
    }
    let folder = log.directory().display();
    if delete.is_none() {
        writeln!(out, "会删掉 {folder} 里这 {gone} 天的日志，都早于 {first_kept}；现在一个都没删。")?;
    } else {
        writeln!(out, "删掉了 {folder} 里 {gone} 天的日志，都早于 {first_kept}。")?;
    }
    Ok(gone == old.len())
}

/// The file of a day before `first_kept`.
fn old(path: PathBuf, first_kept: Date) -> Option<Old> {
    let metadata = fs::symlink_metadata(&path).ok()?;
    let day = day(&path)?;
    (metadata.is_file() && day < first_kept).then_some(Old { bytes: metadata.len(), path })
}

/// The day that the name tells, where the name is exactly that of a day's file.
fn day(path: &Path) -> Option<Date> {
    let day: Date = path.file_stem()?.to_str()?.parse().ok()?;
    (path.file_name()?.to_str()? == format!("{day}.jsonl")).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn only_files_of_days_before_go() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let stay = [
            "2026-09-01.jsonl",
            "2026-11-30.jsonl",
            "2026-08-31.jsonl.bak",
            "2026-08-31.json",
            "20260831.jsonl",
            "notes.jsonl",
            "2026-13-01.jsonl",
            ".lock",
        ];
        let go = ["2025-01-01.jsonl", "2026-08-31.jsonl"];
        for name in stay.iter().chain(&go) {
            fs::write(at(name), "{}\n").unwrap();
        }
        fs::create_dir_all(at("pending")).unwrap();
        fs::create_dir_all(at("2026-01-01.jsonl")).unwrap();
        fs::write(at("pending/2025-01-01.jsonl"), "{}").unwrap();
        symlink(at("notes.jsonl"), at("2026-01-02.jsonl")).unwrap();
        let log = Log::in_folder(folder.path());
        let before = names(folder.path());
        let prune = |delete| {
            let mut out = Vec::new();
            let all_gone = prune(&log, "2026-09-01".parse().unwrap(), delete, &mut out).unwrap();
            (String::from_utf8(out).unwrap(), all_gone)
        };
        let (told, all_gone) = prune(None);
        assert_eq!(names(folder.path()), before, "{told}");
        assert!(go.iter().all(|name| told.contains(name)) && told.contains("会删掉"), "{told}");
        assert!(all_gone && told.contains("这 2 天"), "{told}");
        let (told, all_gone) = prune(Some(|path| match day(path).map(Date::year) {
            Some(2025) => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        }));
        assert!(!all_gone && told.contains("2025-01-01.jsonl  删不了：permission denied"), "{told}");
        assert!(told.contains("2026-08-31.jsonl  3 字节") && told.contains("里 1 天"), "{told}");
        let (told, all_gone) = prune(Some(|path| fs::remove_file(path)));
        let gone: Vec<String> = before.difference(&names(folder.path())).cloned().collect();
        assert_eq!(gone, go, "{told}");
        assert!(all_gone && told.contains("2 天") && told.contains("删掉了"), "{told}");
        assert!(at("pending/2025-01-01.jsonl").exists() && at("notes.jsonl").exists());
        let (told, all_gone) = prune(Some(|path| fs::remove_file(path)));
        assert!(all_gone && told.contains("什么都没删"), "{told}");
    }

    #[test]
    fn today_stays_whatever_is_asked_for() {
        let now: ZonedDateTime = "2026-11-30T12:00:00+00:00[UTC]".parse().unwrap();
        for (before, kept) in
            [("0d", "2026-11-30"), ("2030-01-01", "2026-11-30"), ("2026-09-01", "2026-09-01")]
        {
            assert_eq!(first_kept(before.parse().unwrap(), &now).to_string(), kept, "{before}");
        }
    }
}
