//! One run of the workers: who was sent out, what they brought back, and what all of it came to.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use subcortex_guard::counted;
use subcortex_memory::{Journal, LineHash, Proposal, state_file};

use super::packet::Packet;
use super::{LineEvidence, Woven, map_again, report, unfinished};
use crate::crystallizer::{self, Crystallized, Gathered, Ledger};
use crate::scanner::{self, NOTHING_FOUND, ScanReport, ScanRequest};
use crate::stood::Stood;
use crate::updater::{self, Claim, Met, Request, Updated};
use crate::{CompiledBroadcast, Consulted, WeaveError, Workshop};

/// How many lines of the journal that are no edits a report names.
const MAX_BROKEN_LINES: usize = 5;

pub(super) const SCANNER: &str = "spine-scanner";
pub(super) const CRYSTALLIZER: &str = "entity-crystallizer";
pub(super) const UPDATER: &str = "intuition-updater";

/// One run of the workers, while it lasts.
pub(super) struct Job<'a> {
    shop: &'a Workshop,
    cancelled: &'a dyn Fn() -> bool,
    compiled: CompiledBroadcast,
    journal: Journal,
    /// How much evidence there was about each line.
    before: BTreeMap<LineHash, u64>,
    /// What the fragments said when the run began; `None` when they are to be read again.
    pub(super) gathered: Option<Gathered>,
    subagents: Vec<&'static str>,
    scan: Option<ScanReport>,
    crystallized: Option<Crystallized>,
    updated: Option<Updated>,
    changed: BTreeSet<String>,
    model: Consulted,
}

impl<'a> Job<'a> {
    pub(super) fn begin(shop: &'a Workshop, cancelled: &'a dyn Fn() -> bool) -> Result<Self, WeaveError> {
        let disk = &*shop.disk;
        updater::recover(shop)?; // what a killed run left half done, before anybody reads the journal
        let gathered = crystallizer::gather(shop, cancelled)?;
        let of_lines = gathered.tally().lines.iter();
        let before = of_lines.map(|(hash, tally)| (hash.clone(), tally.total())).collect();
        let broadcast = crate::quiet::read(shop, cancelled)?;
        let journal = Journal::read(disk, &shop.folder)?;
        Stood::note(shop, &broadcast, &journal)?;
        Ok(Self {
            shop,
            cancelled,
            compiled: CompiledBroadcast::by_rules(broadcast),
            journal,
            before,
            gathered: Some(gathered),
            subagents: Vec::new(),
            scan: None,
            crystallized: None,
            updated: None,
            changed: BTreeSet::new(),
            model: Consulted::default(),
        })
    }

    pub(super) fn sent(&mut self, worker: &'static str) {
        if !self.subagents.contains(&worker) {
            self.subagents.push(worker);
        }
    }

    pub(super) fn scan(&mut self, request: &ScanRequest) -> Result<(), WeaveError> {
        self.sent(SCANNER);
        unfinished::note(self.shop, Some(self.shop.now))?; // the position moves, and what follows from it is not done
        let scan = scanner::scan(self.shop, &mut self.compiled, request, self.cancelled)?;
        self.changed.extend(scan.fragments.iter().cloned());
        self.changed.extend(scan.changed.iter().cloned());
        self.model.add(&scan.model);
        if scan.advanced {
            self.changed.insert("memory/state/spine-scanner.json".into());
        }
        self.scan = Some(scan);
        Ok(())
    }

    pub(super) fn crystallize(&mut self) -> Result<(), WeaveError> {
        self.stop_if_cancelled()?;
        if self.scan.is_none() {
            // A scan has done so: whether a check is trusted is known of the check that counts.
            self.compiled.take_over(&*self.shop.disk, &self.shop.folder)?;
        }
        let gathered = match self.gathered.take() {
            Some(gathered) => gathered.go_on(self.shop, self.cancelled)?,
            None => crystallizer::gather(self.shop, self.cancelled)?,
        };
        let crystallized =
            crystallizer::crystallize_from(self.shop, gathered, &self.compiled, &self.journal)?;
        self.changed.extend(crystallized.changed.iter().cloned());
        self.crystallized = Some(crystallized);
        self.check_counts()
    }

