//! The end of a task: steps 4 and 5 of [`subcortex_cadence::ack`], and the look that its recovery needs.

use std::io;
use std::path::Path;

use subcortex_cadence::RunTask;
use subcortex_cadence::ack::FileFound;
use subcortex_store::Disk;
use subcortex_store::durable::ReadError;

use crate::body::{read_content, stamp_of, task_key};
use crate::{InboxError, names};

/// What an ack came to. In all three cases the task that was taken is no longer in the inbox, for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acked {
    /// The file was removed.
    Removed,
    /// It was gone already.
    Gone,
    /// Another file stands under the name, and stays: it is a task of its own.
    Replaced,
}

/// Removes exactly the file that a run took, and makes the removal durable. The caller has made the task's result and
/// its `task.done` durable before.
pub fn ack(disk: &dyn Disk, dir: &Path, task: &RunTask) -> Result<Acked, InboxError> {
    let acked = remove(disk, dir, task)?;
    sync_after(disk, dir, &[acked])?;
    Ok(acked)
}

/// The same for several tasks of one inbox, with one sync for all of them.
pub fn ack_all(disk: &dyn Disk, dir: &Path, tasks: &[&RunTask]) -> Result<Vec<Acked>, InboxError> {
    let acked: Vec<Acked> = tasks.iter().map(|task| remove(disk, dir, task)).collect::<Result<_, _>>()?;
    sync_after(disk, dir, &acked)?;
    Ok(acked)
}

fn remove(disk: &dyn Disk, dir: &Path, task: &RunTask) -> Result<Acked, InboxError> {
    match look(disk, dir, task)? {
        FileFound::Another => return Ok(Acked::Replaced),
        FileFound::None => return Ok(Acked::Gone),
        FileFound::ThisOne => {}
    }
    let path = dir.join(task.key.name.as_str());
    match disk.remove(&path) {
        Ok(()) => Ok(Acked::Removed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Acked::Gone),
        Err(source) => Err(InboxError::Remove { path, source }),
    }
}

/// Also when all were gone already: the one who removed them may have died before this.
fn sync_after(disk: &dyn Disk, dir: &Path, acked: &[Acked]) -> Result<(), InboxError> {
    if acked.iter().all(|acked| *acked == Acked::Replaced) { Ok(()) } else { sync(disk, dir) }
}

/// What the inbox holds under the name of a task that a run took.
pub fn look(disk: &dyn Disk, dir: &Path, task: &RunTask) -> Result<FileFound, InboxError> {
    let name = names::check(task.key.name.as_str())?;
    let content = match read_content(disk, &dir.join(name)) {
        Ok(content) => content,
        Err(InboxError::Read(ReadError::Missing { .. })) => return Ok(FileFound::None),
        // Whatever this is, it is not what the run took: that was a small regular file.
        Err(InboxError::Read(ReadError::NotRegular(_) | ReadError::TooLarge { .. })) => {
            return Ok(FileFound::Another);
        }
        Err(error) => return Err(error),
    };
    let same = stamp_of(&content.stat) == task.stamp && task_key(name, &content.bytes) == task.key;
    Ok(if same { FileFound::ThisOne } else { FileFound::Another })
}

fn sync(disk: &dyn Disk, dir: &Path) -> Result<(), InboxError> {
    match disk.sync_dir(dir) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(InboxError::Sync { path: dir.to_owned(), source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
