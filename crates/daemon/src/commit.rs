//! What a run leaves behind: its record, the acks of its tasks, events on the spine, lines in the log.
//!
//! The order of an ack is the scheduler's ([`subcortex_cadence::ack`]); each step here is durable when it
//! returns, and may be done twice. A step is done for several tasks at once where several have ended.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_cadence::ack::Found;
use subcortex_cadence::settle::{AckDecision, SettledRun, SettledTask};
use subcortex_cadence::{Definition, PartitionId, RunId, RunTask, StartRun};
use subcortex_edge::{Finished, Settled};
use subcortex_fleet::{FleetError, Tickets};
use subcortex_home::Home;
use subcortex_model::{Draft, Source};
use subcortex_runs::{Ended, Evidence, ExitRecord, RunMode, RunRecord, TaskRecord};
use subcortex_spine::{Durability, Spine};
use subcortex_store::Disk;
use tracing::warn;

use crate::edge::{EdgeError, timestamp};
use crate::mended;
use subcortex_work::Details;

/// Adds what a piece of work counted: what one task of a run found is new for the run, also when a later task sees it
/// as prior.
fn add_evidence(all: &mut Vec<Evidence>, more: Evidence) {
    match all.iter_mut().find(|known| known.line == more.line) {
        Some(known) => {
            known.new += more.new;
            known.total = known.prior + known.new;
        }
        None => all.push(more),
    }
}

/// Something about the daemon's own work, for the spine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Saying {
    what: String,
    payload: Value,
    /// By which it is known if it is said twice.
    source_id: Option<String>,
}

impl Saying {
    pub(crate) fn new(what: impl Into<String>, payload: Value) -> Self {
        Self { what: what.into(), payload, source_id: None }
    }
}

/// Writes what runs leave behind.
#[derive(Debug)]
pub(crate) struct Commits {
    home: Home,
    disk: Arc<dyn Disk>,
    pub(crate) spine: Spine,
    /// The records of the runs that have not ended.
    open: HashMap<RunId, RunRecord>,
    /// The tasks that came from other machines' fleet.
    tickets: Arc<Tickets>,
}

impl Commits {
    pub(crate) fn new(home: Home, disk: Arc<dyn Disk>, spine: Spine, tickets: Arc<Tickets>) -> Self {
        Self { home, disk, spine, open: HashMap::new(), tickets }
    }

    /// A run begins.
    pub(crate) fn begin_run(&mut self, start: &StartRun, definition: &Definition) -> Result<(), EdgeError> {
        let record = RunRecord {
            run_id: start.run.to_string(),
            partition: start.partition.to_string(),
            mode: RunMode::As(start.mode),
            engine: definition.engine.name().into(),
            tick: start.tick.0,
            started_at: Some(Timestamp::now()),
            ..RunRecord::default()
        };
        self.open.insert(start.run.clone(), record);
        let payload =
            json!({ "run_id": start.run, "partition": start.partition, "tasks": start.tasks.len() });
        // Durable with whatever the run leaves; a power cut before that leaves a lost run, which is said too. The start
        // does not wait for the disk.
        self.append(vec![draft("run.started", payload, None)], Durability::Written)
    }

    /// Keeps what people want to know of a piece of work until its run is recorded; gives what is to be said of it.
    pub(crate) fn keep_details(&mut self, run: &RunId, details: Details) -> Vec<Saying> {
        let mut said = Vec::new();
        for edit in &details.edits {
            let undo = format!("subcortex revert {}", edit.id);
            warn!(%run, edit = edit.id, changes = edit.changes, undo, "memory edited");
            let payload = json!({ "run_id": run, "edit": edit.id, "changes": edit.changes });
            said.push(Saying::new("broadcast.edited", payload));
        }
        for exit in &details.exits {
            let ExitRecord { task, outcome, steps, scratchpad, saved, why } = exit;
            if scratchpad.is_empty() {
                continue; // nothing was saved, and nothing failed
            }
            let payload = json!({
                "run_id": run, "task": task, "outcome": outcome, "steps": steps, "content": saved, "why": why
            });
            said.push(Saying::new(scratchpad.clone(), payload));
        }
        let Some(record) = self.open.get_mut(run) else { return said };
        record.exits.extend(details.exits);
        record.cycle = details.cycle.or(record.cycle.take());
        record.denied.extend(details.denied);
        if let Some(spent) = details.spent {
            record.tokens = Some(spent.tokens);
            record.cost_usd = Some(spent.usd).filter(|_| spent.unpriced == 0);
        }
        record.survivors_killed += details.survivors_killed;
        if !details.output.is_empty() {
            record.set_output(&details.output);
        }
        if !details.stderr.is_empty() {
            record.set_errors(&details.stderr);
        }
        record.changed.extend(details.changed);
        for subagent in details.subagents {
            if !record.subagents.contains(&subagent) {
                record.subagents.push(subagent);
            }
        }
        details.evidence.into_iter().for_each(|evidence| add_evidence(&mut record.evidence, evidence));
        if details.scan.is_some() {
            record.scan = details.scan;
        }
        if let Some((key, body)) = details.task {
            record.add_task(TaskRecord::of_clean(key.name.as_str(), key.hash.as_str(), &body));
        }
        said
    }

