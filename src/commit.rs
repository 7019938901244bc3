//! Which commit a source folder holds, read without Git: the build script asks, and `--version` tells.
//!
//! Only the folder's own `.git` counts: sources that lie somewhere in another repository are not at its commit.

use std::fs;
use std::path::{Path, PathBuf};

/// Hexadecimal digits that are told.
const DIGITS: usize = 10;

/// A commit, and the files that change when another one is checked out or made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Commit {
    /// The beginning of its id; `None` where it is not known.
    pub(crate) id: Option<String>,
    /// Files to watch; all of them are there.
    pub(crate) watched: Vec<PathBuf>,
}

/// The commit of the sources in this folder: a checkout, or a package that `cargo package` made of one.
pub(crate) fn of(sources: &Path) -> Commit {
    let packed = sources.join(".cargo_vcs_info.json");
    if let Ok(text) = fs::read_to_string(&packed) {
        let id = text.split_once("\"sha1\"").and_then(|(_, rest)| rest.split('"').nth(1)).and_then(short);
        return Commit { id, watched: vec![packed] };
    }
    let Some(git) = git_dir(sources) else { return Commit::default() };
    let head = git.join("HEAD");
    let Ok(at) = fs::read_to_string(&head) else { return Commit::default() };
    // A worktree has a HEAD of its own, and shares its branches.
    let shared = match fs::read_to_string(git.join("commondir")) {
        Ok(common) => git.join(common.trim()),
        Err(_) => git.clone(),
    };
    let mut watched = vec![head, git.join("logs/HEAD")];
    let id = match at.trim().strip_prefix("ref: ") {
        None => short(at.trim()),
        Some(branch) => {
            let (loose, packed) = (shared.join(branch), shared.join("packed-refs"));
            let of_branch = fs::read_to_string(&loose).ok().and_then(|id| short(id.trim()));
            let id = of_branch.or_else(|| in_packed(&fs::read_to_string(&packed).ok()?, branch));
            watched.extend([loose, packed]);
            id
        }
    };
    watched.retain(|file| file.exists());
    Commit { id, watched }
}

/// `.git` is a folder, or a file that names it.
fn git_dir(sources: &Path) -> Option<PathBuf> {
    let git = sources.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let named = fs::read_to_string(&git).ok()?;
    Some(sources.join(named.strip_prefix("gitdir: ")?.trim()))
}

fn in_packed(packed: &str, branch: &str) -> Option<String> {
    let lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.filter(|(_, name)| *name == branch).find_map(|(id, _)| short(id))
}

/// The beginning of an id, if it is one.
fn short(id: &str) -> Option<String> {
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.chars().take(DIGITS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "0123456789abcdef0123456789abcdef01234567";
    const B: &str = "fedcba9876543210fedcba9876543210fedcba98";

    fn tree(files: &[(&str, String)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn id(files: &[(&str, String)], below: &str) -> Option<String> {
        let tree = tree(files);
        let commit = of(&tree.path().join(below));
        assert!(commit.watched.iter().all(|file| file.exists()), "{commit:?}");
        assert!(commit.id.is_none() || !commit.watched.is_empty(), "{commit:?}");
        commit.id
    }

    #[test]
    fn a_commit_is_read_from_a_branch_a_packed_one_or_none() {
        let (a, b) = (Some("0123456789".to_owned()), Some("fedcba9876".to_owned()));
        let head = (".git/HEAD", "ref: refs/heads/x/y\n".to_owned());
        let loose = (".git/refs/heads/x/y", format!("{A}\n"));
        let packed =
            (".git/packed-refs", format!("# pack-refs\n{A} refs/heads/x\n{B} refs/heads/x/y\n^{A}\n"));
        assert_eq!(id(&[head.clone(), loose.clone()], ""), a);
        assert_eq!(id(&[head.clone(), packed.clone()], ""), b);
        assert_eq!(id(&[head.clone(), packed, loose], ""), a, "the loose one is newer");
        assert_eq!(id(&[(".git/HEAD", format!("{B}\n"))], ""), b, "no branch");
        assert_eq!(id(&[head], ""), None, "no commit yet");
    }

    #[test]
    fn a_worktree_has_its_own_head() {
        let files = [
            ("main/.git/refs/heads/x", format!("{B}\n")),
            ("main/.git/worktrees/w/HEAD", "ref: refs/heads/x\n".to_owned()),
            ("main/.git/worktrees/w/commondir", "../..\n".to_owned()),
            ("w/.git", "gitdir: ../main/.git/worktrees/w\n".to_owned()),
        ];
        assert_eq!(id(&files, "w"), Some("fedcba9876".to_owned()));
    }

    #[test]
    fn a_package_tells_of_its_commit_and_other_folders_of_none() {
        let info = format!("{{\n  \"git\": {{\n    \"sha1\": \"{A}\"\n  }},\n  \"path_in_vcs\": \"\"\n}}");
        assert_eq!(id(&[(".cargo_vcs_info.json", info)], ""), Some("0123456789".to_owned()));
        assert_eq!(id(&[], ""), None);
        let above = [(".git/HEAD", format!("{A}\n")), ("vendor/x/Cargo.toml", String::new())];
        assert_eq!(id(&above, "vendor/x"), None);
    }
}
