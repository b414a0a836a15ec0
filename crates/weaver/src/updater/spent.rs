//! Evidence that has had its effect. When an edit was taken back, by a command or by hand, what it rested on does not
//! bring it back; only what people say later does.

use std::collections::BTreeMap;

use jiff::Timestamp;
use subcortex_memory::{Cause, Change, ChangeKind, Edit, Journal, LineHash};

use crate::stood::Stood;
use crate::{Sample, meaning_of};

/// Until when evidence is spent.
#[derive(Debug)]
pub(super) struct Spent<'a> {
    journal: &'a Journal,
    by_hash: BTreeMap<&'a LineHash, Timestamp>,
}

/// What the journal says of a rule that is not in the broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Past {
    /// When an edit last concerned it.
    pub(super) until: Timestamp,
    /// Whether that edit put it in and a person saw it there: then a person took it out by hand.
    pub(super) taken_out_by_hand: bool,
    /// When an edit last concerned it in each section, and above all of them.
    places: BTreeMap<Option<String>, Timestamp>,
}

impl Past {
    /// When an edit last concerned it in a section, or where it holds for all.
    pub(super) fn until_in(&self, section: Option<&str>) -> Option<Timestamp> {
        self.places.get(&section.map(str::to_owned)).copied()
    }
}

/// A wish that a person said yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer<'a> {
    /// The section in which the line was to stand; none: it was to hold for all.
    pub(super) section: Option<&'a str>,
    /// When they did.
    pub(super) at: Timestamp,
}

impl<'a> Spent<'a> {
    pub(super) fn of(journal: &'a Journal) -> Self {
        let mut by_hash: BTreeMap<&LineHash, Timestamp> = BTreeMap::new();
        for edit in &journal.edits {
            let undoes = matches!(edit.cause, Cause::Reverted | Cause::Probation);
            for change in edit.changes.iter().filter(|change| change.kind != ChangeKind::Move) {
                for hash in change.hash_before.iter().chain(change.hash_after.iter().filter(|_| undoes)) {
                    let until = by_hash.entry(hash).or_insert(edit.ts);
                    *until = edit.ts.max(*until);
                }
            }
        }
        Self { journal, by_hash }
    }

    /// Until when evidence about a line is spent: it was changed, and is back.
    pub(super) fn for_line(&self, hash: &LineHash) -> Option<Timestamp> {
        self.by_hash.get(hash).copied()
    }

    /// What became of each rule that an edit put in or took out, by its key. Whoever took out what they cannot have seen had not
    /// read the file since.
    pub(super) fn rules(&self, stood: Option<&Stood>) -> BTreeMap<String, Past> {
        let was_seen = |change: &Change| match (&change.hash_after, stood) {
            (Some(hash), Some(stood)) => stood.has_seen(hash),
            (None, _) | (_, None) => true,
        };
        let mut found: BTreeMap<String, Past> = BTreeMap::new();
        for (at, edit) in self.journal.edits.iter().enumerate() {
            let later = self.journal.edits.get(at + 1..).unwrap_or(&[]);
            for change in edit.changes.iter().filter(|change| !forgotten(later, change)) {
                let mut note = |text: &str, taken_out_by_hand: bool| {
                    let past = found.entry(meaning_of(text)).or_default();
                    (past.until, past.taken_out_by_hand) = (edit.ts, taken_out_by_hand);
                    past.places.insert(change.project.clone(), edit.ts);
                    if goes_to_all(change) {
                        past.places.insert(None, edit.ts);
                    }
                };
                if let Some(text) = change.before.as_ref().filter(|_| change.kind != ChangeKind::Move) {
                    note(text, false);
                }
                if let Some(text) = &change.after {
                    note(text, was_seen(change));
                }
            }
        }
        found
    }

    /// What a person said yes to of all that rests on these words, in whatever words the line then got: they, or a model, may have
    /// given it others, by which nobody knows the wish again.
    pub(super) fn answers(&self, wish: &[&Sample]) -> Vec<Answer<'a>> {
        let accepted = self.journal.edits.iter().filter(|edit| edit.cause == Cause::Accepted);
        let changes = accepted.flat_map(|edit| edit.changes.iter().map(|change| (edit.ts, change)));
        let rests_on_it = |change: &Change| {
            matches!(change.kind, ChangeKind::Add | ChangeKind::Rewrite)
                && change.evidence.iter().any(|one| wish.iter().any(|sample| sample.path == one.fragment))
        };
        changes
            .filter(|(_, change)| rests_on_it(change))
            .map(|(at, change)| Answer { section: change.project.as_deref(), at })
            .collect()
    }

    /// Whether an edit moved a line before.
    pub(super) fn was_moved(&self, hash: &LineHash) -> bool {
        let changes = self.journal.edits.iter().flat_map(|edit| &edit.changes);
        changes
            .filter(|change| change.kind == ChangeKind::Move)
            .any(|change| change.hash_before.as_ref() == Some(hash))
    }

    /// Whether a line is in the broadcast because an edit put it there.
    pub(super) fn was_added(&self, hash: &LineHash) -> bool {
        let changes = self.journal.edits.iter().flat_map(|edit| &edit.changes);
        changes
            .filter(|change| change.kind == ChangeKind::Add)
            .any(|change| change.hash_after.as_ref() == Some(hash))
    }
}

/// Whether a change took a line out of its section, to where it holds for all. One that moves within its list keeps its name.
fn goes_to_all(change: &Change) -> bool {
    change.kind == ChangeKind::Move && change.hash_before != change.hash_after
}

/// What was forgotten has no past: other people's words may say the same.
fn forgotten(later: &[Edit], change: &Change) -> bool {
    let of_hash = |other: &Change| other.hash_before.is_some() && other.hash_before == change.hash_after;
    later.iter().filter(|edit| edit.cause == Cause::Forgotten).any(|edit| edit.changes.iter().any(of_hash))
}

impl Spent<'_> {
    /// Whether an edit put a line into the section of a project: then the section may go with its last line.
    pub(super) fn added_to(&self, project: &str) -> bool {
        let changes = self.journal.edits.iter().flat_map(|edit| &edit.changes);
        changes
            .filter(|change| change.kind == ChangeKind::Add)
            .any(|change| change.project.as_deref() == Some(project))
    }
}
