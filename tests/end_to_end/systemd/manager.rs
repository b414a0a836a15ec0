//! A real systemd manager, of a machine or of a person, in namespaces of its own.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use subcortex_service::Kind;

/// How long anything that must happen may take before it is called missing.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two looks at something that is waited for.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// What a machine says that does not allow namespaces or mounts.
const NOT_ALLOWED: [&str; 3] = ["Operation not permitted", "ermission denied", "unknown filesystem type"];
const CGROUP_PREFIX: &str = "subcortex-test-";
const PROGRAMS: [&str; 5] = ["unshare", "nsenter", "setpriv", "systemctl", "pivot_root"];
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/end_to_end/systemd/manager.sh");

/// Who runs a command beside the manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Root,
    Weaver,
}

/// What a command said, and whether it succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) success: bool,
    pub(crate) text: String,
}

/// A running manager. It ends, with everything that it started, when this is dropped.
#[derive(Debug)]
pub(crate) struct Manager {
    pub(crate) kind: Kind,
    outside: Child,
    /// Process 1 of the namespaces, as seen from here.
    init: u32,
    cgroup: PathBuf,
    scratch: tempfile::TempDir,
}

impl Manager {
    /// Starts one that has `binary` as `/usr/local/bin/subcortex`, or says why that is not possible here.
    pub(crate) fn start(kind: Kind, binary: &Path) -> Result<Self, String> {
        look_for_what_is_needed()?;
        assert!(binary.exists(), "{} is not built yet", binary.display());
        let cgroup = make_cgroup()?;
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("mounts")).unwrap();
        let log = fs::File::create(scratch.path().join("log")).unwrap();
        let outside = Command::new("sh")
            .args(["-c", r#"echo $$ > "$1/cgroup.procs" && shift && exec "$@""#, "sh"])
            .arg(&cgroup)
            // Also a killed test leaves nothing behind.
            .args(["setpriv", "--pdeathsig", "KILL"])
            .args([
                "unshare",
                "--mount",
                "--pid",
                "--cgroup",
                "--ipc",
                "--uts",
                "--net",
                "--fork",
                "--kill-child",
            ])
            .args(["sh", SCRIPT, if kind == Kind::User { "user" } else { "system" }])
            .args([&scratch.path().join("mounts"), binary])
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut manager = Self { kind, outside, init: 0, cgroup, scratch };
        manager.wait_until_it_answers()?;
        Ok(manager)
    }

    fn wait_until_it_answers(&mut self) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.outside.try_wait().unwrap() {
                let said = self.log();
                assert!(
                    NOT_ALLOWED.iter().any(|words| said.contains(words)),
                    "the manager ended, {status}: {said}"
                );
                return Err(format!(
                    "a manager of its own is not allowed here: {}",
                    said.trim().replace('\n', "; ")
                ));
            }
            // Before the script has left the machine's own root, systemctl would speak to the wrong manager.
            if self.find_init() && self.inside("/run/subcortex-test").exists() {
                let state = self.systemctl(&["is-system-running"]).text;
                if matches!(state.trim(), "running" | "degraded") {
                    return Ok(());
                }
            }
            sleep(LOOK_AGAIN);
        }
        panic!("the manager did not start: {}", self.log());
    }

    fn find_init(&mut self) -> bool {
        let outside = self.outside.id();
        let children =
            fs::read_to_string(format!("/proc/{outside}/task/{outside}/children")).unwrap_or_default();
        self.init = children.trim().parse().unwrap_or(0);
        self.init != 0
    }

    /// A path of the manager's world, as seen from here.
    pub(crate) fn inside(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.init))
    }

    /// Where the manager looks for units, in its own world.
    pub(crate) fn unit_folder(&self) -> &'static str {
        match self.kind {
            Kind::User => "/home/weaver/.config/systemd/user",
            Kind::System => "/etc/systemd/system",
        }
    }

    /// Runs a command beside the manager.
    pub(crate) fn run(&self, who: Who, command: &[&str]) -> Answer {
        let mut outer = Command::new("nsenter");
        outer.args([
            "--target",
            &self.init.to_string(),
            "--mount",
            "--pid",
            "--cgroup",
            "--ipc",
            "--uts",
            "--net",
        ]);
        if who == Who::Weaver {
            outer.args(["setpriv", "--reuid=4242", "--regid=4242", "--clear-groups"]);
        }
        let home = if who == Who::Weaver { "HOME=/home/weaver" } else { "HOME=/root" };
        outer.args(["env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", home]);
        outer.args(["XDG_RUNTIME_DIR=/run/user/4242", "timeout", "--kill-after=5"]);
        outer.arg((PATIENCE + PATIENCE).as_secs().to_string()).args(command);
        let output = outer.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        Answer { success: output.status.success(), text }
    }

    /// Whoever gives orders to this manager.
    pub(crate) fn owner(&self) -> Who {
        match self.kind {
            Kind::User => Who::Weaver,
            Kind::System => Who::Root,
        }
    }

    pub(crate) fn systemctl(&self, args: &[&str]) -> Answer {
        let manager = if self.kind == Kind::User { "--user" } else { "--system" };
        self.run(self.owner(), &[&["systemctl", manager, "--no-pager"], args].concat())
    }

    /// The unit that is tested.
    pub(crate) fn unit(&self) -> &'static str {
        match self.kind {
            Kind::User => "subcortex.service",
            Kind::System => "subcortex@weaver.service",
        }
    }

    /// Properties of the unit at one moment, in the order in which they were asked for, `Name=value` each.
    pub(crate) fn show(&self, properties: &[&str]) -> String {
        // systemctl has an order of its own.
        let said = self.systemctl(&["show", "--property", &properties.join(","), self.unit()]).text;
        let find =
            |name: &&str| said.lines().find(|line| line.split('=').next() == Some(name)).unwrap_or_default();
        properties.iter().map(find).collect::<Vec<_>>().join(" ")
    }

    /// The value of one property.
    pub(crate) fn value(&self, property: &str) -> String {
        self.show(&[property]).split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default()
    }

    /// Waits until the unit has these properties.
    #[track_caller]
    pub(crate) fn wait_for(&self, properties: &[&str], expect: &str) {
        self.wait_until(properties, expect, |seen| seen == expect);
    }

    /// Waits until a property has a value.
    #[track_caller]
    pub(crate) fn wait_for_any(&self, property: &str) {
        let empty = format!("{property}=");
        self.wait_until(&[property], "a value", |seen| !seen.is_empty() && seen != empty);
    }

    #[track_caller]
    fn wait_until(&self, properties: &[&str], wanted: &str, is_it: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        let mut seen = String::new();
        while Instant::now() < until {
            seen = self.show(properties);
            if is_it(&seen) {
                return;
            }
            sleep(LOOK_AGAIN);
        }
        panic!("{wanted} never came; it is {seen}\n{}", self.what_happened());
    }

    /// All there is to say about the unit, for a test that fails.
    pub(crate) fn what_happened(&self) -> String {
        let status = self.systemctl(&["status", self.unit()]).text;
        format!("{status}\n--- manager:\n{}", self.log())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.scratch.path().join("log")).unwrap_or_default()
    }

    /// Ends it and says what is left of it, which should be nothing.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.stop();
        let mut left = Vec::new();
        left.extend(self.cgroup.exists().then(|| format!("{} is still there", self.cgroup.display())));
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let scratch = self.scratch.path().to_str().unwrap();
        left.extend(mounts.lines().filter(|line| line.contains(scratch)).map(str::to_owned));
        left
    }

    /// With process 1 everything in its namespaces dies, and with the last process the mounts go.
    fn stop(&mut self) {
        drop(self.outside.kill());
        drop(self.outside.wait());
        drop(fs::write(self.cgroup.join("cgroup.kill"), "1"));
        let until = Instant::now() + PATIENCE;
        while self.cgroup.exists() && Instant::now() < until {
            remove_cgroups(&self.cgroup);
            if self.cgroup.exists() {
                sleep(LOOK_AGAIN);
            }
        }
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.stop();
    }
}

