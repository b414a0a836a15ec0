//! The daemon as a process: how soon it starts, how little it does when idle, how it takes a burst, how fast it stops.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use subcortex_testkit::Random;

use super::daemon_home::{Home, PATIENCE, Process, processes_in};
use super::measure::quantile;
use super::report::{Goal, Section};
use crate::setup::find_program;

const SEED: u64 = 20_260_103;
const DROPS: usize = 300;
const POLLED_DROPS: usize = 20;
/// How often a process is moved into a cgroup, to see what that alone takes.
const ENTRIES: usize = 100;
const MAX_START_P99_MS: f64 = 20.0;

const IDLE_PARTITIONS: usize = 20;
const SETTLING: Duration = Duration::from_secs(5);
/// Together with [`SETTLING`] shorter than an interval, so that no tick falls into it.
const IDLE_WATCH: Duration = Duration::from_secs(20);
const MAX_IDLE_MIB: f64 = 15.0;

const SWITCH_TRIALS: usize = 100;
/// Processes of a run under the kill switch: the program, its child, and one that left its group.
const RUN_PROCESSES: usize = 3;
const MAX_SWITCH_MS: f64 = 1_000.0;
/// How long a task lies there under the kill switch to tempt the daemon.
const TEMPTATION: Duration = Duration::from_millis(50);
const GLANCE: Duration = Duration::from_millis(1);

/// Does all measurements of the daemon.
pub(crate) fn run(bench_dir: &Path, release_dir: &Path) -> Result<Vec<Section>> {
    let make = |name: &str| Home::make(bench_dir, name, release_dir);
    let mut sections = Vec::new();
    let mut keep = |section: Section| {
        // The whole takes minutes: what is known is shown at once.
        section.rows.iter().for_each(|row| println!("{}: {}", section.title, row.join(", ")));
        sections.push(section);
    };
    keep(super::daemon_load::ticks());
    keep(drop_to_start(&make("drop")?)?);
    keep(kill_switch(&make("switch")?)?);
    keep(idle(&make("idle")?)?);
    keep(super::daemon_load::bursts(make)?);
    fs::remove_dir_all(bench_dir.join("daemon"))?;
    Ok(sections)
}

/// Says that a part begins, and how busy the machine is with other things: these figures depend on it.
pub(super) fn announce(part: &str) {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("daemon: {part} (load {})", load.split_whitespace().take(3).collect::<Vec<_>>().join(", "));
}

/// The program of the measured runs: it says when it began, and that is all.
const CLOCK_COMMAND: &str = r#"[/bin/date, "+UPDATED: %s.%N"]"#;

fn drop_to_start(home: &Home) -> Result<Section> {
    announce("drop to start");
    let schedule = "schedule: { cooldown_ticks: 0 }";
    home.partition("worker", &format!("{schedule}\nengine: command\ncommand: {CLOCK_COMMAND}"))?;
    let daemon = home.daemon()?;
    let mut dropped_s = Vec::new();
    for number in 0..DROPS {
        let (staged, task) = home.stage("worker", &format!("{number:05}.md"), "x")?;
        dropped_s.push(unix_s()?);
        fs::rename(staged, task)?;
        daemon.wait_for("run ended")?;
    }
    // The log tells of the end of a run a moment before its record is durable.
    daemon.stop()?;
    let ended = home.payloads("run.ended")?;
    let began_s =
        ended.iter().filter_map(|run| run["result"].as_str()?.strip_prefix("UPDATED: ")?.parse().ok());
    let ours = waits_ms(&dropped_s, &began_s.collect::<Vec<_>>())?;
    announce("drop to start, with a poll");
    let polled = polled_waits_ms(home)?;
    let p99_ms = quantile(&ours, 0.99);
    let mut rows = vec![waits_row("subcortex", &ours), waits_row("1 s poll", &polled)];
    rows.push(match super::cgroup::entering_ms(ENTRIES) {
        Ok(sorted_ms) => waits_row("for comparison: a process is moved into a cgroup", &sorted_ms),
        // Then the daemon does not use any either.
        Err(why) => vec![format!("a process is moved into a cgroup: not possible here ({why:#})")],
    });
    Ok(Section {
        title: "daemon: drop of a task to the start of its run",
        intro: format!(
            "{DROPS} tasks, one after the other, each renamed into the inbox of an idle daemon whose ticks are 60 s apart. \
             Measured from just before the rename to the time that the started program (`date`) prints, so the start of \
             that program is part of it. Before that the daemon makes its state and the scratchpad durable. The program is born in \
             a cgroup of its own, which keeps all that it starts together; how long the kernel would take to move it there \
             is the last row ({ENTRIES} times, a directory and a sleeping process each). The poll is a shell loop that lists the directory every second: {POLLED_DROPS} \
             drops at random moments."
        ),
        header: vec!["what", "p50", "p99", "max"],
        rows,
        goals: vec![Goal::judged(
            format!("p99 < {MAX_START_P99_MS} ms"),
            Some((format!("{p99_ms:.1} ms"), p99_ms < MAX_START_P99_MS)),
        )],
        commands: Vec::new(),
    })
}

