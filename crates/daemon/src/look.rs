//! What is there: partitions, kill switches, inboxes, new events, changed files.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use globset::{Glob, GlobSetBuilder};
use subcortex_cadence::definition::{Definition, Zones};
use subcortex_cadence::{Mark, PartitionId, SeenPartition, SeenTask, TaskState};
use subcortex_home::Home;
use subcortex_inbox::Listing;
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Item, ReadError, Reader, list_days};
use subcortex_store::{Disk, EntryKind, durable};
use walkdir::WalkDir;

/// The longest definition that is read, in bytes.
const MAX_DEFINITION_BYTES: u64 = 1024 * 1024;
/// How many files a `changed` glob looks at, so that a large home does not make a tick long.
const MAX_FILES_LOOKED_AT: usize = 50_000;
/// How many tasks are listed beyond those that a run may take.
const SPARE_TASKS: usize = 32;

/// Looks at the home's files; writes nothing.
#[derive(Debug, Clone)]
pub(crate) struct Eyes {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) zones: Zones,
}

impl Eyes {
    /// All partitions: every folder below `subconscious/` that holds a `CLAUDE.md`.
    pub(crate) fn partitions(&self) -> io::Result<Vec<SeenPartition>> {
        let dir = self.home.subconscious();
        let mut seen = Vec::new();
        for name in self.disk.list(&dir)? {
            let file = dir.join(&name).join("CLAUDE.md");
            if self.disk.stat(&file).is_err() {
                continue;
            }
            // A name that cannot be a partition's is reported by `doctor` and `status`, and hides nobody.
            if let Some(id) = name.to_str().and_then(|name| PartitionId::new(name).ok()) {
                let paused = self.is_set(&self.home.partition_kill_switch(id.as_str()));
                seen.push(SeenPartition { definition: self.definition(&id), paused, id });
            }
        }
        Ok(seen)
    }

    /// What a partition is now, or why its definition cannot be used.
    pub(crate) fn definition(&self, id: &PartitionId) -> Result<Definition, String> {
        let file = self.home.partition(id.as_str()).join("CLAUDE.md");
        let text = durable::read_text(&*self.disk, &file, MAX_DEFINITION_BYTES)
            .map_err(|error| error.to_string())?;
        let shown = format!("subconscious/{id}/CLAUDE.md");
        Definition::parse(&text, &self.zones)
            .map(|(definition, _)| definition)
            .map_err(|problem| problem.at(&shown))
    }

    /// Whether the home is paused.
    pub(crate) fn is_paused(&self) -> bool {
        self.is_set(&self.home.kill_switch())
    }

    /// Whether a run of this partition may go on: neither its own switch nor the home's is set.
    pub(crate) fn may_run(&self, id: &PartitionId) -> bool {
        !self.is_paused() && !self.is_set(&self.home.partition_kill_switch(id.as_str()))
    }

    /// Whether one partition is paused.
    pub(crate) fn is_partition_paused(&self, id: &PartitionId) -> bool {
        self.is_set(&self.home.partition_kill_switch(id.as_str()))
    }

    /// Any doubt means set: only a plain "not there" means that it is not.
    fn is_set(&self, switch: &Path) -> bool {
        !matches!(self.disk.stat(switch), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The tasks of one inbox that a run could take, and those that it could not.
    pub(crate) fn inbox(&self, partition: &subcortex_cadence::Partition) -> Result<Vec<SeenTask>, String> {
        let not_taken = partition.tasks().filter(|task| task.state != TaskState::Pending).count();
        let per_run =
            partition.definition.as_ref().map_or(0, |definition| definition.schedule.max_tasks_per_run);
        let listing = self.list_inbox(&partition.id, per_run + not_taken + SPARE_TASKS)?;
        Ok(listing.seen())
    }

    /// At most `limit` tasks of one inbox, oldest first.
    pub(crate) fn list_inbox(&self, id: &PartitionId, limit: usize) -> Result<Listing, String> {
        subcortex_inbox::list(&*self.disk, &self.home.inbox(id.as_str()), limit)
            .map_err(|error| error.to_string())
    }

    /// Whether there are external events behind `from`, and the position behind everything that is there now.
    pub(crate) fn external_events(&self, from: Option<&Cursor>) -> Result<(bool, Option<Cursor>), ReadError> {
        let events = self.home.spine().events;
        let end = self.log_end()?;
        let mut reader = Reader::open(Arc::clone(&self.disk), &events, from.cloned())?;
        let mut found = false;
        reader.read(|_, item| {
            found = matches!(item, Item::Record { envelope, .. } if envelope.gate() == Gate::External);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let read = reader.cursor().cloned();
        Ok((found, if found { end.or(read) } else { read }))
    }

    /// The position behind the last byte of the log.
    fn log_end(&self) -> Result<Option<Cursor>, ReadError> {
        let (days, _) = list_days(&*self.disk, &self.home.spine().events)?;
        let Some(last) = days.last().filter(|file| !file.compressed) else { return Ok(None) };
        let len = self.disk.stat(&last.path).map(|stat| stat.len).unwrap_or(0);
        Ok(Some(Cursor { file: last.day.file_name(), offset: len, last_id: None }))
    }

    /// A digest of the files that a partition's `changed` globs match; `None` without such globs.
    pub(crate) fn changed_files(&self, definition: &Definition) -> Option<Mark> {
        let globs = &definition.schedule.wake_on.changed;
        if globs.is_empty() {
            return None;
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs.iter().filter_map(|glob| Glob::new(glob).ok()) {
            set.add(glob);
        }
        let set = set.build().ok()?;
        let mut digest = blake3::Hasher::new();
        let entries = WalkDir::new(self.home.root()).sort_by_file_name().follow_links(false).into_iter();
        for entry in entries.filter_map(Result::ok).take(MAX_FILES_LOOKED_AT) {
            let Ok(below) = entry.path().strip_prefix(self.home.root()) else { continue };
            if !set.is_match(below) {
                continue;
            }
            if let Ok(stat) = self.disk.stat(entry.path())
                && stat.kind == EntryKind::File
            {
                digest.update(below.as_os_str().as_encoded_bytes());
                digest.update(&stat.len.to_le_bytes());
                digest.update(&stat.mtime_ns.to_le_bytes());
            }
        }
        Some(Mark::new(digest.finalize().to_hex().as_str()))
    }
}

/// A position as the scheduler keeps it.
pub(crate) fn mark_of(cursor: &Cursor) -> Mark {
    Mark::new(format!("{}:{}", cursor.file, cursor.offset))
}

/// The position in a mark; `None` when it is none of ours.
pub(crate) fn cursor_of(mark: &str) -> Option<Cursor> {
    let (file, offset) = mark.rsplit_once(':')?;
    Some(Cursor { file: file.to_owned(), offset: offset.parse().ok()?, last_id: None })
}
