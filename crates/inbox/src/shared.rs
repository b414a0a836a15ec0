//! The shared inbox: tasks for whom it concerns, handed on by their marker.
//!
//! A task goes to the one partition whose `consumes` matches its marker. It goes there by one rename, the new directory
//! synced before the old one: at every moment, and after every crash, it lies in exactly one of the two, so nobody
//! gets it twice. What cannot go anywhere stays, and [`addressee`] says why to whoever asks.

use std::path::{Path, PathBuf};

use subcortex_cadence::{TaskKey, TaskName};
use subcortex_store::Disk;
use subcortex_store::durable::{self, WriteError};

use crate::body::{stamp_of, task_key};
use crate::dropping::{lacks_directory, make_inbox};
use crate::{Body, InboxError, marker, matches, names};

/// How many names are tried for a task whose name is taken where it goes.
const MAX_NAMES_TRIED: usize = 100;

/// A partition, and the markers of the tasks that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumer {
    /// Its name.
    pub partition: String,
    /// Patterns such as `memory:*`.
    pub consumes: Vec<String>,
}

/// Why a task stays in the shared inbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undeliverable {
    /// Nothing says whom it concerns.
    #[error(
        "it does not begin with a marker that says whom it concerns, such as `[memory:scan]`; put one in front, or drop it \
         into a partition's own inbox"
    )]
    NoMarker,
    /// Nobody takes such tasks.
    #[error(
        "no partition that can be used takes `[{marker}]`; change the marker, or add it to `consumes` in a partition's CLAUDE.md"
    )]
    NobodyTakes {
        /// The marker.
        marker: String,
    },
    /// More than one takes such tasks.
    #[error(
        "`[{marker}]` is taken by {}, and a task goes to one of them only; narrow `consumes` in one, or drop it into an inbox",
        by.join(" and ")
    )]
    TakenTwice {
        /// The marker.
        marker: String,
        /// By whom.
        by: Vec<String>,
    },
}

/// The one partition that a task is for.
pub fn addressee<'a>(body: &str, consumers: &'a [Consumer]) -> Result<&'a str, Undeliverable> {
    let marker = marker(body).ok_or(Undeliverable::NoMarker)?;
    let takes = |consumer: &&Consumer| consumer.consumes.iter().any(|pattern| matches(pattern, marker));
    let by: Vec<&Consumer> = consumers.iter().filter(takes).collect();
    match by.as_slice() {
        [one] => Ok(&one.partition),
        [] => Err(Undeliverable::NobodyTakes { marker: marker.to_owned() }),
        several => Err(Undeliverable::TakenTwice {
            marker: marker.to_owned(),
            by: several.iter().map(|consumer| consumer.partition.clone()).collect(),
        }),
    }
}

