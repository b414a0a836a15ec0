//! The world around the scheduler: time, the disk, people, and the misfortunes that befall them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, LazyLock};

use jiff::tz::TimeZone;
use subcortex_cadence::definition::{Rest, WakeOn};
use subcortex_cadence::{
    BootMs, ContentHash, Cron, Definition, Event, FileStamp, Mark, Now, Pace, PartitionId, RunId, Saved,
    SavedProblem, Scope, SeenTask, Settings, State, TaskKey, TaskName, UnixMs,
};
use subcortex_edge::Edge;

use crate::check::Model;
use crate::disk::{Disk, Folder, Instance};
use crate::engine::{Deeds, Nature, Process};
use crate::random::Random;
use crate::sights::Sight;

/// 2026-11-14 08:00 UTC.
const BEGINNING_MS: i64 = 1_794_643_200_000;
/// How long there may be no room on the disk, in milliseconds.
const MAX_NO_ROOM_MS: u64 = 20_000;
const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;

/// Patterns of all paces; reading one takes longer than many turns.
static PATTERNS: LazyLock<Vec<Arc<Cron>>> = LazyLock::new(|| {
    let patterns = ["* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *"];
    patterns.iter().filter_map(|pattern| Cron::parse(pattern, TimeZone::UTC).ok().map(Arc::new)).collect()
});

/// One simulated life.
pub(crate) struct World {
    pub(crate) random: Random,
    /// Time that nobody can set; goes on when the daemon is dead.
    pub(crate) true_ms: u64,
    /// When the machine was started.
    booted_at_ms: u64,
    /// What people and time servers did to the wall clock.
    wall_offset_ms: i64,
    /// How often they did.
    pub(crate) clock_settings: u64,
    pub(crate) settings: Settings,
    pub(crate) disk: Disk,
    pub(crate) deeds: Deeds,
    pub(crate) model: Model,
    /// The daemon, while it is alive: the edge that ships.
    pub(crate) daemon: Option<Edge<World>>,
    /// The mistake that it makes.
    #[cfg(test)]
    pub(crate) defect: Option<subcortex_edge::Defect>,
    /// What it has started.
    pub(crate) processes: Vec<Process>,
    /// The runs whose end it wants.
    pub(crate) ends_wished: BTreeSet<RunId>,
    /// What it will hear, oldest first.
    pub(crate) sights: VecDeque<Sight>,
    pub(crate) partitions_asked_for: bool,
    /// The ack that is being recovered.
    pub(crate) recovering: Option<Instance>,
    /// Until when there is too little room on the disk, in true time.
    pub(crate) no_room_until_ms: u64,
    /// How often the daemon had to wait for it.
    pub(crate) waits: u64,
    /// What was found to be wrong where nobody could be told.
    pub(crate) broken: Option<String>,
    /// When the next thing happens that is nobody's plan.
    next_happening_ms: u64,
    /// Once in how many steps of an effect the daemon dies; 0 is never.
    pub(crate) crash_once_in: u64,
    pub(crate) calm: bool,
    /// Inboxes that changed without a notification.
    unnoticed: BTreeSet<PartitionId>,
    /// Partitions that were edited and not looked at since.
    edited: BTreeSet<PartitionId>,
    stamps: u64,
    names: u64,
    pub(crate) trace: Trace,
}

/// Why a step did not go on.
pub(crate) enum Stop {
    /// The daemon died.
    Crash,
    /// There is no room on the disk: nothing was written.
    NoRoom,
    /// An invariant does not hold.
    Broken(String),
}

/// What happened, line by line, if anybody wants to know.
#[derive(Default)]
pub(crate) struct Trace {
    /// Whether anybody does.
    pub(crate) on: bool,
    /// The lines.
    pub(crate) lines: Vec<String>,
}

impl Trace {
    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        if self.on {
            self.lines.push(line());
        }
    }
}

