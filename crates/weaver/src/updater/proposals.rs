//! Changes that wait for a person's yes.

use subcortex_checks::Weighed;
use subcortex_memory::{Broadcast, Change, ChangeKind, Proposal};

use crate::meaning_of;

use super::page::Page;
use super::plan::{Place, PlannedChange, PlannedProposal, Strength, Target};

const ID_DIGITS: usize = 16;

/// The name of a change as a proposal: the same for the same change, whatever it rests on.
pub(super) fn id_of(change: &PlannedChange) -> String {
    let kind = match change.kind {
        ChangeKind::Add => "add",
        ChangeKind::Rewrite => "rewrite",
        ChangeKind::Remove => "remove",
        ChangeKind::Move => "move",
    };
    let line = change.line.as_ref().map_or("", |line| line.hash.as_str());
    let mut hasher = blake3::Hasher::new();
    for part in [kind, line, change.project.as_deref().unwrap_or(""), change.text.as_deref().unwrap_or("")] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    format!("prop_{}", hasher.finalize().to_hex().get(..ID_DIGITS).unwrap_or_default())
}

/// The rule that a change would bring in, as a hash of where it holds and what it means, in whatever words.
pub(super) fn rule_of(project: Option<&str>, text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [project.unwrap_or(""), &meaning_of(text)] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    format!("rule_{}", hasher.finalize().to_hex().get(..ID_DIGITS).unwrap_or_default())
}

/// The same of a proposal in its file; `None` when it would bring none in.
pub(super) fn rule_of_file(proposal: &Proposal) -> Option<String> {
    let change = &proposal.change;
    match change.kind {
        ChangeKind::Add | ChangeKind::Rewrite => {
            let after = change.after.as_deref()?;
            Some(rule_of(change.project.as_deref(), after.get(Page::mark_of(after).len()..).unwrap_or(after)))
        }
        ChangeKind::Remove | ChangeKind::Move => None,
    }
}

/// The proposal as it stands in its file.
pub(super) fn to_file(
    planned: &PlannedProposal,
    broadcast: &Broadcast,
    created: jiff::Timestamp,
) -> Proposal {
    let change = &planned.change;
    let line = change.line.as_ref().and_then(|target| broadcast.by_hash(&target.hash));
    let mark = line.map_or_else(|| Page::of(broadcast).usual_mark(), |line| Page::mark_of(&line.text));
    Proposal {
        id: planned.id.clone(),
        created,
        waits_because: planned.waits_because.clone(),
        points: change.weighed.points(),
        reasons: change.weighed.in_words(),
        change: Change {
            kind: change.kind,
            line_before: line.map(|line| line.number),
            line_after: None,
            hash_before: line.map(|line| line.hash.clone()),
            hash_after: None,
            before: line.map(|line| line.text.clone()),
            after: change.text.as_ref().map(|text| format!("{mark}{text}")),
            project: change.project.clone(),
            why: change.why.clone(),
            evidence: change.named_evidence(),
            rate_before: change.rate_before,
            rate_after: None,
        },
    }
}

/// The change that a proposal stands for, against the broadcast as it is now; `None` when its line is gone.
pub(super) fn to_change(proposal: &Proposal, broadcast: &Broadcast) -> Option<PlannedChange> {
    let change = &proposal.change;
    let line = match &change.hash_before {
        Some(hash) => Some(Target::of(broadcast.by_hash(hash)?)),
        None => None,
    };
    let text = change
        .after
        .as_deref()
        .map(|after| after.get(Page::mark_of(after).len()..).unwrap_or(after).to_owned());
    let stands_in =
        change.hash_before.as_ref().and_then(|hash| broadcast.by_hash(hash)).map(|line| &line.project);
    let moves_up = change.kind == ChangeKind::Move && stands_in == Some(&change.project);
    let place = if moves_up { Place::ListTop } else { Place::SectionEnd };
    Some(PlannedChange {
        kind: change.kind,
        line,
        text,
        project: change.project.clone(),
        place,
        why: change.why.clone(),
        newest: None,
        evidence: change.evidence.clone(),
        rate_before: change.rate_before,
        strength: Strength::default(),
        weighed: Weighed::default(),
    })
}
