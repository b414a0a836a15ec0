//! What has been spent today, and what may still be.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use subcortex_mind::Usage;
use subcortex_store::{Disk, locked};
use tracing::warn;

use crate::files::{self, Day, Entry};
use crate::{Price, Prices};

/// Tokens and money together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sum {
    /// All tokens.
    pub tokens: u64,
    /// US dollars, of what has a price.
    pub usd: f64,
    /// Questions without a price.
    pub unpriced: u64,
}

impl Sum {
    pub(crate) fn add(&mut self, usage: &Usage, usd: Option<f64>) {
        self.tokens = self.tokens.saturating_add(usage.total());
        match usd {
            Some(usd) => self.usd += usd,
            None => self.unpriced += 1,
        }
    }

    fn join(&mut self, other: &Sum) {
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.usd += other.usd;
        self.unpriced += other.unpriced;
    }
}

/// What everybody together may spend, and at what prices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Caps {
    /// Money in one UTC day; `None` is no limit.
    pub usd_per_day: Option<f64>,
    /// The price table.
    pub prices: Prices,
}

/// What was spent in one day, for `status`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Spend {
    /// The UTC day.
    pub day: String,
    /// All together.
    pub today: Sum,
    /// What everybody together may spend in a day, in US dollars.
    pub cap_usd_per_day: Option<f64>,
    /// By partition.
    pub partitions: BTreeMap<String, Sum>,
}

/// The account of a home, while a process works with it. Only one process at a time asks models: it holds the home.
#[derive(Debug)]
pub struct Account {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    caps: Mutex<Caps>,
    today: Mutex<Today>,
}

#[derive(Debug, Default)]
struct Today {
    day: Option<Date>,
    spent: Day,
    /// What is set aside for questions that are being asked, in US dollars, by partition.
    reserved: BTreeMap<String, f64>,
}

impl Account {
    /// The account below `dir` (`var/usage`). Nothing is read before it is needed.
    pub fn new(disk: Arc<dyn Disk>, dir: PathBuf, caps: Caps) -> Self {
        Self { disk, dir, caps: Mutex::new(caps), today: Mutex::default() }
    }

    /// Takes over changed settings.
    pub fn set_caps(&self, caps: Caps) {
        *locked(&self.caps) = caps;
    }

    /// What was spent today.
    pub fn spend(&self, now: Timestamp) -> Spend {
        let mut today = locked(&self.today);
        self.turn_to(&mut today, now);
        let mut all = Sum::default();
        today.spent.partitions.values().for_each(|sum| all.join(sum));
        Spend {
            day: files::day_of(now).to_string(),
            today: all,
            cap_usd_per_day: locked(&self.caps).usd_per_day,
            partitions: today.spent.partitions.clone(),
        }
    }

    /// The price of a model.
    pub fn price(&self, model: &str) -> Option<Price> {
        locked(&self.caps).prices.of(model).copied()
    }

    /// How much a partition may still spend today, in US dollars; `None` is no limit.
    pub fn left_usd(&self, partition: &str, usd_per_day: Option<f64>, now: Timestamp) -> Option<f64> {
        let mut today = locked(&self.today);
        self.turn_to(&mut today, now);
        self.left_of(&today, partition, usd_per_day)
    }

    fn left_of(&self, today: &Today, partition: &str, usd_per_day: Option<f64>) -> Option<f64> {
        let spent = today.spent.partitions.get(partition).map_or(0.0, |sum| sum.usd);
        let reserved = today.reserved.get(partition).copied().unwrap_or(0.0);
        let own = usd_per_day.map(|limit| limit - spent - reserved);
        let everybody = locked(&self.caps).usd_per_day.map(|limit| {
            let spent: f64 = today.spent.partitions.values().map(|sum| sum.usd).sum();
            limit - spent - today.reserved.values().sum::<f64>()
        });
        match (own, everybody) {
            (Some(own), Some(everybody)) => Some(own.min(everybody)),
            (own, everybody) => own.or(everybody),
        }
    }

    /// Sets money aside for a question that is about to be asked; says whether there is enough left.
    pub(crate) fn reserve(
        &self,
        partition: &str,
        usd_per_day: Option<f64>,
        usd: f64,
        now: Timestamp,
    ) -> bool {
        let mut today = locked(&self.today);
        self.turn_to(&mut today, now);
        if self.left_of(&today, partition, usd_per_day).is_some_and(|left| usd > left) {
            return false;
        }
        *today.reserved.entry(partition.to_owned()).or_default() += usd;
        true
    }

    /// Gives back what was set aside.
    pub(crate) fn release(&self, partition: &str, usd: f64) {
        let mut today = locked(&self.today);
        if let Some(reserved) = today.reserved.get_mut(partition) {
            *reserved = (*reserved - usd).max(0.0);
        }
    }

    /// Enters a question. When the disk refuses it, it counts for as long as this process lives.
    pub fn enter(&self, entry: &Entry) {
        let mut today = locked(&self.today);
        self.turn_to(&mut today, entry.ts);
        today.spent.partitions.entry(entry.partition.clone()).or_default().add(&entry.usage, entry.usd);
        if let Err(error) = files::append(&*self.disk, &self.dir, entry) {
            warn!(partition = entry.partition, run = entry.run_id, %error, "usage not kept");
        }
    }

    /// Begins another day, with what an earlier process spent in it. A clock that is set back stays in the later day,
    /// so that a day's budget is not given twice.
    fn turn_to(&self, today: &mut Today, now: Timestamp) {
        let day = files::day_of(now);
        if today.day.is_some_and(|known| known >= day) {
            return;
        }
        today.spent = files::read_day(&*self.disk, &self.dir, day).unwrap_or_else(|error| {
            warn!(%error, "usage of today cannot be read; it counts from now on");
            Day::default()
        });
        today.day = Some(day);
    }
}
