//! Forgetting an origin: an event, or a session. What came from it goes, and never comes back.
//!
//! Order: the origin is entered into `state/forgotten.json`, then the broadcast gives up the changes that do not stand without
//! it, then proposals and fragments go. Whatever is left after a crash goes when the same is asked for again. The log itself
//! and the earlier entries of the journal stay: they are only ever appended to.

use std::collections::BTreeMap;
use std::path::Path;

use subcortex_memory::fragments::{self, Stored};
use subcortex_memory::{
    Broadcast, Cause, Change, ChangeKind, Edit, EvidenceRef, Forgotten, Journal, Origin, Proposal, SignalKind,
};
use subcortex_store::durable;

use crate::{WeaveError, Workshop};

use super::commit::{Committed, commit, recover};
use super::plan::Strength;
use super::spent::Spent;
use super::undo::undo;
use super::wording::{self, Words};

/// What forgetting an origin did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgot {
    /// The fragments that go, as references.
    pub fragments: Vec<String>,
    /// The lines that change, as references.
    pub lines: Vec<String>,
    /// The proposals that go, as references.
    pub proposals: Vec<String>,
    /// The edit that took lines back.
    pub edit: Option<Edit>,
    /// Whether somebody edited the broadcast at the same moment: ask again.
    pub edited_meanwhile: bool,
}

/// Forgets an event or a session. With `dry_run` it only says what would go. The ledger and the dossiers follow when the
/// crystallizer runs next.
pub fn forget(shop: &Workshop, origin: &str, dry_run: bool) -> Result<Forgot, WeaveError> {
    let disk = &*shop.disk;
    let folder = &shop.folder;
    if !dry_run {
        recover(shop)?;
    }
    let all = fragments::read_all(disk, folder)?.fragments;
    let is_of_origin = |event: &str, session: Option<&str>| event == origin || session == Some(origin);
    let (gone, rest): (Vec<&Stored>, Vec<&Stored>) = all.iter().partition(|stored| {
        is_of_origin(stored.fragment.source_event_id.as_str(), stored.fragment.session_key.as_deref())
    });
    let journal = Journal::read(disk, folder)?;
    let broadcast = Broadcast::read(disk, folder)?;
    let rest: BTreeMap<&str, &Stored> =
        rest.into_iter().map(|stored| (stored.path.as_str(), stored)).collect();
    let basis = Basis { origin, rest };
    let falling = falling(&journal, &basis);
    let why = "what it came from was to be forgotten";
    // What cannot be taken back any more, because a person rewrote the line since, is the person's.
    let falling =
        falling.into_iter().filter(|change| undo(&broadcast, [*change], &Spent::of(&journal), why).is_ok());
    let spent = Spent::of(&journal);
    let undone = undo(&broadcast, falling, &spent, why).ok();
    let proposals = Proposal::read_all(disk, folder)?.waiting;
    let proposals: Vec<&Proposal> =
        proposals.iter().filter(|proposal| basis.loses(&proposal.change)).collect();
    let mut forgot = Forgot {
        fragments: gone.iter().map(|stored| stored.path.clone()).collect(),
        lines: undone.iter().flat_map(|undone| &undone.changes).filter_map(reference).collect(),
        proposals: proposals
            .iter()
            .map(|proposal| format!("memory/proposals/{}.yaml", proposal.id))
            .collect(),
        ..Forgot::default()
    };
    if dry_run {
        return Ok(forgot);
    }
    remember(shop, origin, &gone)?;
    if let Some(undone) = undone.filter(|undone| !undone.changes.is_empty()) {
        let edit = forgetting_edit(shop, undone.changes);
        match commit(shop, &broadcast, &undone.text, &edit)? {
            Committed::Done => forgot.edit = Some(edit),
            Committed::Conflict => {
                forgot.edited_meanwhile = true;
                return Ok(forgot);
            }
        }
    }
    for proposal in proposals {
        proposal.remove(disk, folder)?;
    }
    for path in forgot.fragments.iter().filter_map(|reference| folder.resolve(reference)) {
        durable::remove(disk, &path)?;
    }
    Ok(forgot)
}

