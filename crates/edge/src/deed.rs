//! What the scheduler wishes for, one deed after the other. Each may be done twice: one that failed is done again from
//! its beginning.

use subcortex_cadence::settle::{SettledRun, SettledTask};
use subcortex_cadence::{Effect, EndReason, Fact, PartitionId, Refused, RunId, RunTask, StartRun};

/// A task of a run that goes on, with its result.
#[derive(Debug, PartialEq)]
pub struct Settled {
    /// Whose task.
    pub partition: PartitionId,
    /// Which run.
    pub run: RunId,
    /// The result.
    pub task: SettledTask,
}

/// A task whose file may go.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Whose task.
    pub partition: PartitionId,
    /// The run that finished it.
    pub run: RunId,
    /// The task and its file.
    pub task: RunTask,
}

/// One thing to be done.
#[derive(Debug)]
pub(crate) enum Deed<S> {
    /// Make the scheduler's state durable.
    Save,
    /// Record the results of one run. `recorded` are the tasks of other runs that were finished right before, and whose
    /// files wait for the same state to be saved.
    Settle { settled: Vec<Settled>, finished: Vec<Finished>, recorded: Vec<Finished> },
    /// Write that tasks are done.
    TellDone(Vec<Finished>),
    /// Remove the files of tasks that are done.
    Remove(Vec<Finished>),
    /// Bring an ack to its end that a crash interrupted.
    RecoverAck(Finished),
    /// Start a run.
    Start(StartRun),
    /// End a run that had not started when this was wished for.
    EndRun { run: RunId, reason: EndReason, grace_ms: u64 },
    /// Make the record of a run durable.
    RecordRun(Box<SettledRun>),
    /// Write the playlist.
    WritePlaylist,
    /// Tell whoever asked for a run that there is none.
    Refuse { partition: PartitionId, why: Refused },
    /// Write a line to the log.
    Log(Fact),
    /// Say something about the work itself.
    Say(S),
    /// Everything has ended.
    Stop,
}

/// What follows from some events, sorted by the order in which it is carried out.
#[derive(Debug)]
pub(crate) struct Wishes<S> {
    save: bool,
    settled: Vec<Settled>,
    finished: Vec<Finished>,
    others: Vec<Deed<S>>,
}

impl<S> Default for Wishes<S> {
    fn default() -> Self {
        Self { save: false, settled: Vec::new(), finished: Vec::new(), others: Vec::new() }
    }
}

impl<S> Wishes<S> {
    /// Adds what the scheduler wishes for; some facts are not only logged.
    pub(crate) fn add(&mut self, effects: Vec<Effect>, saying_of: impl Fn(&Fact) -> Option<S>) {
        for effect in effects {
            match effect {
                Effect::SaveState => self.save = true,
                Effect::RecordTask { partition, run, task } => {
                    self.settled.push(Settled { partition, run, task });
                }
                Effect::AckTask { partition, run, task } => {
                    self.finished.push(Finished { partition, run, task });
                }
                Effect::StartRun(start) => self.others.push(Deed::Start(start)),
                Effect::EndRun { run, reason, grace_ms, .. } => {
                    self.others.push(Deed::EndRun { run, reason, grace_ms });
                }
                Effect::RecoverAck { partition, run, task } => {
                    self.others.push(Deed::RecoverAck(Finished { partition, run, task }));
                }
                Effect::RecordRun(settled) => self.others.push(Deed::RecordRun(settled)),
                Effect::WritePlaylist => self.others.push(Deed::WritePlaylist),
                Effect::RefuseRequest { partition, why } => {
                    self.others.push(Deed::Refuse { partition, why });
                }
                Effect::Stop => self.others.push(Deed::Stop),
                Effect::Note(fact) => {
                    let saying = saying_of(&fact).map(Deed::Say);
                    self.others.push(Deed::Log(fact));
                    self.others.extend(saying);
                }
            }
        }
    }

    pub(crate) fn in_order(self) -> impl Iterator<Item = Deed<S>> {
        let Self { save, mut settled, mut finished, others } = self;
        settled.sort_by(|one, other| one.run.cmp(&other.run));
        let mut first = Vec::new();
        while let Some(run) = settled.first().map(|settled| settled.run.clone()) {
            let settled = settled.extract_if(.., |settled| settled.run == run).collect();
            let finished = finished.extract_if(.., |finished| finished.run == run).collect();
            first.push(Deed::Settle { settled, finished, recorded: Vec::new() });
        }
        // The last of those saves the state.
        if first.is_empty() && save {
            first.push(Deed::Save);
        }
        first.into_iter().chain(others)
    }
}

/// Whether a fact is true whatever becomes of what else was wished for with it.
pub(crate) fn stands_alone(fact: &Fact) -> bool {
    match fact {
        Fact::TickStarted { .. }
        | Fact::TickAskedFor { .. }
        | Fact::PartitionSkipped { .. }
        | Fact::RunEnding { .. }
        | Fact::RunOverdue { .. }
        | Fact::RunNotStarted { .. }
        | Fact::LateResultDropped { .. }
        | Fact::ClockJumped { .. }
        | Fact::KillSwitchTurned { .. }
        | Fact::Ignored { .. } => true,
        Fact::RunStarted { .. }
        | Fact::RunEnded { .. }
        | Fact::RunLost { .. }
        | Fact::TaskKept { .. }
        | Fact::TaskHeld { .. }
        | Fact::BackedOff { .. } => false,
    }
}
