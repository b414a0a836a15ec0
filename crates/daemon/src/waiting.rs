//! A command that waits for the runs that it asked for.

use std::collections::HashSet;

use subcortex_cadence::settle::SettledRun;
use subcortex_cadence::{Event, Readiness, RunId};
use tokio::sync::oneshot;

use crate::clock;
use crate::control::Answer;
use crate::edge::{Edge, EdgeError};

/// One such command.
#[derive(Debug)]
pub(crate) struct Waiting {
    answer: Option<oneshot::Sender<Answer>>,
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
        edge.hands.refused.clear();
        edge.tell(event)?;
        let refused = edge.hands.refused.pop().map(|(partition, why)| format!("{partition}: {why}"));
        let mut waiting = Self { answer: Some(answer), running: HashSet::new(), ended: Vec::new(), refused };
        waiting.join(edge);
        for ended in std::mem::take(&mut edge.hands.ended) {
            waiting.run_ended(&ended);
        }
        Ok(waiting)
    }

    /// Waits for everything that runs now.
    fn join(&mut self, edge: &Edge) {
        self.running.extend(edge.running_ids());
    }

    pub(crate) fn run_ended(&mut self, settled: &SettledRun) {
        self.running.remove(&settled.run);
        self.ended.push(settled.run.to_string());
    }

    /// Answers those whose runs have all ended, and who have nobody left waiting for a slot.
    pub(crate) fn answer_finished(all: &mut Vec<Self>, edge: &Edge) {
        if all.is_empty() {
            return;
        }
        let crowded = edge.order.state.partitions().iter().any(|partition| {
            matches!(edge.order.state.readiness(partition, clock::now()), Readiness::WaitingForSlot)
        });
        all.retain_mut(|waiting| {
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