    /// The record of a run so far: from memory, else from the disk, where a killed daemon left it.
    fn take_record(&mut self, partition: &PartitionId, run: &RunId) -> RunRecord {
        let on_disk = || subcortex_runs::load(&*self.disk, &self.home.runs(), run.as_str()).ok().flatten();
        self.open.remove(run).or_else(on_disk).unwrap_or_else(|| bare_record(partition, run))
    }

    /// Makes the results of tasks durable: one write for all tasks of a run.
    pub(crate) fn record_tasks(&mut self, settled: &[&Settled]) -> Result<(), EdgeError> {
        for of_one_run in settled.chunk_by(|one, other| one.run == other.run) {
            let Some(Settled { partition, run, .. }) = of_one_run.first() else { continue };
            let is_open = self.open.contains_key(run);
            let mut record = self.take_record(partition, run);
            let entered: Vec<TaskRecord> =
                of_one_run.iter().map(|settled| enter(&mut record, &settled.task).clone()).collect();
            let runs = self.home.runs();
            // A run of an earlier process has its record written whole: nobody remembers what it began with.
            let written = if is_open {
                subcortex_runs::settle(&*self.disk, &runs, &record, &entered)
            } else {
                subcortex_runs::write(&*self.disk, &runs, &record)
            };
            if is_open {
                self.open.insert(run.clone(), record);
            }
            written?;
        }
        Ok(())
    }

    /// Writes to the spine that tasks are done: one append for all of them. Says whether one of them is the fleet's.
    pub(crate) fn tell_done(&mut self, finished: &[Finished]) -> Result<bool, EdgeError> {
        let done = finished.iter().map(|Finished { partition, run, task }| done_draft(partition, run, task));
        self.append(done.collect(), Durability::Synced)?;
        Ok(self.tell_fleet(finished)?)
    }

    /// Notes which of these tasks the fleet is to be told of: their results are durable here.
    pub(crate) fn tell_fleet(&self, finished: &[Finished]) -> Result<bool, FleetError> {
        let result_of = |Finished { run, task, .. }: &Finished| {
            let record = self.open.get(run)?;
            record.task(task.key.name.as_str(), task.key.hash.as_str())?.result.clone()
        };
        self.tickets.finish(finished.iter().map(|one| (&one.partition, &one.task.key, result_of(one))))
    }

    /// Removes exactly the files of these tasks: one sync an inbox.
    pub(crate) fn remove(&mut self, finished: &[Finished]) -> Result<(), EdgeError> {
        for of_one_inbox in finished.chunk_by(|one, other| one.partition == other.partition) {
            let Some(Finished { partition, .. }) = of_one_inbox.first() else { continue };
            let tasks: Vec<&RunTask> = of_one_inbox.iter().map(|finished| &finished.task).collect();
            subcortex_inbox::ack_all(&*self.disk, &self.home.inbox(partition.as_str()), &tasks)?;
        }
        Ok(())
    }

    /// How far an ack came that a crash interrupted.
    pub(crate) fn find(
        &mut self,
        partition: &PartitionId,
        run: &RunId,
        task: &RunTask,
    ) -> Result<Found, EdgeError> {
        // Whoever wrote the result may have been killed before its sync.
        subcortex_runs::sync_settled(&*self.disk, &self.home.runs(), run.as_str())?;
        Ok(Found {
            file: subcortex_inbox::look(&*self.disk, &self.home.inbox(partition.as_str()), task)?,
            result_recorded: self.is_recorded(run, task),
            done_on_spine: self.spine.is_stored(&done_id(partition, run, task), Timestamp::now())?,
        })
    }

