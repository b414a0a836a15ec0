//! What the daemon is doing.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use subcortex_daemon::Schedule;
use subcortex_home::kill_switch;
use subcortex_memory::Proposal;
use subcortex_usage::Spend;
use subcortex_weaver::updater::unseen_edits;

use crate::{Page, PageError};

/// How many of the newest runs are looked at for those that go on.
const LOOKED_AT_RUNS: usize = 20;

#[derive(Debug, Serialize)]
struct Now {
    at: Timestamp,
    home: String,
    daemon: Daemon,
    #[serde(flatten)]
    schedule: Schedule,
    /// The kill switches that are set.
    switches: Vec<Switch>,
    running: Vec<Running>,
    spend: Spend,
    unseen_edits: usize,
    waiting_proposals: usize,
}

#[derive(Debug, Serialize)]
struct Daemon {
    pid: u32,
    since: Timestamp,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct Switch {
    /// `None` is the one of the whole home.
    partition: Option<String>,
    why: String,
}

#[derive(Debug, Serialize)]
struct Running {
    run_id: String,
    partition: String,
    started_at: Option<Timestamp>,
}

pub(crate) async fn now(page: &Arc<Page>) -> Result<Value, PageError> {
    let schedule = page.schedule().await?;
    page.read(move |page| look(page, schedule)).await
}

fn look(page: &Page, schedule: Schedule) -> Result<Now, PageError> {
    let (home, disk) = (page.helm.home(), &**page.helm.disk());
    let everywhere = kill_switch::reason(disk, &home.kill_switch());
    let everywhere = everywhere.map(|why| Switch { partition: None, why });
    let one_by_one = schedule.partitions.iter().filter_map(|partition| {
        let why = kill_switch::reason(disk, &home.partition_kill_switch(&partition.name))?;
        Some(Switch { partition: Some(partition.name.clone()), why })
    });
    let switches = everywhere.into_iter().chain(one_by_one).collect();
    let is_running = |name: &str| {
        schedule.partitions.iter().any(|partition| partition.name == name && partition.state == "running")
    };
    let runs = subcortex_runs::list(disk, &home.runs(), LOOKED_AT_RUNS)?;
    let running = runs.into_iter().filter(|run| run.ended_at.is_none() && is_running(&run.partition));
    let running = running
        .map(|run| Running { run_id: run.run_id, partition: run.partition, started_at: run.started_at })
        .collect();
    let shop = page.helm.workshop();
    Ok(Now {
        at: Timestamp::now(),
        home: home.root().display().to_string(),
        daemon: Daemon {
            pid: std::process::id(),
            since: page.helm.since(),
            version: env!("CARGO_PKG_VERSION"),
        },
        schedule,
        switches,
        running,
        spend: page.helm.spend(),
        unseen_edits: unseen_edits(&shop)?.len(),
        waiting_proposals: Proposal::read_all(&*shop.disk, &shop.folder)?.waiting.len(),
    })
}
