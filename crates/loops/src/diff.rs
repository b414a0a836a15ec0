//! What a run changed, held against its scope and against what only a person may do. A pure function of the change.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::FOLDER;
use crate::escalation::{Escalation, in_line};

/// So many removed files are a mass delete.
const MASS_DELETE_FILES: usize = 10;
/// From so many removed files on, half of all is a mass delete too.
const MASS_DELETE_SHARE_FILES: usize = 3;
/// How much of a line is repeated to a person, in characters.
const MAX_QUOTED_CHARS: usize = 120;

/// The modes that git gives its entries.
const EXECUTABLE: u32 = 0o100_755;
const PLAIN: u32 = 0o100_644;
const SYMLINK: u32 = 0o120_000;
const REPOSITORY: u32 = 0o160_000;

/// Folders by which what runs is changed.
const DEPLOY_FOLDERS: [&str; 12] = [
    "deploy",
    "deployment",
    "deployments",
    "migrations",
    "migration",
    "migrate",
    "terraform",
    "helm",
    "k8s",
    "kubernetes",
    "ansible",
    "alembic",
];
/// Folders and files that bind loops and agents.
const SETTINGS: [&str; 6] = [FOLDER, ".claude", ".codex", ".cursor", ".mcp.json", ".gitmodules"];
/// Files that say who may do what.
const PERMISSIONS: [&str; 2] = ["CODEOWNERS", "sudoers"];
/// Files that are read by people and run by nobody.
const PROSE: [&str; 6] = ["md", "markdown", "txt", "rst", "adoc", "html"];

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Its path below the repository.
    pub path: PathBuf,
    /// Its mode before; 0 when it is new.
    pub old_mode: u32,
    /// Its mode now; 0 when it is gone.
    pub new_mode: u32,
    /// The lines that were added.
    pub added: Vec<String>,
}

/// What is wrong with a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffVerdict {
    /// Paths that the scope does not allow, in words.
    pub outside: Vec<String>,
    /// What only a person may do, and where it stands.
    pub escalated: Vec<(Escalation, String)>,
}

/// The globs of `scope:`, ready to be asked.
#[derive(Debug, Clone)]
pub struct Scope(GlobSet);

impl Scope {
    /// Globs as people write them: `*` stays within a folder, and a plain path is the file or everything below it.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<Scope, globset::Error> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let glob = glob.trim_start_matches("./").trim_end_matches('/');
            for glob in [glob.to_owned(), format!("{glob}/**")] {
                set.add(GlobBuilder::new(&glob).literal_separator(true).build()?);
            }
        }
        set.build().map(Scope)
    }

    /// Whether a path is inside.
    pub fn holds(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

/// Judges a change. `tracked` is how many files there were before.
pub fn judge(changes: &[Change], scope: &Scope, tracked: usize) -> DiffVerdict {
    let mut verdict = DiffVerdict::default();
    for change in changes {
        verdict.outside.extend(outside(change, scope));
        verdict.escalated.extend(of_path(change));
        verdict.escalated.extend(of_lines(change));
    }
    let removed = changes.iter().filter(|change| change.new_mode == 0).count();
    let is_share = removed >= MASS_DELETE_SHARE_FILES && removed * 2 >= tracked;
    if removed >= MASS_DELETE_FILES || is_share {
        verdict.escalated.push((Escalation::MassDelete, format!("{removed} of {tracked} files are removed")));
    }
    verdict.escalated.sort();
    verdict.escalated.dedup();
    verdict
}

impl DiffVerdict {
    /// Whether the change may go on to the gates.
    pub fn is_clean(&self) -> bool {
        self.outside.is_empty() && self.escalated.is_empty()
    }
}

fn outside(change: &Change, scope: &Scope) -> Option<String> {
    let shown = shown(&change.path);
    if change.old_mode == REPOSITORY || change.new_mode == REPOSITORY {
        return Some(format!("{shown} is a repository of its own (a submodule)"));
    }
    if !scope.holds(&change.path) {
        return Some(shown);
    }
    let target = change.added.first().filter(|_| change.new_mode == SYMLINK)?;
    leads_out(&change.path, target).then(|| format!("{shown} is a link that leads out of the repository"))
}

/// Whether a link leads out, by its words alone.
fn leads_out(link: &Path, target: &str) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    for part in Path::new(target).components() {
        match part {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
        }
    }
    false
}

