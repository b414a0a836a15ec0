//! The lines that a new rule would stand beside: what says the opposite, and what says much the same.

use serde::Serialize;
use subcortex_checks::{Sought, Stance, line_side, says_already, without_quotation};
use subcortex_memory::{Broadcast, Change, ChangeKind, Line};

use crate::updater::{Meaning, holds_for};

/// How many of them are shown.
const MAX_SHOWN: usize = 3;

/// A line that stands already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// Its number.
    pub line: usize,
    /// The line as it stands.
    pub text: String,
    /// What it has to do with the new words.
    pub says: Says,
}

/// What a line has to do with words that are not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// One forbids what the other asks for.
    TheOpposite,
    /// Nearly the same words.
    MuchTheSame,
}

/// The lines of a broadcast, read once and held against every proposal.
pub(super) struct Standing<'b>(Vec<Stands<'b>>);

struct Stands<'b> {
    line: &'b Line,
    meaning: Meaning,
    sought: Sought,
}

impl<'b> Standing<'b> {
    pub(super) fn of(broadcast: &'b Broadcast) -> Self {
        let lines = broadcast.lines.iter();
        Self(lines.map(Stands::of).collect())
    }

    /// The lines that a person should see before they say yes to an edit: what clashes with it first.
    pub(super) fn beside(&self, change: &Change, words: &str) -> Vec<Beside> {
        if !matches!(change.kind, ChangeKind::Add | ChangeKind::Rewrite) {
            return Vec::new();
        }
        let words = Words::of(without_quotation(words));
        let meets = |line: &Line| match (line.project.as_deref(), change.project.as_deref()) {
            (Some(section), Some(project)) => holds_for(section, project) || holds_for(project, section),
            (None, _) | (_, None) => true,
        };
        let others = self.0.iter().filter(|stands| Some(&stands.line.hash) != change.hash_before.as_ref());
        let found = others.filter(|stands| meets(stands.line)).filter_map(|stands| {
            let Line { number, text, .. } = stands.line;
            Some(Beside { line: *number, text: text.clone(), says: words.beside(stands)? })
        });
        let mut found: Vec<Beside> = found.collect();
        found.sort_by_key(|beside| (beside.says != Says::TheOpposite, beside.line));
        found.truncate(MAX_SHOWN);
        found
    }
}

impl<'b> Stands<'b> {
    fn of(line: &'b Line) -> Self {
        Self { line, meaning: Meaning::of(&line.text), sought: Sought::new(&line.text) }
    }
}

/// The words of a rule that is not there yet.
struct Words<'w> {
    text: &'w str,
    /// What they mean, if they are a rule.
    meaning: Option<Meaning>,
    sought: Sought,
}

impl<'w> Words<'w> {
    fn of(text: &'w str) -> Self {
        Self { text, meaning: Meaning::of_words(text), sought: Sought::new(text) }
    }

    fn beside(&self, stands: &Stands<'_>) -> Option<Says> {
        let clashes = |meaning: &Meaning| {
            meaning.is_against(&stands.meaning) || meaning.bans_its_program(&stands.meaning)
        };
        let side = || line_side(self.text, &stands.line.text);
        if self.meaning.as_ref().is_some_and(clashes) || side() == Some(Stance::Against) {
            return Some(Says::TheOpposite);
        }
        // Either may say more than the other.
        if says_already(&stands.line.text, self.text) {
            return Some(Says::MuchTheSame);
        }
        let is_near = self.sought.nearness(&stands.line.text).or_else(|| stands.sought.nearness(self.text));
        is_near.map(|_| Says::MuchTheSame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_rule_is_shown_beside_what_says_the_opposite_and_what_says_the_same() {
        for (line, words, says) in [
            ("- Use yarn, not npm.", "no, use npm, not yarn", Some(Says::TheOpposite)),
            ("- Mention the ticket.", "Never mention the ticket.", Some(Says::TheOpposite)),
            (
                "- Run `npm test` before committing.",
                "Never run npm, use pnpm instead.",
                Some(Says::TheOpposite),
            ),
            (
                "- When you add a table, also update `db/1700000000000-FullSchema.ts` so that fresh databases match.",
                "Full schema should not be updated ever.",
                Some(Says::TheOpposite),
            ),
            (
                "- Never commit or push to `main`; every change goes through a pull request.",
                "Do not push to main.",
                Some(Says::MuchTheSame),
            ),
            (
                "- Run `make check` before you commit.",
                "Always run make check before every commit",
                Some(Says::MuchTheSame),
            ),
            ("- Keep functions below forty lines.", "Never push to main.", None),
            ("- Run the tests.", "Run the linter before you commit.", None),
        ] {
            let broadcast = Broadcast::parse(format!("{line}\n"));
            let found = Words::of(words).beside(&Stands::of(&broadcast.lines[0]));
            assert_eq!(found, says, "{line} / {words}");
        }
    }
}
