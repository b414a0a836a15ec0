//! What a turn must have before a check can say anything about it.

use std::collections::HashMap;

use crate::check::{Check, Condition, Ran, Said, Wrote};

use super::mark::{Field, Mark, Trace, Way};
use super::{atoms, paths};

/// Marks that have to be in a turn. It may ask for less than the check does, never for more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Need {
    /// This one.
    Mark(Mark),
    /// This piece of text.
    Atom(Field, String),
    /// One of these; of none means never.
    Any(Vec<Need>),
    /// Each of these; of none means that nothing is known.
    All(Vec<Need>),
}

/// The fewest marks, one of which is in every turn that meets a need.
#[derive(Debug, Default)]
pub(crate) struct Picked<'n> {
    pub(crate) marks: Vec<Mark>,
    pub(crate) atoms: Vec<(Field, &'n str)>,
    cost: usize,
}

impl Need {
    /// The need of a check: any turn that it says something about meets it.
    pub(crate) fn of_check(check: &Check) -> Self {
        let occasions: Vec<&Condition> = check.trigger.iter().chain(&check.maybe).collect();
        let mut any: Vec<Self> = occasions.iter().copied().chain(&check.forbid).map(Self::of).collect();
        if occasions.is_empty() {
            // Nothing but what is asked for can give an occasion.
            let asked = check.expect.iter().flat_map(|expect| &expect.any).chain(&check.near);
            any.extend(asked.map(Self::of));
        }
        Self::Any(any)
    }

    /// Nothing is known: always look.
    pub(crate) fn unknown() -> Self {
        Self::All(Vec::new())
    }

    fn any_of(trace: Trace) -> Self {
        Self::Mark(Mark::any(trace))
    }

    fn of(condition: &Condition) -> Self {
        match condition {
            Condition::Ran(ran) => Self::of_ran(ran),
            Condition::Wrote(wrote) => Self::of_wrote(wrote),
            Condition::Read { paths } => {
                let any = paths.iter().map(|glob| paths::need(glob, Way::Shown)).collect();
                Self::All(vec![Self::any_of(Trace::Read), Self::Any(any)])
            }
            Condition::Used { tool } if !tool.contains('*') && tool.is_ascii() => {
                Self::Mark(Mark::of(Trace::Tool, tool))
            }
            Condition::Used { .. } => Self::any_of(Trace::Used),
            Condition::Committed(commit) => Self::All(vec![
                Self::any_of(Trace::Committed),
                expression(Field::Deed, commit.message.as_ref()),
                expression(Field::Command, commit.with.as_ref()),
            ]),
            Condition::Pushed { .. } => Self::any_of(Trace::Pushed),
            Condition::Branched(_) => Self::any_of(Trace::Branched),
            Condition::Said(Said { text: Some(text), .. }) => expression(Field::Said, Some(text)),
            Condition::Said(Said { words, .. }) => {
                Self::All(words.iter().map(|word| stem(Field::Said, word)).collect())
            }
            Condition::About { words } => {
                Self::All(words.iter().map(|word| stem(Field::Deed, word)).collect())
            }
            Condition::Echoed { words, least } => {
                Self::All(vec![Self::any_of(Trace::Wrote), most_of(words, *least)])
            }
            Condition::Refused { text } => expression(Field::Failure, Some(text)),
        }
    }

