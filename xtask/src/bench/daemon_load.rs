//! The daemon with much to do: ticks over many partitions, and many tasks at once.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use subcortex_sim::bench::Bench;

use super::daemon::announce;
use super::daemon_home::Home;
use super::measure::quantile;
use super::report::{Goal, Section};

const PARTITIONS: [usize; 3] = [100, 1_000, 10_000];
const TICKS: usize = 300;
const MAX_TICK_MS: f64 = 5.0;
/// How much longer one of many partitions may take than one of few, to be called linear.
const LINEAR: f64 = 1.5;

const SMALL_BURST: usize = 5_000;
const LARGE_BURST: usize = 50_000;
/// What may be resident at once, however many tasks there are.
const MAX_BURST_MIB: f64 = 32.0;
/// A burst that takes longer than this is not waited for.
const MAX_BURST: Duration = Duration::from_secs(300);
/// How long a large burst is watched that would take longer.
const BURST_GLANCE: Duration = Duration::from_secs(60);

/// The decision of one tick, without anything that follows from it.
pub(super) fn ticks() -> Section {
    announce("tick decisions");
    let sorted_ms: Vec<_> = PARTITIONS.iter().map(|count| tick_ms(*count)).collect();
    let median = |place: usize| quantile(&sorted_ms[place], 0.5);
    let last = PARTITIONS.len() - 1;
    let each_ms = |place: usize| median(place) / PARTITIONS[place] as f64;
    let growth = each_ms(last) / each_ms(0);
    let row = |(count, ms): (&usize, &Vec<f64>)| {
        let at = |share| format!("{:.4} ms", quantile(ms, share));
        vec![count.to_string(), at(0.5), at(0.99), at(1.0), format!("{:.0} ns", at_ns(ms, *count))]
    };
    Section {
        title: "daemon: the decision of a tick",
        intro: format!(
            "{TICKS} ticks of the scheduler alone: which of so many partitions runs now. Two run, most wait for a slot, a third \
             has nothing to do."
        ),
        header: vec!["partitions", "p50", "p99", "max", "for each partition (p50)"],
        rows: PARTITIONS.iter().zip(&sorted_ms).map(row).collect(),
        goals: vec![
            Goal::judged(
                format!("< {MAX_TICK_MS} ms with {} partitions (p99)", PARTITIONS[last]),
                Some((
                    format!("{:.3} ms", quantile(&sorted_ms[last], 0.99)),
                    quantile(&sorted_ms[last], 0.99) < MAX_TICK_MS,
                )),
            ),
            Goal::judged(
                format!("linear: one of {} takes ≤ {LINEAR} × one of {}", PARTITIONS[last], PARTITIONS[0]),
                Some((format!("{growth:.2} ×"), growth <= LINEAR)),
            ),
        ],
        commands: Vec::new(),
    }
}

fn at_ns(sorted_ms: &[f64], count: usize) -> f64 {
    quantile(sorted_ms, 0.5) * 1e6 / count as f64
}

