//! The repository in `memory/`: made on first use, left alone while somebody else is at it.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use subcortex_store::durable;
use subcortex_store::{Disk, EntryKind};

use crate::git::{Git, GitError};
use crate::{CommitError, paths};

/// What git leaves while something is going on that is not ours.
const UNDER_WAY: [(&str, &str); 11] = [
    ("index.lock", "its index is locked"),
    ("HEAD.lock", "its HEAD is locked"),
    ("refs/heads/main.lock", "its branch is locked"),
    ("refs/remotes/origin/main.lock", "what is known of its remote is locked"),
    ("packed-refs.lock", "its names of commits are locked"),
    ("rebase-merge", "a rebase is in progress"),
    ("rebase-apply", "a rebase is in progress"),
    ("MERGE_HEAD", "a merge is in progress"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is in progress"),
    ("REVERT_HEAD", "a revert is in progress"),
    ("BISECT_LOG", "a bisection is in progress"),
];
/// Says that a run of ours is changing the repository: what lies there without one at work, a dead one left.
const AT_WORK: &str = "subcortex-at-work";
/// How old a lock is before it is taken for one that a dead run of ours left, in seconds.
const STALE_LOCK_S: i64 = 60;

/// How many files are asked for at once.
const FILES_AT_ONCE: usize = 500;

/// A repository, and the disk that it lies on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repository<'a> {
    pub(crate) git: &'a Git,
    pub(crate) disk: &'a dyn Disk,
}

