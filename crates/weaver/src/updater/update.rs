//! One run: plan, look into the evidence, write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;
use subcortex_guard::counted;
use subcortex_memory::{Broadcast, Cause, ChangeKind, Edit, Forgotten, Journal, MemoryFolder, Proposal};
use subcortex_store::durable;

use crate::coordinator::Held;
use crate::stood::Stood;
use crate::{BroadcastMode, CompiledBroadcast, Consulted, Sample, Tally, WeaveError, Workshop};

use super::commit::{Committed, commit, recover};
use super::draft::{Draft, draft};
use super::plan::{MAX_ADDED, Plan, PlannedChange, Request, Situation, plan};
use super::probation::Trial;
use super::proposals;
use super::room;
use super::settled::{Resting, Settled, ground_of};
use super::spent::Spent;
use super::state::State;
use super::undo::undo;
use super::verify::Findings;
use super::wordsmith::Wordsmith;

const JOURNAL_REF: &str = "memory/journal.jsonl";
/// A task for which changes need not wait.
pub const ASKS_FOR_AN_EDIT: &str = "update memory/CLAUDE.md";
const NOTHING_ASKED: &str = "NO-OP: no ledger entry asks for a change.";

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Updated {
    /// The result line: `UPDATED: …`, `NO-OP: …`, `BOOTSTRAPPED: …` or `PARTIAL_UPDATE: …`.
    pub result: String,
    /// Whether somebody else was at the file.
    pub met: Met,
    /// The edit that was made.
    pub edit: Option<Edit>,
    /// The proposals that are new, as references.
    pub proposed: Vec<String>,
    /// What was not done, and why: references only.
    pub held_back: Vec<String>,
    /// The files that changed, as references.
    pub changed: Vec<String>,
    /// From when on the changes may be made that are left for another edit; `None` when none are.
    pub left_until: Option<Timestamp>,
    /// How many of them wait for the interval between two edits, and until when.
    pub held: Option<Held>,
    /// What a model was asked, and what came of it.
    pub model: Consulted,
}

/// Whom an edit met at the broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met {
    /// Nobody: what the result says stands.
    Nobody,
    /// Somebody who writes it: nothing of the edit was written, and the next run decides anew.
    AWriter,
}

impl Updated {
    /// Nothing was done.
    pub(crate) fn nothing() -> Self {
        Self {
            result: NOTHING_ASKED.into(),
            met: Met::Nobody,
            edit: None,
            proposed: Vec::new(),
            held_back: Vec::new(),
            changed: Vec::new(),
            left_until: None,
            held: None,
            model: Consulted::default(),
        }
    }
}

/// Edits the broadcast as the evidence asks for, once.
pub(crate) fn update(
    shop: &Workshop,
    compiled: &CompiledBroadcast,
    tally: &Tally,
    journal: &Journal,
    request: &Request,
) -> Result<Updated, WeaveError> {
    let recovered = recover(shop)?;
    let refusal = durable::why_not_replaceable(&*shop.disk, &Broadcast::file(&*shop.disk, &shop.folder)?)?;
    let proposing = refusal.as_ref().map(|_| shop.proposing());
    let shop = proposing.as_ref().unwrap_or(shop);
    let reread = recovered.as_ref().map(|_| Journal::read(&*shop.disk, &shop.folder)).transpose()?;
    let run = Run {
        shop,
        compiled,
        broadcast: &compiled.broadcast,
        journal: reread.as_ref().unwrap_or(journal),
        request,
    };
    let dossiers = dossiers(shop)?;
    let mut smith = Wordsmith::new(shop, &compiled.broadcast, &dossiers);
    let mut updated = run.carry_out(run.verified_plan(tally, &dossiers)?, &mut smith)?;
    updated.model = smith.counsel.consulted;
    updated.held_back.extend(refusal.map(|why| format!("edits are only proposed: {why}")));
    if let Some(edit) = recovered {
        updated
            .held_back
            .insert(0, format!("edit {} of a run that died was entered into the journal", edit.id));
        if !updated.changed.iter().any(|path| path == JOURNAL_REF) {
            updated.changed.push(JOURNAL_REF.into());
        }
    }
    Ok(updated)
}

struct Run<'a> {
    shop: &'a Workshop,
    compiled: &'a CompiledBroadcast,
    broadcast: &'a Broadcast,
    journal: &'a Journal,
    request: &'a Request,
}

