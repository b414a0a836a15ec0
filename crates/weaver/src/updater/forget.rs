//! Forgetting an origin: an event, or a session. What came from it goes, and never comes back: not by a copy of it in another session,
//! and not from another home ([`forget_again`]).
//!
//! Order: the origin is entered into `state/forgotten.json`, then the broadcast gives up the changes that do not stand without
//! it, then the words of lines that are gone are taken out of the journal, and proposals, checks, fragments and dossiers go. Whatever is left after a crash goes
//! when the same is asked for again: the journal keeps what each change rests on. The log itself stays.
//!
//! What falls is found from the lines that are there, not from the edits that were made: a line may have come and gone and
//! come back through reverts ([`Lineage`]). Each step may bring back an older line of the same origin, so it is repeated
//! until nothing falls.
//!
//! What others said of a line that goes is a wish of theirs that no line covers any more: it is heard again, as if it had been said first.
//!
//! A person's own save wins also here: a line that stands there again after it was forgotten stays, since nobody can tell a
//! wish from the old text in an editor. Whoever has the same origin forgotten again has decided, and it goes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_memory::fragments::{self, Found, Rejected, Stored};
use subcortex_memory::{
    Broadcast, Cause, Change, ChangeKind, Edit, EvidenceRef, Forgotten, Fragment, Journal, JudgedBy, Line,
    LineHash, MadeHere, Origin, Proposal, SignalKind, Trajectory, check_files,
};
use subcortex_model::{Event, Gate};
use subcortex_spine::{Item, Reader};
use subcortex_store::durable;

use crate::coordinator::unfinished;
use crate::stood::Stood;
use crate::tally::sessions_of;
use crate::{WeaveError, Workshop, crystallizer};

use super::commit::{Committed, commit, recover};
use super::lineage::{Lineage, Step, gives_words};
use super::plan::Strength;
use super::spent::Spent;
use super::undo::undo;
use super::wording::{self, Words};

/// How the types of events begin with which a person speaks.
const CHANNEL: &str = "channel.";
const WHY: &str = "what it came from was to be forgotten";
/// How a wish is understood whose line is gone.
const HEARD_AGAIN: &str = "a wish that no line covers any more: what the line came from was to be forgotten";

/// What forgetting an origin did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgot {
    /// The fragments that go, as references.
    pub fragments: Vec<String>,
    /// The lines that change, as references.
    pub lines: Vec<String>,
    /// The proposals that go, as references.
    pub proposals: Vec<String>,
    /// The dossiers that went, as references.
    pub dossiers: Vec<String>,
    /// The edit that took lines back.
    pub edit: Option<Edit>,
    /// Whether somebody edited the broadcast at the same moment: ask again.
    pub edited_meanwhile: bool,
    /// What could not be read, as references and why: something of it may be left.
    pub damaged: Vec<String>,
}

/// Whether it is done, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgetting {
    /// It is done.
    ForReal,
    /// It is said what would go.
    DryRun,
}

/// Forgets an event or a session. The ledger follows when the crystallizer runs next, which also makes the dossiers again that enough is
/// left for.
pub fn forget(shop: &Workshop, origin: &str, forgetting: Forgetting) -> Result<Forgot, WeaveError> {
    let wanted = with_copies(shop, origin)?;
    take_out(shop, Some(origin), &wanted, forgetting)
}

/// Forgets once more what was to be forgotten: what comes from another home may hold it again.
pub fn forget_again(shop: &Workshop) -> Result<Forgot, WeaveError> {
    let wanted = Forgotten::read(&*shop.disk, &shop.folder)?;
    if wanted == Forgotten::default() {
        return Ok(Forgot::default());
    }
    take_out(shop, /*origin*/ None, &wanted, Forgetting::ForReal)
}

