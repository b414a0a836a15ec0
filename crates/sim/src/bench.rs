//! A scheduler with many partitions, for whoever wants to know how long a decision takes.

use subcortex_cadence::definition::{Rest, WakeOn};
use subcortex_cadence::{
    BootMs, ContentHash, Definition, Effect, Event, FileStamp, Now, Pace, PartitionId, Saved, SeenPartition,
    SeenTask, Settings, State, TaskKey, TaskName, UnixMs, step,
};

/// A running scheduler and the moment it is at.
pub struct Bench {
    state: State,
    now: Now,
}

impl Bench {
    /// `count` partitions: two run, most wait for their turn, and a third has nothing to do.
    pub fn of(count: usize) -> Bench {
        let now = Now { wall: UnixMs(1_794_643_200_000), boot: BootMs(1_000) };
        let mut bench = Bench { state: State::restore(Saved::default(), Settings::default()), now };
        let partitions: Vec<SeenPartition> = (0..count).filter_map(partition).collect();
        let ids: Vec<PartitionId> = partitions.iter().map(|seen| seen.id.clone()).collect();
        bench.tell(Event::Started { pace: Pace::Cadence, partitions, paused: false, events: None });
        for partition in ids {
            bench.tell(Event::InboxSeen { partition, tasks: vec![task()] });
        }
        bench
    }

    /// One tick: the decision over all partitions. Gives back how many effects it has.
    pub fn tick(&mut self) -> usize {
        let interval_ms = self.state.settings().interval_ms;
        self.now =
            Now { wall: self.now.wall.plus_ms(interval_ms as i64), boot: self.now.boot.plus_ms(interval_ms) };
        self.tell(Event::TimePassed).len()
    }

    fn tell(&mut self, event: Event) -> Vec<Effect> {
        step(&mut self.state, self.now, event)
    }
}

fn partition(number: usize) -> Option<SeenPartition> {
    let mut definition = Definition::default();
    match number % 3 {
        0 => definition.schedule.wake_on.tick = true,
        1 => definition.schedule.rest = Rest::Ticks(u64::from(u32::MAX)),
        _ => definition.schedule.wake_on = WakeOn { events: true, ..WakeOn::default() },
    }
    definition.schedule.max_duration_ms = subcortex_cadence::definition::MAX_DURATION_MS;
    let id = PartitionId::new(format!("partition-{number}")).ok()?;
    Some(SeenPartition { id, definition: Ok(definition), paused: false })
}

fn task() -> SeenTask {
    let key = TaskKey { name: TaskName::new("task.md"), hash: ContentHash::new("0") };
    SeenTask { key, stamp: FileStamp(1), refused: None, before: Default::default() }
}