impl Repository<'_> {
    /// Makes it, if there is none.
    pub(crate) fn prepare(&self) -> Result<bool, CommitError> {
        if self.disk.stat(&self.git.dir().join("HEAD")).is_ok() || self.is_linked() {
            return Ok(false);
        }
        self.git.ask(&["init", "--quiet", "--initial-branch=main"])?;
        let excluded = paths::NOT_SHARED.join("\n") + "\n";
        durable::make_dirs(self.disk, &self.git.dir(), Path::new("info"))?;
        durable::replace(self.disk, &self.git.dir().join("info/exclude"), excluded.as_bytes())?;
        Ok(true)
    }

    /// People do keep `.git` elsewhere and leave a file that says where.
    fn is_linked(&self) -> bool {
        self.disk.stat(&self.git.dir()).is_ok_and(|stat| stat.kind == EntryKind::File)
    }

    /// Why it is left alone; `None` when nobody is at it.
    pub(crate) fn somebody_else(&self, now: Timestamp) -> Option<String> {
        UNDER_WAY.iter().find_map(|(name, what)| {
            let is_there = || self.disk.stat(&self.git.dir().join(name)).is_ok();
            if is_there() && name.ends_with(".lock") && self.is_left_by_us(name, now) {
                drop(self.disk.remove(&self.git.dir().join(name)));
            }
            is_there().then(|| format!("{what} (memory/.git/{name})"))
        })
    }

    fn is_left_by_us(&self, lock: &str, now: Timestamp) -> bool {
        let stat = |name: &str| self.disk.stat(&self.git.dir().join(name)).ok();
        let (Some(mark), Some(lock)) = (stat(AT_WORK), stat(lock)) else { return false };
        let age_s = now.as_second() - i64::try_from(lock.mtime_ns / 1_000_000_000).unwrap_or(i64::MAX);
        lock.mtime_ns >= mark.mtime_ns && age_s > STALE_LOCK_S
    }

    /// Notes that locks from here on may be ours.
    pub(crate) fn begin(&self) -> Result<(), CommitError> {
        Ok(durable::replace(self.disk, &self.git.dir().join(AT_WORK), b"")?)
    }

    /// Everything went well, so no lock is ours. Who fails or dies leaves the note for the next wake.
    pub(crate) fn end(&self) -> Result<(), CommitError> {
        durable::remove(self.disk, &self.git.dir().join(AT_WORK))?;
        Ok(())
    }

    /// The newest commit; `None` before the first one.
    pub(crate) fn head(&self) -> Result<Option<String>, GitError> {
        self.commit_named("HEAD")
    }

    /// The commit behind a name; `None` when there is none.
    pub(crate) fn commit_named(&self, name: &str) -> Result<Option<String>, GitError> {
        let answer =
            self.git.try_ask(&["rev-parse", "--quiet", "--verify", &format!("{name}^{{commit}}")])?;
        let id = String::from_utf8_lossy(&answer.out).trim().to_owned();
        Ok((answer.code == 0 && !id.is_empty()).then_some(id))
    }

    /// A file as it stands in a commit; `None` when it does not.
    pub(crate) fn file_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let answer = self.git.try_ask(&["cat-file", "blob", &format!("{commit}:{path}")])?;
        Ok((answer.code == 0).then_some(answer.out))
    }

    /// Several files as they stand in a commit, by one process for many; those that do not stand there are left out.
    pub(crate) fn files_at<'p>(
        &self,
        commit: &str,
        paths: impl IntoIterator<Item = &'p String>,
    ) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let mut found = BTreeMap::new();
        // A name with a line break would be two questions.
        let (odd, plain): (Vec<&String>, Vec<&String>) =
            paths.into_iter().partition(|path| path.contains('\n'));
        for some in plain.chunks(FILES_AT_ONCE) {
            let asked: String = some.iter().map(|path| format!("{commit}:{path}\n")).collect();
            match self.git.tell(&["cat-file", "--batch"], asked.into_bytes()) {
                Ok(answer) => found.extend(blobs_in(&answer, some)),
                Err(GitError::Failed { .. }) => self.one_by_one(commit, some, &mut found)?, // too long for one answer
                Err(error) => return Err(error),
            }
        }
        self.one_by_one(commit, &odd, &mut found)?;
        Ok(found)
    }

    fn one_by_one(
        &self,
        commit: &str,
        paths: &[&String],
        found: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), GitError> {
        for path in paths {
            found.extend(self.file_at(commit, path)?.map(|bytes| ((*path).clone(), bytes)));
        }
        Ok(())
    }

    /// Files of ours that differ from the newest commit.
    pub(crate) fn changed(&self) -> Result<Vec<String>, GitError> {
        let said =
            self.git.ask(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"])?;
        let entries = said.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
        let mut changed: Vec<String> = entries
            .filter_map(|entry| entry.get(3..))
            .filter(|path| paths::is_shared(path))
            .map(str::to_owned)
            .collect();
        changed.sort();
        Ok(changed)
    }
}

/// The files in an answer of `cat-file --batch`: `<id> blob <bytes>`, the content, a line break; or a line that ends in `missing`.
fn blobs_in(answer: &[u8], asked: &[&String]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut rest = answer;
    for path in asked {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let (head, behind) = rest.split_at(end);
        let behind = behind.get(1..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut words = head.rsplit(' ');
        let (len, kind) = (words.next().and_then(|len| len.parse::<usize>().ok()), words.next());
        let Some(len) = len.filter(|len| *len <= behind.len()) else {
            rest = behind; // it is missing
            continue;
        };
        let (content, behind) = behind.split_at(len);
        if kind == Some("blob") {
            found.push(((*path).clone(), content.to_vec()));
        }
        rest = behind.get(1..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_told_apart_by_their_lengths_and_what_is_missing_is_passed_over() {
        let names = ["a".to_owned(), "b c".into(), "d".into(), "e".into()];
        let asked: Vec<&String> = names.iter().collect();
        let answer = b"1f blob 3\nx\ny\nHEAD:b c missing\n2f tree 2\n12\n3f blob 0\n\n";
        let found = blobs_in(answer, &asked);
        assert_eq!(found, [("a".to_owned(), b"x\ny".to_vec()), ("e".into(), Vec::new())]);
    }
}