/// Takes out what came from these origins. The one that a person named is noted first; then nothing of it becomes evidence again.
fn take_out(
    shop: &Workshop,
    origin: Option<&str>,
    wanted: &Forgotten,
    forgetting: Forgetting,
) -> Result<Forgot, WeaveError> {
    let disk = &*shop.disk;
    let folder = &shop.folder;
    if forgetting == Forgetting::ForReal {
        recover(shop)?;
    }
    let Found { fragments: all, rejected } = fragments::read_all(disk, folder)?;
    let (gone, rest): (Vec<&Stored>, Vec<&Stored>) = all.iter().partition(|stored| {
        let Fragment { source_event_id, session_key, source_ts, .. } = &stored.fragment;
        wanted.holds(source_event_id.as_str(), session_key.as_deref(), Some(*source_ts))
    });
    let journal = Journal::read(disk, folder)?;
    let broadcast = crate::quiet::read(shop, &|| false)?;
    let rest: BTreeMap<&str, &Stored> =
        rest.into_iter().map(|stored| (stored.path.as_str(), stored)).collect();
    let before = Forgotten::read(disk, folder)?;
    let basis = Basis { origin, wanted, rest: &rest, before: &before };
    let lineage = Lineage::of(&journal).after_saves(Stood::read(shop)?.unwrap_or_default());
    let taken = take_back(&broadcast, &journal, &lineage, &basis);
    let words = forgotten_words(&taken.after, &lineage, &basis);
    let proposals = Proposal::read_all(disk, folder)?.waiting;
    let is_to_go = |proposal: &&Proposal| {
        let mut change = proposal.change.clone();
        change.hash_after = hash_of_words(&change);
        basis.loses(&proposal.change) || change.forget_words(&words)
    };
    let proposals: Vec<&Proposal> = proposals.iter().filter(is_to_go).collect();
    let mut forgot = Forgot {
        fragments: gone.iter().map(|stored| stored.path.clone()).collect(),
        lines: taken.references.clone(),
        proposals: proposals
            .iter()
            .map(|proposal| format!("memory/proposals/{}.yaml", proposal.id))
            .collect(),
        damaged: damaged(&journal, &rejected),
        ..Forgot::default()
    };
    if forgetting == Forgetting::DryRun {
        return Ok(forgot);
    }
    if let Some(origin) = origin {
        remember(shop, origin, wanted, &gone, &words, before.clone())?;
    }
    if !taken.changes.is_empty() {
        let edit = forgetting_edit(shop, taken.changes, &words);
        let text = taken.after.text.unwrap_or_default();
        match commit(shop, &broadcast, &text, &edit)? {
            Committed::Done => forgot.edit = Some(edit),
            Committed::Conflict | Committed::Busy => {
                forgot.edited_meanwhile = true;
                return Ok(forgot);
            }
        }
    }
    forgot.dossiers = erase(shop, &lineage, &words, &proposals, &forgot.fragments)?;
    hear_again(shop, rest.values().copied(), &words)?;
    forgot.dossiers.extend(crystallizer::forget_pages(disk, folder)?);
    Ok(forgot)
}

/// Takes the words out of everything but the broadcast, with what goes as a whole; says which dossiers went.
fn erase(
    shop: &Workshop,
    lineage: &Lineage<'_>,
    words: &BTreeSet<String>,
    proposals: &[&Proposal],
    fragments: &[String],
) -> Result<Vec<String>, WeaveError> {
    let (disk, folder) = (&*shop.disk, &shop.folder);
    Journal::forget_words(disk, folder, words)?;
    check_files::forget(disk, folder, words)?;
    let dossiers = crystallizer::forget_lines(disk, folder, &lineage.lines_with(words))?;
    for proposal in proposals {
        proposal.remove(disk, folder)?;
    }
    for path in fragments.iter().filter_map(|reference| folder.resolve(reference)) {
        durable::remove(disk, &path)?;
    }
    Ok(dossiers)
}

/// Edits and pieces of evidence that cannot be read: what they hold cannot be followed.
fn damaged(journal: &Journal, rejected: &[Rejected]) -> Vec<String> {
    journal.damage().chain(rejected.iter().map(Rejected::to_string)).collect()
}

/// What other people said for a line that is gone becomes a wish of its own.
fn hear_again<'f>(
    shop: &Workshop,
    rest: impl Iterator<Item = &'f Stored>,
    words: &BTreeSet<String>,
) -> Result<(), WeaveError> {
    let (disk, folder) = (&*shop.disk, &shop.folder);
    let made_here = MadeHere::read(disk, folder)?;
    let mut wishes = rest.filter(|stored| is_for_one_of(&stored.fragment, words)).peekable();
    if wishes.peek().is_some() {
        unfinished::note(shop, Some(shop.now))?; // nobody has to say anything for them to be looked at
    }
    for Stored { path, fragment } in wishes {
        let wish = [Fragment {
            line: None,
            trajectory: Trajectory::NewSignal,
            activation: Trajectory::NewSignal.usual_activation(),
            judged_by: match fragment.judged_by {
                JudgedBy::Person => JudgedBy::Check,
                by @ (JudgedBy::Check | JudgedBy::Model) => by,
            },
            note: HEARD_AGAIN.to_owned(),
            pointers: Vec::new(),
            ..fragment.clone()
        }];
        match made_here.holds(disk, folder, path)? {
            true => MadeHere::write(disk, folder, &wish)?,
            false => fragments::write(disk, folder, &wish)?,
        };
        if let Some(old) = folder.resolve(path) {
            durable::remove(disk, &old)?;
        }
    }
    Ok(())
}

