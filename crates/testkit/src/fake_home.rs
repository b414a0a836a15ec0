//! A folder that is gone when the test is over, and the files in it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "only tests use it: they stop at the first surprise, and what they write is no file of anybody's home"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder: a home, or whatever else a test needs files in. Paths are below it.
#[derive(Debug)]
pub struct FakeHome {
    dir: TempDir,
}

impl Default for FakeHome {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeHome {
    /// An empty one.
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// One with these folders.
    pub fn with_folders(folders: &[&str]) -> Self {
        let home = Self::new();
        folders.iter().for_each(|folder| home.make(folder));
        home
    }

    /// One on a file system in memory, where there is one: for thousands of trials, whose syncs cost nothing.
    pub fn in_memory() -> Self {
        tempfile::tempdir_in("/dev/shm").map_or_else(|_| Self::new(), |dir| Self { dir })
    }

    /// One inside another folder.
    pub fn inside(parent: &Path) -> Self {
        Self { dir: tempfile::tempdir_in(parent).unwrap() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A path below it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Makes a folder, and those above it.
    pub fn make(&self, below: &str) {
        std::fs::create_dir_all(self.path(below)).unwrap();
    }

    /// Writes a file, and makes the folders above it.
    pub fn write(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The text of a file.
    #[track_caller]
    pub fn text(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
    }

    /// Whether there is something.
    pub fn has(&self, below: &str) -> bool {
        self.path(below).exists()
    }

    /// Every file below a folder with its bytes, by its path below the home.
    pub fn files(&self, below: &str) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        self.collect(&self.path(below), &mut found);
        found
    }

    /// The same of files that are texts.
    pub fn texts(&self, below: &str) -> Vec<(String, String)> {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        self.files(below).into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
    }

    fn collect(&self, dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.collect(&path, found);
            } else {
                let below = path.strip_prefix(self.root()).unwrap().display().to_string();
                found.insert(below, std::fs::read(&path).unwrap());
            }
        }
    }
}
