//! A home for tests, and what commands on it are handed.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use subcortex_cadence::definition::Zones;
use subcortex_daemon::{LogSink, Setup, Variables};
use subcortex_home::Home;
use subcortex_service::Notifier;
use subcortex_store::Disk;

/// What a command works with, on this disk.
pub(crate) fn setup(home: &Home, disk: impl Disk + 'static) -> Setup {
    Setup {
        home: home.clone(),
        disk: Arc::new(disk),
        boot_id: "boot".into(),
        program: None,
        environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        variables: Variables::default(),
        zones: Zones { database: TimeZoneDatabase::bundled(), local: TimeZone::UTC },
        log_sink: LogSink::plain(io::sink()),
        notifier: Notifier::new(None, None),
        page: |_, _| Vec::new(),
        transcripts: Vec::new(),
    }
}

/// A worker that hands each task to this script.
pub(crate) fn worker(home: &Home, name: &str, script: &str) {
    let folder = home.partition(name);
    std::fs::create_dir_all(folder.join("inbox")).unwrap();
    let definition = "---\nschedule: { cooldown_ticks: 0 }\nengine: command\ncommand: [./work.sh]\n---\n";
    std::fs::write(folder.join("CLAUDE.md"), definition).unwrap();
    std::fs::write(folder.join("work.sh"), format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(folder.join("work.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
}
