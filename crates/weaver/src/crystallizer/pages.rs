//! Dossiers that are what they should be, so that a run reads and makes only those that something new was said about.
//!
//! ```json
//! {"version":1,"pages":{"0123…":{"made_of":"89ab…","mtime_ns":1790000000000000000,"len_bytes":812}}}
//! ```
//!
//! in `var/index/fragments/pages.json`: by the hash of its path, what a page was to be made of when it was last looked at, and how its file
//! looked then. A page of the same stuff in a file that looks the same is left alone, as it was left then: it is as wanted, or a person's.
//! It can be deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_store::durable;
use subcortex_store::{Disk, Stat};

use super::dossier::digest;
use crate::{WeaveError, Workshop};

/// The version of this file, and of the way in which pages are made.
const VERSION: u32 = 1;
/// The largest index that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The pages that need no second look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Pages {
    version: u32,
    pages: BTreeMap<String, Page>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    made_of: String,
    mtime_ns: i64,
    len_bytes: u64,
}

impl Pages {
    /// What is remembered; nothing where there is no index, or a damaged one.
    pub(super) fn read(shop: &Workshop) -> Self {
        let text = durable::read_text(&*shop.disk, &path(shop), MAX_BYTES).unwrap_or_default();
        let known = serde_json::from_str::<Self>(&text).ok();
        known.filter(|known| known.version == VERSION).unwrap_or_default()
    }

    /// Writes it, if it is not what was read. The folder is that of the index of fragments, which is made before.
    pub(super) fn write(mut self, shop: &Workshop, before: &Self) -> Result<(), WeaveError> {
        self.version = VERSION;
        if self == *before {
            return Ok(());
        }
        let json = serde_json::to_vec(&self).unwrap_or_default(); // plain data has a text
        Ok(durable::replace_derived(&*shop.disk, &path(shop), &json)?)
    }

    /// Whether a page was looked at that should be made of the same, and has not changed since.
    pub(super) fn holds(&self, disk: &dyn Disk, file: &Path, made_of: &str) -> bool {
        let known = self.pages.get(&name_of(file)).filter(|page| page.made_of == made_of);
        known.is_some_and(|page| disk.stat(file).is_ok_and(|stat| page.looks_like(&stat)))
    }

    /// Notes a page as it is now.
    pub(super) fn note(&mut self, disk: &dyn Disk, file: &Path, made_of: String) {
        let Ok(stat) = disk.stat(file) else { return };
        let Ok(mtime_ns) = i64::try_from(stat.mtime_ns) else { return };
        self.pages.insert(name_of(file), Page { made_of, mtime_ns, len_bytes: stat.len });
    }

    /// Takes over what is known of a page that stays as it is.
    pub(super) fn keep(&mut self, before: &Self, file: &Path) {
        let name = name_of(file);
        self.pages.extend(before.pages.get(&name).map(|page| (name, page.clone())));
    }
}

impl Page {
    fn looks_like(&self, stat: &Stat) -> bool {
        i128::from(self.mtime_ns) == stat.mtime_ns && self.len_bytes == stat.len
    }
}

/// No name of a page: it is made of words that may have to be forgotten.
fn name_of(file: &Path) -> String {
    digest(&file.to_string_lossy())
}

fn path(shop: &Workshop) -> PathBuf {
    shop.index_dir.join("fragments").join("pages.json")
}
