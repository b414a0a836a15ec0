//! Finds the few checks that a turn can concern, among many.
//!
//! A check needs marks, of which a turn has to leave some: the program of a command, the name, ending or a directory of a written file, a
//! commit, a piece of what was added or said. Each check is filed under those of its marks that the fewest others ask for. The marks of a
//! turn are collected once, its texts are gone through once for all pieces together, and only the checks filed under what was found
//! are held against it. Marks may be coarse, but a check that could give a verdict is never left out.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use crate::facts::{ActKind, Facts};
use crate::language::{MOST_WRAPPER_WORDS, Role, Roles, shows_files};

use super::mark::{Field, Mark, Trace, Way, is_odd};
use super::need::Need;
use super::paths;
use super::ready::Ready;

/// From marks to checks.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Places of all testable checks.
    testable: Vec<usize>,
    /// Of those that every turn is held against.
    always: Vec<usize>,
    by_mark: HashMap<Mark, Vec<usize>>,
    /// Whether a check asks what commands are for.
    roles: bool,
    by_text: Vec<Pieces>,
}

/// All pieces that are looked for in one kind of text, and the checks that ask for each.
#[derive(Debug)]
struct Pieces {
    field: Field,
    finder: AhoCorasick,
    places: Vec<Vec<usize>>,
}

impl Index {
    pub(crate) fn new(lines: &[(usize, Ready)]) -> Self {
        let needs: Vec<(usize, Need)> = lines
            .iter()
            .enumerate()
            .filter(|(_, (_, ready))| ready.check.testable)
            .map(|(at, (_, ready))| (at, Need::of_check(&ready.check)))
            .collect();
        let mut counts = HashMap::new();
        needs.iter().for_each(|(_, need)| need.count(&mut counts));
        let mut index = Self { testable: needs.iter().map(|(at, _)| *at).collect(), ..Self::default() };
        let roles: Vec<Mark> = Role::ALL.iter().map(|role| Mark::of(Trace::Role, role.name())).collect();
        index.roles = roles.iter().any(|mark| counts.contains_key(mark));
        let mut pieces: HashMap<(Field, &str), Vec<usize>> = HashMap::new();
        for (at, need) in &needs {
            let Some(picked) = need.pick(&counts) else {
                index.always.push(*at);
                continue;
            };
            for mark in picked.marks {
                index.by_mark.entry(mark).or_default().push(*at);
            }
            for piece in picked.atoms {
                pieces.entry(piece).or_default().push(*at);
            }
        }
        for field in Field::ALL {
            let (sought, places): (Vec<&str>, Vec<Vec<usize>>) = pieces
                .iter()
                .filter(|((of, _), _)| *of == field)
                .map(|((_, piece), places)| (*piece, places.clone()))
                .unzip();
            index.add_pieces(field, &sought, places);
        }
        index
    }

    fn add_pieces(&mut self, field: Field, sought: &[&str], places: Vec<Vec<usize>>) {
        if sought.is_empty() {
            return;
        }
        match AhoCorasick::builder().ascii_case_insensitive(true).build(sought) {
            Ok(finder) => self.by_text.push(Pieces { field, finder, places }),
            // Too many pieces for one finder: look always.
            Err(_) => self.always.extend(places.into_iter().flatten()),
        }
    }

    /// The places of the checks that a turn may concern, in order.
    pub(crate) fn meeting(&self, facts: &Facts<'_>, roles: &Roles) -> Vec<usize> {
        let mut found: Vec<usize> = self.always.clone();
        let filed = marks(facts, self.roles.then_some(roles));
        found.extend(filed.iter().filter_map(|mark| self.by_mark.get(mark)).flatten());
        for pieces in &self.by_text {
            let mut odd = false;
            // A piece may stand in a text a million times; its checks are wanted once.
            let mut seen = vec![false; pieces.places.len()];
            texts(facts, pieces.field, &mut |text| {
                odd |= is_odd(text);
                for hit in pieces.finder.find_overlapping_iter(text) {
                    let piece = hit.pattern().as_usize();
                    if seen.get_mut(piece).is_some_and(|seen| !std::mem::replace(seen, true)) {
                        found.extend(pieces.places.get(piece).into_iter().flatten());
                    }
                }
            });
            if odd {
                return self.testable.clone();
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The marks of a turn, each once.
fn marks(facts: &Facts<'_>, roles: Option<&Roles>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for act in &facts.acts {
        match &act.kind {
            ActKind::Ran(simple) => {
                marks.push(Mark::any(Trace::Ran));
                for word in simple.words.iter().take(MOST_WRAPPER_WORDS) {
                    marks.push(Mark::of(Trace::Program, word.rsplit('/').next().unwrap_or(word)));
                }
                marks.extend(simple.words.iter().skip(1).map(|word| Mark::of(Trace::Word, word)));
                let roles = roles.map(|roles| roles.of(simple, facts.cwd.as_deref()));
                marks.extend(roles.iter().flatten().map(|role| Mark::of(Trace::Role, role.name())));
                if shows_files(simple) {
                    marks.push(Mark::any(Trace::Read));
                    simple.words.iter().skip(1).for_each(|word| paths::marks(word, Way::Shown, &mut marks));
                }
            }
            ActKind::Wrote(written) => {
                marks.push(Mark::any(Trace::Wrote));
                marks.extend(written.deleted.then(|| Mark::any(Trace::Deleted)));
                marks.extend(written.moved_from.is_some().then(|| Mark::any(Trace::Moved)));
                paths::marks(&written.path, Way::Written, &mut marks);
            }
            ActKind::Read(path) => {
                marks.push(Mark::any(Trace::Read));
                paths::marks(path, Way::Shown, &mut marks);
            }
            ActKind::Used(used) => {
                marks.push(Mark::any(Trace::Used));
                marks.push(Mark::of(Trace::Tool, &used.tool));
            }
            ActKind::Committed(_) => marks.push(Mark::any(Trace::Committed)),
            ActKind::Pushed(_) => marks.push(Mark::any(Trace::Pushed)),
            ActKind::Branched(_) => marks.push(Mark::any(Trace::Branched)),
        }
    }
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// The texts of a turn in which pieces of one kind may stand.
fn texts(facts: &Facts<'_>, field: Field, visit: &mut dyn FnMut(&str)) {
    match field {
        Field::Said => facts.said.iter().for_each(|said| visit(&said.text)),
        Field::Failure => return facts.failures.iter().for_each(|(_, answer)| visit(answer)),
        Field::Deed | Field::Added | Field::Removed | Field::Command => {}
    }
    for act in &facts.acts {
        match (&act.kind, field) {
            (ActKind::Committed(commit), Field::Said | Field::Deed) => {
                commit.message.iter().for_each(|message| visit(message));
            }
            (ActKind::Committed(commit), Field::Command) => visit(&commit.text),
            (ActKind::Wrote(written), Field::Deed) => visit(&written.path),
            (ActKind::Wrote(written), Field::Added) => visit(&written.added),
            (ActKind::Wrote(written), Field::Removed) => visit(&written.removed),
            (ActKind::Branched(branched), Field::Deed) => visit(&branched.name),
            (ActKind::Ran(simple), Field::Command) => visit(&simple.text),
            // The title of a pull request is one of its words.
            (ActKind::Ran(simple), Field::Deed) if simple.words.first().is_some_and(|word| word == "gh") => {
                simple.words.iter().for_each(|word| visit(word));
            }
            _ => {}
        }
    }
}