/// The same drops into a directory that a shell loop looks at.
fn polled_waits_ms(home: &Home) -> Result<Vec<f64>> {
    const POLL: &str = r#"while :; do
        for task in polled/*.md; do [ -e "$task" ] && date +%s.%N >> began && rm "$task"; done; sleep 1
    done"#;
    fs::create_dir(home.path("polled"))?;
    let began = home.path("began");
    let poller = Process::start(Command::new("sh").args(["-c", POLL]).current_dir(home.path("")))?;
    let mut random = Random::seeded(SEED);
    let mut dropped_s = Vec::new();
    for number in 0..POLLED_DROPS {
        sleep(Duration::from_secs_f64(random.unit()));
        let (staged, task) = (home.path("polled/.x.tmp"), home.path(&format!("polled/{number:05}.md")));
        fs::write(&staged, "x")?;
        dropped_s.push(unix_s()?);
        fs::rename(staged, &task)?;
        wait_while(|| Ok(task.exists()))?;
    }
    drop(poller);
    let began_s = fs::read_to_string(began)?.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>();
    waits_ms(&dropped_s, &began_s)
}

/// From each drop to its start, sorted.
fn waits_ms(dropped_s: &[f64], began_s: &[f64]) -> Result<Vec<f64>> {
    ensure!(dropped_s.len() == began_s.len(), "{} drops, but {} starts", dropped_s.len(), began_s.len());
    let mut waits: Vec<_> = dropped_s.iter().zip(began_s).map(|(drop, began)| (began - drop) * 1e3).collect();
    waits.sort_by(f64::total_cmp);
    Ok(waits)
}

fn waits_row(what: &str, sorted_ms: &[f64]) -> Vec<String> {
    let at = |share| format!("{:.1} ms", quantile(sorted_ms, share));
    vec![what.to_owned(), at(0.5), at(0.99), at(1.0)]
}

/// The time of day, as `date` gives it. A double holds it to less than a microsecond.
fn unix_s() -> Result<f64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?.as_secs_f64())
}

/// Looks again and again until something is over.
fn wait_while(mut goes_on: impl FnMut() -> Result<bool>) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while goes_on()? {
        ensure!(Instant::now() < until, "something did not end within {} s", PATIENCE.as_secs());
        sleep(GLANCE);
    }
    Ok(())
}

/// What an idle process takes.
struct Idle {
    resident_mib: f64,
    wakeups: u64,
}

impl Idle {
    fn of(process: &Process) -> Result<Self> {
        sleep(SETTLING);
        let resident_mib = process.size_mib("VmRSS")?;
        let before = process.wakeups()?;
        sleep(IDLE_WATCH);
        Ok(Self { resident_mib, wakeups: process.wakeups()?.saturating_sub(before) })
    }

    fn row(&self, what: &str) -> Vec<String> {
        vec![what.to_owned(), format!("{:.1} MiB", self.resident_mib), self.wakeups.to_string()]
    }
}

fn idle(home: &Home) -> Result<Section> {
    const NODE: &str = "setInterval(()=>{},1e9)";
    announce("idle");
    for number in 0..IDLE_PARTITIONS {
        home.script(&format!("worker-{number}"), "echo UPDATED: ok")?;
    }
    let daemon = home.daemon()?;
    let ours = Idle::of(&daemon.process)?;
    let ticks = daemon.unread().iter().filter(|line| line.contains("INFO  tick ")).count();
    ensure!(ticks <= 1, "{ticks} ticks came, but only the one at the start was to be expected");
    drop(daemon);
    let mut rows = vec![ours.row("subcortex")];
    rows.push(match find_program("node") {
        Some(_) => Idle::of(&Process::start(Command::new("node").args(["-e", NODE]))?)?.row("node"),
        None => vec!["node".to_owned(), "not installed".to_owned(), String::new()],
    });
    let memory = (format!("{:.1} MiB", ours.resident_mib), ours.resident_mib < MAX_IDLE_MIB);
    Ok(Section {
        title: "daemon: idle",
        intro: format!(
            "A daemon with {IDLE_PARTITIONS} partitions that have nothing to do, against `node` with a timer that never comes. \
             Memory {} s after the start; then the wake-ups (voluntary context switches of all threads) in {} s between \
             two ticks.",
            SETTLING.as_secs(),
            IDLE_WATCH.as_secs()
        ),
        header: vec!["what", "resident", "wake-ups"],
        rows,
        goals: vec![
            Goal::judged(format!("< {MAX_IDLE_MIB} MiB of memory"), Some(memory)),
            Goal::judged("no wake-ups between ticks", Some((ours.wakeups.to_string(), ours.wakeups == 0))),
        ],
        commands: vec![format!("node -e \"{NODE}\"")],
    })
}

fn kill_switch(home: &Home) -> Result<Section> {
    announce("kill switch");
    home.script("worker", "(setsid sleep 600 &)\nsleep 600\necho UPDATED: never")?;
    let (switch, dir) = (home.path("PAUSED"), home.path("subconscious/worker").canonicalize()?);
    let daemon = home.daemon()?;
    let (staged, task) = home.stage("worker", "task.md", "x")?;
    fs::rename(staged, task)?;
    let mut waits_ms = Vec::new();
    for trial in 0..SWITCH_TRIALS {
        let mut alive = Vec::new();
        wait_while(|| {
            alive = processes_in(&dir)?;
            Ok(alive.len() < RUN_PROCESSES)
        })
        .with_context(|| format!("no run came in trial {trial}: {:?}", daemon.unread()))?;
        let set = Instant::now();
        fs::write(&switch, "")?;
        // Asking after these three is quicker than going through all processes, which comes last.
        wait_while(|| Ok(alive.iter().any(|cwd| fs::read_link(cwd).is_ok())))?;
        wait_while(|| Ok(!processes_in(&dir)?.is_empty()))?;
        waits_ms.push(set.elapsed().as_secs_f64() * 1e3);
        daemon.wait_for("run ended")?;
        let (staged, tempting) = home.stage("worker", "tempting.md", &trial.to_string())?;
        fs::rename(staged, tempting)?;
        sleep(TEMPTATION);
        if trial + 1 < SWITCH_TRIALS {
            fs::remove_file(&switch)?;
        }
    }
    daemon.stop()?;
    waits_ms.sort_by(f64::total_cmp);
    // Each trial lets one run begin; any beyond that began while the switch was set.
    let (records, max_ms) = (home.run_records()?, quantile(&waits_ms, 1.0));
    let starts = records.saturating_sub(SWITCH_TRIALS);
    Ok(Section {
        title: "daemon: kill switch",
        intro: format!(
            "{SWITCH_TRIALS} trials: a run of {RUN_PROCESSES} sleeping processes, one of them in a session of its own; then the \
             file `PAUSED` appears. Measured until none of them is left. While the file is there a task is dropped to \
             tempt the daemon; {records} runs were recorded in all."
        ),
        header: vec!["what", "p50", "p99", "max"],
        rows: vec![waits_row("from the file to the end of the last process", &waits_ms)],
        goals: vec![
            Goal::judged("within 1 s, always", Some((format!("{max_ms:.1} ms"), max_ms < MAX_SWITCH_MS))),
            Goal::judged("no start while it is set", Some((starts.to_string(), records == SWITCH_TRIALS))),
        ],
        commands: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_without_its_drop_is_no_measurement() {
        assert!(waits_ms(&[1.0, 2.0], &[1.5]).is_err());
        assert_eq!(waits_ms(&[1.0, 2.0], &[1.5, 2.25]).unwrap(), [250.0, 500.0]);
        assert_eq!(waits_row("x", &[1.0, 3.0]), ["x", "2.0 ms", "3.0 ms", "3.0 ms"]);
    }
}
