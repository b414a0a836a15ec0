//! Finds the few checks that a turn can concern, among many.
//!
//! A check asks for marks, any of which a turn has to leave: the first word of a command, the ending or a directory of a written
//! file, a commit. The marks of a turn are collected once; only checks that share one are held against it. Marks may be coarse, but a check
//! that could give a verdict is never left out.

use std::collections::{HashMap, HashSet};

use crate::check::{Check, Condition, Wrote};
use crate::facts::{ActKind, Facts};

use super::ready::Ready;

/// The cheap marks by which a turn is seen to have nothing to do with a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Always look.
    pub always: bool,
    /// Marks, any of which has to be in the turn.
    pub any: HashSet<String>,
}

/// More endings than this in one glob are no narrower than "any file".
const MOST_ENDINGS: usize = 64;
/// Words of a command line among which its program stands, behind wrappers.
const WRAPPER_WORDS: usize = 6;

impl Keys {
    /// The marks that a check asks for.
    pub(crate) fn of_check(check: &Check) -> Self {
        let mut keys = Self::default();
        let occasion: Vec<&Condition> = check.trigger.iter().chain(&check.maybe).collect();
        for condition in occasion.iter().copied().chain(&check.forbid) {
            keys.add(condition);
        }
        if occasion.is_empty() {
            // Nothing but what is asked for can give an occasion.
            for condition in check.expect.iter().flat_map(|expect| &expect.any).chain(&check.near) {
                keys.add(condition);
            }
        }
        keys
    }

    fn add(&mut self, condition: &Condition) {
        let mut key = |mark: String| {
            self.any.insert(mark);
        };
        match condition {
            Condition::Ran(ran) => match ran.command.split_whitespace().next() {
                Some(program) => key(format!("ran {}", program.rsplit('/').next().unwrap_or(program))),
                None => key("ran".to_owned()),
            },
            Condition::Wrote(wrote) => wrote_marks(wrote).into_iter().for_each(key),
            Condition::Read { paths } => paths.iter().map(|path| read_mark(path)).for_each(key),
            Condition::Used { tool } if !tool.contains('*') => key(format!("used {}", tool.to_lowercase())),
            Condition::Used { .. } => key("used".to_owned()),
            Condition::Committed(_) => key("committed".to_owned()),
            Condition::Pushed { .. } => key("pushed".to_owned()),
            Condition::Branched(_) => key("branched".to_owned()),
            Condition::About { .. } => {
                ["committed", "wrote", "branched", "ran gh"].map(str::to_owned).into_iter().for_each(key)
            }
            Condition::Echoed { .. } => key("wrote".to_owned()),
            Condition::Said(_) | Condition::Refused { .. } => self.always = true,
        }
    }

    /// The marks of a turn.
    pub fn of(facts: &Facts<'_>) -> HashSet<String> {
        let mut marks = HashSet::new();
        for act in &facts.acts {
            match &act.kind {
                ActKind::Ran(simple) => {
                    marks.insert("ran".to_owned());
                    marks.insert("read".to_owned());
                    for word in simple.words.iter().take(WRAPPER_WORDS) {
                        marks.insert(format!("ran {}", word.rsplit('/').next().unwrap_or(word)));
                    }
                    marks.extend(simple.words.iter().skip(1).map(|word| read_name(word)));
                }
                ActKind::Wrote(written) => path_marks(&written.path, &mut marks),
                ActKind::Read(path) => {
                    marks.insert("read".to_owned());
                    marks.insert(read_name(path));
                }
                ActKind::Used(tool) => {
                    marks.insert("used".to_owned());
                    marks.insert(format!("used {}", tool.to_lowercase()));
                }
                ActKind::Committed(_) => drop(marks.insert("committed".to_owned())),
                ActKind::Pushed(_) => drop(marks.insert("pushed".to_owned())),
                ActKind::Branched(_) => drop(marks.insert("branched".to_owned())),
            }
        }
        marks
    }

    /// Whether a turn with these marks may concern the check.
    pub fn meets(&self, marks: &HashSet<String>) -> bool {
        self.always || self.any.iter().any(|key| marks.contains(key))
    }
}

/// What a changed file leaves: its name, its ending, its directories, in lower case as globs compare.
fn path_marks(path: &str, marks: &mut HashSet<String>) {
    let path = path.to_lowercase();
    marks.insert("wrote".to_owned());
    let mut segments: Vec<&str> = path.split('/').collect();
    let name = segments.pop().unwrap_or("");
    marks.insert(format!("wrote ={name}"));
    if let Some((_, ending)) = name.rsplit_once('.') {
        marks.insert(format!("wrote .{ending}"));
    }
    // A deleted or moved directory goes by its own name.
    marks.extend(segments.into_iter().chain([name]).map(|segment| format!("wrote /{segment}")));
}

