//! What one new fragment, and the memory's own check at a tick, cost behind a little and behind much evidence:
//! `cargo run --release -p subcortex-weaver --example fold_speed [FRAGMENTS] [DAYS]`.
//!
//! Two homes, one with 100 fragments and one with 100,000 in 300 days. Each is folded once; then fragments come one by one, and each
//! run is timed. Printed is the median. The check then looks at the same memory, with 1,000 pages that a person wrote.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::{
    Broadcast, Fragment, Journal, JudgedBy, LineRef, MemoryFolder, Origin, SignalKind, Trajectory, fragments,
};
use subcortex_model::EventId;
use subcortex_store::{RealDisk, durable};
use subcortex_weaver::{CompiledBroadcast, Workshop, crystallizer, inspect};

const LINES: usize = 200;
const PAGES: usize = 1_000;
const FEW: usize = 100;
const RUNS: usize = 15;
const CHUNK: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let many = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let days = arguments.next().map_or(Ok(300), |text| text.parse())?;
    let few = measure(FEW, 1)?;
    let many = measure(many, days)?;
    println!("ratio {:.2}", many.as_secs_f64() / few.as_secs_f64());
    Ok(())
}

fn measure(count: usize, days: usize) -> Result<Duration, Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    for dir in ["memory", "var"] {
        durable::make_dirs(&RealDisk, home.path(), Path::new(dir))?;
    }
    let text: String =
        (0..LINES).map(|at| format!("- Never run `tool{at}`, use `other{at}` instead.\n")).collect();
    let compiled = CompiledBroadcast::by_rules(Broadcast::parse(text));
    let broadcast = &compiled.broadcast;
    let shop = shop(home.path())?;
    for chunk in (0..count).collect::<Vec<_>>().chunks(CHUNK) {
        let new: Vec<Fragment> = chunk.iter().map(|at| fragment(broadcast, *at, at * days / count)).collect();
        fragments::write(&RealDisk, &shop.folder, &new)?;
    }
    let run = || {
        let start = Instant::now();
        let done = crystallizer::crystallize(&shop, &compiled, &Journal::default(), &|| false)?;
        Ok::<_, Box<dyn Error>>((start.elapsed(), done))
    };
    let (all, done) = run()?;
    println!("{count} fragments in {days} days: folded {} in {all:.2?}", done.folded);
    while run()?.1.dossiers_waiting > 0 {}
    let mut times = Vec::new();
    for at in 0..RUNS {
        fragments::write(&RealDisk, &shop.folder, &[fragment(broadcast, count + at, days - 1)])?;
        let (time, done) = run()?;
        assert_eq!(done.folded, 1, "the new one and nothing else");
        times.push(time);
    }
    times.sort();
    let (idle, _) = run()?;
    println!("  one new: {:.2?} (median of {RUNS}); nothing new: {idle:.2?}", times[RUNS / 2]);
    look_over(&shop, broadcast)?;
    Ok(times[RUNS / 2])
}

/// Times the check, with every line and page in place.
fn look_over(shop: &Workshop, broadcast: &Broadcast) -> Result<(), Box<dyn Error>> {
    durable::replace(
        &RealDisk,
        &shop.folder.broadcast(),
        broadcast.text.as_deref().unwrap_or_default().as_bytes(),
    )?;
    durable::make_dirs(&RealDisk, shop.folder.root(), Path::new("topics"))?;
    for at in 0..PAGES {
        let words = "What there is to know. ".repeat(40);
        let page = format!("# Page {at}\n\n{words}\nSee [[topic-page{}]].\n", (at + 1) % PAGES);
        durable::replace(&RealDisk, &shop.folder.topics().join(format!("page{at}.md")), page.as_bytes())?;
    }
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let found = inspect(shop)?;
        times.push((start.elapsed(), found.len()));
    }
    times.sort();
    let (median, found) = times[RUNS / 2];
    println!("  memory check of {LINES} lines and {PAGES} pages: {median:.2?}, {found} findings");
    Ok(())
}

fn shop(home: &Path) -> Result<Workshop, Box<dyn Error>> {
    // All folders count as settled, as they do in a daemon whose ticks are minutes apart.
    let now = "2099-01-01T00:00:00Z".parse()?;
    Ok(Workshop::new(Arc::new(RealDisk), MemoryFolder::at(home.join("memory")), &home.join("var"), now))
}

/// Mostly evidence about lines; every tenth is something that a person said.
fn fragment(broadcast: &Broadcast, at: usize, day: usize) -> Fragment {
    let line = &broadcast.lines[at % LINES];
    let start: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap_or_default();
    let (trajectory, signal, origin) = match at % 10 {
        0 => (Trajectory::NewSignal, SignalKind::Preference, Origin::Person),
        1 | 2 => (Trajectory::Weakening, SignalKind::LineFailed, Origin::Agent),
        _ => (Trajectory::Strengthening, SignalKind::LineHelped, Origin::Agent),
    };
    let is_new = trajectory == Trajectory::NewSignal;
    Fragment {
        source_event_id: EventId::from_log(format!("evt_{at}")),
        source_ts: start
            + SignedDuration::from_hours(24) * day as i32
            + SignedDuration::from_secs((at % 86_000) as i64),
        source_kind: "claude".into(),
        session_key: Some(format!("s{}", at / 20)),
        event_type: "channel.message".into(),
        project: Some("/home/x/web".into()),
        signal,
        line: (!is_new).then(|| LineRef { number: line.number, hash: line.hash.clone() }),
        trajectory,
        activation: trajectory.usual_activation(),
        root_cause: None,
        origin,
        judged_by: JudgedBy::Check,
        rule: None,
        quote: format!(
            "I would rather have the report number {} about `tool{}` sorted by date",
            at % 700,
            at % LINES
        ),
        note: "how it was understood".into(),
        pointers: Vec::new(),
    }
}
