//! Tasks that a worker posts about what it found: one for each finding, once, and taken back when it no longer holds.
//!
//! What was posted stands in a file of the worker's own (names and hashes, no words), so that a finding that was handled
//! does not come back while it still holds:
//!
//! ```json
//! {"posted":{"broken-pointer-1f3a9c02":{"inbox":"memory-weaver","task":"check-broken-pointer-1f3a9c02.md","hash":"…"}}}
//! ```
//!
//! A task is written under a hidden name, then noted, then shown. Whoever dies in between leaves something that the
//! next pass goes on with: before the note nothing was posted, after it the hidden file only has to be shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError, WriteError};

use crate::body::task_key;
use crate::dropping::make_inbox;
use crate::{InboxError, MAX_TASK_BYTES};

/// The largest file of notes that is read, in bytes.
const MAX_NOTES_BYTES: u64 = 4 * 1024 * 1024;
/// How a task is called before it is shown.
const HIDDEN: &str = ".posting-";

/// Something that was found, and the task about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What is found, in letters, digits and dashes: the same finding has the same one each time.
    pub key: String,
    /// The name of the inbox: a partition's.
    pub inbox: String,
    /// The task.
    pub body: String,
}

/// Where the notices of one worker are kept.
#[derive(Debug, Clone)]
pub struct Board<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// The file of what was posted.
    pub notes: PathBuf,
    /// What the names of the tasks begin with.
    pub prefix: &'a str,
    /// The folder of the partitions' folders.
    pub partitions: PathBuf,
}

