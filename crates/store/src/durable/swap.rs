//! Files that people edit too: a person's save always wins, in whichever moment it comes.
//!
//! | step | what a save of somebody else does before the next one |
//! |---|---|
//! | the file is opened, leased (nobody has it open for writing) and compared with what was read | [`WriteError::Conflict`] or [`WriteError::Busy`] |
//! | the new content is written beside it and synced, with the old mode, owner and access list; it is put *aside* | the same, at the next look |
//! | the file is leased and compared again | a save by renaming: it is displaced, and found below; a save in place waits for the lease |
//! | the two names are exchanged in one step | a save goes to the new file, and stands |
//! | what was displaced is looked at: another file, another content, or somebody who waits to write to it | |
//! | … it is what was read: it is unlinked | |
//! | … it is not: exchanged back, [`WriteError::Conflict`]; the writer goes on in the file that has the name again | |
//!
//! What a crash leaves is put right by [`finish_replacements`](super::finish_replacements), by the hashes in the name of the file aside:
//!
//! | the file aside holds | the file holds | next |
//! |---|---|---|
//! | what was to be written | | it was not exchanged, or given back: removed |
//! | what had been read | | it was displaced: removed, once nobody writes to it |
//! | something else: somebody's save | what was to be written | exchanged back |
//! | something else | nothing | gets its name back |
//! | something else | something else: a later save | kept as `<name>.kept-<n>`, which people see |
//!
//! - A file that its owner made read-only is left alone.
//! - The new file is another inode. So a file with several names (hard links) is refused: it would part from the others.
//!   So is one whose owner cannot be kept. A symbolic link is refused here as everywhere: callers follow it first.
//! - Where the kernel gives no lease (another's file, some network file systems), the displaced file is kept for
//!   [`KEPT_ASIDE`], so that whoever still holds it open has time to finish.
//! - Not promised: on file systems that cannot exchange, a save by renaming between the last look and the rename.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::aside::{Aside, keep};
use super::error::{Operation, WriteError, parent};
use super::held::Held;
use super::replace::{create_new, refuse_unless_regular_or_missing};
use super::temporary::Temporary;
use crate::disk::{Disk, Stat};

/// How long a displaced file is kept where the kernel cannot tell whether somebody still writes to it.
pub(super) const KEPT_ASIDE: Duration = Duration::from_secs(600);

/// The permission bit of a file's owner.
const OWNER_MAY_WRITE: u32 = 0o200;

/// Gives a file new content if it still has the content that the caller read (`None`: if it is still
/// missing); otherwise [`WriteError::Conflict`], and the file stays as it is, also when it is saved meanwhile.
/// [`WriteError::Busy`] while somebody has it open for writing. Mode, owner and access list stay.
pub fn replace_if_unchanged(
    disk: &dyn Disk,
    path: &Path,
    expected: Option<&[u8]>,
    bytes: &[u8],
) -> Result<(), WriteError> {
    let Some(expected) = expected else {
        let made = create_new(disk, path, bytes);
        if let Err(WriteError::Exists { path }) = made {
            return Err(WriteError::Conflict { path });
        }
        return made;
    };
    let operation = Operation { path, done: "replaced" };
    if let Some(why) = why_not_replaceable(disk, path)? {
        return Err(why);
    }
    // Also before the work, since a conflict is most often known by now.
    drop(Held::take(disk, operation, expected)?);
    let temporary = Temporary::write(disk, operation, bytes)?;
    disk.copy_attributes(path, temporary.path()).map_err(|error| not_alike(operation, error))?;
    let aside = Aside::of_new(disk, path, temporary, expected, bytes)
        .map_err(operation.failed("naming the new content"))?;
    let held = Held::take(disk, operation, expected)?;
    match disk.exchange(aside.path(), path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(WriteError::Conflict { path: path.to_owned() });
        }
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            return rename_over(disk, operation, aside, &held, expected);
        }
        Err(error) => return Err(operation.failed("giving the new content its name")(error)),
    }
    match look_at_displaced(disk, aside.path(), &held, expected) {
        Ok(Displaced::AsRead) => {
            // Best effort: what stays is found by `finish_replacements`.
            let _ = disk.remove(aside.path());
        }
        Ok(Displaced::PerhapsHeld) => {}
        Ok(Displaced::Saved) => {
            give_back(disk, operation, aside, bytes)?;
            return Err(WriteError::Conflict { path: path.to_owned() });
        }
        Err(error) => {
            give_back(disk, operation, aside, bytes)?;
            return Err(operation.failed("looking at what was displaced")(error));
        }
    }
    disk.sync_dir(parent(path)).map_err(operation.not_durable())
}

