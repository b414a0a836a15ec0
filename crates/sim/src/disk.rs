//! The home as it is on the disk: what survives when the daemon dies.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_cadence::ack::FileFound;
use subcortex_cadence::saved::Recorded;
use subcortex_cadence::settle::{AckDecision, SettledRun, SettledTask};
use subcortex_cadence::{
    Definition, FileStamp, PartitionId, RunId, RunTask, Saved, SeenPartition, SeenTask, TaskKey,
};

/// One file that was dropped: two drops of the same text are two of these.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instance {
    /// In whose inbox.
    pub(crate) partition: PartitionId,
    /// Its name and content.
    pub(crate) key: TaskKey,
    /// Which file.
    pub(crate) stamp: FileStamp,
}

impl Instance {
    /// The file that a run took.
    pub(crate) fn of(partition: &PartitionId, task: &RunTask) -> Instance {
        Instance { partition: partition.clone(), key: task.key.clone(), stamp: task.stamp }
    }
}

/// Everything below the home.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// The scheduler's state, as it was saved last.
    pub(crate) saved: Saved,
    /// Whether `PAUSED` is in the home.
    pub(crate) paused: bool,
    /// The partitions.
    pub(crate) folders: BTreeMap<PartitionId, Folder>,
    /// The run records.
    pub(crate) records: BTreeMap<RunId, Record>,
    /// The tasks of which the spine says `task.done`, with the run that finished each.
    pub(crate) done: BTreeMap<Instance, RunId>,
    /// The tasks that a run record finishes.
    pub(crate) recorded: BTreeSet<Instance>,
}

/// The directory of a partition.
#[derive(Debug)]
pub(crate) struct Folder {
    /// What its `CLAUDE.md` says.
    pub(crate) definition: Definition,
    /// Whether `PAUSED` is in it.
    pub(crate) paused: bool,
    /// Its inbox, oldest first.
    pub(crate) inbox: Vec<SeenTask>,
}

/// A run record.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Results that were made durable one by one.
    pub(crate) tasks: Vec<SettledTask>,
    /// The whole, when the run had ended.
    pub(crate) whole: Option<SettledRun>,
}

impl Record {
    fn has_terminal_result_of(&self, key: &TaskKey) -> bool {
        let whole = self.whole.iter().flat_map(|whole| &whole.tasks);
        let terminal =
            |task: &SettledTask| task.result.as_ref().is_some_and(|result| result.status.is_terminal());
        self.tasks.iter().chain(whole).any(|task| task.task == *key && terminal(task))
    }
}

impl Disk {
    /// What a scan of `subconscious/` finds.
    pub(crate) fn partitions(&self) -> Vec<SeenPartition> {
        let seen = |(id, folder): (&PartitionId, &Folder)| SeenPartition {
            id: id.clone(),
            definition: Ok(folder.definition.clone()),
            paused: folder.paused,
        };
        self.folders.iter().map(seen).collect()
    }

    /// Whether a kill switch stops this partition.
    pub(crate) fn is_paused(&self, partition: &PartitionId) -> bool {
        self.paused || self.folders.get(partition).is_some_and(|folder| folder.paused)
    }

    /// What is in the inbox under a task's name.
    pub(crate) fn find(&self, instance: &Instance) -> FileFound {
        let inbox = self.folders.get(&instance.partition).map_or(&[][..], |folder| &folder.inbox);
        match inbox.iter().find(|file| file.key.name == instance.key.name) {
            None => FileFound::None,
            Some(file) if file.key == instance.key && file.stamp == instance.stamp => FileFound::ThisOne,
            Some(_) => FileFound::Another,
        }
    }

    /// Whether a terminal result of a task is durable in a run's record.
    pub(crate) fn has_result(&self, run: &RunId, key: &TaskKey) -> bool {
        self.records.get(run).is_some_and(|record| record.has_terminal_result_of(key))
    }

    /// What the record of a run says of a task that it finishes.
    pub(crate) fn recorded(&self, run: &RunId, key: &TaskKey) -> Option<Recorded> {
        let tasks = &self.records.get(run)?.tasks;
        let task = tasks.iter().find(|task| task.task == *key && task.decision == AckDecision::Ack)?;
        Some(Recorded { result: task.result.clone()?, reason: task.reason.clone() })
    }

    /// Removes exactly this file.
    pub(crate) fn remove(&mut self, instance: &Instance) {
        if let Some(folder) = self.folders.get_mut(&instance.partition) {
            folder.inbox.retain(|file| file.key != instance.key || file.stamp != instance.stamp);
        }
    }
}
