//! What has been folded already, so that a run costs what is new and not what is stored.
//!
//! ```text
//! var/index/fragments/totals.json      {"version":1,"digest":"…"}                of the second line
//!                                      {"totals":{…},"days":{"2026-01-02":{…}},"rejected":{…},"rejected_count":0}
//! var/index/fragments/<day>.names      the names that have been looked at, one a line, in that order
//! ```
//!
//! - Of a day the totals hold the time of its folder's last change, and how many names at the beginning of its `.names`
//!   have been folded, with their digest. Names behind them are what a crash left between two writes: not folded.
//! - A folder whose time is the same is not listed. A time that is younger than [`SETTLED_AFTER_NS`] is not trusted: another
//!   file may have come within the same tick of the file system's clock.
//! - A name that vanished, a digest that does not fit, another version: all fragments are folded anew. Deleting these files
//!   at any moment costs time and changes nothing.
//! - A file that is no fragment is looked at again when it changes (the first [`MAX_WATCHED`] of them).
//! - Not promised: that a fragment which is changed in place is noticed. Fragments are written once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_memory::fragments::{self, Rejected};
use subcortex_memory::{Broken, MemoryFolder, Trouble};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use super::fold::Totals;
use crate::{Tally, WeaveError, Workshop};

/// The version of these files, and of the way in which fragments are folded: also of the keys by which `checks` tells
/// rules apart.
const VERSION: u32 = 3;
/// The largest index that is read, in bytes. A larger one is made anew.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// How old the last change of a folder has to be before it is taken for the last one, in nanoseconds.
pub const SETTLED_AFTER_NS: i128 = 2_000_000_000;
/// Stands for the time of a folder that has not settled.
const UNSETTLED: i64 = i64::MIN;
/// How many files that are no fragments are looked at again when they change.
const MAX_WATCHED: usize = 1_000;
const DIGEST_DIGITS: usize = 32;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    digest: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    pub(super) totals: Totals,
    days: BTreeMap<String, Day>,
    /// By day and name.
    rejected: BTreeMap<String, Seen>,
    rejected_count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Day {
    mtime_ns: i64,
    names: usize,
    digest: String,
}

/// How a rejected file looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    mtime_ns: i64,
    len_bytes: u64,
}

/// The index, brought up to date in memory.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(super) index: Index,
    /// Files that were looked at and are no fragments.
    pub(super) rejected: Vec<Rejected>,
    /// How many fragments are new.
    pub(super) folded: usize,
    /// Whether all fragments were folded anew.
    pub(super) rebuilt: bool,
    /// The names of the days that changed, as they will be written: of a long history that is read at once these are very many.
    names: BTreeMap<String, String>,
    is_changed: bool,
}

/// Why the index cannot be brought up to date: it has to be made anew.
struct Outdated;

