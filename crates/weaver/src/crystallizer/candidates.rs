//! What no line says, grouped by what is meant.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_memory::{Broadcast, ChangeKind, Journal, Line, LineHash, Origin, SignalKind};

use super::fold::session_of;
use crate::tally::sessions_of;
use crate::{Candidate, Tally};

/// All that says the same.
#[derive(Debug, Clone)]
pub(super) struct Group<'a> {
    /// What is meant: the same for other words of the same rule.
    pub(super) key: String,
    /// The evidence, oldest first.
    pub(super) members: Vec<&'a Candidate>,
    /// The line that says it by now.
    pub(super) said_by: Option<&'a Line>,
}

/// The groups, by key.
pub(super) fn group<'a>(tally: &'a Tally, broadcast: &'a Broadcast, journal: &Journal) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<String, Vec<&Candidate>> = BTreeMap::new();
    for candidate in &tally.candidates {
        groups.entry(candidate.key.clone()).or_default().push(candidate);
    }
    if groups.is_empty() {
        return Vec::new();
    }
    let added = added_for(journal);
    let by_hash: BTreeMap<&LineHash, &Line> = broadcast.lines.iter().map(|line| (&line.hash, line)).collect();
    let lines =
        |member: &&Candidate| added.get(member.sample.path.as_str()).and_then(|hash| by_hash.get(hash));
    let groups = groups.into_iter().map(|(key, members)| {
        let said_by = members.iter().find_map(lines).copied();
        Group { key, members, said_by }
    });
    groups.collect()
}

/// The line that was added on each fragment.
fn added_for(journal: &Journal) -> BTreeMap<&str, &LineHash> {
    let changes = journal.edits.iter().flat_map(|edit| &edit.changes);
    let added = changes.filter(|change| matches!(change.kind, ChangeKind::Add | ChangeKind::Rewrite));
    let mut found = BTreeMap::new();
    for change in added {
        let Some(hash) = &change.hash_after else { continue };
        found.extend(change.evidence.iter().map(|evidence| (evidence.fragment.as_str(), hash)));
    }
    found
}

impl<'a> Group<'a> {
    /// The evidence in people's own words, oldest first.
    pub(super) fn by_people(&self) -> impl DoubleEndedIterator<Item = &'a Candidate> + '_ {
        self.members.iter().copied().filter(|member| member.origin == Origin::Person)
    }

    /// The sessions in which people said it.
    pub(super) fn sessions(&self) -> BTreeSet<&'a str> {
        let said = self.by_people().map(|member| &member.sample);
        sessions_of(said.map(|sample| (sample.ts, &*sample.quote, session_of(sample))))
    }

    /// Whether a person said that it is to last.
    pub(super) fn is_standing(&self) -> bool {
        self.by_people().any(|member| member.sample.signal == SignalKind::StandingInstruction)
    }

    /// Whether no person said it: then it is never acted on.
    pub(super) fn is_quarantined(&self) -> bool {
        self.by_people().next().is_none()
    }

    /// Whether it came up often enough, or firmly enough, to be remembered.
    pub(super) fn is_promoted(&self) -> bool {
        self.is_standing() || self.sessions().len() >= MIN_SESSIONS
    }
}

/// In how many sessions something has to come up before it counts as recurring.
pub(super) const MIN_SESSIONS: usize = 2;
