//! How fast events get onto the spine, against a plain loop of `write` and `fdatasync` with the same bytes.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use subcortex_model::{Draft, Event};
use subcortex_spine::{Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;

use super::event::Events;
use super::measure::{Summary, quantile};
use super::redis::Redis;
use super::report::Section;
use crate::setup::find_program;

const SEED: u64 = 20_260_102;
/// Events of one round without a sync, and with many events to one sync.
const MANY: usize = 20_000;
/// Events of one round with a sync for each.
const FEW: usize = 2_000;
/// Events that are handed over at once when they are handed over together.
const BATCH: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// The library, as the daemon, hooks and imports use it.
    Spine,
    /// Each batch with one `write`, and that is all.
    Plain,
    Redis,
}

#[derive(Debug, Clone, Copy)]
struct Mode {
    synced: bool,
    batch: usize,
    events: usize,
}

const MODES: [Mode; 4] = [
    Mode { synced: false, batch: 1, events: MANY },
    Mode { synced: false, batch: BATCH, events: MANY },
    Mode { synced: true, batch: 1, events: FEW },
    Mode { synced: true, batch: BATCH, events: MANY },
];

/// A writer in a mode, and the seconds of each append in each round.
struct Entry {
    writer: Writer,
    mode: Mode,
    rounds: Vec<Vec<f64>>,
    bytes: usize,
}

/// Lets all writers append in turn, `rounds` times.
pub(crate) fn run(bench_dir: &Path, rounds: usize) -> Result<Section> {
    let dir = bench_dir.join("append");
    let drafts = drafts(MANY)?;
    start_afresh(&dir)?;
    let lines = written_lines(&dir, &drafts)?;
    let mut entries = entries();
    for round in 1..=rounds {
        for entry in &mut entries {
            start_afresh(&dir)?;
            entry.take_part(&dir, &drafts, &lines)?;
            println!("append: round {round} of {rounds}: {}", entry.name());
        }
    }
    fs::remove_dir_all(&dir)?;
    Ok(section(&entries, rounds))
}

fn entries() -> Vec<Entry> {
    let entry = |writer, mode| Entry { writer, mode, rounds: Vec::new(), bytes: 0 };
    let mut entries = Vec::new();
    for mode in MODES {
        entries.extend([entry(Writer::Spine, mode), entry(Writer::Plain, mode)]);
        if mode.synced && mode.batch == 1 && find_program("redis-server").is_some() {
            entries.push(entry(Writer::Redis, mode));
        }
    }
    entries
}

fn start_afresh(dir: &Path) -> Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    // What the writer before left behind must not be this one's work.
    rustix::fs::sync();
    Ok(())
}

/// The events of a generated spine, as somebody hands them over.
fn drafts(count: usize) -> Result<Vec<Draft>> {
    let mut events = Events::seeded(SEED);
    let mut line = String::new();
    let mut next = || {
        line.clear();
        events.next_line(&mut line);
        let event: Event = serde_json::from_str(&line)?;
        Ok(Draft {
            ts: Some(event.ts),
            event_type: event.event_type,
            source: event.source,
            session_key: event.session_key,
            turn: event.turn,
            cwd: event.cwd,
            payload: event.payload,
            source_id: event.dedup.map(|dedup| dedup.source_id),
            key: None,
        })
    };
    (0..count).map(|_| next()).collect()
}

impl Entry {
    fn take_part(&mut self, dir: &Path, drafts: &[Draft], lines: &[Vec<u8>]) -> Result<()> {
        let lines = &lines[..self.mode.events];
        let seconds = match self.writer {
            Writer::Spine => self.append_to_spine(dir, &drafts[..self.mode.events])?,
            Writer::Plain => self.append_plainly(dir, lines)?,
            Writer::Redis => append_to_redis(dir, lines)?,
        };
        self.rounds.push(seconds);
        self.bytes = lines.iter().map(Vec::len).sum();
        Ok(())
    }

    fn append_to_spine(&self, dir: &Path, drafts: &[Draft]) -> Result<Vec<f64>> {
        let mut spine = new_spine(dir)?;
        let durability = if self.mode.synced { Durability::Synced } else { Durability::Written };
        let batches: Vec<_> = drafts.chunks(self.mode.batch).map(<[Draft]>::to_vec).collect();
        timed(batches, |batch| Ok(spine.append(batch, Timestamp::now(), durability).map(drop)?))
    }

    fn append_plainly(&self, dir: &Path, lines: &[Vec<u8>]) -> Result<Vec<f64>> {
        let mut file = File::options().create_new(true).append(true).open(dir.join("plain.jsonl"))?;
        let batches: Vec<_> = lines.chunks(self.mode.batch).map(<[Vec<u8>]>::concat).collect();
        timed(batches, |batch| {
            file.write_all(&batch)?;
            if self.mode.synced {
                file.sync_data()?;
            }
            Ok(())
        })
    }

