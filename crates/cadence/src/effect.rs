//! Everything that the scheduler may wish for.

use crate::readiness::Readiness;
use crate::saved::RunTask;
use crate::settle::{Mode, Outcome, SettledRun, SettledTask};
use crate::{BootMs, PartitionId, RunId, TaskKey, Tick, UnixMs};

/// The time that work gets to end by itself when a kill switch is set.
pub const PAUSE_GRACE_MS: u64 = 500;
/// The same at a deadline, and when the daemon stops.
pub const DEADLINE_GRACE_MS: u64 = 5_000;

/// Something to be done. The edge of the program does them in the order given, and reports back with an
/// [`crate::Event`]. What comes after an effect that failed is not done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Make [`crate::State::saved`] durable. Comes before everything that relies on it.
    SaveState,
    /// Look for the kill switch once more, then start a run and report [`crate::Event::TaskEnded`] for each
    /// task in the order given, and [`crate::Event::RunEnded`] at the end, whatever happens.
    StartRun(StartRun),
    /// End a run: politely, and after the grace with force, the whole process tree.
    EndRun {
        /// Whose run.
        partition: PartitionId,
        /// Which one.
        run: RunId,
        /// Why.
        reason: EndReason,
        /// How long it may take.
        grace_ms: u64,
    },
    /// Look for the kill switch once more, then make a task's result durable in the run's record. If the switch is
    /// set, leave this and the ack that follows, and report [`crate::Event::AckUndone`].
    RecordTask {
        /// Whose task.
        partition: PartitionId,
        /// Which run.
        run: RunId,
        /// The result.
        task: SettledTask,
    },
    /// Write `task.done` to the spine, remove exactly this file, sync the directory, and report
    /// [`crate::Event::TaskAcked`].
    AckTask {
        /// Whose task.
        partition: PartitionId,
        /// The run that finished it.
        run: RunId,
        /// The task and its file.
        task: RunTask,
    },
    /// See how far an ack came before a crash, bring it to its end ([`crate::ack::recover`]), and report
    /// [`crate::Event::TaskAcked`] or [`crate::Event::AckUndone`].
    RecoverAck {
        /// Whose task.
        partition: PartitionId,
        /// The run that finished it.
        run: RunId,
        /// The task and its file.
        task: RunTask,
    },
    /// Make the record of a run durable, with its line in the run log, and report
    /// [`crate::Event::RunRecorded`]. After a crash it may be asked for twice.
    RecordRun(Box<SettledRun>),
    /// Write [`crate::playlist::render`] to the playlist.
    WritePlaylist,
    /// Tell whoever asked for a run that there is none.
    RefuseRequest {
        /// Which partition was asked for.
        partition: PartitionId,
        /// Why not.
        why: Refused,
    },
    /// Everything has ended: the daemon may go.
    Stop,
    /// Write one line to the log.
    Note(Fact),
}

/// Why a request for a run is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// There is no such partition.
    NoSuchPartition,
    /// It cannot run now.
    NotReady(Readiness),
}

/// A run to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRun {
    /// Its name.
    pub run: RunId,
    /// Whose run.
    pub partition: PartitionId,
    /// Whether it has tasks.
    pub mode: Mode,
    /// What woke the partition.
    pub cause: Cause,
    /// Its tasks, in the order in which they are worked on.
    pub tasks: Vec<RunTask>,
    /// The tick in which it starts.
    pub tick: Tick,
    /// When it must be over. The scheduler wishes for its end at this moment.
    pub deadline: BootMs,
    /// The same as a duration.
    pub max_duration_ms: u64,
}

/// What woke a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Somebody asked.
    Asked,
    /// There are tasks.
    Tasks,
    /// There are new external events.
    Events,
    /// Files changed.
    Files,
    /// The last run left work.
    MoreToDo,
    /// The time has come for something that had to wait.
    Waited,
    /// The tick itself, or the time of a cron pattern.
    Tick,
}

/// Why a run is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Its time is up.
    Deadline,
    /// A kill switch was set.
    Paused,
    /// The daemon stops.
    Stopping,
    /// Its partition is gone.
    PartitionGone,
}

/// Something that whoever tails the log wants to know: one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A tick, with what it found.
    TickStarted {
        /// Its number.
        tick: Tick,
        /// How many ticks before it were missed.
        missed_ticks: u64,
        /// How late it was noticed.
        late_ms: u64,
        /// How the partitions stand.
        counts: Counts,
    },
    /// A tick out of turn.
    TickAskedFor {
        /// Its number.
        tick: Tick,
    },
    /// A partition does not run, for another reason than before.
    PartitionSkipped {
        /// Which one.
        partition: PartitionId,
        /// Why.
        reason: Readiness,
    },
    /// A run starts.
    RunStarted {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// In which tick.
        tick: Tick,
        /// What woke it.
        cause: Cause,
        /// How many tasks it has.
        tasks: usize,
        /// How long it may take.
        max_duration_ms: u64,
    },
    /// A run is being ended.
    RunEnding {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// Why.
        reason: EndReason,
    },
    /// A run that should have ended long ago has not.
    RunOverdue {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// For how long its end is awaited.
        waiting_ms: u64,
    },
    /// A run ended.
    RunEnded {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// What it came to.
        outcome: Outcome,
        /// Why it is not terminal, or what a person should know.
        reason: Option<String>,
        /// Finished tasks.
        acked: usize,
        /// Tasks that stay.
        kept: usize,
        /// How long it took.
        took_ms: Option<u64>,
    },
    /// A run that was asked for did not start.
    RunNotStarted {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// Why.
        reason: String,
    },
    /// The daemon had ended during this run.
    RunLost {
        /// Which one.
        run: RunId,
        /// Whose.
        partition: PartitionId,
    },
    /// A result came after its run had been ended, and is dropped.
    LateResultDropped {
        /// Which run.
        run: RunId,
        /// Whose.
        partition: PartitionId,
        /// Which task.
        task: TaskKey,
    },
    /// A task stays.
    TaskKept {
        /// Whose.
        partition: PartitionId,
        /// Which one.
        task: TaskKey,
        /// Failed attempts so far.
        attempts: u32,
        /// Why.
        reason: Option<String>,
    },
    /// A task is held until somebody does something about it.
    TaskHeld {
        /// Whose.
        partition: PartitionId,
        /// Which one.
        task: TaskKey,
        /// Failed attempts.
        attempts: u32,
        /// Why the last one failed.
        reason: Option<String>,
    },
    /// A partition rests after failures.
    BackedOff {
        /// Which one.
        partition: PartitionId,
        /// Until when.
        until: UnixMs,
    },
    /// The wall clock was set.
    ClockJumped {
        /// By how much; negative: back.
        by_ms: i64,
    },
    /// A kill switch was set or lifted.
    KillSwitchTurned {
        /// Of which partition; `None`: of the home.
        partition: Option<PartitionId>,
        /// Whether it is set now.
        set: bool,
    },
    /// An event named something that is not there. Worth a look: the edge and the scheduler disagree.
    Ignored {
        /// What.
        what: &'static str,
        /// Of which partition.
        partition: PartitionId,
    },
}

/// How many partitions stand how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Started, or running already.
    pub running: usize,
    /// Waiting for a turn.
    pub waiting: usize,
    /// Resting: after a run, after failures, or until the next time of their pattern.
    pub resting: usize,
    /// With nothing to do.
    pub idle: usize,
    /// Stopped by a kill switch.
    pub paused: usize,
    /// Switched off, or with a definition that cannot be used.
    pub disabled: usize,
}
