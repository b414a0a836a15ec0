//! What touches the world.

use subcortex_cadence::ack::{Found, Recovery};
use subcortex_cadence::settle::SettledRun;
use subcortex_cadence::{
    Definition, Effect, EndReason, Event, Fact, Now, PartitionId, Refused, RunId, RunTask, StartRun, State,
    step,
};

use crate::{Asked, Finished, Settled, Trouble};

/// What a deed comes to.
pub type Result<T, H> = std::result::Result<T, <H as Hands>::Error>;

/// Does one thing at a time. What returns well is durable, unless it says otherwise, and may be done twice.
pub trait Hands: Sized {
    /// Why something could not be done.
    type Error;
    /// Something to be told about the work itself, where others may read it later.
    type Saying;
    /// What people want to know of a piece of work besides how it ended.
    type Details;
    /// A run under way, for whoever wants to end it.
    type Run;

    /// What the clocks show.
    fn now(&self) -> Now;

    /// Whether what failed may go well later, and took back what it had begun.
    fn may_pass(&self, error: &Self::Error) -> bool;

    /// Asks the scheduler.
    fn decide(&mut self, state: &mut State, event: Event) -> Vec<Effect> {
        step(state, self.now(), event)
    }

    /// Looks at the kill switches of a partition and of the home, here and now. Any doubt counts as set.
    fn may_run(&mut self, partition: &PartitionId) -> bool;

    /// Whether a result may count now: no kill switch is set, and nobody else has the task.
    fn may_settle(&mut self, settled: &Settled) -> bool {
        self.may_run(&settled.partition)
    }

    /// Whether a partition's definition is still this one.
    fn is_still(&mut self, partition: &PartitionId, definition: &Definition) -> bool;

    /// Makes the scheduler's state durable.
    fn save(&mut self, state: &State) -> Result<(), Self>;

    /// Makes the results of tasks durable.
    fn record_tasks(&mut self, settled: &[&Settled]) -> Result<(), Self>;

    /// Writes to the spine that tasks are done. What is there already is not written again.
    fn tell_done(&mut self, finished: &[Finished]) -> Result<(), Self>;

    /// Removes exactly the files of these tasks.
    fn remove(&mut self, finished: &[Finished]) -> Result<(), Self>;

    /// How far the ack of a task came.
    fn find(&mut self, partition: &PartitionId, run: &RunId, task: &RunTask) -> Result<Found, Self>;

    /// An ack that a crash interrupted has come to its end.
    fn ack_recovered(&mut self, interrupted: &Finished, recovery: Recovery);

    /// Starts a run. Its beginning need not be durable.
    fn start(&mut self, start: &StartRun, definition: &Definition) -> Result<Self::Run, Self>;

    /// Ends a run: politely, and after the grace with force.
    fn end(&mut self, run: &Self::Run, reason: EndReason, grace_ms: u64);

    /// Makes the record of a run durable; gives what is to be said of its end.
    fn record_run(&mut self, settled: &SettledRun) -> Result<Self::Saying, Self>;

    /// Writes the playlist, unless a person is at it; says whether it was written.
    fn write_playlist(&mut self, state: &State) -> Result<bool, Self>;

    /// Tells whoever asked for a run that there is none.
    fn refuse(&mut self, state: &State, partition: &PartitionId, why: &Refused);

    /// Writes a line to the log.
    fn log(&mut self, fact: &Fact);

    /// What is to be said of a fact besides its line in the log.
    fn saying_of(&self, fact: &Fact) -> Option<Self::Saying>;

    /// Says it.
    fn say(&mut self, saying: &Self::Saying) -> Result<(), Self>;

    /// Keeps what people want to know of a piece of work until its run is recorded; gives what is to be said of it.
    fn keep_details(&mut self, run: &RunId, details: Self::Details) -> Vec<Self::Saying>;

    /// Has an inbox looked at. The answer comes later, with how far everything had come when it was asked for.
    fn ask_for_inbox(&mut self, state: &State, partition: &PartitionId, asked: Asked);

    /// Has the definitions looked at, and the inboxes.
    fn ask_for_partitions(&mut self, state: &State, asked: Asked);

    /// Something cannot be done now, for the first time.
    fn trouble_met(&mut self, error: &Self::Error);

    /// It went well after all.
    fn trouble_over(&mut self, trouble: Trouble<Self::Error>);

    /// Stopping, with so many deeds undone: the next start finishes them.
    fn stop_undone(&mut self, deeds: usize);
}
