//! Where a loop is: its folder, and the repository around it.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, EntryKind};

use crate::config;

/// Where the loops of a repository are.
pub const FOLDER: &str = ".loops";

/// A loop's folder and the repository that it works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopPlace {
    /// Where its three files are.
    pub dir: PathBuf,
    /// The folder that its scope is relative to.
    pub root: PathBuf,
}

/// Why a loop was not found.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// No such folder.
    #[error(
        "there is no loop `{}`; looked in {}{}\nmake one with `subcortex loop scaffold NAME --pattern PATTERN`",
        target.display(), in_words(looked_in), there_are(names)
    )]
    Missing {
        /// What was named.
        target: PathBuf,
        /// Where it was looked for.
        looked_in: Vec<PathBuf>,
        /// The loops that this repository has.
        names: Vec<String>,
    },
    /// The path cannot be looked at.
    #[error("{} cannot be looked at: {source}", .path.display())]
    Io {
        /// Which path.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
}

/// How many loops are named where none was found.
const MAX_NAMED: usize = 8;

fn in_words(places: &[PathBuf]) -> String {
    places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(" and ")
}

fn there_are(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("\nthe loops here: {}", names.join(", ")) }
}

/// The names of the loops in a folder of loops, the first few.
fn loops_in(disk: &dyn Disk, folder: &Path) -> Vec<String> {
    let names = disk.list(folder).unwrap_or_default().into_iter();
    let is_loop = |name: &String| disk.stat(&folder.join(name).join(config::FILE)).is_ok();
    let mut names: Vec<String> =
        names.filter_map(|name| name.into_string().ok()).filter(is_loop).take(MAX_NAMED).collect();
    names.sort();
    names
}

impl LoopPlace {
    /// Finds a loop that is there: by its name in the repository around `here`, by its folder, or by its config.
    pub fn find(disk: &dyn Disk, here: &Path, target: &Path) -> Result<LoopPlace, PlaceError> {
        let by_name = LoopPlace::planned(disk, here, target).dir;
        let by_path = here.join(target);
        let path = if disk.stat(&by_name).is_ok() { by_name } else { by_path };
        let real = match disk.behind_links(&path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let by_name = LoopPlace::planned(disk, here, target).dir;
                let names = by_name.parent().map(|folder| loops_in(disk, folder)).unwrap_or_default();
                let mut looked_in = vec![by_name, path];
                looked_in.dedup();
                return Err(PlaceError::Missing { target: target.to_owned(), looked_in, names });
            }
            Err(source) => return Err(PlaceError::Io { path, source }),
        };
        let dir = match real.parent() {
            Some(parent) if real.file_name().is_some_and(|name| name == config::FILE) => parent.to_owned(),
            Some(_) | None => real,
        };
        Ok(LoopPlace { root: root_around(disk, &dir), dir })
    }

    /// Where a loop would be made: a bare name stands below `.loops/` of the repository around `here`.
    pub fn planned(disk: &dyn Disk, here: &Path, target: &Path) -> LoopPlace {
        let is_name = target.components().count() == 1
            && matches!(target.components().next(), Some(std::path::Component::Normal(_)))
            && !target.to_string_lossy().ends_with('/');
        let dir = match is_name {
            true => repository(disk, here).unwrap_or(here).join(FOLDER).join(target),
            false => here.join(target).components().collect(),
        };
        LoopPlace { root: root_around(disk, &dir), dir }
    }

    /// The name that its folder gives it.
    pub fn name(&self) -> String {
        self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The repository that a loop's folder belongs to: what holds `.loops`, else what holds `.git`, else the folder above.
fn root_around(disk: &dyn Disk, dir: &Path) -> PathBuf {
    let above = dir.parent().unwrap_or(dir);
    let holder = above.file_name().is_some_and(|name| name == FOLDER).then(|| above.parent()).flatten();
    holder.or_else(|| repository(disk, above)).unwrap_or(above).to_owned()
}

/// The nearest folder with a `.git`, which is a file in worktrees and submodules.
fn repository<'a>(disk: &dyn Disk, from: &'a Path) -> Option<&'a Path> {
    let is_root = |dir: &&Path| {
        disk.stat(&dir.join(".git"))
            .is_ok_and(|stat| matches!(stat.kind, EntryKind::Directory | EntryKind::File))
    };
    from.ancestors().find(is_root)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // tests make the files that are looked at
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn a_loop_is_found_by_name_by_folder_and_by_config_from_anywhere_in_its_repository() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let dir = root.join(".loops/nightly");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        std::fs::create_dir(root.join(".git")).unwrap();
        std::fs::write(dir.join(config::FILE), "").unwrap();
        let expect = LoopPlace { dir: dir.clone(), root: root.clone() };
        let find = |here: &str, target: &str| LoopPlace::find(&RealDisk, &root.join(here), Path::new(target));
        assert_eq!(find("", "nightly").unwrap(), expect);
        assert_eq!(find("src/deep", "nightly").unwrap(), expect);
        assert_eq!(find("", ".loops/nightly/").unwrap(), expect);
        assert_eq!(find(".loops/nightly", ".").unwrap(), expect);
        assert_eq!(find("", ".loops/nightly/loop.config.yaml").unwrap(), expect);
        let missing = find("src", "daily").unwrap_err();
        let PlaceError::Missing { looked_in, names, .. } = &missing else { panic!("{missing}") };
        assert_eq!(looked_in, &[root.join(".loops/daily"), root.join("src/daily")]);
        assert_eq!(names, &["nightly"]);
    }

    #[test]
    fn a_bare_name_is_planned_below_the_repository_and_a_path_where_it_says() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join(".git"), "gitdir: elsewhere").unwrap();
        let planned = |target: &str| LoopPlace::planned(&RealDisk, &root.join("src"), Path::new(target));
        assert_eq!(planned("x"), LoopPlace { dir: root.join(".loops/x"), root: root.to_owned() });
        assert_eq!(planned("./x").dir, root.join("src/x"));
    }
}
