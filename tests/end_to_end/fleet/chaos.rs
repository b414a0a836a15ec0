//! Three machines, many tasks, and everything that can happen to machines, ways and servers. An oracle outside of the program
//! counts: each task has one effect, none is lost, and nothing is acked whose result is not on a disk.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use subcortex_cadence::PartitionId;
use subcortex_fleet::{FleetSettings, Stream};
use subcortex_testkit::Random;

use super::LEASE_S;
use super::machines::{EFFECT, Machines, wait_until};
use super::proxy::Proxy;
use crate::redis::Server;

const MACHINES: usize = 3;

/// What happened, for the figures.
#[derive(Debug, Default)]
struct Faults {
    kills: usize,
    stops: usize,
    cuts: usize,
    restarts: usize,
}

#[test]
fn every_task_has_one_effect_whatever_happens() {
    // Slow enough for something to happen to them.
    play("every_task_has_one_effect_whatever_happens", (200, "0.15"), 10, Duration::from_secs(240));
}

/// Run by hand: `cargo test -p subcortex-cli --test end_to_end ten_thousand -- --ignored --nocapture`.
#[test]
#[ignore = "takes many minutes"]
fn every_one_of_ten_thousand_tasks_has_one_effect_whatever_happens() {
    let test = "every_one_of_ten_thousand_tasks_has_one_effect_whatever_happens";
    play(test, (10_000, "0.01"), usize::MAX, Duration::from_secs(3_600));
}

fn play(test: &str, (tasks, takes_s): (usize, &str), max_faults: usize, patience: Duration) {
    let Some(mut server) = Server::start_with(test, &["--appendonly", "yes"]) else { return };
    let ways: Vec<Proxy> = (0..MACHINES).map(|_| Proxy::to(server.port)).collect();
    let urls: Vec<String> = ways.iter().map(Proxy::url).collect();
    let mut fleet = Machines::with_urls(&urls, LEASE_S);
    (0..MACHINES).for_each(|machine| fleet.work(machine, &format!("sleep {takes_s}\n{EFFECT}")));
    let entries = post(&server, tasks);
    (0..MACHINES).for_each(|machine| fleet.start(machine));

    let (start, mut random, mut faults) = (Instant::now(), Random::seeded(15), Faults::default());
    let mut happened = 0;
    while fleet.effects().len() < tasks {
        assert!(start.elapsed() < patience, "{} of {tasks} effects after {faults:?}", fleet.effects().len());
        std::thread::sleep(Duration::from_millis(300 + random.below(900) as u64));
        if happened >= max_faults {
            continue;
        }
        happened += 1;
        let machine = random.below(MACHINES);
        match random.below(4) {
            0 => {
                fleet.kill(machine);
                check_acks(&server, &fleet, machine, &entries);
                std::thread::sleep(some_time(&mut random));
                fleet.start(machine);
                faults.kills += 1;
            }
            1 => {
                fleet.daemon(machine).signal("STOP");
                std::thread::sleep(some_time(&mut random));
                fleet.daemon(machine).signal("CONT");
                faults.stops += 1;
            }
            2 => {
                ways[machine].cut();
                std::thread::sleep(some_time(&mut random));
                ways[machine].mend();
                faults.cuts += 1;
            }
            _ => {
                server.kill();
                std::thread::sleep(Duration::from_millis(random.below(1_500) as u64));
                server.start_again();
                faults.restarts += 1;
            }
        }
    }
    let took = start.elapsed();
    wait_until("all are acked", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    (0..MACHINES).for_each(|machine| fleet.kill(machine));
    (0..MACHINES).for_each(|machine| check_acks(&server, &fleet, machine, &entries));

    let effects: BTreeSet<String> = fleet.effects().into_iter().collect();
    assert_eq!(effects, entries.values().cloned().collect(), "one effect each, and none of anything else");
    let starts = fleet.starts();
    let begun: BTreeSet<&str> = starts.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(begun.len(), tasks);
    let again = starts.len() - tasks;
    println!("{tasks} tasks, {took:?}, {faults:?}: {} effects, {again} tasks begun again", effects.len());
}

/// Shorter or longer than a lease.
fn some_time(random: &mut Random) -> Duration {
    Duration::from_millis(random.below(2 * LEASE_S as usize * 1_000) as u64)
}

/// Puts tasks onto the stream; gives their names by entry.
fn post(server: &Server, tasks: usize) -> BTreeMap<String, String> {
    let settings = FleetSettings { redis: server.url(), lease_ms: LEASE_S * 1_000, name: "oracle".into() };
    let stream = Stream::new(&settings).unwrap();
    let job = PartitionId::new("job").unwrap();
    let post = |number: usize| {
        let name = format!("t{number:05}.md");
        (stream.post(&job, &name, b"do it", "oracle").unwrap().entry, name)
    };
    (0..tasks).map(post).collect()
}

/// Whatever the server holds for finished by this machine has its result on this machine's disk, at this moment.
fn check_acks(server: &Server, fleet: &Machines, machine: usize, entries: &BTreeMap<String, String>) {
    let tickets = std::fs::read_to_string(fleet.home(machine).path("var/fleet/tickets.json"));
    let Ok(tickets) = tickets else { return };
    let id =
        serde_json::from_str::<serde_json::Value>(&tickets).unwrap()["machine"].as_str().unwrap().to_owned();
    let recorded = fleet.recorded(machine);
    let (mut left, mut acked) = (entries.keys().peekable(), 0);
    while left.peek().is_some() {
        let some: Vec<&String> = left.by_ref().take(500).collect();
        let keys: Vec<String> = some.iter().map(|entry| format!("subcortex:{{job}}:done:{entry}")).collect();
        let args: Vec<&str> = ["MGET"].into_iter().chain(keys.iter().map(String::as_str)).collect();
        for line in server.ask(&args).lines().filter(|line| line.contains(&format!(":{id}:"))) {
            let name = line.rsplit(':').next().unwrap();
            assert!(recorded.contains(name), "{name} is acked by m{machine}, and its result is on no disk");
            acked += 1;
        }
    }
    println!("m{machine}: {acked} acked, all recorded");
}
