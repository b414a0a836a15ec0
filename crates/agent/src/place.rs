//! Where a path that a model wrote may lead.
//!
//! A path is relative to the first write root, or absolute and below a root. Refused are, before anything is opened:
//!
//! | what                                                                | why                                              |
//! |---------------------------------------------------------------------|--------------------------------------------------|
//! | `..`, also where it would lead back                                 | with a link before it, it leads elsewhere        |
//! | an absolute path outside the roots, a root itself                   | not the worker's                                 |
//! | NUL, control, direction-changing and invisible characters           | a name must be what it looks like                |
//! | a symbolic link below the root, at any place of the path            | it leads out, now or later                       |
//! | a directory, FIFO, socket or device as the target                   | only regular files are read and written          |
//! | for writing, a name that begins with `.`, of a file or a folder     | hidden files configure programs (`.git`, `.claude`) |
//! | more than [`MAX_PATH_BYTES`] bytes or [`MAX_DEPTH`] names           | nobody needs it                                  |
//!
//! This module looks at the words alone; `walk` goes there.
//!
//! Not promised: a hard link to a file outside cannot be told from a file. Writing replaces the name and leaves the other file
//! alone; reading reads it. Making one takes a program, and programs of the tool `shell` cannot link across the border of a root.

use std::io;
use std::path::{Component, Path, PathBuf};

use subcortex_guard::{NameProblem, check_basename, escape_for_display};

use crate::Identity;
use crate::text::first_chars;

/// The longest path, in bytes.
pub(crate) const MAX_PATH_BYTES: usize = 1_024;
/// The most names in a path below its root.
pub(crate) const MAX_DEPTH: usize = 16;
/// How much of a refused path a message shows, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// What a path is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A file that is there.
    Read,
    /// A file that is there or will be.
    Write,
}

/// A file below a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The root.
    pub(crate) root: PathBuf,
    /// Plain names below it: at least one, at most [`MAX_DEPTH`].
    pub(crate) relative: PathBuf,
}

/// Why a path is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// There is none.
    #[error("the path is empty: name a file")]
    Empty,
    /// It is too long or too deep.
    #[error(
        "the path has {len_bytes} bytes and {depth} names, and at most {MAX_PATH_BYTES} and {MAX_DEPTH} are taken: \
         use a shorter one"
    )]
    TooLong {
        /// Its length.
        len_bytes: usize,
        /// How many names it has.
        depth: usize,
    },
    /// It goes up.
    #[error("`{shown}` contains `..`, and a path may only lead down: name the file from the root on")]
    Up {
        /// The path, safe to show.
        shown: String,
    },
    /// It names a folder.
    #[error("`{shown}` names a folder: name a file below it")]
    Folder {
        /// The path, safe to show.
        shown: String,
    },
    /// It is not below a root.
    #[error("`{shown}` is outside of the folders that you may {} below: see What You May Do", verb(*purpose))]
    Outside {
        /// The path, safe to show.
        shown: String,
        /// What it was for.
        purpose: Purpose,
    },
    /// There is no root for this at all.
    #[error("there is no folder below which you may {}", verb(*purpose))]
    NoRoot {
        /// What it was for.
        purpose: Purpose,
    },
    /// A name in it cannot be used.
    #[error(transparent)]
    Name(#[from] NameProblem),
    /// A name in it is hidden.
    #[error(
        "`{shown}` contains a name that begins with a dot, and hidden files are not written: use another name"
    )]
    Hidden {
        /// The path, safe to show.
        shown: String,
    },
    /// A part of it is something else than it should be.
    #[error("`{shown}` is {is}, and {needed} is needed there: use another path")]
    Kind {
        /// That part of the path, safe to show.
        shown: String,
        /// What it is.
        is: &'static str,
        /// What it should be.
        needed: &'static str,
    },
    /// Nothing is there to read.
    #[error("`{shown}` does not exist: check the path")]
    Missing {
        /// The path, safe to show.
        shown: String,
    },
    /// It could not be looked at.
    #[error("`{shown}` could not be looked at ({source})")]
    Io {
        /// That part of the path, safe to show.
        shown: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Where a path leads, by its words alone.
pub(crate) fn find(identity: &Identity, given: &str, purpose: Purpose) -> Result<Place, Refused> {
    let path = Path::new(given);
    if given.is_empty() {
        return Err(Refused::Empty);
    }
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(Refused::Up { shown: shown(given) });
    }
    if given.ends_with('/') || given.ends_with("/.") || given == "." {
        return Err(Refused::Folder { shown: shown(given) });
    }
    let first =
        || identity.writes.first().filter(|root| root.is_absolute()).ok_or(Refused::NoRoot { purpose });
    let (root, relative) =
        if path.is_absolute() { below_a_root(identity, path, purpose)? } else { (first()?.as_path(), path) };
    let relative = plain(relative, given, purpose)?;
    // The roots are ours and may be long; only what the model adds is limited.
    let (len_bytes, depth) = (relative.as_os_str().len(), relative.components().count());
    if depth == 0 {
        return Err(Refused::Folder { shown: shown(given) });
    }
    if len_bytes > MAX_PATH_BYTES || depth > MAX_DEPTH {
        return Err(Refused::TooLong { len_bytes, depth });
    }
    Ok(Place { root: root.to_owned(), relative })
}

/// Nothing but names that can be used.
fn plain(relative: &Path, given: &str, purpose: Purpose) -> Result<PathBuf, Refused> {
    let mut names = PathBuf::new();
    for part in relative.components() {
        match part {
            Component::Normal(name) => names.push(check_basename(name)?),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Refused::Outside { shown: shown(given), purpose });
            }
        }
    }
    let is_hidden = |name: Component<'_>| name.as_os_str().as_encoded_bytes().starts_with(b".");
    if purpose == Purpose::Write && names.components().any(is_hidden) {
        return Err(Refused::Hidden { shown: shown(given) });
    }
    Ok(names)
}

/// The deepest root that an absolute path is below.
fn below_a_root<'a>(
    identity: &'a Identity,
    path: &'a Path,
    purpose: Purpose,
) -> Result<(&'a Path, &'a Path), Refused> {
    let only_for_reading: &[PathBuf] = match purpose {
        Purpose::Read => &identity.reads,
        Purpose::Write => &[],
    };
    let roots = identity.writes.iter().chain(only_for_reading);
    // An empty or relative root would be below everything, or depend on where the daemon runs.
    let below = roots
        .filter(|root| root.is_absolute())
        .filter_map(|root| Some((root.as_path(), path.strip_prefix(root).ok()?)));
    below
        .max_by_key(|(root, _)| root.components().count())
        .ok_or_else(|| Refused::Outside { shown: shown(&path.to_string_lossy()), purpose })
}

fn verb(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Read => "read",
        Purpose::Write => "write",
    }
}

/// A path for messages.
pub(crate) fn shown(path: &str) -> String {
    escape_for_display(first_chars(path, MAX_SHOWN_CHARS)).into_owned()
}
