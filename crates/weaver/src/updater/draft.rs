//! A plan as the text that comes of it, and as the changes that the journal keeps.

use subcortex_known_agents::hooks::PRIORITY_LINE;
use subcortex_memory::{Broadcast, Change, ChangeKind};

use super::page::Page;
use super::plan::{Place, PlannedChange, Target, first_fragment};
use super::spent::Spent;

/// The most lines that the broadcast has after an edit.
pub(crate) const MAX_LINES: usize = 200;
/// The most bytes that the broadcast has after an edit: 25 kB.
pub(crate) const MAX_BYTES: usize = 25_000;

/// What comes of a plan.
#[derive(Debug)]
pub(super) struct Draft {
    /// The whole new broadcast.
    pub(super) text: String,
    /// What changed, for the journal.
    pub(super) changes: Vec<Change>,
    /// The changes of the plan that are in it.
    pub(super) planned: Vec<PlannedChange>,
    /// What could not be done, and why.
    pub(super) held_back: Vec<String>,
}

/// Makes as much of the changes as the limits allow. They come in the order of their strength: the weakest give way.
pub(super) fn draft(
    broadcast: &Broadcast,
    changes: &[PlannedChange],
    priority: bool,
    spent: &Spent<'_>,
) -> Draft {
    let mut changes = changes.to_vec();
    let mut held_back = Vec::new();
    loop {
        let applied = apply(broadcast, &changes, priority, spent);
        let (drop, why) = match applied {
            Ok((text, made)) => match too_large(broadcast, &text) {
                None => return Draft { text, changes: made, planned: changes, held_back },
                Some(why) => match changes.iter().rposition(grows) {
                    Some(last) => (last, why),
                    None => return Draft { text, changes: made, planned: changes, held_back },
                },
            },
            Err((broken, why)) => (broken, why.to_owned()),
        };
        if drop >= changes.len() {
            return Draft {
                text: broadcast.text.clone().unwrap_or_default(),
                changes: Vec::new(),
                planned: Vec::new(),
                held_back,
            };
        }
        let change = changes.remove(drop);
        let what = change.line.as_ref().map_or_else(|| first_fragment(&change).to_owned(), Target::reference);
        held_back.push(format!("{what} waits: {why}"));
    }
}

fn grows(change: &PlannedChange) -> bool {
    matches!(change.kind, ChangeKind::Add | ChangeKind::Rewrite)
}

/// Says which limit an edit would break. A file that is too large already may get smaller.
fn too_large(broadcast: &Broadcast, text: &str) -> Option<String> {
    let before = broadcast.text.as_deref().unwrap_or("");
    let (lines, lines_before) = (text.lines().count(), before.lines().count());
    if lines > MAX_LINES && lines > lines_before {
        return Some(format!(
            "memory/CLAUDE.md would have {lines} lines, and at most {MAX_LINES} are allowed"
        ));
    }
    let too_long = text.len() > MAX_BYTES && text.len() > before.len();
    too_long.then(|| {
        format!("memory/CLAUDE.md would have {} bytes, and at most {MAX_BYTES} are allowed", text.len())
    })
}

type Broken = (usize, &'static str);

/// Carries out all changes; or says which one cannot be, and why.
fn apply(
    broadcast: &Broadcast,
    changes: &[PlannedChange],
    priority: bool,
    spent: &Spent<'_>,
) -> Result<(String, Vec<Change>), Broken> {
    let mut page = Page::of(broadcast);
    let mark = page.usual_mark();
    let mut emptied = Vec::new();
    for (tag, change) in changes.iter().enumerate() {
        let number = change.line.as_ref().map_or(0, |line| line.number);
        let old = page.line(number).unwrap_or("").to_owned();
        let text = change.text.as_deref().unwrap_or("");
        match (change.kind, change.place) {
            (ChangeKind::Add, _) => {
                page.add(change.project.as_deref(), &format!("{mark}{text}"), tag);
            }
            (ChangeKind::Rewrite, _) => page.replace(number, &format!("{}{text}", Page::mark_of(&old))),
            (ChangeKind::Remove, _) => {
                page.remove(number);
                emptied.extend(change.project.clone());
            }
            (ChangeKind::Move, Place::ListTop) => {
                let top = page.first_of_list(number).ok_or((tag, "it cannot be moved up"))?;
                page.move_before(number, top);
            }
            (ChangeKind::Move, Place::SectionEnd) => {
                let rule = old.get(Page::mark_of(&old).len()..).unwrap_or("").to_owned();
                page.remove(number);
                page.add(None, &format!("{mark}{rule}"), tag);
                emptied.extend(broadcast.by_number(number).and_then(|line| line.project.clone()));
            }
        }
    }
    for project in emptied.iter().filter(|project| spent.added_to(project)) {
        page.drop_empty_section(project);
    }
    if priority {
        page.begin_with_priority();
    }
    let text = page.text();
    let after = Broadcast::parse(text.clone());
    let made: Result<Vec<Change>, Broken> = changes
        .iter()
        .enumerate()
        .map(|(tag, change)| recorded(tag, change, &page, broadcast, &after))
        .collect();
    let mut made = made?;
    if priority {
        made.insert(0, priority_change());
    }
    Ok((text, made))
}

/// A change as the journal keeps it.
fn recorded(
    tag: usize,
    change: &PlannedChange,
    page: &Page,
    before: &Broadcast,
    after: &Broadcast,
) -> Result<Change, Broken> {
    let old = change.line.as_ref().and_then(|line| before.by_hash(&line.hash));
    let line_after = page.tagged(tag).or_else(|| old.and_then(|line| page.now_at(line.number)));
    let new = line_after.and_then(|number| after.by_number(number));
    let goes = change.kind == ChangeKind::Remove;
    if !goes && new.is_none() {
        return Err((tag, "it would stand in a code block or a comment"));
    }
    let to_all = change.kind == ChangeKind::Move && change.place == Place::SectionEnd;
    if let Some(new) = new
        && new.project != change.project.clone().filter(|_| !to_all)
    {
        return Err((tag, "it would stand in another section"));
    }
    Ok(Change {
        kind: change.kind,
        line_before: old.map(|line| line.number),
        line_after: new.map(|line| line.number),
        hash_before: old.map(|line| line.hash.clone()),
        hash_after: new.map(|line| line.hash.clone()),
        before: old.map(|line| line.text.clone()),
        after: new.map(|line| line.text.clone()),
        // Where it stood, so that it can be put back.
        project: old.map_or_else(|| change.project.clone(), |line| line.project.clone()),
        why: change.why.clone(),
        evidence: change.named_evidence(),
        rate_before: change.rate_before,
        rate_after: None,
    })
}

fn priority_change() -> Change {
    Change {
        kind: ChangeKind::Add,
        line_before: None,
        line_after: Some(1),
        hash_before: None,
        hash_after: None,
        before: None,
        after: Some(PRIORITY_LINE.into()),
        project: None,
        why: "memory/priority.md exists, so the broadcast begins with it".into(),
        evidence: Vec::new(),
        rate_before: None,
        rate_after: None,
    }
}
