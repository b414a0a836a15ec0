//! The worktree of one run, from `git worktree add` to its removal.
//!
//! It stands at a commit and on no branch. The engine may write to its files and not to git's own folder, so whatever the
//! engine did, git's administration is what the daemon made it; the file `.git` in the worktree, which the engine can
//! reach, is never followed by us.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use subcortex_engine::{Cancellation, CommandSpec, Limits};
use subcortex_loops::diff::Change;
use subcortex_store::{Disk, EntryKind, durable};
use tracing::warn;

use crate::git::{Git, GitError, Word};
use crate::half_made;
use crate::repository::Repository;
use crate::{LoopNames, LoopRunner};

/// The most entries of a worktree that are looked at for hidden repositories.
const MAX_ENTRIES: usize = 1_000_000;
/// How long the removal of a folder may take, in milliseconds.
const MAX_REMOVE_MS: u64 = 120_000;
/// Whose commits these are.
const AUTHOR_EMAIL: &str = "loop@subcortex.invalid";

/// A worktree that is there.
#[derive(Debug)]
pub(crate) struct Worktree<'a> {
    runner: &'a LoopRunner,
    run_id: &'a str,
    root: &'a Path,
    pub(crate) path: &'a Path,
    repository: &'a Repository,
    /// Git's own folder for it.
    own_git_dir: PathBuf,
}

/// A change as it was when the engine ended.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// All files as git keeps them.
    tree: String,
    /// What differs from where the run began.
    pub(crate) changes: Vec<Change>,
    /// How many files there were.
    pub(crate) tracked: usize,
}

/// Why a change cannot be taken from a worktree.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorktreeError {
    /// Git said no.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The engine put a repository into it, or replaced its `.git`.
    #[error("{} is a repository of its own, or was one: what is in it cannot be judged", .0.display())]
    Repository(PathBuf),
    /// It cannot be looked at.
    #[error("{} cannot be looked at: {source}", .path.display())]
    Io {
        /// Which path.
        path: PathBuf,
        /// How it failed.
        source: std::io::Error,
    },
    /// What git says cannot be understood.
    #[error("what git says of the change cannot be understood: {0}")]
    Unclear(&'static str),
}

