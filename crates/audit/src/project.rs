//! Which sessions belong to a rules file: those that were started in its folder, below it, or in a worktree of it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use subcortex_store::Disk;

use crate::worktrees::{other_worktrees, root_of};

/// Folders in which projects keep rules for agents; the project is the folder around them.
const RULE_FOLDERS: [&str; 8] =
    [".agents", ".claude", ".codex", ".cursor", ".gemini", ".github", ".junie", ".windsurf"];
/// Where an agent puts worktrees inside such a folder. Each of them is a project of its own.
const WORKTREES: &str = "worktrees";

/// The folders whose sessions a rules file is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Project {
    /// The rules hold in all projects.
    Everywhere,
    /// The folder of the rules, under each of its names, and its other worktrees.
    Folders(Vec<PathBuf>),
}

impl Project {
    /// The project of a rules file, which is named by an absolute path. Files in `user_dirs`, where agents look for rules
    /// that hold everywhere, belong to all projects.
    pub fn of(disk: &dyn Disk, file: &Path, user_dirs: &[PathBuf]) -> Self {
        let folder = normal(file.parent().unwrap_or(file));
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if user_dirs.iter().any(|user| normal(user) == folder || real(user) == real(&folder)) {
            return Self::Everywhere;
        }
        let folder = around_rule_folder(&folder);
        Self::of_folder(disk, folder)
    }

    fn of_folder(disk: &dyn Disk, folder: &Path) -> Self {
        let mut folders = vec![folder.to_owned()];
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        folders.extend(other_worktrees(disk, &real));
        folders.push(real);
        let mut known = BTreeSet::new();
        folders.retain(|folder| known.insert(folder.clone()));
        Self::Folders(folders)
    }

    /// The whole repository of a project that is a folder in one: agents are often started at its root and read the rules
    /// of a folder when they come there.
    pub fn repository_around(&self, disk: &dyn Disk) -> Option<Self> {
        let folder = self.folder()?.canonicalize().ok()?;
        let root = root_of(&folder).filter(|root| *root != folder)?;
        Some(Self::of_folder(disk, root))
    }

    /// The folder of the project, as it was named.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Everywhere => None,
            Self::Folders(folders) => folders.first().map(PathBuf::as_path),
        }
    }

    /// Whether a session in this directory belongs to the project.
    pub fn holds(&self, cwd: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Folders(folders) => folders.iter().any(|folder| Path::new(cwd).starts_with(folder)),
        }
    }
}

/// The path without `.` and `..`, as far as that can be said without looking.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(found.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => found.push(component),
        }
    }
    found
}

/// `project/.cursor/rules` is about `project`.
fn around_rule_folder(folder: &Path) -> &Path {
    let named = folder.ancestors().find(|ancestor| {
        let name = ancestor.file_name().unwrap_or_default();
        let rest = folder.strip_prefix(ancestor).unwrap_or(Path::new(""));
        RULE_FOLDERS.iter().any(|known| name == *known) && !rest.starts_with(WORKTREES)
    });
    named.and_then(Path::parent).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[track_caller]
    fn check(file: &str, expect: &str) {
        let expect = Project::Folders(vec![PathBuf::from(expect)]);
        assert_eq!(Project::of(&RealDisk, Path::new(file), &[]), expect, "{file}");
    }

    #[test]
    fn the_project_is_the_folder_of_the_rules_or_the_one_around_a_folder_for_rules() {
        check("/no/such/project/CLAUDE.md", "/no/such/project");
        check("/no/such/./x/../project/AGENTS.md", "/no/such/project");
        check("/no/such/project/.claude/CLAUDE.md", "/no/such/project");
        check("/no/such/project/.cursor/rules/deep/api.mdc", "/no/such/project");
        check("/no/such/project/.claude/worktrees/one/CLAUDE.md", "/no/such/project/.claude/worktrees/one");
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn a_folder_in_a_repository_knows_the_whole_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repo/.git")).unwrap();
        std::fs::create_dir_all(root.join("repo/apps/api")).unwrap();
        let of = |file: &str| Project::of(&RealDisk, &root.join(file), &[]);
        let whole = of("repo/CLAUDE.md");
        assert_eq!(of("repo/apps/api/CLAUDE.md").repository_around(&RealDisk), Some(whole.clone()));
        assert_eq!(whole.repository_around(&RealDisk), None);
        assert_eq!(of("CLAUDE.md").repository_around(&RealDisk), None);
    }

    #[test]
    fn rules_of_the_person_hold_everywhere() {
        let user = [PathBuf::from("/no/such/.claude")];
        assert_eq!(
            Project::of(&RealDisk, Path::new("/no/such/.claude/CLAUDE.md"), &user),
            Project::Everywhere
        );
    }

    #[test]
    fn sessions_below_the_folder_belong_to_it_and_those_beside_it_do_not() {
        let project = Project::Folders(vec![PathBuf::from("/p/web")]);
        assert!(project.holds("/p/web") && project.holds("/p/web/apps/api"));
        assert!(!project.holds("/p/web-two") && !project.holds("/p") && !project.holds(""));
    }
}
