//! Edits that wait for a person's yes, each with what was said and what the agent had done.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use subcortex_guard::Redactor;
use subcortex_memory::fragments::{self, Stored};
use subcortex_memory::{EvidenceRef, Proposal, Rate};
use subcortex_weaver::Workshop;
use subcortex_weaver::explain::{Said, Wanted, moments};

use crate::{Page, PageError};

/// How many pieces of evidence of one proposal are looked up: the newest.
const MAX_EVIDENCE: usize = 3;

#[derive(Debug, Serialize)]
pub(crate) struct Review {
    waiting: Vec<Waiting>,
    /// Files that are no proposals, with the reason.
    broken: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
struct Waiting {
    id: String,
    created: Timestamp,
    waits_because: String,
    kind: subcortex_memory::ChangeKind,
    line: Option<usize>,
    before: Option<String>,
    /// The words that it would have, without the mark of a list.
    words: Option<String>,
    project: Option<String>,
    why: String,
    rate_before: Option<Rate>,
    evidence: Vec<Evidence>,
    /// How many more pieces there are.
    more_evidence: usize,
}

#[derive(Debug, Serialize)]
struct Evidence {
    event_id: String,
    session: Option<String>,
    ts: Option<Timestamp>,
    quote: Option<String>,
    note: Option<String>,
    #[serde(flatten)]
    said: Option<Said>,
}

pub(crate) fn review(page: &Page) -> Result<Review, PageError> {
    let shop = page.helm.workshop();
    let proposals = Proposal::read_all(&*shop.disk, &shop.folder)?;
    let cited: Vec<&EvidenceRef> = proposals.waiting.iter().flat_map(newest_evidence).collect();
    let pieces: BTreeMap<&str, Stored> = cited
        .iter()
        .filter_map(|one| Some((one.fragment.as_str(), fragment(&shop, &one.fragment)?)))
        .collect();
    let wanted: BTreeSet<Wanted> = cited
        .iter()
        .map(|one| Wanted {
            event_id: one.event_id.clone(),
            session_key: one.session_key.clone(),
            ts: pieces.get(one.fragment.as_str()).map(|stored| stored.fragment.source_ts),
        })
        .collect();
    let said = moments(&shop, &wanted)?;
    let waiting = proposals.waiting.iter().map(|proposal| shown(proposal, &pieces, &said)).collect();
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

fn shown(proposal: &Proposal, pieces: &BTreeMap<&str, Stored>, said: &BTreeMap<String, Said>) -> Waiting {
    let redactor = Redactor::new();
    let clean = |text: &String| redactor.text(text).into_owned();
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
    Waiting {
        id: proposal.id.clone(),
        created: proposal.created,
        waits_because: proposal.waits_because.clone(),
        kind: change.kind,
        line: change.line_before,
        before: change.before.as_ref().map(clean),
        words: change.after.as_ref().map(clean).map(without_mark),
        project: change.project.clone(),
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
