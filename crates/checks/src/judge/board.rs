//! The checks of a memory, and what finds the few of them that matter.

use std::collections::HashMap;

use crate::clash::Deeds;
use crate::signal::{Sides, Ties};

use super::index::Index;
use super::ready::Ready;
use crate::language::{Roles, Shared};

/// The checks of a memory, made ready once and held against many turns.
#[derive(Debug, Default)]
pub struct Board {
    lines: Vec<(usize, Ready)>,
    index: Index,
    ties: Ties,
    deeds: Deeds,
    heard: Option<Box<Board>>,
    roles: Roles,
}

impl Board {
    /// Takes over the checks with the numbers of their lines. Untestable ones are kept: a person can still correct them.
    pub fn new(checks: impl IntoIterator<Item = (usize, crate::Check)>) -> Self {
        let mut shared = Shared::default();
        let lines: Vec<(usize, Ready)> =
            checks.into_iter().map(|(line, check)| (line, Ready::sharing(check, &mut shared))).collect();
        Self {
            index: Index::new(&lines),
            ties: Ties::new(&lines),
            deeds: Deeds::new(&lines),
            lines,
            heard: None,
            roles: Roles::default(),
        }
    }

    /// Has people's words tied to lines by other checks than these. What somebody else than the rules or a person makes of a line may
    /// test deeds; which line a person speaks of, and for or against it, it must not decide.
    #[must_use]
    pub fn heard_by(mut self, board: Self) -> Self {
        self.heard = Some(Box::new(board));
        self
    }

    /// The checks by which people's words are tied to lines.
    pub(crate) fn for_words(&self) -> &Self {
        self.heard.as_deref().unwrap_or(self)
    }

    /// Tells which documents exist (paths of dossiers and files). A line that points to one of them, and fails while nobody opened it,
    /// was not recalled; without this, [`crate::RootCause::RecallMiss`] is never said.
    #[must_use]
    pub fn with_documents(mut self, paths: impl IntoIterator<Item = String>) -> Self {
        let paths: Vec<String> = paths.into_iter().collect();
        self.lines.iter_mut().for_each(|(_, ready)| ready.meet_documents(&paths));
        self
    }

    /// Tells the words of the lines, by number: whom a remark sides with is decided by them.
    #[must_use]
    pub fn with_words<'t>(mut self, lines: impl IntoIterator<Item = (usize, &'t str)>) -> Self {
        let words: HashMap<usize, &str> = lines.into_iter().collect();
        let told = |lines: &mut Vec<(usize, Ready)>| {
            for (number, ready) in lines {
                ready.sides = words.get(number).map(|text| Sides::of(&without_labels(text)));
            }
        };
        told(&mut self.lines);
        if let Some(heard) = &mut self.heard {
            told(&mut heard.lines);
        }
        self
    }

    /// Tells what commands are for, where more is known than the programs that everybody has.
    #[must_use]
    pub fn with_roles(mut self, roles: Roles) -> Self {
        self.roles = roles;
        self
    }

    /// What commands are for.
    pub(crate) fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Whether a check asks for more than one turn: then what the session did before has to be handed over.
    pub fn looks_back(&self) -> bool {
        self.lines.iter().any(|(_, ready)| ready.check.looks_back())
    }

    /// Finds the checks that a turn can concern.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// By which words people's remarks are tied to lines.
    pub(crate) fn ties(&self) -> &Ties {
        &self.ties
    }

    /// Which lines ask for or forbid the same deed.
    pub(crate) fn deeds(&self) -> &Deeds {
        &self.deeds
    }

    /// The checks in order, with the numbers of their lines.
    pub fn lines(&self) -> &[(usize, Ready)] {
        &self.lines
    }
}
/// "Git workflow: provide two options": what stands in front only names the matter, or forbids ("DON'T: import styles").
fn without_labels(text: &str) -> String {
    const MOST_WORDS: usize = 3;
    let plain = |label: &str| !label.contains('`') && label.split_whitespace().count() <= MOST_WORDS;
    let (mut rest, mut forbids) = (text, false);
    while let Some((label, behind)) = rest.split_once(": ").filter(|(label, _)| plain(label)) {
        forbids |= Sides::of(&format!("{label} it")).rules_out();
        rest = behind;
    }
    if forbids { format!("never {rest}") } else { rest.to_owned() }
}
