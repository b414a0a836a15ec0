//! The scheduler and its edge, driven through simulated lives: years of crashes, clock jumps, sleep, full disks, kill
//! switches and edits in milliseconds, each the consequence of one number.
//!
//! The code under test is the one that ships: [`subcortex_cadence::step`], and [`subcortex_edge::Edge`], which carries out
//! what it decides. What is simulated is everything around them: the clock, the disk and the runs. After each step the invariants in `check` are held against a second account of what
//! happened; at the end the world calms down, and everything that was ever dropped must be finished.

pub mod bench;
mod check;
#[cfg(test)]
mod defects;
mod disk;
mod engine;
mod hands;
mod random;
mod sights;
mod world;

use std::fmt;
use std::ops::Range;

use world::{Stop, World};

/// How many things happen before a life calms down.
const EVENTFUL_TURNS: u64 = 120;
/// How many turns a calm world may need until everything is finished.
const CALM_TURNS: u64 = 3_000;

/// What came of a life in which every invariant held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many runs were started.
    pub runs: u64,
    /// How many tasks were finished.
    pub acks: u64,
    /// How often the daemon died.
    pub crashes: u64,
    /// How often it had to wait for room on the disk.
    pub waits: u64,
}

impl Summary {
    fn add(&mut self, other: Summary) {
        self.runs += other.runs;
        self.acks += other.acks;
        self.crashes += other.crashes;
        self.waits += other.waits;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { runs, acks, crashes, waits } = self;
        write!(
            out,
            "{runs} runs, {acks} acks, {crashes} crashes, {waits} waits for room, every invariant held"
        )
    }
}

/// An invariant that did not hold.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The life in which it did not.
    pub seed: u64,
    /// What is wrong.
    pub what: String,
    /// What happened before.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_LINES: usize = 60;
        for line in &self.trace[self.trace.len().saturating_sub(SHOWN_LINES)..] {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "seed {}: {}", self.seed, self.what)?;
        write!(out, "replay it with: cargo run -p subcortex-sim -- {}", self.seed)
    }
}

/// Lives one life.
pub fn simulate(seed: u64) -> Result<Summary, Failure> {
    live(seed, false).0.map_err(|_| {
        let (outcome, trace) = live(seed, true);
        let what =
            outcome.err().unwrap_or_else(|| "it does not happen again: something is not in the seed".into());
        Failure { seed, what, trace }
    })
}

/// Lives many lives, on all cores; the failure with the lowest seed if there is one.
pub fn simulate_all(seeds: Range<u64>) -> Result<Summary, Failure> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let share = |thread: u64| {
        let mut sum = Summary::default();
        for seed in seeds.clone().skip(thread as usize).step_by(threads as usize) {
            sum.add(simulate(seed)?);
        }
        Ok(sum)
    };
    let outcomes: Vec<Result<Summary, Failure>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut sum = Summary::default();
    let mut failures = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(one) => sum.add(one),
            Err(failure) => failures.push(failure),
        }
    }
    failures.into_iter().min_by_key(|failure| failure.seed).map_or(Ok(sum), Err)
}

/// Lives one life, and tells all of it.
pub fn trace(seed: u64) -> (Result<Summary, String>, Vec<String>) {
    live(seed, true)
}

fn live(seed: u64, traced: bool) -> (Result<Summary, String>, Vec<String>) {
    let mut world = World::new(seed);
    world.trace.on = traced;
    let outcome = live_in(&mut world);
    (outcome, std::mem::take(&mut world.trace.lines))
}

fn live_in(world: &mut World) -> Result<Summary, String> {
    let mut crashes = 0;
    let mut survive = |world: &mut World, outcome: Result<(), Stop>| match outcome {
        Ok(()) => Ok(()),
        Err(Stop::Broken(what)) => Err(what),
        Err(Stop::Crash) => {
            crashes += 1;
            world.crash();
            Ok(())
        }
        Err(Stop::NoRoom) => Err("it gave up for want of room".into()),
    };
    for _ in 0..EVENTFUL_TURNS {
        let outcome = world.turn();
        survive(world, outcome)?;
    }
    let outcome = world.calm_down();
    survive(world, outcome)?;
    for _ in 0..CALM_TURNS {
        if world.is_finished() {
            break;
        }
        let outcome = world.turn();
        survive(world, outcome)?;
    }
    match world.check_the_end() {
        Ok(()) => Ok(Summary { runs: world.model.runs, acks: world.model.acks, crashes, waits: world.waits }),
        Err(Stop::Broken(what)) => Err(what),
        Err(Stop::Crash | Stop::NoRoom) => Err("it crashed while nothing happened".into()),
    }
}