    /// Whether there is anything that was not there before this run.
    pub(super) fn found_something(&self) -> bool {
        self.scan.as_ref().is_some_and(|scan| scan.written > 0)
            || self.crystallized.as_ref().is_some_and(|done| done.folded > 0)
    }

    pub(super) fn update(&mut self, request: &Request) -> Result<(), WeaveError> {
        self.stop_if_cancelled()?;
        let Some(crystallized) = &self.crystallized else { return Ok(()) };
        let updated =
            updater::update(self.shop, &self.compiled, &crystallized.counted, &self.journal, request)?;
        let edited = updated.edit.is_some();
        if edited || !updated.proposed.is_empty() {
            self.sent(UPDATER);
        }
        self.changed.extend(updated.changed.iter().cloned());
        self.model.add(&updated.model);
        self.updated = Some(updated);
        if edited { self.map_again() } else { Ok(()) }
    }

    /// Lets the updater work on what a task asks for, if there is anything to go by.
    pub(super) fn edit(&mut self, packet: &Packet) -> Result<(), WeaveError> {
        let evidence = self.crystallized.as_ref().is_some_and(|done| !done.tally.lines.is_empty());
        let candidates = self.crystallized.as_ref().is_some_and(|done| !done.tally.candidates.is_empty());
        let claim = packet.contrary.then(|| Claim::new(packet.prose.as_str()));
        if !evidence && !candidates && claim.is_none() {
            let result = "NO-OP: there is neither a ledger nor evidence about a line, so memory/CLAUDE.md stays as it is";
            self.updated = Some(Updated { result: result.into(), ..Updated::nothing() });
            return Ok(());
        }
        self.update(&Request::Directed { lines: packet.lines.clone(), claim })
    }

    /// Pointers that a task names, or all of the broadcast if it names none: each leads to a dossier now, is taken out of its
    /// line, or is the reason why the task stays.
    pub(super) fn settle_pointers(&mut self, packet: &Packet) -> Result<Option<String>, WeaveError> {
        let (disk, folder) = (&*self.shop.disk, &self.shop.folder);
        let named: BTreeSet<String> = if packet.pointers.is_empty() && !packet.of_pointers {
            BTreeSet::new()
        } else if packet.pointers.is_empty() {
            self.compiled.broadcast.lines.iter().flat_map(|line| line.pointers.iter().cloned()).collect()
        } else {
            packet.pointers.iter().cloned().collect()
        };
        let dangling: BTreeSet<String> =
            named.into_iter().filter(|pointer| folder.dossier(disk, pointer).is_none()).collect();
        if dangling.is_empty() {
            return Ok(None);
        }
        let held: BTreeSet<&String> = self
            .compiled
            .broadcast
            .lines
            .iter()
            .flat_map(|line| &line.pointers)
            .filter(|name| dangling.contains(*name))
            .collect();
        let unheld = dangling.iter().filter(|name| !held.contains(name));
        let mut stay: Vec<String> = unheld
            .map(|_| "there is no evidence to write the missing dossier from, and no line of the broadcast points to it".to_owned())
            .collect();
        stay.dedup();
        let taken = updater::take_out(self.shop, &self.compiled.broadcast, &dangling)?;
        stay.extend(taken.stay);
        if let Some(edit) = taken.edit {
            self.sent(UPDATER);
            self.changed.extend(["memory/CLAUDE.md".to_owned(), "memory/journal.jsonl".to_owned()]);
            let result = format!(
                "UPDATED: {} that led nowhere taken out of memory/CLAUDE.md (edit {}; undo with: subcortex revert {})",
                counted(edit.changes.len(), "pointer", "pointers"),
                edit.id,
                edit.id
            );
            self.updated = Some(Updated { result, edit: Some(edit), ..Updated::nothing() });
            self.map_again()?;
        }
        Ok((!stay.is_empty()).then(|| stay.join("; ")))
    }

