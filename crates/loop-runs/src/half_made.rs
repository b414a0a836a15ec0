//! A worktree whose making was broken off: git's own note of it, `<git>/worktrees/<name>/`, may be written in part. Then every command
//! about worktrees fails in this repository, and git does not clear it away: while it makes one, it locks it.

use std::path::Path;

use subcortex_store::{Disk, durable};

use crate::LoopRunner;
use crate::git::Git;
use crate::worktree::remove_folder;

/// What git writes into the lock of a worktree that it is making.
const IN_THE_MAKING: &str = "initializing";
/// The longest of git's notes, in bytes.
const MAX_NOTE_BYTES: u64 = 64 * 1024;

/// Removes what git noted of a worktree at this place, where it was broken off while it made it.
pub(crate) async fn clear(runner: &LoopRunner, run_id: &str, root: &Path, worktree: &Path) {
    let git = Git::new(runner, run_id, root);
    let Ok(git_dir) = git.text(&[&"rev-parse", &"--path-format=absolute", &"--git-common-dir"]).await else {
        return;
    };
    let notes = Path::new(&git_dir).join("worktrees");
    for name in runner.worker.disk.list(&notes).unwrap_or_default() {
        let note = notes.join(&name);
        if is_half_made(&*runner.worker.disk, &note, worktree) {
            remove_folder(runner, run_id, &note).await;
        }
    }
}

/// Whether git was making this worktree when it wrote here: it says so, or was not even that far, under the name that it would give it.
fn is_half_made(disk: &dyn Disk, note: &Path, worktree: &Path) -> bool {
    let read = |name: &str| durable::read_text(disk, &note.join(name), MAX_NOTE_BYTES).unwrap_or_default();
    let leads_to = read("gitdir");
    let is_ours = match leads_to.trim_end() {
        "" => note.file_name() == worktree.file_name(),
        place => Path::new(place).parent() == Some(worktree),
    };
    is_ours && read("locked").trim_end() == IN_THE_MAKING
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs;

    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn only_what_git_was_making_here_is_half_made() {
        let folder = tempfile::tempdir().unwrap();
        let ours = Path::new("/home/a/var/loops/worktrees/fix-1");
        let check = |name: &str, files: &[(&str, &str)], expect: bool| {
            let note = folder.path().join(name);
            fs::create_dir_all(&note).unwrap();
            files.iter().for_each(|(name, text)| fs::write(note.join(name), text).unwrap());
            assert_eq!(is_half_made(&RealDisk, &note, ours), expect, "{name}: {files:?}");
            fs::remove_dir_all(note).unwrap();
        };
        let (leads_here, locked) =
            (("gitdir", "/home/a/var/loops/worktrees/fix-1/.git\n"), ("locked", "initializing\n"));
        check("fix-1", &[leads_here, locked, ("commondir", "")], true);
        check("fix-11", &[leads_here, locked], true);
        check("fix-1", &[locked], true);
        check("fix-1", &[leads_here], false);
        check("fix-1", &[leads_here, ("locked", "on a stick\n")], false);
        check("other", &[locked], false);
        check("fix-1", &[("gitdir", "/elsewhere/fix-1/.git\n"), locked], false);
    }
}
