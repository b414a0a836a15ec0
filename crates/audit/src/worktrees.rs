//! The other worktrees of a git repository, found from its own files.
//!
//! `.git` is a folder in the main worktree. In the others it is a file, `gitdir: <main>/.git/worktrees/<name>`; there
//! `commondir` leads back to the main `.git`, and `gitdir` names the `.git` file of the worktree.

use std::path::{Path, PathBuf};

use subcortex_store::{Disk, durable};

/// How much of git's small files is read.
const MAX_GIT_FILE_BYTES: u64 = 16 * 1024;
/// How many worktrees are looked at.
const MAX_WORKTREES: usize = 1_000;

/// What `folder` is called in the other worktrees of its repository, the main one among them.
pub(crate) fn other_worktrees(disk: &dyn Disk, folder: &Path) -> Vec<PathBuf> {
    let Some(root) = root_of(folder) else { return Vec::new() };
    let Some(common) = common_dir(disk, root) else { return Vec::new() };
    let mut roots: Vec<PathBuf> = Vec::new();
    if common.file_name().is_some_and(|name| name == ".git") {
        roots.extend(common.parent().map(Path::to_owned));
    }
    let names = disk.list(&common.join("worktrees")).unwrap_or_default();
    for name in names.into_iter().take(MAX_WORKTREES) {
        let dir = common.join("worktrees").join(name);
        let git_file = first_line(disk, &dir.join("gitdir")).map(|path| dir.join(path));
        roots.extend(git_file.as_deref().and_then(Path::parent).map(Path::to_owned));
    }
    let below = folder.strip_prefix(root).unwrap_or(Path::new(""));
    roots.into_iter().filter(|other| other != root).map(|other| other.join(below)).collect()
}

/// The root of the worktree that a folder is in.
pub(crate) fn root_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists())
}

fn common_dir(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let own = root.join(first_line(disk, &git)?.strip_prefix("gitdir:")?.trim());
    let common = own.join(first_line(disk, &own.join("commondir"))?);
    common.canonicalize().ok()
}

fn first_line(disk: &dyn Disk, path: &Path) -> Option<String> {
    let text = durable::read_text(disk, path, MAX_GIT_FILE_BYTES).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    /// A repository `main` with a worktree `other`, as git lays them out.
    fn repository() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let own = root.join("main/.git/worktrees/other");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::create_dir_all(root.join("main/api")).unwrap();
        std::fs::create_dir_all(root.join("other/api")).unwrap();
        std::fs::write(own.join("gitdir"), format!("{}/other/.git\n", root.display())).unwrap();
        std::fs::write(own.join("commondir"), "../..\n").unwrap();
        std::fs::write(root.join("other/.git"), format!("gitdir: {}\n", own.display())).unwrap();
        (dir, root)
    }

    #[test]
    fn a_folder_is_found_in_every_worktree_from_any_of_them() {
        let (_dir, root) = repository();
        assert_eq!(other_worktrees(&RealDisk, &root.join("main")), [root.join("other/")]);
        assert_eq!(other_worktrees(&RealDisk, &root.join("main/api")), [root.join("other/api")]);
        assert_eq!(other_worktrees(&RealDisk, &root.join("other/api")), [root.join("main/api")]);
    }

    #[test]
    fn a_folder_without_a_repository_or_with_a_broken_one_has_no_worktrees() {
        let (_dir, root) = repository();
        assert_eq!(other_worktrees(&RealDisk, Path::new("/no/such/folder")), [] as [PathBuf; 0]);
        assert_eq!(root_of(&root.join("other/api")), Some(&*root.join("other")));
        std::fs::write(root.join("other/.git"), "nonsense").unwrap();
        assert_eq!(other_worktrees(&RealDisk, &root.join("other")), [] as [PathBuf; 0]);
    }
}