impl World {
    /// A world with a few partitions; everything follows from the seed.
    pub(crate) fn new(seed: u64) -> World {
        let mut random = Random::seeded(seed);
        let interval_ms = [1_000, 10_000, 60_000][random.below(3) as usize];
        let settings = Settings { interval_ms, max_parallel: 1 + random.below(3) as usize };
        let mut world = World {
            true_ms: 1_000_000,
            booted_at_ms: random.below(1_000_000),
            wall_offset_ms: BEGINNING_MS - 1_000_000,
            clock_settings: 0,
            settings,
            disk: Disk::default(),
            deeds: Deeds::default(),
            model: Model::default(),
            daemon: None,
            #[cfg(test)]
            defect: None,
            processes: Vec::new(),
            ends_wished: BTreeSet::new(),
            sights: VecDeque::new(),
            partitions_asked_for: false,
            recovering: None,
            no_room_until_ms: 0,
            waits: 0,
            broken: None,
            edited: BTreeSet::new(),
            next_happening_ms: 1_000_000,
            crash_once_in: [0, 15, 80, 400][random.below(4) as usize],
            calm: false,
            unnoticed: BTreeSet::new(),
            stamps: 0,
            names: 0,
            trace: Trace::default(),
            random,
        };
        for _ in 0..1 + world.random.below(4) {
            world.add_partition();
        }
        world
    }

    pub(crate) fn now(&self) -> Now {
        let wall = UnixMs(self.wall_offset_ms.saturating_add_unsigned(self.true_ms));
        Now { wall, boot: BootMs(self.true_ms - self.booted_at_ms) }
    }

    /// The true time at which the boot clock shows this.
    pub(crate) fn true_time_of(&self, boot: BootMs) -> u64 {
        boot.0.saturating_add(self.booted_at_ms)
    }

    /// Lets time pass until something happens, and lets it happen.
    pub(crate) fn turn(&mut self) -> Result<(), Stop> {
        if self.daemon.is_none() {
            return self.start_daemon();
        }
        if std::mem::take(&mut self.partitions_asked_for) {
            return self.see_partitions();
        }
        let wakeup_ms = self.daemon.as_ref().map_or(u64::MAX, |edge| self.true_time_of(edge.next_wakeup()));
        let report_ms = self.processes.iter().map(Process::next_report_ms).min().unwrap_or(u64::MAX);
        let sight_ms = self.sights.front().map_or(u64::MAX, |sight| sight.at_ms);
        let next_ms = wakeup_ms.min(report_ms).min(sight_ms).min(self.next_happening_ms);
        self.true_ms = self.true_ms.max(next_ms);
        if report_ms <= self.true_ms {
            self.hear_reports()
        } else if sight_ms <= self.true_ms {
            self.hear_sights(self.true_ms)
        } else if self.next_happening_ms <= self.true_ms && !self.calm {
            let pause_ms = self.settings.interval_ms * 2 / (1 + self.random.below(6));
            self.next_happening_ms = self.true_ms + 1 + self.random.below(pause_ms);
            self.happen()
        } else {
            self.wake_up()
        }
    }

    /// The scheduler's own wake-up. A tick also looks at what changed without a notification.
    fn wake_up(&mut self) -> Result<(), Stop> {
        let tick = self.daemon.as_ref().map(|edge| edge.state.tick());
        self.drive(|edge, world| {
            edge.try_again(world)?;
            edge.tell(world, vec![Event::TimePassed])
        })?;
        if self.daemon.as_ref().map(|edge| edge.state.tick()) != tick {
            if !self.edited.is_empty() {
                self.see_partitions()?;
            }
            for partition in std::mem::take(&mut self.unnoticed) {
                self.list_inbox(&partition)?;
            }
        }
        Ok(())
    }

    fn start_daemon(&mut self) -> Result<(), Stop> {
        let mut saved = self.disk.saved.clone();
        if self.random.once_in(8) {
            let broken = |problem: SavedProblem| Stop::Broken(problem.to_string());
            let read = Saved::from_json(&saved.to_json().map_err(broken)?).map_err(broken)?;
            if read != saved {
                return Err(Stop::Broken("the saved state is not what was saved".into()));
            }
        }
        if self.reads_records() {
            self.learn_results(&mut saved);
        }
        self.daemon = Some(self.new_edge(State::restore(saved, self.settings)));
        self.model.restarted(self.disk.paused, self.true_ms);
        std::mem::take(&mut self.edited).iter().for_each(|id| self.model.redefined(id));
        let events = self.random.once_in(2).then(|| Mark::new("e0"));
        let partitions = self.disk.partitions();
        self.tell(Event::Started { pace: Pace::Cadence, partitions, paused: self.disk.paused, events })?;
        self.list_all_inboxes()
    }

