//! The work of a run: everything between its start and what is written down about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use subcortex_engine::{Cancellation, Canceller};
use subcortex_guard::Redactor;
use subcortex_loops::config::{LoopConfig, Tier};
use subcortex_loops::diff::{Scope, judge};
use subcortex_loops::end::{Gate, LoopEnd};
use subcortex_loops::escalation;
use subcortex_loops::prompt::prompt;
use subcortex_loops::report::EngineReport;
use subcortex_loops::state::{self, LoopState, MAX_STATE_BYTES, Stamp};
use subcortex_mind::Usage;
use subcortex_store::durable;
use subcortex_store::locked;
use subcortex_usage::Purse;
use tracing::info;

use super::fitness::Rights;
use super::{About, Told};
use crate::engines::{self, Assignment, EngineWork};
use crate::gates::Gates;
use crate::memory::{Hold, LoopMemory};
use crate::repository::{Repository, inspect};
use crate::switches::Switches;
use crate::worktree::{self, Candidate, Worktree};

/// How many paths a reason names.
const SHOWN_PATHS: usize = 5;

/// One run with everything it needs.
pub(super) struct Attempt<'a> {
    pub(super) about: &'a About<'a>,
    pub(super) config: &'a LoopConfig,
    pub(super) canceller: &'a Canceller,
    pub(super) cancellation: Cancellation,
}

