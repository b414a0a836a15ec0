//! The units and the words to the manager, with a daemon that does nothing else, under real managers of systemd.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

#[path = "../../../tests/end_to_end/systemd/manager.rs"]
mod manager;
#[path = "../../../tests/end_to_end/systemd/scenarios.rs"]
mod scenarios;

use std::path::PathBuf;

use manager::{Manager, Who};
use scenarios::{Subject, drop_in, order};
use subcortex_service::{Change, Kind, Options, install, uninstall, unit};
use subcortex_store::RealDisk;
use subcortex_testkit::skip;

fn subject() -> Subject {
    Subject { binary: stand_in(), install: put, uninstall: take_away, keep_busy, skip }
}

/// Cargo builds the examples of a package before its tests, beside them.
fn stand_in() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples/stand_in")
}

fn text(manager: &Manager, home: Option<&str>) -> String {
    let options = Options { binary: "/usr/local/bin/subcortex".into(), home: home.map(PathBuf::from) };
    unit(manager.kind, &options).unwrap()
}

fn put(manager: &Manager, home: Option<&str>) {
    let folder = manager.inside(manager.unit_folder());
    install(&RealDisk, manager.kind, &folder, &text(manager, home)).unwrap();
    // What is a person's own was written by root here.
    assert!(manager.run(Who::Root, &["chmod", "-R", "a+rX", manager.unit_folder()]).success);
}

fn take_away(manager: &Manager, home: Option<&str>) {
    let folder = manager.inside(manager.unit_folder());
    let done = uninstall(&RealDisk, manager.kind, &folder, &text(manager, home)).unwrap();
    assert_eq!(done.change, Change::Removed);
}

fn keep_busy(manager: &Manager) {
    assert!(manager.run(Who::Root, &["kill", "-s", "HUP", &manager.value("MainPID")]).success);
}

#[test]
fn a_service_of_a_person_lives_from_start_to_stop() {
    subject().lives_from_start_to_stop("a_service_of_a_person_lives_from_start_to_stop", Kind::User);
}

#[test]
fn a_service_of_the_machine_lives_from_start_to_stop() {
    subject().lives_from_start_to_stop("a_service_of_the_machine_lives_from_start_to_stop", Kind::System);
}

#[test]
fn a_service_that_died_or_hung_is_started_again() {
    let test = "a_service_that_died_or_hung_is_started_again";
    subject().is_started_again_after_it_died_or_hung(test, Kind::User);
    subject().is_started_again_after_it_died_or_hung(test, Kind::System);
}

#[test]
fn a_busy_service_is_not_taken_for_dead() {
    subject().gives_signs_of_life_while_it_is_busy("a_busy_service_is_not_taken_for_dead", Kind::User);
}

#[test]
fn a_service_with_wrong_settings_is_not_started_again() {
    let test = "a_service_with_wrong_settings_is_not_started_again";
    subject().is_not_started_again_with_wrong_settings(test, Kind::User);
    subject().is_not_started_again_with_wrong_settings(test, Kind::System);
}

#[test]
fn a_home_with_every_special_character_is_served() {
    let test = "a_home_with_every_special_character_is_served";
    subject().serves_a_home_with_every_special_character(test, Kind::User);
    subject().serves_a_home_with_every_special_character(test, Kind::System);
}

/// Starts the sandbox of the machine's template around a script instead of the daemon.
const PROBE: &str =
    "[Service]\nType=oneshot\nExecStart=\nExecStart=/bin/sh /run/sandbox.sh\nRestart=no\nWatchdogSec=0\n";

#[test]
fn agents_can_do_their_work_in_the_sandbox_and_no_harm_outside_of_it() {
    let test = "agents_can_do_their_work_in_the_sandbox_and_no_harm_outside_of_it";
    let manager = match Manager::start(Kind::System, &stand_in()) {
        Ok(manager) => manager,
        Err(reason) => return skip(test, &reason),
    };
    put(&manager, None);
    let node = manager.run(Who::Weaver, &["sh", "-c", "command -v node"]).text;
    drop_in(&manager, &format!("{PROBE}Environment=NODE={node}\n"));
    std::fs::write(manager.inside("/run/sandbox.sh"), include_str!("sandbox.sh")).unwrap();
    let prepare =
        "mkdir -p /run/user/4242 && touch /run/user/4242/bus /home/weaver/notes && chmod -R a+rX /run/user";
    assert!(manager.run(Who::Root, &["sh", "-c", prepare]).success);
    order(&manager, &["start", manager.unit()]);
    let found = std::fs::read_to_string(manager.inside("/home/weaver/.subcortex/probe.out")).unwrap();
    assert_eq!(
        found,
        "\
write to the home: yes
write to a private /tmp: yes
write to that person's other files: no
write to /var: no
read that person's other files: yes
see that person's bus: no
see processes of others: no
read the boot id: yes
make a cgroup and enter it: yes
start a session: yes
start threads and compile at run time: yes
use the network: yes
open raw sockets: no
make a user namespace: no
mount: no
make a setuid file: no
gain privileges: no
"
    );
    assert!(!manager.inside("/tmp/made").exists());
}
