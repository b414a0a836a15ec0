//! Everything that is known of one line, and every edit of the memory.

use serde::Serialize;
use subcortex_memory::{Broadcast, LineHash};
use subcortex_weaver::explain::{Counts, Piece, ToldEdit, history, why_line};

use crate::{Page, PageError};

/// How many pieces of evidence are shown: the newest.
const MAX_PIECES: usize = 100;

#[derive(Debug, Serialize)]
pub(crate) struct LineStory {
    line: usize,
    hash: LineHash,
    counts: Counts,
    /// The newest first.
    fragments: Vec<Piece>,
    /// How many more there are.
    earlier: usize,
    /// The edits that made it what it is, the newest first.
    edits: Vec<ToldEdit>,
}

pub(crate) fn line(page: &Page, hash: &str) -> Result<LineStory, PageError> {
    let shop = page.helm.workshop();
    let missing = || PageError::Missing("there is no such line any more".into());
    let broadcast = Broadcast::read(&*shop.disk, &shop.folder)?;
    let number = broadcast.by_hash(&LineHash::from_file(hash)).ok_or_else(missing)?.number;
    let mut why = why_line(&shop, number)?.ok_or_else(missing)?;
    let mut edits = history(&shop)?;
    edits.retain(|told| why.edits.iter().any(|edit| edit.id == told.edit.id));
    edits.reverse();
    let earlier = why.fragments.len().saturating_sub(MAX_PIECES);
    let mut fragments = why.fragments.split_off(earlier);
    fragments.reverse();
    Ok(LineStory { line: number, hash: why.hash, counts: why.counts, fragments, earlier, edits })
}

pub(crate) fn edits(page: &Page) -> Result<Vec<ToldEdit>, PageError> {
    let mut edits = history(&page.helm.workshop())?;
    edits.reverse();
    Ok(edits)
}
