//! One wake: gates, one commit, and the remote.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use subcortex_inbox::notices::{Board, Notice, Settled};
use subcortex_memory::{Journal, MemoryFolder};
use subcortex_store::durable::{self, Patience, QuietError, ReadError, WriteError};
use subcortex_store::{Disk, locked};

use crate::held_back::{HeldBack, judge};
use crate::own_index::{OwnIndex, keep, move_to};
use crate::paths::is_evidence;
use crate::repository::Repository;
use crate::subject::{Contents, is_trivial};
use crate::sync::{self, Synced};
use crate::{CommitError, Git, GitError};

/// How soon a repository that somebody else is at is looked at again.
const LOOK_AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// How often a remote is asked for what others did.
const PULL_EVERY: SignedDuration = SignedDuration::from_mins(15);
/// The longest file that is compared, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Files of a person's own, which editors may save step by step.
pub(crate) const WRITTEN_BY_PEOPLE: [&str; 2] = ["CLAUDE.md", "priority.md"];

/// Which tick and run a commit comes from.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The tick.
    pub tick: u64,
    /// The run.
    pub run_id: String,
}

/// What one wake is handed.
pub struct Job<'a> {
    /// Git, for `memory/`.
    pub git: Git,
    /// The file system.
    pub disk: &'a dyn Disk,
    /// `memory/`.
    pub folder: MemoryFolder,
    /// The folder of the partitions' folders.
    pub partitions: PathBuf,
    /// Where this comes from.
    pub origin: Origin,
    /// Whether a text is as code made it, so that code can make it anew.
    pub is_as_made: fn(&str) -> bool,
    /// Held by whoever changes the memory.
    pub memory: Arc<Mutex<()>>,
    /// How long somebody who writes to the broadcast is waited for.
    pub patience: Patience,
    /// The moment.
    pub now: Timestamp,
}

impl Job<'_> {
    /// Only one hand at a time in the memory; nobody waits for a remote with it.
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        locked(&self.memory)
    }

    /// How long somebody who saves a file is waited for: only what agents are told is written by people all day.
    pub(crate) fn patience_for(&self, path: &str) -> Patience {
        if WRITTEN_BY_PEOPLE.contains(&path) { self.patience } else { Patience::NONE }
    }
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("git", &self.git).field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// How often a file that is away is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a wake came to.
#[derive(Debug, Default)]
pub struct Committed {
    /// The commit that was made.
    pub commit: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// Files that it holds, below `memory/`.
    pub files: Vec<String>,
    /// Files that were held back.
    pub held_back: Vec<HeldBack>,
    /// What the gates say of lines in a person's own words, which are committed all the same.
    pub noted: Vec<String>,
    /// Tasks about them.
    pub told: Settled,
    /// What came of the remote, if there is one.
    pub synced: Option<Synced>,
    /// Files that somebody was saving: they are looked at again.
    pub being_saved: Vec<String>,
    /// Why the repository was left alone.
    pub left_alone: Option<String>,
    /// When to look again without being asked.
    pub wake_at: Option<Timestamp>,
}

/// Commits what changed and passes, and shares it.
pub fn commit(job: &Job<'_>) -> Result<Committed, CommitError> {
    let repository = Repository { git: &job.git, disk: job.disk };
    repository.prepare()?;
    if let Some(why) = repository.somebody_else(job.now) {
        let wake_at = job.now.checked_add(LOOK_AGAIN_AFTER).ok();
        return Ok(Committed { left_alone: Some(why), wake_at, ..Committed::default() });
    }
    repository.begin()?;
    let mut done = {
        let _alone = job.alone();
        commit_here(job, &repository)?
    };
    if let Some(remote) = sync::remote(&repository)? {
        done.synced = Some(sync::sync(job, &repository, &remote)?);
        done.wake_at = job.now.checked_add(PULL_EVERY).ok();
    }
    if !done.being_saved.is_empty() {
        done.wake_at = job.now.checked_add(LOOK_AGAIN_AFTER).ok();
    }
    let both = done.synced.iter().flat_map(|synced| &synced.both_changed).cloned().collect();
    let waiting = sync::still_both(job, both)?;
    let notices: Vec<Notice> = done.held_back.iter().map(HeldBack::notice).chain(waiting).collect();
    done.told = board(job).settle(&notices)?;
    repository.end()?;
    Ok(done)
}

fn board<'a>(job: &Job<'a>) -> Board<'a> {
    let (notes, partitions) = (job.folder.state("memory-committer"), job.partitions.clone());
    Board { disk: job.disk, notes, prefix: "memory-committer", partitions }
}