    fn learn_results(&mut self, saved: &mut Saved) {
        for (partition, memory) in &mut saved.partitions {
            let Some(run) = memory.running.as_ref().map(|running| running.run.clone()) else { continue };
            let known = memory.acking.len();
            memory.learn_results(|task| self.disk.recorded(&run, task));
            memory.acking[known..].iter().for_each(|new| self.model.finished(partition, &new.task.key));
        }
    }

    #[cfg(not(test))]
    #[allow(clippy::unused_self)] // in tests the world knows of a mistake
    fn reads_records(&self) -> bool {
        true
    }

    #[cfg(test)]
    fn reads_records(&self) -> bool {
        self.defect != Some(subcortex_edge::Defect::RecordsUnread)
    }

    #[cfg(not(test))]
    #[allow(clippy::unused_self)] // in tests the world knows of a mistake
    fn new_edge(&self, state: State) -> Edge<World> {
        Edge::new(state)
    }

    #[cfg(test)]
    fn new_edge(&self, state: State) -> Edge<World> {
        let mut edge = Edge::new(state);
        edge.defect = self.defect;
        edge
    }

    /// The daemon dies: everything but the disk is gone.
    pub(crate) fn crash(&mut self) {
        self.trace.note(|| "CRASH".into());
        self.forget_daemon();
        self.be_down();
    }

    pub(crate) fn forget_daemon(&mut self) {
        self.daemon = None;
        self.processes.clear();
        self.ends_wished.clear();
        self.sights.clear();
        self.partitions_asked_for = false;
        self.recovering = None;
        self.model.crashed();
    }

    pub(crate) fn be_down(&mut self) {
        let interval_ms = self.settings.interval_ms;
        self.true_ms += match self.random.below(4) {
            0 => self.random.below(100),
            1 => self.random.below(interval_ms),
            2 => self.random.below(interval_ms * 20),
            _ => self.random.below(interval_ms * 5_000),
        };
        self.next_happening_ms = self.next_happening_ms.max(self.true_ms);
        if self.random.once_in(3) {
            self.booted_at_ms = self.true_ms - self.random.below(1_000);
        }
        if self.random.once_in(4) && !self.calm {
            self.set_wall_clock();
        }
        // People go on while the daemon is down.
        for _ in 0..self.random.below(3) {
            self.drop_task();
        }
    }

    /// Something that is nobody's plan.
    fn happen(&mut self) -> Result<(), Stop> {
        match self.random.below(40) {
            0..=11 => {
                let Some(partition) = self.drop_task() else { return Ok(()) };
                if self.random.once_in(4) {
                    self.unnoticed.insert(partition);
                    return Ok(());
                }
                self.list_inbox(&partition)
            }
            12 => self.remove_task_by_hand(),
            13..=15 => self.turn_home_switch(),
            16..=18 => self.turn_partition_switch(),
            19 | 20 => {
                self.set_wall_clock();
                Ok(())
            }
            21 | 22 => self.sleep(),
            23 => {
                self.add_partition();
                self.see_partitions()
            }
            24 => self.remove_partition(),
            25 | 26 => self.edit_partition(),
            27 => self.ask_for_a_run(),
            28 => {
                self.model.ticked_by_hand();
                self.tell(Event::TickRequested)
            }
            29 => self.retry_something(),
            30 | 31 => {
                let mark = Mark::new(format!("e{}", self.random.below(1_000_000)));
                self.tell(Event::EventsSeen { mark })
            }
            32 => self.edit_playlist(),
            33 => self.change_settings(),
            34 => self.tell(Event::StopRequested),
            35 if self.crash_once_in > 0 => Err(Stop::Crash),
            36 => self.list_all_inboxes(),
            37 => {
                self.no_room_until_ms = self.true_ms + self.random.below(MAX_NO_ROOM_MS);
                Ok(())
            }
            _ => self.tell(Event::TimePassed),
        }
    }

    fn any_partition(&mut self) -> Option<PartitionId> {
        let ids: Vec<PartitionId> = self.disk.folders.keys().cloned().collect();
        self.random.pick(&ids).cloned()
    }

