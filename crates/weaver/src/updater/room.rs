//! How many wishes wait for a person at once, and for how long.
//!
//! People look at a short list. So the wishes that no line says yet wait at most [`MAX_ASKED`] at a time, those for which most speaks; a
//! better one takes the place of the least, which is asked about when there is room again. One that nobody answered in
//! [`LAPSES_AFTER`] is dropped, and comes back only when somebody says it again. What is proposed about lines that stand is not counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::{ChangeKind, Proposal};

use super::plan::{Plan, PlannedProposal};
use super::settled::Resting;
use crate::{WeaveError, Workshop};

/// How many wishes wait for a person at most.
pub const MAX_ASKED: usize = 20;
/// After how long without an answer a wish is dropped: 30 days.
const LAPSES_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How often a full list is looked at again, for the wishes that found no place on it.
const LOOKED_AT_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// Whether as many wishes wait as may: others may have found no place.
pub(super) fn is_full(shop: &Workshop) -> Result<bool, WeaveError> {
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting;
    Ok(waiting.iter().filter(|proposal| proposal.change.kind == ChangeKind::Add).count() >= MAX_ASKED)
}

/// When a full list is to be looked at again; `None` where there is room.
pub(crate) fn look_again_at(shop: &Workshop) -> Result<Option<Timestamp>, WeaveError> {
    Ok(is_full(shop)?.then(|| shop.now.checked_add(LOOKED_AT_AFTER).unwrap_or(shop.now)))
}

/// A proposal that is new, as far as it matters here.
#[derive(Debug, Clone, Copy)]
struct Applicant<'a> {
    id: &'a str,
    points: i32,
    is_new_rule: bool,
    newest: Option<Timestamp>,
}

/// What becomes of proposals, those that wait and those that are new.
#[derive(Debug, Default)]
pub(super) struct Room<'a> {
    /// New ones that are to wait, by their names.
    pub(super) asked: BTreeSet<&'a str>,
    /// Those that give way to better ones.
    pub(super) withdrawn: Vec<&'a Proposal>,
    /// Those that nobody answered.
    pub(super) lapsed: Vec<&'a Proposal>,
}

enum Wish<'a> {
    Waits(&'a Proposal),
    IsNew(&'a str),
}

/// Decides who waits.
pub(super) fn of<'a>(
    plan: &'a Plan,
    waiting: &'a [Proposal],
    lapsed: &BTreeMap<String, Timestamp>,
    now: Timestamp,
) -> Room<'a> {
    let mut room = Room::default();
    let is_old = |proposal: &Proposal| now.duration_since(proposal.created) >= LAPSES_AFTER;
    let mut wishes: Vec<(Rank<'a>, Wish<'a>)> = Vec::new();
    for proposal in waiting.iter().filter(|proposal| proposal.change.kind == ChangeKind::Add) {
        if is_old(proposal) {
            room.lapsed.push(proposal);
        } else {
            wishes.push(((Reverse(proposal.points), 0, Reverse(None), &proposal.id), Wish::Waits(proposal)));
        }
    }
    let dropped: BTreeSet<&str> = room.lapsed.iter().map(|proposal| proposal.id.as_str()).collect();
    for Applicant { id, points, is_new_rule, newest } in applicants(plan) {
        let was_dropped = dropped.contains(id)
            || lapsed.get(id).is_some_and(|until| newest.is_none_or(|newest| newest <= *until));
        if !is_new_rule {
            room.asked.insert(id);
        } else if !was_dropped {
            wishes.push(((Reverse(points), 1, Reverse(newest), id), Wish::IsNew(id)));
        }
    }
    wishes.sort_by_key(|(rank, _)| *rank);
    for (place, (_, wish)) in wishes.into_iter().enumerate() {
        match wish {
            Wish::IsNew(id) if place < MAX_ASKED => _ = room.asked.insert(id),
            Wish::Waits(proposal) if place >= MAX_ASKED => room.withdrawn.push(proposal),
            Wish::IsNew(_) | Wish::Waits(_) => {}
        }
    }
    room
}

/// The smaller, the earlier. Of equals those that wait already, so that the list does not change for nothing; then the newest.
type Rank<'a> = (Reverse<i32>, u8, Reverse<Option<Timestamp>>, &'a str);

fn applicants(plan: &Plan) -> impl Iterator<Item = Applicant<'_>> {
    let new = plan.proposals.iter().map(|PlannedProposal { id, change, .. }| Applicant {
        id,
        points: change.weighed.points(),
        is_new_rule: change.kind == ChangeKind::Add,
        newest: change.newest,
    });
    let remembered = plan.resting.iter().map(|Resting { id, points, is_new_rule, newest, .. }| Applicant {
        id,
        points: *points,
        is_new_rule: *is_new_rule,
        newest: *newest,
    });
    new.chain(remembered)
}
