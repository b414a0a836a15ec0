//! What is known of a project when its rules are compiled.

use std::collections::BTreeMap;

use subcortex_checks::facts::{ActKind, Facts};
use subcortex_checks::reading::Target;
use subcortex_model::Turn;

/// How many words of a command tell it from others.
const TELLING_WORDS: usize = 3;
/// The longest command that is kept, in characters.
const MAX_COMMAND_CHARS: usize = 80;
/// How many commands and files are kept.
const MAX_KEPT: usize = 40;
/// Programs that only look or move about.
const LOOKING: [&str; 16] = [
    "cd", "ls", "cat", "echo", "grep", "rg", "head", "tail", "sed", "find", "pwd", "wc", "which", "true",
    "mkdir", "awk",
];

/// What is known of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// Its task runners' targets.
    pub targets: Vec<Target>,
    /// Commands that were run there, most used first.
    pub commands: Vec<String>,
    /// Files that were changed there, most changed first.
    pub files: Vec<String>,
}

impl Knowledge {
    /// Adds what turns tell.
    pub fn learn<'t>(&mut self, turns: impl Iterator<Item = &'t Turn>) {
        let (mut commands, mut files) = (BTreeMap::new(), BTreeMap::new());
        for turn in turns {
            let facts = Facts::of(turn);
            for act in facts.acts.iter().filter(|act| !act.refused) {
                match &act.kind {
                    ActKind::Ran(simple) => {
                        if !simple.words.first().is_none_or(|program| LOOKING.contains(&program.as_str())) {
                            let telling =
                                simple.words.iter().take(TELLING_WORDS).cloned().collect::<Vec<_>>();
                            let shown = simple.words.join(" ").chars().take(MAX_COMMAND_CHARS).collect();
                            count(&mut commands, telling.join(" "), shown);
                        }
                    }
                    ActKind::Wrote(written) => {
                        let path = below(&written.path, facts.cwd.as_deref());
                        count(&mut files, path.to_owned(), path.to_owned());
                    }
                    ActKind::Read(_)
                    | ActKind::Used(_)
                    | ActKind::Committed(_)
                    | ActKind::Pushed(_)
                    | ActKind::Branched(_) => {}
                }
            }
        }
        self.commands = most(commands);
        self.files = most(files);
    }
}

fn below<'p>(path: &'p str, cwd: Option<&str>) -> &'p str {
    cwd.and_then(|cwd| path.strip_prefix(cwd)).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn count(counts: &mut BTreeMap<String, (usize, String)>, key: String, shown: String) {
    counts.entry(key).or_insert((0, shown)).0 += 1;
}

fn most(counts: BTreeMap<String, (usize, String)>) -> Vec<String> {
    let mut counted: Vec<(usize, String)> = counts.into_values().collect();
    counted.sort_by(|(one, name), (other, named)| other.cmp(one).then_with(|| name.cmp(named)));
    counted.into_iter().take(MAX_KEPT).map(|(_, shown)| shown).collect()
}
