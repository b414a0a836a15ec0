//! Simulated runs: they take their time, say something or nothing, hang, and die with the daemon.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use subcortex_cadence::settle::{Ending, Work};
use subcortex_cadence::{PartitionId, RunId, RunTask, StartRun, TaskKey, UnixMs};

use crate::disk::Instance;
use crate::random::Random;

/// What kind of task a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Every attempt finishes it.
    Good,
    /// Each attempt may end in any way.
    Flaky,
    /// No attempt ever finishes it.
    Poison,
}

/// A run under way.
#[derive(Debug)]
pub(crate) struct Process {
    /// Which run.
    pub(crate) run: RunId,
    /// Whose.
    pub(crate) partition: PartitionId,
    /// The tasks that are ahead.
    pub(crate) tasks: VecDeque<RunTask>,
    /// When it must have been told to end, in true time.
    pub(crate) deadline_ms: u64,
    /// When what it does now is finished, in true time; far away if it hangs.
    pub(crate) busy_until_ms: u64,
    /// When it is dead after it was told to end.
    pub(crate) dies_at_ms: Option<u64>,
    /// Whether everything goes well.
    calm: bool,
}

/// Something a process reports.
#[derive(Debug)]
pub(crate) enum Report {
    /// A task ended.
    Task(RunTask, Work),
    /// The run ended.
    Run(Work),
}

/// What the engines ever did, from the outside: the oracle of what may be acked.
#[derive(Debug, Default)]
pub(crate) struct Deeds {
    /// Files whose task was finished by a terminal result. Effects carry the task's identity, so they are a set.
    pub(crate) finished: BTreeSet<Instance>,
    /// Which file each run took for a task.
    pub(crate) taken: BTreeMap<(RunId, TaskKey), Instance>,
    /// What each file is like.
    pub(crate) natures: BTreeMap<Instance, Nature>,
}

impl Process {
    /// Starts a run. Times are true ones.
    pub(crate) fn start(
        start: &StartRun,
        now_ms: u64,
        deadline_ms: u64,
        calm: bool,
        random: &mut Random,
    ) -> Process {
        let mut process = Process {
            run: start.run.clone(),
            partition: start.partition.clone(),
            tasks: start.tasks.iter().cloned().collect(),
            deadline_ms,
            busy_until_ms: now_ms,
            dies_at_ms: None,
            calm,
        };
        process.get_busy(now_ms, start.max_duration_ms, random);
        process
    }

    fn get_busy(&mut self, now_ms: u64, about_ms: u64, random: &mut Random) {
        self.busy_until_ms = match random.below(20) {
            _ if self.calm => now_ms + 1,
            0 => u64::MAX,
            1 => now_ms.saturating_add(about_ms * 2),
            // So quick that several end at the same moment.
            2..=5 => now_ms,
            _ => now_ms + random.below(about_ms / 4 + 2),
        };
    }

    /// When it has something to report.
    pub(crate) fn next_report_ms(&self) -> u64 {
        self.busy_until_ms.min(self.dies_at_ms.unwrap_or(u64::MAX))
    }

    /// It is told to end.
    pub(crate) fn end(&mut self, now_ms: u64, grace_ms: u64, random: &mut Random) {
        let dies_at_ms = now_ms + random.below(grace_ms + 1);
        self.dies_at_ms = Some(self.dies_at_ms.map_or(dies_at_ms, |earlier| earlier.min(dies_at_ms)));
    }

    /// What it reports at this moment.
    pub(crate) fn report(
        &mut self,
        now_ms: u64,
        wall: UnixMs,
        random: &mut Random,
        deeds: &mut Deeds,
    ) -> Report {
        if self.dies_at_ms.is_some_and(|dies_at_ms| dies_at_ms <= now_ms) {
            return Report::Run(Work::ended(Ending::Signal(9)));
        }
        let Some(task) = self.tasks.pop_front() else {
            return Report::Run(if self.calm { Work::well("NO-OP: x") } else { reflect(wall, random) });
        };
        let instance = Instance::of(&self.partition, &task);
        let nature = deeds.natures.get(&instance).copied().unwrap_or(Nature::Flaky);
        let work = work_on(nature, random);
        if subcortex_cadence::settle::judge(&work).outcome == subcortex_cadence::settle::Outcome::Terminal {
            deeds.finished.insert(instance);
        }
        self.get_busy(now_ms, self.deadline_ms.saturating_sub(now_ms), random);
        if self.tasks.is_empty() {
            self.busy_until_ms = now_ms + random.below(20);
        }
        Report::Task(task, work)
    }
}

fn work_on(nature: Nature, random: &mut Random) -> Work {
    let finish = |random: &mut Random| {
        let words = ["UPDATED: x", "NO-OP: y\n\n", "NO_NEW_GRADIENT: z", "chatter\nBOOTSTRAPPED: b"];
        Work::well(*random.pick(&words).unwrap_or(&"UPDATED: x"))
    };
    let fail = |random: &mut Random| match random.below(6) {
        0 => Work::well("PARTIAL_UPDATE: half of it"),
        1 => Work::well(""),
        2 => Work::well("UPDATED: x\nand so on"),
        3 => Work::well("updated: x"),
        4 => Work { output: b"UPDATED: x".to_vec(), ..Work::ended(Ending::ExitCode(1)) },
        _ => Work { output: b"UPDATED: x".to_vec(), ..Work::ended(Ending::Failed("overloaded".into())) },
    };
    match nature {
        Nature::Good => finish(random),
        Nature::Flaky if random.once_in(2) => finish(random),
        Nature::Flaky | Nature::Poison => fail(random),
    }
}

/// How long something has to wait at most, in milliseconds.
const MAX_WAIT_MS: u64 = 2 * 3_600_000;

fn reflect(now: UnixMs, random: &mut Random) -> Work {
    match random.below(10) {
        0 => Work::ended(Ending::ExitCode(2)),
        1 => Work::well("PARTIAL_UPDATE: more"),
        2 => Work { more_to_do: true, ..Work::well("UPDATED: x") },
        3 => Work::ended(Ending::Refused("no engine".into())),
        4 | 5 => {
            let wait_ms = i64::try_from(random.below(MAX_WAIT_MS)).unwrap_or(0);
            Work { wake_at: Some(now.plus_ms(wait_ms)), ..Work::well("NO-OP: an edit waits") }
        }
        _ => Work::well("NO_NEW_GRADIENT: nothing"),
    }
}
