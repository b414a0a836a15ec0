//! Blackboards in files against blackboards on a Redis server.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use subcortex_blackboard::{Author, Entry, Role, ThreadId};
use subcortex_boards::{Boards, Durability, FileBoards, RedisBoards};
use subcortex_store::RealDisk;

use super::measure::quantile;
use super::redis::Redis;
use super::report::{Goal, Section};
use crate::setup::find_program;

/// Entries of the thread that is read.
const READ_ENTRIES: usize = 1_000;
/// How often it is read in a round, by a process that knows it already and by one that does not.
const READS: usize = 300;
const WORKERS: usize = 16;
/// Entries of each worker when nothing is synced one by one.
const MANY: usize = 10_000;
/// Entries of each worker when each is synced.
const FEW: usize = 500;
const TTL_S: u64 = 86_400;
/// The goal for one read, in milliseconds.
const MAX_READ_MS: f64 = 1.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    Files,
    Redis,
}

/// A store in a mode, with its folder and, for Redis, its server.
struct Entrant {
    store: Store,
    synced: bool,
}

const ENTRANTS: [Entrant; 4] = [
    Entrant { store: Store::Files, synced: false },
    Entrant { store: Store::Redis, synced: false },
    Entrant { store: Store::Files, synced: true },
    Entrant { store: Store::Redis, synced: true },
];

impl Entrant {
    fn name(&self) -> &'static str {
        match (self.store, self.synced) {
            (Store::Files, false) => "files, not synced",
            (Store::Files, true) => "files, each entry synced",
            (Store::Redis, false) => "Redis, appendfsync everysec",
            (Store::Redis, true) => "Redis, appendfsync always",
        }
    }

    fn start(&self, dir: &Path) -> Result<Option<Redis>> {
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        match (self.store, self.synced) {
            (Store::Files, _) => Ok(None),
            (Store::Redis, true) => Redis::start_with(dir, "always").map(Some),
            (Store::Redis, false) => Redis::start_with(dir, "everysec").map(Some),
        }
    }

    fn open(&self, dir: &Path) -> Result<Arc<dyn Boards>> {
        let durability = if self.synced { Durability::Synced } else { Durability::Written };
        Ok(match self.store {
            Store::Files => {
                Arc::new(FileBoards::new(Arc::new(RealDisk), dir.join("boards"), TTL_S, durability))
            }
            Store::Redis => {
                let url = format!("redis+unix://{}", dir.join("redis.sock").display());
                Arc::new(RedisBoards::new(&url, TTL_S)?)
            }
        })
    }
}

/// What one entrant came to.
#[derive(Default)]
struct Figures {
    appends_per_s: Vec<f64>,
    known_ms: Vec<f64>,
    new_ms: Vec<f64>,
}

/// Measures each store in turn, `rounds` times.
pub(crate) fn run(bench_dir: &Path, rounds: usize) -> Result<Section> {
    let dir = bench_dir.join("blackboard");
    let has_redis = find_program("redis-server").is_some();
    let entrants: Vec<_> =
        ENTRANTS.into_iter().filter(|one| one.store == Store::Files || has_redis).collect();
    let mut figures: Vec<Figures> = entrants.iter().map(|_| Figures::default()).collect();
    for round in 1..=rounds {
        for (entrant, figures) in entrants.iter().zip(&mut figures) {
            let server = entrant.start(&dir)?;
            measure(entrant, &dir, figures)?;
            drop(server);
            println!("blackboard: round {round} of {rounds}: {}", entrant.name());
        }
    }
    fs::remove_dir_all(&dir)?;
    Ok(section(&entrants, figures, rounds))
}

fn measure(entrant: &Entrant, dir: &Path, figures: &mut Figures) -> Result<()> {
    let known = entrant.open(dir)?;
    let thread = ThreadId::new("read")?;
    begin(&*known, &thread)?;
    for turn in 1..READ_ENTRIES {
        known.append(&thread, &worker(0)?, claim(0, turn)?, Timestamp::now())?;
    }
    for _ in 0..READS {
        figures.known_ms.push(timed_read(&*known, &thread)?);
        figures.new_ms.push(timed_read(&*entrant.open(dir)?, &thread)?);
    }
    let each = if entrant.synced { FEW } else { MANY };
    figures.appends_per_s.push(crowd(entrant, dir, each)?);
    Ok(())
}