    fn is_recorded(&self, run: &RunId, task: &RunTask) -> bool {
        let record = subcortex_runs::load(&*self.disk, &self.home.runs(), run.as_str());
        record.is_ok_and(|record| {
            record.is_some_and(|record| {
                record.has_terminal_result(task.key.name.as_str(), task.key.hash.as_str())
            })
        })
    }

    /// Makes the record of a run durable, with its line in the run log; gives what is to be said of it.
    pub(crate) fn record_run(&mut self, settled: &SettledRun) -> Result<Saying, EdgeError> {
        let mut record = self.take_record(&settled.partition, &settled.run);
        record.mode = RunMode::As(settled.mode);
        record.tick = settled.tick.0;
        record.started_at = Some(timestamp(settled.started_at));
        record.ended_at = Some(timestamp(settled.ended_at));
        record.outcome = Ended::As(settled.outcome);
        record.result = settled.result.as_ref().map(|result| result.line.clone());
        record.reason.clone_from(&settled.reason);
        for task in &settled.tasks {
            enter(&mut record, task);
        }
        record.acked = names(settled, AckDecision::Ack);
        record.pending = settled
            .tasks
            .iter()
            .filter(|task| task.decision != AckDecision::Ack)
            .map(|t| t.task.name.as_str().to_owned())
            .collect();
        record.changed.sort();
        record.changed.dedup();
        let (disk, runs) = (&*self.disk, self.home.runs());
        let written = subcortex_runs::write(disk, &runs, &record)
            .and_then(|()| subcortex_runs::append_log(disk, &runs, &record));
        let payload = json!({
            "run_id": settled.run,
            "partition": settled.partition,
            "outcome": settled.outcome.as_str(),
            "result": record.result,
            "acked": record.acked.len(),
            "kept": record.pending.len(),
        });
        if let Err(error) = written {
            // It is tried again, with all that is known.
            self.open.insert(settled.run.clone(), record);
            return Err(error.into());
        }
        let source_id = Some(format!("run.ended/{}", settled.run));
        Ok(Saying { source_id, ..Saying::new("run.ended", payload) })
    }

    /// Tells the spine something about the daemon's own work.
    pub(crate) fn say(&mut self, saying: &Saying) -> Result<(), EdgeError> {
        let Saying { what, payload, source_id } = saying.clone();
        self.append(vec![draft(&what, payload, source_id)], Durability::Synced)
    }

    fn append(&mut self, drafts: Vec<Draft>, durability: Durability) -> Result<(), EdgeError> {
        self.spine.append(drafts, Timestamp::now(), durability)?;
        mended::tell(&mut self.spine);
        Ok(())
    }
}

/// What the daemon says about its own work: always of an internal kind.
fn draft(what: &str, payload: Value, source_id: Option<String>) -> Draft {
    let payload = payload.as_object().cloned().unwrap_or_default();
    let kind = if what.starts_with("run.") || what.starts_with("task.") { "runner" } else { "system" };
    Draft { source_id, ..Draft::new(what, Source::of(kind), payload) }
}

fn done_draft(partition: &PartitionId, run: &RunId, task: &RunTask) -> Draft {
    let payload =
        json!({ "partition": partition, "run_id": run, "task": task.key.name, "hash": task.key.hash });
    draft("task.done", payload, Some(done_id(partition, run, task)))
}

/// The key of a task's `task.done`: one for each run that finished it.
fn done_id(partition: &PartitionId, run: &RunId, task: &RunTask) -> String {
    format!("task.done/{partition}/{run}/{}/{}", task.key.name, task.key.hash.as_str())
}

/// A record of a run whose beginning nobody remembers: the daemon was killed since.
fn bare_record(partition: &PartitionId, run: &RunId) -> RunRecord {
    RunRecord { run_id: run.to_string(), partition: partition.to_string(), ..RunRecord::default() }
}

/// Enters what became of a task.
fn enter<'a>(record: &'a mut RunRecord, settled: &SettledTask) -> &'a TaskRecord {
    let (name, hash) = (settled.task.name.as_str(), settled.task.hash.as_str());
    let task = record.task_mut(name, hash);
    task.result = settled.result.as_ref().map(|result| result.line.clone());
    task.acked = settled.decision == AckDecision::Ack;
    task.reason.clone_from(&settled.reason);
    task
}

fn names(settled: &SettledRun, decision: AckDecision) -> Vec<String> {
    let tasks = settled.tasks.iter().filter(|task| task.decision == decision);
    tasks.map(|task| task.task.name.as_str().to_owned()).collect()
}
