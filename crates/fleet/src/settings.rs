//! What the settings of a home say about its fleet.

/// Where the fleet meets, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetSettings {
    /// The URL of the Redis server.
    pub redis: String,
    /// How long a task is nobody else's without a sign of life, in milliseconds.
    pub lease_ms: u64,
    /// What this machine is called.
    pub name: String,
}
