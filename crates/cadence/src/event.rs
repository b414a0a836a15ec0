//! Everything that the scheduler can learn.

use crate::saved::Mark;
use crate::settle::{TaskMemory, Work};
use crate::state::Settings;
use crate::{Definition, FileStamp, PartitionId, RunId, TaskKey, TaskName};

/// Something that happened. The edge of the program reports it to [`crate::step`].
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The daemon serves its home, or a command does for a moment. Always the first event.
    Started {
        /// Whether runs start by themselves.
        pace: Pace,
        /// All partitions there are.
        partitions: Vec<SeenPartition>,
        /// Whether the kill switch of the home is set.
        paused: bool,
        /// How far the external events have come.
        events: Option<Mark>,
    },
    /// Time passed. Nothing else need have happened: this is how the scheduler is woken at
    /// [`crate::State::next_wakeup`].
    TimePassed,
    /// Partitions were added, edited or removed: all that are there now.
    PartitionsSeen {
        /// All of them.
        partitions: Vec<SeenPartition>,
    },
    /// An inbox was listed: all that is there now, not a list from before the last ack.
    InboxSeen {
        /// Whose inbox.
        partition: PartitionId,
        /// Its files, oldest first.
        tasks: Vec<SeenTask>,
    },
    /// The log of external events has come so far.
    EventsSeen {
        /// How far.
        mark: Mark,
    },
    /// The files that a partition's `changed` globs match are like this.
    FilesSeen {
        /// Which partition.
        partition: PartitionId,
        /// A digest of their names, sizes and times.
        mark: Mark,
    },
    /// A kill switch was set or lifted. Any doubt counts as set.
    KillSwitch {
        /// Which one.
        scope: Scope,
        /// Whether it is set now.
        set: bool,
    },
    /// The work on one task of a run ended.
    TaskEnded {
        /// Whose run.
        partition: PartitionId,
        /// Which run.
        run: RunId,
        /// Which task: the first of those that are still ahead.
        task: TaskKey,
        /// How it ended.
        work: Work,
    },
    /// A run ended, and nothing of it is alive. Reported exactly once for each run that was asked for.
    RunEnded {
        /// Whose run.
        partition: PartitionId,
        /// Which run.
        run: RunId,
        /// How it ended. For a run with tasks only its end counts; for one without tasks also its output.
        work: Work,
    },
    /// A task's ack is complete.
    TaskAcked {
        /// Whose task.
        partition: PartitionId,
        /// Which one.
        task: TaskKey,
    },
    /// A task's ack was not carried out (the kill switch was found at the commit, or a recovery found no durable
    /// result): it is pending again.
    AckUndone {
        /// Whose task.
        partition: PartitionId,
        /// Which one.
        task: TaskKey,
    },
    /// The record of a run is durable.
    RunRecorded {
        /// Whose run.
        partition: PartitionId,
        /// Which one.
        run: RunId,
    },
    /// A person wants a held task to be tried again.
    RetryRequested {
        /// Whose task.
        partition: PartitionId,
        /// Its name.
        task: TaskName,
    },
    /// A person wants a partition to run now, ignoring its cooldown.
    RunRequested {
        /// Which one.
        partition: PartitionId,
    },
    /// A person waits for a partition to work on what is in its inbox: it runs now if there is something to do, ignoring
    /// its cooldown.
    WorkRequested {
        /// Which one.
        partition: PartitionId,
    },
    /// A person wants a tick now: every partition that has work runs, ignoring cooldowns.
    TickRequested,
    /// A person edited the playlist.
    PlaylistEdited {
        /// The whole file.
        text: String,
    },
    /// The settings were changed.
    SettingsChanged {
        /// The new ones.
        settings: Settings,
    },
    /// The daemon is to stop.
    StopRequested,
}

/// Whether runs start by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// By the cadence.
    Cadence,
    /// Only when somebody asks.
    ByHand,
}

/// A kill switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Of the home.
    Home,
    /// Of one partition.
    Partition(PartitionId),
}

/// A partition as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenPartition {
    /// Its name.
    pub id: PartitionId,
    /// What it is, or why its definition cannot be used.
    pub definition: Result<Definition, String>,
    /// Whether its kill switch is set.
    pub paused: bool,
}

/// A file in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenTask {
    /// Its name and content.
    pub key: TaskKey,
    /// Which file it is.
    pub stamp: FileStamp,
    /// Why no run may take it: a link, a device, too large, an unclear name.
    pub refused: Option<String>,
    /// How it fared elsewhere, for a task that came from another machine.
    pub before: TaskMemory,
}