    pub(crate) fn drop_task(&mut self) -> Option<PartitionId> {
        let partition = self.any_partition()?;
        self.stamps += 1;
        // A few names only, so that tasks are overwritten and dropped again.
        let name = TaskName::new(format!("t{}", self.random.below(12)));
        let hash = ContentHash::new(if self.random.once_in(3) {
            format!("h{}", self.stamps)
        } else {
            "same".into()
        });
        let stamp = FileStamp(self.stamps);
        let key = TaskKey { name, hash };
        let nature = match self.random.below(10) {
            _ if self.calm => Nature::Good,
            0 => Nature::Poison,
            1..=4 => Nature::Flaky,
            _ => Nature::Good,
        };
        let refused = self.random.once_in(20).then(|| "it is a link".to_owned());
        let instance = Instance { partition: partition.clone(), key: key.clone(), stamp };
        self.trace.note(|| format!("drop {instance:?} {nature:?}"));
        let folder = self.disk.folders.get_mut(&partition)?;
        folder.inbox.retain(|file| file.key.name != key.name);
        folder.inbox.push(SeenTask { key, stamp, refused, before: Default::default() });
        self.deeds.natures.insert(instance, nature);
        Some(partition)
    }

    fn remove_task_by_hand(&mut self) -> Result<(), Stop> {
        let Some(partition) = self.any_partition() else { return Ok(()) };
        if let Some(folder) = self.disk.folders.get_mut(&partition)
            && !folder.inbox.is_empty()
        {
            folder.inbox.remove(0);
            self.unnoticed.insert(partition);
        }
        Ok(())
    }

    /// The file changes at once; the daemon may hear of it a little later, or find it first.
    fn turn_home_switch(&mut self) -> Result<(), Stop> {
        self.disk.paused = !self.disk.paused;
        if !self.random.once_in(3) || !self.disk.paused {
            return self.tell_home_switch();
        }
        Ok(())
    }

    pub(crate) fn tell_home_switch(&mut self) -> Result<(), Stop> {
        self.model.home_paused = self.disk.paused;
        self.tell(Event::KillSwitch { scope: Scope::Home, set: self.disk.paused })
    }

    fn turn_partition_switch(&mut self) -> Result<(), Stop> {
        let Some(id) = self.any_partition() else { return Ok(()) };
        let Some(folder) = self.disk.folders.get_mut(&id) else { return Ok(()) };
        folder.paused = !folder.paused;
        let set = folder.paused;
        self.tell(Event::KillSwitch { scope: Scope::Partition(id), set })
    }

    fn set_wall_clock(&mut self) {
        let now_ms = self.now().wall.0;
        let to_ms = match self.random.below(8) {
            0 => 0,
            1 => i64::from(i32::MAX) * 1000,
            2 => now_ms + 10 * YEAR_MS,
            3 => now_ms - 10 * YEAR_MS,
            4 => now_ms + 3_600_000,
            5 => now_ms - 3_600_000,
            6 => now_ms + self.random.below(10_000) as i64,
            _ => now_ms - self.random.below(10_000) as i64,
        };
        self.trace.note(|| format!("wall clock from {now_ms} to {to_ms}"));
        self.wall_offset_ms += to_ms - now_ms;
        self.clock_settings += 1;
    }

    /// The machine sleeps: both clocks go on, and nobody does anything.
    fn sleep(&mut self) -> Result<(), Stop> {
        let ms = self.random.below(self.settings.interval_ms * 300);
        self.true_ms += ms;
        for process in &mut self.processes {
            process.busy_until_ms = process.busy_until_ms.saturating_add(ms);
            process.dies_at_ms = process.dies_at_ms.map(|at| at.saturating_add(ms));
        }
        self.tell(Event::TimePassed)
    }

    fn add_partition(&mut self) {
        let Ok(id) = PartitionId::new(format!("p{}", self.names % 6)) else { return };
        self.names += 1;
        if self.disk.folders.len() < 6 && !self.disk.folders.contains_key(&id) {
            let definition = self.any_definition();
            self.disk.folders.insert(id, Folder { definition, paused: false, inbox: Vec::new() });
        }
    }