/// What came of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Tasks that were posted, as `inbox/name`.
    pub posted: Vec<String>,
    /// Tasks that were taken back.
    pub withdrawn: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Notes {
    posted: BTreeMap<String, Posted>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Posted {
    inbox: String,
    task: String,
    hash: String,
}

impl Board<'_> {
    /// Whether a pass with these findings would change anything.
    pub fn is_settled(&self, found: &[Notice]) -> bool {
        let Ok(notes) = self.read() else { return false };
        let none_hidden = notes.posted.values().all(|posted| self.disk.stat(&self.hidden(posted)).is_err());
        none_hidden
            && notes.posted.len() == found.len()
            && found.iter().all(|notice| notes.posted.contains_key(&notice.key))
    }

    /// Posts what is new, takes back what no longer holds, and leaves the rest as it is.
    pub fn settle(&self, found: &[Notice]) -> Result<Settled, InboxError> {
        let mut notes = self.read()?;
        let mut settled = Settled::default();
        self.show_what_was_noted(&notes)?;
        let gone: Vec<String> = notes
            .posted
            .keys()
            .filter(|key| !found.iter().any(|notice| notice.key == **key))
            .cloned()
            .collect();
        for key in gone {
            let Some(posted) = notes.posted.get(&key).cloned() else { continue };
            if self.take_back(&posted)? {
                settled.withdrawn.push(format!("{}/{}", posted.inbox, posted.task));
            }
            notes.posted.remove(&key);
            self.write(&notes)?;
        }
        for notice in found {
            if notes.posted.contains_key(&notice.key) {
                continue;
            }
            let task = format!("{}-{}.md", self.prefix, notice.key);
            let hash = task_key(&task, notice.body.as_bytes()).hash.as_str().to_owned();
            let posted = Posted { inbox: notice.inbox.clone(), task, hash };
            make_inbox(self.disk, &self.inbox(&posted))?;
            durable::replace(self.disk, &self.hidden(&posted), notice.body.as_bytes())?;
            notes.posted.insert(notice.key.clone(), posted.clone());
            self.write(&notes)?;
            self.show(&posted)?;
            settled.posted.push(format!("{}/{}", posted.inbox, posted.task));
        }
        Ok(settled)
    }

    fn show_what_was_noted(&self, notes: &Notes) -> Result<(), InboxError> {
        notes.posted.values().try_for_each(|posted| self.show(posted))
    }

    /// From now on it is a task. Done twice it is done once.
    fn show(&self, posted: &Posted) -> Result<(), InboxError> {
        match durable::claim(self.disk, &self.hidden(posted), &self.shown(posted)) {
            Ok(()) | Err(WriteError::Missing { .. }) => Ok(()),
            // Somebody else's task of this name stays, and ours is not posted over it.
            Err(WriteError::Exists { .. }) => {
                durable::remove(self.disk, &self.hidden(posted))?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the task if it is still there as it was posted.
    fn take_back(&self, posted: &Posted) -> Result<bool, InboxError> {
        let path = self.shown(posted);
        let bytes = match durable::read(self.disk, &path, MAX_TASK_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::Missing { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if task_key(&posted.task, &bytes).hash.as_str() != posted.hash {
            return Ok(false); // a person made it theirs
        }
        Ok(durable::remove(self.disk, &path)?)
    }

    fn inbox(&self, posted: &Posted) -> PathBuf {
        self.partitions.join(&posted.inbox).join("inbox")
    }

    fn shown(&self, posted: &Posted) -> PathBuf {
        self.inbox(posted).join(&posted.task)
    }

    fn hidden(&self, posted: &Posted) -> PathBuf {
        self.inbox(posted).join(format!("{HIDDEN}{}", posted.task))
    }

    fn read(&self) -> Result<Notes, InboxError> {
        match durable::read_text(self.disk, &self.notes, MAX_NOTES_BYTES) {
            // Notes that nobody can read cost a task that is posted again, no more.
            Ok(text) => Ok(serde_json::from_str(&text).unwrap_or_default()),
            Err(ReadError::Missing { .. }) => Ok(Notes::default()),
            Err(error) => Err(error.into()),
        }
    }

    fn write(&self, notes: &Notes) -> Result<(), InboxError> {
        if let (Some(folder), Some(name)) =
            (self.notes.parent().and_then(Path::parent), self.notes.parent().and_then(Path::file_name))
        {
            durable::make_dirs(self.disk, folder, Path::new(name))?;
        }
        // Names and hashes only: this cannot fail, and an empty file would only post again.
        let text = serde_json::to_string(notes).unwrap_or_default();
        Ok(durable::replace(self.disk, &self.notes, format!("{text}\n").as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};

    use super::*;

    fn notice(key: &str) -> Notice {
        Notice { key: key.into(), inbox: "weaver".into(), body: format!("[memory:check] {key} is wrong.") }
    }

    fn board<'a>(disk: &'a dyn Disk, root: &Path) -> Board<'a> {
        Board { disk, notes: root.join("state/check.json"), prefix: "check", partitions: root.join("parts") }
    }

    fn place() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        durable::make_dirs(&RealDisk, folder.path(), Path::new("parts/weaver/inbox")).unwrap();
        folder
    }

    fn tasks(root: &Path) -> Vec<String> {
        let names = RealDisk.list(&root.join("parts/weaver/inbox")).unwrap();
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_finding_is_posted_once_also_after_it_was_handled_and_taken_back_when_it_is_gone() {
        let folder = place();
        let board = board(&RealDisk, folder.path());
        let (one, two) = (notice("a"), notice("b"));
        assert!(!board.is_settled(std::slice::from_ref(&one)));
        let settled = board.settle(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(settled.posted, ["weaver/check-a.md", "weaver/check-b.md"]);
        assert!(board.is_settled(&[one.clone(), two.clone()]));

        durable::remove(&RealDisk, &folder.path().join("parts/weaver/inbox/check-a.md")).unwrap(); // acked
        assert_eq!(board.settle(&[one.clone(), two]).unwrap(), Settled::default());
        assert_eq!(tasks(folder.path()), ["check-b.md"]);

        let settled = board.settle(&[one]).unwrap();
        assert_eq!(settled.withdrawn, ["weaver/check-b.md"]);
        assert!(tasks(folder.path()).is_empty());

        board.settle(&[]).unwrap();
        assert_eq!(board.settle(&[notice("a")]).unwrap().posted, ["weaver/check-a.md"], "it came anew");
    }

    #[test]
    fn a_death_at_any_call_posts_a_finding_exactly_once() {
        for at_call in 1.. {
            let folder = place();
            let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::Once };
            let disk = FaultyDisk::new(RealDisk, fault);
            drop(board(&disk, folder.path()).settle(&[notice("a")]));
            // Whoever saw the task before the next pass has done it by then.
            let seen = tasks(folder.path()).contains(&"check-a.md".to_owned());
            if seen {
                let path = folder.path().join("parts/weaver/inbox/check-a.md");
                durable::remove(&RealDisk, &path).unwrap();
            }
            board(&RealDisk, folder.path()).settle(&[notice("a")]).unwrap();
            let again = tasks(folder.path()).contains(&"check-a.md".to_owned());
            assert!(seen != again, "call {at_call}: seen {seen}, again {again}");
            if !disk.was_reached() {
                break;
            }
        }
    }
}
