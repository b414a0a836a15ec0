//! Three daemons that share an inbox, against one with an inbox of its own; and how soon a killed one is replaced.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use subcortex_cadence::PartitionId;
use subcortex_fleet::{FleetSettings, FleetView, Stream};

use super::daemon_home::{Daemon, Home};
use super::measure::quantile;
use super::redis::Redis;
use super::report::{Goal, Section};
use crate::setup::find_program;

const TASKS: usize = 10_000;
const MACHINES: usize = 3;
const TAKEOVERS: usize = 5;
const LEASE: Duration = Duration::from_secs(2);
/// What a takeover may take beyond the lease, in seconds.
const SPARE_S: f64 = 1.0;
const PARTITION: &str = "heartbeat";
const SCHEDULE: &str =
    "schedule: { cooldown_ticks: 0, max_tasks_per_run: 1000, max_duration_ms: 600000 }\nengine: builtin";
/// How long everything may take before the benchmark gives up.
const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(5);

/// Measures, where there is a server.
pub(crate) fn run(bench_dir: &Path, release_dir: &Path) -> Result<Section> {
    let alone = alone(bench_dir, release_dir)?;
    println!("fleet: one daemon, {:.1} s", alone.as_secs_f64());
    if find_program("redis-server").is_none() {
        return Ok(section(alone, None, Vec::new()));
    }
    let together = together(bench_dir, release_dir)?;
    println!("fleet: {MACHINES} daemons, {:.1} s", together.as_secs_f64());
    let mut takeovers_s = Vec::new();
    for _ in 0..TAKEOVERS {
        takeovers_s.push(takeover(bench_dir, release_dir)?.as_secs_f64());
    }
    takeovers_s.sort_by(f64::total_cmp);
    Ok(section(alone, Some(together), takeovers_s))
}

/// One daemon whose inbox is full before it starts.
fn alone(bench_dir: &Path, release_dir: &Path) -> Result<Duration> {
    let home = Home::make(bench_dir, "fleet-alone", release_dir)?;
    home.partition(PARTITION, SCHEDULE)?;
    let inbox = home.path(&format!("subconscious/{PARTITION}/inbox"));
    for number in 0..TASKS {
        fs::write(inbox.join(name_of(number)), "beat\n")?;
    }
    let start = Instant::now();
    let daemon = home.daemon()?;
    wait_until(|| Ok(fs::read_dir(&inbox)?.next().is_none()))?;
    let took = start.elapsed();
    daemon.stop()?;
    Ok(took)
}

/// A server, and homes that share an inbox on it.
struct Fleet {
    _server: Redis,
    settings: FleetSettings,
    stream: Stream,
    partition: PartitionId,
    homes: Vec<Home>,
}

impl Fleet {
    fn make(bench_dir: &Path, release_dir: &Path, count: usize) -> Result<Self> {
        let dir = bench_dir.join("fleet");
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        let server = Redis::start_with(&dir, "everysec")?;
        let redis = format!("redis+unix://{}", dir.join("redis.sock").display());
        let lease_ms = u64::try_from(LEASE.as_millis())?;
        let settings = FleetSettings { redis, lease_ms, name: "bench".into() };
        let homes = (0..count).map(|number| {
            let home = Home::make(bench_dir, &format!("fleet-{number}"), release_dir)?;
            home.partition(PARTITION, &format!("{SCHEDULE}\ninbox: fleet"))?;
            let fleet = format!(
                "fleet: {{ redis: '{}', lease_s: {}, name: m{number} }}\n",
                settings.redis,
                LEASE.as_secs()
            );
            fs::write(
                home.path("config/subcortex.yaml"),
                format!("cadence: {{ interval_ms: 60000 }}\n{fleet}"),
            )?;
            Ok(home)
        });
        let homes = homes.collect::<Result<_>>()?;
        let (stream, partition) = (Stream::new(&settings)?, PartitionId::new(PARTITION)?);
        Ok(Self { _server: server, settings, stream, partition, homes })
    }

    fn post(&self, count: usize) -> Result<()> {
        for number in 0..count {
            self.stream.post(&self.partition, &name_of(number), b"beat\n", "bench")?;
        }
        Ok(())
    }

