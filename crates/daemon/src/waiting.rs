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
        let mut waiting =
            Self { answer: Some(answer), only, running: HashSet::new(), ended: Vec::new(), refused };
        if waiting.refused.is_none() {
            waiting.join(edge);
        }
        for ended in std::mem::take(&mut edge.hands.ended) {
            waiting.run_ended(&ended);
        }
        Ok(waiting)
    }

    /// Waits for everything that runs now and was asked for.
    fn join(&mut self, edge: &Edge) {
        let partitions =
            edge.order.state.partitions().iter().filter(|partition| self.concerns(&partition.id));
        let running = partitions.filter_map(|partition| partition.memory.running.as_ref());
        let runs: Vec<RunId> = running.map(|running| running.run.clone()).collect();
        self.running.extend(runs);
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
        let now = clock::now();
        let state = &edge.order.state;
        let crowded: Vec<&PartitionId> = state
            .partitions()
            .iter()
            .filter(|partition| matches!(state.readiness(partition, now), Readiness::WaitingForSlot))
            .map(|partition| &partition.id)
            .collect();
        all.retain_mut(|waiting| {
            let crowded = crowded.iter().any(|partition| waiting.concerns(partition));
            if crowded {
                waiting.join(edge);
            }
            if crowded || !waiting.running.is_empty() {
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
