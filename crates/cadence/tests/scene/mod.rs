//! A scheduler with two clocks in hand: events in, what it wishes for out as text.

#![allow(dead_code)] // Each test file uses a part of it.

use subcortex_cadence::definition::{Definition, Rest, WakeOn};
use subcortex_cadence::settle::{Ending, SettledRun, Work};
use subcortex_cadence::{
    BootMs, ContentHash, Effect, Event, Fact, FileStamp, Mark, Now, Pace, PartitionId, RunId, Saved, Scope,
    SeenPartition, SeenTask, Settings, State, TaskKey, TaskName, UnixMs, step,
};

pub(crate) const MINUTE_MS: u64 = 60_000;
pub(crate) const HOUR_MS: u64 = 60 * MINUTE_MS;
/// 2026-11-14 08:00 UTC.
pub(crate) const START: UnixMs = UnixMs(1_794_643_200_000);

pub(crate) struct Scene {
    pub(crate) state: State,
    pub(crate) now: Now,
    pub(crate) settings: Settings,
    seen: Vec<SeenPartition>,
    saved: Saved,
}

pub(crate) fn id(name: &str) -> PartitionId {
    PartitionId::new(name).expect("a good name")
}

pub(crate) fn key(name: &str) -> TaskKey {
    TaskKey { name: TaskName::new(name), hash: ContentHash::new("0") }
}

/// A partition with the defaults, and a way to change some of them.
pub(crate) fn partition(name: &str, change: impl FnOnce(&mut Definition)) -> SeenPartition {
    let mut definition = Definition::default();
    change(&mut definition);
    SeenPartition { id: id(name), definition: Ok(definition), paused: false }
}

pub(crate) fn cooldown(ticks: u64) -> impl FnOnce(&mut Definition) {
    move |definition| definition.schedule.rest = Rest::Ticks(ticks)
}

pub(crate) fn wake_on_tick(cooldown_ticks: u64) -> impl FnOnce(&mut Definition) {
    move |definition| {
        definition.schedule.rest = Rest::Ticks(cooldown_ticks);
        definition.schedule.wake_on = WakeOn { tick: true, ..WakeOn::default() };
    }
}

impl Scene {
    /// A home that starts for the first time, with empty inboxes.
    pub(crate) fn of(partitions: Vec<SeenPartition>) -> Scene {
        Scene::with(Settings { interval_ms: MINUTE_MS, max_parallel: 2 }, partitions)
    }

    pub(crate) fn with(settings: Settings, partitions: Vec<SeenPartition>) -> Scene {
        let mut scene = Scene::down(settings, partitions);
        scene.start();
        scene
    }

    /// The same before its daemon starts.
    pub(crate) fn down(settings: Settings, partitions: Vec<SeenPartition>) -> Scene {
        let now = Now { wall: START, boot: BootMs(1_000_000) };
        let state = State::restore(Saved::default(), settings);
        Scene { state, now, settings, seen: partitions, saved: Saved::default() }
    }

    /// Starts the daemon from what was saved last, and lists all inboxes as empty.
    pub(crate) fn start(&mut self) -> String {
        self.start_with(|_| Vec::new())
    }

    pub(crate) fn start_with(&mut self, inbox: impl Fn(&PartitionId) -> Vec<SeenTask>) -> String {
        self.state = State::restore(self.saved.clone(), self.settings);
        let mut said = self.tell(Event::Started {
            pace: Pace::Cadence,
            partitions: self.seen.clone(),
            paused: false,
            events: None,
        });
        for seen in self.seen.clone() {
            let tasks = inbox(&seen.id);
            said += &self.tell(Event::InboxSeen { partition: seen.id, tasks });
        }
        said
    }

    /// The daemon is gone for a while; only what was saved stays.
    pub(crate) fn crash(&mut self, down_ms: u64) {
        self.now.wall = self.now.wall.plus_ms(down_ms as i64);
        self.now.boot = BootMs(77);
    }

    pub(crate) fn tell(&mut self, event: Event) -> String {
        let effects = step(&mut self.state, self.now, event);
        if effects.first() == Some(&Effect::SaveState) {
            // As it would be on the disk.
            let json = self.state.saved().to_json().expect("can be written");
            self.saved = Saved::from_json(&json).expect("can be read");
        }
        effects.iter().filter_map(show).map(|line| line + "\n").collect()
    }

    /// Lets time pass on both clocks, and tells the scheduler once, at the end.
    pub(crate) fn pass(&mut self, ms: u64) -> String {
        self.now = Now { wall: self.now.wall.plus_ms(ms as i64), boot: self.now.boot.plus_ms(ms) };
        self.tell(Event::TimePassed)
    }

    /// Lets ticks pass one by one.
    pub(crate) fn ticks(&mut self, ticks: u64) -> String {
        (0..ticks).map(|_| self.pass(MINUTE_MS)).collect()
    }

    pub(crate) fn jump_wall_clock(&mut self, ms: i64) -> String {
        self.now.wall = self.now.wall.plus_ms(ms);
        self.tell(Event::TimePassed)
    }

