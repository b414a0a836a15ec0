//! What runs report.

use subcortex_cadence::settle::Work;
use subcortex_cadence::{Event, PartitionId, RunId, TaskKey};

use crate::{Edge, Hands, Result};

/// How many reports are taken in at once, so that a long run of quick tasks cannot keep the daemon from hearing
/// anything else. Beyond this the syncs that are saved hardly count any more.
const MAX_REPORTS_AT_ONCE: usize = 64;

/// What a run tells, with what people want to know of it.
#[derive(Debug)]
pub enum Report<D> {
    /// The work on one task ended.
    TaskEnded {
        /// Whose run.
        partition: PartitionId,
        /// Which run.
        run: RunId,
        /// Which task.
        task: TaskKey,
        /// How it ended.
        work: Work,
        /// What else is to be known.
        details: D,
    },
    /// The run ended, and nothing of it is alive.
    RunEnded {
        /// Whose run.
        partition: PartitionId,
        /// Which run.
        run: RunId,
        /// How it ended.
        work: Work,
        /// What else is to be known.
        details: D,
    },
}

impl<H: Hands> Edge<H> {
    /// Takes in what runs report: as much as is there by now.
    pub fn take_reports(
        &mut self,
        hands: &mut H,
        reports: impl Iterator<Item = Report<H::Details>>,
    ) -> Result<(), H> {
        let mut tasks = Vec::new();
        for report in reports.take(MAX_REPORTS_AT_ONCE) {
            match report {
                Report::TaskEnded { partition, run, task, work, details } => {
                    self.keep_details(hands, &run, details);
                    tasks.push(Event::TaskEnded { partition, run, task, work });
                }
                Report::RunEnded { partition, run, work, details } => {
                    // First what became of the acks of its tasks: its record tells of them.
                    self.tell(hands, std::mem::take(&mut tasks))?;
                    self.running.remove(&run);
                    self.keep_details(hands, &run, details);
                    // What came in meanwhile, and what is left. The next run may begin before that is known, with
                    // the tasks that are.
                    hands.ask_for_inbox(&self.state, &partition, self.done.so_far);
                    self.tell(hands, vec![Event::RunEnded { partition, run, work }])?;
                }
            }
        }
        self.tell(hands, tasks)
    }

    fn keep_details(&mut self, hands: &mut H, run: &RunId, details: H::Details) {
        for saying in hands.keep_details(run, details) {
            self.say_next(saying);
        }
    }
}
