//! Handing over a task.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

use jiff::Timestamp;
use subcortex_cadence::TaskName;
use subcortex_store::Disk;
use subcortex_store::durable::{self, WriteError};

use crate::{InboxError, MAX_TASK_BYTES, names};

/// A name for a task whose dropper gave none: `task-20261114T083700Z-1f3a9c02.md`.
#[must_use]
pub fn default_name(now: Timestamp) -> TaskName {
    // Each such state is seeded anew; 32 bits are plenty for tasks of one second.
    let random = RandomState::new().build_hasher().finish() >> 32;
    TaskName::new(format!("task-{}-{random:08x}.md", now.strftime("%Y%m%dT%H%M%SZ")))
}

/// Puts a task into an inbox, whole or not at all, under a name that is free. The directory is made if only it is
/// missing. The body is taken as it is: the file is its person's own.
///
/// A [`WriteError::NotDurable`] inside the error means that the task is there, but a power cut could still undo it.
pub fn drop_task(disk: &dyn Disk, dir: &Path, name: &str, body: &[u8]) -> Result<TaskName, InboxError> {
    check_task(name, body)?;
    let path = dir.join(name);
    let mut made = durable::create_new(disk, &path, body);
    if made.as_ref().is_err_and(lacks_directory) {
        make_inbox(disk, dir)?;
        made = durable::create_new(disk, &path, body);
    }
    made?;
    Ok(TaskName::new(name))
}

/// Whether a write failed because its directory is not there.
pub(crate) fn lacks_directory(error: &WriteError) -> bool {
    error.io().is_some_and(|source| source.kind() == io::ErrorKind::NotFound)
}

/// Makes the inbox of a partition whose directory is there.
pub(crate) fn make_inbox(disk: &dyn Disk, dir: &Path) -> Result<(), WriteError> {
    match (dir.parent(), dir.file_name()) {
        (Some(parent), Some(name)) => durable::make_dirs(disk, parent, Path::new(name)),
        _ => Ok(()),
    }
}

/// Whether this can be a task: its name, and how long it is.
pub fn check_task(name: &str, body: &[u8]) -> Result<(), InboxError> {
    names::check(name)?;
    let len_bytes = body.len() as u64;
    if len_bytes > MAX_TASK_BYTES { Err(InboxError::TooLarge { len_bytes }) } else { Ok(()) }
}

/// Puts several tasks into an inbox, each whole or not at all; says of each whether its name was free.
pub fn drop_many(
    disk: &dyn Disk,
    dir: &Path,
    tasks: &[(TaskName, Vec<u8>)],
) -> Result<Vec<bool>, InboxError> {
    tasks.iter().try_for_each(|(name, body)| check_task(name.as_str(), body))?;
    make_inbox(disk, dir)?;
    let files: Vec<_> = tasks.iter().map(|(name, body)| (dir.join(name.as_str()), body.clone())).collect();
    Ok(durable::create_many_new(disk, &files)?)
}