    /// Lists an inbox: all names that are in it.
    pub(crate) fn inbox(&mut self, partition: &str, names: &[&str]) -> String {
        let tasks = names.iter().map(|name| seen(name)).collect();
        self.tell(Event::InboxSeen { partition: id(partition), tasks })
    }

    /// The task that is being worked on ends with this output.
    pub(crate) fn task_ends(&mut self, partition: &str, task: &str, output: &str) -> String {
        let run = self.run_of(partition);
        let work = Work::well(output);
        let mut said = self.tell(Event::TaskEnded { partition: id(partition), run, task: key(task), work });
        if said.contains("ack ") {
            said += &self.tell(Event::TaskAcked { partition: id(partition), task: key(task) });
        }
        said
    }

    pub(crate) fn run_ends(&mut self, partition: &str, output: &str) -> String {
        self.run_ends_with(partition, Work::well(output))
    }

    pub(crate) fn run_ends_with(&mut self, partition: &str, work: Work) -> String {
        let run = self.run_of(partition);
        let said = self.tell(Event::RunEnded { partition: id(partition), run: run.clone(), work });
        said + &self.tell(Event::RunRecorded { partition: id(partition), run })
    }

    pub(crate) fn fails(&mut self, partition: &str, ending: Ending) -> String {
        self.run_ends_with(partition, Work::ended(ending))
    }

    pub(crate) fn kill_switch(&mut self, set: bool) -> String {
        self.tell(Event::KillSwitch { scope: Scope::Home, set })
    }

    pub(crate) fn run_of(&self, partition: &str) -> RunId {
        let running = self.state.partition(&id(partition)).and_then(|found| found.memory.running.as_ref());
        running.map(|running| running.run.clone()).expect("it is running")
    }

    /// What `status` would say.
    pub(crate) fn ready(&self, partition: &str) -> String {
        let found = self.state.partition(&id(partition)).expect("it is there");
        format!("{:?}", self.state.readiness(found, self.now))
    }

    pub(crate) fn next_due_tick(&self, partition: &str) -> Option<u64> {
        let found = self.state.partition(&id(partition)).expect("it is there");
        self.state.next_due_tick(found, self.now).map(|tick| tick.0)
    }

    pub(crate) fn redefine(&mut self, partitions: Vec<SeenPartition>) -> String {
        self.seen.clone_from(&partitions);
        self.tell(Event::PartitionsSeen { partitions })
    }

    pub(crate) fn events(&mut self, mark: &str) -> String {
        self.tell(Event::EventsSeen { mark: Mark::new(mark) })
    }

    pub(crate) fn tasks(&self, partition: &str) -> String {
        let found = self.state.partition(&id(partition)).expect("it is there");
        let show = |task: subcortex_cadence::TaskView<'_>| {
            format!("{} {:?} {} {}\n", task.key.name, task.state, task.attempts, task.reason.unwrap_or("-"))
        };
        found.tasks().map(show).collect()
    }
}

pub(crate) fn seen(name: &str) -> SeenTask {
    SeenTask { key: key(name), stamp: FileStamp(1), refused: None, before: Default::default() }
}

/// One line for what a test wants to see; saves, records and most facts are left out.
fn show(effect: &Effect) -> Option<String> {
    let names = |tasks: &[subcortex_cadence::RunTask]| {
        tasks.iter().map(|task| task.key.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    Some(match effect {
        Effect::StartRun(start) => {
            format!("start {} {:?} [{}]", start.partition, start.cause, names(&start.tasks))
        }
        Effect::EndRun { partition, reason, grace_ms, .. } => {
            format!("end {partition} {reason:?} {grace_ms}")
        }
        Effect::AckTask { partition, task, .. } => format!("ack {partition} {}", task.key.name),
        Effect::RecoverAck { partition, task, .. } => format!("recover {partition} {}", task.key.name),
        Effect::RecordRun(settled) => show_run(settled),
        Effect::RefuseRequest { partition, why } => format!("refuse {partition} {why:?}"),
        Effect::Stop => "stop".into(),
        Effect::Note(Fact::TickStarted { tick, missed_ticks, .. }) if *missed_ticks > 0 => {
            format!("tick {tick} missed {missed_ticks}")
        }
        Effect::Note(Fact::LateResultDropped { task, .. }) => format!("late {}", task.name),
        Effect::Note(Fact::RunOverdue { partition, .. }) => format!("overdue {partition}"),
        Effect::Note(Fact::TaskHeld { task, .. }) => format!("hold {}", task.name),
        Effect::Note(Fact::ClockJumped { by_ms }) => format!("clock jumped {by_ms}"),
        Effect::Note(Fact::Ignored { what, .. }) => format!("ignored {what}"),
        Effect::SaveState | Effect::RecordTask { .. } | Effect::WritePlaylist | Effect::Note(_) => {
            return None;
        }
    })
}

fn show_run(settled: &SettledRun) -> String {
    let reason = settled.reason.as_deref().unwrap_or("-");
    format!("record {} {} {} acked ({reason})", settled.partition, settled.outcome.as_str(), settled.acked())
}