    fn look(&self) -> Result<FleetView> {
        let view = FleetView::look(&self.settings, std::slice::from_ref(&self.partition));
        ensure!(view.trouble.is_none(), "the server does not answer: {:?}", view.trouble);
        Ok(view)
    }

    /// How many tasks a machine has.
    fn held_by(&self, name: &str) -> Result<usize> {
        Ok(self
            .look()?
            .machines
            .iter()
            .filter(|machine| machine.name == name)
            .map(|machine| machine.tasks)
            .sum())
    }
}

fn together(bench_dir: &Path, release_dir: &Path) -> Result<Duration> {
    let fleet = Fleet::make(bench_dir, release_dir, MACHINES)?;
    fleet.post(TASKS)?;
    let start = Instant::now();
    let daemons = fleet.homes.iter().map(Home::daemon).collect::<Result<Vec<_>>>()?;
    wait_until(|| {
        let view = fleet.look()?;
        let inbox = view.inboxes.first().context("the inbox is not shown")?;
        Ok(inbox.waiting + inbox.taken == 0)
    })?;
    let took = start.elapsed();
    daemons.into_iter().try_for_each(Daemon::stop)?;
    let mut done = 0;
    for home in &fleet.homes {
        done += home.payloads("task.done")?.len();
    }
    ensure!(done == TASKS, "{done} of {TASKS} tasks were done");
    Ok(took)
}

/// From the kill of a machine that has tasks until another has them all.
fn takeover(bench_dir: &Path, release_dir: &Path) -> Result<Duration> {
    const HELD: usize = 5;
    let fleet = Fleet::make(bench_dir, release_dir, 2)?;
    let [first, second] = fleet.homes.as_slice() else { anyhow::bail!("two homes are needed") };
    let waits = format!("{}\ninbox: fleet\ncommand: [./work.sh]", SCHEDULE.replace("builtin", "command"));
    for home in [first, second] {
        home.script(PARTITION, "sleep 600")?;
        home.partition(PARTITION, &waits)?;
    }
    let daemon = first.daemon()?;
    fleet.post(HELD)?;
    wait_until(|| Ok(fleet.held_by("m0")? == HELD))?;
    let other = second.daemon()?;
    // So that it is not the start of the other that is measured, nor a renewal that is just due.
    thread::sleep(LEASE / 2);
    let start = Instant::now();
    drop(daemon); // as `kill -9` does
    wait_until(|| Ok(fleet.held_by("m1")? == HELD))?;
    let took = start.elapsed();
    drop(other);
    Ok(took)
}

fn wait_until(holds: impl Fn() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !holds()? {
        ensure!(start.elapsed() < PATIENCE, "not within {} s", PATIENCE.as_secs());
        thread::sleep(PAUSE);
    }
    Ok(())
}

fn name_of(number: usize) -> String {
    format!("{number:06}.md")
}

fn section(alone: Duration, together: Option<Duration>, takeovers_s: Vec<f64>) -> Section {
    let row = |what: String, took: Duration| {
        let rate = TASKS as f64 / took.as_secs_f64();
        vec![what, format!("{:.1} s", took.as_secs_f64()), format!("{rate:.0}/s")]
    };
    let mut rows = vec![row("one daemon, its own inbox".into(), alone)];
    rows.extend(together.map(|took| row(format!("{MACHINES} daemons, one shared inbox"), took)));
    let longest_s = (!takeovers_s.is_empty()).then(|| quantile(&takeovers_s, 1.0));
    let max_s = LEASE.as_secs_f64() + SPARE_S;
    Section {
        title: "fleet: machines that share an inbox",
        intro: format!(
            "{TASKS} tasks wait when the daemons start, for the worker `heartbeat`; measured until the last is acked. All daemons and the server \
             (`appendfsync everysec`, on a Unix socket) share this one machine and its disk. Then a daemon that has tasks is killed (`kill -9`) \
             {TAKEOVERS} times, with leases of {} s: measured until another daemon has all of them.",
            LEASE.as_secs()
        ),
        header: vec!["who", "time", "rate"],
        rows,
        goals: vec![Goal::judged(
            format!(
                "takeover after a kill within the lease and a second ({max_s} s; the longest of {TAKEOVERS})"
            ),
            longest_s.map(|longest_s| (format!("{longest_s:.2} s"), longest_s <= max_s)),
        )],
        commands: Vec::new(),
    }
}
