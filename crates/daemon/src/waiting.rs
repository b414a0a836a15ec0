//! A command that waits for the runs that it asked for.

use std::collections::HashSet;

use subcortex_cadence::settle::SettledRun;
use subcortex_cadence::{Event, PartitionId, Readiness, RunId};
use tokio::sync::oneshot;

use crate::clock;
use crate::control::Answer;
use crate::edge::{Edge, EdgeError};

/// One such command.
#[derive(Debug)]
pub(crate) struct Waiting {
    answer: Option<oneshot::Sender<Answer>>,
    /// The one partition that it asked for; `None` when it asked for all.
    only: Option<PartitionId>,
    /// Runs that have begun and not ended.
    running: HashSet<RunId>,
    /// Who waited for a slot when it was last looked. A slot that becomes free is taken in the same step, so that nobody is seen
    /// waiting for it any more: their runs are known by this.
    queued: HashSet<PartitionId>,
    ended: Vec<String>,
    refused: Option<String>,
}

impl Waiting {
    /// Asks for a run or a tick. What is there has been looked at just before.
    pub(crate) fn begin(
        edge: &mut Edge,
        event: Event,
        answer: oneshot::Sender<Answer>,
    ) -> Result<Self, EdgeError> {
        let only =
            if let Event::RunRequested { partition } = &event { Some(partition.clone()) } else { None };
        edge.hands.refused.clear();
        edge.tell(event)?;
        // Who asks for what runs already gets the result of that run; whoever else is refused has nothing to wait for.
        let runs = only.as_ref().and_then(|only| edge.order.state.partition(only)?.memory.running.as_ref());
        let refused = edge.hands.refused.pop().filter(|_| runs.is_none());
        let refused = refused.map(|(partition, why)| format!("{partition}: {why}"));
        let mut waiting = Self {
            answer: Some(answer),
            only,
            running: HashSet::new(),
            queued: HashSet::new(),
            ended: Vec::new(),
            refused,
        };
        if waiting.refused.is_none() {
            waiting.join(edge, |_| true);
        }
        waiting.queue_up(&crowded(edge));
        for ended in std::mem::take(&mut edge.hands.ended) {
            waiting.run_ended(&ended);
        }
        Ok(waiting)
    }

    /// Waits for what runs now and was asked for, of these partitions.
    fn join(&mut self, edge: &Edge, of: impl Fn(&PartitionId) -> bool) {
        let partitions = edge.order.state.partitions().iter();
        let partitions = partitions.filter(|partition| self.concerns(&partition.id) && of(&partition.id));
        let running = partitions.filter_map(|partition| partition.memory.running.as_ref());
        let runs: Vec<RunId> = running.map(|running| running.run.clone()).collect();
        self.running.extend(runs);
    }

    fn queue_up(&mut self, crowded: &HashSet<PartitionId>) {
        self.queued = crowded.iter().filter(|partition| self.concerns(partition)).cloned().collect();
    }

    fn concerns(&self, partition: &PartitionId) -> bool {
        self.only.as_ref().is_none_or(|only| only == partition)
    }

    pub(crate) fn run_ended(&mut self, settled: &SettledRun) {
        if !self.concerns(&settled.partition) {
            return;
        }
        self.running.remove(&settled.run);
        self.ended.push(settled.run.to_string());
    }

    /// Answers those whose runs have all ended, and who have nobody left waiting for a slot.
    pub(crate) fn answer_finished(all: &mut Vec<Self>, edge: &Edge) {
        if all.is_empty() {
            return;
        }
        let crowded = crowded(edge);
        all.retain_mut(|waiting| {
            let queued = std::mem::take(&mut waiting.queued);
            waiting.join(edge, |partition| queued.contains(partition));
            waiting.queue_up(&crowded);
            if !waiting.queued.is_empty() || !waiting.running.is_empty() {
                return true;
            }
            if let Some(answer) = waiting.answer.take() {
                drop(answer.send(waiting.answer_now()));
            }
            false
        });
    }

    fn answer_now(&mut self) -> Answer {
        match self.refused.take() {
            Some(why) if self.ended.is_empty() => Answer::Refused { why },
            _ => Answer::Ran { runs: std::mem::take(&mut self.ended) },
        }
    }
}

/// Who has work and waits until another run ends.
fn crowded(edge: &Edge) -> HashSet<PartitionId> {
    let (now, state) = (clock::now(), &edge.order.state);
    let partitions = state.partitions().iter();
    partitions
        .filter(|partition| matches!(state.readiness(partition, now), Readiness::WaitingForSlot))
        .map(|partition| partition.id.clone())
        .collect()
}
