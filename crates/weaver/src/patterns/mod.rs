//! pattern-tracker: lessons and grooves, from what was done and said at the end of the log.
//!
//! | node | what it takes |
//! |---|---|
//! | `topics/lesson-*.md` | one whole arc: the agent went against a rule, a person said the rule, the agent then kept it, and the person went on without another word about it |
//! | `topics/groove-*.md` | a task that returns in three sessions or more, each time with less effort, and what was run each time |
//!
//! One node, one rule. A node names its condition, its procedure and its occurrences, which are counted from the node's own
//! list: the same arc, read twice, is one. Every node is linked from `topics/patterns.md` in the same run, or it is not
//! written; a page that a person changed is theirs and stays as it is. A wrong lesson is worse than none: what cannot be
//! tested on both sides of the correction is no lesson.

mod groove;
mod lesson;
mod node;

use std::collections::BTreeMap;

use subcortex_model::Turn;

use crate::{WeaveError, Workshop, recent};
use node::Shelf;

/// How much of the end of the log is read, in bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// How many turns are looked at: the last ones.
const MAX_TURNS: usize = 2_000;
/// How many new nodes a run writes.
const MAX_NEW: usize = 10;

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracked {
    /// Nodes that are new, as references.
    pub made: Vec<String>,
    /// Nodes that have more occurrences now, or are contradicted now.
    pub changed: Vec<String>,
    /// Nodes that could not be linked and so were not written.
    pub unlinked: usize,
}

/// Whether dossiers of this name are these nodes.
pub(crate) fn is_page(slug: &str) -> bool {
    slug.starts_with("lesson-") || slug.starts_with("groove-")
}

/// Looks for patterns, and writes them down.
pub fn track(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Tracked, WeaveError> {
    let turns = recent::turns_within(shop, MAX_BYTES, MAX_TURNS)?;
    if cancelled() {
        return Err(WeaveError::Cancelled);
    }
    let sessions = by_session(&turns);
    let mut shelf = Shelf::read(shop)?;
    let mut tracked = Tracked::default();
    let lessons = lesson::find(&sessions);
    let grooves = groove::find(&sessions);
    for contradiction in lesson::contradictions(&sessions, shelf.nodes()) {
        shelf.contradict(&contradiction);
    }
    for node in lessons.into_iter().chain(grooves) {
        shelf.put(node, MAX_NEW);
    }
    if cancelled() {
        return Err(WeaveError::Cancelled);
    }
    shelf.write(shop, &mut tracked)?;
    Ok(tracked)
}

/// Turns that a person opened, by session, in order.
fn by_session(turns: &[Turn]) -> BTreeMap<&str, Vec<&Turn>> {
    let mut sessions: BTreeMap<&str, Vec<&Turn>> = BTreeMap::new();
    for turn in turns {
        if turn.message().is_some_and(|message| message.standing().is_a_persons()) {
            sessions.entry(&turn.session_key).or_default().push(turn);
        }
    }
    sessions.remove("");
    sessions
}
