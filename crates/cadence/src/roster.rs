//! Which partitions there are, and in which order they have their turns.

use std::collections::BTreeMap;

use crate::backoff::MAX_BACKOFF_MS;
use crate::clock::Passed;
use crate::effect::{DEADLINE_GRACE_MS, Effect, EndReason, Fact, PAUSE_GRACE_MS};
use crate::event::{Pace, SeenPartition};
use crate::partition::Partition;
use crate::saved::{ABSENT_KEPT_TICKS, MAX_WAKE_AHEAD_MS, PartitionMemory};
use crate::state::State;
use crate::{Now, PartitionId};

impl State {
    /// The daemon starts: counts the ticks it missed, brings what was saved back into bounds, deals with
    /// runs and acks that a crash cut short, and takes in the partitions.
    pub(crate) fn start(
        &mut self,
        now: Now,
        pace: Pace,
        partitions: Vec<SeenPartition>,
        effects: &mut Vec<Effect>,
    ) -> Passed {
        self.pace = Some(pace);
        let passed = self.clock.start(now, self.settings.interval_ms);
        let mut memories = std::mem::take(&mut self.absent);
        for (id, memory) in &mut memories {
            memory.bring_into_bounds(now, self.clock.tick);
            self.unsaved |= memory.give_up_lost_run(id, now, effects);
            ask_for_loose_ends(id, memory, effects);
        }
        self.absent = memories;
        self.see_partitions(now, partitions, effects);
        let (order, next_turn) = std::mem::take(&mut self.saved_order);
        self.reorder(&order);
        self.cursor = next_turn.and_then(|id| self.places.get(&id).copied()).unwrap_or(0);
        passed
    }

    /// Takes in which partitions there are now. Those that are known keep their memory and their place.
    pub(crate) fn see_partitions(&mut self, now: Now, seen: Vec<SeenPartition>, effects: &mut Vec<Effect>) {
        let mut seen: BTreeMap<PartitionId, SeenPartition> =
            seen.into_iter().map(|seen| (seen.id.clone(), seen)).collect();
        for partition in &mut self.partitions {
            match seen.remove(&partition.id) {
                Some(seen) => partition.redefine(now, seen, effects),
                None => {
                    partition.present = false;
                    partition.end_run(now, EndReason::PartitionGone, DEADLINE_GRACE_MS, effects);
                }
            }
        }
        for (id, seen) in seen {
            let mut memory = self.absent.remove(&id).unwrap_or_default();
            // The clock may have been set while it was gone.
            memory.bring_into_bounds(now, self.clock.tick);
            if memory.absent_since.take().is_some() {
                ask_for_loose_ends(&id, &memory, effects);
            }
            let mut partition = Partition::new(seen, memory);
            partition.sync_cron(now.wall);
            self.partitions.push(partition);
        }
        self.retire_absent();
        self.unsaved = true;
        effects.push(Effect::WritePlaylist);
    }

    /// Takes partitions that are gone, and have no run, out of the round. Their memory is kept for a while.
    pub(crate) fn retire_absent(&mut self) {
        let (tick, next_turn) = (self.clock.tick, self.next_turn().map(|partition| partition.id.clone()));
        let stays = |partition: &Partition| partition.present || partition.memory.running.is_some();
        // The next turn goes to the first partition after the old place that is still there.
        let before_cursor =
            self.partitions.iter().take(self.cursor).filter(|partition| stays(partition)).count();
        let (kept, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.partitions).into_iter().partition(stays);
        self.partitions = kept;
        for mut partition in gone {
            partition.memory.absent_since = Some(tick);
            self.absent.insert(partition.id, partition.memory);
        }
        self.absent.retain(|_, memory| {
            let is_recent = tick < memory.absent_since.get_or_insert(tick).plus(ABSENT_KEPT_TICKS);
            is_recent || memory.has_loose_ends()
        });
        self.index();
        let found = next_turn.and_then(|id| self.places.get(&id).copied());
        self.cursor = found.unwrap_or(if before_cursor < self.partitions.len() { before_cursor } else { 0 });
    }

