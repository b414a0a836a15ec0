//! A digest of the files that a partition's `changed` globs match.
//!
//! Fragments are written once, and there may be very many of them: the time of a day's folder tells of all that lie in it, so a day is
//! never listed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use subcortex_memory::MemoryFolder;
use subcortex_store::{Disk, EntryKind};

/// How many files a glob looks at, so that a large home does not make a tick long.
const MAX_FILES_LOOKED_AT: usize = 50_000;
/// How deep folders are looked into.
const MAX_DEPTH: usize = 32;

/// What was found in one look, by glob: several partitions wait for changes of the same files, and each look at them takes long.
pub(crate) type Found = HashMap<String, Vec<u8>>;

/// Where is looked, and what keeps the fragments.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) root: &'a Path,
    pub(crate) memory: &'a MemoryFolder,
}

impl Ground<'_> {
    /// The digest of what all these globs match.
    pub(crate) fn digest(&self, globs: &[String], found: &mut Found) -> String {
        let mut digest = blake3::Hasher::new();
        for glob in globs {
            digest.update(found.entry(glob.clone()).or_insert_with(|| self.matched_by(glob)));
        }
        digest.finalize().to_hex().as_str().to_owned()
    }

    /// The names of what a glob matches, with what tells whether it changed.
    fn matched_by(&self, glob: &str) -> Vec<u8> {
        let Ok(matcher) = Glob::new(glob).map(|glob| glob.compile_matcher()) else { return Vec::new() };
        let written_once = self.memory.fragments();
        let mut walk =
            Walk { ground: self, matcher, written_once, matched: Vec::new(), left: MAX_FILES_LOOKED_AT };
        // Only what lies below the part of a glob that stands for itself is walked.
        walk.visit(&self.root.join(literal_front(glob)), 0);
        walk.matched
    }
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    matcher: GlobMatcher,
    written_once: PathBuf,
    matched: Vec<u8>,
    left: usize,
}

impl Walk<'_> {
    /// Takes in a file, or all of a folder. Links below the first folder are not followed; what cannot be looked at is not there.
    fn visit(&mut self, path: &Path, depth: usize) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let Ok(stat) = self.ground.disk.stat(path) else { return };
        let Ok(below) = path.strip_prefix(self.ground.root) else { return };
        match stat.kind {
            EntryKind::Directory if path.parent() == Some(&self.written_once) => {
                if self.matcher.is_match(below.join("any.md")) {
                    self.matched.extend(below.as_os_str().as_encoded_bytes());
                    self.matched.extend(stat.mtime_ns.to_le_bytes());
                }
            }
            EntryKind::Directory if depth < MAX_DEPTH => self.visit_all(path, depth + 1),
            // A person may keep a whole folder elsewhere.
            EntryKind::Symlink if depth == 0 => self.visit_all(path, 1),
            EntryKind::File if self.matcher.is_match(below) => {
                self.matched.extend(below.as_os_str().as_encoded_bytes());
                self.matched.extend(stat.len.to_le_bytes());
                self.matched.extend(stat.mtime_ns.to_le_bytes());
            }
            EntryKind::Directory | EntryKind::File | EntryKind::Symlink | EntryKind::Other => {}
        }
    }

    fn visit_all(&mut self, dir: &Path, depth: usize) {
        for name in self.ground.disk.list(dir).unwrap_or_default() {
            self.visit(&dir.join(name), depth);
        }
    }
}

/// The folders, or the file, at the front of a glob that stand for themselves.
fn literal_front(glob: &str) -> PathBuf {
    glob.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).collect()
}
