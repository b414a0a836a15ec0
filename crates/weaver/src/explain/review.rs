//! Edits that wait for a person's yes, each with what was said and what the agent had done.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use subcortex_guard::Redactor;
use subcortex_memory::fragments::{self, Stored};
use subcortex_memory::{Broadcast, ChangeKind, EvidenceRef, Proposal, Rate};

use super::beside::{Beside, Standing};
use super::moment::{Said, Wanted, moments};
use crate::{WeaveError, Workshop};

/// How many pieces of evidence of one proposal are looked up: the newest.
const MAX_EVIDENCE: usize = 3;

/// All edits that wait.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    /// The edits, by name.
    pub waiting: Vec<Waiting>,
    /// Files that are no proposals, with the reason.
    pub broken: Vec<(String, String)>,
}

/// An edit that waits. No text of it holds a secret.
#[derive(Debug, Clone, Serialize)]
pub struct Waiting {
    /// Its name.
    pub id: String,
    /// Since when.
    pub created: Timestamp,
    /// Why it is not made.
    pub waits_because: String,
    /// What speaks for it that the words are meant to last, and against it, the weightiest first.
    pub reasons: Vec<String>,
    /// What it would do.
    pub kind: ChangeKind,
    /// To which line.
    pub line: Option<usize>,
    /// The line as it stands.
    pub before: Option<String>,
    /// The words that it would have, without the mark of a list.
    pub words: Option<String>,
    /// The project that it would hold in.
    pub project: Option<String>,
    /// The lines that stand already and say the opposite, or much the same.
    pub beside: Vec<Beside>,
    /// Why somebody wants it.
    pub why: String,
    /// How the line fared so far.
    pub rate_before: Option<Rate>,
    /// The newest evidence for it.
    pub evidence: Vec<Evidence>,
    /// How many more pieces there are.
    pub more_evidence: usize,
}

/// One piece of evidence for an edit that waits.
#[derive(Debug, Clone, Serialize)]
pub struct Evidence {
    /// The event.
    pub event_id: String,
    /// Its session.
    pub session: Option<String>,
    /// When it happened.
    pub ts: Option<Timestamp>,
    /// The words that were heard.
    pub quote: Option<String>,
    /// How they were understood.
    pub note: Option<String>,
    /// The whole message, and what the agent had done.
    #[serde(flatten)]
    pub said: Option<Said>,
}

/// Looks up all edits that wait for a person's yes.
pub fn review(shop: &Workshop) -> Result<Review, WeaveError> {
    let proposals = Proposal::read_all(&*shop.disk, &shop.folder)?;
    let cited: Vec<&EvidenceRef> = proposals.waiting.iter().flat_map(newest_evidence).collect();
    let pieces: BTreeMap<&str, Stored> = cited
        .iter()
        .filter_map(|one| Some((one.fragment.as_str(), fragment(shop, &one.fragment)?)))
        .collect();
    let wanted: BTreeSet<Wanted> = cited
        .iter()
        .map(|one| Wanted {
            event_id: one.event_id.clone(),
            session_key: one.session_key.clone(),
            ts: pieces.get(one.fragment.as_str()).map(|stored| stored.fragment.source_ts),
        })
        .collect();
    let said = moments(shop, &wanted)?;
    let broadcast = Broadcast::read(&*shop.disk, &shop.folder)?;
    let standing = Standing::of(&broadcast);
    let waiting =
        proposals.waiting.iter().map(|proposal| shown(proposal, &standing, &pieces, &said)).collect();
    Ok(Review { waiting, broken: proposals.broken })
}

fn newest_evidence(proposal: &Proposal) -> impl Iterator<Item = &EvidenceRef> {
    proposal.change.evidence.iter().rev().take(MAX_EVIDENCE)
}

/// The fragment that a reference names, if it is one.
fn fragment(shop: &Workshop, reference: &str) -> Option<Stored> {
    let (day, name) = reference.strip_prefix("memory/fragments/")?.split_once('/')?;
    let is_plain = |part: &str| !part.is_empty() && !part.contains('/') && !part.starts_with('.');
    if !is_plain(day) || !is_plain(name) {
        return None;
    }
    fragments::read_one(&*shop.disk, &shop.folder, day, name).ok()?.ok()
}

fn shown(
    proposal: &Proposal,
    standing: &Standing<'_>,
    pieces: &BTreeMap<&str, Stored>,
    said: &BTreeMap<String, Said>,
) -> Waiting {
    let redactor = Redactor::new();
    let clean = |text: &String| redactor.text(text).into_owned();
    let bare = |text: &String| without_mark(clean(text));
    let change = &proposal.change;
    let evidence: Vec<Evidence> = newest_evidence(proposal)
        .map(|one| {
            let piece = pieces.get(one.fragment.as_str()).map(|stored| &stored.fragment);
            Evidence {
                event_id: one.event_id.clone(),
                session: one.session_key.clone(),
                ts: piece.map(|piece| piece.source_ts),
                quote: piece.map(|piece| piece.quote.clone()),
                note: piece.map(|piece| piece.note.clone()),
                said: said.get(&one.event_id).cloned(),
            }
        })
        .collect();
    let found = change.after.as_ref().map(|words| standing.beside(change, &without_mark(words.clone())));
    let beside = found
        .unwrap_or_default()
        .into_iter()
        .map(|beside| Beside { text: bare(&beside.text), ..beside })
        .collect();
    Waiting {
        id: proposal.id.clone(),
        created: proposal.created,
        waits_because: proposal.waits_because.clone(),
        reasons: proposal.reasons.clone(),
        kind: change.kind,
        line: change.line_before,
        before: change.before.as_ref().map(clean),
        words: change.after.as_ref().map(&bare),
        project: change.project.clone(),
        beside,
        why: clean(&change.why),
        rate_before: change.rate_before,
        more_evidence: change.evidence.len() - evidence.len(),
        evidence,
    }
}

fn without_mark(text: String) -> String {
    let trimmed = text.trim_start();
    let bare = ["- ", "* ", "+ "].iter().find_map(|mark| trimmed.strip_prefix(mark));
    bare.map_or_else(|| trimmed.to_owned(), str::to_owned)
}
