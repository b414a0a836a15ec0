//! Session files that are still being written, followed.
//!
//! | what happens to a file | what is done |
//! |---|---|
//! | nothing | its length, time and identity are compared; it is not opened |
//! | it grows | read on from its place, with the reader that has seen the rest |
//! | it grows, and the reader is gone (a restart) | read from the beginning, because readers need memory of what came before; what was told is not told again |
//! | it shrinks, is replaced, or is another one before its place | read from the beginning, and the spine recognises what it has |
//! | it is new, or moved | the same |
//! | its last line has no end | the line is left for later, or read if it is whole and the file quiet for [`QUIET_SECS`](crate::QUIET_SECS) |
//! | it is quiet for as long, with words that wait for their delivery | they are told |
//! | it goes | its place is forgotten |
//!
//! So however a file grows, the events are those of one import at its end. The places are an index, see `places`:
//! losing them costs time, and neither loses nor doubles an event.

mod follow;
mod places;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_known_agents::Agent;
use subcortex_known_agents::transcript::Rest;
use subcortex_spine::{AppendError, Spine};
use subcortex_store::durable::WriteError;
use subcortex_store::{Disk, OpenMode};

use self::follow::{Before, Ended, Live, place_of, read_on};
use self::places::{Place, whole_mtime_ns};
use crate::file::{FileOptions, Taker, is_packed, may_grow, read_file};
use crate::find::{Problem, SourceFile, Sources, is_session_name};
use crate::outbox::{Appender, Batches};
use crate::summary::{Summary, skipped};

/// How many files keep their readers. Somebody who works with more agents at once pays with reading files again.
const MAX_LIVE: usize = 64;
/// After this many new events the index of the spine is made durable at once.
const CHECKPOINT_EVENTS: u64 = 10_000;

/// A folder with the session files of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Whose files they are.
    pub agent: &'static Agent,
    /// Where they are; one that is not there holds nothing.
    pub path: PathBuf,
}

/// What to look at.
#[derive(Debug, Clone, Copy)]
pub enum Look<'a> {
    /// Every file.
    Everything,
    /// These files, of which somebody says that they changed. Those that are not below a root are passed over.
    Files(&'a HashSet<PathBuf>),
}

/// What a look brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// Files that were read.
    pub files: u64,
    /// Events that are new on the spine, and durable.
    pub events: u64,
    /// Events that were there already.
    pub duplicates: u64,
    /// What cannot be read, each file and reason once.
    pub problems: Vec<Problem>,
    /// It was asked to stop before the end.
    pub is_interrupted: bool,
}

/// Follows session files.
pub struct Tail {
    disk: Arc<dyn Disk>,
    places_file: PathBuf,
    own_dirs: Vec<PathBuf>,
    places: HashMap<PathBuf, Place>,
    is_saved: bool,
    /// The readers of files that may grow, and when each was last needed.
    live: HashMap<PathBuf, (Live, u64)>,
    looks: u64,
    reported: HashMap<PathBuf, &'static str>,
}

impl std::fmt::Debug for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tail").field("files", &self.places.len()).field("live", &self.live.len()).finish()
    }
}

/// What one look works with.
struct Work<'a, 'b> {
    appender: Appender<'a>,
    news: News,
    now: Timestamp,
    go_on: &'b dyn Fn() -> bool,
}

impl Tail {
    /// Goes on from the places in `places_file`. What was done below `own_dirs` is left out. The text says why the
    /// places could not be used, so that everything is read again.
    pub fn open(disk: Arc<dyn Disk>, places_file: PathBuf, own_dirs: Vec<PathBuf>) -> (Self, Option<String>) {
        let (places, problem) = places::load(&*disk, &places_file);
        let tail = Self {
            disk,
            places_file,
            own_dirs,
            places,
            is_saved: true,
            live: HashMap::new(),
            looks: 0,
            reported: HashMap::new(),
        };
        (tail, problem)
    }

    /// How many files are followed below a root.
    pub fn files_below(&self, root: &Path) -> usize {
        self.places.keys().filter(|path| path.starts_with(root)).count()
    }

