//! The tick counter, which survives restarts.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_store::{Disk, durable};

/// The longest state file that is read, in bytes.
const MAX_STATE_BYTES: u64 = 16 * 1024 * 1024;
/// The version of the file's format. A file of a newer one is left alone.
const VERSION: u32 = 1;

/// What `var/cadence/state.json` holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickState {
    version: u32,
    /// How many ticks there have been, those included that passed while the daemon was down.
    pub tick: u64,
    /// When the last one was.
    pub last_tick_at: Option<Timestamp>,
}

impl Default for TickState {
    fn default() -> Self {
        Self { version: VERSION, tick: 0, last_tick_at: None }
    }
}

/// What was found in place of a state.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// A newer program wrote it.
    #[error("{path} was written by a newer version of subcortex (format {found}, this one knows {VERSION}); use that version")]
    TooNew {
        /// Which file.
        path: String,
        /// Its format.
        found: u32,
    },
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] durable::ReadError),
}

impl TickState {
    /// Reads the state; a missing or broken file is a fresh start, since the counter alone is at stake.
    pub fn load(disk: &dyn Disk, path: &Path) -> Result<Self, StateError> {
        let text = match durable::read_text(disk, path, MAX_STATE_BYTES) {
            Ok(text) => text,
            Err(durable::ReadError::Missing { .. }) => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        let Ok(state) = serde_json::from_str::<Self>(&text) else { return Ok(Self::default()) };
        if state.version > VERSION {
            return Err(StateError::TooNew { path: path.display().to_string(), found: state.version });
        }
        Ok(state)
    }

    /// Writes the state durably.
    pub(crate) fn save(&self, disk: &dyn Disk, path: &Path) -> Result<(), durable::WriteError> {
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        durable::replace(disk, path, &text)
    }

    /// Counts the tick that begins now and those that were missed. A clock that went back counts one.
    pub(crate) fn advance(&mut self, now: Timestamp, interval_ms: u64) -> u64 {
        let elapsed_ms = self.last_tick_at.map_or(0, |last| now.duration_since(last).as_millis().max(0));
        let passed = u64::try_from(elapsed_ms).unwrap_or(0) / interval_ms.max(1);
        let missed = passed.saturating_sub(1);
        self.tick += 1 + missed;
        self.last_tick_at = Some(now);
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_that_passed_while_nobody_counted_are_counted() {
        let at = |second: i64| Timestamp::from_second(1_000_000 + second).unwrap();
        let mut state = TickState::default();
        assert_eq!(state.advance(at(0), 60_000), 0);
        assert_eq!(state.advance(at(60), 60_000), 0);
        assert_eq!((state.advance(at(660), 60_000), state.tick), (9, 12));
        assert_eq!((state.advance(at(0), 60_000), state.tick), (0, 13), "the clock was set back");
    }
}
