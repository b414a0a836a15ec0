//! Where the words of a line come from, through edits, their reverts, and the reverts of those.
//!
//! An edit *stands for* what its evidence asked for when it is no revert, or the revert of a revert. The others only take
//! back: the line that they bring back has the origin that it had before.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_memory::{Cause, Change, ChangeKind, Journal, LineHash};

use crate::stood::Stood;

/// The journal, read for the origins of lines.
#[derive(Debug)]
pub(super) struct Lineage<'j> {
    journal: &'j Journal,
    /// For each edit, whether it stands for its evidence.
    stands: Vec<bool>,
    /// What runs found in the broadcast.
    stood: Stood,
}

/// One change, and where it stands in the journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'j> {
    /// The number of its edit, and its number in it.
    pub(super) at: (usize, usize),
    pub(super) change: &'j Change,
}

impl<'j> Lineage<'j> {
    pub(super) fn of(journal: &'j Journal) -> Self {
        let mut known: BTreeMap<&str, bool> = BTreeMap::new();
        let mut stands = Vec::with_capacity(journal.edits.len());
        for edit in &journal.edits {
            let undone = edit.reverts.as_deref().and_then(|id| known.get(id)).copied();
            let this = match edit.cause {
                Cause::Evidence | Cause::Task | Cause::Accepted | Cause::Person => true,
                Cause::Reverted => undone == Some(false),
                Cause::Probation | Cause::Forgotten => false,
            };
            known.insert(&edit.id, this);
            stands.push(this);
        }
        Self { journal, stands, stood: Stood::default() }
    }

    /// The same, knowing what runs found in the broadcast.
    pub(super) fn after_saves(self, stood: Stood) -> Self {
        Self { stood, ..self }
    }

    /// All changes, oldest first.
    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = Step<'j>> {
        let of_edit = |(at, edit): (usize, &'j subcortex_memory::Edit)| {
            edit.changes.iter().enumerate().map(move |(number, change)| Step { at: (at, number), change })
        };
        self.journal.edits.iter().enumerate().flat_map(of_edit)
    }

    /// The changes that evidence asked for, and that nobody has taken back since, or that came back.
    pub(super) fn standing(&self) -> impl DoubleEndedIterator<Item = Step<'j>> {
        self.steps().filter(|step| self.stands.get(step.at.0) == Some(&true))
    }

    /// The changes that gave a line its words, the latest first.
    pub(super) fn makers(&self, hash: &LineHash) -> impl Iterator<Item = Step<'j>> {
        self.standing()
            .rev()
            .filter(move |step| gives_words(step.change) && same_words(&step.change.hash_after, hash))
    }

    /// Whether a person wrote a line that is there by hand: no edit did, another edit took the same words out since, or a run found that
    /// they were gone, and no edit has put them there again. A second line of the same words is a person's where no edit wrote a second one.
    pub(super) fn is_by_hand(&self, hash: &LineHash) -> bool {
        let concerns = |step: &Step<'j>| {
            same_words(&step.change.hash_before, hash) || same_words(&step.change.hash_after, hash)
        };
        let last = self.steps().rfind(concerns).filter(|last| same_words(&last.change.hash_after, hash));
        let Some(last) = last else { return true };
        let edit = self.journal.edits.get(last.at.0);
        let is_copy = hash.as_str() != hash.of_words();
        let was_made = || self.steps().any(|step| step.change.hash_after.as_ref() == Some(hash));
        edit.is_some_and(|edit| self.stood.was_gone_since(hash, edit)) || is_copy && !was_made()
    }

    /// The lines that had these words.
    pub(super) fn lines_with(&self, words: &BTreeSet<String>) -> BTreeSet<LineHash> {
        let hashes = |step: Step<'j>| [&step.change.hash_before, &step.change.hash_after];
        let all = self.steps().flat_map(hashes).flatten();
        all.filter(|hash| words.contains(hash.of_words())).cloned().collect()
    }

    /// Why the edit of a change was made.
    pub(super) fn cause(&self, step: &Step<'j>) -> Cause {
        self.journal.edits.get(step.at.0).map_or(Cause::Person, |edit| edit.cause)
    }

    /// Whether an edit was taken back.
    pub(super) fn is_reverted(&self, step: &Step<'j>) -> bool {
        self.journal.edits.get(step.at.0).is_some_and(|edit| self.journal.is_reverted(&edit.id))
    }

    /// The changes of later edits.
    pub(super) fn after(&self, step: &Step<'j>) -> impl Iterator<Item = &'j Change> {
        let edits = self.journal.edits.get(step.at.0 + 1..).unwrap_or(&[]);
        edits.iter().flat_map(|edit| &edit.changes)
    }
}

/// Whether a change put words into the broadcast that were not there under this identity.
pub(super) fn gives_words(change: &Change) -> bool {
    match change.kind {
        ChangeKind::Add | ChangeKind::Rewrite => true,
        ChangeKind::Move => change.hash_before != change.hash_after,
        ChangeKind::Remove => false,
    }
}

fn same_words(one: &Option<LineHash>, other: &LineHash) -> bool {
    one.as_ref().is_some_and(|one| one.of_words() == other.of_words())
}
