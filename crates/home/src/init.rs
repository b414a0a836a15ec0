//! Fills in what a home lacks, and touches nothing that is there.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, EntryKind, durable};

use crate::bootstrap::shipped_files;
use crate::layout::Home;

/// What was done, in paths below the home.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Initialised {
    /// Folders and files that were missing and are there now.
    pub made: Vec<PathBuf>,
    /// Shipped files that a person has edited, or an earlier version shipped otherwise: path and difference.
    pub differs: Vec<(PathBuf, String)>,
}

/// Why a home could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The home's path leads to something else than a folder.
    #[error("{} is not a folder; give another place with --home DIR or $SUBCORTEX_HOME", .0.display())]
    NotAFolder(PathBuf),
    /// The home belongs to somebody else.
    #[error(
        "{} belongs to user {owner}, and this process runs as user {me}; run it as that user, or give a home of \
         your own with --home DIR",
        path.display()
    )]
    NotYours {
        /// The home.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who this process is.
        me: u32,
    },
    /// A folder or a file could not be made.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// The file system refused.
    #[error("cannot look at {}: {source}; check the path and its permissions", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Makes what is missing of a home. Files that are there are never changed.
pub fn init(disk: &dyn Disk, home: &Home) -> Result<Initialised, InitError> {
    let mut done = Initialised::default();
    make_root(disk, home.root(), &mut done)?;
    for folder in Home::FOLDERS {
        let folder = Path::new(folder);
        if !exists(disk, &home.root().join(folder))? {
            durable::make_dirs(disk, home.root(), folder)?;
            done.made.push(folder.to_owned());
        }
    }
    for shipped in shipped_files() {
        let path = home.root().join(shipped.path);
        if !exists(disk, &path)? {
            if let Some(parent) = Path::new(shipped.path).parent() {
                durable::make_dirs(disk, home.root(), parent)?;
            }
            match durable::create_new(disk, &path, shipped.content.as_bytes()) {
                Ok(()) => done.made.push(shipped.path.into()),
                Err(durable::WriteError::Exists { .. }) => {} // somebody was quicker: theirs stays
                Err(error) => return Err(error.into()),
            }
        } else if !shipped.is_only_a_beginning()
            && let Some(difference) = difference(disk, &path, shipped.content)
        {
            done.differs.push((shipped.path.into(), difference));
        }
    }
    Ok(done)
}

/// A home that is not there yet is made with all folders above it, as `mkdir -p` does.
fn make_root(disk: &dyn Disk, root: &Path, done: &mut Initialised) -> Result<(), InitError> {
    let me = rustix::process::geteuid().as_raw();
    match std::fs::metadata(root) {
        Ok(found) if !found.is_dir() => Err(InitError::NotAFolder(root.to_owned())),
        Ok(found) => {
            let owner = std::os::unix::fs::MetadataExt::uid(&found);
            if owner == me { Ok(()) } else { Err(InitError::NotYours { path: root.to_owned(), owner, me }) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let existing = root.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
            let missing = root.strip_prefix(existing).unwrap_or(root);
            durable::make_dirs(disk, existing, missing)?;
            done.made.push(PathBuf::from("."));
            Ok(())
        }
        Err(source) => Err(InitError::Io { path: root.to_owned(), source }),
    }
}

fn exists(disk: &dyn Disk, path: &Path) -> Result<bool, InitError> {
    match disk.stat(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(InitError::Io { path: path.to_owned(), source }),
    }
}

/// How a person's file differs from the shipped one; `None` when it does not, or cannot be read as text.
fn difference(disk: &dyn Disk, path: &Path, shipped: &str) -> Option<String> {
    const MAX_COMPARED_BYTES: u64 = 1024 * 1024;
    let is_file = disk.stat(path).is_ok_and(|stat| stat.kind == EntryKind::File);
    let theirs = is_file.then(|| durable::read_text(disk, path, MAX_COMPARED_BYTES).ok()).flatten()?;
    if theirs == shipped {
        return None;
    }
    Some(subcortex_diff::between(shipped, &theirs).unified("shipped", "yours", 1))
}
