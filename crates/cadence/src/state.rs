//! The scheduler's whole state, and the questions that others may ask of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::event::Pace;
use crate::partition::Partition;
use crate::readiness::{Moment, Readiness, next_due_tick, next_run_at, readiness};
use crate::saved::{Mark, PartitionMemory, Saved, VERSION};
use crate::{BootMs, Now, PartitionId, Tick, UnixMs};

/// What the config says about the cadence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The time between two ticks.
    pub interval_ms: u64,
    /// How many partitions run at once.
    pub max_parallel: usize,
}

impl Settings {
    /// The shortest interval.
    pub const MIN_INTERVAL_MS: u64 = 1_000;

    /// The settings within their bounds.
    #[must_use]
    pub fn bounded(self) -> Settings {
        Settings {
            interval_ms: self.interval_ms.max(Self::MIN_INTERVAL_MS),
            max_parallel: self.max_parallel.max(1),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings { interval_ms: 60_000, max_parallel: 2 }
    }
}

/// Everything that the scheduler knows. Changed by [`crate::step`] alone.
#[derive(Debug, Clone)]
pub struct State {
    pub(crate) settings: Settings,
    /// `None` until [`crate::Event::Started`].
    pub(crate) pace: Option<Pace>,
    pub(crate) clock: Clock,
    pub(crate) paused: bool,
    pub(crate) stopping: bool,
    /// How far the external events have come.
    pub(crate) events: Option<Mark>,
    /// In the order of the playlist.
    pub(crate) partitions: Vec<Partition>,
    /// Where each is in the list above.
    pub(crate) places: BTreeMap<PartitionId, usize>,
    /// Whose turn is next.
    pub(crate) cursor: usize,
    /// The memory of partitions that are gone, for the case that they come back.
    pub(crate) absent: BTreeMap<PartitionId, PartitionMemory>,
    /// How many runs are under way.
    pub(crate) running: usize,
    pub(crate) runs_started: u64,
    pub(crate) other: Map<String, Value>,
    pub(crate) next_wakeup: BootMs,
    /// Whether anything that survives a restart changed in this step.
    pub(crate) unsaved: bool,
    pub(crate) told_to_stop: bool,
    /// The order and the next turn as they were saved, until the partitions are known.
    pub(crate) saved_order: (Vec<PartitionId>, Option<PartitionId>),
}

impl State {
    /// A scheduler that has not started yet.
    pub fn restore(saved: Saved, settings: Settings) -> State {
        State {
            settings: settings.bounded(),
            pace: None,
            clock: Clock::saved(saved.tick, saved.last_tick_at),
            paused: true,
            stopping: false,
            events: None,
            partitions: Vec::new(),
            places: BTreeMap::new(),
            cursor: 0,
            absent: saved.partitions,
            running: 0,
            runs_started: saved.runs_started,
            other: saved.other,
            next_wakeup: BootMs(0),
            unsaved: false,
            told_to_stop: false,
            saved_order: (saved.playlist, saved.next_turn),
        }
    }

    /// What has to survive a restart.
    pub fn saved(&self) -> Saved {
        let present =
            self.partitions.iter().map(|partition| (partition.id.clone(), partition.memory.clone()));
        let absent = self.absent.iter().map(|(id, memory)| (id.clone(), memory.clone()));
        Saved {
            version: VERSION,
            tick: self.clock.tick,
            last_tick_at: self.clock.last_tick_at,
            runs_started: self.runs_started,
            playlist: self.partitions.iter().map(|partition| partition.id.clone()).collect(),
            next_turn: self.next_turn().map(|partition| partition.id.clone()),
            partitions: absent.chain(present).collect(),
            other: self.other.clone(),
        }
    }

    /// The tick.
    pub fn tick(&self) -> Tick {
        self.clock.tick
    }

    /// When the next tick is, by the wall clock.
    pub fn next_tick_at(&self, now: Now) -> UnixMs {
        let wait_ms = self.clock.next_tick.since_ms(now.boot);
        now.wall.plus_ms(i64::try_from(wait_ms).unwrap_or(i64::MAX))
    }

    /// When the scheduler wants to be woken with [`crate::Event::TimePassed`] if nothing else happens before.
    pub fn next_wakeup(&self) -> BootMs {
        self.next_wakeup
    }

    /// The settings in use.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Whether the kill switch of the home is set.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether the daemon was told to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// All partitions, in the order of the playlist.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// One of them.
    pub fn partition(&self, id: &PartitionId) -> Option<&Partition> {
        self.partitions.get(*self.places.get(id)?)
    }

    /// Whose turn is next.
    pub fn next_turn(&self) -> Option<&Partition> {
        self.partitions.get(self.cursor)
    }

    /// How many runs are under way.
    pub fn running(&self) -> usize {
        self.running
    }

    /// Whether a partition may run now, and if not, why.
    pub fn readiness(&self, partition: &Partition, now: Now) -> Readiness {
        readiness(partition, &self.moment(now, self.free_slots()))
    }

    /// The first tick in which a partition may run as things stand.
    pub fn next_due_tick(&self, partition: &Partition, now: Now) -> Option<Tick> {
        next_due_tick(partition, &self.moment(now, self.free_slots()))
    }

    /// When a partition runs next by itself, as things stand.
    pub fn next_run_at(&self, partition: &Partition, now: Now) -> Option<UnixMs> {
        next_run_at(partition, &self.moment(now, self.free_slots()), self.next_tick_at(now))
    }

    pub(crate) fn free_slots(&self) -> usize {
        self.settings.max_parallel.saturating_sub(self.running)
    }

    pub(crate) fn moment(&self, now: Now, free_slots: usize) -> Moment<'_> {
        Moment {
            now,
            tick: self.clock.tick,
            interval_ms: self.settings.interval_ms,
            paused: self.paused,
            stopping: self.stopping,
            free_slots,
            events: self.events.as_ref(),
        }
    }

    pub(crate) fn find(&mut self, id: &PartitionId) -> Option<&mut Partition> {
        self.partitions.get_mut(*self.places.get(id)?)
    }

    /// The memory of a partition, also of one that is gone.
    pub(crate) fn memory_of(&mut self, id: &PartitionId) -> Option<&mut PartitionMemory> {
        match self.places.get(id) {
            Some(place) => self.partitions.get_mut(*place).map(|partition| &mut partition.memory),
            None => self.absent.get_mut(id),
        }
    }
}