/// Folds what is new, in memory. `cancelled` is asked before every fragment.
pub(crate) fn gather(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Gathered, WeaveError> {
    match read(&*shop.disk, &dir(shop))? {
        Some(index) => Gathered::of(index, false).go_on(shop, cancelled),
        None => anew(shop, cancelled),
    }
}

fn anew(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Gathered, WeaveError> {
    match Gathered::of(Index::default(), true).catch_up(shop, cancelled)? {
        Ok(gathered) => Ok(gathered),
        // An empty index knows no names that could vanish.
        Err(Outdated) => Err(WeaveError::Count("the fragments changed while they were read".into())),
    }
}

/// Has the next run fold all fragments anew.
pub(crate) fn fold_anew(shop: &Workshop) -> Result<(), WeaveError> {
    durable::remove(&*shop.disk, &totals_path(&dir(shop)))?;
    Ok(())
}

fn dir(shop: &Workshop) -> PathBuf {
    shop.index_dir.join("fragments")
}

fn totals_path(dir: &Path) -> PathBuf {
    dir.join("totals.json")
}

fn names_path(dir: &Path, day: &str) -> PathBuf {
    dir.join(format!("{day}.names"))
}

/// Reads the index; `None` when there is none that can be used.
fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Index>, WeaveError> {
    let text = match durable::read_text(disk, &totals_path(dir), MAX_BYTES) {
        Ok(text) => text,
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let Some((header, body)) = text.split_once('\n') else { return Ok(None) };
    let fits = serde_json::from_str::<Header>(header)
        .is_ok_and(|header| header.version == VERSION && header.digest == digest(body.as_bytes()));
    Ok(if fits { serde_json::from_str(body).ok() } else { None })
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().get(..DIGEST_DIGITS).unwrap_or_default().to_owned()
}

impl Gathered {
    fn of(index: Index, rebuilt: bool) -> Self {
        let (rejected, names) = (Vec::new(), BTreeMap::new());
        Self { index, rejected, folded: 0, rebuilt, names, is_changed: rebuilt }
    }

    /// Folds what came since; all of it anew where that cannot be.
    pub(crate) fn go_on(self, shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Self, WeaveError> {
        match self.catch_up(shop, cancelled)? {
            Ok(gathered) => Ok(gathered),
            Err(Outdated) => anew(shop, cancelled),
        }
    }

    /// What all fragments say together.
    pub(crate) fn tally(&self) -> &Tally {
        &self.index.totals.tally
    }

    fn catch_up(
        mut self,
        shop: &Workshop,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Result<Self, Outdated>, WeaveError> {
        let days = fragments::days(&*shop.disk, &shop.folder)?;
        let present: BTreeSet<&str> = days.iter().map(|(day, _)| day.as_str()).collect();
        if self.index.days.iter().any(|(day, known)| known.names > 0 && !present.contains(day.as_str())) {
            return Ok(Err(Outdated));
        }
        self.look_again(shop)?;
        for (day, mtime_ns) in &days {
            let mtime_ns = settled(shop, *mtime_ns);
            if self
                .index
                .days
                .get(day)
                .is_some_and(|known| known.mtime_ns == mtime_ns && mtime_ns != UNSETTLED)
            {
                continue;
            }
            if let Err(outdated) = self.catch_up_day(shop, day, mtime_ns, cancelled)? {
                return Ok(Err(outdated));
            }
        }
        Ok(Ok(self))
    }

    fn catch_up_day(
        &mut self,
        shop: &Workshop,
        day: &str,
        mtime_ns: i64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Result<(), Outdated>, WeaveError> {
        let Some(mut known) = self.known_names(shop, day)? else { return Ok(Err(Outdated)) };
        let present = fragments::names(&*shop.disk, &shop.folder, day)?;
        let is_present: BTreeSet<&str> = present.iter().map(String::as_str).collect();
        // What never counted may go.
        known.retain(|name| is_present.contains(name.as_str()) || !self.drop_rejected(day, name));
        if !known.iter().all(|name| is_present.contains(name.as_str())) {
            return Ok(Err(Outdated));
        }
        let is_known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        let new: Vec<&String> = present.iter().filter(|name| !is_known.contains(name.as_str())).collect();
        let mut read = Vec::new();
        for name in new {
            if cancelled() {
                return Err(WeaveError::Cancelled);
            }
            if self.fold(shop, day, name)? {
                read.push(name.clone());
            }
        }
        known.extend(read);
        let lines = lines(&known);
        let entry = Day { mtime_ns, names: known.len(), digest: digest(lines.as_bytes()) };
        if self.index.days.get(day) != Some(&entry) {
            self.index.days.insert(day.to_owned(), entry);
            self.names.insert(day.to_owned(), lines);
            self.is_changed = true;
        }
        Ok(Ok(()))
    }

    /// The names of a day that have been looked at; `None` when the file does not fit the totals.
    fn known_names(&self, shop: &Workshop, day: &str) -> Result<Option<Vec<String>>, WeaveError> {
        let Some(entry) = self.index.days.get(day).filter(|entry| entry.names > 0) else {
            return Ok(Some(Vec::new()));
        };
        let text = match durable::read_text(&*shop.disk, &names_path(&dir(shop), day), MAX_BYTES) {
            Ok(text) => text,
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            Err(_) => return Ok(None),
        };
        let names: Vec<String> = text.lines().take(entry.names).map(str::to_owned).collect();
        Ok((names.len() == entry.names && digest_of(&names) == entry.digest).then_some(names))
    }

    /// Folds one fragment, or says what is wrong with it. `false`: it is to be looked at again.
    fn fold(&mut self, shop: &Workshop, day: &str, name: &str) -> Result<bool, WeaveError> {
        if name.contains(['\n', '\r']) {
            let why = Broken::Unreadable("its name has a line break; rename it".into());
            self.rejected
                .push(Rejected { path: shop.folder.reference(&path_of(&shop.folder, day, name)), why });
            return Ok(false); // It would be two names in our list.
        }
        let rejected = match fragments::read_one(&*shop.disk, &shop.folder, day, name)? {
            Ok(stored) => {
                self.index.totals.fold(&stored);
                self.folded += 1;
                return Ok(true);
            }
            Err(rejected) => rejected,
        };
        let Some(seen) = look(shop, &path_of(&shop.folder, day, name))? else { return Ok(false) };
        self.rejected.push(rejected);
        self.index.rejected_count += 1;
        if self.index.rejected.len() < MAX_WATCHED {
            self.index.rejected.insert(format!("{day}/{name}"), seen);
        }
        Ok(true)
    }

    /// Reads rejected files again that somebody changed.
    fn look_again(&mut self, shop: &Workshop) -> Result<(), WeaveError> {
        for (file, seen) in self.index.rejected.clone() {
            let Some((day, name)) = file.split_once('/') else { continue };
            let now = look(shop, &path_of(&shop.folder, day, name))?;
            if now.is_some_and(|now| now != seen) {
                self.drop_rejected(day, name);
                self.fold(shop, day, name)?;
                self.is_changed = true;
            }
        }
        Ok(())
    }

    /// Forgets a rejected file; says whether it was one.
    fn drop_rejected(&mut self, day: &str, name: &str) -> bool {
        let was = self.index.rejected.remove(&format!("{day}/{name}")).is_some();
        self.index.rejected_count = self.index.rejected_count.saturating_sub(u64::from(was));
        was
    }

    /// How many files are no fragments.
    pub(super) fn rejected_count(&self) -> u64 {
        self.index.rejected_count
    }

    /// Writes the index, if it changed: names first, then the totals that count them.
    pub(super) fn save(&self, shop: &Workshop) -> Result<(), WeaveError> {
        if !self.is_changed {
            return Ok(());
        }
        let (disk, dir) = (&*shop.disk, dir(shop));
        make_dir(disk, &shop.index_dir)?;
        make_dir(disk, &dir)?;
        for (day, names) in &self.names {
            durable::replace_derived(disk, &names_path(&dir, day), names.as_bytes())?;
        }
        let path = totals_path(&dir);
        let failed =
            |error: serde_json::Error| Trouble::Content { path: path.clone(), why: error.to_string() };
        let body = serde_json::to_string(&self.index).map_err(failed)?;
        let header = Header { version: VERSION, digest: digest(body.as_bytes()) };
        let text = format!("{}\n{body}", serde_json::to_string(&header).map_err(failed)?);
        durable::replace_derived(disk, &path, text.as_bytes())?;
        if self.rebuilt { self.remove_strays(disk, &dir) } else { Ok(()) }
    }

    /// Removes the names of days that are gone.
    fn remove_strays(&self, disk: &dyn Disk, dir: &Path) -> Result<(), WeaveError> {
        let names = disk.list(dir).map_err(|source| Trouble::List { path: dir.to_owned(), source })?;
        for name in names.iter().filter_map(|name| name.to_str()) {
            let day = name.strip_suffix(".names").filter(|day| !day.starts_with('.'));
            if day.is_some_and(|day| !self.index.days.contains_key(day)) {
                durable::remove(disk, &dir.join(name))?;
            }
        }
        Ok(())
    }
}

fn settled(shop: &Workshop, mtime_ns: i128) -> i64 {
    let is_old = mtime_ns < shop.now.as_nanosecond() - SETTLED_AFTER_NS;
    i64::try_from(mtime_ns).ok().filter(|_| is_old).unwrap_or(UNSETTLED)
}

fn path_of(folder: &MemoryFolder, day: &str, name: &str) -> PathBuf {
    folder.fragments().join(day).join(name)
}

fn look(shop: &Workshop, path: &Path) -> Result<Option<Seen>, WeaveError> {
    match shop.disk.stat(path) {
        Ok(stat) => {
            Ok(Some(Seen { mtime_ns: i64::try_from(stat.mtime_ns).unwrap_or(0), len_bytes: stat.len }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ReadError::Io { path: path.to_owned(), source }.into()),
    }
}

fn lines(names: &[String]) -> String {
    let mut lines = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
    lines.extend(names.iter().flat_map(|name| [name.as_str(), "\n"]));
    lines
}

fn digest_of(names: &[String]) -> String {
    digest(lines(names).as_bytes())
}

fn make_dir(disk: &dyn Disk, dir: &Path) -> Result<(), WeaveError> {
    if disk.stat(dir).is_ok() {
        return Ok(());
    }
    let (Some(parent), Some(name)) = (dir.parent(), dir.file_name()) else { return Ok(()) };
    Ok(durable::make_dirs(disk, parent, Path::new(name))?)
}
