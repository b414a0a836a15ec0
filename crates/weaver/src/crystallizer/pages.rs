//! Dossiers that are what they should be, so that a run reads and makes only those that something new was said about.
//!
//! ```json
//! {"version":1,"pages":{"0123…":{"made_of":"89ab…","mtime_ns":1790000000000000000,"len_bytes":812,"ours":["4567…"]}}}
//! ```
//!
//! in `var/index/fragments/pages.json`: by the hash of its path, what a page was to be made of when it was last looked at, and how its file
//! looked then. A page of the same stuff in a file that looks the same is left alone, as it was left then: it is as wanted, or a person's.
//! Where it is as code made it, `ours` holds the hashes of the pages that it points to: the memory's own check does not have to read it.
//! It can be deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_memory::pointers_of;
use subcortex_store::durable;
use subcortex_store::{Disk, Stat};

use super::dossier::digest;
use crate::{WeaveError, Workshop};

/// The version of this file, and of the way in which pages are made.
const VERSION: u32 = 1;
/// The largest index that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many pages are remembered that nothing asks for any more.
const MAX_LEFT_OVER: usize = 2_000;

/// The pages that need no second look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Pages {
    version: u32,
    pages: BTreeMap<String, Page>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    made_of: String,
    mtime_ns: i64,
    len_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ours: Option<Vec<String>>,
}

impl Pages {
    /// What is remembered; nothing where there is no index, or a damaged one.
    pub(crate) fn read(shop: &Workshop) -> Self {
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

    /// Notes a page as it is now; with its text, if that is as code made it.
    pub(super) fn note(&mut self, disk: &dyn Disk, file: &Path, made_of: String, ours: Option<&str>) {
        let Ok(stat) = disk.stat(file) else { return };
        let Ok(mtime_ns) = i64::try_from(stat.mtime_ns) else { return };
        let ours = ours.map(|text| pointers_of(text).iter().map(|name| digest(name)).collect());
        self.pages.insert(name_of(file), Page { made_of, mtime_ns, len_bytes: stat.len, ours });
    }

    /// The hashes of the pages that one points to which is as code made it; `None` of every other one.
    pub(crate) fn pointers_of_ours(&self, file: &Path, stat: &Stat) -> Option<&[String]> {
        self.pages.get(&name_of(file)).filter(|page| page.looks_like(stat))?.ours.as_deref()
    }

    /// What stands for the name of a page.
    pub(crate) fn hash_of(pointer: &str) -> String {
        digest(pointer)
    }

    /// Takes over what is known of pages of ours that nothing asks for any more: they stay until their evidence goes.
    pub(super) fn keep_left_over(&mut self, before: &Self) {
        let left_over =
            before.pages.iter().filter(|(name, page)| page.ours.is_some() && !self.pages.contains_key(*name));
        let left_over: Vec<_> =
            left_over.take(MAX_LEFT_OVER).map(|(name, page)| (name.clone(), page.clone())).collect();
        self.pages.extend(left_over);
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