    fn of_ran(ran: &Ran) -> Self {
        let mut words = ran.command.split_whitespace();
        let Some(program) = words.next() else {
            return Self::All(vec![Self::any_of(Trace::Ran), expression(Field::Command, ran.with.as_ref())]);
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        let mut all = vec![Self::Mark(Mark::of(Trace::Program, name))];
        // `npm run x` is `npm x`, a word with a star goes by its start, and an option may bring its value along.
        let sure = words.filter(|word| *word != "run" && !word.ends_with('*') && !word.starts_with("--"));
        all.extend(sure.map(|word| Self::Mark(Mark::of(Trace::Word, word))));
        all.push(expression(Field::Command, ran.with.as_ref()));
        Self::All(all)
    }

    fn of_wrote(wrote: &Wrote) -> Self {
        let mut all = vec![
            Self::any_of(Trace::Wrote),
            expression(Field::Added, wrote.added.as_ref()),
            expression(Field::Deed, wrote.named.as_ref()),
        ];
        if !wrote.paths.is_empty() {
            all.push(Self::Any(wrote.paths.iter().map(|glob| paths::need(glob, Way::Written)).collect()));
        }
        if !wrote.words.is_empty() {
            all.push(Self::Any(wrote.words.iter().map(|word| stem(Field::Deed, word)).collect()));
        }
        if wrote.deleted {
            all.push(Self::any_of(Trace::Deleted));
        }
        if wrote.moved_from.is_some() {
            all.push(Self::any_of(Trace::Moved));
        }
        Self::All(all)
    }

    /// Counts in how many needs each mark stands.
    pub(crate) fn count(&self, counts: &mut HashMap<Mark, usize>) {
        match self {
            Self::Mark(mark) => *counts.entry(*mark).or_default() += 1,
            Self::Atom(field, atom) => *counts.entry(Mark::of(Trace::Atom(*field), atom)).or_default() += 1,
            Self::Any(needs) | Self::All(needs) => needs.iter().for_each(|need| need.count(counts)),
        }
    }

    /// The marks by which to find the check: of all that must be there, what the fewest other checks ask for.
    /// Nothing when every turn has to be looked at.
    pub(crate) fn pick(&self, counts: &HashMap<Mark, usize>) -> Option<Picked<'_>> {
        let cost = |mark: &Mark| counts.get(mark).copied().unwrap_or(1);
        match self {
            Self::Mark(mark) => Some(Picked { marks: vec![*mark], cost: cost(mark), ..Picked::default() }),
            Self::Atom(field, atom) => Some(Picked {
                atoms: vec![(*field, atom)],
                cost: cost(&Mark::of(Trace::Atom(*field), atom)),
                ..Picked::default()
            }),
            Self::Any(needs) => {
                let mut sum = Picked::default();
                for need in needs {
                    let picked = need.pick(counts)?;
                    sum.cost += picked.cost;
                    sum.marks.extend(picked.marks);
                    sum.atoms.extend(picked.atoms);
                }
                Some(sum)
            }
            Self::All(needs) => {
                needs.iter().filter_map(|need| need.pick(counts)).min_by_key(|picked| picked.cost)
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn is_met(&self, marks: &[Mark]) -> bool {
        match self {
            Self::Mark(mark) => marks.contains(mark),
            Self::Atom(..) => true,
            Self::Any(needs) => needs.iter().any(|need| need.is_met(marks)),
            Self::All(needs) => needs.iter().all(|need| need.is_met(marks)),
        }
    }
}

fn expression(field: Field, source: Option<&String>) -> Need {
    let Some(atoms) = source.and_then(|source| atoms::of_expression(source)) else { return Need::unknown() };
    Need::Any(atoms.into_iter().map(|atom| Need::Atom(field, atom)).collect())
}

fn stem(field: Field, stem: &str) -> Need {
    atoms::of_stem(stem).map_or_else(Need::unknown, |atom| Need::Atom(field, atom))
}

/// At least so many of these stems: whoever leaves out one fewer than may be missing finds one of the rest.
fn most_of(stems: &[String], least: usize) -> Need {
    if least == 0 {
        return Need::unknown();
    }
    let mut needs: Vec<&String> = stems.iter().collect();
    needs.sort_by_key(|stem| std::cmp::Reverse(stem.len()));
    let enough = (stems.len() + 1).saturating_sub(least);
    Need::Any(needs.into_iter().take(enough).map(|word| stem(Field::Said, word)).collect())
}
