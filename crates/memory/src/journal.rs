//! `journal.jsonl`: every edit of the broadcast, one JSON object a line, only ever appended; save that the words of a line that a
//! person had forgotten are taken out of all of them ([`Journal::forget_words`]).

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::{LineHash, MemoryFolder, Trouble};

/// The largest journal that is read, in bytes: far more edits than anybody makes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What every record begins with.
const FIRST_BYTES: &[u8] = b"{\"id\":\"";

/// Why an edit was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The ledger asked for it.
    Evidence,
    /// A task asked for it.
    Task,
    /// A person accepted a proposal.
    Accepted,
    /// A person took an edit back.
    Reverted,
    /// An edit did not do well in its probation.
    Probation,
    /// What it came from was to be forgotten.
    Forgotten,
    /// A person wrote it, with a command.
    Person,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A new line.
    Add,
    /// Other words.
    Rewrite,
    /// The line is gone.
    Remove,
    /// The same words in another place.
    Move,
}

/// A piece of evidence that an edit rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EvidenceRef {
    /// The fragment, as a reference.
    pub fragment: String,
    /// The event that it quotes.
    pub event_id: String,
    /// Its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
}

/// How often a line was followed when it had an occasion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rate {
    /// Turns in which it was.
    pub followed: u64,
    /// Turns in which it was not.
    pub missed: u64,
}

impl Rate {
    /// All turns that triggered the line.
    pub fn occasions(self) -> u64 {
        self.followed + self.missed
    }
}

/// One change of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// Its number before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_before: Option<usize>,
    /// Its number after the edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_after: Option<usize>,
    /// Its identity before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<LineHash>,
    /// Its identity after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<LineHash>,
    /// Its text before; `None` also when it was to be forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its text after; `None` also when it was to be forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The project section that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Why, in a sentence.
    pub why: String,
    /// What it rests on.
    #[serde(default)]
    pub evidence: Vec<EvidenceRef>,
    /// How the line fared before the edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_before: Option<Rate>,
    /// How it fared after the edit that is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_after: Option<Rate>,
}

/// One edit of the broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Its name, by which it is taken back.
    pub id: String,
    /// When it was made.
    pub ts: Timestamp,
    /// Why.
    pub cause: Cause,
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The edit that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// Whether there was no broadcast before.
    #[serde(default)]
    pub bootstrapped: bool,
    /// What it changed.
    pub changes: Vec<Change>,
}

impl Change {
    /// Takes out the words of lines that are to be forgotten, by their [`LineHash::of_words`]. Says whether there were any.
    pub fn forget_words(&mut self, words: &BTreeSet<String>) -> bool {
        let is_forgotten =
            |hash: &Option<LineHash>| hash.as_ref().is_some_and(|hash| words.contains(hash.of_words()));
        let before = self.before.take_if(|_| is_forgotten(&self.hash_before));
        let after = self.after.take_if(|_| is_forgotten(&self.hash_after));
        before.is_some() || after.is_some()
    }
}

impl Edit {
    /// A fresh name that sorts by the time it was made.
    pub fn new_id() -> String {
        format!("edit_{}", uuid::Uuid::now_v7().simple())
    }
}

/// All edits, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// The edits.
    pub edits: Vec<Edit>,
    /// Lines that are no edit, by number from 1, and why. They are passed over.
    pub broken: Vec<(usize, String)>,
}

impl Journal {
    /// Reads the journal. A torn last line is what a crash left of an edit that did not happen. Any other line that is no edit came with
    /// somebody else's version of the file, or was written by hand: it must not cost all the others.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let path = folder.journal();
        let text = match durable::read(disk, &path, MAX_BYTES) {
            Ok(text) => text,
            Err(ReadError::Missing { .. }) => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        let mut journal = Self::default();
        for (at, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            match serde_json::from_slice(line) {
                Ok(edit) => journal.edits.push(edit),
                Err(_) if !line.ends_with(b"\n") || line.trim_ascii().is_empty() => {}
                Err(error) => journal.broken.push((at + 1, error.to_string())),
            }
        }
        Ok(journal)
    }

