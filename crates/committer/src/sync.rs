//! Sharing: what others did is fetched, brought together with ours block by block, and pushed.
//!
//! Files first, then the commit: whoever dies in between leaves the other side's lines in the files, where the next wake
//! finds and commits them. The other way round they would look as if somebody had taken them out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use subcortex_guard::Redactor;
use subcortex_inbox::notices::Notice;
use subcortex_memory::WEAVER;
use subcortex_memory::notice_words::GOES_AWAY;
use subcortex_store::durable::{self, QuietError, ReadError, WriteError};

use crate::CommitError;
use crate::commit::{Job, WRITTEN_BY_PEOPLE, read_when_there};
use crate::git::GitError;
use crate::merge::merge;
use crate::outline::Form;
use crate::own_index::{OwnIndex, keep};
use crate::paths::{Together, is_shared, together};
use crate::repository::Repository;

/// How often a push is tried when others push at the same time.
const MAX_PUSHES: usize = 5;
/// The longest file that is merged, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A remote that a person named.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    name: String,
    branch: String,
    tracking: String,
}

/// What came of the remote.
#[derive(Debug, Default)]
pub struct Synced {
    /// How many commits of others came in.
    pub pulled: usize,
    /// Whether ours went out.
    pub pushed: bool,
    /// Why it could not be done now: it is tried again.
    pub trouble: Option<String>,
    /// Lines that both sides changed: file, ours, theirs.
    pub both_changed: Vec<(String, String, String)>,
}

/// The remote of the branch, or `origin`; `None` when no person named one.
pub(crate) fn remote(repository: &Repository<'_>) -> Result<Option<Remote>, GitError> {
    let git = repository.git;
    let branch = git.try_ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    if branch.code != 0 {
        return Ok(None); // a detached HEAD is somebody's doing
    }
    let branch = String::from_utf8_lossy(&branch.out).trim().to_owned();
    let configured = git.try_ask(&["config", "--get", &format!("branch.{branch}.remote")])?;
    let configured = String::from_utf8_lossy(&configured.out).trim().to_owned();
    let all = git.ask_line(&["remote"])?;
    let name = if configured.is_empty() { "origin".to_owned() } else { configured };
    if !all.lines().any(|known| known == name) {
        return Ok(None);
    }
    let tracking = format!("refs/remotes/{name}/{branch}");
    Ok(Some(Remote { name, branch, tracking }))
}

/// Fetches, merges and pushes.
pub(crate) fn sync(
    job: &Job<'_>,
    repository: &Repository<'_>,
    remote: &Remote,
) -> Result<Synced, CommitError> {
    let mut synced = Synced::default();
    for _ in 0..MAX_PUSHES {
        let refs = format!("+refs/heads/{}:{}", remote.branch, remote.tracking);
        let fetched = job.git.reach(&["fetch", "--quiet", "--no-tags", &remote.name, &refs])?;
        let is_empty = fetched.said.contains("couldn't find remote ref");
        if fetched.code != 0 && !is_empty {
            synced.trouble = Some(format!("`git fetch {}`: {}", remote.name, fetched.said));
            return Ok(synced);
        }
        let theirs = if is_empty { None } else { repository.commit_named(&remote.tracking)? };
        if let Some(theirs) = &theirs
            && let Some(why) = bring_together(job, repository, theirs, &mut synced)?
        {
            synced.trouble = Some(why);
            return Ok(synced);
        }
        let Some(ours) = repository.head()? else { return Ok(synced) };
        if theirs.as_ref() == Some(&ours) {
            return Ok(synced);
        }
        let to = format!("HEAD:refs/heads/{}", remote.branch);
        let pushed = job.git.reach(&["push", "--quiet", &remote.name, &to])?;
        if pushed.code == 0 {
            synced.pushed = true;
            return Ok(synced);
        }
        synced.trouble = Some(format!("`git push {}`: {}", remote.name, pushed.said));
        if !pushed.said.contains("rejected") {
            return Ok(synced);
        }
    }
    Ok(synced)
}

