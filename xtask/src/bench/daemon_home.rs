//! A home for a daemon that is measured, the daemon itself, and what the kernel says about a process.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// How long something that must happen may take before the benchmark gives up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Ticks so rare that none helps what is measured between two of them.
const CONFIG: &str = "cadence:\n  interval_ms: 60000\n";

/// A home that is made afresh for one measurement.
#[derive(Debug)]
pub(super) struct Home {
    program: PathBuf,
    root: PathBuf,
}

impl Home {
    pub(super) fn make(bench_dir: &Path, name: &str, release_dir: &Path) -> Result<Self> {
        let root = bench_dir.join("daemon").join(name);
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
        let home = Self { program: release_dir.join("subcortex"), root };
        let made = home.command(&["init"]).stdout(Stdio::null()).status()?;
        ensure!(made.success(), "`subcortex init` failed in {}", home.root.display());
        fs::write(home.path("config/subcortex.yaml"), CONFIG)?;
        Ok(home)
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().env("PATH", "/usr/bin:/bin").arg("--home").arg(&self.root).args(args);
        command
    }

    /// Makes a partition with these lines above its instructions.
    pub(super) fn partition(&self, name: &str, frontmatter: &str) -> Result<()> {
        fs::create_dir_all(self.path(&format!("subconscious/{name}/inbox")))?;
        let path = self.path(&format!("subconscious/{name}/CLAUDE.md"));
        Ok(fs::write(path, format!("---\n{frontmatter}\n---\nDo it.\n"))?)
    }

    /// Makes a partition whose work is a shell script.
    pub(super) fn script(&self, name: &str, script: &str) -> Result<()> {
        self.partition(name, "schedule: { cooldown_ticks: 0 }\nengine: command\ncommand: [./work.sh]")?;
        let path = self.path(&format!("subconscious/{name}/work.sh"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
    }

    /// Writes a task under a name that no daemon looks at. The rename that follows is the drop.
    pub(super) fn stage(&self, partition: &str, name: &str, body: &str) -> Result<(PathBuf, PathBuf)> {
        let inbox = self.path(&format!("subconscious/{partition}/inbox"));
        let staged = inbox.join(format!(".{name}.tmp"));
        fs::write(&staged, body)?;
        Ok((staged, inbox.join(name)))
    }

    /// The payloads of the spine's events of one type, in the order of the spine.
    pub(super) fn payloads(&self, event_type: &str) -> Result<Vec<Value>> {
        let mut payloads = Vec::new();
        for path in files_below(&self.path("var/events"), "jsonl")? {
            for line in BufReader::new(fs::File::open(path)?).lines() {
                // A daemon that was killed may leave its last line unfinished.
                let Ok(mut event) = serde_json::from_str::<Value>(&line?) else { continue };
                if event["type"] == event_type {
                    payloads.push(event["payload"].take());
                }
            }
        }
        Ok(payloads)
    }

    /// How many runs left a record.
    pub(super) fn run_records(&self) -> Result<usize> {
        let mut count = 0;
        for entry in fs::read_dir(self.path("var/runs"))? {
            let path = entry?.path();
            if path.is_dir() {
                count += files_below(&path, "json")?.len();
            }
        }
        Ok(count)
    }

    /// Starts the daemon and waits until it says that it has started.
    pub(super) fn daemon(&self) -> Result<Daemon> {
        let mut child = self.command(&["run"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().context("the daemon has no standard error")?;
        let (send, log) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let daemon = Daemon { process: Process { child }, log };
        daemon.wait_for("daemon started")?;
        Ok(daemon)
    }
}

/// The files of a directory with an extension, sorted by name.
fn files_below(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

/// A process that does not outlive the measurement.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
}

impl Process {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let child = child.with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { child })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A size that `/proc/<pid>/status` gives in kB, in MiB.
    pub(super) fn size_mib(&self, field: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kib = number_of(&status, field).with_context(|| format!("the kernel does not give {field}"))?;
        Ok(kib as f64 / 1024.0)
    }

    /// How often all of its threads together went to sleep of their own accord: once for each wake-up.
    pub(super) fn wakeups(&self) -> Result<u64> {
        let mut sum = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let status = fs::read_to_string(thread?.path().join("status"))?;
            sum += number_of(&status, "voluntary_ctxt_switches").unwrap_or(0);
        }
        Ok(sum)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The first number of a `name:  number` line.
fn number_of(status: &str, field: &str) -> Option<u64> {
    let (_, value) =
        status.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == field)?;
    value.split_whitespace().next()?.parse().ok()
}

/// A running daemon and its log.
#[derive(Debug)]
pub(super) struct Daemon {
    pub(super) process: Process,
    log: Receiver<String>,
}

impl Daemon {
    /// Waits for a line of the log, and gives it back.
    pub(super) fn wait_for(&self, part: &str) -> Result<String> {
        match self.wait_until(part, Instant::now() + PATIENCE)? {
            Some(line) => Ok(line),
            None => bail!("the daemon did not say `{part}` within {} s", PATIENCE.as_secs()),
        }
    }

    /// Waits for a line of the log; `None` when the time is over.
    pub(super) fn wait_until(&self, part: &str, until: Instant) -> Result<Option<String>> {
        loop {
            match self.log.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(part) => return Ok(Some(line)),
                Ok(_) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return Ok(None),
                Err(error) => return Err(error).context("the daemon has ended"),
            }
        }
    }

    /// Ends the daemon as a service manager would, so that all that it began is written.
    pub(super) fn stop(mut self) -> Result<()> {
        let pid = rustix::process::Pid::from_child(&self.process.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let status = self.process.child.wait()?;
        ensure!(status.success(), "the daemon failed when it was stopped: {status}");
        Ok(())
    }

    /// The lines of the log that nobody waited for yet.
    pub(super) fn unread(&self) -> Vec<String> {
        self.log.try_iter().collect()
    }
}

/// The processes that work in a directory; those that have ended and were not collected yet do not count.
pub(super) fn processes_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let cwd = entry?.path().join("cwd");
        if fs::read_link(&cwd).is_ok_and(|link| link == dir) {
            found.push(cwd);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_what_the_kernel_says() {
        let status = "Name:\tnode\nVmRSS:\t   45012 kB\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(number_of(status, "VmRSS"), Some(45_012));
        assert_eq!(number_of(status, "voluntary_ctxt_switches"), Some(17));
        assert_eq!(number_of(status, "VmHWM"), None);
    }

    #[test]
    fn a_process_is_found_by_where_it_works_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        let process = Process::start(Command::new("sleep").arg("600").current_dir(&at)).unwrap();
        assert_eq!(processes_in(&at).unwrap().len(), 1);
        assert!(process.size_mib("VmRSS").unwrap() > 0.0);
        drop(process);
        assert!(processes_in(&at).unwrap().is_empty());
    }
}
