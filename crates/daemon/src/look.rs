//! What is there: partitions, kill switches, inboxes, new events, changed files.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use subcortex_cadence::definition::{Definition, Zones};
use subcortex_cadence::settle::TaskMemory;
use subcortex_cadence::{Mark, Partition, PartitionId, SeenPartition, SeenTask, TaskState};
use subcortex_fleet::{Before, Lease, Tickets};
use subcortex_home::{Home, trust};
use subcortex_inbox::{Consumer, Known, Listing};
use subcortex_memory::MemoryFolder;
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Item, ReadError, Reader, list_days};
use subcortex_store::durable::{self, Patience};
use subcortex_store::{Disk, Stat, locked};
use subcortex_work::{Around, Peers, engine_names, has_work};

use crate::changed::{Found, Ground};
use crate::fleet::is_shared;
use crate::lookout::Inbox;
use crate::trouble::is_out_of_something;

/// The longest playlist that is read, in bytes.
const MAX_PLAYLIST_BYTES: u64 = 64 * 1024 * 1024;
/// How many tasks are listed beyond those that a run may take.
const SPARE_TASKS: usize = 32;

/// What could not be looked at now; the next look may tell.
#[derive(Debug)]
pub(crate) struct Unknown;

/// By partition: the file, and what it says.
pub(crate) type Definitions = HashMap<PartitionId, (Stat, Result<Definition, String>)>;

/// Looks at the home's files; writes nothing.
#[derive(Debug, Clone)]
pub(crate) struct Eyes {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) zones: Zones,
    pub(crate) tickets: Arc<Tickets>,
    /// Definitions that were read, and the files that they were read from.
    pub(crate) read: Arc<Mutex<Definitions>>,
    /// Whether code of ours had something to do when its files were like this.
    pub(crate) work_found: Arc<Mutex<HashMap<PartitionId, (Mark, bool)>>>,
}

/// What has to be known of a partition to list its inbox.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) partition: PartitionId,
    /// How many tasks there are that no run takes; they are usually the oldest.
    not_taken: usize,
    per_run: usize,
    is_shared: bool,
}

impl Pending {
    pub(crate) fn of(partition: &Partition) -> Self {
        let not_taken = partition.tasks().filter(|task| task.state != TaskState::Pending).count();
        let mut pending = Self { not_taken, ..Self::of_new(&partition.id) };
        pending.see(&partition.definition);
        pending
    }

    pub(crate) fn of_new(partition: &PartitionId) -> Self {
        Self { partition: partition.clone(), not_taken: 0, per_run: 0, is_shared: false }
    }

    pub(crate) fn see(&mut self, definition: &Result<Definition, String>) {
        self.is_shared = definition.as_ref().is_ok_and(is_shared);
        self.per_run = definition.as_ref().map_or(0, |definition| definition.schedule.max_tasks_per_run);
    }

    fn limit(&self) -> usize {
        self.per_run + self.not_taken + SPARE_TASKS
    }
}

impl Eyes {
    /// All partitions: every folder below `subconscious/` that holds a `CLAUDE.md`.
    pub(crate) fn partitions(&self) -> io::Result<Vec<SeenPartition>> {
        let dir = self.home.subconscious();
        let above = trust::check_home(&*self.disk, &self.home).map_err(|problem| problem.to_string());
        let mut seen = Vec::new();
        for name in self.disk.list(&dir)? {
            // A name that cannot be a partition's is reported by `doctor` and `status`, and hides nobody.
            let Some(id) = name.to_str().and_then(|name| PartitionId::new(name).ok()) else { continue };
            match self.disk.stat(&dir.join(&name).join("CLAUDE.md")) {
                Err(error) if is_absent(&error) => continue,
                Ok(_) | Err(_) => {}
            }
            let paused = self.is_partition_paused(&id);
            let definition = match &above {
                Ok(()) => self.definition(&id)?,
                Err(problem) => Err(problem.clone()),
            };
            seen.push(SeenPartition { definition, paused, id });
        }
        let mut read = locked(&self.read);
        if read.len() > seen.len() {
            let there: HashSet<&PartitionId> = seen.iter().map(|seen| &seen.id).collect();
            read.retain(|id, _| there.contains(id));
        }
        Ok(seen)
    }

    /// What a partition is now, or why its definition cannot be used. An error: nobody can tell right now.
    pub(crate) fn definition(&self, id: &PartitionId) -> io::Result<Result<Definition, String>> {
        if let Err(problem) = trust::check_partition(&*self.disk, &self.home, id.as_str()) {
            return Ok(Err(problem.to_string()));
        }
        let file = self.definition_file(id);
        let before = self.disk.stat(&file).ok();
        if let Some((stat, definition)) = locked(&self.read).get(id)
            && Some(*stat) == before
        {
            return Ok(definition.clone());
        }
        let definition = match durable::read_text(&*self.disk, &file, Definition::MAX_BYTES) {
            Err(durable::ReadError::Io { source, .. }) if is_out_of_something(&source) => return Err(source),
            Err(error) => Err(error.to_string()),
            Ok(text) => Definition::parse(&text, &engine_names(), &self.zones)
                .map(|(definition, _)| definition)
                .map_err(|problem| problem.at(&format!("subconscious/{id}/CLAUDE.md"))),
        };
        let definition = definition.and_then(|definition| self.trusted(id, definition));
        // One that changed while it was read is read again the next time.
        match before.filter(|before| self.disk.stat(&file).is_ok_and(|after| after == *before)) {
            Some(stat) => drop(locked(&self.read).insert(id.clone(), (stat, definition.clone()))),
            None => drop(locked(&self.read).remove(id)),
        }
        Ok(definition)
    }