fn commit_here(job: &Job<'_>, repository: &Repository<'_>) -> Result<Committed, CommitError> {
    let head = repository.head()?;
    let journal = Journal::read(job.disk, &job.folder)?;
    let mut done = Committed::default();
    let mut broadcast = None;
    let mut as_judged = Vec::new();
    let changed = repository.changed()?;
    let mut committed = match &head {
        Some(head) => repository.files_at(head, &changed)?,
        None => BTreeMap::new(),
    };
    for path in changed {
        let before = committed.remove(&path);
        let Some(after) = read(job, &path)? else {
            done.being_saved.push(path);
            continue;
        };
        if let (Some(before), Some(after)) = (&before, &after)
            && is_trivial(before, after)
        {
            continue;
        }
        let judged = judge(job.disk, &job.folder, &path, before.as_deref(), after.as_deref(), &journal)?;
        done.noted.extend(judged.notes);
        if let Some(held) = judged.held_back {
            done.held_back.push(held);
            continue;
        }
        if let Some(after) = after.as_ref().filter(|_| WRITTEN_BY_PEOPLE.contains(&path.as_str())) {
            as_judged.push((path.clone(), after.clone()));
        }
        if path == "CLAUDE.md" {
            let text =
                |bytes: Option<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            broadcast = Some((text(before), text(after)));
        }
        done.files.push(path);
    }
    if done.files.is_empty() || (is_only_evidence(&done.files) && !is_first_of_day(job, repository)?) {
        done.files.clear();
        return Ok(done);
    }
    let edits = new_edits(repository, head.as_deref(), &journal, &done.files)?;
    let contents = Contents {
        files: &done.files,
        broadcast,
        held_back: &done.held_back,
        edits: &edits,
        origin: &job.origin,
    };
    let message = contents.message();
    make_commit(job, head.as_deref(), &done.files, &as_judged, &message)?;
    done.subject = message.lines().next().map(str::to_owned);
    done.commit = repository.head()?;
    Ok(done)
}

/// Only these files, whatever else its person has staged; and those of a person as they were judged, whatever was saved since.
fn make_commit(
    job: &Job<'_>,
    head: Option<&str>,
    files: &[String],
    as_judged: &[(String, Vec<u8>)],
    message: &str,
) -> Result<(), CommitError> {
    let index = OwnIndex::of(job, head)?;
    index.add(files)?;
    let keep = |(path, bytes): &'_ (String, Vec<u8>)| keep(job, bytes).map(|blob| (path.clone(), Some(blob)));
    index.put(&as_judged.iter().map(keep).collect::<Result<Vec<_>, _>>()?)?;
    let parents: Vec<&str> = head.into_iter().collect();
    let commit = index.commit(&parents, message)?;
    Ok(move_to(job, head, &commit)?)
}

/// A changed file as it is now, or gone; `None` while somebody saves it.
fn read(job: &Job<'_>, path: &str) -> Result<Option<Option<Vec<u8>>>, CommitError> {
    let full = job.folder.root().join(path);
    match read_when_there(job, path, &full) {
        Ok(after) => Ok(Some(after)),
        // A link of a person's is theirs to keep: git keeps it as a link.
        Err(QuietError::Read(ReadError::NotRegular(_))) => Ok(Some(None)),
        Err(QuietError::Wait(WriteError::Busy { .. })) => Ok(None),
        Err(QuietError::Wait(error)) => Err(error.into()),
        Err(QuietError::Read(error)) => Err(error.into()),
    }
}

/// Reads a file that the newest commit has. One that people write is waited for: editors and `git checkout` move it away for a moment.
pub(crate) fn read_when_there(job: &Job<'_>, path: &str, full: &Path) -> Result<Option<Vec<u8>>, QuietError> {
    let patience = job.patience_for(path);
    let until = Instant::now() + patience.at_most;
    loop {
        let found = durable::read_when_quiet(job.disk, full, MAX_BYTES, patience)?;
        if found.is_some() || Instant::now() >= until {
            return Ok(found);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn is_only_evidence(files: &[String]) -> bool {
    files.iter().all(|path| is_evidence(path))
}

/// Evidence alone is committed once a day, so that the history can be read.
fn is_first_of_day(job: &Job<'_>, repository: &Repository<'_>) -> Result<bool, GitError> {
    if repository.head()?.is_none() {
        return Ok(true);
    }
    let last = job.git.ask_line(&["log", "-1", "--format=%ct"])?;
    let last = last.parse().ok().and_then(|second| Timestamp::from_second(second).ok());
    let day = |moment: Timestamp| moment.strftime("%Y-%m-%d").to_string();
    Ok(last.is_none_or(|last| day(last) != day(job.now)))
}

/// The edits that the newest commit does not know.
fn new_edits(
    repository: &Repository<'_>,
    head: Option<&str>,
    journal: &Journal,
    files: &[String],
) -> Result<Vec<String>, CommitError> {
    if !files.iter().any(|path| path == "journal.jsonl") {
        return Ok(Vec::new());
    }
    let before = head.map(|head| repository.file_at(head, "journal.jsonl")).transpose()?.flatten();
    let before = before.unwrap_or_default();
    let text = String::from_utf8_lossy(&before);
    let known: BTreeSet<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<subcortex_memory::Edit>(line).ok())
        .map(|edit| edit.id)
        .collect();
    Ok(journal.edits.iter().map(|edit| edit.id.clone()).filter(|id| !known.contains(id)).collect())
}
