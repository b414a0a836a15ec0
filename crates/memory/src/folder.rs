//! Where everything below `memory/` is.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use subcortex_store::Disk;

use crate::Trouble;

/// The folder `memory/` of a home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFolder {
    root: PathBuf,
}

impl MemoryFolder {
    /// How the broadcast is called in references: a path below the home.
    pub const BROADCAST_REF: &str = "memory/CLAUDE.md";

    /// The folder at this path.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The lines that every agent reads.
    pub fn broadcast(&self) -> PathBuf {
        self.root.join("CLAUDE.md")
    }

    /// A person's own lines, which come first.
    pub fn priority(&self) -> PathBuf {
        self.root.join("priority.md")
    }

    /// How lines are understood.
    pub fn checks(&self) -> PathBuf {
        self.root.join("checks")
    }

    /// The evidence, a folder a day.
    pub fn fragments(&self) -> PathBuf {
        self.root.join("fragments")
    }

    /// What is known of things.
    pub fn entities(&self) -> PathBuf {
        self.root.join("entities")
    }

    /// What is known of subjects.
    pub fn topics(&self) -> PathBuf {
        self.root.join("topics")
    }

    /// The ledger: how each line fares.
    pub fn ledger(&self) -> PathBuf {
        self.root.join("effectiveness").join("CLAUDE-md-effectiveness.md")
    }

    /// Every edit of the broadcast.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }

    /// Edits that wait for a yes.
    pub fn proposals(&self) -> PathBuf {
        self.root.join("proposals")
    }

    /// A worker's positions.
    pub fn state(&self, name: &str) -> PathBuf {
        self.root.join("state").join(format!("{name}.json"))
    }

    /// The dossier that a pointer (`topic-x`, `entity-x`, `lesson-x`) leads to; `None` when there is none.
    pub fn dossier(&self, disk: &dyn Disk, pointer: &str) -> Option<PathBuf> {
        if pointer.is_empty() || pointer.starts_with('.') || pointer.contains(['/', '\\', '\0']) {
            return None;
        }
        let slug = pointer.strip_prefix("topic-").or_else(|| pointer.strip_prefix("entity-"));
        let is_entity = pointer.starts_with("entity-");
        let folders =
            if is_entity { [self.entities(), self.topics()] } else { [self.topics(), self.entities()] };
        let names = slug.into_iter().chain([pointer]);
        let mut paths =
            names.flat_map(|name| folders.iter().map(move |folder| folder.join(format!("{name}.md"))));
        paths.find(|path| disk.stat(path).is_ok())
    }

    /// The dossiers that exist. A folder that is not there holds none; one that cannot be listed is a trouble.
    pub fn dossiers(&self, disk: &dyn Disk) -> Result<Vec<PathBuf>, Trouble> {
        let mut found = Vec::new();
        for dir in [self.topics(), self.entities()] {
            let names = match disk.list(&dir) {
                Ok(names) => names,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(source) => return Err(Trouble::List { path: dir, source }),
            };
            let names = names.iter().filter_map(|name| name.to_str());
            let pages = names.filter(|name| name.ends_with(".md") && !name.starts_with('.'));
            found.extend(pages.map(|name| dir.join(name)));
        }
        Ok(found)
    }

    /// A path below this folder as it is written in references: `memory/…`.
    pub fn reference(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        format!("memory/{}", below.display())
    }

    /// The path that a reference `memory/…` names; `None` when it leaves the folder.
    pub fn resolve(&self, reference: &str) -> Option<PathBuf> {
        let below = Path::new(reference.strip_prefix("memory/")?);
        let plain = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        plain.then(|| self.root.join(below))
    }
}