/// Whether somebody wishes in a fragment what one of these lines says.
fn is_for_one_of(fragment: &Fragment, words: &BTreeSet<String>) -> bool {
    let is_about = fragment.line.as_ref().is_some_and(|line| words.contains(line.hash.of_words()));
    is_about && fragment.signal.is_a_wish() && fragment.root_cause.is_none()
}

/// An origin with all that repeats it: a session that was resumed or forked says the same under its own name.
fn with_copies(shop: &Workshop, origin: &str) -> Result<Forgotten, WeaveError> {
    let mut wanted = Forgotten::default();
    wanted.events.insert(origin.to_owned());
    wanted.sessions.insert(origin.to_owned());
    let only_its_own = wanted.clone();
    each_message(shop, |event| {
        if only_its_own.holds(event.id.as_str(), event.session_key.as_deref(), Some(event.ts)) {
            wanted.learn(&event);
            if event.ts > shop.now {
                wanted.events.insert(event.id.as_str().to_owned()); // it is there, whatever it says of its time
            }
        }
    })?;
    // A copy may stand in front of what it repeats.
    if !wanted.copies.is_empty() {
        each_message(shop, |event| wanted.learn(&event))?;
    }
    Ok(wanted)
}

/// Reads all that people said, from the first day that is kept.
fn each_message(shop: &Workshop, mut take: impl FnMut(Event)) -> Result<(), WeaveError> {
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, None)?;
    reader.read(|_, item| {
        if let Item::Record { envelope, .. } = item
            && envelope.event_type.starts_with(CHANNEL)
            && envelope.gate() == Gate::External
            && let Ok(event) = envelope.to_event()
        {
            take(event);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

fn remember(
    shop: &Workshop,
    origin: &str,
    wanted: &Forgotten,
    gone: &[&Stored],
    words: &BTreeSet<String>,
    mut forgotten: Forgotten,
) -> Result<(), WeaveError> {
    durable::make_dirs(&*shop.disk, shop.folder.root(), Path::new("state"))?;
    let is_session = gone.iter().any(|stored| stored.fragment.session_key.as_deref() == Some(origin));
    let is_event = gone.iter().any(|stored| stored.fragment.source_event_id.as_str() == origin);
    let before = forgotten.clone();
    // An origin without fragments may be either, and still be read later.
    if is_session || !is_event {
        let is_whole = forgotten.sessions.contains(origin) && !forgotten.until.contains_key(origin);
        forgotten.sessions.insert(origin.to_owned());
        if !is_whole {
            // What is there has come before, whatever the clock says.
            let came = gone.iter().filter_map(|stored| stored.fragment.source_event_id.appended_at());
            forgotten.until.insert(origin.to_owned(), came.fold(shop.now, Timestamp::max));
        }
    }
    if is_event || !is_session {
        forgotten.events.insert(origin.to_owned());
    }
    forgotten.events.extend(wanted.events.iter().filter(|event| *event != origin).cloned());
    forgotten.copies.extend(wanted.copies.iter().cloned());
    if !words.is_empty() {
        forgotten.lines.entry(origin.to_owned()).or_default().extend(words.iter().cloned());
    }
    if forgotten != before {
        forgotten.write(&*shop.disk, &shop.folder)?;
    }
    Ok(())
}

/// The edit does not repeat the words that are to be forgotten.
fn forgetting_edit(shop: &Workshop, mut changes: Vec<Change>, words: &BTreeSet<String>) -> Edit {
    for change in &mut changes {
        change.before = None;
        change.forget_words(words);
        change.evidence.clear();
    }
    shop.edit(Cause::Forgotten, changes)
}

/// The broadcast without what does not stand.
struct TakenBack {
    after: Broadcast,
    changes: Vec<Change>,
    /// The lines that change, as they are numbered now.
    references: Vec<String>,
}

fn take_back(
    broadcast: &Broadcast,
    journal: &Journal,
    lineage: &Lineage<'_>,
    basis: &Basis<'_>,
) -> TakenBack {
    let spent = Spent::of(journal);
    let mut taken = TakenBack { after: broadcast.clone(), changes: Vec::new(), references: Vec::new() };
    // Each change is taken back once, so that rewrites to and fro come to an end.
    let mut used = BTreeSet::new();
    let by_hand = ByHandCopies::of(broadcast, lineage);
    loop {
        let is_by_hand =
            |line: &Line| broadcast.by_hash(&line.hash).is_some() && by_hand.hold(line, &taken.after);
        let came_back = |line: &&Line| is_by_hand(line) && basis.came_back(line, lineage);
        let lines = taken.after.lines.iter().filter(|line| !is_by_hand(line));
        let mut falling = falling_lines(lines, lineage, basis, &mut used);
        falling.extend(taken.after.lines.iter().filter(came_back).map(whole_line));
        falling.extend(falling_moves_and_removals(&taken.after, lineage, basis, &mut used));
        // What cannot be taken back any more, because a person rewrote the line since, is the person's.
        falling.retain(|change| undo(&taken.after, [change], &spent, WHY).is_ok());
        let Ok(undone) = undo(&taken.after, &falling, &spent, WHY) else { return taken };
        if undone.changes.is_empty() {
            return taken;
        }
        if taken.changes.is_empty() {
            taken.references = undone.changes.iter().filter_map(reference).collect();
        }
        taken.changes.extend(undone.changes);
        taken.after = Broadcast::parse(undone.text);
    }
}

/// How many lines with the same words a person wrote by hand. Nobody can tell which of several they are, and it makes no difference.
struct ByHandCopies<'b>(BTreeMap<&'b str, usize>);

impl<'b> ByHandCopies<'b> {
    fn of(broadcast: &'b Broadcast, lineage: &Lineage<'_>) -> Self {
        let mut copies: BTreeMap<&str, usize> = BTreeMap::new();
        for line in broadcast.lines.iter().filter(|line| lineage.is_by_hand(&line.hash)) {
            *copies.entry(line.hash.of_words()).or_default() += 1;
        }
        Self(copies)
    }

    /// Whether a line is one of them: the last ones with these words are.
    fn hold(&self, line: &Line, now: &Broadcast) -> bool {
        let words = line.hash.of_words();
        let from_here_on = now.lines.iter().filter(|other| other.number >= line.number);
        let copies = from_here_on.filter(|other| other.hash.of_words() == words).count();
        self.0.get(words).is_some_and(|by_hand| copies <= *by_hand)
    }
}

/// A line as the change that put it there.
fn whole_line(line: &Line) -> Change {
    Change {
        kind: ChangeKind::Add,
        line_before: None,
        line_after: Some(line.number),
        hash_before: None,
        hash_after: Some(line.hash.clone()),
        before: None,
        after: Some(line.text.clone()),
        project: line.project.clone(),
        why: WHY.into(),
        evidence: Vec::new(),
        rate_before: None,
        rate_after: None,
    }
}

/// The changes whose words stand in the broadcast and do not stand without the origin.
fn falling_lines<'l>(
    lines: impl Iterator<Item = &'l Line>,
    lineage: &Lineage<'_>,
    basis: &Basis<'_>,
    used: &mut BTreeSet<(usize, usize)>,
) -> Vec<Change> {
    let mut found = Vec::new();
    for line in lines {
        let Some(latest) = lineage.makers(&line.hash).next().filter(|step| basis.loses(step.change)) else {
            continue;
        };
        let unused = lineage.makers(&line.hash).find(|step| !used.contains(&step.at));
        used.extend(unused.iter().map(|step| step.at));
        let maker = unused.filter(|step| basis.loses(step.change));
        let mut change =
            Change { hash_after: Some(line.hash.clone()), ..maker.unwrap_or(latest).change.clone() };
        if maker.is_none() || change.before.is_none() {
            // It has come back more often than edits gave it, or what stood there before is forgotten as well: the line goes.
            change.kind = ChangeKind::Add;
        }
        found.push(change);
    }
    found
}

/// The lines that were removed or moved because of the origin alone.
fn falling_moves_and_removals(
    now: &Broadcast,
    lineage: &Lineage<'_>,
    basis: &Basis<'_>,
    used: &mut BTreeSet<(usize, usize)>,
) -> Vec<Change> {
    let is_of_origin =
        |hash: &LineHash| lineage.makers(hash).next().is_some_and(|step| basis.loses(step.change));
    let falls = |step: &Step<'_>| {
        let change = step.change;
        let mut later = lineage.after(step);
        let is_open = match (change.kind, &change.hash_before) {
            (ChangeKind::Remove, Some(hash)) => {
                now.by_hash(hash).is_none()
                    && change.before.is_some()
                    && !is_of_origin(hash)
                    && !later.any(|other| other.hash_after.as_ref() == Some(hash))
            }
            (ChangeKind::Move, Some(_)) if !gives_words(change) => {
                !later.any(|other| other.kind != ChangeKind::Move && other.hash_before == change.hash_after)
            }
            (ChangeKind::Remove | ChangeKind::Move | ChangeKind::Add | ChangeKind::Rewrite, _) => false,
        };
        is_open && !lineage.is_reverted(step) && basis.loses(change)
    };
    let steps: Vec<Step<'_>> = lineage.standing().filter(falls).collect();
    steps.into_iter().filter(|step| used.insert(step.at)).map(|step| step.change.clone()).collect()
}

