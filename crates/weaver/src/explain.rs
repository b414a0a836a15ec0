//! From a line to the events that justify it, and from an event to the lines that rest on it.

mod beside;
mod days;
mod history;
mod moment;
mod origin;
mod review;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;
use subcortex_checks::RootCause;
use subcortex_memory::fragments::{self, Stored};
use subcortex_memory::{
    Broadcast, Edit, Fragment, Journal, LineHash, MadeBy, Origin, SignalKind, Trajectory,
};

use crate::{CompiledBroadcast, TrustState, WeaveError, Workshop};

pub use beside::{Beside, Says};
pub use days::{day, newest_days};
pub use history::{ToldEdit, ToldTrial, history};
pub use moment::{Deed, Said, Wanted, moments};
pub use origin::{LoggedOrigins, logged_origins, remembered_origins};
pub use review::{Evidence, Review, Waiting, review};

/// Everything that is known of a line.
#[derive(Debug, Clone, Serialize)]
pub struct Why {
    /// Its number.
    pub line: usize,
    /// The line as written.
    pub text: String,
    /// Its identity.
    pub hash: LineHash,
    /// The project that it holds in; none: everywhere.
    pub project: Option<String>,
    /// How much evidence there is.
    pub counts: Counts,
    /// Who made its check.
    pub by: MadeBy,
    /// Why its check is not trusted: then what that check decided is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_trusted: Option<String>,
    /// The evidence, oldest first.
    pub fragments: Vec<Piece>,
    /// The edits that made it what it is, oldest first.
    pub edits: Vec<Edit>,
}

/// How much evidence there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// That it was followed.
    pub strengthening: u64,
    /// That it was not, or was contradicted.
    pub weakening: u64,
    /// Of `weakening`: a person said that the line itself is wrong.
    pub contradicted: u64,
    /// That nobody can read either way.
    pub neutral: u64,
    /// All of it.
    pub total: u64,
}

/// One piece of evidence.
#[derive(Debug, Clone, Serialize)]
pub struct Piece {
    /// The fragment, as a reference.
    pub path: String,
    /// The event that it quotes.
    pub event_id: String,
    /// What it says.
    pub trajectory: Trajectory,
    /// The words.
    pub quote: String,
    /// Why it was kept.
    pub signal: SignalKind,
    /// When it happened.
    pub ts: Timestamp,
    /// Its session.
    pub session_key: Option<String>,
    /// The project directory in which it happened.
    pub project: Option<String>,
    /// Whether a person says that the line itself is wrong.
    pub contradicts: bool,
    /// How it was understood.
    pub note: String,
}

/// Everything that rests on an event or a session.
#[derive(Debug, Clone, Serialize)]
pub struct RestsOn {
    /// The event or session.
    pub origin: String,
    /// The lines of the broadcast that its fragments are about.
    pub lines: Vec<String>,
    /// Its fragments, oldest first.
    pub fragments: Vec<Piece>,
    /// The edits that cite it, oldest first.
    pub edits: Vec<Edit>,
}

/// Why a line is there and how it fares; `None` when it is no rule.
pub fn why_line(shop: &Workshop, number: usize) -> Result<Option<Why>, WeaveError> {
    let (compiled, _) = CompiledBroadcast::read(&*shop.disk, &shop.folder)?;
    let Some((line, known)) = compiled.by_number(number) else { return Ok(None) };
    let doubt = TrustState::read(&*shop.disk, &shop.folder)?.of(line, known).doubt().map(str::to_owned);
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let (edits, family) = history_of(&journal, &line.hash);
    let cited: BTreeSet<&str> = edits
        .iter()
        .flat_map(|edit| &edit.changes)
        .filter(|change| change.hash_after.as_ref().is_some_and(|hash| family.contains(hash)))
        .flat_map(|change| &change.evidence)
        .map(|evidence| evidence.fragment.as_str())
        .collect();
    let mut found = fragments::read_all(&*shop.disk, &shop.folder)?.fragments;
    let about = |stored: &Stored| stored.fragment.line.as_ref().is_some_and(|about| about.hash == line.hash);
    found.retain(|stored| about(stored) || cited.contains(stored.path.as_str()));
    let mut counts = Counts::default();
    for stored in found.iter().filter(|stored| about(stored)) {
        if doubt.is_some() && stored.fragment.is_by_check() {
            continue; // shown as evidence that is set aside, and counted nowhere
        }
        counts.total += 1;
        match stored.fragment.trajectory {
            Trajectory::Strengthening => counts.strengthening += 1,
            Trajectory::Weakening => {
                counts.weakening += 1;
                counts.contradicted += u64::from(contradicts(&stored.fragment));
            }
            Trajectory::Neutral | Trajectory::NewSignal => counts.neutral += 1,
        }
    }
    Ok(Some(Why {
        line: number,
        text: line.text.clone(),
        hash: line.hash.clone(),
        project: line.project.clone(),
        counts,
        by: known.by,
        not_trusted: doubt,
        fragments: pieces(found),
        edits,
    }))
}