    fn name(&self) -> String {
        let writer = match self.writer {
            Writer::Spine => "spine",
            Writer::Plain => "plain loop",
            Writer::Redis => "redis XADD, appendfsync always",
        };
        let what = match self.mode.batch {
            1 => "one event".to_owned(),
            batch => format!("{batch} events"),
        };
        format!("{writer}, {what} at once, {}", if self.mode.synced { "synced" } else { "not synced" })
    }

    fn round_seconds(&self) -> Summary {
        Summary::of(self.rounds.iter().map(|seconds| seconds.iter().sum()).collect())
    }

    fn row(&self) -> Vec<String> {
        let round = self.round_seconds();
        let mut appends: Vec<_> = self.rounds.iter().flatten().copied().collect();
        appends.sort_by(f64::total_cmp);
        let events = self.mode.events as f64;
        vec![
            self.name(),
            format!("{:.0}/s", events / round.best),
            format!("{:.0}/s", events / round.median),
            format!("{:.1} MB/s", self.bytes as f64 / round.median / 1e6),
            format!("{:.1} µs", quantile(&appends, 0.5) * 1e6),
            format!("{:.1} µs", quantile(&appends, 0.99) * 1e6),
        ]
    }
}

fn append_to_redis(dir: &Path, lines: &[Vec<u8>]) -> Result<Vec<f64>> {
    let mut redis = Redis::start(dir)?;
    timed(lines.iter().collect(), |line| redis.add(line))
}

/// Does a step for each item; gives the seconds of each.
fn timed<T>(items: Vec<T>, mut step: impl FnMut(T) -> Result<()>) -> Result<Vec<f64>> {
    let mut seconds = Vec::with_capacity(items.len());
    for item in items {
        let start = Instant::now();
        step(item)?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

fn new_spine(dir: &Path) -> Result<Spine> {
    let var = dir.join("var");
    fs::create_dir_all(&var)?;
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Ok(Spine::new(Arc::new(RealDisk), SpineDirs::below(&var), boot_id.trim().to_owned()))
}

/// What the spine makes of the drafts, line by line, so that others can write the very same bytes.
fn written_lines(dir: &Path, drafts: &[Draft]) -> Result<Vec<Vec<u8>>> {
    new_spine(dir)?.append(drafts.to_vec(), Timestamp::now(), Durability::Written)?;
    let lines: Vec<_> = day_file(dir)?.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    ensure!(lines.len() == drafts.len(), "{} events became {} lines", drafts.len(), lines.len());
    Ok(lines)
}

/// The bytes of the day file; of two, when midnight passed in between, both.
fn day_file(dir: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(dir.join("var/events"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            bytes.extend(fs::read(path)?);
        }
    }
    Ok(bytes)
}

fn section(entries: &[Entry], rounds: usize) -> Section {
    Section {
        title: "append: events onto the spine",
        intro: format!(
            "Generated events of the same shape as above, appended from one thread: {MANY} in a round, {FEW} where each is \
             synced by itself; {rounds} rounds, each into an empty directory. The spine replaces secrets, looks up and notes \
             the dedup key, takes the lock that keeps processes apart, and numbers and checksums each record; the plain loop only \
             writes the finished bytes (and calls `fdatasync`). No goal is set: the figures depend on the disk first of all."
        ),
        header: vec!["what", "best", "median", "bytes (median)", "one append, p50", "one append, p99"],
        rows: entries.iter().map(Entry::row).collect(),
        goals: Vec::new(),
        commands: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_writer_stores_every_event() {
        let dir = tempfile::tempdir().unwrap();
        let drafts = drafts(30).unwrap();
        let lines = written_lines(dir.path(), &drafts).unwrap();
        for mode in
            [Mode { synced: false, batch: 1, events: 30 }, Mode { synced: true, batch: 7, events: 30 }]
        {
            for writer in [Writer::Spine, Writer::Plain] {
                start_afresh(dir.path()).unwrap();
                let mut entry = Entry { writer, mode, rounds: Vec::new(), bytes: 0 };
                entry.take_part(dir.path(), &drafts, &lines).unwrap();
                assert_eq!(entry.rounds[0].len(), 30_usize.div_ceil(mode.batch));
                let stored = match writer {
                    Writer::Plain => fs::read(dir.path().join("plain.jsonl")).unwrap(),
                    Writer::Spine | Writer::Redis => day_file(dir.path()).unwrap(),
                };
                assert_eq!(stored.len(), entry.bytes, "{}", entry.name());
                assert_eq!(stored.iter().filter(|byte| **byte == b'\n').count(), 30, "{}", entry.name());
            }
        }
    }
}
