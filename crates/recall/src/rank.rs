//! BM25: a document is the better the more often it has the rare words of the question, for its length.

use std::collections::HashMap;

use crate::index::Opened;
use crate::segment::{Builder, Damaged, Kind, Segment, Stored};
use crate::words::Words;

/// How soon a word that comes again counts no more.
const SATURATION: f64 = 1.2;
/// How much a long document has to have more of a word than a short one.
const LENGTH_WEIGHT: f64 = 0.75;

/// A document that has a word of the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub(crate) segment: usize,
    pub(crate) doc: u32,
    pub(crate) score: f64,
}

/// All documents that have a word of the question, the best first.
pub(crate) fn rank(segments: &[&Segment], question: &[String]) -> Vec<Found> {
    let docs: f64 = segments.iter().map(|segment| f64::from(segment.docs())).sum();
    let words: f64 = segments.iter().map(|segment| segment.total_length() as f64).sum();
    let usual_length = if docs > 0.0 { (words / docs).max(1.0) } else { 1.0 };
    let mut scores: Vec<HashMap<u32, f64>> = vec![HashMap::new(); segments.len()];
    for word in question {
        let lists: Vec<_> = segments.iter().map(|segment| segment.find(word)).collect();
        let holding: f64 = lists.iter().flatten().map(|(count, _)| f64::from(*count)).sum();
        let rarity = (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln();
        for ((segment, list), scores) in segments.iter().zip(lists).zip(&mut scores) {
            for posting in list.into_iter().flat_map(|(_, postings)| postings) {
                let (times, length) = (f64::from(posting.times), f64::from(segment.length(posting.doc)));
                let norm = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / usual_length;
                let weight = times * (SATURATION + 1.0) / (times + SATURATION * norm);
                *scores.entry(posting.doc).or_default() += rarity * weight;
            }
        }
    }
    let found = scores.into_iter().enumerate().flat_map(|(segment, scores)| {
        scores.into_iter().map(move |(doc, score)| Found { segment, doc, score })
    });
    let mut found: Vec<Found> = found.collect();
    // The same question always has the same answer.
    let order = |found: &Found| (found.segment, found.doc);
    found.sort_by(|one, other| other.score.total_cmp(&one.score).then(order(one).cmp(&order(other))));
    found
}

/// Texts ranked by the code that ranks memories, without a home: for measuring it on collections of others.
#[derive(Debug)]
pub struct Ranked {
    opened: Opened,
    words: Words,
}

impl Ranked {
    /// Takes texts in, each with its name.
    pub fn of<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Option<Self> {
        let (mut builder, mut words) = (Builder::default(), Words::default());
        for (name, text) in texts {
            let mut counts = HashMap::new();
            words.counted(text, &mut counts);
            let (path, parts) = (name.to_owned(), Vec::new());
            let stored = Stored { kind: Kind::Dossier, path, ts: None, event: None, session: None, parts };
            builder.add(&stored, &counts);
        }
        let opened = Opened::in_memory(builder.finish()).ok()?;
        Some(Self { opened, words })
    }

    /// The names of the best texts for a question.
    pub fn best(&mut self, question: &str, limit: usize) -> Vec<String> {
        let question = words_of(question, &mut self.words);
        let found = rank(&[&self.opened.segment], &question);
        let name = |found: &Found| -> Result<String, Damaged> { Ok(self.opened.stored(found.doc)?.path) };
        found.iter().take(limit).filter_map(|found| name(found).ok()).collect()
    }
}

/// How many different words of a question count; the rest is ignored.
const MAX_WORDS: usize = 64;

/// The different words of a question.
pub(crate) fn words_of(question: &str, words: &mut Words) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    words.each(question, |word| {
        if found.len() < MAX_WORDS && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    });
    found
}
