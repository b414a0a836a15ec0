//! How long the parts of a run may take.

/// Limits of all runs of loops, from the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// The engine, in milliseconds.
    pub engine_ms: u64,
    /// `verify` and `guard`, each, in milliseconds.
    pub gate_ms: u64,
    /// How many loops run at once.
    pub max_parallel: usize,
}
