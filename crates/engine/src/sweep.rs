//! ProcessEnding processes that can only be found by looking: freeze, kill, look again.

use std::collections::HashSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::{Process, Stamp, signal};
use crate::sight::Certainty;

/// How long SIGKILL may take before what is left is reported instead of waited for.
const KILL_WITHIN_MS: u64 = 10_000;
/// How many looks in a row may find new processes to freeze before killing begins anyway.
const FREEZE_LOOKS_MAX: u32 = 50;
/// The first and the longest pause between two looks while killed processes end.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 1..=16;

/// Freezes, then kills, and looks again until nobody is left.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    frozen: HashSet<Stamp>,
    pub(crate) killed: HashSet<Stamp>,
    pub(crate) still_alive: u32,
}

/// Whom one look found.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) alive: Vec<Process>,
    pub(crate) certainty: Certainty,
}

impl Sweep {
    /// Repeats `find` (`None`: it was not possible to look) until nobody is left: one certain look says so,
    /// or two likely ones in a row.
    pub(crate) fn repeat(&mut self, mut find: impl FnMut() -> Option<Sighting>) {
        let until = Instant::now() + Duration::from_millis(KILL_WITHIN_MS);
        let mut empty_looks = 0;
        let mut freeze_looks = 0;
        let mut pause_ms = *PAUSE_MS.start();
        loop {
            let found = find();
            match &found {
                Some(sighting) if sighting.alive.is_empty() => {
                    empty_looks += u32::from(sighting.certainty == Certainty::Likely);
                    if sighting.certainty == Certainty::Certain || empty_looks == 2 {
                        return;
                    }
                }
                Some(sighting) => {
                    empty_looks = 0;
                    // Frozen processes start no others: only when nobody new turns up, killing begins.
                    if self.freeze(&sighting.alive) && freeze_looks < FREEZE_LOOKS_MAX {
                        freeze_looks += 1;
                        continue;
                    }
                    self.kill(&sighting.alive);
                }
                None => {}
            }
            if Instant::now() >= until {
                let alive = found.map_or(0, |sighting| sighting.alive.len());
                self.still_alive = u32::try_from(alive).unwrap_or(u32::MAX);
                return;
            }
            sleep(Duration::from_millis(pause_ms));
            pause_ms = (pause_ms * 2).min(*PAUSE_MS.end());
        }
    }

    /// Stops those that were not stopped yet; says whether there were any.
    fn freeze(&mut self, alive: &[Process]) -> bool {
        let known = self.frozen.len();
        for process in alive {
            if !self.killed.contains(&process.stamp) && self.frozen.insert(process.stamp) {
                signal(process.stamp, &[Signal::STOP]);
            }
        }
        self.frozen.len() > known
    }

    fn kill(&mut self, alive: &[Process]) {
        for process in alive {
            self.killed.insert(process.stamp);
            signal(process.stamp, &[Signal::KILL]);
        }
    }
}
