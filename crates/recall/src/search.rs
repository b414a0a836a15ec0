//! A question and its answers.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;
use subcortex_memory::Forgotten;
use subcortex_store::durable;

use crate::index::{Broken, Opened};
use crate::rank::{rank, words_of};
use crate::segment::{Kind, Segment, Stored};
use crate::snippet::snippet;
use crate::sources::broadcast;
use crate::update::{From, update};
use crate::words::Words;
use crate::{Places, RecallError};

/// How many answers are given at most.
pub const MAX_HITS: usize = 100;
/// How often the manifest is read again when somebody replaces segments at the same moment.
const TRIES: usize = 3;

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// Where it stands: a path below the home, with the line or the event where there is one.
    pub path: String,
    /// How well it fits; comparable within one question only.
    pub score: f64,
    /// The part of it that shows why it was found.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<Timestamp>,
    /// The session that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The best answers to a question, the best first. The index is brought up to date before.
pub fn recall(places: &Places, question: &str, limit: usize) -> Result<Vec<Hit>, RecallError> {
    let mut words = Words::default();
    let asked = words_of(question, &mut words);
    if asked.is_empty() {
        return Err(RecallError::NoWords(question.to_owned()));
    }
    let mut from = From::WhatIsThere;
    loop {
        match answer(places, &asked, limit.min(MAX_HITS), from, &mut words) {
            Ok(hits) => return Ok(hits),
            // Something else stands in its place: that is set aside, and it is made anew.
            Err(Broken::Error(error)) if from == From::WhatIsThere && places.is_in_the_way(&error) => {
                if durable::set_aside(&*places.disk, &places.index()).is_err() {
                    return Err(error);
                }
                from = From::Nothing;
            }
            Err(Broken::Error(error)) => return Err(error),
            Err(Broken::Damaged(why)) if from == From::Nothing => {
                return Err(RecallError::Damaged { path: places.index(), why });
            }
            // It can be made anew, so it is.
            Err(Broken::Damaged(_)) => from = From::Nothing,
        }
    }
}

fn answer(
    places: &Places,
    asked: &[String],
    limit: usize,
    from: From,
    words: &mut Words,
) -> Result<Vec<Hit>, Broken> {
    let mut opened = open(places, from, words)?;
    opened.push(Opened::in_memory(broadcast(places, words)?.finish())?);
    let segments: Vec<&Segment> = opened.iter().map(|opened| &opened.segment).collect();
    let forgotten = Forgotten::read(&*places.disk, &places.memory)?;
    let is_forgotten = |stored: &Stored| {
        stored
            .event
            .as_deref()
            .is_some_and(|event| forgotten.holds(event, stored.session.as_deref(), stored.ts))
    };
    let (mut hits, mut paths, mut texts) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for found in rank(&segments, asked) {
        if hits.len() >= limit {
            break;
        }
        let Some(segment) = opened.get(found.segment) else { continue };
        let stored = segment.stored(found.doc)?;
        // A turn that went on stands in two segments, and the same words are evidence for many lines.
        if is_forgotten(&stored) || !paths.insert(stored.path.clone()) {
            continue;
        }
        let text = snippet(&stored.parts, asked, words);
        if !texts.insert(text.clone()) {
            continue;
        }
        let Stored { kind, path, ts, session, .. } = stored;
        hits.push(Hit { path, score: found.score, text, kind, ts, session });
    }
    Ok(hits)
}

/// Opens every segment. One that is gone was replaced by somebody meanwhile, or is damage.
fn open(places: &Places, from: From, words: &mut Words) -> Result<Vec<Opened>, Broken> {
    let mut manifest = update(places, from, words)?;
    for _ in 1..TRIES {
        let opened = manifest.shelves.iter().map(|shelf| places.open_segment(shelf)).collect();
        let again = match (&opened, places.read_manifest()?) {
            (Err(Broken::Damaged(_)), Some(newer)) if newer != manifest => newer,
            _ => return opened,
        };
        manifest = again;
    }
    manifest.shelves.iter().map(|shelf| places.open_segment(shelf)).collect()
}
