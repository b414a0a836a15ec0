//! A throw-away home and the commands that are run on it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use subcortex_testkit::FakeHome;
pub(crate) use subcortex_testkit::{has_program, skip};

/// How long a test waits for something that must happen before it calls it missing.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct TestHome {
    dir: FakeHome,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl TestHome {
    /// A home that has everything.
    pub(crate) fn new() -> Self {
        let home = Self::whole();
        home.quiet();
        home
    }

    /// The same, and every partition that ships does what it does.
    pub(crate) fn whole() -> Self {
        let home = Self::bare();
        assert_eq!(home.run(&["init"]).code, 0);
        home
    }

    /// For tests of something else: these only run when they are asked to.
    fn quiet(&self) {
        for name in ["cadence-executor", "memory-committer", "pattern-tracker"] {
            let path = self.path(&format!("subconscious/{name}/CLAUDE.md"));
            let text = std::fs::read_to_string(&path).unwrap().replacen("enabled: true", "enabled: false", 1);
            std::fs::write(&path, text).unwrap();
        }
    }

    /// A folder that is not a home yet.
    pub(crate) fn bare() -> Self {
        Self { dir: FakeHome::new() }
    }

    /// A home in memory where there is room for it: for tests that make very many, and ask nothing of a disk.
    pub(crate) fn in_memory() -> Self {
        let home = Self::whole_in_memory();
        home.quiet();
        home
    }

    /// The same, and every partition that ships does what it does.
    pub(crate) fn whole_in_memory() -> Self {
        let home = Self { dir: FakeHome::in_memory() };
        assert_eq!(home.run(&["init"]).code, 0);
        home
    }

    pub(crate) fn inside(parent: &Path) -> Self {
        Self { dir: FakeHome::inside(parent) }
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path("home").join(below)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.env_clear().env("PATH", "/usr/bin:/bin").arg("--home").arg(self.path("")).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        let output = self.command(args).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        let said = self.run(args);
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {said:?}"))
    }

    /// Puts a person's words on the spine.
    pub(crate) fn add(&self, text: &str) -> Said {
        self.tell("channel.message", "s", &["--text", text])
    }

    /// Puts a person's words in a session on the spine, and returns the event's id.
    pub(crate) fn says(&self, session: &str, text: &str) -> String {
        let said = self.tell("channel.message", session, &["--text", text]);
        assert_eq!(said.code, 0, "{said:?}");
        said.out.trim().to_owned()
    }

    /// Puts an event of an agent on the spine.
    pub(crate) fn tell(&self, what: &str, session: &str, content: &[&str]) -> Said {
        let event = ["event", "add", "--kind", "claude", "--type", what, "--session", session];
        self.run(&[&event[..], content].concat())
    }

    pub(crate) fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(below), content).unwrap();
    }

    /// Starts the daemon and waits until it says that it has started.
    pub(crate) fn daemon(&self) -> Daemon {
        let daemon = self.daemon_process();
        daemon.wait_for("daemon started");
        daemon
    }

    pub(crate) fn daemon_process(&self) -> Daemon {
        Self::daemon_of(&mut self.command(&["run"]))
    }

    /// The daemon of this command, which may have more in its environment.
    pub(crate) fn daemon_of(command: &mut Command) -> Daemon {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Daemon { child, lines }
    }

    /// A text with what differs from run to run replaced.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap().trim_end_matches('/'), "HOME")
    }
}

pub(crate) struct Daemon {
    child: Child,
    lines: Receiver<String>,
}

impl Daemon {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line of the log.
    pub(crate) fn wait_for(&self, part: &str) -> String {
        self.wait_for_all(&[part])
    }

    /// Waits for a line of the log that has all these parts.
    pub(crate) fn wait_for_all(&self, parts: &[&str]) -> String {
        let until = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if parts.iter().all(|part| line.contains(part)) {
                return line;
            }
            seen.push(line);
        }
        panic!("the log never said {parts:?}: {seen:#?}");
    }

    /// Whether it started; `false` when it ended without.
    pub(crate) fn wait_for_start_or_end(&self) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains("daemon started") => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("a daemon neither started nor ended"),
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) fn end(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Does something for each of these, several at once. The first failure is that of the test.
pub(crate) fn side_by_side<T: Sync>(all: &[T], each: impl Fn(&T) + Sync) {
    /// More than there are processors: each spends most of its time waiting for the kernel.
    const AT_ONCE: usize = 4;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    each(one);
                }
            });
        }
    });
}

/// A system call as `strace` can hit it: its name, and which of that name it is. `strace` counts each name by itself, so a
/// number among all calls would mean nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NthCall {
    name: String,
    number: usize,
}

impl NthCall {
    /// The calls that `strace` wrote down, in order, each with its line.
    pub(crate) fn all_in(log: &str) -> Vec<(Self, &str)> {
        let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
        let mut all = Vec::new();
        for line in log.lines() {
            // With threads each line begins with the number of one.
            let call = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
            let thread = line.strip_suffix(call).unwrap_or_default().trim();
            let Some((name, _)) = call.split_once('(') else { continue };
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                continue;
            }
            let number = counts.entry((thread, name)).or_default();
            *number += 1;
            all.push((Self { name: name.to_owned(), number: *number }, line));
        }
        all
    }

    /// What `strace -e` has to be told to kill the program there.
    pub(crate) fn kill(&self) -> String {
        format!("inject={}:signal=SIGKILL:when={}", self.name, self.number)
    }

    /// The same to let the call fail.
    pub(crate) fn fail(&self, error: &str) -> String {
        format!("inject={}:error={error}:when={}", self.name, self.number)
    }
}

/// Where `cargo xtask test` puts the packages of this name, or where this variable says they are.
pub(crate) fn bundle(name: &str, variable: &str) -> PathBuf {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    named.unwrap_or_else(|| target.join(name))
}

pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_subcortex")
}

/// A mounted file system that goes away with this.
pub(crate) struct Mounted {
    dir: tempfile::TempDir,
}

impl Mounted {
    /// Mounts a file system in memory; `None` (and a skipped test) without the right to.
    pub(crate) fn tmpfs(test: &str, options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(dir.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { dir });
        }
        skip(test, "a file system cannot be mounted here; it needs root");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn remount(&self, options: &str) {
        let done = Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(self.path())
            .status()
            .unwrap();
        assert!(done.success());
    }
}

/// A folder that nobody can write to, root included, until this goes.
pub(crate) struct ReadOnly {
    path: PathBuf,
}

impl ReadOnly {
    /// Mounts a folder over itself; `None` (and a skipped test) without the right to.
    pub(crate) fn over(test: &str, path: &Path) -> Option<Self> {
        let mount = |args: &[&str]| {
            let done = Command::new("mount").args(args).arg(path).output();
            done.is_ok_and(|output| output.status.success())
        };
        if !mount(&["--bind", path.to_str()?]) {
            skip(test, "a folder cannot be mounted here; it needs root");
            return None;
        }
        let mounted = Self { path: path.to_owned() };
        assert!(mount(&["-o", "remount,bind,ro"]));
        Some(mounted)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.path).status());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.dir.path()).status());
    }
}