fn timed_read(boards: &dyn Boards, thread: &ThreadId) -> Result<f64> {
    let start = Instant::now();
    let read = boards.read(thread, Timestamp::now())?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    ensure!(read.records().len() == READ_ENTRIES, "{} entries were read", read.records().len());
    Ok(ms)
}

/// Sixteen workers append to one thread; gives entries a second, after counting them.
fn crowd(entrant: &Entrant, dir: &Path, each: usize) -> Result<f64> {
    let thread = ThreadId::new("crowd")?;
    begin(&*entrant.open(dir)?, &thread)?;
    let start = Instant::now();
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| {
            let (boards, thread) = (entrant.open(dir)?, thread.clone());
            Ok(thread::spawn(move || -> Result<()> {
                for turn in 0..each {
                    boards.append(&thread, &worker(number)?, claim(number, turn)?, Timestamp::now())?;
                }
                Ok(())
            }))
        })
        .collect::<Result<_>>()?;
    for worker in workers {
        worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
    }
    let seconds = start.elapsed().as_secs_f64();
    // Reading folds every entry again: a lost, doubled or illegal one would be an error or a wrong count.
    let stored = entrant.open(dir)?.read(&thread, Timestamp::now())?;
    ensure!(stored.records().len() == WORKERS * each + 1, "{} entries are there", stored.records().len());
    ensure!(stored.board().facts().count() == WORKERS * each, "claims are missing");
    Ok((WORKERS * each) as f64 / seconds)
}

fn begin(boards: &dyn Boards, thread: &ThreadId) -> Result<()> {
    let plan = r#"{"kind":"STRATEGY","goal":"g","entities":["Acme"],"tool_chain":[],"assigned":[]}"#;
    let boss = Author::new(Role::Supervisor, "boss")?;
    boards.append(thread, &boss, Entry::parse(plan)?, Timestamp::now())?;
    Ok(())
}

fn worker(number: usize) -> Result<Author> {
    Ok(Author::new(Role::Worker, &format!("worker-{number}"))?)
}

fn claim(number: usize, turn: usize) -> Result<Entry> {
    let assigned_to = format!("worker-{number}");
    let entry = Entry::Pending {
        entity: "Acme".into(),
        field: format!("field {number}/{turn}"),
        assigned_to,
        turn: turn as u64,
    };
    Ok(entry.checked()?)
}

fn section(entrants: &[Entrant], mut figures: Vec<Figures>, rounds: usize) -> Section {
    for figures in &mut figures {
        for list in [&mut figures.appends_per_s, &mut figures.known_ms, &mut figures.new_ms] {
            list.sort_by(f64::total_cmp);
        }
    }
    let row = |(entrant, figures): (&Entrant, &Figures)| {
        let ms = |list: &[f64], share| format!("{:.3} ms", quantile(list, share));
        vec![
            entrant.name().to_owned(),
            format!("{:.0}/s", quantile(&figures.appends_per_s, 0.5)),
            ms(&figures.known_ms, 0.5),
            ms(&figures.known_ms, 0.99),
            ms(&figures.new_ms, 0.5),
            ms(&figures.new_ms, 0.99),
        ]
    };
    let goal = |(entrant, figures): (&Entrant, &Figures)| {
        let p99 = quantile(&figures.new_ms, 0.99);
        let what =
            format!("read of {READ_ENTRIES} entries by a new process, {}: p99 below 1 ms", entrant.name());
        Goal::judged(what, Some((format!("{p99:.3} ms"), p99 < MAX_READ_MS)))
    };
    Section {
        title: "blackboard: files against Redis",
        intro: format!(
            "One thread of {READ_ENTRIES} entries is read {READS} times by a process that knows it (what is new is folded) and by one \
             that does not (all of it is); then {WORKERS} workers append {MANY} entries each ({FEW} where each is synced) to one thread, \
             and every entry is counted and checked. Redis listens on a Unix socket; {rounds} rounds."
        ),
        header: vec!["store", "appends", "read, known, p50", "p99", "read, new, p50", "p99"],
        rows: entrants.iter().zip(&figures).map(row).collect(),
        goals: entrants.iter().zip(&figures).map(goal).collect(),
        commands: Vec::new(),
    }
}