/// Makes their commit part of ours; says why it cannot be done now.
fn bring_together(
    job: &Job<'_>,
    repository: &Repository<'_>,
    theirs: &str,
    synced: &mut Synced,
) -> Result<Option<String>, CommitError> {
    let _alone = job.alone();
    let git = &job.git;
    let Some(ours) = repository.head()? else { return begin_with(job, repository, theirs, synced) };
    if ours == theirs || git.try_ask(&["merge-base", "--is-ancestor", theirs, &ours])?.code == 0 {
        return Ok(None);
    }
    let base = git.try_ask(&["merge-base", &ours, theirs])?;
    let base = (base.code == 0).then(|| String::from_utf8_lossy(&base.out).trim().to_owned());
    let is_behind = base.as_ref() == Some(&ours);
    let plan = plan(job, repository, base.as_deref(), &ours, theirs, synced)?;
    for (path, file) in &plan {
        if let Some(why) = write(job, path, file)? {
            return Ok(Some(why));
        }
    }
    let merged = if is_behind { theirs.to_owned() } else { merge_commit(job, &plan, &ours, theirs)? };
    synced.pulled +=
        git.ask_line(&["rev-list", "--count", &format!("{ours}..{theirs}")])?.parse().unwrap_or(1);
    move_on(job, &ours, &merged)
}

/// A home that has no commit yet takes theirs as its first, its own files on top.
fn begin_with(
    job: &Job<'_>,
    repository: &Repository<'_>,
    theirs: &str,
    synced: &mut Synced,
) -> Result<Option<String>, CommitError> {
    let files = files_of(job, theirs)?;
    let mut texts = repository.files_at(theirs, files.keys())?;
    for path in files.into_keys() {
        let merged = File { base: None, merged: texts.remove(&path).map(without_what_hides), blob: None };
        if let Some(why) = write(job, &path, &merged)? {
            return Ok(Some(why));
        }
    }
    synced.pulled += job.git.ask_line(&["rev-list", "--count", theirs])?.parse().unwrap_or(1);
    job.git.ask(&["update-ref", "-m", "memory: pulled", "HEAD", theirs])?;
    job.git.ask(&["read-tree", theirs])?;
    Ok(None)
}

/// What a file is to become, and what it was in our newest commit.
#[derive(Debug)]
struct File {
    base: Option<Vec<u8>>,
    merged: Option<Vec<u8>>,
    /// What git calls it, where it is one that git has.
    blob: Option<String>,
}

/// Files that are not to stay what they are in our newest commit.
fn plan(
    job: &Job<'_>,
    repository: &Repository<'_>,
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    synced: &mut Synced,
) -> Result<BTreeMap<String, File>, CommitError> {
    let base_files = base.map(|base| files_of(job, base)).transpose()?.unwrap_or_default();
    let (our_files, their_files) = (files_of(job, ours)?, files_of(job, theirs)?);
    let paths: BTreeSet<&String> =
        our_files.keys().chain(their_files.keys()).chain(base_files.keys()).collect();
    let differs = |path: &&String| {
        let (base_id, our_id, their_id) =
            (base_files.get(*path), our_files.get(*path), their_files.get(*path));
        our_id != their_id && their_id != base_id
    };
    let paths: Vec<&String> = paths.into_iter().filter(differs).collect();
    let mut our_texts = repository.files_at(ours, paths.iter().copied())?;
    let mut their_texts = repository.files_at(theirs, paths.iter().copied())?;
    let by_both = paths.iter().copied().filter(|path| our_files.get(*path) != base_files.get(*path));
    let mut base_texts = match base {
        Some(base) => repository.files_at(base, by_both)?,
        None => BTreeMap::new(),
    };
    let mut plan = BTreeMap::new();
    for path in paths {
        let our_text = our_texts.remove(path);
        let their_text = their_texts.remove(path);
        let their_clean_text = their_text.clone().map(without_what_hides);
        let is_theirs = our_files.get(path) == base_files.get(path);
        let blob = their_files.get(path).filter(|_| is_theirs && their_clean_text == their_text).cloned();
        let merged = if is_theirs {
            their_clean_text
        } else {
            both(job, path, [base_texts.remove(path), our_text.clone(), their_clean_text], synced)
        };
        plan.insert(path.clone(), File { base: our_text, merged, blob });
    }
    Ok(plan)
}