impl<'a> Worktree<'a> {
    /// Makes it.
    pub(crate) async fn add(
        runner: &'a LoopRunner,
        run_id: &'a str,
        root: &'a Path,
        path: &'a Path,
        repository: &'a Repository,
    ) -> Result<Worktree<'a>, WorktreeError> {
        let git = Git::new(runner, run_id, root);
        // One that is registered and gone would be in the way.
        git.bytes(&[&"worktree", &"prune"]).await?;
        git.bytes(&[&"worktree", &"add", &"--detach", &"--force", &path, &repository.base]).await?;
        let own = Git::new(runner, run_id, path).text(&[&"rev-parse", &"--absolute-git-dir"]).await?;
        Ok(Self { runner, run_id, root, path, repository, own_git_dir: own.into() })
    }

    /// Git in the worktree, told where everything is, so that nothing in the worktree is asked.
    fn git(&self) -> Git<'a> {
        Git::new(self.runner, self.run_id, self.path)
            .with("GIT_DIR", &self.own_git_dir)
            .with("GIT_WORK_TREE", self.path)
    }

    /// Takes the change as it is now.
    pub(crate) async fn candidate(&self) -> Result<Candidate, WorktreeError> {
        let (disk, path) = (std::sync::Arc::clone(&self.runner.worker.disk), self.path.to_owned());
        let looked = tokio::task::spawn_blocking(move || only_our_repository(&*disk, &path)).await;
        looked.map_err(|_| WorktreeError::Unclear("the look at its files failed"))??;
        let git = self.git();
        git.bytes(&[&"add", &"--all", &"--", &"."]).await?;
        let tree = git.text(&[&"write-tree"]).await?;
        let base = &self.repository.base;
        let between: [Word<'_>; 2] = [base, &tree];
        let raw = [&"diff-tree" as Word<'_>, &"-r", &"-z", &"--raw", &"--no-renames"];
        let raw = git.bytes(&[&raw[..], &between].concat()).await?;
        let patch = [
            &"diff-tree" as Word<'_>,
            &"-r",
            &"--patch",
            &"--unified=0",
            &"--no-renames",
            &"--no-color",
            &"--no-ext-diff",
            &"--no-textconv",
        ];
        let patch = git.bytes(&[&patch[..], &between].concat()).await?;
        let listed = git.bytes(&[&"ls-tree", &"-r", &"-z", &"--name-only", base]).await?;
        let tracked = listed.iter().filter(|byte| **byte == 0).count();
        Ok(Candidate { tree, changes: changes(&raw, &patch)?, tracked })
    }

    /// The files of the candidate that were changed since, by a gate for instance.
    pub(crate) async fn changed_since(&self) -> Result<Vec<String>, WorktreeError> {
        let git = self.git();
        // Only looks at times and sizes again; what really differs is said by the next command.
        drop(git.bytes(&[&"update-index", &"-q", &"--refresh"]).await);
        let names = git.bytes(&[&"diff-files", &"-z", &"--name-only", &"--ignore-submodules=all"]).await?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Leaves the candidate on a branch of its own; one that is there already with the same files is enough.
    pub(crate) async fn offer(
        &self,
        candidate: &Candidate,
        names: &LoopNames,
        branch: &str,
        message: &str,
    ) -> Result<String, WorktreeError> {
        if let Some(same) = self.same_offer(candidate, names).await? {
            return Ok(same);
        }
        let name = format!("subcortex loop {}", names.name);
        let git = self
            .git()
            .with("GIT_AUTHOR_NAME", &name)
            .with("GIT_AUTHOR_EMAIL", AUTHOR_EMAIL)
            .with("GIT_COMMITTER_NAME", &name)
            .with("GIT_COMMITTER_EMAIL", AUTHOR_EMAIL);
        let base = &self.repository.base;
        let commit = git.text(&[&"commit-tree", &candidate.tree, &"-p", base, &"-m", &message]).await?;
        let (reference, nothing) = (format!("refs/heads/{branch}"), "0".repeat(base.len()));
        git.bytes(&[&"update-ref", &"-m", &"loop", &reference, &commit, &nothing]).await?;
        Ok(branch.to_owned())
    }

    async fn same_offer(
        &self,
        candidate: &Candidate,
        names: &LoopNames,
    ) -> Result<Option<String>, WorktreeError> {
        let pattern = format!("refs/heads/{}", names.branches());
        let format = "--format=%(tree) %(refname:lstrip=2)";
        let offered = self.git().text(&[&"for-each-ref", &format, &pattern]).await?;
        let mut known = offered.lines().filter_map(|line| line.split_once(' '));
        Ok(known.find(|(tree, _)| *tree == candidate.tree).map(|(_, branch)| branch.to_owned()))
    }

    /// Removes it, whatever is in it.
    pub(crate) async fn remove(self) {
        remove(self.runner, self.run_id, self.root, self.path).await;
    }
}

/// Removes a worktree, also half of one.
pub(crate) async fn remove(runner: &LoopRunner, run_id: &str, root: &Path, path: &Path) {
    let git = Git::new(runner, run_id, root);
    if let Err(error) = git.bytes(&[&"worktree", &"remove", &"--force", &"--force", &path]).await {
        remove_folder(runner, run_id, path).await;
        half_made::clear(runner, run_id, root, path).await;
        if let Err(error) = git.bytes(&[&"worktree", &"prune"]).await {
            warn!(worktree = %path.display(), %error, "a worktree is still registered");
        }
        if runner.worker.disk.stat(path).is_ok() {
            warn!(worktree = %path.display(), %error, "a worktree could not be removed");
        }
    }
}

/// Removes a folder with all that is in it, also folders that their owner may not write to.
pub(crate) async fn remove_folder(runner: &LoopRunner, run_id: &str, path: &Path) {
    if runner.worker.disk.stat(path).is_err() {
        return;
    }
    let script = "chmod -R u+rwX -- \"$1\" 2>/dev/null; rm -rf -- \"$1\"";
    let spec = CommandSpec {
        run_id: run_id.to_owned(),
        program: "sh".into(),
        args: ["-c".into(), script.into(), "sh".into(), path.into()].into(),
        cwd: runner.worker.home.root().to_owned(),
        env: runner.worker.environment.clone(),
        stdin: Vec::new(),
        limits: Limits::within_ms(MAX_REMOVE_MS),
        writable: None,
    };
    if let Err(error) = runner.worker.launcher.launch(spec, Cancellation::never()).await {
        warn!(folder = %path.display(), %error, "a folder could not be removed");
    }
}

/// Whether a place for a worktree is free: nothing there, or an empty folder.
pub(crate) fn is_free(disk: &dyn Disk, path: &Path) -> bool {
    match disk.stat(path) {
        Ok(stat) if stat.kind == EntryKind::Directory => disk.list(path).is_ok_and(|names| names.is_empty()),
        Ok(_) => false,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Makes the folder around a worktree in the home.
pub(crate) fn make_parent(runner: &LoopRunner) -> Result<(), durable::WriteError> {
    durable::make_dirs(&*runner.worker.disk, runner.worker.home.root(), Path::new("var/loops/worktrees"))
}

/// Git would follow a repository that an engine made, with whatever programs its settings name.
fn only_our_repository(disk: &dyn Disk, root: &Path) -> Result<(), WorktreeError> {
    let mut folders = vec![root.to_owned()];
    let mut left = MAX_ENTRIES;
    while let Some(folder) = folders.pop() {
        let names =
            disk.list(&folder).map_err(|source| WorktreeError::Io { path: folder.clone(), source })?;
        for name in names {
            left = left.checked_sub(1).ok_or(WorktreeError::Unclear("it holds too many files"))?;
            let path = folder.join(&name);
            let stat = disk.stat(&path).map_err(|source| WorktreeError::Io { path: path.clone(), source })?;
            let is_ours = folder == root && stat.kind == EntryKind::File;
            if name.eq_ignore_ascii_case(".git") && !is_ours {
                return Err(WorktreeError::Repository(path));
            }
            if stat.kind == EntryKind::Directory {
                folders.push(path);
            }
        }
    }
    Ok(())
}

/// What `--raw -z` lists, each with the lines that `--patch` adds to it. Both come in the same order.
fn changes(raw: &[u8], patch: &[u8]) -> Result<Vec<Change>, WorktreeError> {
    let unclear = WorktreeError::Unclear;
    let mut sections = sections(patch).into_iter();
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut all = Vec::new();
    while let Some(about) = fields.next() {
        let path = fields.next().ok_or(unclear("a path is missing"))?;
        let about = String::from_utf8_lossy(about);
        let mut words = about.trim_start_matches(':').split(' ');
        let mut mode = || u32::from_str_radix(words.next()?, 8).ok();
        let (old_mode, new_mode) = mode().zip(mode()).ok_or(unclear("a mode is missing"))?;
        // What becomes another kind of thing is shown as gone and made anew.
        let is_other_kind = about.ends_with('T');
        let mut added = sections.next().ok_or(unclear("a change is not shown"))?;
        if is_other_kind {
            added.extend(sections.next().ok_or(unclear("a change is not shown"))?);
        }
        all.push(Change { path: PathBuf::from(OsStr::from_bytes(path)), old_mode, new_mode, added });
    }
    Ok(all)
}

/// The added lines of each file in a patch. Lines of a file begin with `+`, `-`, `\` or a blank, so none looks like a heading.
fn sections(patch: &[u8]) -> Vec<Vec<String>> {
    let mut sections: Vec<Vec<String>> = Vec::new();
    let mut is_in_lines = false;
    for line in patch.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            sections.push(Vec::new());
            is_in_lines = false;
        } else if line.starts_with(b"@@ ") {
            is_in_lines = true;
        } else if let (true, [b'+', text @ ..], Some(section)) = (is_in_lines, line, sections.last_mut()) {
            section.push(String::from_utf8_lossy(text).into_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_read_file_by_file_whatever_its_lines_look_like() {
        let raw = b":100644 100644 a b M\0one\0:100644 120000 a b T\0two\0:000000 100644 a b A\0t\nhree\0";
        let patch = b"diff --git a/one b/one\n--- a/one\n+++ b/one\n@@ -1 +1,2 @@\n-x\n+++ y\n+diff --git a/x b/x\n\
            diff --git a/two b/two\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-x\ndiff --git a/two b/two\nnew file mode 120000\n@@ -0,0 +1 @@\n+/etc\n\\ No newline\n\
            diff --git \"a/t\\nhree\" \"b/t\\nhree\"\nnew file mode 100644\n";
        let all = changes(raw, patch).unwrap();
        assert_eq!(
            all.iter().map(|change| change.path.to_str().unwrap()).collect::<Vec<_>>(),
            ["one", "two", "t\nhree"]
        );
        assert_eq!(all[0].added, ["++ y", "diff --git a/x b/x"]);
        assert_eq!((all[1].new_mode, &all[1].added[..]), (0o120_000, &["/etc".to_owned()][..]));
        assert_eq!(all[2].added, [""; 0]);
        assert!(changes(raw, b"").is_err());
    }
}