    /// Puts on the spine what is new in the files below `roots`, which are absolute and without links. `go_on` is asked
    /// before each line; when it says no, the rest is left for the next look.
    ///
    /// After an error the next look starts from the places that were last saved.
    pub fn look(
        &mut self,
        spine: &mut Spine,
        roots: &[Root],
        look: Look<'_>,
        clock: &(dyn Fn() -> Timestamp + Sync),
        go_on: &dyn Fn() -> bool,
    ) -> Result<News, AppendError> {
        self.looks += 1;
        let appender = Appender::new(spine, clock);
        let mut work = Work { appender, news: News::default(), now: clock(), go_on };
        let result = roots.iter().try_for_each(|root| match look {
            Look::Everything => self.look_below(root, &mut work),
            Look::Files(files) => self.look_at(root, files, &mut work),
        });
        let result = result.and_then(|()| work.sync());
        if let Err(error) = result {
            // What was appended may not be durable, so that the places may be ahead of it.
            self.places = places::load(&*self.disk, &self.places_file).0;
            self.live.clear();
            return Err(error);
        }
        self.forget_oldest_readers();
        Ok(work.news)
    }

    /// Makes the places durable, if they have changed.
    pub fn save(&mut self) -> Result<(), WriteError> {
        if !self.is_saved {
            places::store(&*self.disk, &self.places_file, &self.places)?;
            self.is_saved = true;
        }
        Ok(())
    }

    fn look_below(&mut self, root: &Root, work: &mut Work<'_, '_>) -> Result<(), AppendError> {
        let found = Sources::find(&*self.disk, &[root.agent], std::slice::from_ref(&root.path));
        let is_all = found.problems.is_empty();
        for problem in found.problems {
            // Files come and go, and so does the folder of an agent that is not used any more.
            if problem.reason != skipped::FILE_GONE {
                self.report(problem, work);
            }
        }
        if is_all {
            let there: HashSet<&Path> = found.files.iter().map(|file| &*file.path).collect();
            let is_kept = |path: &Path| !path.starts_with(&root.path) || there.contains(path);
            let before = self.places.len();
            self.places.retain(|path, _| is_kept(path));
            self.live.retain(|path, _| is_kept(path));
            self.is_saved &= self.places.len() == before;
        }
        found.files.iter().try_for_each(|file| self.look_at_file(root.agent, file, work))
    }

    fn look_at(
        &mut self,
        root: &Root,
        files: &HashSet<PathBuf>,
        work: &mut Work<'_, '_>,
    ) -> Result<(), AppendError> {
        let lies_right = root.agent.sessions.is_session;
        let is_session = |path: &&PathBuf| {
            path.starts_with(&root.path) && is_session_name(path) && lies_right(&root.path, path)
        };
        let below: Vec<PathBuf> = files.iter().filter(is_session).cloned().collect();
        let mut found = Sources::of_files(&*self.disk, &below);
        // A link leads elsewhere.
        found.files.retain(|file| files.contains(&file.path));
        found.files.iter().try_for_each(|file| self.look_at_file(root.agent, file, work))
    }

    fn look_at_file(
        &mut self,
        agent: &'static Agent,
        source: &SourceFile,
        work: &mut Work<'_, '_>,
    ) -> Result<(), AppendError> {
        if work.news.is_interrupted || !(work.go_on)() {
            work.news.is_interrupted = true;
            return Ok(());
        }
        if let Some(place) = self.places.get(&source.path).filter(|place| place.is_of(source)) {
            let may_grow = may_grow(work.now, source.mtime_ns);
            if !may_grow && place.is_done {
                self.live.remove(&source.path);
            }
            if may_grow || place.is_done {
                return Ok(());
            }
        }
        work.news.files += 1;
        self.is_saved = false;
        if is_packed(&source.path) {
            self.read_packed(agent, source, work)
        } else {
            self.read_plain(agent, source, work)
        }
    }