/// What rests on an event or a session.
pub fn rests_on(shop: &Workshop, origin: &str) -> Result<RestsOn, WeaveError> {
    let broadcast = Broadcast::read(&*shop.disk, &shop.folder)?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let mut found = fragments::read_all(&*shop.disk, &shop.folder)?.fragments;
    found.retain(|stored| {
        stored.fragment.source_event_id.as_str() == origin
            || stored.fragment.session_key.as_deref() == Some(origin)
    });
    let cites = |edit: &&Edit| {
        edit.changes
            .iter()
            .flat_map(|change| &change.evidence)
            .any(|evidence| evidence.event_id == origin || evidence.session_key.as_deref() == Some(origin))
    };
    let edits: Vec<Edit> = journal.edits.iter().filter(cites).cloned().collect();
    let about = found.iter().filter_map(|stored| stored.fragment.line.as_ref()).map(|line| &line.hash);
    let edited = edits.iter().flat_map(|edit| &edit.changes).filter_map(|change| change.hash_after.as_ref());
    let hashes: BTreeSet<&LineHash> = about.chain(edited).collect();
    let lines = broadcast.lines.iter().filter(|line| hashes.contains(&line.hash));
    Ok(RestsOn {
        origin: origin.to_owned(),
        lines: lines.map(subcortex_memory::Line::reference).collect(),
        fragments: pieces(found),
        edits,
    })
}

/// The edits that made a line what it is, oldest first, and all identities that it had.
fn history_of(journal: &Journal, hash: &LineHash) -> (Vec<Edit>, BTreeSet<LineHash>) {
    let mut family = BTreeSet::from([hash.clone()]);
    let mut edits = Vec::new();
    for edit in journal.edits.iter().rev() {
        let mine: Vec<_> = edit
            .changes
            .iter()
            .filter(|change| change.hash_after.as_ref().is_some_and(|after| family.contains(after)))
            .collect();
        if mine.is_empty() {
            continue;
        }
        family.extend(mine.iter().filter_map(|change| change.hash_before.clone()));
        edits.push(edit.clone());
    }
    edits.reverse();
    (edits, family)
}

/// Whether a person says that the line itself is wrong.
fn contradicts(fragment: &Fragment) -> bool {
    fragment.origin == Origin::Person && fragment.root_cause == Some(RootCause::DirectionWrong)
}

fn pieces(mut found: Vec<Stored>) -> Vec<Piece> {
    found.sort_by(|one, other| {
        (one.fragment.source_ts, &one.path).cmp(&(other.fragment.source_ts, &other.path))
    });
    let piece = |stored: Stored| Piece {
        path: stored.path,
        event_id: stored.fragment.source_event_id.as_str().to_owned(),
        contradicts: contradicts(&stored.fragment),
        trajectory: stored.fragment.trajectory,
        quote: stored.fragment.quote,
        signal: stored.fragment.signal,
        ts: stored.fragment.source_ts,
        session_key: stored.fragment.session_key,
        project: stored.fragment.project,
        note: stored.fragment.note,
    };
    found.into_iter().map(piece).collect()
}
