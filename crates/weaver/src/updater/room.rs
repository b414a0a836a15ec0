//! How many wishes wait for a person at once, and for how long.
//!
//! People look at a short list. So the wishes that no line says yet wait at most [`MAX_ASKED`] at a time, those for which most speaks; a
//! better one takes the place of the least, which is asked about when there is room again. One that nobody answered in
//! [`LAPSES_AFTER`] is dropped, and comes back only when somebody says it again. What is proposed about lines that stand is not counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::{ChangeKind, Proposal};

use super::plan::PlannedProposal;

/// How many wishes wait for a person at most.
pub const MAX_ASKED: usize = 20;
/// After how long without an answer a wish is dropped: 30 days.
const LAPSES_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What becomes of proposals, those that wait and those that are new.
#[derive(Debug, Default)]
pub(super) struct Room<'a> {
    /// New ones that are to wait.
    pub(super) asked: Vec<&'a PlannedProposal>,
    /// Those that give way to better ones.
    pub(super) withdrawn: Vec<&'a Proposal>,
    /// Those that nobody answered.
    pub(super) lapsed: Vec<&'a Proposal>,
}

enum Wish<'a> {
    Waits(&'a Proposal),
    IsNew(&'a PlannedProposal),
}

/// Decides who waits.
pub(super) fn of<'a>(
    planned: &'a [PlannedProposal],
    waiting: &'a [Proposal],
    lapsed: &BTreeMap<String, Timestamp>,
    now: Timestamp,
) -> Room<'a> {
    let mut room = Room::default();
    let is_old = |proposal: &Proposal| now.duration_since(proposal.created) >= LAPSES_AFTER;
    let mut wishes: Vec<(i32, Wish<'a>)> = Vec::new();
    for proposal in waiting.iter().filter(|proposal| proposal.change.kind == ChangeKind::Add) {
        if is_old(proposal) {
            room.lapsed.push(proposal);
        } else {
            wishes.push((proposal.points, Wish::Waits(proposal)));
        }
    }
    let dropped: BTreeSet<&str> = room.lapsed.iter().map(|proposal| proposal.id.as_str()).collect();
    for proposal in planned {
        let was_dropped = dropped.contains(proposal.id.as_str())
            || lapsed
                .get(&proposal.id)
                .is_some_and(|until| proposal.change.newest.is_none_or(|newest| newest <= *until));
        if proposal.change.kind != ChangeKind::Add {
            room.asked.push(proposal);
        } else if !was_dropped {
            wishes.push((proposal.change.weighed.points(), Wish::IsNew(proposal)));
        }
    }
    // Of equals those that wait already: the list does not change for nothing.
    wishes.sort_by_key(|(points, _)| Reverse(*points));
    for (place, (_, wish)) in wishes.into_iter().enumerate() {
        match wish {
            Wish::IsNew(proposal) if place < MAX_ASKED => room.asked.push(proposal),
            Wish::Waits(proposal) if place >= MAX_ASKED => room.withdrawn.push(proposal),
            Wish::IsNew(_) | Wish::Waits(_) => {}
        }
    }
    room
}