fn of_path(change: &Change) -> Option<(Escalation, String)> {
    let shown = shown(&change.path);
    let names = || change.path.iter().map(|name| name.to_string_lossy());
    let has = |known: &[&str]| names().any(|name| known.iter().any(|known| name.eq_ignore_ascii_case(known)));
    let file = change.path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if names().next().is_some_and(|first| SETTINGS.contains(&&*first)) || has(&[".claude", ".mcp.json"]) {
        return Some((Escalation::OwnSettings, shown));
    }
    if has(&PERMISSIONS) {
        return Some((Escalation::PermissionChange, shown));
    }
    let is_flipped = matches!((change.old_mode, change.new_mode), (PLAIN, EXECUTABLE) | (EXECUTABLE, PLAIN));
    if is_flipped {
        let what =
            if change.new_mode == EXECUTABLE { "becomes executable" } else { "is no longer executable" };
        return Some((Escalation::PermissionChange, format!("{shown} {what}")));
    }
    let is_deploy = has(&DEPLOY_FOLDERS) || file.starts_with("deploy.") || file.ends_with(".tf");
    is_deploy.then_some((Escalation::DeployOrMigration, shown))
}

fn of_lines(change: &Change) -> Option<(Escalation, String)> {
    let extension = change.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if PROSE.contains(&&*extension) {
        return None;
    }
    change.added.iter().find_map(|line| {
        let kind = in_line(line)?;
        let quoted: String = line.trim().chars().take(MAX_QUOTED_CHARS).collect();
        Some((kind, format!("{}: `{quoted}`", shown(&change.path))))
    })
}

/// A path on one line, whatever is in its name.
fn shown(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(path: &str, added: &[&str]) -> Change {
        let added = added.iter().map(|line| (*line).to_owned()).collect();
        Change { path: path.into(), old_mode: PLAIN, new_mode: PLAIN, added }
    }

    fn judged(changes: &[Change]) -> (Vec<String>, Vec<&'static str>) {
        let scope = Scope::new(["src/**", "docs/*.md", "Makefile", "tools", "migrations", "./x/"]).unwrap();
        let verdict = judge(changes, &scope, 100);
        (verdict.outside, verdict.escalated.into_iter().map(|(kind, _)| kind.words()).collect())
    }

    #[test]
    fn what_is_inside_the_scope_and_harmless_is_clean() {
        let changes = [
            edited("src/a/b.rs", &["fn main() {}"]),
            edited("docs/a.md", &["run `curl x | sh` to install"]),
            edited("Makefile", &["all:"]),
            edited("tools/deep/x.py", &["print(1)"]),
            edited("x/y", &[]),
        ];
        assert_eq!(judged(&changes), (vec![], vec![]));
    }

    #[test]
    fn the_scope_is_kept_also_against_odd_names() {
        for path in
            ["README.md", "docs/deep/a.md", "Makefile.am", "srcs/a", "src\n/a", "-rf", "$(id)", "tests/a"]
        {
            let (outside, escalated) = judged(&[edited(path, &[])]);
            assert_eq!((outside.len(), escalated.len()), (1, 0), "{path}");
            assert!(!outside[0].contains('\n'));
        }
    }

    #[test]
    fn links_and_repositories_lead_nowhere_else() {
        let link = |target: &str| Change { new_mode: SYMLINK, ..edited("src/a/link", &[target]) };
        for target in ["/etc/passwd", "../../../x", "b/../../../../x"] {
            assert_eq!(judged(&[link(target)]).0.len(), 1, "{target}");
        }
        assert_eq!(judged(&[link("../b.rs")]).0.len(), 0);
        let module = Change { new_mode: REPOSITORY, old_mode: 0, ..edited("src/module", &[]) };
        assert_eq!(judged(&[module]).0.len(), 1);
    }

    #[test]
    fn what_only_a_person_may_do_is_escalated() {
        for (change, expect) in [
            (edited("src/run.sh", &["", "git push --force origin x"]), "force push"),
            (edited("Makefile", &["\tcurl -s x | bash"]), "piping a download to a shell"),
            (edited("migrations/0001.sql", &["select 1"]), "deploy or migration"),
            (edited("src/deploy.yml", &[]), "deploy or migration"),
            (Change { new_mode: EXECUTABLE, ..edited("src/x", &[]) }, "permission change"),
            (edited("src/CODEOWNERS", &[]), "permission change"),
            (edited(".loops/look/loop.config.yaml", &[]), "change of its own settings"),
            (edited("src/.claude/settings.json", &[]), "change of its own settings"),
        ] {
            assert_eq!(judged(std::slice::from_ref(&change)).1, [expect], "{change:?}");
        }
    }

    #[test]
    fn many_removed_files_are_a_mass_delete() {
        let removed = |count: usize| -> Vec<Change> {
            let gone = |at| Change { new_mode: 0, ..edited(&format!("src/{at}"), &[]) };
            (0..count).map(gone).collect()
        };
        let scope = Scope::new(["src/**"]).unwrap();
        assert!(judge(&removed(9), &scope, 100).is_clean());
        assert_eq!(judge(&removed(10), &scope, 1000).escalated.len(), 1);
        assert_eq!(judge(&removed(3), &scope, 5).escalated.len(), 1);
        assert!(judge(&removed(2), &scope, 2).is_clean());
    }
}
