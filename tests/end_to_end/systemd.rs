//! The real daemon under real managers of systemd: that of a machine, and that of a person.

mod manager;
mod scenarios;

use subcortex_service::Kind;

use crate::support;
use manager::{Manager, Who};
use scenarios::Subject;

const DAEMON: &str = "/usr/local/bin/subcortex";

fn subject() -> Subject {
    Subject { binary: support::binary().into(), install, uninstall, keep_busy, skip: support::skip }
}

fn install(manager: &Manager, home: Option<&str>) {
    service(manager, "install", home);
}

fn uninstall(manager: &Manager, home: Option<&str>) {
    service(manager, "uninstall", home);
}

fn keep_busy(manager: &Manager) {
    let answer = manager.run(Who::Weaver, &[DAEMON, "status", "--json"]);
    assert!(answer.success, "{}", answer.text);
}

/// Calls `subcortex service` the way a person does.
fn service(manager: &Manager, what: &str, home: Option<&str>) {
    let mut command = vec![DAEMON];
    command.extend(home.iter().flat_map(|home| ["--home", home]));
    command.extend(["service", what]);
    command.extend((manager.kind == Kind::User).then_some("--user"));
    let answer = manager.run(manager.owner(), &command);
    assert!(answer.success, "{command:?}: {}", answer.text);
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
fn a_service_of_a_person_is_started_again_after_it_died_or_hung() {
    let test = "a_service_of_a_person_is_started_again_after_it_died_or_hung";
    subject().is_started_again_after_it_died_or_hung(test, Kind::User);
}

#[test]
fn a_service_of_the_machine_is_started_again_after_it_died_or_hung() {
    let test = "a_service_of_the_machine_is_started_again_after_it_died_or_hung";
    subject().is_started_again_after_it_died_or_hung(test, Kind::System);
}

#[test]
fn a_busy_service_of_a_person_is_not_taken_for_dead() {
    subject()
        .gives_signs_of_life_while_it_is_busy("a_busy_service_of_a_person_is_not_taken_for_dead", Kind::User);
}

#[test]
fn a_service_of_a_person_is_not_started_again_with_wrong_settings() {
    let test = "a_service_of_a_person_is_not_started_again_with_wrong_settings";
    subject().is_not_started_again_with_wrong_settings(test, Kind::User);
}

#[test]
fn a_service_of_the_machine_is_not_started_again_with_wrong_settings() {
    let test = "a_service_of_the_machine_is_not_started_again_with_wrong_settings";
    subject().is_not_started_again_with_wrong_settings(test, Kind::System);
}

#[test]
fn a_service_of_a_person_serves_a_home_with_every_special_character() {
    let test = "a_service_of_a_person_serves_a_home_with_every_special_character";
    subject().serves_a_home_with_every_special_character(test, Kind::User);
}

#[test]
fn a_service_of_the_machine_serves_a_home_with_every_special_character() {
    let test = "a_service_of_the_machine_serves_a_home_with_every_special_character";
    subject().serves_a_home_with_every_special_character(test, Kind::System);
}