/// What else a plan is made from.
struct Facts {
    priority_exists: bool,
    stood: Option<Stood>,
    forgotten: Forgotten,
    waiting: Vec<Proposal>,
    known_proposals: BTreeSet<String>,
    rejected_rules: BTreeMap<String, Timestamp>,
    lapsed: BTreeMap<String, Timestamp>,
}

impl Facts {
    fn read(shop: &Workshop) -> Result<Self, WeaveError> {
        let (disk, folder) = (&*shop.disk, &shop.folder);
        let State { rejected: mut known_proposals, rejected_rules, lapsed, .. } = State::read(shop)?;
        let waiting = Proposal::read_all(disk, folder)?.waiting;
        known_proposals.extend(waiting.iter().map(|proposal| proposal.id.clone()));
        Ok(Self {
            priority_exists: disk.stat(&folder.priority()).is_ok(),
            stood: Stood::read(shop)?,
            forgotten: Forgotten::read(disk, folder)?,
            waiting,
            known_proposals,
            rejected_rules,
            lapsed,
        })
    }
}

impl Run<'_> {
    /// The plan that is left when every fragment that it acts on was held against the spine.
    fn verified_plan(&self, tally: &Tally, dossiers: &BTreeSet<String>) -> Result<Plan, WeaveError> {
        let facts = Facts::read(self.shop)?;
        let before = Settled::read(self.shop);
        let mut settled = before.clone();
        settled.stand_on(ground_of(&self.situation(&facts, tally, dossiers)));
        let mut findings = Findings::known(tally, &settled);
        loop {
            let tally = findings.applied_to(tally);
            let situation = self.situation(&facts, &tally, dossiers);
            let mut plan = plan(&situation, self.request, &mut settled);
            let room = room::of(&plan, &facts.waiting, &facts.lapsed, self.shop.now);
            // What is written, or given to a model, is worked out and looked into; all else may rest.
            let looks_for_words = self.shop.mind.is_some();
            let is_due =
                |id: &str, wants_words: bool| room.asked.contains(id) || (looks_for_words && wants_words);
            let (due, resting): (Vec<Resting>, Vec<Resting>) =
                plan.resting.iter().cloned().partition(|one| is_due(&one.id, one.wants_words));
            if !due.is_empty() {
                settled.work_out(&due);
                continue;
            }
            let asked = plan.proposals.iter().filter(|proposal| is_due(&proposal.id, proposal.wants_words));
            let cited =
                asked.flat_map(|proposal| proposal.change.fragments()).chain(plan.rests_on.iter().cloned());
            let cited = samples_of(&tally, &cited.collect());
            if !findings.look_into(self.shop, &facts.forgotten, &cited, &mut settled)? {
                plan.resting = resting;
                plan.held_back.extend(findings.refusals());
                plan.waits_until = findings.waits_until();
                settled.write(self.shop, &before)?;
                return Ok(plan);
            }
        }
    }

    fn situation<'s>(
        &'s self,
        facts: &'s Facts,
        tally: &'s Tally,
        dossiers: &'s BTreeSet<String>,
    ) -> Situation<'s> {
        Situation {
            compiled: self.compiled,
            priority_exists: facts.priority_exists,
            tally,
            journal: self.journal,
            stood: facts.stood.as_ref(),
            known_proposals: &facts.known_proposals,
            rejected_rules: &facts.rejected_rules,
            dossiers,
            settings: self.shop.settings,
            now: self.shop.now,
            began: self.shop.began,
        }
    }

    fn carry_out(&self, mut plan: Plan, smith: &mut Wordsmith<'_>) -> Result<Updated, WeaveError> {
        let mut updated = Updated {
            result: NOTHING_ASKED.into(),
            met: Met::Nobody,
            edit: None,
            proposed: Vec::new(),
            held_back: plan.held_back.clone(),
            changed: Vec::new(),
            left_until: None,
            held: None,
            model: Consulted::default(),
        };
        if self.shop.settings.mode == BroadcastMode::Observe {
            updated.result = observed(&plan);
            return Ok(updated);
        }
        let directed = matches!(self.request, Request::Directed { .. });
        match self.shop.settings.mode {
            BroadcastMode::Propose => {
                for proposal in &mut plan.proposals {
                    // Its name stays that of the plain words, so that it is known when it comes up again.
                    proposal.change = smith.reword(&proposal.change).unwrap_or(proposal.change.clone());
                }
            }
            BroadcastMode::Apply if plan.reverts.is_empty() && (directed || self.waits_until().is_none()) => {
                self.find_words(&mut plan, smith);
            }
            BroadcastMode::Apply | BroadcastMode::Observe => {}
        }
        let plan = &plan;
        self.write_proposals(plan, &mut updated)?;
        let asks = !plan.changes.is_empty() || !plan.reverts.is_empty();
        let waits_until = self.waits_until().filter(|_| !directed && asks);
        match (plan.reverts.first(), waits_until) {
            (_, Some(until)) if !plan.priority_line => {
                let changes = plan.changes.len() + plan.reverts.len();
                updated.result = format!(
                    "NO-OP: {} for later: at most one edit in {} unless a task asks for one (`{ASKS_FOR_AN_EDIT}`); the next may be made at {until:.0}.",
                    counted(changes, "change", "changes"),
                    in_words(self.shop.settings.min_rewrite_interval),
                );
                updated.left_until = Some(until);
                updated.held = Some(Held { changes, until });
            }
            (Some(trial), None) if !directed || plan.changes.is_empty() => {
                self.end_trial(trial, &mut updated)?
            }
            (_, waits) => {
                let now = Plan {
                    changes: if waits.is_some() { Vec::new() } else { plan.changes.clone() },
                    ..plan.clone()
                };
                self.edit(&now, smith, &mut updated)?;
                updated.left_until = waits;
            }
        }
        if updated.left_until.is_none() {
            updated.left_until = self.left_until(plan, &updated);
            let changes = plan.left_over.max(1);
            let until = updated.left_until.filter(|until| *until > self.shop.now);
            updated.held = until.map(|until| Held { changes, until });
        }
        updated.left_until = updated.left_until.into_iter().chain(plan.waits_until).min();
        Ok(updated)
    }

    /// Proposals that want nothing but words become changes, if the wordsmith finds them and the edit has room.
    fn find_words(&self, plan: &mut Plan, smith: &mut Wordsmith<'_>) {
        if !smith.counsel.is_open() {
            return;
        }
        let spent = Spent::of(self.journal);
        for proposal in std::mem::take(&mut plan.proposals) {
            let adds = plan.changes.iter().filter(|change| change.kind == ChangeKind::Add).count();
            let with: Vec<PlannedChange> = plan.changes.iter().chain([&proposal.change]).cloned().collect();
            let fits = proposal.wants_words
                && adds < MAX_ADDED
                && draft(self.broadcast, &with, plan.priority_line, &spent).held_back.is_empty();
            match Some(&proposal.change).filter(|_| fits).and_then(|change| smith.find_rule(change)) {
                Some(change) => plan.changes.push(change),
                None => plan.proposals.push(proposal),
            }
        }
    }

    fn write_proposals(&self, plan: &Plan, updated: &mut Updated) -> Result<(), WeaveError> {
        let mut state = State::read(self.shop)?;
        let waiting = Proposal::read_all(&*self.shop.disk, &self.shop.folder)?.waiting;
        let room = room::of(plan, &waiting, &state.lapsed, self.shop.now);
        if !room.lapsed.is_empty() {
            // First the memory of it: dropped without that it would come back.
            state.lapsed.extend(room.lapsed.iter().map(|proposal| (proposal.id.clone(), self.shop.now)));
            state.write(self.shop)?;
        }
        for proposal in room.lapsed.iter().chain(&room.withdrawn) {
            match proposal.remove(&*self.shop.disk, &self.shop.folder) {
                // Somebody is at it: it stays.
                Err(trouble) if trouble.is_conflict() || trouble.is_busy() => {}
                removed => _ = removed?,
            }
        }
        for planned in plan.proposals.iter().filter(|planned| room.asked.contains(planned.id.as_str())) {
            let proposal = proposals::to_file(planned, self.broadcast, self.shop.now);
            if proposal.write(&*self.shop.disk, &self.shop.folder)? {
                let file = self.shop.folder.proposals().join(format!("{}.yaml", proposal.id));
                updated.proposed.push(self.shop.folder.reference(&file));
            }
        }
        updated.changed.extend(updated.proposed.iter().cloned());
        if !updated.proposed.is_empty() {
            let edits = counted(updated.proposed.len(), "edit", "edits");
            updated.result = format!(
                "UPDATED: memory/proposals: {edits} for a person to decide (see them with: subcortex review)"
            );
        }
        Ok(())
    }

    /// When the next edit may be made that nobody asks for. A last edit in the future (the clock was set back) blocks nothing.
    fn waits_until(&self) -> Option<Timestamp> {
        let unasked = |edit: &&Edit| {
            let of_lines =
                edit.changes.iter().any(|change| change.hash_before.is_some() || change.hash_after.is_some());
            matches!(edit.cause, Cause::Evidence | Cause::Probation) && of_lines
        };
        // What was forgotten is no edit any more; what others said of the same need not wait for it.
        let forgetting = || self.journal.edits.iter().filter(|edit| edit.cause == Cause::Forgotten);
        let taken_out =
            || forgetting().flat_map(|edit| &edit.changes).filter_map(|one| one.hash_before.as_ref());
        let stands = |edit: &&Edit| {
            let mut lines = edit.changes.iter().filter_map(|change| change.hash_after.as_ref()).peekable();
            lines.peek().is_none() || lines.any(|line| !taken_out().any(|gone| gone == line))
        };
        let last = self
            .journal
            .edits
            .iter()
            .filter(unasked)
            .filter(stands)
            .map(|edit| edit.ts)
            .filter(|ts| *ts <= self.shop.now)
            .max()?;
        let until = last.checked_add(self.shop.settings.min_rewrite_interval).ok()?;
        (until > self.shop.now).then_some(until)
    }

    /// From when on what this edit had no room for may be made. What a person got in the way of may be tried at once.
    fn left_until(&self, plan: &Plan, updated: &Updated) -> Option<Timestamp> {
        if updated.met == Met::AWriter {
            return Some(self.shop.now);
        }
        let reverted = !plan.reverts.is_empty() && updated.edit.is_some();
        let is_left = plan.left_over > 0 || plan.reverts.len() > 1 || (reverted && !plan.changes.is_empty());
        let next = self.shop.now.checked_add(self.shop.settings.min_rewrite_interval).ok();
        // Without an edit nothing would be different the next time.
        next.filter(|_| is_left && updated.edit.is_some())
    }

    fn edit(&self, plan: &Plan, smith: &mut Wordsmith<'_>, updated: &mut Updated) -> Result<(), WeaveError> {
        let draft = self.worded_draft(plan, smith);
        if let (true, Some(why)) = (draft.changes.is_empty(), draft.held_back.first()) {
            updated.result = format!("NO-OP: {why}.");
        }
        updated.held_back.extend(draft.held_back);
        if draft.changes.is_empty() {
            return Ok(());
        }
        let cause = match self.request {
            Request::Reflective => Cause::Evidence,
            Request::Directed { .. } => Cause::Task,
        };
        let bootstrapped = self.broadcast.text.is_none();
        let edit = Edit { bootstrapped, ..self.shop.edit(cause, draft.changes) };
        let word = if edit.bootstrapped { "BOOTSTRAPPED" } else { "UPDATED" };
        let result =
            format!("{word}: {}: {} ({})", MemoryFolder::BROADCAST_REF, counts(&edit), undo_hint(&edit));
        self.commit(&draft.text, edit, result, updated)
    }

    /// What comes of a plan, in the wordsmith's words where they fit as the plain ones do.
    fn worded_draft(&self, plan: &Plan, smith: &mut Wordsmith<'_>) -> Draft {
        let spent = Spent::of(self.journal);
        let plain = draft(self.broadcast, &plan.changes, plan.priority_line, &spent);
        let worded: Vec<PlannedChange> =
            plain.planned.iter().map(|change| smith.reword(change).unwrap_or(change.clone())).collect();
        if worded == plain.planned {
            return plain;
        }
        let other = draft(self.broadcast, &worded, plan.priority_line, &spent);
        if other.held_back.is_empty() { Draft { held_back: plain.held_back, ..other } } else { plain }
    }

    /// Takes back the one line of an edit that does clearly worse than what was there before.
    fn end_trial(&self, trial: &Trial, updated: &mut Updated) -> Result<(), WeaveError> {
        let Some(tried) = self.journal.by_id(&trial.edit_id) else { return Ok(()) };
        let of_line = |change: &&subcortex_memory::Change| change.hash_after.as_ref() == Some(&trial.hash);
        let rates = format!("{} before, {} after", shown(trial.before), shown(trial.after));
        let why = format!("since edit {} it is followed clearly less: {rates}", trial.edit_id);
        let Ok(mut undone) =
            undo(self.broadcast, tried.changes.iter().filter(of_line), &Spent::of(self.journal), &why)
        else {
            return Ok(());
        };
        if undone.changes.is_empty() {
            return Ok(());
        }
        for change in &mut undone.changes {
            change.rate_before = Some(trial.before);
            change.rate_after = Some(trial.after);
        }
        // A trial of one line does not take back what else the edit did.
        let reverts = (tried.changes.len() == 1).then(|| tried.id.clone());
        let edit = Edit { reverts, ..self.shop.edit(Cause::Probation, undone.changes) };
        let line = edit.changes.first().and_then(|change| change.line_after).unwrap_or_default();
        let result = format!(
            "UPDATED: {}:L{line} is as it was before edit {}, which did worse: followed {rates} ({})",
            MemoryFolder::BROADCAST_REF,
            trial.edit_id,
            undo_hint(&edit)
        );
        self.commit(&undone.text, edit, result, updated)
    }

    fn commit(
        &self,
        text: &str,
        edit: Edit,
        result: String,
        updated: &mut Updated,
    ) -> Result<(), WeaveError> {
        match commit(self.shop, self.broadcast, text, &edit)? {
            Committed::Done => {
                updated.changed.extend([MemoryFolder::BROADCAST_REF.into(), JOURNAL_REF.into()]);
                updated.result = result;
                updated.edit = Some(edit);
            }
            Committed::Busy => {
                updated.met = Met::AWriter;
                updated.result = format!(
                    "PARTIAL_UPDATE: somebody is writing {}; nothing of this edit was written, and the next run decides anew.",
                    MemoryFolder::BROADCAST_REF
                );
            }
            Committed::Conflict => {
                updated.met = Met::AWriter;
                updated.result = format!(
                    "PARTIAL_UPDATE: {} was edited meanwhile; that edit was kept, nothing of this one was written, and the next run decides anew.",
                    MemoryFolder::BROADCAST_REF
                );
            }
        }
        Ok(())
    }
}

