//! Files that were opened.

use serde::{Deserialize, Serialize};

use crate::facts::ActKind;
use crate::judge::{Need, Trace, Way, path_need};

use super::matcher::{Glob, Shared, any_matches};
use super::ran::shows_files;
use super::sight::{Hit, Scene, Sight};
use super::words::files_in_words;

/// A file was opened, or shown by a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Globs of its path.
    pub paths: Vec<Glob>,
}

impl Sight for Read {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let read = |kind: &ActKind<'_>| match kind {
            ActKind::Read(path) => any_matches(&self.paths, path).then(|| path.clone()),
            ActKind::Ran(simple) if shows_files(simple) => {
                // The first argument of a search is what it searches for.
                let program = simple.words.first().map_or("", String::as_str);
                let sought = usize::from(matches!(program, "grep" | "rg" | "sed"));
                let mut named =
                    simple.words.iter().skip(1).filter(|word| !word.starts_with('-')).skip(sought);
                named.find(|word| any_matches(&self.paths, word)).cloned()
            }
            ActKind::Ran(_)
            | ActKind::Wrote(_)
            | ActKind::Used(_)
            | ActKind::Committed(_)
            | ActKind::Pushed(_)
            | ActKind::Branched(_) => None,
        };
        let acts = scene.acts();
        acts.filter_map(|(at, act)| Some(Hit { event: act.event, at, quote: read(&act.kind)? })).collect()
    }

    fn need(&self) -> Need {
        let any = self.paths.iter().map(|glob| path_need(glob.as_str(), Way::Shown)).collect();
        Need::All(vec![Need::any_of(Trace::Read), Need::Any(any)])
    }

    fn in_words(&self) -> String {
        format!("reading {}", files_in_words(&self.paths))
    }

    fn problem(&self) -> Option<String> {
        self.paths.is_empty().then(|| "it names no path; name one under `paths`".into())
    }

    fn share(&self, shared: &mut Shared) {
        self.paths.iter().for_each(|glob| glob.share(shared));
    }
}
