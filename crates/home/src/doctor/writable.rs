//! Folders that have to be written to, and are not to be.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;

use super::Finding;
use crate::layout::Home;

/// The permission bit of an owner.
const OWNER_MAY_WRITE: u32 = 0o200;
/// How many folders are named in a message.
const MAX_NAMED: usize = 3;

/// What lies outside of the memory, and what follows where it cannot be written.
const AREAS: [(&str, &str); 2] = [
    ("var", "what happens cannot be kept, and the daemon cannot run"),
    ("subconscious", "tasks can be neither handed over nor finished there"),
];

/// A folder that is not to be written to.
pub(super) struct Refusal {
    mode: u32,
    error: Option<Errno>,
}

impl Refusal {
    /// What keeps a folder from being written; nothing where nothing does, or where it is none.
    pub(super) fn of(path: &Path) -> Option<Refusal> {
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
        let mode = found.permissions().mode();
        let error = rustix::fs::access(path, Access::WRITE_OK).err();
        // Root may write where the mode says that nobody should.
        (mode & OWNER_MAY_WRITE == 0 || error.is_some()).then_some(Refusal { mode, error })
    }

    /// In words, to stand behind "is not writable".
    pub(super) fn why(&self) -> String {
        let error = self.error.map(|error| format!(": {}", io::Error::from(error))).unwrap_or_default();
        format!("(mode {:04o}){error}", self.mode & 0o7777)
    }

    /// What to do about it.
    pub(super) fn advice(&self, paths: &[PathBuf]) -> String {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        match self.error {
            Some(Errno::ROFS) => {
                "it lies on a file system that is mounted read-only: remount it for writing".into()
            }
            _ => format!("make it writable with `chmod u+w {}`", paths.join(" ")),
        }
    }
}

/// The folders of the daemon and of the workers that cannot be written, an area each.
pub(super) fn folders(home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "folders";
    let mut findings = Vec::new();
    for (area, what_follows) in AREAS {
        let refused: Vec<(PathBuf, Refusal)> = folders_of(home, area)
            .into_iter()
            .filter_map(|path| Some((path.clone(), Refusal::of(&path)?)))
            .collect();
        let Some((_, first)) = refused.first() else { continue };
        let paths: Vec<PathBuf> = refused.iter().map(|(path, _)| path.clone()).collect();
        let is_or_are = if paths.len() == 1 { "is" } else { "are" };
        findings.push(Finding::problem(
            ABOUT,
            format!("{} {is_or_are} not writable {}; {what_follows}", named(home, &paths), first.why()),
            first.advice(&paths),
        ));
    }
    findings
}

/// The folders of an area that are there: those of every home, and those of its person's own workers.
fn folders_of(home: &Home, area: &str) -> Vec<PathBuf> {
    let root = home.root();
    let shipped = Home::FOLDERS.into_iter().filter(|folder| Path::new(folder).starts_with(area));
    let mut folders: Vec<PathBuf> = shipped.map(|folder| root.join(folder)).collect();
    if area == "subconscious" {
        let workers = std::fs::read_dir(root.join(area)).into_iter().flatten().flatten();
        for worker in workers.map(|entry| entry.path()).filter(|path| path.join("CLAUDE.md").is_file()) {
            folders.extend([worker.join("inbox"), worker.join("scratchpad"), worker]);
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

fn named(home: &Home, paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| format!("{}/", path.strip_prefix(home.root()).unwrap_or(path).display());
    let names: Vec<String> = paths.iter().take(MAX_NAMED).map(name).collect();
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
