//! One fault at a time.

use std::time::{Duration, Instant};

use super::LEASE_S;
use super::machines::{Machines, wait_until};
use super::proxy::Proxy;
use crate::redis::Server;

/// Begins at once, waits for `go-<machine>`, then has its effect.
fn patient(machine: usize) -> String {
    format!(
        "echo \"$SUBCORTEX_TASK $SUBCORTEX_FENCE m{machine}\" >> \"$ROOT/starts\"\n\
         while [ ! -e \"$ROOT/go-{machine}\" ]; do sleep 0.02; done\n\
         mkdir \"$ROOT/effects/$SUBCORTEX_TASK\" 2>/dev/null\necho UPDATED: done by m{machine}"
    )
}

#[test]
fn a_killed_machine_s_tasks_are_taken_over_within_the_lease_and_a_second() {
    let test = "a_killed_machine_s_tasks_are_taken_over_within_the_lease_and_a_second";
    let Some(server) = Server::start(test) else { return };
    let mut fleet = Machines::new(2, &server.url(), LEASE_S);
    fleet.work(0, &patient(0));
    fleet.start(0);
    for name in ["a.md", "b.md", "c.md"] {
        fleet.drop_task(0, name, "x");
    }
    wait_until("it has begun", || fleet.starts().len() == 1 && fleet.inbox(0).len() == 3);
    fleet.start(1);
    std::thread::sleep(Duration::from_millis(300));
    assert!(fleet.effects().is_empty(), "nobody takes what another machine has");
    let start = Instant::now();
    fleet.kill(0);
    fleet.wait_for_effects(3);
    // The last sign of life was before the kill, so the lease plus a second is generous; the work itself is in it, too.
    let took = start.elapsed();
    assert!(took < Duration::from_secs(LEASE_S + 1) + SLOW_MACHINE, "taken over after {took:?}");
    let fences: Vec<u64> =
        fleet.starts().iter().filter_map(|line| line.split(' ').nth(1)?.parse().ok()).collect();
    assert!(fences[1..].iter().all(|fence| *fence > fences[0]), "the token grows: {fences:?}");
    // Back again, it finds that all is done: it begins nothing, and its files go.
    fleet.write("go-0", "");
    fleet.start(0);
    wait_until("its inbox is empty", || fleet.inbox(0).is_empty());
    assert_eq!(fleet.starts().len(), 4, "{:?}", fleet.starts());
}

/// What a machine with many tests at once may take longer.
const SLOW_MACHINE: Duration = Duration::from_secs(10);