/// The words that nobody may find below `memory/` any more: those that came from the origin and stand nowhere.
fn forgotten_words(after: &Broadcast, lineage: &Lineage<'_>, basis: &Basis<'_>) -> BTreeSet<String> {
    let (mut gone, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let is_left = |step: &Step<'_>| gives_words(step.change) && !basis.went_before(step.change);
    for step in lineage.standing().filter(is_left) {
        let Some(hash) = &step.change.hash_after else { continue };
        let words = if basis.loses(step.change) { &mut gone } else { &mut kept };
        words.insert(hash.of_words().to_owned());
    }
    gone.extend(
        basis.origin.and_then(|origin| basis.before.lines.get(origin)).into_iter().flatten().cloned(),
    );
    kept.extend(after.lines.iter().map(|line| line.hash.of_words().to_owned()));
    gone.difference(&kept).cloned().collect()
}

/// A proposal has no identity after it yet: that of its words.
fn hash_of_words(change: &Change) -> Option<LineHash> {
    change.after.as_deref().map(|text| LineHash::of(text, change.project.as_deref(), 1))
}

fn reference(change: &Change) -> Option<String> {
    let number = change.line_before.or(change.line_after)?;
    Some(format!("{}:L{number}", subcortex_memory::MemoryFolder::BROADCAST_REF))
}

/// What is left to stand on.
struct Basis<'a> {
    /// What a person named, just now.
    origin: Option<&'a str>,
    /// What is to be forgotten.
    wanted: &'a Forgotten,
    rest: &'a BTreeMap<&'a str, &'a Stored>,
    /// What was forgotten before.
    before: &'a Forgotten,
}

