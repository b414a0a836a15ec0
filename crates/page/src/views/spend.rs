//! What models cost, by day and partition.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use subcortex_usage::{Spend, Sum, read_day};

use crate::{Page, PageError};

/// How many days are shown when nobody says.
const USUAL_DAYS: u64 = 14;
/// How many days are shown at most.
const MOST_DAYS: u64 = 92;

#[derive(Debug, Serialize)]
pub(crate) struct Spending {
    today: Spend,
    /// Oldest first; a day on which nobody was asked is there, too.
    days: Vec<SpentDay>,
}

#[derive(Debug, Serialize)]
struct SpentDay {
    day: String,
    partitions: BTreeMap<String, Sum>,
    /// Lines of the account that say nothing that can be counted.
    unreadable: u64,
}

pub(crate) fn spend(page: &Page, days: Option<u64>) -> Result<Spending, PageError> {
    let wanted = i64::try_from(days.unwrap_or(USUAL_DAYS).clamp(1, MOST_DAYS)).unwrap_or(1);
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let mut days = Vec::new();
    for ago in (0..wanted).rev() {
        let day = today.saturating_sub(ago.days());
        let read = read_day(&**page.helm.disk(), &page.helm.home().usage(), day)?;
        days.push(SpentDay {
            day: day.to_string(),
            partitions: read.partitions,
            unreadable: read.unreadable,
        });
    }
    Ok(Spending { today: page.helm.spend(), days })
}
