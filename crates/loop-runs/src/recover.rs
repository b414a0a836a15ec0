//! What a killed daemon left: every hold in `var/loops` is accounted for.
//!
//! A worktree that is noted is removed. A branch that is noted exists only if its change passed all gates, so it stays, and
//! the log says that it was offered; without one the log says that the run was interrupted.

use std::path::Path;

use jiff::Timestamp;
use subcortex_loops::LoopPlace;
use subcortex_loops::end::LoopEnd;
use subcortex_loops::run_log::RunLog;
use subcortex_store::{Disk, durable};
use tracing::warn;

use crate::git::Git;
use crate::memory::{Hold, LoopMemory};
use crate::run::{About, Told};
use crate::worktree::{remove, remove_folder};
use crate::{LoopNames, LoopRunner};

/// Clears away what earlier runs left in the middle. Nobody else may run loops of this home meanwhile.
pub async fn recover(runner: &LoopRunner) {
    let (disk, home) = (&*runner.worker.disk, &runner.worker.home);
    for memory in LoopMemory::all(disk, home) {
        if let Some(held) = memory.held.clone() {
            account_for(runner, &memory, held).await;
        }
        finish_writes(disk, &memory.dir);
    }
    finish_writes(disk, &home.loops());
    for folder in disk.list(&home.loops().join("scratch")).unwrap_or_default() {
        remove_folder(runner, "recover", &home.loops().join("scratch").join(folder)).await;
    }
}

/// Clears away what an earlier run of one loop could not write down. Nobody may run it meanwhile.
pub(crate) async fn recover_one(runner: &LoopRunner, place: &LoopPlace) {
    let disk = &*runner.worker.disk;
    finish_writes(disk, &place.dir);
    let memory = LoopMemory::read(disk, &runner.worker.home, &LoopNames::of(place));
    if let Some(held) = memory.held.clone() {
        account_for(runner, &memory, held).await;
    }
}

/// What a writer that died left beside its file goes, and a replacement that was cut short is finished.
fn finish_writes(disk: &dyn Disk, folder: &Path) {
    if let Err(error) = durable::clear_up(disk, folder) {
        warn!(folder = %folder.display(), %error, "what a killed run wrote could not be finished");
    }
}

async fn account_for(runner: &LoopRunner, memory: &LoopMemory, held: Hold) {
    let place = memory.place();
    let names = LoopNames::of(&place);
    warn!(r#loop = %names.key, run = held.run_id, holds = held.words(), "a run was interrupted; what it held is given back");
    let mut end = LoopEnd::Interrupted;
    if let Some(worktree) = &held.worktree {
        remove(runner, &held.run_id, &place.root, worktree).await;
    }
    if let Some(branch) = &held.branch {
        let (git, reference) = (Git::new(runner, &held.run_id, &place.root), format!("refs/heads/{branch}"));
        if git.text(&[&"rev-parse", &"--verify", &"--quiet", &reference]).await.is_ok() {
            end = LoopEnd::Offered { branch: branch.clone() };
        }
    }
    let is_logged = RunLog::read(&*runner.worker.disk, &place.dir)
        .is_ok_and(|log| log.runs.iter().any(|run| run.run == held.run));
    let about = About {
        runner,
        place: &place,
        names,
        run: held.run,
        run_id: held.run_id,
        started: Timestamp::min(held.since, Timestamp::now()),
    };
    if is_logged {
        about.give_back();
    } else {
        about.settle(None, Told::default(), &end).await;
    }
}
