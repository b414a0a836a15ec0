//! `state/fragments.json`: which fragments about a person's words this home made itself.
//!
//! ```json
//! {"made":["9f86d081884c7d65"]}
//! ```
//!
//! Fragments are shared, and whoever shares them can write one about a message of ours: that it corrects something, that a model is sure, that
//! it was said for good. What others make of our events is a claim, and is only asked about. Marks are hashes of whole fragments, so they hold
//! no words. What is there before anything was noted counts as made here.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable;

use crate::fragments::{self, Stored};
use crate::{Fragment, MemoryFolder, Origin, Trouble, state_file};

const NAME: &str = "fragments";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How long a mark is.
const MARK_HEX_DIGITS: usize = 16;

/// The fragments that were made here.
#[derive(Debug, Default)]
pub struct MadeHere(Option<Marks>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Marks {
    #[serde(deserialize_with = "at_once")]
    made: BTreeSet<String>,
}

/// Marks stand in the file in their order, and a set is made of all of them at once with less work than of one after the other.
fn at_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeSet<String>, D::Error> {
    Vec::deserialize(from).map(BTreeSet::from_iter)
}

impl MadeHere {
    /// Reads the marks.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let understand = |text: &str| serde_json::from_str(text).ok();
        state_file::read(disk, &folder.state(NAME), MAX_BYTES, understand).map(Self)
    }

    /// Whether the fragment that stands under a reference was made here, as it is now.
    pub fn holds(&self, disk: &dyn Disk, folder: &MemoryFolder, reference: &str) -> Result<bool, Trouble> {
        let Some(marks) = &self.0 else { return Ok(true) };
        let file = reference.strip_prefix("memory/fragments/").and_then(|file| file.split_once('/'));
        let Some((day, name)) = file else { return Ok(false) };
        let stored = fragments::read_one(disk, folder, day, name)?;
        Ok(stored.is_ok_and(|stored| marks.made.contains(&mark(&stored.fragment))))
    }

    /// Writes fragments, as [`fragments::write`] does; those about a person's words are noted first.
    pub fn write(disk: &dyn Disk, folder: &MemoryFolder, new: &[Fragment]) -> Result<Vec<Stored>, Trouble> {
        let marks = marks_of(new);
        if !marks.is_empty() {
            Self::note(disk, folder, marks)?;
        }
        fragments::write(disk, folder, new)
    }

    fn note(disk: &dyn Disk, folder: &MemoryFolder, new: BTreeSet<String>) -> Result<(), Trouble> {
        let before = Self::read(disk, folder)?.0;
        let mut marks = match before {
            Some(marks) => marks,
            None => Marks {
                made: marks_of(fragments::read_all(disk, folder)?.fragments.iter().map(|one| &one.fragment)),
            },
        };
        let count = marks.made.len();
        marks.made.extend(new);
        if marks.made.len() > count {
            let path = folder.state(NAME);
            durable::make_dirs(disk, folder.root(), std::path::Path::new("state"))?;
            let text = serde_json::to_string(&marks)
                .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
            durable::replace(disk, &path, format!("{text}\n").as_bytes())?;
        }
        Ok(())
    }
}

fn marks_of<'f>(fragments: impl IntoIterator<Item = &'f Fragment>) -> BTreeSet<String> {
    fragments.into_iter().filter(|fragment| fragment.origin == Origin::Person).map(mark).collect()
}

fn mark(fragment: &Fragment) -> String {
    blake3::hash(fragment.to_text().as_bytes()).to_hex()[..MARK_HEX_DIGITS].to_owned()
}
