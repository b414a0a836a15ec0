//! Changes taken back, against the broadcast as it is now: what people changed meanwhile stays.

use subcortex_memory::{Broadcast, Change, ChangeKind, Line, LineHash};

use super::page::Page;
use super::spent::Spent;

/// What taking changes back comes to.
#[derive(Debug)]
pub(super) struct Undone {
    /// The whole new broadcast.
    pub(super) text: String,
    /// What changes, for the journal.
    pub(super) changes: Vec<Change>,
}

/// Why a change cannot be taken back.
#[derive(Debug)]
pub(super) enum Stuck<'c> {
    /// Its line is neither as the edit left it nor as it was before.
    ChangedSince(&'c Change),
    /// It would bring back words that were forgotten.
    Forgotten,
}

/// Takes changes back. What is undone already is passed over.
pub(super) fn undo<'c>(
    broadcast: &Broadcast,
    changes: impl IntoIterator<Item = &'c Change>,
    spent: &Spent<'_>,
    why: &str,
) -> Result<Undone, Stuck<'c>> {
    let mut page = Page::of(broadcast);
    let mut steps = Vec::new();
    let mut changes: Vec<&Change> = changes.into_iter().collect();
    // What was added goes first and what was removed comes back from the top, so that the old numbers fit.
    changes.sort_by_key(|change| (change.kind == ChangeKind::Remove, change.line_before));
    let find = |hash: &Option<LineHash>| hash.as_ref().and_then(|hash| broadcast.by_hash(hash));
    for change in changes {
        let tag = steps.len();
        let old_words = || change.before.as_deref().ok_or(Stuck::Forgotten);
        let step = match (change.kind, find(&change.hash_after), find(&change.hash_before)) {
            (ChangeKind::Add, Some(line), _) => {
                page.remove(line.number);
                drop_section(&mut page, change, spent);
                Step { kind: ChangeKind::Remove, line: Some(line), change }
            }
            // The old words stand in a line of their own by now: a second one would say nothing new, and nobody could tell whose it is.
            (ChangeKind::Rewrite, Some(line), Some(old)) if old.number != line.number => {
                page.remove(line.number);
                drop_section(&mut page, change, spent);
                Step { kind: ChangeKind::Remove, line: Some(line), change }
            }
            (ChangeKind::Rewrite, Some(line), _) => {
                page.replace(line.number, old_words()?);
                Step { kind: ChangeKind::Rewrite, line: Some(line), change }
            }
            (ChangeKind::Remove, _, None) => {
                put_back(&mut page, change, old_words()?, tag);
                Step { kind: ChangeKind::Add, line: None, change }
            }
            (ChangeKind::Move, Some(line), Some(old)) if old.number != line.number => {
                page.remove(line.number);
                drop_section(&mut page, change, spent);
                Step { kind: ChangeKind::Remove, line: Some(line), change }
            }
            (ChangeKind::Move, Some(line), _) => {
                if change.hash_before == change.hash_after {
                    page.move_to(line.number, change.line_before.unwrap_or(line.number));
                } else {
                    page.remove(line.number);
                    put_back(&mut page, change, old_words()?, tag);
                }
                Step { kind: ChangeKind::Move, line: Some(line), change }
            }
            (ChangeKind::Rewrite, None, None) => return Err(Stuck::ChangedSince(change)),
            (ChangeKind::Add, None, _)
            | (ChangeKind::Rewrite, None, Some(_))
            | (ChangeKind::Remove, _, Some(_))
            | (ChangeKind::Move, None, _) => continue,
        };
        steps.push(step);
    }
    let text = page.text();
    let after = Broadcast::parse(text.clone());
    let changes =
        steps.iter().enumerate().map(|(tag, step)| step.recorded(tag, &page, &after, why)).collect();
    Ok(Undone { text, changes })
}

fn put_back(page: &mut Page, change: &Change, line: &str, tag: usize) {
    page.put_back(change.line_before.unwrap_or(0), change.project.as_deref(), line, tag);
}

fn drop_section(page: &mut Page, change: &Change, spent: &Spent<'_>) {
    if let Some(project) = change.project.as_deref().filter(|project| spent.added_to(project)) {
        page.drop_empty_section(project);
    }
}

struct Step<'a> {
    kind: ChangeKind,
    line: Option<&'a Line>,
    change: &'a Change,
}

impl Step<'_> {
    fn recorded(&self, tag: usize, page: &Page, after: &Broadcast, why: &str) -> Change {
        let number = page.tagged(tag).or_else(|| self.line.and_then(|line| page.now_at(line.number)));
        let new = number.and_then(|number| after.by_number(number));
        Change {
            kind: self.kind,
            line_before: self.line.map(|line| line.number),
            line_after: new.map(|line| line.number),
            hash_before: self.line.map(|line| line.hash.clone()),
            hash_after: new.map(|line| line.hash.clone()),
            before: self.line.map(|line| line.text.clone()),
            after: new.map(|line| line.text.clone()),
            project: self.line.map_or_else(|| self.change.project.clone(), |line| line.project.clone()),
            why: why.to_owned(),
            evidence: self.change.evidence.clone(),
            rate_before: None,
            rate_after: None,
        }
    }
}
