//! How long the kernel takes to move a process into a cgroup: what the daemon spares itself, since its programs are born there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::daemon_home::Process;

/// A pause between two entries: the kernel makes those quicker that follow each other closely.
const BETWEEN: Duration = Duration::from_millis(30);

/// From the write to `cgroup.procs` to its end, sorted.
pub(super) fn entering_ms(times: usize) -> Result<Vec<f64>> {
    let base = base()?;
    let mut sorted = (0..times).map(|number| entering_once_ms(&base, number)).collect::<Result<Vec<_>>>()?;
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

fn entering_once_ms(base: &Path, number: usize) -> Result<f64> {
    let group = base.join(format!("subcortex-bench-{}-{number}", std::process::id()));
    fs::create_dir(&group).with_context(|| format!("cannot make {}", group.display()))?;
    let process = Process::start(Command::new("sleep").arg("600"))?;
    std::thread::sleep(BETWEEN);
    let start = Instant::now();
    let entered = fs::write(group.join("cgroup.procs"), process.id().to_string());
    let took_ms = start.elapsed().as_secs_f64() * 1e3;
    // Only an empty group can be removed.
    drop(process);
    fs::remove_dir(&group)?;
    entered.context("cannot enter a cgroup")?;
    Ok(took_ms)
}

/// The cgroup of this process.
fn base() -> Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let point = fields.next()?;
        (fields.next()? == "cgroup2").then(|| point.to_owned())
    });
    let own = fs::read_to_string("/proc/self/cgroup")?;
    let own =
        own.lines().find_map(|line| line.strip_prefix("0::/")).context("no cgroup of the second version")?;
    Ok(Path::new(&mount.context("no cgroup file system of the second version")?).join(own))
}
