//! A month of work of all partitions together, with real git, and processes that are killed in the middle.
//!
//! The program's clock is set ahead day by day, by a small library that is loaded before it: nobody waits for a month.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use subcortex_testkit::Random;

use crate::partitions::{inbox, script};
use crate::support::{TestHome, has_program, side_by_side};

const DAYS: u64 = 30;
const DAY_S: u64 = 24 * 60 * 60;
/// How often a process is killed in the middle.
const KILLED: f64 = 0.35;
/// The latest moment of a kill after the start: a tick takes about as long.
const KILL_WITHIN_MS: usize = 1_500;

const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *at) {
    const char *ahead = getenv("SECONDS_AHEAD");
    int failed = syscall(SYS_clock_gettime, id, at);
    if (!failed && id == CLOCK_REALTIME && ahead) at->tv_sec += atol(ahead);
    return failed;
}
"#;

/// What people tell agents for good, and what an agent did before and after.
const WISHES: [(&str, &str, &str); 6] = [
    ("No, use pnpm instead of npm.", "npm install", "pnpm install"),
    ("From now on, always run `make lint` before you commit.", "git commit -m x", "make lint"),
    (
        "Never use `sed -i` on generated files, regenerate them instead.",
        "sed -i s/a/b/ gen/x.rs",
        "make generate",
    ),
    ("Please always write commit messages in English.", "git commit -m ja", "git commit -m yes"),
    ("Use uv, not pip, to install Python packages.", "pip install requests", "uv add requests"),
    ("Never force-push.", "git push --force", "git push"),
];

struct Month {
    home: TestHome,
    clock: PathBuf,
    random: Random,
    /// How far the clock is ahead.
    ahead_s: u64,
    /// Tasks that were dropped for `echoes`.
    dropped: BTreeSet<String>,
    /// Lines that a person wrote into the broadcast and left there.
    written: BTreeSet<String>,
    kills: usize,
}

impl Month {
    fn new(seed: u64) -> Self {
        let home = TestHome::whole_in_memory();
        let dir = home.path("..");
        std::fs::write(dir.join("clock.c"), CLOCK).unwrap();
        let clock = dir.join("clock.so");
        let mut made = Command::new("cc");
        made.args(["-shared", "-fPIC", "-o"]).arg(&clock).arg(dir.join("clock.c"));
        assert!(made.status().unwrap().success());
        script(&home, "echoes", "cooldown_ticks: 0", "cat >/dev/null; echo UPDATED: heard");
        let definition = home.path("subconscious/echoes/CLAUDE.md");
        let text = std::fs::read_to_string(&definition).unwrap();
        std::fs::write(&definition, text.replacen("---\n", "---\nconsumes: [echo]\n", 1)).unwrap();
        let random = Random::seeded(seed);
        let (dropped, written) = (BTreeSet::new(), BTreeSet::new());
        Self { home, clock, random, ahead_s: 3_600, dropped, written, kills: 0 }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        command.env("LD_PRELOAD", &self.clock).env("SECONDS_AHEAD", self.ahead_s.to_string());
        command
    }

