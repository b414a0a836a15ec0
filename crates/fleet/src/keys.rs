//! The names of what stands on the server. The braces keep all keys of a partition together on a cluster.

use subcortex_cadence::PartitionId;

/// By machine, when it was last heard and who it is.
pub(crate) const MACHINES: &str = "subcortex:machines";
/// Where news of tasks is published.
pub(crate) const WAKE: &str = "subcortex:wake";
/// The one consumer group of every stream.
pub(crate) const GROUP: &str = "fleet";

/// A key of one partition.
pub(crate) fn key(partition: &PartitionId, what: &str) -> String {
    format!("subcortex:{{{partition}}}:{what}")
}
