//! Where a partition's tasks come from, for whoever drops one.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use subcortex_cadence::definition::{InboxPlace, Zones};
use subcortex_cadence::{Definition, PartitionId};
use subcortex_home::Home;
use subcortex_store::{Disk, durable};

use crate::engine_names;

/// Where the tasks of a partition come from. One whose definition cannot be used has none but its own.
pub fn inbox_place(disk: &dyn Disk, home: &Home, partition: &PartitionId) -> InboxPlace {
    let file = home.partition(partition.as_str()).join("CLAUDE.md");
    // When it runs is not the question, so any zones will do.
    let zones = Zones { database: TimeZoneDatabase::bundled(), local: TimeZone::UTC };
    let text = durable::read_text(disk, &file, Definition::MAX_BYTES).unwrap_or_default();
    Definition::parse(&text, &engine_names(), &zones)
        .map_or(InboxPlace::Local, |(definition, _)| definition.inbox)
}