/// The samples behind cited fragments.
fn samples_of(tally: &Tally, cited: &BTreeSet<String>) -> Vec<Sample> {
    let candidates = tally.candidates.iter().map(|candidate| &candidate.sample);
    let of_lines = tally
        .lines
        .values()
        .flat_map(|line| line.against_samples.iter().chain(line.samples.values().flatten()));
    let samples: BTreeSet<&Sample> =
        candidates.chain(of_lines).filter(|sample| cited.contains(&sample.path)).collect();
    samples.into_iter().cloned().collect()
}

/// The dossiers that exist, as pointers name them.
fn dossiers(shop: &Workshop) -> Result<BTreeSet<String>, WeaveError> {
    let entities = shop.folder.entities();
    let pointer = |path: &Path| {
        let slug = path.file_stem()?.to_str()?;
        let prefix = if path.starts_with(&entities) { "entity-" } else { "topic-" };
        Some(if slug.starts_with(prefix) { slug.to_owned() } else { format!("{prefix}{slug}") })
    };
    Ok(shop.folder.dossiers(&*shop.disk)?.iter().filter_map(|path| pointer(path)).collect())
}

fn observed(plan: &Plan) -> String {
    if plan.is_empty() {
        return NOTHING_ASKED.into();
    }
    let count = plan.changes.len()
        + plan.proposals.len()
        + plan.resting.len()
        + plan.reverts.len()
        + usize::from(plan.priority_line);
    format!(
        "NO-OP: `broadcast.mode` is `observe`; {} would be made or proposed.",
        counted(count, "change", "changes")
    )
}

fn counts(edit: &Edit) -> String {
    let of = |kind| {
        edit.changes
            .iter()
            .filter(|change| {
                change.kind == kind && (change.hash_before.is_some() || change.hash_after.is_some())
            })
            .count()
    };
    let (added, rewritten, removed, moved) =
        (of(ChangeKind::Add), of(ChangeKind::Rewrite), of(ChangeKind::Remove), of(ChangeKind::Move));
    let mut text = format!("{added} added, {rewritten} rewritten, {removed} removed");
    if moved > 0 {
        text.push_str(&format!(", {moved} moved"));
    }
    if edit.changes.iter().any(|change| change.hash_before.is_none() && change.hash_after.is_none()) {
        text.push_str(", `@priority.md` put first");
    }
    text
}

fn undo_hint(edit: &Edit) -> String {
    format!("edit {}; undo with: subcortex revert {}", edit.id, edit.id)
}

fn shown(rate: subcortex_memory::Rate) -> String {
    format!("{} of {}", rate.followed, rate.occasions())
}

fn in_words(duration: jiff::SignedDuration) -> String {
    format!("{duration:#}")
}