/// Moves the task that was read from the shared inbox to another inbox; says under which name it lies there. `None`
/// when it is no longer what was read: the next look decides anew.
pub fn hand_over(
    disk: &dyn Disk,
    shared: &Path,
    task: &Body,
    inbox: &Path,
) -> Result<Option<TaskName>, InboxError> {
    let name = names::check(task.key.name.as_str())?;
    let from = shared.join(name);
    for attempt in 1..=MAX_NAMES_TRIED {
        if !disk.stat(&from).is_ok_and(|stat| stamp_of(&stat) == task.stamp) {
            return Ok(None);
        }
        let new_name = numbered(name, attempt);
        let to: PathBuf = inbox.join(&new_name);
        let mut moved = durable::claim(disk, &from, &to);
        if moved.as_ref().is_err_and(lacks_directory) {
            make_inbox(disk, inbox)?;
            moved = durable::claim(disk, &from, &to);
        }
        match moved {
            Ok(()) => return Ok(Some(TaskName::new(new_name))),
            Err(WriteError::Exists { .. }) => {}
            Err(WriteError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    Err(WriteError::Exists { path: inbox.join(name) }.into())
}

/// What a task of the shared inbox can be known by in the inbox that it goes to.
pub fn keys_when_handed_over(name: &str, body: &[u8]) -> Vec<TaskKey> {
    (1..=MAX_NAMES_TRIED).map(|attempt| task_key(&numbered(name, attempt), body)).collect()
}

/// `task.md`, `task-2.md`, `task-3.md` …
fn numbered(name: &str, attempt: usize) -> String {
    match (attempt, name.rsplit_once('.')) {
        (1, _) => name.to_owned(),
        (_, Some((stem, extension))) if !stem.is_empty() => format!("{stem}-{attempt}.{extension}"),
        (_, _) => format!("{name}-{attempt}"),
    }
}

#[cfg(test)]
mod tests {
    use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};

    use super::*;
    use crate::{drop_task, read_body};

    fn consumers() -> Vec<Consumer> {
        let consumer = |partition: &str, consumes: &[&str]| Consumer {
            partition: partition.into(),
            consumes: consumes.iter().map(|pattern| (*pattern).into()).collect(),
        };
        vec![
            consumer("weaver", &["memory:*"]),
            consumer("notes", &["note", "memory:note"]),
            consumer("idle", &[]),
        ]
    }

    #[track_caller]
    fn check(body: &str, expect: &str) {
        let said = addressee(body, &consumers())
            .map_or_else(|why| why.to_string().split("; ").next().unwrap().to_owned(), str::to_owned);
        assert_eq!(said, expect, "{body}");
    }

    #[test]
    fn a_task_is_for_the_one_partition_that_takes_its_marker() {
        check("[memory:scan] Look.", "weaver");
        check("[note] Keep this.", "notes");
        check("[other:x] Do it.", "no partition that can be used takes `[other:x]`");
        check(
            "[memory:note] Keep.",
            "`[memory:note]` is taken by weaver and notes, and a task goes to one of them only",
        );
        check(
            "Look at it.",
            "it does not begin with a marker that says whom it concerns, such as `[memory:scan]`",
        );
    }

    struct Place {
        _folder: tempfile::TempDir,
        shared: PathBuf,
        inbox: PathBuf,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (shared, partition) = (folder.path().join("inbox"), folder.path().join("p"));
        RealDisk.make_dir(&shared).unwrap();
        RealDisk.make_dir(&partition).unwrap();
        drop_task(&RealDisk, &shared, "t.md", b"[memory:scan] Look.").unwrap();
        Place { inbox: partition.join("inbox"), shared, _folder: folder }
    }

    fn read(place: &Place) -> Body {
        read_body(&RealDisk, &place.shared, &TaskName::new("t.md")).unwrap()
    }

    fn names_in(dir: &Path) -> Vec<String> {
        let found = std::fs::read_dir(dir).into_iter().flatten();
        let mut names: Vec<String> =
            found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_task_whose_name_is_taken_gets_a_number() {
        let place = place();
        drop_task(&RealDisk, &place.inbox, "t.md", b"another").unwrap();
        let moved = hand_over(&RealDisk, &place.shared, &read(&place), &place.inbox).unwrap();
        assert_eq!(moved, Some(TaskName::new("t-2.md")));
        assert_eq!(names_in(&place.inbox), ["t-2.md", "t.md"]);
        assert_eq!(std::fs::read(place.inbox.join("t.md")).unwrap(), b"another");
        assert!(names_in(&place.shared).is_empty());
    }

    #[test]
    fn a_task_that_was_changed_since_it_was_read_stays() {
        let place = place();
        let body = read(&place);
        durable::remove(&RealDisk, &place.shared.join("t.md")).unwrap();
        drop_task(&RealDisk, &place.shared, "t.md", b"[note] Something else.").unwrap();
        assert_eq!(hand_over(&RealDisk, &place.shared, &body, &place.inbox).unwrap(), None);
        assert_eq!(names_in(&place.shared), ["t.md"]);
    }

    /// Whatever call fails or is the last one: the task lies in exactly one place, and a second try ends it.
    #[test]
    fn a_death_at_any_call_leaves_the_task_in_exactly_one_place() {
        for kind in [FaultKind::Eio, FaultKind::Crash] {
            for at_call in 1.. {
                let place = place();
                let body = read(&place);
                let disk = FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::Once });
                drop(hand_over(&disk, &place.shared, &body, &place.inbox));
                let reached = disk.was_reached();
                let both = [names_in(&place.shared), names_in(&place.inbox)].concat();
                assert_eq!(both, ["t.md"], "call {at_call}, {kind:?}");
                if !names_in(&place.shared).is_empty() {
                    hand_over(&RealDisk, &place.shared, &read(&place), &place.inbox).unwrap();
                }
                assert_eq!(names_in(&place.inbox), ["t.md"]);
                if !reached {
                    break;
                }
            }
        }
    }
}
