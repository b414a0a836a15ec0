//! The names of a loop and of what its runs make.

use std::path::PathBuf;

use jiff::Timestamp;
use subcortex_home::Home;
use subcortex_loops::LoopPlace;
use subcortex_loops::config::LoopConfig;

/// How many digits of a hash tell loops of the same name apart.
const TAG_DIGITS: usize = 8;

/// The names of one loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopNames {
    /// Its name.
    pub name: String,
    /// Its name among all loops and partitions, in records and accounts: `loop:repository/name`.
    pub key: String,
    /// The same for files: its name, and a hash of where it is.
    pub tag: String,
}

impl LoopNames {
    /// The names of the loop at a place. Nothing that its folder is called can leave a path or a branch.
    pub fn of(place: &LoopPlace) -> LoopNames {
        let plain = |text: &str| -> String {
            let fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
            text.chars().map(|letter| if fit(letter) { letter } else { '_' }).take(64).collect()
        };
        let name = plain(&place.name());
        let repository = plain(&place.root.file_name().unwrap_or_default().to_string_lossy());
        let hash = blake3::hash(place.dir.as_os_str().as_encoded_bytes()).to_hex();
        let tag = format!("{name}-{}", hash.get(..TAG_DIGITS).unwrap_or_default());
        LoopNames { key: format!("loop:{repository}/{name}"), name, tag }
    }

    /// The name of a run.
    pub fn run_id(&self, started: Timestamp, run: u64) -> String {
        format!("{}-{}-{run}", started.strftime("%Y%m%dT%H%M%S"), self.tag)
    }

    /// What all branches of the loop begin with.
    pub fn branches(&self) -> String {
        format!("loop/{}/", self.name)
    }

    /// The branch on which a run leaves its change.
    pub fn branch(&self, run: u64) -> String {
        format!("{}{run}", self.branches())
    }

    /// Where its worktree is: as `worktree:` names it, else in the home.
    pub fn worktree(&self, home: &Home, place: &LoopPlace, config: &LoopConfig) -> PathBuf {
        match config.text("worktree") {
            None | Some("true" | "yes" | "own") => home.loops().join("worktrees").join(&self.tag),
            Some(path) => place.root.join(path).components().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_whatever_folders_are_called() {
        let place = LoopPlace { dir: "/a/my repo/.loops/x..$(id)".into(), root: "/a/my repo".into() };
        let names = LoopNames::of(&place);
        assert_eq!(names.key, "loop:my_repo/x____id_");
        assert!(names.tag.starts_with("x____id_-") && names.branch(7) == "loop/x____id_/7", "{names:?}");
    }

    #[test]
    fn loops_of_one_name_in_two_repositories_have_two_tags() {
        let at = |root: &str| {
            LoopNames::of(&LoopPlace { dir: format!("{root}/.loops/x").into(), root: root.into() })
        };
        assert_ne!(at("/a").tag, at("/b").tag);
    }
}