    fn run(&mut self, args: &[&str]) -> String {
        self.ahead_s += 60;
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn tell(&mut self, what: &str, session: &str, content: &[&str]) {
        let event =
            ["event", "add", "--kind", "claude", "--type", what, "--session", session, "--cwd", "/work/web"];
        self.run(&[&event[..], content].concat());
    }

    fn says(&mut self, session: &str, text: &str) {
        self.tell("channel.message", session, &["--text", text]);
    }

    fn does(&mut self, session: &str, command: &str) {
        let payload = serde_json::json!({"tool": "Bash", "input": {"command": command}}).to_string();
        self.tell("agent.tool_use", session, &["--payload", &payload]);
    }

    /// A session in which somebody says what is to last.
    fn session(&mut self, day: u64) {
        let (wish, before, after) = WISHES[self.random.below(WISHES.len())];
        let session = format!("s{day}");
        self.says(&session, "Install what is missing in the web app and commit it.");
        self.does(&session, before);
        self.says(&session, wish);
        self.does(&session, after);
        self.says(&session, "Good. Now write the readme.");
        self.does(&session, "git status");
    }

    /// What a person does with the files of the memory.
    fn edit(&mut self, day: u64) {
        let path = self.home.path("memory/CLAUDE.md");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let new = match self.random.below(4) {
            0 => format!("- Before a release of part {day}, read [[topic-part-{day}]]."),
            1 => format!("- Never touch part {day}."),
            2 => format!("- When part {day} changes, run its tests first."),
            _ => {
                // A page that a line points to, or one that nobody needs.
                std::fs::create_dir_all(self.home.path("memory/topics")).unwrap();
                let about = self.random.below(usize::try_from(day).unwrap() + 1);
                let page = format!("# Part {about}\n\nOwned by Ada.\n");
                return std::fs::write(self.home.path(&format!("memory/topics/part-{about}.md")), page)
                    .unwrap();
            }
        };
        std::fs::write(&path, format!("{}{new}\n", with_line_end(&text))).unwrap();
        self.written.insert(new);
    }

    fn drop_tasks(&mut self, day: u64) {
        for number in 0..self.random.below(3) {
            let name = format!("echo-{day}-{number}.md");
            std::fs::write(self.home.path("../task.md"), format!("[echo] Say {day}.")).unwrap();
            let task = self.home.path("../task.md").to_str().unwrap().to_owned();
            self.run(&["drop", "inbox", &task, "--name", &name]);
            self.dropped.insert(name);
        }
    }

    /// Everything that has work has its turn; sometimes it is killed in the middle.
    fn tick(&mut self) {
        self.ahead_s += 1_800;
        let mut tick = self.command(&["tick"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if self.random.chance(KILLED) {
            std::thread::sleep(Duration::from_millis(self.random.below(KILL_WITHIN_MS) as u64));
            drop(tick.kill());
            self.kills += 1;
        }
        tick.wait().unwrap();
    }

    fn pass(&mut self) {
        for day in 1..=DAYS {
            self.ahead_s = day * DAY_S;
            if self.random.chance(0.6) {
                self.session(day);
            }
            if self.random.chance(0.5) {
                self.edit(day);
            }
            self.drop_tasks(day);
            self.tick();
            if self.random.chance(0.5) {
                self.tick();
            }
        }
        // What a killed process left is finished by those that follow.
        for hour in 1..=6 {
            self.ahead_s = (DAYS + 1) * DAY_S + hour * 3_600;
            let _partial = self.command(&["tick"]).output().unwrap();
        }
    }

    /// How often each task was finished, by partition and name.
    fn finished(&mut self) -> BTreeMap<(String, String), usize> {
        let done = self.run(&["spine", "cat", "--type", "task.done"]);
        let mut times = BTreeMap::new();
        for event in done.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let field = |name: &str| event["payload"][name].as_str().unwrap_or_default().to_owned();
            *times.entry((field("partition"), field("task"))).or_default() += 1;
        }
        times
    }

    fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "safe.directory=*"]).args(args).current_dir(self.home.path("memory"));
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn with_line_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Findings whose cause comes again with new work, so that they may come again.
fn may_return(task: &str) -> bool {
    task.contains("ledger-") || task.contains("not-folded-")
}

fn month(seed: u64) {
    let mut month = Month::new(seed);
    month.pass();
    let finished = month.finished();
    for name in &month.dropped {
        let times = finished.get(&("echoes".to_owned(), name.clone())).copied().unwrap_or_default();
        assert_eq!(times, 1, "seed {seed}: {name}");
    }
    for ((partition, task), times) in &finished {
        assert!(*times == 1 || may_return(task), "seed {seed}: {partition} {task} was handled {times} times");
    }
    for place in ["inbox", "echoes/inbox"] {
        let left = std::fs::read_dir(month.home.path(&format!("subconscious/{place}"))).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.is_empty(), "seed {seed}: {place}: {left:?}");
    }
    let broadcast = std::fs::read_to_string(month.home.path("memory/CLAUDE.md")).unwrap();
    for line in &month.written {
        assert!(broadcast.lines().any(|kept| kept == line), "seed {seed}: lost {line} from {broadcast}");
    }
    assert!(month.git(&["fsck", "--no-dangling"]).is_empty(), "seed {seed}");
    assert_eq!(month.git(&["show", "HEAD:CLAUDE.md"]), broadcast, "seed {seed}: nothing is held back");
    let log = month.git(&["log", "--format=%ad  %s", "--date=short"]);
    for subject in month.git(&["log", "--format=%s"]).lines() {
        let is_readable = subject.starts_with("memory: ") && subject.chars().count() <= 72;
        assert!(is_readable, "seed {seed}: {subject}");
    }
    let commits = log.lines().count();
    let days: BTreeSet<&str> = log.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(commits >= 10 && commits <= 3 * days.len(), "seed {seed}: {commits} commits: {log}");
    let verified: Value = serde_json::from_str(&month.run(&["spine", "verify", "--json"])).unwrap();
    assert_eq!(verified["damaged"], serde_json::json!([]), "seed {seed}");
    println!(
        "seed {seed}: {} kills, {} tasks finished, {commits} commits, left for memory-weaver: {:?}\n{log}\n{broadcast}",
        month.kills,
        finished.len(),
        inbox(&month.home, "memory-weaver"),
    );
}

fn months(seeds: &[u64]) {
    let needed = ["git", "cc"].into_iter().all(|program| has_program("a month", program));
    if needed {
        side_by_side(seeds, |seed| month(*seed));
    }
}

#[test]
fn a_month_with_kills_ends_with_a_history_to_read_and_no_task_lost_or_doubled() {
    months(&[1, 2]);
}

#[test]
#[ignore = "takes many minutes: more months"]
fn each_of_many_months_ends_with_a_history_to_read_and_no_task_lost_or_doubled() {
    months(&(100..112).collect::<Vec<_>>());
}
