//! Inboxes that several machines share, with a real server: homes of their own stand for machines.

mod chaos;
mod faults;
mod machines;
mod proxy;

use std::time::{Duration, Instant};

use machines::{Machines, wait_until};

use crate::redis::Server;

const LEASE_S: u64 = 2;

#[test]
fn tasks_go_to_whoever_takes_them_and_each_is_done_once() {
    let Some(server) = Server::start("tasks_go_to_whoever_takes_them_and_each_is_done_once") else { return };
    let mut fleet = Machines::new(3, &server.url(), LEASE_S);
    fleet.start(0);
    fleet.start(1);
    for number in 0..20 {
        fleet.drop_task(2, &format!("t{number}.md"), "do it");
    }
    fleet.wait_for_effects(20);
    wait_until("all are acked", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    assert_eq!(fleet.starts().len(), 20, "each was begun once");
    assert_eq!(fleet.inbox(0).len() + fleet.inbox(1).len() + fleet.inbox(2).len(), 0);
    assert_eq!(server.ask(&["HLEN", "subcortex:{job}:holders"]), "0");
    assert_eq!(server.ask(&["ZCARD", "subcortex:{job}:leases"]), "0");
    // The same name again is another task, once the first is done; while it is not, the name is in use.
    let said = fleet.home(2).run(&["drop", "job", "--wait", "--name", "t0.md", "/dev/null"]);
    assert_eq!((said.code, said.out.as_str()), (0, "t0.md\nUPDATED: done\n"), "{said:?}");
}

#[test]
fn status_says_who_is_there_and_what_each_holds() {
    let Some(server) = Server::start("status_says_who_is_there_and_what_each_holds") else { return };
    let mut fleet = Machines::new(2, &server.url(), LEASE_S);
    fleet.work(0, "while [ ! -e \"$ROOT/go\" ]; do sleep 0.05; done; echo UPDATED: done");
    fleet.start(0);
    fleet.drop_task(1, "slow.md", "wait");
    // The other machine has no daemon and is asked, too.
    for asked in [0, 1] {
        wait_until("it shows who has the task", || {
            let fleet = fleet.home(asked).json(&["status", "--json"])["fleet"].clone();
            let machine = &fleet["machines"][0];
            fleet["trouble"].is_null()
                && machine["name"] == "m0"
                && machine["here"] == true
                && machine["holds"][0]["task"] == "slow.md"
                && fleet["inboxes"][0]["taken"] == 1
        });
    }
    let shown = fleet.home(1).run(&["status"]).out;
    assert!(shown.contains("m0") && shown.contains("here, holds 1: job/slow.md"), "{shown}");
    let refused = fleet.home(1).run(&["drop", "job", "--name", "slow.md", "/dev/null"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("there is already a task `slow.md`"), "{refused:?}");
    fleet.write("go", "");
    wait_until("it is done", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
}

#[test]
fn while_the_server_is_away_local_work_goes_on_and_the_reason_is_shown() {
    let test = "while_the_server_is_away_local_work_goes_on_and_the_reason_is_shown";
    let Some(mut server) = Server::start_with(test, &["--appendonly", "yes"]) else { return };
    let mut fleet = Machines::new(1, &server.url(), LEASE_S);
    fleet.start(0);
    fleet.drop_task(0, "before.md", "x");
    fleet.wait_for_effects(1);
    server.kill();
    let home = fleet.home(0);
    wait_until("the reason is shown", || {
        home.json(&["status", "--json"])["fleet"]["trouble"]
            .as_str()
            .is_some_and(|why| why.contains("does not answer"))
    });
    let refused = home.run(&["drop", "job", "--name", "lost.md", "/dev/null"]);
    assert_eq!(refused.code, 74, "{refused:?}");
    assert!(
        refused.err.contains("does not answer") && refused.err.contains("nothing was dropped"),
        "{refused:?}"
    );
    crate::partitions::script(home, "own", "cooldown_ticks: 0", "echo UPDATED: mine");
    crate::partitions::drop_task(home, "own", "own.md", "local");
    wait_until("local work goes on", || crate::partitions::inbox(home, "own").is_empty());
    // A file in the folder of the shared inbox is this machine's own task.
    home.write("subconscious/job/inbox/own.md", "local, too");
    fleet.wait_for_effects(2);
    server.start_again();
    fleet.drop_task(0, "after.md", "x");
    fleet.wait_for_effects(3);
    let home = fleet.home(0);
    wait_until("the trouble is over", || home.json(&["status", "--json"])["fleet"]["trouble"].is_null());
}

#[test]
fn without_a_server_a_shared_inbox_says_what_is_missing() {
    let mut fleet = Machines::new(1, "redis://127.0.0.1:1", LEASE_S);
    fleet.home(0).write("config/subcortex.yaml", "cadence: { interval_ms: 1000 }\n");
    let refused = fleet.home(0).run(&["drop", "job", "--name", "x.md", "/dev/null"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("`fleet.redis` in config/subcortex.yaml names no server"), "{refused:?}");
    fleet.start(0);
    wait_until("it is shown", || {
        let fleet = fleet.home(0).json(&["status", "--json"])["fleet"].clone();
        fleet["trouble"].as_str().is_some_and(|why| why.contains("names no server"))
    });
}

#[test]
fn a_task_that_fails_three_times_is_held_where_it_is_and_stays_held_elsewhere() {
    let test = "a_task_that_fails_three_times_is_held_where_it_is_and_stays_held_elsewhere";
    let Some(server) = Server::start(test) else { return };
    let mut fleet = Machines::new(2, &server.url(), LEASE_S);
    for machine in [0, 1] {
        fleet.work(machine, "echo \"$SUBCORTEX_TASK\" >> \"$ROOT/starts\"; exit 7");
    }
    fleet.start(0);
    fleet.drop_task(1, "poison.md", "boom");
    let held = |machine: usize, fleet: &Machines| {
        let tasks = fleet.home(machine).json(&["inbox", "job", "--json"]);
        tasks[0]["state"] == "held" && tasks[0]["attempts"] == 3
    };
    wait_until("it is held", || held(0, &fleet));
    // An attempt may fail before the program has written its line (a script that another process holds open while it forks).
    let starts = fleet.starts().len();
    assert!((1..=3).contains(&starts), "{starts}");
    std::thread::sleep(Duration::from_secs(LEASE_S));
    fleet.kill(0);
    fleet.start(1);
    wait_until("another machine has it, held", || held(1, &fleet));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(fleet.starts().len(), starts, "nobody tried it again");
    fleet.work(1, "echo \"$SUBCORTEX_TASK\" >> \"$ROOT/starts\"; echo UPDATED: at last");
    assert_eq!(fleet.home(1).run(&["inbox", "retry", "job", "poison.md"]).code, 0);
    wait_until("a person lets it be tried again", || server.ask(&["XLEN", "subcortex:{job}:tasks"]) == "0");
    assert_eq!(fleet.starts().len(), starts + 1);
}

#[test]
fn an_entry_that_nobody_can_read_is_set_aside_with_its_reason() {
    let test = "an_entry_that_nobody_can_read_is_set_aside_with_its_reason";
    let Some(server) = Server::start(test) else { return };
    let mut fleet = Machines::new(1, &server.url(), LEASE_S);
    for fields in [
        &["colour", "red"][..],
        &["name", "../../escape.md", "body", "x"],
        &["name", "no-body.md"],
        &["name", "a\u{7}b.md", "body", "x"],
        &["name", ".hidden", "body", "x"],
    ] {
        server.ask(&[&["XADD", "subcortex:{job}:tasks", "*"][..], fields].concat());
    }
    fleet.start(0);
    fleet.drop_task(0, "good.md", "x");
    fleet.wait_for_effects(1);
    wait_until("each has its reason", || {
        let aside = fleet.home(0).json(&["status", "--json"])["fleet"]["inboxes"][0]["aside"].clone();
        aside.as_object().is_some_and(|aside| aside.len() == 5)
    });
    let shown = fleet.home(0).run(&["status"]).out;
    assert!(shown.contains("it has no field `name`") && shown.contains("it has no field `body`"), "{shown}");
    assert_eq!(server.ask(&["XLEN", "subcortex:{job}:tasks"]), "5", "they stay where they are");
    let events = fleet.home(0).run(&["spine", "tail", "--type", "task.set_aside"]).out;
    assert_eq!(events.lines().count(), 5, "{events}");
}

#[test]
fn a_paused_machine_gives_its_tasks_back_at_once() {
    let Some(server) = Server::start("a_paused_machine_gives_its_tasks_back_at_once") else { return };
    let mut fleet = Machines::new(2, &server.url(), 600);
    fleet.work(0, "while [ ! -e \"$ROOT/go\" ]; do sleep 0.05; done; echo UPDATED: done");
    fleet.start(0);
    for number in 0..4 {
        fleet.drop_task(1, &format!("t{number}.md"), "x");
    }
    wait_until("the first machine has all", || fleet.inbox(0).len() == 4);
    assert_eq!(fleet.home(0).run(&["pause"]).code, 0);
    fleet.start(1);
    let start = Instant::now();
    fleet.wait_for_effects(4);
    assert!(start.elapsed() < Duration::from_secs(60), "far before any lease is over");
    wait_until("nothing is left behind", || fleet.inbox(0).is_empty());
}
