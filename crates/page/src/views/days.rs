//! How lines fared, day by day: what is known of a day is kept until its folder changes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde::Serialize;
use subcortex_memory::{LineHash, Rate};
use subcortex_store::locked;
use subcortex_weaver::Workshop;
use subcortex_weaver::crystallizer::SETTLED_AFTER_NS;
use subcortex_weaver::explain::{day, newest_days};

use crate::PageError;

/// How many days a trend shows: the newest that have evidence.
const TREND_DAYS: usize = 14;

/// Days that were read, by the time of their folders' last change.
#[derive(Debug, Default)]
pub(crate) struct Days {
    known: Mutex<BTreeMap<String, KnownDay>>,
}

#[derive(Debug)]
struct KnownDay {
    /// The last change of its folder, in nanoseconds.
    mtime_ns: i128,
    rates: BTreeMap<LineHash, Rate>,
}

/// How a line fared on a day.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OnDay {
    day: String,
    #[serde(flatten)]
    rate: Rate,
}

impl Days {
    /// The trend of every line that has evidence, oldest day first; a day without any is left out.
    pub(crate) fn trends(&self, shop: &Workshop) -> Result<BTreeMap<LineHash, Vec<OnDay>>, PageError> {
        let mut known = locked(&self.known);
        let newest = newest_days(shop, TREND_DAYS)?;
        known.retain(|name, _| newest.iter().any(|(day, _)| day == name));
        let mut trends: BTreeMap<LineHash, Vec<OnDay>> = BTreeMap::new();
        for (name, mtime_ns) in newest {
            let is_settled = shop.now.as_nanosecond() - mtime_ns > SETTLED_AFTER_NS;
            if !known.get(&name).is_some_and(|day| day.mtime_ns == mtime_ns && is_settled) {
                known.insert(name.clone(), KnownDay { mtime_ns, rates: day(shop, &name)? });
            }
            let Some(KnownDay { rates, .. }) = known.get(&name) else { continue };
            for (hash, rate) in rates.iter().filter(|(_, rate)| rate.occasions() > 0) {
                trends.entry(hash.clone()).or_default().push(OnDay { day: name.clone(), rate: *rate });
            }
        }
        Ok(trends)
    }
}
