//! What is waited for instead of giving up: room on the disk, free descriptors, memory, a lock that somebody holds.

use subcortex_cadence::BootMs;

/// After how long the first try is repeated; each further one waits twice as long.
const FIRST_WAIT_MS: u64 = 250;
/// The longest wait between two tries.
const MAX_WAIT_MS: u64 = 5_000;

/// Something that cannot be done now.
#[derive(Debug)]
pub struct Trouble<E> {
    /// What failed.
    pub error: E,
    /// Since when.
    pub since: BootMs,
    wait_ms: u64,
    /// When it is tried again.
    pub next_try: BootMs,
}

impl<E> Trouble<E> {
    /// For how long it has lasted at a moment.
    pub fn lasts_ms(&self, now: BootMs) -> u64 {
        now.since_ms(self.since)
    }

    /// A step failed; `before` is what stood in its way until now.
    pub(crate) fn met(before: Option<Self>, error: E, now: BootMs) -> Self {
        let wait_ms = before.as_ref().map_or(FIRST_WAIT_MS, |before| (before.wait_ms * 2).min(MAX_WAIT_MS));
        let since = before.map_or(now, |before| before.since);
        Self { error, since, wait_ms, next_try: now.plus_ms(wait_ms) }
    }
}
