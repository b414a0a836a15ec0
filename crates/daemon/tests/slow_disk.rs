//! A daemon whose disk takes as long as the test wants to read a task: everything else goes on meanwhile.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use jiff::tz::{TimeZone, TimeZoneDatabase};
use subcortex_cadence::definition::Zones;
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{Setup, Variables, serve};
use subcortex_home::{Home, init};
use subcortex_service::Notifier;
use subcortex_store::{Disk, FaultyDisk, RealDisk};

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A disk on which reading a file of a certain name waits until the gate is opened.
fn slow_disk(slow: &'static str, gate: &Arc<Gate>) -> Arc<dyn Disk> {
    let gate = Arc::clone(gate);
    Arc::new(FaultyDisk::asking(RealDisk, move |call, path| {
        if call == "open Read" && path.file_name().is_some_and(|name| name == slow) {
            gate.wait();
        }
        Ok(())
    }))
}

#[derive(Debug, Default)]
struct Gate {
    /// Whether somebody waits, and whether it is open.
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Gate {
    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    fn until_somebody_waits(&self) {
        let state = self.state.lock().unwrap();
        let (state, _) = self.changed.wait_timeout_while(state, PATIENCE, |state| !state.0).unwrap();
        assert!(state.0, "nobody reads the slow file");
    }

    fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

/// The log, as the daemon writes it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    #[track_caller]
    fn wait_for(&self, parts: &[&str]) {
        let until = Instant::now() + PATIENCE;
        let has = |line: &str| parts.iter().all(|part| line.contains(part));
        while !self.0.lock().unwrap().lines().any(has) {
            assert!(Instant::now() < until, "the log never said {parts:?}: {}", self.0.lock().unwrap());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn partition(home: &Home, name: &str, schedule: &str, script: &str) {
    let folder = home.partition(name);
    std::fs::create_dir_all(folder.join("inbox")).unwrap();
    let definition =
        format!("---\nschedule: {{ {schedule} }}\nengine: command\ncommand: [./work.sh]\n---\nDo it.\n");
    std::fs::write(folder.join("CLAUDE.md"), definition).unwrap();
    std::fs::write(folder.join("work.sh"), format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(folder.join("work.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn status(home: &Home) -> Answer {
    ask(&home.control_socket(), &Request::Status).unwrap().unwrap()
}

fn drop_task(home: &Home, partition: &str, name: &str) -> PathBuf {
    let path = home.inbox(partition).join(name);
    std::fs::write(&path, "a task").unwrap();
    path
}

#[test]
fn while_a_task_takes_for_ever_to_be_read_the_kill_switch_and_a_neighbours_deadline_hold() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("home"));
    init(&RealDisk, &home).unwrap();
    std::fs::write(home.config_file(), "cadence:\n  interval_ms: 1000\n").unwrap();
    partition(&home, "neighbour", "cooldown_ticks: 0, max_duration_ms: 1500", "sleep 600");
    partition(&home, "reader", "cooldown_ticks: 0", "echo UPDATED: it ran");
    let (gate, log) = (Arc::new(Gate::default()), Log::default());
    let setup = Setup {
        home: home.clone(),
        disk: slow_disk("long.md", &gate),
        boot_id: "boot".into(),
        program: None,
        environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        variables: Variables::default(),
        zones: Zones { database: TimeZoneDatabase::bundled(), local: TimeZone::UTC },
        log_sink: subcortex_daemon::LogSink::plain(log.clone()),
        notifier: Notifier::new(None, None),
        page: |_, _| Vec::new(),
        transcripts: Vec::new(),
    };
    std::thread::spawn(move || serve(setup));
    log.wait_for(&["daemon started"]);
    drop_task(&home, "neighbour", "t.md");
    log.wait_for(&["run started", "partition=neighbour"]);
    drop_task(&home, "reader", "long.md");
    gate.until_somebody_waits();
    // Nobody opens the gate before all of this has happened.
    assert!(matches!(status(&home), Answer::Schedule(_)));
    log.wait_for(&["run ended", "partition=neighbour", "outcome=timeout"]);
    std::fs::write(home.kill_switch(), "").unwrap();
    log.wait_for(&["kill switch"]);
    let Answer::Schedule(schedule) = status(&home) else { panic!("no schedule") };
    assert!(schedule.paused && schedule.tick > 1, "{schedule:?}");
    std::fs::remove_file(home.kill_switch()).unwrap();
    gate.open();
    log.wait_for(&["run ended", "partition=reader", "outcome=terminal"]);
}