fn tick_ms(partitions: usize) -> Vec<f64> {
    let mut bench = Bench::of(partitions);
    let mut tick = || {
        let start = Instant::now();
        std::hint::black_box(bench.tick());
        start.elapsed().as_secs_f64() * 1e3
    };
    let mut sorted: Vec<_> = (0..TICKS).map(|_| tick()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// What came of many tasks that were dropped at once.
struct Burst {
    dropped: usize,
    acked: usize,
    took: Duration,
    peak_mib: f64,
    /// Whether the tasks were done in the order in which they came.
    in_order: bool,
}

/// Many tasks at once, for a worker that has nothing to do with them.
pub(super) fn bursts(make: impl Fn(&str) -> Result<Home>) -> Result<Section> {
    let small = Burst::measure(&make("small-burst")?, SMALL_BURST, MAX_BURST)?;
    let expected = small.took.mul_f64(LARGE_BURST as f64 / small.acked.max(1) as f64);
    let patience = if expected > MAX_BURST { BURST_GLANCE } else { MAX_BURST };
    let large = Burst::measure(&make("large-burst")?, LARGE_BURST, patience)?;
    let all_in_order = |burst: &Burst| {
        let order = if burst.in_order { "in order" } else { "not in order" };
        Goal::judged(
            format!("all of {} tasks acked, oldest first", burst.dropped),
            Some((format!("{} acked, {order}", burst.acked), burst.in_order && burst.acked == burst.dropped)),
        )
    };
    let peak_mib = large.peak_mib.max(small.peak_mib);
    Ok(Section {
        title: "daemon: a burst of tasks",
        intro: format!(
            "So many task files renamed into one inbox as fast as it goes, for the worker `heartbeat`, 1,000 tasks in a run. \
             Measured from the first rename until all are acked. Tasks that end together are settled together, up to 64: \
             their results are durable before the first of their files goes. A large burst that would take longer than {} s is watched for {} s only: the row then says how far it came.",
            MAX_BURST.as_secs(),
            BURST_GLANCE.as_secs()
        ),
        header: vec!["tasks", "acked", "time", "rate", "peak memory", "oldest first"],
        rows: vec![small.row(), large.row()],
        goals: vec![
            all_in_order(&small),
            all_in_order(&large),
            Goal::judged(
                format!("≤ {MAX_BURST_MIB} MiB of memory"),
                Some((format!("{peak_mib:.1} MiB"), peak_mib <= MAX_BURST_MIB)),
            ),
        ],
        commands: Vec::new(),
    })
}

impl Burst {
    fn measure(home: &Home, tasks: usize, patience: Duration) -> Result<Self> {
        announce(&format!("burst of {tasks}"));
        let schedule = "schedule: { cooldown_ticks: 0, max_tasks_per_run: 1000 }";
        home.partition("heartbeat", &format!("{schedule}\nengine: builtin"))?;
        let staging = home.path("staged");
        fs::create_dir(&staging)?;
        for number in 0..tasks {
            fs::write(staging.join(name_of(number)), format!("task {number}\n"))?;
        }
        let daemon = home.daemon()?;
        let inbox = home.path("subconscious/heartbeat/inbox");
        let start = Instant::now();
        for number in 0..tasks {
            fs::rename(staging.join(name_of(number)), inbox.join(name_of(number)))?;
        }
        println!("daemon: all dropped after {:.1} s", start.elapsed().as_secs_f64());
        let mut acked = 0;
        while acked < tasks {
            let Some(line) = daemon.wait_until("run ended", start + patience)? else { break };
            acked += acked_in(&line).with_context(|| format!("no number of acks in `{line}`"))?;
        }
        let took = start.elapsed();
        let peak_mib = daemon.process.size_mib("VmHWM")?;
        daemon.stop()?;
        let done = home.payloads("task.done")?;
        let names = done.iter().map(|task| task["task"].as_str().unwrap_or_default());
        let in_order = names.enumerate().all(|(number, name)| name == name_of(number));
        let acked = done.len();
        println!("daemon: {acked} of {tasks} acked after {:.1} s", took.as_secs_f64());
        Ok(Self { dropped: tasks, acked, took, peak_mib, in_order })
    }

    fn row(&self) -> Vec<String> {
        let rate = self.acked as f64 / self.took.as_secs_f64();
        vec![
            self.dropped.to_string(),
            if self.acked < self.dropped {
                format!("{} (stopped)", self.acked)
            } else {
                self.acked.to_string()
            },
            format!("{:.1} s", self.took.as_secs_f64()),
            format!("{rate:.0}/s"),
            format!("{:.1} MiB", self.peak_mib),
            if self.in_order { "yes" } else { "no" }.to_owned(),
        ]
    }
}

/// Names whose order is that of the drops, for tasks that come within one step of the clock.
fn name_of(number: usize) -> String {
    format!("{number:06}.md")
}

/// How many tasks a run finished, from its line in the log.
fn acked_in(line: &str) -> Option<usize> {
    line.split_whitespace().find_map(|word| word.strip_prefix("acked="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_are_found_in_a_line_of_the_log() {
        let line =
            "08:37:00.019Z INFO  run ended  run=8f2c partition=heartbeat outcome=terminal acked=20 kept=0";
        assert_eq!(acked_in(line), Some(20));
        assert_eq!(acked_in("tick started"), None);
    }

    #[test]
    fn a_burst_that_was_stopped_says_so() {
        let burst =
            Burst { dropped: 50, acked: 20, took: Duration::from_secs(4), peak_mib: 9.04, in_order: true };
        assert_eq!(burst.row(), ["50", "20 (stopped)", "4.0 s", "5/s", "9.0 MiB", "yes"]);
    }
}
