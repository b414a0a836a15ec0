//! memory-weaver behind a history: the first scan of a large spine, and what one new turn costs behind much evidence and behind little.
//!
//! The history is made by the program itself: turns are appended to the spine of a new home, and memory-weaver makes fragments of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use subcortex_model::{Draft, Source};
use subcortex_spine::{Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;

use super::measure::{self, Output, Sample, Summary};
use super::report::{Goal, Section};

/// How many turns, and about as many fragments, stand behind the new one.
const HISTORIES: [(&str, usize); 2] = [("little", 200), ("much", 125_000)];
/// Over how many days they are spread.
const DAYS: i64 = 400;
/// How many turns a session has.
const TURNS_A_SESSION: usize = 20;
/// How many events are appended at once.
const BATCH: usize = 3_000;
/// How much more the new turn may cost behind much.
const MOST_TIMES: f64 = 1.2;
const MIB: f64 = 1024.0 * 1024.0;
const MAX_RESIDENT_MIB: f64 = 64.0;
/// How often the weaver is called at most until it has read everything and made all pages.
const MAX_TICKS: usize = 300;
/// What it says then.
const NOTHING_NEW: &str = "no external evidence changed memory";

const RULES: &str = "# Rules\n\n- Use pnpm, not npm.\n- Never push to main.\n- Before every commit, run `make lint`.\n\
    - Use `rg`, not `grep`.\n- Never use `any` in TypeScript.\n- Never edit `gen/`.\n- Keep functions short.\n";
/// What people wish for good, more or less: a turn in ten is one of these.
const WISHES: [&str; 8] = [
    "From now on always use `tool-N` for part N.",
    "Please never call helperN in the views again.",
    "I prefer short names in module N, keep it like that in future.",
    "No, use libN instead of lib7 for parsing.",
    "In this project we always run `make partN` before a release.",
    "Don't add comments to file src/genN.rs, it is generated.",
    "You should ask me before you change schema N.",
    "Make sure that part N keeps its tests.",
];
const COMMANDS: [&str; 6] = [
    "pnpm install",
    "npm install",
    "rg todo src",
    "grep -r todo src",
    "make lint && git commit -am work",
    "ls",
];

/// A home and its weaver.
struct Home {
    dir: PathBuf,
    subcortex: PathBuf,
    spine: Spine,
    turns: usize,
}

impl Home {
    fn new(dir: PathBuf, release_dir: &Path) -> Result<Self> {
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        let subcortex = release_dir.join("subcortex");
        let init = Command::new(&subcortex).arg("--home").arg(&dir).arg("init").output()?;
        if !init.status.success() {
            bail!("init failed: {}", String::from_utf8_lossy(&init.stderr));
        }
        let rules = RULES.to_owned()
            + &(1..=33)
                .map(|n| format!("- After a change of `src/mod{n}.rs`, run `make check-{n}`.\n"))
                .collect::<String>();
        fs::write(dir.join("memory/CLAUDE.md"), rules).context("cannot write the rules")?;
        let spine = Spine::new(Arc::new(RealDisk), SpineDirs::below(&dir.join("var")), "bench".into());
        Ok(Self { dir, subcortex, spine, turns: 0 })
    }

    /// Appends turns that end at `end`, each with something that a rule is about.
    fn live(&mut self, turns: usize, end: Timestamp) -> Result<()> {
        let step = SignedDuration::from_hours(24 * DAYS) / i32::try_from(turns.max(1))?;
        let mut drafts = Vec::new();
        for left in (0..turns).rev() {
            let ts = end - step * i32::try_from(left)?;
            drafts.extend(self.turn(ts));
            if drafts.len() >= BATCH || left == 0 {
                self.spine.append(std::mem::take(&mut drafts), Timestamp::now(), Durability::Written)?;
            }
        }
        Ok(())
    }

    /// A message, a command and an answer.
    fn turn(&mut self, ts: Timestamp) -> [Draft; 3] {
        let n = self.turns;
        self.turns += 1;
        let session = format!("session-{}", n / TURNS_A_SESSION);
        let said = match n % 10 {
            // Each is said twice, some hundred turns apart.
            7 => WISHES[n / 10 % WISHES.len()].replace('N', &(n / 1_600 * 100 + n / 80 % 10).to_string()),
            3 => format!("no, the `page-{n}` belongs to the other folder, look at src/page{n}.rs"),
            _ => format!("go on with part {n}"),
        };
        let draft = |event_type: &str, payload: Value| {
            let payload = payload.as_object().cloned().unwrap_or_default();
            let mut draft = Draft::new(event_type, Source::of("claude"), payload);
            draft.ts = Some(ts);
            draft.session_key = Some(session.clone());
            draft.cwd = Some("/home/dev/shop".into());
            draft
        };
        let id = format!("call-{n}");
        let command = COMMANDS[n % COMMANDS.len()];
        [
            draft("channel.message", json!({ "text": said })),
            draft(
                "agent.tool_use",
                json!({ "tool_name": "Bash", "tool_use_id": id, "input": { "command": command } }),
            ),
            draft("agent.tool_result", json!({ "tool_use_id": id, "text": "ok ".repeat(100) })),
        ]
    }

    fn tick(&self) -> Result<Sample> {
        let mut command = Command::new(&self.subcortex);
        command.arg("--home").arg(&self.dir).args(["tick", "--partition", "memory-weaver", "--json"]);
        measure::run(&mut command, Output::Kept)
    }

    fn fragments(&self) -> Result<usize> {
        let days = fs::read_dir(self.dir.join("memory/fragments"))?;
        let counts = days.map(|day| Ok(fs::read_dir(day?.path())?.count()));
        counts.sum::<std::io::Result<usize>>().context("cannot count the fragments")
    }

    /// Lets the weaver read everything; what the first call took.
    fn catch_up(&self) -> Result<Sample> {
        let first = self.tick()?;
        for _ in 0..MAX_TICKS {
            if String::from_utf8_lossy(&self.tick()?.stdout).contains(NOTHING_NEW) {
                return Ok(first);
            }
        }
        bail!("the weaver does not come to an end")
    }
}

pub(crate) fn run(bench_dir: &Path, release_dir: &Path, rounds: usize) -> Result<Section> {
    let mut rows = Vec::new();
    let mut cpu = Vec::new();
    let mut first_resident = None;
    let homes = HISTORIES.map(|(name, turns)| -> Result<(&str, Home)> {
        let mut home = Home::new(bench_dir.join(format!("weave-{name}")), release_dir)?;
        home.live(turns, Timestamp::now() - SignedDuration::from_hours(48))?;
        let first = home.catch_up()?;
        let resident = first.max_resident_bytes as f64 / MIB;
        first_resident = Some(resident);
        rows.push(vec![
            format!("first scan, {name}: {turns} turns"),
            home.fragments()?.to_string(),
            format!("{:.3} s", first.wall.as_secs_f64()),
            format!("{:.3} s", first.cpu.as_secs_f64()),
            format!("{resident:.0} MiB"),
        ]);
        Ok((name, home))
    });
    for home in homes {
        let (name, mut home) = home?;
        let mut samples = Vec::new();
        for _ in 0..rounds.max(3) {
            home.live(1, Timestamp::now() - SignedDuration::from_hours(24))?;
            samples.push(home.tick()?);
        }
        let of = |figure: fn(&Sample) -> f64| Summary::of(samples.iter().map(figure).collect());
        let (wall, seconds) = (of(|one| one.wall.as_secs_f64()), of(|one| one.cpu.as_secs_f64()));
        let resident = of(|one| one.max_resident_bytes as f64 / MIB);
        rows.push(vec![
            format!("one new turn behind {name}"),
            home.fragments()?.to_string(),
            format!("{:.3} s", wall.median),
            format!("{:.3} s", seconds.median),
            format!("{:.0} MiB", resident.median),
        ]);
        cpu.push(seconds.median);
    }
    let ratio = match cpu.as_slice() {
        [little, much] => Some(much / little),
        _ => None,
    };
    Ok(Section {
        title: "memory-weaver behind a history",
        intro: format!(
            "40 rules; turns over {DAYS} days, one in ten of them a wish and one a correction that names things, made into fragments \
             by the program itself. Then one turn at a time is appended and `tick --partition memory-weaver` is measured ({} rounds, \
             medians).",
            rounds.max(3)
        ),
        header: vec!["what", "fragments", "wall", "processor", "resident"],
        rows,
        goals: vec![
            Goal::judged(
                format!("one new turn behind 100,000 costs ≤ {MOST_TIMES} × one behind {}", HISTORIES[0].1),
                ratio.map(|ratio| (format!("{ratio:.2} ×"), ratio <= MOST_TIMES)),
            ),
            Goal::judged(
                format!("first scan of a large spine ≤ {MAX_RESIDENT_MIB} MiB resident"),
                first_resident.map(|mib| (format!("{mib:.0} MiB"), mib <= MAX_RESIDENT_MIB)),
            ),
        ],
        commands: vec!["subcortex --home HOME tick --partition memory-weaver --json".into()],
    })
}
