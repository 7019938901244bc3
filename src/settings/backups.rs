//! Backups of `settings.json` (2.5), beside it and numbered: `settings.json.stop-auditor-backup.1`, `.2`, …
//! They are never overwritten and never removed; the newest one without our registration is the baseline.

use super::document::Document;
use super::registration::is_registered;
use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const SUFFIX: &str = ".stop-auditor-backup.";

/// Writes the bytes under the next free number, with the given mode from the first byte on.
pub fn write(settings: &Path, bytes: &[u8], permissions: Permissions) -> io::Result<PathBuf> {
    let first = newest_first(settings)?.first().map_or(1, |(newest, _)| newest.saturating_add(1));
    write_from(first, settings, bytes, permissions)
}

/// The same from this number on.
fn write_from(first: u64, settings: &Path, bytes: &[u8], permissions: Permissions) -> io::Result<PathBuf> {
    for number in first..=u64::MAX {
        let path = numbered(settings, number)?;
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.set_permissions(permissions)?;
                file.sync_all()?;
                return Ok(path);
            }
            // Another install's, which came first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("备份的编号用完了"))
}

/// What the settings held before the install that is in them now. Backups that cannot be read are passed over.
pub fn baseline(settings: &Path) -> io::Result<Option<Document>> {
    let backups = newest_first(settings)?;
    Ok(backups
        .iter()
        .filter_map(|(_, path)| Document::parse(&fs::read(path).ok()?).ok())
        .find(|document| !is_registered(document)))
}

/// Every backup there is, newest first.
pub fn newest_first(settings: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let prefix = prefix(settings)?;
    let folder = settings.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().zip(prefix.to_str()).and_then(|(name, prefix)| name.strip_prefix(prefix));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

fn prefix(settings: &Path) -> io::Result<OsString> {
    let mut name = settings.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(SUFFIX);
    Ok(name)
}

fn numbered(settings: &Path, number: u64) -> io::Result<PathBuf> {
    let mut name = prefix(settings)?;
    name.push(number.to_string());
    Ok(settings.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::{baseline, newest_first, numbered, write, write_from};
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    #[test]
    fn r2_5_a_backup_never_overwrites_another_and_keeps_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let settings = dir.path().join("settings.json");
        for (bytes, number) in [(b"{}", 1), (b"[]", 2), (b"{}", 3)] {
            let path = write(&settings, bytes, Permissions::from_mode(0o640)).unwrap();
            assert!(path.ends_with(format!("settings.json.stop-auditor-backup.{number}")), "{path:?}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        fs::remove_file(dir.path().join("settings.json.stop-auditor-backup.1")).unwrap();
        fs::write(dir.path().join("settings.json.stop-auditor-backup.10"), "{}").unwrap();
        let path = write(&settings, b"{}", Permissions::from_mode(0o600)).unwrap();
        assert!(path.ends_with("settings.json.stop-auditor-backup.11"), "numbers are no words: {path:?}");
        assert_eq!(newest_first(&settings).unwrap().len(), 4);
    }

    #[test]
    fn r2_5_where_another_install_took_the_number_the_next_one_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let settings = dir.path().join("settings.json");
        for bytes in [b"1", b"2"] {
            let path = write_from(1, &settings, bytes, Permissions::from_mode(0o600)).unwrap();
            assert_eq!(fs::read(path).unwrap(), bytes);
        }
        let [second, first] = newest_first(&settings).unwrap().try_into().unwrap();
        assert_eq!((fs::read(first.1).unwrap(), fs::read(second.1).unwrap()), (b"1".to_vec(), b"2".to_vec()));
    }

    #[test]
    fn r2_5_where_no_backup_can_be_made_this_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let settings = dir.path().join("settings.json");
        let write_to = |settings: &Path| write(settings, b"{}", Permissions::from_mode(0o600));
        fs::write(numbered(&settings, u64::MAX).unwrap(), "").unwrap();
        write_to(&settings).unwrap_err();
        let missing = write_to(&dir.path().join("missing/settings.json"));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(dir.path().join("file"), "").unwrap();
        let below_a_file = newest_first(&dir.path().join("file/settings.json"));
        assert_eq!(below_a_file.unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn r3_5_the_baseline_is_the_newest_backup_without_us() {
        let dir = tempfile::tempdir().unwrap();
        let settings = dir.path().join("settings.json");
        assert!(baseline(&settings).unwrap().is_none());
        let ours = br#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/stop-auditor"}]}]}}"#;
        for bytes in [br#"{"n":1}"#.as_slice(), br#"{"n":2}"#, ours, b"not json"] {
            write(&settings, bytes, Permissions::from_mode(0o600)).unwrap();
        }
        assert_eq!(baseline(&settings).unwrap().unwrap().to_bytes(), br#"{"n":2}"#);
    }
}
