//! Everything together.

use subcortex_memory::{Broadcast, Line, LineCheck};
use subcortex_spine::list_days;
use subcortex_usage::Spend;
use subcortex_weaver::{Counted, Tally, WeaveError, Workshop, counted};

use super::counters::Counters;
use super::text::{Kind, Text};
use crate::status::Schedule;

/// The upper ends of the groups that lines fall into by how often they are followed.
const RATE_BUCKETS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The metrics of a home. Without counters in the schedule nothing runs; what the files tell is told all the same.
pub fn metrics(schedule: &Schedule, spend: &Spend, shop: &Workshop) -> Result<String, WeaveError> {
    let mut text = Text::default();
    text.family("subcortex_build_info", Kind::Gauge, "The version of this program.")
        .sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
    let counters = schedule.counters.as_ref();
    text.family("subcortex_up", Kind::Gauge, "Whether the daemon of this home runs.")
        .sample(&[], u8::from(counters.is_some()));
    of_schedule(&mut text, schedule);
    if let Some(counters) = counters {
        of_daemon(&mut text, counters);
    }
    of_money(&mut text, spend);
    of_spine(&mut text, shop)?;
    of_memory(&mut text, shop)?;
    Ok(text.finish())
}

fn of_schedule(text: &mut Text, schedule: &Schedule) {
    text.family("subcortex_paused", Kind::Gauge, "Whether the kill switch of the home is set.")
        .sample(&[], u8::from(schedule.paused));
    text.family("subcortex_inbox_tasks", Kind::Gauge, "Tasks that wait in an inbox, by how they stand.");
    for partition in &schedule.partitions {
        let name = partition.name.as_str();
        text.sample(&[("partition", name), ("state", "pending")], partition.inbox.pending);
        text.sample(&[("partition", name), ("state", "held")], partition.inbox.held);
    }
    let held: usize = schedule.partitions.iter().map(|partition| partition.inbox.held).sum();
    text.family("subcortex_held_tasks", Kind::Gauge, "Tasks that wait for a person.").sample(&[], held);
    let backing_off = schedule.partitions.iter().filter(|partition| partition.backoff_until.is_some());
    text.family("subcortex_partitions_backing_off", Kind::Gauge, "Partitions that rest after failures.")
        .sample(&[], backing_off.count());
}

fn of_daemon(text: &mut Text, counters: &Counters) {
    text.family("subcortex_ticks_total", Kind::Counter, "Ticks that began.").sample(&[], counters.ticks);
    text.family("subcortex_missed_ticks_total", Kind::Counter, "Ticks that passed while nobody looked.")
        .sample(&[], counters.missed_ticks);
    text.family("subcortex_tick_lag_seconds", Kind::Gauge, "By how much the last tick was late.")
        .sample(&[], seconds(counters.last_late_ms));
    text.family("subcortex_tick_lag_seconds_total", Kind::Counter, "By how much all ticks were late.")
        .sample(&[], seconds(counters.late_ms));
    text.family("subcortex_runs_total", Kind::Counter, "Runs, by what they came to.");
    for (partition, runs) in &counters.runs {
        for (outcome, count) in &runs.outcomes {
            text.sample(&[("partition", partition), ("outcome", outcome)], count);
        }
    }
    text.family("subcortex_run_seconds_total", Kind::Counter, "How long all runs took.");
    for (partition, runs) in &counters.runs {
        text.sample(&[("partition", partition)], seconds(runs.took_ms));
    }
}

fn of_money(text: &mut Text, spend: &Spend) {
    text.family("subcortex_tokens_today", Kind::Gauge, "Tokens that models read and wrote, this UTC day.");
    for (partition, sum) in &spend.partitions {
        text.sample(&[("partition", partition)], sum.tokens);
    }
    text.family("subcortex_dollars_today", Kind::Gauge, "US dollars spent on models, this UTC day.");
    for (partition, sum) in &spend.partitions {
        text.sample(&[("partition", partition)], sum.usd);
    }
    if let Some(cap) = spend.cap_usd_per_day {
        text.family("subcortex_dollars_cap", Kind::Gauge, "US dollars that may be spent in a day.")
            .sample(&[], cap);
    }
}

fn of_spine(text: &mut Text, shop: &Workshop) -> Result<(), WeaveError> {
    let (days, _) = list_days(&*shop.disk, &shop.events_dir)?;
    let bytes: u64 = days.iter().filter_map(|day| shop.disk.stat(&day.path).ok()).map(|stat| stat.len).sum();
    text.family("subcortex_spine_bytes", Kind::Gauge, "How large the log of events is on the disk.")
        .sample(&[], bytes);
    text.family("subcortex_spine_files", Kind::Gauge, "How many files, one a day, the log of events has.")
        .sample(&[], days.len());
    Ok(())
}

/// The broadcast, line by line, and all lines by how often they are followed.
fn of_memory(text: &mut Text, shop: &Workshop) -> Result<(), WeaveError> {
    let Counted { compiled, trust, tally, .. } = counted(shop)?;
    let state =
        |line: &Line, known: &LineCheck| match (known.check.testable, trust.of(line, known).is_trusted()) {
            (true, true) => "tested",
            (true, false) => "not_trusted",
            (false, _) => "not_testable",
        };
    text.family("subcortex_lines", Kind::Gauge, "Lines of the broadcast, by whether they are tested.");
    for word in ["tested", "not_trusted", "not_testable"] {
        let count = compiled.lines().filter(|(line, known)| state(line, known) == word).count();
        text.sample(&[("state", word)], count);
    }
    text.family("subcortex_line_turns", Kind::Gauge, "Turns in which a line was followed or missed.");
    for line in &compiled.broadcast.lines {
        let Some(tally) = tally.lines.get(&line.hash) else { continue };
        let number = format!("L{}", line.number);
        for (verdict, count) in [("followed", tally.strengthening), ("missed", tally.weakening)] {
            text.sample(&[("line", &number), ("hash", line.hash.as_str()), ("verdict", verdict)], count);
        }
    }
    rates(text, &compiled.broadcast, &tally);
    Ok(())
}

fn rates(text: &mut Text, broadcast: &Broadcast, tally: &Tally) {
    let of_lines =
        broadcast.lines.iter().filter_map(|line| tally.lines.get(&line.hash)).map(|tally| tally.rate());
    let rates: Vec<f64> = of_lines
        .filter(|rate| rate.occasions() > 0)
        .map(|rate| rate.followed as f64 / rate.occasions() as f64)
        .collect();
    text.family(
        "subcortex_line_follow_rate",
        Kind::Histogram,
        "Lines, by the share of turns in which they were followed.",
    );
    for end in RATE_BUCKETS {
        let count = rates.iter().filter(|rate| **rate <= end).count();
        text.part("_bucket", &[("le", &end.to_string())], count);
    }
    text.part("_bucket", &[("le", "+Inf")], rates.len());
    text.part("_sum", &[], rates.iter().sum::<f64>());
    text.part("_count", &[], rates.len());
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