fn look_for_what_is_needed() -> Result<(), String> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return Err("a manager of its own needs root".into());
    }
    let missing = PROGRAMS.iter().find(|program| Command::new(program).arg("--version").output().is_err());
    if let Some(program) = missing {
        return Err(format!("the program `{program}` is missing"));
    }
    if !["/usr/lib/systemd/systemd", "/lib/systemd/systemd"].iter().any(|path| Path::new(path).exists()) {
        return Err("systemd is not installed".into());
    }
    Ok(())
}

/// A cgroup for everything that the manager starts.
fn make_cgroup() -> Result<PathBuf, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let line = mounts.lines().find(|line| line.contains(" - cgroup2 ")).ok_or("cgroup v2 is not mounted")?;
    let root = Path::new(line.split(' ').nth(4).unwrap());
    remove_cgroups_of_killed_tests(root);
    let name = format!("{CGROUP_PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let cgroup = root.join(name);
    fs::create_dir(&cgroup).map_err(|error| format!("cannot make {}: {error}", cgroup.display()))?;
    Ok(cgroup)
}

/// A test that was killed takes its processes with it, but not their cgroup.
fn remove_cgroups_of_killed_tests(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let pid = name.strip_prefix(CGROUP_PREFIX).and_then(|rest| rest.split('-').next());
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            remove_cgroups(&entry.path());
        }
    }
}

/// Removes a cgroup and those below it, as far as nobody is in them.
fn remove_cgroups(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_cgroups(&entry.path());
        }
    }
    drop(fs::remove_dir(dir));
}