impl Attempt<'_> {
    /// Does the work.
    pub(super) async fn make(&self, told: &mut Told) -> LoopEnd {
        let rights = match self.about.rights(self.config) {
            Ok(rights) => rights,
            Err(end) => return self.after_reading(told, end),
        };
        match self.within(rights, told).await {
            Ok(end) | Err(end) => end,
        }
    }

    /// Also what never started is written into the state, where it can be read.
    fn after_reading(&self, told: &mut Told, end: LoopEnd) -> LoopEnd {
        match self.read_state(told) {
            Ok(()) => end,
            Err(unreadable) => unreadable,
        }
    }

    async fn within(&self, rights: Rights, told: &mut Told) -> Result<LoopEnd, LoopEnd> {
        self.read_state(told)?;
        let about = self.about;
        let purse = self.purse();
        purse.may_begin().map_err(|failure| LoopEnd::Refused { why: failure.message })?;
        durable::make_dirs(
            &*about.runner.worker.disk,
            about.runner.worker.home.root(),
            &about.scratch_below_home(),
        )
        .map_err(|error| LoopEnd::Refused { why: error.to_string() })?;
        let end = match rights.tier {
            Tier::L1 => self.look(rights, &purse, told).await,
            Tier::L2 | Tier::L3 => self.change(rights, &purse, told).await,
        };
        told.spent = Some(purse.spent()).filter(|spent| spent.tokens > 0 || spent.usd > 0.0);
        end
    }

    /// L1: the engine works in the repository and can write nothing in it but the state.
    async fn look(&self, rights: Rights, purse: &Arc<Purse>, told: &mut Told) -> Result<LoopEnd, LoopEnd> {
        self.hold(None)?;
        let worked = self.work(rights, &self.about.place.root, purse, told).await;
        let report = self.judged(worked, purse, told)?;
        self.still_on()?;
        Ok(ended(&report, LoopEnd::Done))
    }

    /// L2 and L3: the engine works in a worktree, and what passes the gates is left on a branch.
    async fn change(&self, rights: Rights, purse: &Arc<Purse>, told: &mut Told) -> Result<LoopEnd, LoopEnd> {
        let About { runner, place, names, run_id, .. } = self.about;
        let repository = inspect(runner, run_id, &place.root, names).await?;
        if repository.is_dirty {
            told.note =
                Some("it worked from the last commit; changes that are not committed were left alone".into());
        }
        let path = names.worktree(&runner.worker.home, place, self.config);
        if !worktree::is_free(&*runner.worker.disk, &path) {
            let why =
                format!("its worktree {} is somebody else's: something is there already", path.display());
            return Err(LoopEnd::Deferred { why });
        }
        self.hold(Some(&path))?;
        self.in_worktree(rights, purse, &path, &repository, told).await
    }

    async fn in_worktree(
        &self,
        rights: Rights,
        purse: &Arc<Purse>,
        path: &Path,
        repository: &Repository,
        told: &mut Told,
    ) -> Result<LoopEnd, LoopEnd> {
        let About { runner, place, run_id, .. } = self.about;
        worktree::make_parent(runner).map_err(|error| LoopEnd::Failed { why: error.to_string() })?;
        let made = Worktree::add(runner, run_id, &place.root, path, repository).await;
        let worktree = match made {
            Ok(worktree) => worktree,
            Err(error) => {
                worktree::remove(runner, run_id, &place.root, path).await;
                return Err(LoopEnd::Failed { why: error.to_string() });
            }
        };
        let worked = self.work(rights, path, purse, told).await;
        let end = match self.judged(worked, purse, told) {
            Ok(report) => self.through_gates(&worktree, &report, told).await,
            Err(end) => Err(end),
        };
        worktree.remove().await;
        end
    }

    /// Lets the engine work, and ends it when a kill switch is set.
    async fn work(&self, rights: Rights, dir: &Path, purse: &Arc<Purse>, told: &Told) -> EngineWork {
        let About { runner, place, names, run_id, .. } = self.about;
        let state = told.read.as_ref().map(|(_, state)| state.clone()).unwrap_or_default();
        let (scratch, state_file) = (self.about.scratch(), self.about.state_file());
        let job = Assignment {
            runner,
            place,
            config: self.config,
            key: &names.key,
            tier: rights.tier,
            mode: rights.mode,
            run_id,
            dir,
            scratch: &scratch,
            state_file: &state_file,
            prompt: &prompt(self.config, &state, told.item.as_ref()),
            item: told.item.as_ref().map(ToString::to_string),
            purse,
            cancellation: self.cancellation.clone(),
            canceller: self.canceller,
            limit_ms: runner.limits().engine_ms,
        };
        let switches = Switches::of(runner, place, self.config);
        tokio::select! {
            worked = engines::work(&job) => worked,
            never = switches.watch(&*runner.worker.disk, self.canceller) => match never {},
        }
    }

    /// What the engine said, held against its budget and against what only a person may do.
    fn judged(&self, worked: EngineWork, purse: &Purse, told: &mut Told) -> Result<EngineReport, LoopEnd> {
        told.tokens = worked.output_tokens;
        (told.errors, told.denied) = (worked.errors, worked.denied);
        told.survivors_killed = worked.survivors_killed;
        let said = worked.said.inspect(|said| told.output.clone_from(said));
        let report = said.and_then(|said| EngineReport::read(&said).map_err(|why| LoopEnd::Invalid { why }));
        if let Some(tokens) =
            report.as_ref().ok().and_then(|report| report.tokens).filter(|_| told.tokens == 0)
        {
            told.tokens = tokens;
            purse.enter("command", "command", Usage { output: tokens, ..Usage::default() }, None);
        }
        told.report = report.as_ref().ok().cloned();
        let found = worked.commands.iter().find_map(|command| escalation::in_text(command));
        if let Some((kind, line)) = found {
            let place = Redactor::new().text(&format!("command: `{line}`")).into_owned();
            return Err(LoopEnd::Escalated(vec![(kind, place)]));
        }
        match self.config.budget_tokens() {
            Some(budget) if told.tokens > budget => {
                let why = format!("{} tokens were written, and {budget} are allowed", told.tokens);
                Err(LoopEnd::Stopped { gate: Gate::Budget, why })
            }
            Some(_) | None => report,
        }
    }

    /// From the end of the engine to the branch.
    async fn through_gates(
        &self,
        worktree: &Worktree<'_>,
        report: &EngineReport,
        told: &mut Told,
    ) -> Result<LoopEnd, LoopEnd> {
        let candidate = worktree.candidate().await.map_err(scope_stop)?;
        told.changed = candidate.changes.iter().map(|change| change.path.display().to_string()).collect();
        if candidate.changes.is_empty() {
            return Ok(ended(report, if report.has_lists() { LoopEnd::Done } else { LoopEnd::Quiet }));
        }
        told.gates.push(false);
        self.in_scope(&candidate)?;
        told.gates = vec![true];
        for (gate, key) in [(Gate::Verify, "verify"), (Gate::Guard, "guard")] {
            told.gates.push(false);
            self.through(gate, key, worktree).await?;
            told.gates.pop();
            told.gates.push(true);
        }
        self.still_on()?;
        let branch = self.about.names.branch(self.about.run);
        let message = self.message(report, told);
        let offered = worktree.offer(&candidate, &self.about.names, &branch, &message).await;
        let branch = offered.map_err(|error| LoopEnd::Failed { why: error.to_string() })?;
        Ok(LoopEnd::Offered { branch })
    }

    fn in_scope(&self, candidate: &Candidate) -> Result<(), LoopEnd> {
        let scope = Scope::new(self.config.items("scope")).map_err(scope_stop)?;
        let verdict = judge(&candidate.changes, &scope, candidate.tracked);
        if !verdict.escalated.is_empty() {
            let redactor = Redactor::new();
            let clean =
                verdict.escalated.into_iter().map(|(kind, place)| (kind, redactor.text(&place).into_owned()));
            return Err(LoopEnd::Escalated(clean.collect()));
        }
        if !verdict.outside.is_empty() {
            return Err(scope_stop(format!(
                "it changed what is not in the scope: {}",
                some(&verdict.outside)
            )));
        }
        Ok(())
    }

    async fn through(&self, gate: Gate, key: &str, worktree: &Worktree<'_>) -> Result<(), LoopEnd> {
        let About { runner, run_id, .. } = self.about;
        let gates = Gates {
            runner,
            run_id,
            worktree: worktree.path,
            scratch: &self.about.scratch(),
            cancellation: self.cancellation.clone(),
            limit_ms: runner.limits().gate_ms,
        };
        let line = self.config.text(key).unwrap_or_default();
        let switches = Switches::of(runner, self.about.place, self.config);
        tokio::select! {
            passed = gates.pass(gate, line) => passed?,
            never = switches.watch(&*runner.worker.disk, self.canceller) => match never {},
        }
        let changed =
            worktree.changed_since().await.map_err(|error| LoopEnd::Failed { why: error.to_string() })?;
        if changed.is_empty() {
            return Ok(());
        }
        let why = format!(
            "it changed files itself, so what it saw is not what would be offered: {}",
            some(&changed)
        );
        Err(LoopEnd::Stopped { gate, why })
    }

    fn message(&self, report: &EngineReport, told: &Told) -> String {
        let About { names, run, run_id, .. } = self.about;
        let about = report.item.clone().or_else(|| told.item.as_ref().map(|item| item.text.clone()));
        let about = about.unwrap_or_else(|| report.line.clone());
        let land_via = self.config.text("land_via").unwrap_or("nobody said how");
        format!("loop {}: {about}\n\nRun #{run} ({run_id}). To be landed via: {land_via}\n", names.name)
    }

    /// Looks for kill switches once more before a result counts.
    fn still_on(&self) -> Result<(), LoopEnd> {
        let switches = Switches::of(self.about.runner, self.about.place, self.config);
        match switches.set_file(&*self.about.runner.worker.disk) {
            Some(why) => Err(LoopEnd::Paused { why }),
            None => Ok(()),
        }
    }

    fn purse(&self) -> Arc<Purse> {
        let minds = &self.about.runner.worker.minds;
        let (key, run_id) = (&self.about.names.key, &self.about.run_id);
        Arc::new(Purse::new(Arc::clone(&minds.account), key, run_id, minds.tokens_per_run(), None))
    }

    /// Reads the state, and makes it where there is none, so that L1 has a file it may write to.
    fn read_state(&self, told: &mut Told) -> Result<(), LoopEnd> {
        let disk = &*self.about.runner.worker.disk;
        let path = self.about.state_file();
        let refused = |why: String| LoopEnd::Refused { why };
        if let Err(error) = disk.stat(&path)
            && error.kind() == std::io::ErrorKind::NotFound
        {
            let stamp = Stamp { name: &self.about.names.name, at: Timestamp::now(), source: "none yet" };
            let text = LoopState::default().render(&stamp);
            durable::create_new(disk, &path, text.as_bytes()).map_err(|error| refused(error.to_string()))?;
        }
        let bytes =
            durable::read(disk, &path, MAX_STATE_BYTES).map_err(|error| refused(error.to_string()))?;
        let state = LoopState::parse(&String::from_utf8_lossy(&bytes));
        told.item = state.next_item().cloned();
        told.read = Some((bytes, state));
        Ok(())
    }

    /// Says what is held before it is taken. It is taken out when the run is settled: until then a crash must find it.
    fn hold(&self, worktree: Option<&Path>) -> Result<(), LoopEnd> {
        let About { runner, place, names, run, run_id, started, .. } = self.about;
        let (disk, home) = (&*runner.worker.disk, &runner.worker.home);
        let held = Hold {
            run_id: run_id.clone(),
            run: *run,
            since: *started,
            worktree: worktree.map(PathBuf::from),
            branch: worktree.map(|_| names.branch(*run)),
        };
        let words = held.words();
        let memory = LoopMemory::read(disk, home, names);
        let memory =
            LoopMemory { root: place.root.clone(), dir: place.dir.clone(), held: Some(held), ..memory };
        memory.write(disk, home, names).map_err(|error| LoopEnd::Refused { why: error.to_string() })?;
        info!(r#loop = %names.key, run = %run_id, holds = words, "loop holds");
        let payload = json!({ "run_id": run_id, "partition": names.key, "holds": words });
        locked(&runner.journal).say("run.started", payload, None);
        Ok(())
    }
}

impl About<'_> {
    /// A folder for temporary files of this run alone.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.runner.worker.home.root().join(self.scratch_below_home())
    }

    fn scratch_below_home(&self) -> PathBuf {
        Path::new("var/loops/scratch").join(&self.run_id)
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.place.dir.join(state::FILE)
    }
}

/// How a run ended that left no change.
fn ended(report: &EngineReport, otherwise: LoopEnd) -> LoopEnd {
    match (report.is_quiet(), report.status.is_terminal()) {
        (true, _) => LoopEnd::Quiet,
        (false, false) => LoopEnd::Partial,
        (false, true) => otherwise,
    }
}

fn scope_stop(why: impl ToString) -> LoopEnd {
    LoopEnd::Stopped { gate: Gate::Scope, why: why.to_string() }
}

fn some(paths: &[String]) -> String {
    let more = paths.len().saturating_sub(SHOWN_PATHS);
    let shown = paths.iter().take(SHOWN_PATHS).cloned().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
