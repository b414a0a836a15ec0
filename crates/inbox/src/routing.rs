//! From the shared inbox to the inbox of the partition that a task is for.

use std::path::Path;

use subcortex_cadence::RunTask;
use subcortex_cadence::ack::FileFound;
use subcortex_store::Disk;
use subcortex_store::durable::{self, WriteError};

use crate::InboxError;
use crate::ack::look;
use crate::dropping::{lacks_directory, make_inbox};

/// What became of a task that was to be handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandedOver {
    /// It is in the other inbox now, with its name, content and age.
    Moved,
    /// It is not in this inbox any more.
    Gone,
    /// Another file stands under its name; nothing was moved.
    Replaced,
}

/// Moves a task to another inbox with one rename, so that it is in one of the two at every moment, and never in both.
///
/// A name that is taken over there is an error ([`InboxError::is_taken`]) and the task stays. So is an inbox
/// on another file system, where no such rename exists.
pub fn hand_over(disk: &dyn Disk, from: &Path, task: &RunTask, to: &Path) -> Result<HandedOver, InboxError> {
    match look(disk, from, task)? {
        FileFound::None => return Ok(HandedOver::Gone),
        FileFound::Another => return Ok(HandedOver::Replaced),
        FileFound::ThisOne => {}
    }
    let name = task.key.name.as_str();
    let (source, target) = (from.join(name), to.join(name));
    let mut moved = durable::claim(disk, &source, &target);
    if moved.as_ref().is_err_and(lacks_directory) {
        make_inbox(disk, to)?;
        moved = durable::claim(disk, &source, &target);
    }
    match moved {
        Ok(()) => Ok(HandedOver::Moved),
        Err(WriteError::Missing { .. }) => Ok(HandedOver::Gone),
        Err(error) => Err(error.into()),
    }
}