    /// Puts the partitions into an order. Names that are not there are passed over; partitions that are not
    /// named follow in the order they had.
    pub(crate) fn reorder(&mut self, order: &[PartitionId]) {
        let next_turn = self.next_turn().map(|partition| partition.id.clone());
        let wanted: BTreeMap<&PartitionId, usize> =
            order.iter().rev().enumerate().map(|(at, id)| (id, at)).collect();
        let place =
            |partition: &Partition| wanted.get(&partition.id).map_or(usize::MAX, |at| order.len() - at);
        self.partitions.sort_by_cached_key(place);
        self.index();
        self.cursor = next_turn.and_then(|id| self.places.get(&id).copied()).unwrap_or(0);
        self.unsaved = true;
    }

    fn index(&mut self) {
        self.places =
            self.partitions.iter().enumerate().map(|(at, partition)| (partition.id.clone(), at)).collect();
    }
}

impl Partition {
    fn redefine(&mut self, now: Now, seen: SeenPartition, effects: &mut Vec<Effect>) {
        self.present = true;
        self.paused = seen.paused;
        if self.paused {
            self.end_run(now, EndReason::Paused, PAUSE_GRACE_MS, effects);
        }
        if self.definition != seen.definition {
            self.definition = seen.definition;
            self.sync_cron(now.wall);
        }
    }

    /// Wishes for the end of the run, if there is one and it is not being ended already. A kill switch still
    /// shortens the grace of one that is.
    pub(crate) fn end_run(&mut self, now: Now, reason: EndReason, grace_ms: u64, effects: &mut Vec<Effect>) {
        let (Some(active), Some(running)) = (&mut self.active, &self.memory.running) else { return };
        let first = active.ending.is_none();
        if !first && reason != EndReason::Paused {
            return;
        }
        active.ending.get_or_insert((reason, now.boot));
        let (partition, run) = (self.id.clone(), running.run.clone());
        effects.push(Effect::EndRun { partition: partition.clone(), run: run.clone(), reason, grace_ms });
        if first {
            effects.push(Effect::Note(Fact::RunEnding { run, partition, reason }));
        }
    }
}

/// Wishes once more for what a crash may have cut short. All of it may be done twice.
///
/// Records come first: they make results durable that so far stand in the saved state alone, so that an ack
/// that had begun is brought to its end instead of the work being repeated.
fn ask_for_loose_ends(id: &PartitionId, memory: &PartitionMemory, effects: &mut Vec<Effect>) {
    effects.extend(memory.unrecorded.iter().map(|settled| Effect::RecordRun(Box::new(settled.clone()))));
    for acking in &memory.acking {
        let (run, task) = (acking.run.clone(), acking.task.clone());
        effects.push(Effect::RecoverAck { partition: id.clone(), run, task });
    }
}

impl PartitionMemory {
    /// Whether something is still to be brought to its end: the next start does it, also where the partition is gone.
    fn has_loose_ends(&self) -> bool {
        !self.acking.is_empty() || !self.unrecorded.is_empty()
    }

    /// A wrong clock or an editor may have left numbers that would stop the partition for good.
    fn bring_into_bounds(&mut self, now: Now, tick: crate::Tick) {
        if let Some(last_run) = &mut self.last_run {
            last_run.tick = last_run.tick.min(tick);
        }
        let latest = now.wall.plus_ms(i64::try_from(MAX_BACKOFF_MS).unwrap_or(i64::MAX));
        self.backoff_until = self.backoff_until.map(|until| until.min(latest));
        self.wake_at = self.wake_at.map(|at| at.min(now.wall.plus_ms(MAX_WAKE_AHEAD_MS)));
        self.absent_since = self.absent_since.map(|since| since.min(tick));
    }
}
