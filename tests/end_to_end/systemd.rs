//! The real daemon under real managers of systemd: that of a machine, and that of a person.

mod manager;
mod scenarios;

use std::time::{Duration, Instant};

use serde_json::Value;
use subcortex_service::Kind;

use crate::support;
use manager::{Manager, Who};
use scenarios::{Subject, order};

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

/// How long the journal may take to hear something on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the journal holds of the service, a line each.
fn journal(manager: &Manager) -> Vec<Value> {
    let said = manager.run(Who::Root, &["journalctl", "--no-pager", "-o", "json", "-u", manager.unit()]);
    said.text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Waits for a line of the journal.
fn in_journal(manager: &Manager, part: &str) -> Value {
    let start = Instant::now();
    loop {
        let lines = journal(manager);
        let fits = |line: &&Value| line["MESSAGE"].as_str().is_some_and(|text| text.contains(part));
        if let Some(line) = lines.iter().find(fits) {
            return line.clone();
        }
        assert!(start.elapsed() < PATIENCE, "no `{part}` in {lines:#?}\n{}", manager.what_happened());
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The machine's own journal service, in a world of its own.
#[test]
fn the_journal_of_a_machine_has_every_line_of_the_log_with_how_much_it_matters() {
    let test = "the_journal_of_a_machine_has_every_line_of_the_log_with_how_much_it_matters";
    let Some(manager) = subject().installed(test, Kind::System, None) else { return };
    order(&manager, &["start", "systemd-journald.service"]);
    order(&manager, &["start", manager.unit()]);
    let started = in_journal(&manager, "daemon started");
    let text = started["MESSAGE"].as_str().unwrap();
    assert!(
        text.starts_with("INFO  daemon started"),
        "without the time and the mark, which the journal knows: {text}"
    );
    assert_eq!((&started["PRIORITY"], &started["_TRANSPORT"]), (&"6".into(), &"stdout".into()));
    assert_eq!(started["_SYSTEMD_UNIT"], manager.unit());

    // A worker that fails: that is a warning, and who asks the journal for warnings sees it.
    let home = "/home/weaver/.subcortex/subconscious/fails";
    let script = format!(
        "mkdir -p {home}/inbox && printf -- '---\nschedule: {{ cooldown_ticks: 0, wake_on: [inbox] }}\nengine: command\ncommand: [/bin/false]\n---\n' > {home}/CLAUDE.md \
         && echo x > {home}/inbox/a.md && {DAEMON} tick --partition fails"
    );
    manager.run(Who::Weaver, &["sh", "-c", &script]);
    let ended = in_journal(&manager, "run ended");
    assert_eq!(ended["PRIORITY"], "4", "{ended:#}");
    let log = std::fs::read_to_string(manager.inside("/home/weaver/.subcortex/var/log/daemon.log")).unwrap();
    for line in journal(&manager).iter().filter(|line| line["_TRANSPORT"] == "stdout") {
        let text = line["MESSAGE"].as_str().unwrap().trim_end();
        assert!(log.lines().any(|known| known.trim_end().ends_with(text)), "not in the file: {text}\n{log}");
    }
    order(&manager, &["stop", manager.unit()]);
    assert_eq!(in_journal(&manager, "daemon stopped")["PRIORITY"], "6");
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
