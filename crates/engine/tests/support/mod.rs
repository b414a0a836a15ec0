//! What the tests share: a stage for the adversary, and a look at who survived.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "each test uses a part of it; tests write files, read the environment and stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use subcortex_engine::{
    Cancellation, CommandSpec, Containment, Finished, GroupPrefix, Limits, ProcessEnding, ProcessLauncher,
};
use subcortex_testkit::skip;
use tokio::task::JoinSet;

pub(crate) const ADVERSARY: &str = env!("CARGO_BIN_EXE_engine-adversary");

/// Every way of escaping that the adversary knows.
pub(crate) const WAYS: [&str; 19] = [
    "nothing",
    "ignores-term",
    "own-session",
    "double-fork",
    "own-group",
    "stopped",
    "closed-files",
    "no-environment",
    "no-marks",
    "chain",
    "endless-chain",
    "storm",
    "holds-output",
    "nohup",
    "quick-exits",
    "renamed",
    "fifo",
    "leaves-cgroup",
    "everything",
];

/// How many runs a test of escapes makes; more for a long test, by `SUBCORTEX_TEST_ESCAPES`.
pub(crate) fn escape_runs() -> usize {
    std::env::var("SUBCORTEX_TEST_ESCAPES").ok().and_then(|runs| runs.parse().ok()).unwrap_or(200)
}

/// A tag that no other test uses at the same time.
pub(crate) fn fresh_tag() -> String {
    static TAGS: AtomicU32 = AtomicU32::new(0);
    format!("t{}x{}", std::process::id(), TAGS.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn fresh_prefix() -> GroupPrefix {
    GroupPrefix::for_home(&fresh_tag()).unwrap()
}

/// A launcher with cgroups, or `None` with a note that the test was skipped.
pub(crate) fn cgroup_launcher(test: &str, prefix: GroupPrefix) -> Option<ProcessLauncher> {
    let launcher = ProcessLauncher::new(prefix).unwrap();
    match launcher.why_no_cgroup() {
        None => Some(launcher),
        Some(why) => {
            skip(test, why);
            None
        }
    }
}

/// Where one run of the adversary takes place.
pub(crate) struct Stage {
    dir: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A run of the adversary on this stage.
    pub(crate) fn spec(&self, way: &str, then: &str, limits: Limits) -> CommandSpec {
        let args = vec![way.into(), self.path().into(), then.into()];
        CommandSpec { args, ..spec(ADVERSARY, &[], self.path(), limits) }
    }

    /// The same for a whole family that does not listen to SIGTERM.
    pub(crate) fn deaf_spec(&self, way: &str, then: &str, limits: Limits) -> CommandSpec {
        let script = "trap '' TERM; exec \"$0\" \"$@\"";
        let mut spec = self.spec(way, then, limits);
        spec.args.splice(0..0, ["-c".into(), script.into(), ADVERSARY.into()]);
        CommandSpec { program: "/bin/sh".into(), ..spec }
    }

    /// Waits until the adversary is ready.
    pub(crate) async fn ready(&self) {
        while !self.path().join("ready").exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The pids of all processes that signed in and are alive.
    pub(crate) fn survivors(&self) -> Vec<String> {
        let by_name = std::fs::read_dir(self.path()).unwrap().filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().ok()?;
            let (pid, started) = name.split_once('.')?;
            (pid.parse::<i32>().is_ok() && is_alive(pid, Some(started))).then(|| pid.to_owned())
        });
        let marker = self.path().to_str().unwrap();
        let by_command_line = pids().filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(marker) && is_alive(pid, None)
        });
        by_name.chain(by_command_line).collect()
    }
}

/// A program with the usual environment.
pub(crate) fn spec(program: &str, args: &[&str], cwd: &Path, limits: Limits) -> CommandSpec {
    CommandSpec {
        run_id: "run-1".into(),
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: cwd.into(),
        env: BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
        stdin: Vec::new(),
        limits,
        writable: None,
    }
}

/// Runs a shell script in a directory of its own.
pub(crate) async fn run_shell(launcher: &ProcessLauncher, script: &str, stdin: Vec<u8>) -> Finished {
    let stage = Stage::new();
    let spec = CommandSpec { stdin, ..spec("sh", &["-c", script], stage.path(), Limits::within_ms(60_000)) };
    launcher.run(spec, Cancellation::never()).await.unwrap()
}

fn pids() -> impl Iterator<Item = String> {
    let names =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.parse::<i32>().is_ok())
}

fn stat_fields(pid: &str) -> Option<Vec<String>> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat).into_owned();
    Some(stat.rsplit(')').next()?.split_ascii_whitespace().map(str::to_owned).collect())
}