    fn read_plain(
        &mut self,
        agent: &'static Agent,
        source: &SourceFile,
        work: &mut Work<'_, '_>,
    ) -> Result<(), AppendError> {
        let path = &source.path;
        let opened = self.disk.open(path, OpenMode::Read).and_then(|file| Ok((file.stat()?, file)));
        let (stat, file) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.report(Problem::of_io(path, &error), work);
                return Ok(());
            }
        };
        let noted = self.places.get(path).filter(|noted| noted.is_still_true(&*file, &stat).unwrap_or(false));
        let kept = self.live.remove(path).map(|(live, _)| live);
        let kept = kept.filter(|live| noted.is_some_and(|noted| live.is_at(noted)));
        let mut live = kept.unwrap_or_else(|| Live::new(agent, path, &self.own_dirs));
        let before = Before {
            disk: &*self.disk,
            file: &*file,
            stat: &stat,
            told_bytes: noted.map_or(0, |noted| noted.told_bytes),
            finished_bytes: noted.and_then(|noted| noted.finished_bytes),
            now: work.now,
        };
        let go_on = work.go_on;
        let ended = work.append(|take| read_on(&mut live, &before, take, go_on))?;
        let Some(ended) = ended else { return Ok(()) };
        // Without its fingerprint a place is worth nothing: the file is read again.
        match place_of(&live, &before, &ended).unwrap_or(None) {
            // Not even back where it was: the old place is as good as before.
            Some(place) if place.told_bytes < before.told_bytes => {}
            Some(place) => {
                self.places.insert(path.clone(), place);
                self.live.insert(path.clone(), (live, self.looks));
            }
            None => drop(self.places.remove(path)),
        }
        match ended {
            Ended::AtEnd { .. } | Ended::Shrank => drop(self.reported.remove(path)),
            Ended::Before(Some(error)) => self.report(Problem::of_io(path, &error), work),
            Ended::Before(None) => work.news.is_interrupted = true,
        }
        Ok(())
    }

    /// A compressed file does not grow: it is read as a whole, and once more when it was quiet for long.
    fn read_packed(
        &mut self,
        agent: &'static Agent,
        source: &SourceFile,
        work: &mut Work<'_, '_>,
    ) -> Result<(), AppendError> {
        let own_dirs = self.own_dirs.clone();
        let options = FileOptions { agents: &[agent], own_dirs, now: work.now, rest: Rest::Orders };
        let (disk, go_on) = (Arc::clone(&self.disk), work.go_on);
        let mut summary = Summary::default();
        let read = work.append(|take| {
            let mut take_or_stop = |drafts: &mut Vec<_>| {
                take(drafts)?;
                if go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            read_file(&*disk, source, &options, &mut summary, &mut take_or_stop, &mut |_| {})
        })?;
        if read.is_none() {
            work.news.is_interrupted = true;
            return Ok(());
        }
        if summary.problems.is_empty() {
            self.reported.remove(&source.path);
        }
        summary.problems.into_iter().for_each(|problem| self.report(problem, work));
        let place = Place {
            inode: source.inode,
            len_bytes: source.len_bytes,
            mtime_ns: whole_mtime_ns(source.mtime_ns),
            told_bytes: 0,
            hash: String::new(),
            finished_bytes: None,
            is_done: !may_grow(work.now, source.mtime_ns),
        };
        self.places.insert(source.path.clone(), place);
        Ok(())
    }

    /// Tells of a problem, unless it was told before.
    fn report(&mut self, problem: Problem, work: &mut Work<'_, '_>) {
        if self.reported.insert(problem.path.clone(), problem.reason) != Some(problem.reason) {
            work.news.problems.push(problem);
        }
    }

    fn forget_oldest_readers(&mut self) {
        let Some(too_many) = self.live.len().checked_sub(MAX_LIVE).filter(|n| *n > 0) else { return };
        let mut by_age: Vec<_> = self.live.iter().map(|(path, (_, used))| (*used, path.clone())).collect();
        by_age.sort();
        for (_, path) in by_age.into_iter().take(too_many) {
            self.live.remove(&path);
        }
    }
}

impl Work<'_, '_> {
    /// Appends what `read` gives, in batches. `None` if `read` was stopped by its own will.
    fn append<T>(
        &mut self,
        read: impl FnOnce(&mut Taker<'_>) -> ControlFlow<(), T>,
    ) -> Result<Option<T>, AppendError> {
        let mut failed = None;
        let appender = &mut self.appender;
        let mut batches = Batches::new(|batch| match appender.append(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        let read = read(&mut |drafts| batches.take(drafts));
        let _failed = batches.flush();
        drop(batches);
        match (failed, read) {
            (Some(error), _) => Err(error),
            (None, ControlFlow::Continue(value)) => Ok(Some(value)),
            (None, ControlFlow::Break(())) => Ok(None),
        }
    }

    /// Makes durable what was appended, and counts it.
    fn sync(&mut self) -> Result<(), AppendError> {
        let tally = self.appender.tally();
        self.news.events = tally.events;
        self.news.duplicates = tally.duplicates;
        // What a process appended that was killed before its sync is a duplicate now, and not durable for certain.
        if tally.events + tally.duplicates > 0 {
            self.appender.sync()?;
        }
        if tally.events >= CHECKPOINT_EVENTS {
            self.appender.checkpoint_index()?;
        }
        Ok(())
    }
}