    /// After an edit the lines are mapped again, so that the next run finds nothing to do.
    fn map_again(&mut self) -> Result<(), WeaveError> {
        let Some(mapped) = map_again(self.shop, self.cancelled)? else { return Ok(()) };
        self.compiled = mapped.compiled;
        self.journal = mapped.journal;
        self.changed.extend(mapped.changed);
        self.model.add(&mapped.model);
        Ok(())
    }

    /// Whether the ledger says nothing, or nothing new, about the lines that a task cites.
    pub(super) fn ledger_is_stale(&self, lines: &[usize]) -> Result<bool, WeaveError> {
        let Some(Ok(ledger)) = Ledger::read(&*self.shop.disk, &self.shop.folder)? else { return Ok(true) };
        let known: BTreeSet<&LineHash> = ledger.sections.iter().map(|section| &section.hash).collect();
        let cited = lines.iter().filter_map(|number| self.compiled.broadcast.by_number(*number));
        let missing = cited.into_iter().any(|line| !known.contains(&line.hash));
        Ok(missing || scanner::has_news(self.shop)?)
    }

    /// What the scan wrote and what the tally counts must be the same.
    fn check_counts(&self) -> Result<(), WeaveError> {
        for evidence in self.evidence() {
            let (line, new, prior) = evidence?;
            if prior.is_none() {
                return Err(WeaveError::Count(format!(
                    "{line}: {} written, but the files do not hold as many",
                    counted(new, "new piece of evidence was", "new pieces of evidence were")
                )));
            }
        }
        Ok(())
    }