/// A file of others as it may be written here: without secrets, and without characters that hide what a line says. Where that changes
/// it, the next commit of ours says so to them.
fn without_what_hides(bytes: Vec<u8>) -> Vec<u8> {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);
    let Ok(text) = std::str::from_utf8(&bytes) else { return bytes };
    let clean = REDACTOR.text(text);
    let hides =
        |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t') || is_invisible(letter);
    match (clean.contains(hides), clean) {
        (true, clean) => clean.replace(hides, "").into_bytes(),
        (false, Cow::Owned(clean)) => clean.into_bytes(),
        (false, Cow::Borrowed(_)) => bytes,
    }
}

/// Letters without width, and those that turn the direction of writing round: an agent reads what a person does not see.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// A file that both sides changed. A change wins over a removal.
fn both(job: &Job<'_>, path: &str, texts: [Option<Vec<u8>>; 3], synced: &mut Synced) -> Option<Vec<u8>> {
    let [base, ours, theirs] = texts;
    let (ours, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (one, other) => return one.or(other),
    };
    if together(path) == Together::Theirs {
        return Some(theirs);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // What code made it can make again; what a person wrote it cannot.
    if (job.is_as_made)(&text(&ours)) {
        return Some(theirs);
    }
    if (job.is_as_made)(&text(&theirs)) {
        return Some(ours);
    }
    let merged = merge(Form::of(path), &text(&base.unwrap_or_default()), &text(&ours), &text(&theirs));
    let changed = merged.both_changed.into_iter().map(|(ours, theirs)| (path.to_owned(), ours, theirs));
    synced.both_changed.extend(changed);
    Some(merged.text.into_bytes())
}

/// The shared files of a commit, with their blobs.
fn files_of(job: &Job<'_>, commit: &str) -> Result<BTreeMap<String, String>, GitError> {
    let said = job.git.ask(&["ls-tree", "-r", "-z", commit])?;
    let mut files = BTreeMap::new();
    for entry in said.split(|byte| *byte == 0) {
        let Some((facts, path)) = std::str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\t'))
        else {
            continue;
        };
        // Links and programs are nobody's memory: what another's commit says of them is not written here.
        let id = facts.strip_prefix("100644 blob ");
        if let Some(id) = id.filter(|_| is_shared(path)) {
            files.insert(path.to_owned(), id.to_owned());
        }
    }
    Ok(files)
}

/// Writes one file of the plan, on top of what its person changed since the newest commit.
fn write(job: &Job<'_>, path: &str, file: &File) -> Result<Option<String>, CommitError> {
    let full = job.folder.root().join(path);
    let being_changed = || {
        format!("memory/{path} is being changed right now; what others did is taken in with the next wake")
    };
    let patience = job.patience_for(path);
    let read = match &file.base {
        Some(_) => read_when_there(job, path, &full),
        None => durable::read_when_quiet(job.disk, &full, MAX_BYTES, patience),
    };
    let now = match read {
        Ok(now) => now,
        Err(QuietError::Wait(WriteError::Busy { .. })) => return Ok(Some(being_changed())),
        Err(QuietError::Wait(error)) => return Err(error.into()),
        Err(QuietError::Read(error)) => return Err(error.into()),
    };
    if now.is_none() && file.base.is_some() && WRITTEN_BY_PEOPLE.contains(&path) {
        return Ok(Some(being_changed())); // not in the place of what a person has away
    }
    let text =
        |bytes: Option<&Vec<u8>>| String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice)).into_owned();
    let new = match (&now, &file.merged) {
        (now, merged) if now == merged => return Ok(None),
        (now, merged) if *now == file.base => merged.clone(),
        (_, Some(merged)) if together(path) == Together::Theirs => Some(merged.clone()),
        (Some(now), Some(merged)) => {
            let (base, now, merged) = (text(file.base.as_ref()), text(Some(now)), text(Some(merged)));
            Some(merge(Form::of(path), &base, &now, &merged).text.into_bytes())
        }
        (None, merged) => merged.clone(),
        (Some(_), None) => return Ok(None), // they removed it, and here it was changed: it stays
    };
    if let Some(parent) = Path::new(path).parent() {
        durable::make_dirs(job.disk, job.folder.root(), parent)?;
    }
    let written = match &new {
        Some(new) => durable::replace_when_quiet(job.disk, &full, now.as_deref(), new, patience),
        None => durable::remove_if_unchanged(job.disk, &full, now.as_deref().unwrap_or_default()).map(drop),
    };
    match written {
        Ok(()) => Ok(None),
        Err(WriteError::Conflict { .. } | WriteError::Busy { .. } | WriteError::LeftAlone { .. }) => {
            Ok(Some(being_changed()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A commit of both sides.
fn merge_commit(
    job: &Job<'_>,
    plan: &BTreeMap<String, File>,
    ours: &str,
    theirs: &str,
) -> Result<String, CommitError> {
    let index = OwnIndex::of(job, Some(ours))?;
    let mut entries = Vec::new();
    for (path, file) in plan {
        let blob = match (&file.merged, &file.blob) {
            (None, _) => None,
            (Some(_), Some(id)) => Some(id.clone()),
            (Some(text), None) => Some(keep(job, text)?),
        };
        entries.push((path.clone(), blob));
    }
    index.put(&entries)?;
    let files: Vec<&str> = plan.keys().map(String::as_str).take(5).collect();
    let message = format!(
        "memory: bring both sides together\n\n{}\n\nTick: {}\nRun: {}\n",
        files.join(", "),
        job.origin.tick,
        job.origin.run_id
    );
    index.commit(&[ours, theirs], &message)
}

/// Makes a commit of both sides the newest one. What its person has staged stays staged, or nothing is done.
fn move_on(job: &Job<'_>, from: &str, to: &str) -> Result<Option<String>, CommitError> {
    let taken = job.git.try_ask(&["read-tree", "-i", "-m", from, to])?;
    if taken.code != 0 {
        return Ok(Some(format!(
            "something is staged in memory/ that others changed too ({}); commit it or take it out of the index",
            taken.said
        )));
    }
    job.git.ask(&["update-ref", "-m", "memory: brought together", "HEAD", to, from])?;
    Ok(None)
}

/// Lines that both sides changed and that wait for a person, by hashes.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Waiting {
    both: Vec<(String, String, String)>,
}

/// A task for each pair of lines of which both still stand.
pub(crate) fn still_both(
    job: &Job<'_>,
    new: Vec<(String, String, String)>,
) -> Result<Vec<Notice>, CommitError> {
    let path = job.folder.state("memory-committer-both");
    let before: Waiting = match durable::read_text(job.disk, &path, MAX_BYTES) {
        Ok(text) => serde_json::from_str(&text).unwrap_or_default(),
        Err(ReadError::Missing { .. }) => Waiting::default(),
        Err(error) => return Err(error.into()),
    };
    let hash =
        |line: &str| blake3::hash(line.trim().as_bytes()).to_hex().get(..24).unwrap_or_default().to_owned();
    let mut all: BTreeSet<(String, String, String)> = before.both.iter().cloned().collect();
    all.extend(new.into_iter().map(|(path, ours, theirs)| (path, hash(&ours), hash(&theirs))));
    let mut notices = Vec::new();
    all.retain(|(path, ours, theirs)| {
        let text = durable::read_text(job.disk, &job.folder.root().join(path), MAX_BYTES).unwrap_or_default();
        let number = |wanted: &str| text.lines().position(|line| hash(line) == *wanted).map(|at| at + 1);
        let (Some(one), Some(other)) = (number(ours), number(theirs)) else { return false };
        let body = format!(
            "[memory:both-changed] memory/{path}:L{one} and memory/{path}:L{other} are two versions of one line: two people \
             changed it at the same time.\n\nWanted: a person takes one of them out. {GOES_AWAY} then.\n"
        );
        let key = blake3::hash(format!("{path} {ours} {theirs}").as_bytes()).to_hex();
        let key = format!("both-changed-{}", key.get(..12).unwrap_or_default());
        notices.push(Notice { key, inbox: WEAVER.into(), body });
        true
    });
    let after = Waiting { both: all.into_iter().collect() };
    if after.both != before.both {
        durable::make_dirs(job.disk, job.folder.root(), Path::new("state"))?;
        let text = serde_json::to_string(&after).unwrap_or_default();
        durable::replace(job.disk, &path, format!("{text}\n").as_bytes())?;
    }
    Ok(notices)
}