    /// The lines that are no edit, a sentence each.
    pub fn damage(&self) -> impl Iterator<Item = String> + '_ {
        self.broken.iter().map(|(at, why)| format!("memory/journal.jsonl:{at}: {why}"))
    }

    /// Appends an edit; durable when this returns.
    pub fn append(disk: &dyn Disk, folder: &MemoryFolder, edit: &Edit) -> Result<(), Trouble> {
        let path = folder.journal();
        let failed = |path: PathBuf| move |why: String| Trouble::NotEntered { path, why };
        let mut record = serde_json::to_vec(edit).map_err(|error| failed(path.clone())(error.to_string()))?;
        record.push(b'\n');
        let opened = disk.open(&path, OpenMode::Append);
        let file = opened.map_err(|error| failed(path.clone())(format!("cannot open it: {error}")))?;
        let io = |error: std::io::Error| failed(path.clone())(format!("cannot append to it: {error}"));
        let len = file.len().map_err(io)?;
        let tail = unfinished_tail(&*file, len).map_err(io)?;
        let mut end = len;
        if serde_json::from_slice::<Edit>(&tail).is_ok() {
            record.insert(0, b'\n'); // whole but for its newline
        } else if tail.is_empty() {
            // It ends as it should.
        } else if tail.starts_with(FIRST_BYTES) || FIRST_BYTES.starts_with(&tail) {
            // What a crash left of a record of ours says nothing: the edit is entered anew.
            end = len - tail.len() as u64;
            file.truncate(end).map_err(io)?;
        } else {
            record.insert(0, b'\n'); // somebody else's words stay, as a line that is no edit
        }
        durable::append(&*file, end, &record).map_err(|error| failed(path.clone())(error.to_string()))?;
        file.sync().map_err(io)?;
        disk.sync_dir(folder.root()).map_err(io)
    }

    /// Takes the words of forgotten lines out of every edit, in one step. Names, numbers and evidence stay. What is no edit may hold such
    /// words, and goes.
    pub fn forget_words(
        disk: &dyn Disk,
        folder: &MemoryFolder,
        words: &BTreeSet<String>,
    ) -> Result<(), Trouble> {
        let mut journal = Self::read(disk, folder)?;
        let mut found = !journal.broken.is_empty();
        for change in journal.edits.iter_mut().flat_map(|edit| &mut edit.changes) {
            found |= change.forget_words(words);
        }
        if !found {
            return Ok(());
        }
        let path = folder.journal();
        let mut text = Vec::new();
        for edit in &journal.edits {
            serde_json::to_writer(&mut text, edit)
                .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
            text.push(b'\n');
        }
        Ok(durable::replace(disk, &path, &text)?)
    }

    /// The edit with this name.
    pub fn by_id(&self, id: &str) -> Option<&Edit> {
        self.edits.iter().find(|edit| edit.id == id)
    }

    /// Whether an edit has been taken back.
    pub fn is_reverted(&self, id: &str) -> bool {
        self.edits.iter().any(|edit| edit.reverts.as_deref() == Some(id))
    }

    /// Whether a person took back this one change of an edit since, and left the others.
    pub fn is_change_reverted(&self, edit: &Edit, change: &Change) -> bool {
        let undoes =
            |other: &Change| other.hash_before == change.hash_after && other.hash_after == change.hash_before;
        let later = self.edits.iter().skip_while(|other| other.id != edit.id).skip(1);
        later
            .filter(|other| other.cause == Cause::Reverted && other.reverts.is_none())
            .any(|other| other.changes.iter().any(undoes))
    }
}

/// What stands behind the last newline.
fn unfinished_tail(file: &dyn DiskFile, len: u64) -> std::io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    let mut byte = [0];
    for at in (0..len).rev() {
        file.read_at(&mut byte, at)?;
        if byte == [b'\n'] {
            break;
        }
        tail.push(byte[0]);
    }
    tail.reverse();
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use subcortex_store::RealDisk;

    fn edit(id: &str) -> Edit {
        let ts = Timestamp::UNIX_EPOCH;
        let (run_id, reverts, changes) = (None, None, Vec::new());
        Edit { id: id.into(), ts, cause: Cause::Task, run_id, reverts, bootstrapped: false, changes }
    }

    #[test]
    fn a_torn_record_is_passed_over_and_swallows_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(dir.path());
        Journal::append(&RealDisk, &folder, &edit("a")).unwrap();
        let whole = durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap();
        let torn = [&whole[..], &whole[..20]].concat();
        durable::replace(&RealDisk, &folder.journal(), &torn).unwrap();
        assert_eq!(Journal::read(&RealDisk, &folder).unwrap().edits, [edit("a")]);
        Journal::append(&RealDisk, &folder, &edit("b")).unwrap();
        assert_eq!(Journal::read(&RealDisk, &folder).unwrap().edits, [edit("a"), edit("b")]);
        // What somebody else wrote there stays, and is named.
        let bytes = durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap();
        durable::replace(&RealDisk, &folder.journal(), &[&bytes[..], b"a note of mine"].concat()).unwrap();
        Journal::append(&RealDisk, &folder, &edit("c")).unwrap();
        let journal = Journal::read(&RealDisk, &folder).unwrap();
        assert_eq!((journal.edits.len(), journal.broken.len()), (3, 1));
        let kept = durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap();
        assert!(kept.windows(14).any(|bytes| bytes == b"a note of mine"));
        durable::replace(&RealDisk, &folder.journal(), &bytes).unwrap();
        // Only the newline is missing: the record counts, before and after.
        let bytes = durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap();
        durable::replace(&RealDisk, &folder.journal(), bytes.strip_suffix(b"\n").unwrap()).unwrap();
        assert_eq!(Journal::read(&RealDisk, &folder).unwrap().edits.len(), 2);
        Journal::append(&RealDisk, &folder, &edit("c")).unwrap();
        assert_eq!(Journal::read(&RealDisk, &folder).unwrap().edits, [edit("a"), edit("b"), edit("c")]);
    }

    #[test]
    fn a_line_that_is_no_edit_is_passed_over_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(dir.path());
        Journal::append(&RealDisk, &folder, &edit("a")).unwrap();
        let whole = durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap();
        let junk: [&[u8]; 4] = [b"<<<<<<< HEAD\n", b"\xff\xfe use tabs\n", b"{\"id\":\"x\"}\n", b"[]\n"];
        durable::replace(&RealDisk, &folder.journal(), &[&junk.concat(), &whole[..]].concat()).unwrap();
        let journal = Journal::read(&RealDisk, &folder).unwrap();
        assert_eq!(journal.edits, [edit("a")]);
        assert_eq!(journal.broken.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2, 3, 4]);
        Journal::forget_words(&RealDisk, &folder, &BTreeSet::from(["x".to_owned()])).unwrap();
        assert_eq!(durable::read(&RealDisk, &folder.journal(), MAX_BYTES).unwrap(), whole);
    }
}