    fn any_definition(&mut self) -> Definition {
        let mut definition = Definition::default();
        let schedule = &mut definition.schedule;
        schedule.enabled = !self.random.once_in(10);
        schedule.rest = Rest::Ticks([0, 0, 1, 1, 2, 5][self.random.below(6) as usize]);
        schedule.max_duration_ms = 500 + self.random.below(self.settings.interval_ms * 3);
        schedule.max_tasks_per_run = 1 + self.random.below(5) as usize;
        schedule.wake_on = WakeOn {
            inbox: true,
            tick: self.random.once_in(4),
            events: self.random.once_in(3),
            changed: Vec::new(),
        };
        if self.random.once_in(6) {
            schedule.rest =
                self.random.pick(&PATTERNS).map_or(Rest::Ticks(0), |cron| Rest::Cron(cron.clone()));
        }
        definition
    }

    fn see_partitions(&mut self) -> Result<(), Stop> {
        // What was looked at before is heard before.
        self.hear_all_sights()?;
        self.model.order_changed();
        std::mem::take(&mut self.edited).iter().for_each(|id| self.model.redefined(id));
        let partitions = self.disk.partitions();
        self.tell(Event::PartitionsSeen { partitions })?;
        self.list_all_inboxes()
    }

    fn remove_partition(&mut self) -> Result<(), Stop> {
        self.hear_all_sights()?;
        if self.disk.folders.len() > 1
            && let Some(id) = self.any_partition()
        {
            self.disk.folders.remove(&id);
            self.model.removed(&id);
        }
        self.see_partitions()
    }

    fn edit_partition(&mut self) -> Result<(), Stop> {
        let definition = self.any_definition();
        if let Some(id) = self.any_partition()
            && let Some(folder) = self.disk.folders.get_mut(&id)
        {
            folder.definition = definition;
            self.edited.insert(id);
        }
        // A run may find the edit before the daemon hears of it.
        if self.random.once_in(3) { Ok(()) } else { self.see_partitions() }
    }

    fn ask_for_a_run(&mut self) -> Result<(), Stop> {
        match self.any_partition() {
            Some(partition) if self.random.once_in(3) => self.tell(Event::WorkRequested { partition }),
            Some(partition) => self.tell(Event::RunRequested { partition }),
            None => Ok(()),
        }
    }

    fn retry_something(&mut self) -> Result<(), Stop> {
        let Some(partition) = self.any_partition() else { return Ok(()) };
        let task = TaskName::new(format!("t{}", self.random.below(12)));
        self.model.retried(&partition, &task);
        self.tell(Event::RetryRequested { partition, task })
    }

    fn edit_playlist(&mut self) -> Result<(), Stop> {
        self.model.order_changed();
        let (first, second) = (self.random.below(6), self.random.below(6));
        self.tell(Event::PlaylistEdited { text: format!("1. p{first}\n2. ghost\n- p{second}\n- ../x\n") })
    }

    fn change_settings(&mut self) -> Result<(), Stop> {
        self.settings.max_parallel = 1 + self.random.below(3) as usize;
        self.tell(Event::SettingsChanged { settings: self.settings })
    }

    /// Whether a calm world has come to its end.
    pub(crate) fn is_finished(&self) -> bool {
        let idle = self.daemon.as_ref().is_some_and(|edge| edge.trouble().is_none());
        idle && self.processes.is_empty() && self.disk.folders.values().all(|folder| folder.inbox.is_empty())
    }

    /// Everybody is well from now on: whatever is left must come to its end.
    pub(crate) fn calm_down(&mut self) -> Result<(), Stop> {
        self.calm = true;
        self.next_happening_ms = u64::MAX;
        self.crash_once_in = 0;
        self.no_room_until_ms = 0;
        self.deeds.natures.values_mut().for_each(|nature| *nature = Nature::Good);
        self.disk.paused = false;
        for folder in self.disk.folders.values_mut() {
            folder.paused = false;
            folder.definition.schedule.enabled = true;
            folder.definition.schedule.rest = Rest::Ticks(1);
            folder.definition.schedule.wake_on.inbox = true;
            folder.inbox.retain(|file| file.refused.is_none());
        }
        if self.daemon.as_ref().is_none_or(|edge| edge.state.is_stopping()) {
            self.forget_daemon();
            self.start_daemon()?;
        }
        self.tell_home_switch()?;
        self.see_partitions()?;
        for id in self.disk.folders.keys().cloned().collect::<Vec<_>>() {
            for n in 0..12 {
                let task = TaskName::new(format!("t{n}"));
                self.model.retried(&id, &task);
                self.tell(Event::RetryRequested { partition: id.clone(), task })?;
            }
        }
        Ok(())
    }
}
