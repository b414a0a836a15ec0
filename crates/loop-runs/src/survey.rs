//! What is known of all loops: from their files, at one moment. Nothing is changed.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use subcortex_cadence::UnixMs;
use subcortex_home::Home;
use subcortex_loops::cadence::LoopCadence;
use subcortex_loops::check::{Subject, check};
use subcortex_loops::config::{self, LoopConfig, Tier};
use subcortex_loops::kill_switch::KillSwitch;
use subcortex_loops::run_log::RunLog;
use subcortex_loops::schedule::{Candidate, is_down, next_due};
use subcortex_loops::{FOLDER, LoopPlace, pattern};
use subcortex_store::Disk;
use subcortex_usage::Spend;

use crate::LoopNames;
use crate::memory::LoopMemory;

/// How many loops of one repository are looked at.
const MAX_LOOPS: usize = 200;

/// One loop at one moment. The names of the fields are relied upon by scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopView {
    /// Its name.
    pub name: String,
    /// The repository.
    pub root: PathBuf,
    /// Its folder.
    pub dir: PathBuf,
    /// Its name in records and accounts.
    pub key: String,
    /// `L1`, `L2` or `L3`.
    pub tier: Option<String>,
    /// Its pattern.
    pub pattern: Option<String>,
    /// As the config says it.
    pub cadence: Option<String>,
    /// How ready it is: after its last run, else by its config.
    pub readiness: Option<u32>,
    /// How ready it was before that fell.
    pub readiness_before: Option<u32>,
    /// `ok`, `running`, `paused`, `down` or `broken`.
    pub state: String,
    /// What is wrong with its config, or which switch is set.
    pub problem: Option<String>,
    /// When its last run ended, in RFC 3339.
    pub last_run: Option<String>,
    /// What came of it.
    pub last_outcome: Option<String>,
    /// Whether a daemon runs it by itself: `loops:` in the settings names its repository.
    #[serde(default = "yes")]
    pub by_itself: bool,
    /// When it is due next, in RFC 3339.
    pub next: Option<String>,
    /// What its run holds.
    pub held: Option<String>,
    /// Tokens of today.
    pub tokens_today: u64,
    /// US dollars of today.
    pub usd_today: f64,
}

/// What an older daemon tells of knows no others.
fn yes() -> bool {
    true
}

/// Who looks, and with what.
#[derive(Debug)]
pub struct Surveyor<'a> {
    /// Where memories are.
    pub home: &'a Home,
    /// Where files are looked at.
    pub disk: &'a dyn Disk,
    /// The zone whose clock cron patterns go by.
    pub zone: &'a TimeZone,
    /// What was spent today.
    pub spend: &'a Spend,
}

/// A loop with all that decides whether it runs now.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) place: LoopPlace,
    pub(crate) view: LoopView,
    pub(crate) candidate: Candidate,
    /// When it is due; nothing for one that is only run by hand, or cannot run.
    pub(crate) due_at: Option<UnixMs>,
}