    /// The definition, if nobody else can change what it runs.
    fn trusted(&self, id: &PartitionId, definition: Definition) -> Result<Definition, String> {
        if let Some(program) = definition.engine.argv().first() {
            trust::check_program(&*self.disk, &self.home, id.as_str(), program)
                .map_err(|problem| problem.to_string())?;
        }
        Ok(definition)
    }

    fn definition_file(&self, id: &PartitionId) -> PathBuf {
        self.home.partition(id.as_str()).join("CLAUDE.md")
    }

    /// Whether a partition is still defined by the file from which this was read.
    pub(crate) fn is_still(&self, id: &PartitionId, definition: &Definition) -> bool {
        let now = self.disk.stat(&self.definition_file(id)).ok();
        let read = locked(&self.read);
        read.get(id).is_some_and(|(stat, known)| Some(*stat) == now && known.as_ref() == Ok(definition))
    }

    /// Whether the home is paused.
    pub(crate) fn is_paused(&self) -> bool {
        self.is_set(&self.home.kill_switch())
    }

    /// Whether a run of this partition may go on: neither its own switch nor the home's is set.
    pub(crate) fn may_run(&self, id: &PartitionId) -> bool {
        !self.is_paused() && !self.is_partition_paused(id)
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
    pub(crate) fn inbox(&self, pending: &Pending, known: &mut Known) -> Result<Inbox, String> {
        let dir = self.home.inbox(pending.partition.as_str());
        let listing = subcortex_inbox::list_again(&*self.disk, &dir, pending.limit(), known);
        let listing = listing.map_err(|error| error.to_string())?;
        let mut tasks = listing.seen();
        tasks.iter_mut().for_each(|task| self.see_lease(pending, task));
        Ok(Inbox { unlisted: listing.total.saturating_sub(listing.tasks.len()), tasks })
    }

    /// What came from the fleet may be begun while its lease lasts, and other machines' attempts count.
    fn see_lease(&self, pending: &Pending, task: &mut SeenTask) {
        match self.tickets.lease(&pending.partition, task.key.name.as_str(), pending.is_shared) {
            Lease::Local => {}
            Lease::Lapsed(why) => task.refused = Some(why),
            Lease::Held(Before { attempts, takeovers }) => {
                task.before = TaskMemory { attempts, interruptions: takeovers, ..TaskMemory::default() };
            }
        }
    }

    /// All of one inbox; only tasks of these names are read.
    pub(crate) fn survey_inbox(
        &self,
        id: &PartitionId,
        limit: usize,
        is_read: &dyn Fn(&str) -> bool,
    ) -> Result<Listing, String> {
        subcortex_inbox::survey(&*self.disk, &self.home.inbox(id.as_str()), limit, is_read)
            .map_err(|error| error.to_string())
    }

    /// The playlist, or nothing where it is missing. Unknown while it cannot be read or a person is saving it.
    pub(crate) fn playlist(&self) -> Result<Option<String>, Unknown> {
        let path = self.home.playlist();
        durable::wait_until_quiet(&*self.disk, &path, Patience::NONE).map_err(|_| Unknown)?;
        match durable::read_text(&*self.disk, &path, MAX_PLAYLIST_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(durable::ReadError::Missing { .. }) => Ok(None),
            Err(_) => Err(Unknown),
        }
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

    /// What a partition's `changed` globs have to say; `None` without such globs. Code of ours is asked whether it has
    /// something to do, once for each change.
    pub(crate) fn files_mark(
        &self,
        id: &PartitionId,
        definition: &Definition,
        found: &mut Found,
    ) -> Option<Mark> {
        let mark = self.changed_files(definition, found)?;
        let around = Around { home: &self.home, disk: &self.disk, peers: self };
        let known = locked(&self.work_found).get(id).filter(|(known, _)| *known == mark).map(|(_, has)| *has);
        let has_work = known.unwrap_or_else(|| has_work(id.as_str(), definition, &around));
        locked(&self.work_found).insert(id.clone(), (mark.clone(), has_work));
        Some(if has_work { mark } else { Mark::nothing() })
    }

    /// A digest of the files that a partition's `changed` globs match; `None` without such globs.
    fn changed_files(&self, definition: &Definition, found: &mut Found) -> Option<Mark> {
        let globs = &definition.schedule.wake_on.changed;
        if globs.is_empty() {
            return None;
        }
        let memory = MemoryFolder::at(self.home.memory());
        let ground = Ground { disk: &*self.disk, root: self.home.root(), memory: &memory };
        Some(Mark::new(ground.digest(globs, found)))
    }
}

impl Peers for Eyes {
    fn consumers(&self) -> io::Result<Vec<Consumer>> {
        let usable = self.partitions()?.into_iter().filter_map(|seen| {
            let consumes = seen.definition.ok()?.consumes;
            Some(Consumer { partition: seen.id.to_string(), consumes })
        });
        Ok(usable.collect())
    }
}

/// Whether a path leads to nothing, and not only to something that cannot be looked at.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
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
