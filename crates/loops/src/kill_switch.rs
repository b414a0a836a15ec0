//! What stops a loop before it starts.

use std::path::{Path, PathBuf};

use crate::{FOLDER, LoopPlace, config::LoopConfig};

/// The name of the file that stops what is beside and below it.
pub const PAUSED: &str = "PAUSED";
/// What the name of a label begins with in `kill_switch:`.
const LABEL: &str = "label:";

/// One switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KillSwitch {
    /// Set while something is there.
    File(PathBuf),
    /// Set while an open issue of the repository has this label.
    Label(String),
}

impl KillSwitch {
    /// What `kill_switch:` names. Paths start at the repository.
    pub fn named(text: &str, root: &Path) -> KillSwitch {
        match text.strip_prefix(LABEL) {
            Some(label) => KillSwitch::Label(label.trim().to_owned()),
            None => KillSwitch::File(root.join(text)),
        }
    }

    /// All switches of a loop, those that cost nothing first.
    pub fn all(place: &LoopPlace, config: &LoopConfig) -> Vec<KillSwitch> {
        let of_files = [place.root.join(FOLDER).join(PAUSED), place.dir.join(PAUSED)];
        let mut all: Vec<KillSwitch> = of_files.into_iter().map(KillSwitch::File).collect();
        all.extend(config.text("kill_switch").map(|text| KillSwitch::named(text, &place.root)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_s_the_loop_s_and_the_named_one_all_count() {
        let place = LoopPlace { dir: "/r/.loops/look".into(), root: "/r".into() };
        let all = |text: &str| KillSwitch::all(&place, &LoopConfig::parse(text).unwrap());
        let file = |path: &str| KillSwitch::File(path.into());
        let usual = [file("/r/.loops/PAUSED"), file("/r/.loops/look/PAUSED")];
        assert_eq!(all("name: look"), usual);
        assert_eq!(all("kill_switch: STOP").last(), Some(&file("/r/STOP")));
        assert_eq!(
            all("kill_switch: 'label: loop-pause'").last(),
            Some(&KillSwitch::Label("loop-pause".into()))
        );
    }
}
