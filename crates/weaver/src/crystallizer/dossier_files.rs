//! The dossiers on the disk: made, followed, and removed with their evidence.
//!
//! - A page that a person changed, or that somebody else wrote, is left alone.
//! - At most [`MAX_NEW`] pages are made a run; the others wait for the next.
//! - A page that nothing asks for any more stays, unless one of its sources is gone: then what it quotes was to be forgotten.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use subcortex_memory::{LineHash, MemoryFolder, Trouble};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError, WriteError};

use super::Crystallized;
use super::dossier::{Dossier, Front, digest, is_reserved};
use super::pages::Pages;
use super::wanted::Wanted;
use crate::{WeaveError, Workshop};

/// How many dossiers are made a run.
pub(super) const MAX_NEW: usize = 20;
/// The largest dossier that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

enum Stored {
    None,
    /// To the last byte as it should be.
    AsWanted,
    /// Ours, as we wrote it.
    Ours(String, Front),
    /// Ours, and changed by a person: theirs now.
    Edited(Front),
    Theirs,
}

/// Makes the files what they should be. Those that need no second look are in `pages`.
pub(super) fn sync(
    shop: &Workshop,
    wanted: &[Wanted<'_>],
    before: &Pages,
    done: &mut Crystallized,
) -> Result<Pages, WeaveError> {
    let (disk, folder) = (&*shop.disk, &shop.folder);
    let mut pages = Pages::default();
    for one in wanted {
        let path = one.path(folder);
        if before.holds(disk, &path, &one.made_of) {
            pages.keep(before, &path);
            continue;
        }
        let dossier = one.make();
        let text = dossier.render();
        match sync_one(disk, folder, &path, &dossier, &text, done)? {
            Synced::AsWanted => pages.note(disk, &path, one.made_of.clone(), Some(&text)),
            Synced::LeftAlone => pages.note(disk, &path, one.made_of.clone(), None),
            Synced::NotYet => {}
        }
    }
    pages.keep_left_over(before);
    Ok(pages)
}

/// What became of a page.
enum Synced {
    AsWanted,
    /// It is somebody's, or of something else.
    LeftAlone,
    NotYet,
}

/// Makes one file what it should be.
fn sync_one(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    path: &Path,
    dossier: &Dossier,
    new: &str,
    done: &mut Crystallized,
) -> Result<Synced, WeaveError> {
    let as_written = |is_written| if is_written { Synced::AsWanted } else { Synced::NotYet };
    match stored(disk, path, Some(new))? {
        Stored::AsWanted => Ok(Synced::AsWanted),
        Stored::Edited(_) | Stored::Theirs => Ok(Synced::LeftAlone),
        Stored::None if is_written_elsewhere(disk, folder, dossier)? => Ok(Synced::NotYet),
        Stored::None if done.dossiers_made.len() >= MAX_NEW => {
            done.dossiers_waiting += 1;
            Ok(Synced::NotYet)
        }
        Stored::None => {
            make_folder(disk, folder, &dossier.kind.dir(folder))?;
            let is_written = write(disk, path, None, new)?;
            if is_written {
                done.dossiers_made.push(folder.reference(path));
                done.changed.push(folder.reference(path));
            }
            Ok(as_written(is_written))
        }
        Stored::Ours(_, front) if front.about != dossier.about() => Ok(Synced::LeftAlone),
        Stored::Ours(old, _) => {
            let is_written = write(disk, path, Some(old.as_bytes()), new)?;
            if is_written {
                done.changed.push(folder.reference(path));
            }
            Ok(as_written(is_written))
        }
    }
}

/// Removes pages of ours that nothing asks for and whose evidence is gone.
pub(super) fn remove_forgotten(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    wanted: &[Wanted<'_>],
    done: &mut Crystallized,
) -> Result<(), WeaveError> {
    let wanted: BTreeSet<PathBuf> = wanted.iter().map(|one| one.path(folder)).collect();
    for path in pages(disk, folder)?.into_iter().filter(|path| !wanted.contains(path)) {
        match stored(disk, &path, None)? {
            Stored::Ours(text, front) => {
                if lost_a_source(disk, folder, &front)? && remove(disk, &path, text.as_bytes())? {
                    done.changed.push(folder.reference(&path));
                }
            }
            Stored::Edited(front) if lost_a_source(disk, folder, &front)? => {
                done.outlived.push(folder.reference(&path));
            }
            Stored::None | Stored::AsWanted | Stored::Edited(_) | Stored::Theirs => {}
        }
    }
    Ok(())
}

/// Removes the pages of ours about lines that were forgotten, and names them: they repeat the line, whatever they rest on.
pub(crate) fn forget_lines(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    lines: &BTreeSet<LineHash>,
) -> Result<Vec<String>, WeaveError> {
    let about: BTreeSet<String> = lines.iter().map(|hash| digest(&Dossier::identity_of_line(hash))).collect();
    let mut gone = Vec::new();
    for path in pages(disk, folder)? {
        if let Stored::Ours(text, front) = stored(disk, &path, None)?
            && about.contains(&front.about)
            && remove(disk, &path, text.as_bytes())?
        {
            gone.push(folder.reference(&path));
        }
    }
    Ok(gone)
}

/// Removes the pages of ours that rest on evidence that is gone, and names them. Their names are made of words that were said, so they have
/// to be known while they are still there. One that enough is left for is made again by the next run.
pub(crate) fn forget_pages(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Vec<String>, WeaveError> {
    let mut gone = Vec::new();
    for path in pages(disk, folder)? {
        if let Stored::Ours(text, front) = stored(disk, &path, None)?
            && lost_a_source(disk, folder, &front)?
            && remove(disk, &path, text.as_bytes())?
        {
            gone.push(folder.reference(&path));
        }
    }
    Ok(gone)
}

/// All pages that may be ours.
fn pages(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Vec<PathBuf>, WeaveError> {
    let mut found = Vec::new();
    for dir in [folder.entities(), folder.topics()] {
        let names = match disk.list(&dir) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(Trouble::List { path: dir, source }.into()),
        };
        let is_page = |name: &&str| name.ends_with(".md") && !is_reserved(name);
        found
            .extend(names.iter().filter_map(|name| name.to_str()).filter(is_page).map(|name| dir.join(name)));
    }
    Ok(found)
}

fn lost_a_source(disk: &dyn Disk, folder: &MemoryFolder, front: &Front) -> Result<bool, WeaveError> {
    for source in &front.sources {
        let Some(path) = folder.resolve(source) else { return Ok(true) };
        if !exists(disk, &path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the page that a pointer means stands under another name that a reader would find.
fn is_written_elsewhere(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    dossier: &Dossier,
) -> Result<bool, WeaveError> {
    let Some(pointer) = dossier.identity.strip_prefix("pointer ") else { return Ok(false) };
    for dir in [folder.entities(), folder.topics()] {
        for name in [pointer, &dossier.slug] {
            if exists(disk, &dir.join(format!("{name}.md")))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn exists(disk: &dyn Disk, path: &Path) -> Result<bool, WeaveError> {
    match disk.stat(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(ReadError::Io { path: path.to_owned(), source }.into()),
    }
}

fn stored(disk: &dyn Disk, path: &Path, wanted: Option<&str>) -> Result<Stored, WeaveError> {
    let text = match durable::read_text(disk, path, MAX_BYTES) {
        Ok(text) if wanted == Some(text.as_str()) => return Ok(Stored::AsWanted),
        Ok(text) => text,
        Err(ReadError::Missing { .. }) => return Ok(Stored::None),
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(_) => return Ok(Stored::Theirs),
    };
    Ok(match Front::of(&text) {
        Some(front) if front.is_unedited(&text) => Stored::Ours(text, front),
        Some(front) => Stored::Edited(front),
        None => Stored::Theirs,
    })
}

/// Writes a file; `false` when somebody else did meanwhile, whose words stay.
pub(super) fn write(disk: &dyn Disk, path: &Path, old: Option<&[u8]>, new: &str) -> Result<bool, WeaveError> {
    left_to_us(durable::replace_if_unchanged(disk, path, old, new.as_bytes()).map(|()| true))
}

fn remove(disk: &dyn Disk, path: &Path, old: &[u8]) -> Result<bool, WeaveError> {
    left_to_us(durable::remove_if_unchanged(disk, path, old))
}

fn left_to_us(outcome: Result<bool, WriteError>) -> Result<bool, WeaveError> {
    match outcome {
        Ok(done) => Ok(done),
        Err(WriteError::Conflict { .. } | WriteError::Busy { .. } | WriteError::LeftAlone { .. }) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes a folder below `memory/`, if it is not there.
pub(super) fn make_folder(disk: &dyn Disk, folder: &MemoryFolder, dir: &Path) -> Result<(), WeaveError> {
    if exists(disk, dir)? {
        return Ok(());
    }
    let below = dir.strip_prefix(folder.root()).unwrap_or(dir);
    Ok(durable::make_dirs(disk, folder.root(), below)?)
}
