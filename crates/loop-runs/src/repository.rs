//! Whether a repository is in a state in which a change can be made for it.

use std::path::Path;

use subcortex_loops::FOLDER;
use subcortex_loops::end::LoopEnd;
use subcortex_store::Disk;

use crate::git::{Git, GitError, Word};
use crate::{LoopNames, LoopRunner};

/// What git leaves in its folder while something is half done, and what that is.
const HALF_DONE: [(&str, &str); 6] = [
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
];
/// A loop whose changes nobody lands makes no more of them.
const MAX_WAITING_BRANCHES: usize = 10;

/// A repository from which a change can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The commit to start from.
    pub(crate) base: String,
    /// Whether there are changes that are not committed: they are left alone, and not seen.
    pub(crate) is_dirty: bool,
}

/// Looks at a repository, or says why a run has to wait.
pub(crate) async fn inspect(
    runner: &LoopRunner,
    run_id: &str,
    root: &Path,
    names: &LoopNames,
) -> Result<Repository, LoopEnd> {
    let git = Git::new(runner, run_id, root);
    let refused = |error: GitError| LoopEnd::Refused { why: error.to_string() };
    let deferred = |why: String| LoopEnd::Deferred { why };
    let own_dir = git.text(&[&"rev-parse", &"--absolute-git-dir"]).await.map_err(refused)?;
    if let Some(what) = half_done(&*runner.worker.disk, Path::new(&own_dir)) {
        return Err(deferred(format!("the repository is in the middle of {what}")));
    }
    let Ok(base) = git.text(&[&"rev-parse", &"--verify", &"--quiet", &"HEAD^{commit}"]).await else {
        return Err(deferred("the repository has no commit yet".into()));
    };
    if git.text(&[&"symbolic-ref", &"--quiet", &"HEAD"]).await.is_err() {
        return Err(deferred("HEAD is detached, so there is no branch that a change could be for".into()));
    }
    let waiting = waiting(&git, names).await.map_err(refused)?;
    if waiting >= MAX_WAITING_BRANCHES {
        let branches = names.branches();
        return Err(deferred(format!(
            "{waiting} branches {branches}* wait to be landed: land or delete some"
        )));
    }
    let is_dirty = is_dirty(&git).await.map_err(refused)?;
    Ok(Repository { base, is_dirty })
}

fn half_done(disk: &dyn Disk, git_dir: &Path) -> Option<&'static str> {
    HALF_DONE.into_iter().find(|(name, _)| disk.stat(&git_dir.join(name)).is_ok()).map(|(_, what)| what)
}

/// How many branches of a loop nobody has landed.
async fn waiting(git: &Git<'_>, names: &LoopNames) -> Result<usize, GitError> {
    let pattern = format!("refs/heads/{}", names.branches());
    let args: [Word<'_>; 4] = [&"for-each-ref", &"--no-merged=HEAD", &"--format=%(refname)", &pattern];
    Ok(git.text(&args).await?.lines().count())
}

/// Whether anything but the loops' own files is not committed.
async fn is_dirty(git: &Git<'_>) -> Result<bool, GitError> {
    let except = format!(":(exclude,top){FOLDER}");
    let args: [Word<'_>; 6] = [&"status", &"--porcelain", &"--ignore-submodules=all", &"--", &":/", &except];
    Ok(!git.text(&args).await?.is_empty())
}
