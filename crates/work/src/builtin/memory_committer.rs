//! The worker that keeps the memory in git.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use subcortex_cadence::UnixMs;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_committer::{CommitError, Committed, Git, GitError, Job, Origin, commit};
use subcortex_guard::counted;
use subcortex_memory::MemoryFolder;
use subcortex_store::durable::Patience;
use subcortex_store::locked;
use subcortex_weaver::crystallizer::is_as_made;
use subcortex_weaver::map_again;
use subcortex_weaver::updater::{Forgot, forget_again};

use super::{Around, Call, Done, Worker, ended_early};
use crate::Details;
use crate::workshop::workshop;

/// How long somebody who saves the broadcast is waited for: others wait for the memory meanwhile, and there is a next wake.
const MAX_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct MemoryCommitter;

impl Worker for MemoryCommitter {
    fn name(&self) -> &'static str {
        "memory-committer"
    }

    /// A memory in which nothing stands yet needs no history.
    fn has_work(&self, around: &Around<'_>) -> bool {
        let folder = MemoryFolder::at(around.home.memory());
        [
            folder.broadcast(),
            folder.priority(),
            folder.journal(),
            folder.ledger(),
            folder.topics(),
            folder.entities(),
        ]
        .iter()
        .any(|path| around.disk.stat(path).is_ok())
    }

    fn work(&self, call: Call) -> Done {
        let now = Timestamp::now();
        let job = Job {
            git: Git {
                moment: now,
                launcher: Arc::clone(&call.launcher),
                runtime: call.runtime.clone(),
                environment: call.environment.clone(),
                folder: call.home.memory(),
                run_id: call.run_id.clone(),
                cancellation: call.cancellation.clone(),
            },
            disk: &*call.disk,
            folder: MemoryFolder::at(call.home.memory()),
            partitions: call.home.subconscious(),
            origin: Origin { tick: call.tick, run_id: call.run_id.clone() },
            is_as_made,
            memory: Arc::clone(&call.memory),
            patience: Patience { at_most: MAX_WAIT, ..Patience::USUAL },
            now,
        };
        let committed = commit(&job);
        let has_pulled = |done: &Committed| done.synced.as_ref().is_some_and(|synced| synced.pulled > 0);
        if committed.as_ref().is_ok_and(has_pulled) {
            // Another home may not have known yet what was to be forgotten here, or the other way round.
            let shop = workshop(&call.home, &call.disk, call.settings, Some(call.run_id.clone()));
            let _alone = locked(&call.memory);
            let forgotten = forget_again(&shop).and_then(|forgot| {
                // What follows from the evidence follows anew, as after a person's own `forget`.
                if forgot == Forgot::default() { Ok(None) } else { map_again(&shop, &|| false) }
            });
            if let Err(error) = forgotten {
                let why = format!("what was to be forgotten may stand in memory/ again: {error}");
                return (Work::ended(Ending::Failed(why)), Details::default());
            }
        }
        match committed {
            Ok(done) => report(&done, &|path| job.disk.stat(&job.folder.root().join(path)).is_ok()),
            Err(CommitError::Git(GitError::Cancelled)) => ended_early(&call.cancellation),
            // Not the task's fault: it costs it no attempt.
            Err(error @ CommitError::Git(GitError::NotStarted(_))) => {
                (Work::ended(Ending::Refused(error.to_string())), Details::default())
            }
            Err(error) if error.is_busy() => {
                (Work::ended(Ending::Refused(error.to_string())), Details::default())
            }
            Err(error) => (Work::ended(Ending::Failed(error.to_string())), Details::default()),
        }
    }
}

/// Files that are gone are not named: their names may be made of words that were to be forgotten.
fn report(done: &Committed, is_there: &dyn Fn(&str) -> bool) -> Done {
    let (there, gone): (Vec<&String>, Vec<&String>) = done.files.iter().partition(|path| is_there(path));
    let mut lines: Vec<String> = there.iter().map(|path| format!("committed: memory/{path}")).collect();
    if !gone.is_empty() {
        lines.push(format!("committed: {} gone", counted(gone.len(), "file that is", "files that are")));
    }
    for held in &done.held_back {
        lines.push(format!("held back: memory/{}: {}", held.path, held.reasons.join("; ")));
    }
    lines
        .extend(done.being_saved.iter().map(|path| format!("waits: memory/{path} is being saved right now")));
    lines.extend(done.noted.iter().map(|why| format!("noted, and committed as its person wrote it: {why}")));
    lines.extend(done.told.posted.iter().map(|task| format!("told: {task}")));
    lines.extend(done.told.withdrawn.iter().map(|task| format!("taken back: {task}")));
    let pulled = done.synced.as_ref().map_or(0, |synced| synced.pulled);
    if let Some(synced) = &done.synced {
        lines.push(format!(
            "remote: {} pulled, {}",
            counted(synced.pulled, "commit", "commits"),
            if synced.pushed { "pushed" } else { "nothing pushed" }
        ));
        lines.extend(synced.trouble.iter().map(|why| format!("remote: {why}")));
    }
    lines.push(match (&done.left_alone, &done.commit) {
        (Some(why), _) => format!("NO-OP: memory/ was left alone: {why}"),
        (None, Some(commit)) => format!(
            "UPDATED: committed {} as {}{}",
            counted(done.files.len(), "file", "files"),
            commit.get(..12).unwrap_or(commit),
            held_words(done)
        ),
        (None, None) if pulled > 0 => {
            format!(
                "UPDATED: {} of others taken in{}",
                counted(pulled, "commit", "commits"),
                held_words(done)
            )
        }
        (None, None) => {
            let pushed = done.synced.as_ref().is_some_and(|synced| synced.pushed);
            let also = if pushed { ", and what was committed before is pushed" } else { "" };
            format!("NO-OP: nothing to commit{also}{}", held_words(done))
        }
    });
    let output = lines.join("\n");
    let work = Work {
        wake_at: done.wake_at.map(|at| UnixMs(at.as_millisecond())),
        changed_files: Some(done.commit.is_some() || pulled > 0),
        ..Work::well(output.clone())
    };
    (work, Details { output, ..Details::default() })
}

fn held_words(done: &Committed) -> String {
    match done.held_back.len() {
        0 => String::new(),
        count => format!("; {count} held back"),
    }
}
