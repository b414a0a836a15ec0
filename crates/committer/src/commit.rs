//! One wake: gates, one commit, and the remote.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use subcortex_inbox::notices::{Board, Notice, Settled};
use subcortex_memory::{Journal, MemoryFolder};
use subcortex_store::Disk;
use subcortex_store::durable::{self, Patience};

use crate::held_back::{HeldBack, judge};
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
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("git", &self.git).field("origin", &self.origin).finish_non_exhaustive()
    }
}

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
    let changed = repository.changed()?;
    let mut committed = match &head {
        Some(head) => repository.files_at(head, &changed)?,
        None => BTreeMap::new(),
    };
    for path in changed {
        let before = committed.remove(&path);
        let after = read(job, &path)?;
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
    make_commit(job, &done.files, &message)?;
    done.subject = message.lines().next().map(str::to_owned);
    done.commit = repository.head()?;
    Ok(done)
}

/// Only these files, whatever else its person has staged.
fn make_commit(job: &Job<'_>, files: &[String], message: &str) -> Result<(), GitError> {
    let listed: Vec<u8> = files.iter().flat_map(|path| path.bytes().chain([0])).collect();
    let from_stdin = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    job.git.tell(
        &[&["--literal-pathspecs", "add", "--force", "--all"][..], &from_stdin].concat(),
        listed.clone(),
    )?;
    let said = ["--literal-pathspecs", "commit", "--quiet", "--no-verify", "--only", "-m", message];
    job.git.tell(&[&said[..], &from_stdin].concat(), listed)?;
    Ok(())
}

fn read(job: &Job<'_>, path: &str) -> Result<Option<Vec<u8>>, CommitError> {
    match durable::read(job.disk, &job.folder.root().join(path), MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        // A link of a person's is theirs to keep: git keeps it as a link.
        Err(durable::ReadError::Missing { .. } | durable::ReadError::NotRegular(_)) => Ok(None),
        Err(error) => Err(error.into()),
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
