//! What was done since somebody was asked to look. An answer is as old as the question: what was acked since then is
//! taken out of it.

use std::collections::VecDeque;

use subcortex_cadence::{Event, FileStamp, PartitionId, SeenTask, TaskKey};

use crate::{Defect, Edge, Finished, Hands};

/// How far everything had come when something was asked for: what was done since is not in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// How many tasks had been acked.
    pub acks: u64,
    /// How often the playlist had been written.
    pub playlists: u64,
}

/// How far everything has come, and what was acked since the oldest look began that is not over.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) so_far: Asked,
    acked: VecDeque<(u64, PartitionId, TaskKey, FileStamp)>,
}

impl Done {
    pub(crate) fn ack(&mut self, Finished { partition, task, .. }: &Finished) {
        self.so_far.acks += 1;
        self.acked.push_back((self.so_far.acks, partition.clone(), task.key.clone(), task.stamp));
    }

    /// Answers come in the order of the questions: nobody asks about what was acked before this one any more.
    fn forget_before(&mut self, asked: Asked) {
        while self.acked.front().is_some_and(|(number, ..)| *number <= asked.acks) {
            self.acked.pop_front();
        }
    }

    fn is_acked(&self, partition: &PartitionId, task: &SeenTask) -> bool {
        self.acked
            .iter()
            .any(|(_, of, key, stamp)| of == partition && *key == task.key && *stamp == task.stamp)
    }
}

impl<H: Hands> Edge<H> {
    /// How far everything has come: whoever is asked to look gives it back with the answer.
    pub fn so_far(&self) -> Asked {
        self.done.so_far
    }

    /// A list of an inbox, without what was acked since it was asked for; nothing where the partition is gone since.
    pub fn see_inbox(
        &mut self,
        partition: PartitionId,
        mut tasks: Vec<SeenTask>,
        asked: Asked,
    ) -> Option<Event> {
        self.done.forget_before(asked);
        if !self.makes(Defect::StaleLists) {
            tasks.retain(|task| !self.done.is_acked(&partition, task));
        }
        self.state.partition(&partition)?;
        Some(Event::InboxSeen { partition, tasks })
    }
}