impl Basis<'_> {
    /// Whether a line went when the same was forgotten before, and nothing but a save put it there again.
    fn came_back(&self, line: &Line, lineage: &Lineage<'_>) -> bool {
        self.origin.is_some_and(|origin| self.before.went_with(origin, &line.hash))
            && lineage.makers(&line.hash).all(|step| self.loses(step.change))
    }

    /// Whether all that a change rests on was forgotten before.
    fn went_before(&self, change: &Change) -> bool {
        let mut evidence = change.evidence.iter();
        let went = |one: &EvidenceRef| self.before.holds(&one.event_id, one.session_key.as_deref(), None);
        !change.evidence.is_empty() && evidence.all(went) && !self.loses(change)
    }

    /// Whether a change rests on the origin, and not well enough on anything else.
    fn loses(&self, change: &Change) -> bool {
        let (of_origin, others): (Vec<&EvidenceRef>, Vec<&EvidenceRef>) =
            change.evidence.iter().partition(|evidence| {
                self.wanted.holds(&evidence.event_id, evidence.session_key.as_deref(), None)
            });
        if of_origin.is_empty() {
            return false;
        }
        let left: Vec<&Stored> =
            others.iter().filter_map(|evidence| self.rest.get(evidence.fragment.as_str()).copied()).collect();
        !self.suffices(&left) || !says(change, &left)
    }

    fn suffices(&self, left: &[&Stored]) -> bool {
        let first_hand = left.iter().filter(|stored| stored.fragment.origin == Origin::Person);
        let standing =
            first_hand.clone().any(|stored| stored.fragment.signal == SignalKind::StandingInstruction);
        let said = first_hand.map(|stored| &stored.fragment);
        let sessions = sessions_of(
            said.filter_map(|said| Some((said.source_ts, &*said.quote, said.session_key.as_deref()?))),
        );
        Strength { standing, sessions: sessions.len() }.suffices()
    }
}

/// Whether the words of a change are those of somebody who is left.
fn says(change: &Change, left: &[&Stored]) -> bool {
    let Some(after) = &change.after else { return true };
    let hash = subcortex_checks::line_hash(after);
    let is_it = |text: &str| subcortex_checks::line_hash(text) == hash;
    let is_asked = |quote: &str| subcortex_checks::worded_before(quote).is_some_and(|text| is_it(&text));
    change.kind == ChangeKind::Move
        || left.iter().any(|stored| match wording::of(&stored.fragment.quote) {
            Words::Rule(text) => is_it(&text) || is_asked(&stored.fragment.quote),
            Words::Removal => false,
            Words::Unclear => is_asked(&stored.fragment.quote),
        })
}
