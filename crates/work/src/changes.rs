//! Which files really changed during a run, whatever the engine says.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use subcortex_home::Home;
use walkdir::WalkDir;

use crate::identity::FILES;

/// How many files are compared.
const MAX_FILES: usize = 20_000;

/// Size, time and identity of the files below `memory/` and the partition's own `files/`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    files: BTreeMap<String, (u64, i64, i64, u64)>,
}

impl Snapshot {
    pub(crate) fn take(home: &Home, partition: &str) -> Self {
        let roots = [home.memory(), home.partition(partition).join(FILES)];
        let walks = roots.iter().flat_map(|root| WalkDir::new(root).follow_links(false));
        let entries = walks.filter_map(Result::ok); // a folder that is not there holds none
        let files = entries.filter(|entry| entry.file_type().is_file()).take(MAX_FILES).filter_map(|entry| {
            let found = entry.metadata().ok()?;
            let below = entry.path().strip_prefix(home.root()).ok()?.to_string_lossy().into_owned();
            Some((below, (found.len(), found.mtime(), found.mtime_nsec(), found.ino())))
        });
        Self { files: files.collect() }
    }

    /// What was added, changed or removed since `before`, in paths below the home.
    pub(crate) fn differences(&self, before: &Self) -> Vec<String> {
        let mut changed: Vec<String> = self
            .files
            .iter()
            .filter(|(path, file)| before.files.get(*path) != Some(file))
            .map(|(p, _)| p.clone())
            .collect();
        changed.extend(before.files.keys().filter(|path| !self.files.contains_key(*path)).cloned());
        changed.sort();
        changed
    }
}
