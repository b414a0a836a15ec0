//! What a turn must have before a check can say anything about it.

use std::collections::HashMap;

use crate::language::{Check, Condition, Form, Matcher};

use super::atoms;
use super::mark::{Field, Mark, Trace};

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
        let need = |condition: &Condition| condition.sight().need();
        let mut any: Vec<Self> = occasions.iter().copied().chain(&check.forbid).map(need).collect();
        if occasions.is_empty() {
            // Nothing but what is asked for can give an occasion.
            let asked = check.expect.iter().flat_map(|expect| &expect.any).chain(&check.near);
            any.extend(asked.map(need));
        }
        Self::Any(any)
    }

    /// Nothing is known: always look.
    pub(crate) fn unknown() -> Self {
        Self::All(Vec::new())
    }

    /// Some trace of this kind.
    pub(crate) fn any_of(trace: Trace) -> Self {
        Self::Mark(Mark::any(trace))
    }

    /// A piece of what the expression finds; unknown when it has none, or there is none.
    pub(crate) fn expression<F: Form>(field: Field, source: Option<&Matcher<F>>) -> Self {
        let Some(atoms) = source.and_then(|source| atoms::of_expression(source.as_str())) else {
            return Self::unknown();
        };
        Self::Any(atoms.into_iter().map(|atom| Self::Atom(field, atom)).collect())
    }

    /// A word of this stem.
    pub(crate) fn stem(field: Field, stem: &str) -> Self {
        atoms::of_stem(stem).map_or_else(Self::unknown, |atom| Self::Atom(field, atom))
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