impl Surveyor<'_> {
    /// All loops of these repositories.
    pub fn views(&self, roots: &[PathBuf], now: Timestamp) -> Vec<LoopView> {
        self.look(roots, now).into_iter().map(|seen| seen.view).collect()
    }

    pub(crate) fn look(&self, roots: &[PathBuf], now: Timestamp) -> Vec<Seen> {
        let places = roots.iter().flat_map(|root| self.places(root));
        places.map(|place| self.see(place, now)).collect()
    }

    /// The loops of a repository: every folder below `.loops` with a config.
    fn places(&self, root: &Path) -> Vec<LoopPlace> {
        let root = self.disk.behind_links(root).unwrap_or_else(|_| root.to_owned());
        let folder = root.join(FOLDER);
        let names = self.disk.list(&folder).unwrap_or_default();
        let dirs = names.into_iter().map(|name| folder.join(name));
        let with_config = dirs.filter(|dir| self.disk.stat(&dir.join(config::FILE)).is_ok());
        with_config.take(MAX_LOOPS).map(|dir| LoopPlace { dir, root: root.clone() }).collect()
    }

    /// One loop, whatever is wrong with it.
    pub(crate) fn see(&self, place: LoopPlace, now: Timestamp) -> Seen {
        let names = LoopNames::of(&place);
        let memory = LoopMemory::read(self.disk, self.home, &names);
        let read = LoopConfig::read(self.disk, &place.dir).map_err(|error| error.to_string());
        let log = RunLog::read(self.disk, &place.dir).unwrap_or_default();
        let now_ms = UnixMs(now.as_millisecond());
        let last = log.last_at(now);
        let last_ms = last.map(|at| UnixMs(at.as_millisecond()));
        let config = read.as_ref().ok();
        let cadence = config.and_then(|config| LoopCadence::parse(config.text("cadence")?, self.zone).ok());
        let due_at = cadence.as_ref().and_then(|cadence| next_due(cadence, last_ms, now_ms));
        let paused = config.and_then(|config| self.set_switch(&place, config));
        let is_silent = cadence.as_ref().is_some_and(|cadence| is_down(cadence, last_ms, now_ms));
        let state = match (&memory.held, &read, &paused) {
            (Some(_), ..) => "running",
            (None, Err(_), _) => "broken",
            (None, Ok(_), Some(_)) => "paused",
            (None, Ok(_), None) if is_silent => "down",
            (None, Ok(_), None) => "ok",
        };
        let spent = self.spend.partitions.get(&names.key).copied().unwrap_or_default();
        let at = |ms: UnixMs| Timestamp::from_millisecond(ms.0).ok().map(|at| format!("{at:.0}"));
        let view = LoopView {
            name: names.name.clone(),
            root: place.root.clone(),
            dir: place.dir.clone(),
            key: names.key.clone(),
            tier: config.and_then(LoopConfig::tier).map(|tier| format!("{tier:?}")),
            pattern: config.and_then(|config| config.text("pattern")).map(str::to_owned),
            cadence: config.and_then(|config| config.text("cadence")).map(str::to_owned),
            readiness: memory.readiness.or_else(|| config.map(|config| self.score(&place, config))),
            readiness_before: memory.readiness_before,
            state: state.to_owned(),
            problem: read.as_ref().err().cloned().or(paused),
            last_run: last.map(|at| format!("{at:.0}")),
            last_outcome: log.runs.last().map(|run| run.outcome.clone()),
            by_itself: true,
            next: due_at.and_then(at),
            held: memory.held.as_ref().map(crate::Hold::words),
            tokens_today: spent.tokens,
            usd_today: spent.usd,
        };
        let candidate = self.candidate(&place, &names, config);
        Seen { place, view, candidate, due_at }
    }

    fn score(&self, place: &LoopPlace, config: &LoopConfig) -> u32 {
        let (disk, zone) = (self.disk, self.zone);
        check(&Subject { config, dir_name: &place.name(), root: &place.root, disk, zone }).score()
    }

    /// The file that pauses it. Labels are not asked for only to show something.
    fn set_switch(&self, place: &LoopPlace, config: &LoopConfig) -> Option<String> {
        let is_absent = |path: &Path| {
            self.disk.stat(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        let files = KillSwitch::all(place, config).into_iter().filter_map(|switch| match switch {
            KillSwitch::File(path) => Some(path),
            KillSwitch::Label(_) => None,
        });
        let mut files = std::iter::once(self.home.kill_switch()).chain(files);
        files.find(|path| !is_absent(path)).map(|path| format!("{} is there", path.display()))
    }

    fn candidate(&self, place: &LoopPlace, names: &LoopNames, config: Option<&LoopConfig>) -> Candidate {
        let works_in_tree = config.and_then(LoopConfig::tier).is_some_and(|tier| tier > Tier::L1);
        let needs = config.filter(|_| works_in_tree).map(|config| {
            let worktree = names.worktree(self.home, place, config);
            let branch = format!("branches {} of {}", names.branches(), place.root.display());
            [format!("worktree {}", worktree.display()), branch].into()
        });
        Candidate {
            key: place.dir.to_string_lossy().into_owned(),
            rank: pattern::rank(config.and_then(|config| config.text("pattern"))),
            needs: needs.unwrap_or_default(),
        }
    }
}
