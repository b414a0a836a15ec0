//! What is known of the projects that agents work in: the targets of their task runners, so that `mise run lint` is the linter where the
//! project says so.
//!
//! ```json
//! {"version":1,"projects":{"/home/x/shop":{"last_ts":"…","stamp":"0123456789abcdef","targets":[["mise run lint",["eslint ."]]]}}}
//! ```
//!
//! in `var/index/projects.json`. Directories come from the log; what their files say is read again when one of these changes. It can be deleted:
//! then the next scans meet the directories again.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_checks::Roles;
use subcortex_checks::reading::{Project, Target};
use subcortex_counsel::project::{look_at, stamp};
use subcortex_store::durable;

use crate::{WeaveError, Workshop, recent};

const NAME: &str = "projects.json";
const VERSION: u32 = 1;
/// The largest index that is read, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How many directories are known: those heard of last.
const MAX_PROJECTS: usize = 32;
/// The longest directory that is looked into, in bytes.
const MAX_DIRECTORY_BYTES: usize = 1_024;

/// The projects that are known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Projects {
    version: u32,
    projects: BTreeMap<String, Known>,
    #[serde(skip)]
    is_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    last_ts: Timestamp,
    /// Of the files that were read; empty: none were.
    stamp: String,
    targets: Vec<(String, Vec<String>)>,
}

impl Projects {
    /// Reads the index. One that is missing or broken is made from the last turns of the log.
    pub(crate) fn read(shop: &Workshop) -> Self {
        let text = durable::read_text(&*shop.disk, &shop.index_dir.join(NAME), MAX_BYTES).ok();
        let known = text.and_then(|text| serde_json::from_str::<Self>(&text).ok());
        if let Some(known) = known.filter(|known| known.version == VERSION) {
            return known;
        }
        let mut fresh = Self { version: VERSION, is_changed: true, ..Self::default() };
        // A log that cannot be read is the scan's to report.
        for turn in recent::turns(shop).unwrap_or_default() {
            for event in &turn.events {
                if let Some(cwd) = &event.cwd {
                    fresh.meet(cwd, event.ts);
                }
            }
        }
        fresh
    }

    /// Takes in a directory that an event names.
    pub(crate) fn meet(&mut self, directory: &str, ts: Timestamp) {
        if let Some(known) = self.projects.get_mut(directory) {
            known.last_ts = known.last_ts.max(ts);
            return;
        }
        if !is_worth_a_look(directory) {
            return;
        }
        self.is_changed = true;
        self.projects.insert(directory.to_owned(), Known { last_ts: ts, ..Known::default() });
        if self.projects.len() > MAX_PROJECTS {
            let oldest = self.projects.iter().min_by_key(|(name, known)| (known.last_ts, (*name).clone()));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.projects.remove(&oldest);
            }
        }
    }

    /// Reads what the repositories say where that changed. One that is not on this disk says nothing.
    pub(crate) fn look_again(&mut self, shop: &Workshop) {
        for (directory, known) in &mut self.projects {
            let now = stamp(&*shop.disk, Path::new(directory));
            if now == known.stamp {
                continue;
            }
            let targets = look_at(&*shop.disk, Path::new(directory)).targets;
            known.targets = targets.into_iter().map(|target| (target.command, target.runs)).collect();
            known.stamp = now;
            self.is_changed = true;
        }
    }

    /// Writes the index, if it changed.
    pub(crate) fn write(&self, shop: &Workshop) -> Result<(), WeaveError> {
        if !self.is_changed {
            return Ok(());
        }
        if let (Some(parent), Some(name)) = (shop.index_dir.parent(), shop.index_dir.file_name()) {
            durable::make_dirs(&*shop.disk, parent, Path::new(name))?;
        }
        let text = serde_json::to_string(self).unwrap_or_default(); // plain data has a text
        durable::replace(&*shop.disk, &shop.index_dir.join(NAME), text.as_bytes())?;
        Ok(())
    }

    /// What commands are for, with what the projects say of their own.
    pub(crate) fn roles(&self) -> Roles {
        let mut roles = Roles::default();
        for (directory, known) in &self.projects {
            let targets = known.targets.iter().cloned().map(|(command, runs)| Target { command, runs });
            let project =
                Project { directory: directory.clone(), targets: targets.collect(), ..Project::default() };
            project.teach(&mut roles);
        }
        roles
    }

    /// The targets of all of them, each once: what a model is told.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let all = self.projects.values().flat_map(|known| &known.targets);
        let mut targets: Vec<Target> = all.cloned().map(|(command, runs)| Target { command, runs }).collect();
        targets.sort_by(|one, other| (&one.command, &one.runs).cmp(&(&other.command, &other.runs)));
        targets.dedup();
        targets
    }
}

/// A plain absolute path; nothing that the system makes up.
fn is_worth_a_look(directory: &str) -> bool {
    let made_up = ["/proc", "/sys", "/dev"];
    let path = Path::new(directory);
    directory.len() <= MAX_DIRECTORY_BYTES
        && path.is_absolute()
        && !directory.chars().any(char::is_control)
        && !made_up.iter().any(|top| path.starts_with(top))
        && !path.components().any(|part| matches!(part, std::path::Component::ParentDir))
}
