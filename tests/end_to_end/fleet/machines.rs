//! Homes that stand for machines, and what an onlooker sees of their work.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::partitions;
use crate::support::{Daemon, TestHome};

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Several homes with one shared inbox, `job`.
pub(super) struct Machines {
    root: tempfile::TempDir,
    homes: Vec<TestHome>,
    daemons: BTreeMap<usize, Daemon>,
}

impl Machines {
    pub(super) fn new(count: usize, url: &str, lease_s: u64) -> Self {
        Self::with_urls(&vec![url.to_owned(); count], lease_s)
    }

    /// Each machine reaches the server in its own way.
    pub(super) fn with_urls(urls: &[String], lease_s: u64) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("effects")).unwrap();
        let homes = urls.iter().map(|_| TestHome::new()).collect();
        let fleet = Self { root, homes, daemons: BTreeMap::new() };
        for (number, url) in urls.iter().enumerate() {
            let settings = format!(
                "cadence: {{ interval_ms: 1000 }}\nfleet: {{ redis: '{url}', lease_s: {lease_s}, name: m{number} }}\n"
            );
            fleet.home(number).write("config/subcortex.yaml", settings);
            let definition = "schedule: { cooldown_ticks: 0, max_duration_ms: 300000, max_tasks_per_run: 25 }\nengine: command\n\
                              command: [./work.sh]\ninbox: fleet";
            partitions::partition(fleet.home(number), "job", definition);
            fleet.work(number, EFFECT);
        }
        fleet
    }

    /// What the engine of a machine does.
    pub(super) fn work(&self, machine: usize, script: &str) {
        let path = self.home(machine).path("subconscious/job/work.sh");
        let text = format!("#!/bin/sh\nROOT={}\n{script}\n", self.root.path().display());
        // Replaced whole: it may be running.
        let new = path.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    pub(super) fn home(&self, machine: usize) -> &TestHome {
        &self.homes[machine]
    }

    pub(super) fn start(&mut self, machine: usize) {
        let daemon = self.homes[machine].daemon();
        self.daemons.insert(machine, daemon);
    }

    pub(super) fn daemon(&self, machine: usize) -> &Daemon {
        &self.daemons[&machine]
    }

    /// As `kill -9` does.
    pub(super) fn kill(&mut self, machine: usize) {
        self.daemons.remove(&machine);
    }

    pub(super) fn drop_task(&self, machine: usize, name: &str, body: &str) {
        partitions::drop_task(self.home(machine), "job", name, body);
    }

    pub(super) fn inbox(&self, machine: usize) -> Vec<String> {
        let mut names = partitions::inbox(self.home(machine), "job");
        names.retain(|name| !name.starts_with('.'));
        names
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.path().join(name), text).unwrap();
    }

    /// Every start of an engine: `<task> <fence>`.
    pub(super) fn starts(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.root.path().join("starts")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The tasks that have had their effect.
    pub(super) fn effects(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.root.path().join("effects")).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[track_caller]
    pub(super) fn wait_for_effects(&self, count: usize) {
        wait_until("the effects", || self.effects().len() >= count);
    }

    /// The tasks of which the home of a machine has a finished result on its disk.
    pub(super) fn recorded(&self, machine: usize) -> std::collections::BTreeSet<String> {
        let mut names = std::collections::BTreeSet::new();
        let runs = self.home(machine).path("var/runs");
        for file in files_below(&runs) {
            // What a run notes while it goes on is replaced by its record: then that is looked at.
            let Ok(text) = std::fs::read_to_string(&file) else { return self.recorded(machine) };
            // A record is one document; of a run that goes on, each line is one.
            let documents: Vec<serde_json::Value> = match serde_json::from_str(&text) {
                Ok(document) => vec![document],
                Err(_) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            };
            for document in documents {
                let tasks = document["tasks"].as_array().cloned().unwrap_or_default();
                for task in tasks.iter().chain([&document]) {
                    let result = task["result"].as_str().unwrap_or_default();
                    if let Some(name) = task["name"].as_str().filter(|_| result.starts_with("UPDATED:")) {
                        names.insert(name.to_owned());
                    }
                }
            }
        }
        names
    }
}

/// The effect of a task, which can be had once: whoever comes second finds it there.
pub(super) const EFFECT: &str = "echo \"$SUBCORTEX_TASK $SUBCORTEX_FENCE\" >> \"$ROOT/starts\"
mkdir \"$ROOT/effects/$SUBCORTEX_TASK\" 2>/dev/null
echo UPDATED: done";

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl") {
            files.push(path);
        }
    }
    files
}

#[track_caller]
pub(super) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
