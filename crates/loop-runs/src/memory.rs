//! `var/loops/<tag>.json`: what is remembered of a loop that is nobody's business in its repository.
//!
//! What a run holds is written before it is taken and taken out after it was given back. So it is the announcement to
//! others, and after a crash the list of what to clear away.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_home::Home;
use subcortex_loops::LoopPlace;
use subcortex_store::{Disk, durable};

use crate::LoopNames;

/// The longest memory that is read, in bytes.
const MAX_MEMORY_BYTES: u64 = 256 * 1024;

/// What is remembered of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopMemory {
    /// The repository.
    pub root: PathBuf,
    /// The loop's folder.
    pub dir: PathBuf,
    /// How ready it was after its last run.
    pub readiness: Option<u32>,
    /// How ready it was before that fell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_before: Option<u32>,
    /// What its run holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Hold>,
}

/// What a run holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// The run.
    pub run_id: String,
    /// Its number.
    pub run: u64,
    /// Since when.
    pub since: Timestamp,
    /// The worktree; nothing for L1.
    pub worktree: Option<PathBuf>,
    /// The branch that a passing change is left on.
    pub branch: Option<String>,
}

impl Hold {
    /// In words, for whoever waits for it.
    pub fn words(&self) -> String {
        let worktree = self.worktree.as_ref().map(|path| format!("worktree {}", path.display()));
        let branch = self.branch.as_ref().map(|name| format!("branch {name}"));
        let parts: Vec<String> = worktree.into_iter().chain(branch).collect();
        if parts.is_empty() { "nothing but its own files".into() } else { parts.join(", ") }
    }
}

impl LoopMemory {
    /// What is remembered; nothing of a loop that never ran, or whose file is damaged.
    pub fn read(disk: &dyn Disk, home: &Home, names: &LoopNames) -> LoopMemory {
        read(disk, &path(home, &names.tag)).unwrap_or_default()
    }

    /// Remembers it, durably.
    pub fn write(&self, disk: &dyn Disk, home: &Home, names: &LoopNames) -> Result<(), durable::WriteError> {
        durable::make_dirs(disk, home.root(), Path::new("var/loops"))?;
        let json = serde_json::to_vec_pretty(self).unwrap_or_default();
        durable::replace(disk, &path(home, &names.tag), &json)
    }

    /// All that is remembered, of loops that may be gone by now.
    pub fn all(disk: &dyn Disk, home: &Home) -> Vec<LoopMemory> {
        let files = disk.list(&home.loops()).unwrap_or_default();
        let json = files.into_iter().filter(|name| name.to_string_lossy().ends_with(".json"));
        json.filter_map(|name| read(disk, &home.loops().join(name))).collect()
    }

    /// Where the loop is.
    pub fn place(&self) -> LoopPlace {
        LoopPlace { dir: self.dir.clone(), root: self.root.clone() }
    }
}

fn path(home: &Home, tag: &str) -> PathBuf {
    home.loops().join(format!("{tag}.json"))
}

fn read(disk: &dyn Disk, path: &Path) -> Option<LoopMemory> {
    let bytes = durable::read(disk, path, MAX_MEMORY_BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
}