#[test]
fn a_machine_that_was_stopped_and_finishes_late_is_refused() {
    let test = "a_machine_that_was_stopped_and_finishes_late_is_refused";
    let Some(server) = Server::start(test) else { return };
    let mut fleet = Machines::new(2, &server.url(), LEASE_S);
    fleet.work(0, &patient(0));
    fleet.work(1, &patient(1));
    fleet.start(0);
    fleet.drop_task(0, "a.md", "x");
    wait_until("it has begun", || fleet.starts().len() == 1);
    fleet.daemon(0).signal("STOP");
    fleet.start(1);
    wait_until("another machine has begun it", || fleet.starts().len() == 2);
    // The engine of the stopped machine goes on and ends; its daemon hears of it when it is continued.
    fleet.write("go-0", "");
    wait_until("its effect", || !fleet.effects().is_empty());
    fleet.daemon(0).signal("CONT");
    wait_until("it knows", || {
        let said = fleet.home(0).run(&["spine", "tail"]).out;
        said.contains("task.lost") || said.contains("task.refused")
    });
    assert_eq!(server.ask(&["XLEN", "subcortex:{job}:tasks"]), "1", "its result does not count");
    fleet.write("go-1", "");
    wait_until("the other's result counts", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    let keys = server.ask(&["KEYS", "subcortex:{job}:done:*"]);
    let done = server.ask(&["GET", keys.trim()]);
    assert!(done.contains("UPDATED: done by m1"), "{done}");
    assert_eq!(fleet.effects(), ["a.md"]);
    wait_until("nothing is left behind", || fleet.inbox(0).is_empty() && fleet.inbox(1).is_empty());
}

/// Long enough that a busy machine ends its work within it, in seconds.
const CUT_OFF_LEASE_S: u64 = 6;

/// A machine whose way to the server is cut while it works: the result is durable, and the server does not know of it.
fn cut_off_with_a_result(server: &Server) -> (Machines, Proxy) {
    let proxy = Proxy::to(server.port);
    let mut fleet = Machines::with_urls(&[proxy.url()], CUT_OFF_LEASE_S);
    fleet.work(0, &patient(0));
    fleet.start(0);
    fleet.drop_task(0, "a.md", "x");
    wait_until("it has begun", || fleet.starts().len() == 1);
    proxy.cut();
    fleet.write("go-0", "");
    wait_until("it is done here", || fleet.inbox(0).is_empty());
    (fleet, proxy)
}

#[test]
fn a_result_that_is_durable_while_the_way_is_cut_is_told_when_it_is_mended() {
    let test = "a_result_that_is_durable_while_the_way_is_cut_is_told_when_it_is_mended";
    let Some(server) = Server::start(test) else { return };
    let (fleet, proxy) = cut_off_with_a_result(&server);
    wait_until("its result is recorded", || fleet.recorded(0).contains("a.md"));
    std::thread::sleep(Duration::from_secs(CUT_OFF_LEASE_S) + Duration::from_millis(200));
    assert_eq!(server.ask(&["XLEN", "subcortex:{job}:tasks"]), "1", "the server does not know");
    proxy.mend();
    wait_until("it is told", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    let starts = fleet.starts();
    assert_eq!(starts.len(), 1, "the work was done once: {starts:?}");
}

#[test]
fn a_kill_between_the_durable_result_and_the_ack_does_not_repeat_the_work() {
    let test = "a_kill_between_the_durable_result_and_the_ack_does_not_repeat_the_work";
    let Some(server) = Server::start(test) else { return };
    let (mut fleet, proxy) = cut_off_with_a_result(&server);
    fleet.kill(0);
    proxy.mend();
    assert_eq!(server.ask(&["XLEN", "subcortex:{job}:tasks"]), "1", "no ack yet");
    fleet.start(0);
    wait_until("it is told", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    assert_eq!(fleet.starts().len(), 1, "the work was done once");
}

#[test]
fn what_a_machine_has_outlives_a_server_that_lost_its_data() {
    let test = "what_a_machine_has_outlives_a_server_that_lost_its_data";
    let Some(mut server) = Server::start(test) else { return };
    let mut fleet = Machines::new(1, &server.url(), LEASE_S);
    fleet.work(0, &patient(0));
    fleet.start(0);
    for name in ["a.md", "b.md"] {
        fleet.drop_task(0, name, "x");
    }
    wait_until("it has both", || fleet.starts().len() == 1 && fleet.inbox(0).len() == 2);
    server.kill();
    server.start_again();
    assert_eq!(server.ask(&["DBSIZE"]), "0");
    fleet.write("go-0", "");
    fleet.wait_for_effects(2);
    fleet.drop_task(0, "c.md", "x");
    fleet.wait_for_effects(3);
    wait_until("all is well", || {
        let fleet = fleet.home(0).json(&["status", "--json"])["fleet"].clone();
        fleet["trouble"].is_null() && fleet["inboxes"][0]["waiting"] == 0
    });
    assert_eq!(fleet.starts().len(), 3, "each was begun once: {:?}", fleet.starts());
}

#[test]
fn a_full_server_refuses_new_tasks_and_lets_old_ones_end() {
    let Some(server) = Server::start("a_full_server_refuses_new_tasks_and_lets_old_ones_end") else { return };
    let mut fleet = Machines::new(1, &server.url(), LEASE_S);
    fleet.drop_task(0, "a.md", "x");
    assert_eq!(server.ask(&["CONFIG", "SET", "maxmemory", "1"]), "OK");
    let refused = fleet.home(0).run(&["drop", "job", "--name", "b.md", "/dev/null"]);
    assert_eq!(refused.code, 74, "{refused:?}");
    assert!(refused.err.contains("is full"), "{refused:?}");
    fleet.start(0);
    fleet.wait_for_effects(1);
    wait_until("it is acked", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
}

#[test]
fn a_file_that_a_person_removes_is_given_back() {
    let Some(server) = Server::start("a_file_that_a_person_removes_is_given_back") else { return };
    let mut fleet = Machines::new(1, &server.url(), LEASE_S);
    fleet.work(0, &patient(0));
    fleet.start(0);
    for name in ["a.md", "b.md"] {
        fleet.drop_task(0, name, "x");
    }
    wait_until("it has both", || fleet.starts().len() == 1 && fleet.inbox(0).len() == 2);
    std::fs::remove_file(fleet.home(0).path("subconscious/job/inbox/b.md")).unwrap();
    wait_until("it is back", || fleet.inbox(0).len() == 2);
    fleet.write("go-0", "");
    fleet.wait_for_effects(2);
}