fn remember(shop: &Workshop, origin: &str, gone: &[&Stored]) -> Result<(), WeaveError> {
    durable::make_dirs(&*shop.disk, shop.folder.root(), Path::new("state"))?;
    let mut forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    let is_session = gone.iter().any(|stored| stored.fragment.session_key.as_deref() == Some(origin));
    let is_event = gone.iter().any(|stored| stored.fragment.source_event_id.as_str() == origin);
    // An origin without fragments may be either, and still be read later.
    let mut new = false;
    if is_session || !is_event {
        new |= forgotten.sessions.insert(origin.to_owned());
    }
    if is_event || !is_session {
        new |= forgotten.events.insert(origin.to_owned());
    }
    if new {
        forgotten.write(&*shop.disk, &shop.folder)?;
    }
    Ok(())
}

/// The edit does not repeat the words that are to be forgotten.
fn forgetting_edit(shop: &Workshop, mut changes: Vec<Change>) -> Edit {
    for change in &mut changes {
        change.before = None;
        change.evidence.clear();
    }
    Edit {
        id: Edit::new_id(),
        ts: shop.now,
        cause: Cause::Forgotten,
        run_id: shop.run_id.clone(),
        reverts: None,
        bootstrapped: false,
        changes,
    }
}

/// The changes that do not stand without the origin, and were not undone or overwritten since.
fn falling<'j>(journal: &'j Journal, basis: &Basis<'_>) -> Vec<&'j Change> {
    let mut found = Vec::new();
    for (at, edit) in journal.edits.iter().enumerate() {
        let later = journal.edits.get(at + 1..).unwrap_or(&[]);
        if matches!(edit.cause, Cause::Reverted | Cause::Probation | Cause::Forgotten)
            || journal.is_reverted(&edit.id)
        {
            continue;
        }
        let overwritten = |change: &Change| {
            let mut after = later.iter().flat_map(|edit| &edit.changes);
            match change.kind {
                ChangeKind::Remove => after.any(|other| other.hash_after == change.hash_before),
                ChangeKind::Add | ChangeKind::Rewrite | ChangeKind::Move => after.any(|other| {
                    other.kind != ChangeKind::Move
                        && other.hash_before.is_some()
                        && other.hash_before == change.hash_after
                }),
            }
        };
        found.extend(edit.changes.iter().filter(|change| basis.loses(change) && !overwritten(change)));
    }
    found
}

fn reference(change: &Change) -> Option<String> {
    let number = change.line_before.or(change.line_after)?;
    Some(format!("{}:L{number}", subcortex_memory::MemoryFolder::BROADCAST_REF))
}

/// What is left to stand on.
struct Basis<'a> {
    origin: &'a str,
    rest: BTreeMap<&'a str, &'a Stored>,
}

impl Basis<'_> {
    /// Whether a change rests on the origin, and not well enough on anything else.
    fn loses(&self, change: &Change) -> bool {
        let (of_origin, others): (Vec<&EvidenceRef>, Vec<&EvidenceRef>) =
            change.evidence.iter().partition(|evidence| {
                evidence.event_id == self.origin || evidence.session_key.as_deref() == Some(self.origin)
            });
        if of_origin.is_empty() {
            return false;
        }
        let left: Vec<&Stored> =
            others.iter().filter_map(|evidence| self.rest.get(evidence.fragment.as_str()).copied()).collect();
        !self.suffices(&left) || !says(change, &left)
    }

    fn suffices(&self, left: &[&Stored]) -> bool {
        let first_hand = left.iter().filter(|stored| stored.fragment.origin == Origin::Person);
        let standing =
            first_hand.clone().any(|stored| stored.fragment.signal == SignalKind::StandingInstruction);
        let sessions: std::collections::BTreeSet<&str> =
            first_hand.filter_map(|stored| stored.fragment.session_key.as_deref()).collect();
        Strength { standing, sessions: sessions.len() }.suffices()
    }
}

/// Whether the words of a change are those of somebody who is left.
fn says(change: &Change, left: &[&Stored]) -> bool {
    let Some(after) = &change.after else { return true };
    let hash = subcortex_checks::line_hash(after);
    change.kind == ChangeKind::Move
        || left.iter().any(|stored| match wording::of(&stored.fragment.quote) {
            Words::Rule(text) => subcortex_checks::line_hash(&text) == hash,
            Words::Removal => false,
            Words::Unclear => wording::as_said(&stored.fragment.quote)
                .is_some_and(|text| subcortex_checks::line_hash(&text) == hash),
        })
}