    /// By line: its reference, the new pieces, and the prior ones; `None` when the files hold fewer than that.
    fn evidence(&self) -> impl Iterator<Item = Result<(String, u64, Option<u64>), WeaveError>> + '_ {
        let counts = self.scan.iter().flat_map(|scan| &scan.lines);
        counts.map(|counts| {
            let before = self.before.get(&counts.hash).copied().unwrap_or_default();
            let tally = self.crystallized.as_ref().and_then(|done| done.tally.lines.get(&counts.hash));
            let total = tally.map_or(0, crate::LineTally::total);
            let prior = total.checked_sub(counts.total()).filter(|prior| *prior >= before);
            Ok((counts.line.clone(), counts.total(), prior))
        })
    }

    fn stop_if_cancelled(&self) -> Result<(), WeaveError> {
        if (self.cancelled)() { Err(WeaveError::Cancelled) } else { Ok(()) }
    }

    pub(super) fn finish(self, mode: &str, packet: Option<&Packet>) -> Result<Woven, WeaveError> {
        let evidence = self.evidence().collect::<Result<Vec<_>, _>>()?;
        let evidence = evidence
            .into_iter()
            .map(|(line, new, prior)| LineEvidence { line, new, prior: prior.unwrap_or(0) })
            .collect();
        let mut notes = self.unusable()?;
        if let Some(crystallized) = &self.crystallized {
            let rejected = crystallized.rejected.iter();
            notes.extend(rejected.map(|rejected| format!("rejected: {rejected}")));
            let ledger = crystallized.ledger_refused.iter();
            let path = self.shop.folder.reference(&self.shop.folder.ledger());
            notes.extend(ledger.map(|why| format!("made anew: {path}: {why}")));
            if crystallized.dossiers_waiting > 0 {
                let waiting =
                    counted(crystallized.dossiers_waiting, "new dossier waits", "new dossiers wait");
                notes.push(format!("{waiting} for the next run"));
            }
        }
        if let Some(updated) = &self.updated {
            notes.extend(updated.held_back.iter().map(|why| format!("held back: {why}")));
        }
        if let Some(scan) = &self.scan {
            let problems = scan.check_problems.iter();
            notes.extend(problems.map(|(path, why)| format!("check not used: {path}: {why}")));
            let doubted = scan.not_trusted.iter();
            notes.extend(doubted.map(|(line, why)| format!("not trusted: {line}: {why}")));
        }
        notes.extend(self.model.notes());
        let left = self.left_until();
        self.leave(left)?;
        let wake_at = left.into_iter().chain(updater::look_again_at(self.shop)?).min();
        let report = self.scan.as_ref();
        let woven = Woven {
            result: self.result(packet),
            more_to_do: report.is_some_and(|report| report.more || report.open_turns > 0),
            wake_at,
            scan: report.and_then(|report| serde_json::to_value(report).ok()),
            edit: self.updated.as_ref().and_then(|updated| updated.edit.clone()),
            subagents: self.subagents,
            changed: self.changed.into_iter().collect(),
            evidence,
            report: String::new(),
            model: self.model,
        };
        Ok(report::finish(woven, mode, packet, &notes))
    }

    /// What was found among the files of the memory and could not be used: work went on without it.
    fn unusable(&self) -> Result<Vec<String>, WeaveError> {
        let (disk, folder) = (&*self.shop.disk, &self.shop.folder);
        let lines = self.journal.damage().take(MAX_BROKEN_LINES).map(|line| format!("passed over: {line}"));
        let kept = state_file::set_aside(disk, folder).into_iter();
        let kept = kept.map(|(path, why)| format!("set aside: {path}: {why}; look at it, then remove it"));
        let proposals = Proposal::read_all(disk, folder)?.broken.into_iter();
        let proposals = proposals.map(|(path, why)| format!("no proposal: {path}: {why}"));
        Ok(lines.chain(kept).chain(proposals).collect())
    }

    /// From when on there is something left to do.
    fn left_until(&self) -> Option<Timestamp> {
        let dossiers = self.crystallized.as_ref().filter(|done| done.dossiers_waiting > 0);
        let edits = self.updated.as_ref().and_then(|updated| updated.left_until);
        dossiers.map(|_| self.shop.now).into_iter().chain(edits).min()
    }

    /// Notes what is left for a later run. Work on a task that looked at nothing else leaves the note as it is.
    fn leave(&self, from: Option<Timestamp>) -> Result<(), WeaveError> {
        if let Some(updated) = &self.updated {
            unfinished::note_held(self.shop, updated.held)?;
        }
        if self.scan.is_none() && from.is_none() { Ok(()) } else { unfinished::note(self.shop, from) }
    }

    /// The status of the last worker that was needed.
    fn result(&self, packet: Option<&Packet>) -> String {
        let wants_edit = packet.is_some_and(|packet| packet.wanted.edit);
        if let Some(updated) = &self.updated
            && (wants_edit
                || updated.edit.is_some()
                || !updated.proposed.is_empty()
                || updated.met == Met::AWriter)
        {
            return updated.result.clone();
        }
        let fragments = self.scan.as_ref().map_or(0, |scan| scan.written);
        if fragments > 0 {
            let lines = self.scan.as_ref().map_or(0, |scan| scan.lines.len());
            let signals = self.scan.as_ref().map_or(0, |scan| scan.new_signals);
            return format!(
                "UPDATED: {} about {}, {signals} about none; memory/CLAUDE.md is unchanged",
                counted(fragments, "new fragment", "new fragments"),
                counted(lines, "line", "lines")
            );
        }
        let crystallized = self.crystallized.as_ref();
        if self.scan.is_some() && crystallized.is_none_or(|done| done.folded == 0) {
            return NOTHING_FOUND.into();
        }
        let written = crystallized.map_or(0, |done| done.changed.len());
        if written > 0 {
            let files = counted(written, "file", "files");
            return format!("UPDATED: ledger and dossiers: {files}; memory/CLAUDE.md is unchanged");
        }
        "NO-OP: ledger and dossiers are up to date".into()
    }
}
