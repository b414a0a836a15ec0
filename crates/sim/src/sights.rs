//! What the daemon is told of the world, a little late: lists of inboxes, and reports of runs.

use subcortex_cadence::ack::FileFound;
use subcortex_cadence::{Event, PartitionId, SeenTask};
use subcortex_edge::{Asked, Report as Told};

use crate::engine::Report;
use crate::world::{Stop, World};

/// How many reports may come in at the same moment.
const MAX_BURST: u64 = 8;

/// A list of an inbox on its way to the daemon.
#[derive(Debug)]
pub(crate) struct Sight {
    /// When it arrives, in true time.
    pub(crate) at_ms: u64,
    partition: PartitionId,
    tasks: Vec<SeenTask>,
    asked: Asked,
}

impl World {
    /// Looks at an inbox for somebody who hears of it later.
    pub(crate) fn look_at_inbox(&mut self, partition: &PartitionId, asked: Asked) {
        let Some(folder) = self.disk.folders.get(partition) else { return };
        let tasks = folder.inbox.clone();
        let after_ms = if self.calm { 0 } else { self.random.below(self.settings.interval_ms) };
        let earliest_ms = self.sights.back().map_or(0, |sight| sight.at_ms);
        let at_ms = earliest_ms.max(self.true_ms + after_ms);
        self.sights.push_back(Sight { at_ms, partition: partition.clone(), tasks, asked });
    }

    pub(crate) fn list_inbox(&mut self, partition: &PartitionId) -> Result<(), Stop> {
        let Some(asked) = self.daemon.as_ref().map(subcortex_edge::Edge::so_far) else { return Ok(()) };
        self.look_at_inbox(partition, asked);
        if self.calm || self.random.once_in(2) { self.hear_all_sights() } else { Ok(()) }
    }

    pub(crate) fn list_all_inboxes(&mut self) -> Result<(), Stop> {
        let ids: Vec<PartitionId> = self.disk.folders.keys().cloned().collect();
        ids.iter().try_for_each(|id| self.list_inbox(id))
    }

    /// Everything that was looked at arrives.
    pub(crate) fn hear_all_sights(&mut self) -> Result<(), Stop> {
        self.hear_sights(u64::MAX)
    }

    /// What has arrived by then is heard together.
    pub(crate) fn hear_sights(&mut self, until_ms: u64) -> Result<(), Stop> {
        let count = self.sights.iter().take_while(|sight| sight.at_ms <= until_ms).count();
        let arrived: Vec<Sight> = self.sights.drain(..count).collect();
        if arrived.is_empty() {
            return Ok(());
        }
        self.drive(|edge, world| {
            let see = |Sight { partition, tasks, asked, .. }| edge.see_inbox(partition, tasks, asked);
            let seen = arrived.into_iter().filter_map(see);
            let events = seen.chain([Event::TimePassed]).collect();
            edge.tell(world, events)
        })
    }

    /// Hears whoever has something to report: one, or several at once.
    pub(crate) fn hear_reports(&mut self) -> Result<(), Stop> {
        let (now_ms, wall) = (self.true_ms, self.now().wall);
        let mut burst = Vec::new();
        let at_most = 1 + self.random.below(MAX_BURST);
        while (burst.len() as u64) < at_most {
            let Some(place) = self.processes.iter().position(|process| process.next_report_ms() <= now_ms)
            else {
                break;
            };
            let process = &mut self.processes[place];
            let (partition, run, details) = (process.partition.clone(), process.run.clone(), ());
            burst.push(match process.report(now_ms, wall, &mut self.random, &mut self.deeds) {
                Report::Task(task, work) => Told::TaskEnded { partition, run, task: task.key, work, details },
                Report::Run(work) => {
                    self.processes.remove(place);
                    Told::RunEnded { partition, run, work, details }
                }
            });
        }
        self.drive(|edge, world| edge.take_reports(world, burst.into_iter()))
    }

    /// At the end of a life that became calm: nothing is left, and nothing was lost.
    pub(crate) fn check_the_end(&self) -> Result<(), Stop> {
        for (id, folder) in &self.disk.folders {
            if let Some(task) = folder.inbox.first() {
                return Err(Stop::Broken(format!("{id} never finished {task:?}")));
            }
        }
        for instance in self.disk.done.keys() {
            if self.disk.find(instance) == FileFound::ThisOne {
                return Err(Stop::Broken(format!("{instance:?} is done and still there")));
            }
        }
        Ok(())
    }
}
