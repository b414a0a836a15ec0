//! `active.yaml`: the state between cycles.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_guard::Redactor;
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError, WriteError};

use crate::{ScratchpadError, State, yaml};

/// The file with the state between cycles.
pub const ACTIVE_FILE: &str = "active.yaml";
/// The longest state that is read or written.
pub const MAX_ACTIVE_BYTES: u64 = 512 * 1024;
/// How many names in quarantine are tried.
const MAX_NAME_ATTEMPTS: usize = 100;

/// A file that could not be used and was moved away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Where it is now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// What `active.yaml` says, for whoever only wants to show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The state; the defaults if there is no file, or a broken one.
    pub state: State,
    /// What is wrong with the file.
    pub problem: Option<String>,
}

/// Reads a scratchpad without changing anything.
pub fn read(disk: &dyn Disk, dir: &Path) -> Result<Read, ScratchpadError> {
    Ok(match look(disk, dir)? {
        Found::Nothing => Read { state: State::default(), problem: None },
        Found::State { state, .. } => Read { state, problem: None },
        Found::Broken { why } => Read { state: State::default(), problem: Some(why) },
    })
}

/// The state at the beginning of a cycle.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) state: State,
    /// The very bytes, if there is a usable file.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) quarantined: Option<Quarantined>,
}

impl Active {
    /// Reads it, and moves a broken file away under a name that `label` makes clear.
    pub(crate) fn load(
        disk: &dyn Disk,
        dir: &Path,
        quarantine: &Path,
        label: &str,
    ) -> Result<Active, ScratchpadError> {
        Ok(match look(disk, dir)? {
            Found::Nothing => Active { state: State::default(), bytes: None, quarantined: None },
            Found::State { state, bytes } => Active { state, bytes: Some(bytes), quarantined: None },
            Found::Broken { why } => {
                let path = move_away(disk, dir, quarantine, label)?;
                Active { state: State::default(), bytes: None, quarantined: Some(Quarantined { path, why }) }
            }
        })
    }

    /// What stands in the snapshot of what was read: the bytes, unless they hold a secret.
    pub(crate) fn snapshot(&self) -> Result<Vec<u8>, ScratchpadError> {
        let redacted = self.state.clone().redacted();
        match &self.bytes {
            Some(bytes) if redacted == self.state => Ok(bytes.clone()),
            Some(_) | None => yaml::write(&redacted),
        }
    }
}

enum Found {
    Nothing,
    State { state: State, bytes: Vec<u8> },
    Broken { why: String },
}

fn look(disk: &dyn Disk, dir: &Path) -> Result<Found, ScratchpadError> {
    Ok(match durable::read(disk, &dir.join(ACTIVE_FILE), MAX_ACTIVE_BYTES) {
        Ok(bytes) => match yaml::parse(&bytes) {
            Ok(state) => Found::State { state, bytes },
            Err(why) => Found::Broken { why },
        },
        Err(ReadError::Missing { .. }) => Found::Nothing,
        Err(error @ (ReadError::NotRegular(_) | ReadError::TooLarge { .. } | ReadError::NotUtf8 { .. })) => {
            Found::Broken { why: error.to_string() }
        }
        // The content may be fine, so nothing is done to it.
        Err(error @ (ReadError::Io { .. } | ReadError::BrokenLink { .. })) => return Err(error.into()),
    })
}

fn move_away(
    disk: &dyn Disk,
    dir: &Path,
    quarantine: &Path,
    label: &str,
) -> Result<PathBuf, ScratchpadError> {
    make_folder(disk, quarantine)?;
    let active = dir.join(ACTIVE_FILE);
    let path = match first_free(quarantine, &name_of(dir, label), |path| durable::claim(disk, &active, path))
    {
        // A folder that is kept on another file system: beside it will do.
        Err(WriteError::Failed { source, .. }) if source.kind() == io::ErrorKind::CrossesDevices => {
            first_free(dir, &format!("broken-{label}"), |path| durable::claim(disk, &active, path))?
        }
        moved => moved?,
    };
    // It is moved first, so that nothing is lost whenever the process dies.
    if let Ok(text) = durable::read_text(disk, &path, MAX_ACTIVE_BYTES) {
        let clean = Redactor::new().text(&text).into_owned();
        if clean != text {
            durable::replace(disk, &path, clean.as_bytes())?;
        }
    }
    Ok(path)
}

/// Copies what somebody else wrote into `active.yaml` during a cycle to quarantine, before it is replaced. Secrets stay out of
/// the copy, as out of snapshots.
pub(crate) fn set_aside(
    disk: &dyn Disk,
    dir: &Path,
    quarantine: &Path,
    label: &str,
    bytes: &[u8],
) -> Result<PathBuf, ScratchpadError> {
    make_folder(disk, quarantine)?;
    let clean = match std::str::from_utf8(bytes) {
        Ok(text) => Redactor::new().text(text).into_owned().into_bytes(),
        Err(_) => bytes.to_vec(),
    };
    Ok(first_free(quarantine, &name_of(dir, label), |path| durable::create_new(disk, path, &clean))?)
}

/// `scratchpad-<worker>-<label>`.
fn name_of(dir: &Path, label: &str) -> String {
    let worker = dir.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let worker: String = worker.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
    format!("scratchpad-{worker}-{label}")
}

fn first_free(
    dir: &Path,
    stem: &str,
    mut take: impl FnMut(&Path) -> Result<(), WriteError>,
) -> Result<PathBuf, WriteError> {
    let mut path = dir.join(format!("{stem}.yaml"));
    for number in 2..=MAX_NAME_ATTEMPTS {
        match take(&path) {
            Ok(()) => return Ok(path),
            Err(WriteError::Exists { .. }) => path = dir.join(format!("{stem}-{number}.yaml")),
            Err(error) => return Err(error),
        }
    }
    Err(WriteError::Exists { path })
}

/// Makes a folder whose parent is there; one that is there is fine.
pub(crate) fn make_folder(disk: &dyn Disk, dir: &Path) -> Result<(), WriteError> {
    match (disk.stat(dir), dir.parent(), dir.file_name()) {
        (Err(error), Some(parent), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            durable::make_dirs(disk, parent, Path::new(name))
        }
        _ => Ok(()),
    }
}