/// Whether a process is there and is no zombie.
pub(crate) fn is_alive(pid: &str, started: Option<&str>) -> bool {
    let fields = stat_fields(pid).unwrap_or_default();
    let same = started.is_none_or(|started| fields.get(19).is_some_and(|ticks| ticks == started));
    same && fields.first().is_some_and(|state| state != "Z" && state != "X")
}

/// The children of this process, zombies included.
pub(crate) fn own_children() -> Vec<String> {
    children_of(std::process::id())
}

/// The children of this process that have ended and were not reaped.
pub(crate) fn own_zombies() -> Vec<String> {
    own_children().into_iter().filter(|pid| !is_alive(pid, None)).collect()
}

/// The children of a process, zombies included.
pub(crate) fn children_of(parent: u32) -> Vec<String> {
    let parent = parent.to_string();
    pids().filter(|pid| stat_fields(pid).is_some_and(|fields| fields.get(1) == Some(&parent))).collect()
}

/// The cgroup directories of a home.
pub(crate) fn groups_of(prefix: &GroupPrefix) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let is_ours = entry.file_name().to_str().is_some_and(|name| prefix.matches(name));
                if is_ours { found.push(entry.path()) } else { open.push(entry.path()) }
            }
        }
    }
    found
}

/// How a run of the adversary is brought to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Deadline,
    Cancel,
    ByItself,
}

/// One performance of the adversary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Play<'a> {
    pub(crate) way: &'a str,
    pub(crate) end: End,
    /// Whether SIGTERM is ignored by all.
    pub(crate) deaf: bool,
}

/// Runs one way to one end, and says who survived.
pub(crate) async fn play(launcher: &ProcessLauncher, play: Play<'_>, expect: Containment) -> Vec<String> {
    let stage = Stage::new();
    let (canceller, cancellation) = subcortex_engine::cancellation();
    let (then, max_duration_ms, ending) = match play.end {
        End::Deadline => ("stay", 300, ProcessEnding::DeadlineReached),
        End::Cancel => {
            ("stay", 60_000, ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Stopping })
        }
        End::ByItself => ("leave", 60_000, ProcessEnding::Exited { code: 0 }),
    };
    let limits = Limits { deadline_grace_ms: 20, ..Limits::within_ms(max_duration_ms) };
    let spec =
        if play.deaf { stage.deaf_spec(play.way, then, limits) } else { stage.spec(play.way, then, limits) };
    let ordering = async {
        stage.ready().await;
        if matches!(play.end, End::Cancel) {
            canceller.cancel(subcortex_engine::CancelReason::Stopping, /*grace_ms*/ 20);
        }
        std::future::pending::<()>().await;
    };
    let finished = tokio::select! {
        finished = launcher.run(spec, cancellation) => finished.unwrap(),
        () = ordering => unreachable!(),
    };
    let survivors = stage.survivors();
    assert_eq!(finished.ending, ending, "{play:?}: {}", finished.stderr.text_lossy());
    assert_eq!(finished.containment, expect);
    assert_eq!(finished.still_alive, 0);
    survivors
}

/// A series of performances.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Series {
    pub(crate) runs: usize,
    pub(crate) at_once: usize,
    pub(crate) expect: Containment,
}

/// Goes through these ways again and again, with all ends, and says who survived which.
pub(crate) async fn play_all(
    launcher: &Arc<ProcessLauncher>,
    ways: &[&'static str],
    series: Series,
) -> Vec<String> {
    let mut actors = JoinSet::new();
    for first in 0..series.at_once {
        let (launcher, ways) = (Arc::clone(launcher), ways.to_vec());
        actors.spawn(async move {
            let mut survivors = Vec::new();
            for number in (first..series.runs).step_by(series.at_once) {
                let act = Play::nth(&ways, number);
                let alive = play(&launcher, act, series.expect).await;
                survivors.extend(alive.into_iter().map(|pid| format!("{act:?}: {pid}")));
            }
            survivors
        });
    }
    actors.join_all().await.concat()
}

impl Play<'static> {
    /// Every way meets every end, since 7 and the number of ways have no common factor.
    fn nth(ways: &[&'static str], number: usize) -> Self {
        let (end, deaf) = match number % 7 {
            0 => (End::Deadline, true),
            1 => (End::Cancel, false),
            2 | 3 => (End::Cancel, true),
            4 => (End::ByItself, true),
            _ => (End::ByItself, false),
        };
        Self { way: ways[number % ways.len()], end, deaf }
    }
}