fn read_name(path: &str) -> String {
    format!("read ={}", path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_lowercase())
}

fn read_mark(glob: &str) -> String {
    let name = glob.trim_end_matches('/').rsplit('/').next().unwrap_or(glob);
    let is_file = name.contains('.') && !name.contains(['*', '?', '{', '<']);
    if is_file { read_name(glob) } else { "read".to_owned() }
}

fn wrote_marks(wrote: &Wrote) -> Vec<String> {
    if wrote.paths.is_empty() {
        return vec!["wrote".to_owned()];
    }
    wrote.paths.iter().flat_map(|glob| glob_marks(glob)).collect()
}

/// The marks that every path of a glob leaves, any of which is enough to look.
fn glob_marks(glob: &str) -> Vec<String> {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/').to_lowercase();
    let plain = |text: &str| !text.is_empty() && !text.contains(['*', '?', '{', '}', '<', '>', '[']);
    let name = glob.rsplit('/').next().unwrap_or(&glob);
    if plain(name) && name.contains('.') {
        return vec![format!("wrote ={name}")];
    }
    if let Some((_, ending)) = name.rsplit_once('.') {
        let endings: Vec<&str> = ending
            .strip_prefix('{')
            .and_then(|list| list.strip_suffix('}'))
            .map_or_else(|| vec![ending], |list| list.split(',').collect());
        let simple = endings.iter().all(|ending| plain(ending))
            && !name.contains("},")
            && endings.len() <= MOST_ENDINGS;
        if simple && balanced(name) {
            return endings.into_iter().map(|ending| format!("wrote .{ending}")).collect();
        }
    }
    match glob.split('/').find(|segment| plain(segment)) {
        Some(segment) => vec![format!("wrote /{segment}")],
        None => vec!["wrote".to_owned()],
    }
}

/// Whether a list of endings is really the last thing of a name.
fn balanced(name: &str) -> bool {
    name.matches('{').count() == name.matches('}').count() && name.matches('{').count() <= 2
}

/// From marks to checks.
#[derive(Debug, Default)]
pub(crate) struct Index {
    always: Vec<usize>,
    by_mark: HashMap<String, Vec<usize>>,
}

impl Index {
    pub(crate) fn new(lines: &[(usize, Ready)]) -> Self {
        let mut index = Self::default();
        for (at, (_, ready)) in lines.iter().enumerate().filter(|(_, (_, ready))| ready.check.testable) {
            if ready.keys.always {
                index.always.push(at);
                continue;
            }
            for mark in &ready.keys.any {
                index.by_mark.entry(mark.clone()).or_default().push(at);
            }
        }
        index
    }

    /// The places of the checks that a turn with these marks may concern, in order.
    pub(crate) fn meeting(&self, marks: &HashSet<String>) -> Vec<usize> {
        let mut found: Vec<usize> = self.always.clone();
        found.extend(marks.iter().filter_map(|mark| self.by_mark.get(mark)).flatten());
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_that_a_glob_matches_leaves_one_of_its_marks() {
        for (glob, path) in [
            ("*.{ts,tsx}", "src/a.tsx"),
            ("*.{test,spec}.{ts,js}", "src/a.spec.js"),
            ("apps/api", "apps/api/src/a.ts"),
            ("docs/", "web/docs/a.md"),
            ("**/generated/**", "src/generated/b/c.ts"),
            ("package.json", "web/package.json"),
            ("CHANGELOG*", "CHANGELOG.md"),
            ("Dockerfile*", "Dockerfile.dev"),
            ("**/*migration*/**", "db/migrations/1.sql"),
            ("todos/<date>-<slug>.md", "todos/2026-01-01-x.md"),
            ("*{Test,Tests}.{java,kt}", "src/ATest.java"),
            ("*.gen.*", "src/a.gen.ts"),
            ("README.md", "Readme.md"),
            ("*_spec.rb", "spec/a_spec.rb"),
        ] {
            let mut marks = HashSet::new();
            path_marks(path, &mut marks);
            let keys = glob_marks(glob);
            assert!(keys.iter().any(|key| marks.contains(key)), "{glob} {path}: {keys:?} {marks:?}");
        }
    }
}