/// Removes a file if it still has the content that the caller read; `false` when there is none. A file that somebody
/// changed or writes to stays: [`WriteError::Conflict`], [`WriteError::Busy`].
pub fn remove_if_unchanged(disk: &dyn Disk, path: &Path, expected: &[u8]) -> Result<bool, WriteError> {
    let operation = Operation { path, done: "removed" };
    match disk.stat(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => _ = other.map_err(operation.failed("looking at what is there"))?,
    }
    let held = Held::take(disk, operation, expected)?;
    let aside = match Aside::of_old(disk, path, expected) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(operation.failed("moving it aside"))?,
    };
    let looked = look_at_displaced(disk, aside.path(), &held, expected);
    if let Ok(Displaced::AsRead | Displaced::PerhapsHeld) = &looked {
        if let Ok(Displaced::AsRead) = looked {
            let _ = disk.remove(aside.path());
        }
        disk.sync_dir(parent(path)).map_err(operation.not_durable())?;
        return Ok(true);
    }
    let back = match disk.rename_new(aside.path(), path) {
        // Saved anew under its name: that one stands, and this one is kept beside it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            keep(disk, aside.path(), path).map(|_| ())
        }
        other => other,
    };
    back.and_then(|()| disk.sync_dir(parent(path))).map_err(displaced(path, aside.path()))?;
    match looked {
        Err(error) => Err(operation.failed("looking at what was moved aside")(error)),
        Ok(_) => Err(WriteError::Conflict { path: path.to_owned() }),
    }
}

/// Why a file is not to be replaced: its owner made it read-only, or something that belongs to it would be lost.
pub fn why_not_replaceable(disk: &dyn Disk, path: &Path) -> Result<Option<WriteError>, WriteError> {
    let operation = Operation { path, done: "replaced" };
    refuse_unless_regular_or_missing(disk, operation)?;
    let stat = match disk.stat(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(operation.failed("looking at what is there"))?,
    };
    Ok(why_left_alone(&stat).map(|why| WriteError::LeftAlone { path: path.to_owned(), why }))
}

fn why_left_alone(stat: &Stat) -> Option<String> {
    let me = rustix::process::geteuid();
    // What its owner said, not what the kernel would allow: it lets root, and whoever may write to the folder, do anything.
    if stat.mode & OWNER_MAY_WRITE == 0 {
        return Some(format!(
            "it is read-only (mode {:04o}): make it writable (`chmod u+w`) if it may be edited",
            stat.mode & 0o7777
        ));
    }
    if stat.links > 1 {
        return Some(format!(
            "it could not keep its {} names (hard links): keep one of them and make the others symbolic links to it",
            stat.links
        ));
    }
    (!me.is_root() && stat.uid != me.as_raw()).then(|| {
        format!(
            "it could not keep its owner (user {}): give it to the user who runs this, or edit it yourself",
            stat.uid
        )
    })
}

fn not_alike(operation: Operation<'_>, error: io::Error) -> WriteError {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return operation.failed("giving the new content the mode and owner of the old")(error);
    }
    let why = format!("it could not keep its owner, group, mode or access list ({error}): edit it yourself");
    WriteError::LeftAlone { path: operation.path.to_owned(), why }
}

/// What an exchange displaced.
enum Displaced {
    /// What had been read, and nobody can write to it any more.
    AsRead,
    /// What had been read, but the kernel cannot tell whether somebody still holds it open.
    PerhapsHeld,
    /// Something else, or somebody is writing to it.
    Saved,
}

fn look_at_displaced(disk: &dyn Disk, aside: &Path, held: &Held, expected: &[u8]) -> io::Result<Displaced> {
    if !held.is_as_read(disk, aside, expected)? {
        return Ok(Displaced::Saved);
    }
    Ok(match held.is_left_alone(aside, expected)? {
        Some(true) => Displaced::AsRead,
        Some(false) => Displaced::Saved,
        None => Displaced::PerhapsHeld,
    })
}

/// Gives somebody's save its name back. If they saved once more meanwhile, the newest gets it, and the other is kept.
fn give_back(
    disk: &dyn Disk,
    operation: Operation<'_>,
    mut aside: Aside<'_>,
    ours: &[u8],
) -> Result<(), WriteError> {
    let path = operation.path;
    disk.exchange(aside.path(), path).map_err(displaced(path, aside.path()))?;
    let came_back = Operation { path: aside.path(), ..operation };
    match Held::take(disk, came_back, ours) {
        Ok(_) => {}
        Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => {
            let newest_first = disk.exchange(aside.path(), path);
            newest_first
                .and_then(|()| keep(disk, aside.path(), path))
                .map_err(displaced(path, aside.path()))?;
        }
        // Whatever stands there, nobody has seen it: it is left to `finish_replacements`.
        Err(_) => aside.renamed(),
    }
    drop(aside);
    disk.sync_dir(parent(path)).map_err(operation.not_durable())
}

/// Where the file system cannot exchange: one more look, and the rename right after it.
fn rename_over(
    disk: &dyn Disk,
    operation: Operation<'_>,
    mut aside: Aside<'_>,
    held: &Held,
    expected: &[u8],
) -> Result<(), WriteError> {
    let failed = operation.failed("looking at what is there");
    if !held.is_as_read(disk, operation.path, expected).map_err(failed)? {
        return Err(WriteError::Conflict { path: operation.path.to_owned() });
    }
    disk.rename(aside.path(), operation.path).map_err(operation.failed("giving the new content its name"))?;
    aside.renamed();
    disk.sync_dir(parent(operation.path)).map_err(operation.not_durable())
}

fn displaced(path: &Path, aside: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let (path, aside) = (path.to_owned(), aside.to_owned());
    move |source| WriteError::Displaced { path, aside, source }
}
