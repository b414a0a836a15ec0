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

#[derive(Debug, Serialize)]
struct Now {
    at: Timestamp,
    home: String,
    daemon: Daemon,
    #[serde(flatten)]
    schedule: Schedule,
    /// The kill switches that are set.
    switches: Vec<Switch>,
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
        spend: page.helm.spend(),
        unseen_edits: unseen_edits(&shop)?.len(),
        waiting_proposals: Proposal::read_all(&*shop.disk, &shop.folder)?.waiting.len(),
    })
}
