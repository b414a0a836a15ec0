//! The prompt cache: what of the input is read afresh, put into the cache, or read from it.
//!
//! 60 % of the input is a prefix that is the same in each run (goal, scope, instructions). A provider keeps such a
//! prefix for five minutes or for an hour after its last use. Putting it there costs more than reading it afresh, reading
//! it again much less. So the lifetime follows from the usual time between two runs, and where that is longer than an
//! hour nothing is cached: every run would pay for the writing and none for the reading.

use serde::Serialize;
use subcortex_cadence::UnixMs;

/// How much of the input is the same in each run, in percent.
const STABLE_PERCENT: u64 = 60;
/// The shortest prefix that providers cache, in tokens.
pub const MIN_PREFIX_TOKENS: u64 = 1_024;
/// Reading from the cache, as a part of the price of input.
const READ_FACTOR: f64 = 0.1;
const MINUTE_MS: i64 = 60 * 1000;

/// How long a prefix is kept after its last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheLifetime {
    /// Not at all: runs are too far apart, or the prefix is too short.
    None,
    /// Five minutes.
    FiveMinutes,
    /// An hour.
    OneHour,
}

impl CacheLifetime {
    /// By the usual time between two runs. A run uses its prefix until its end, so one as long as the lifetime still fits.
    fn for_interval(interval_ms: i64) -> CacheLifetime {
        [CacheLifetime::FiveMinutes, CacheLifetime::OneHour]
            .into_iter()
            .find(|lifetime| interval_ms <= lifetime.ms())
            .unwrap_or(CacheLifetime::None)
    }

    fn ms(self) -> i64 {
        match self {
            CacheLifetime::None => 0,
            CacheLifetime::FiveMinutes => 5 * MINUTE_MS,
            CacheLifetime::OneHour => 60 * MINUTE_MS,
        }
    }

    /// Putting a prefix into the cache, as a multiple of the price of input.
    fn write_factor(self) -> f64 {
        match self {
            CacheLifetime::None => 1.0,
            CacheLifetime::FiveMinutes => 1.25,
            CacheLifetime::OneHour => 2.0,
        }
    }
}

/// How the input of a number of runs is read, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CachedInput {
    /// How long the prefix is kept.
    pub lifetime: CacheLifetime,
    /// Read afresh.
    pub fresh: u64,
    /// Put into the cache.
    pub written: u64,
    /// Read from the cache.
    pub read: u64,
}

impl CachedInput {
    /// For runs at these times, each of which reads so many tokens.
    pub(super) fn of(times: &[UnixMs], input_tokens: u64) -> CachedInput {
        let runs = times.len() as u64;
        let prefix = input_tokens.saturating_mul(STABLE_PERCENT) / 100;
        let gaps: Vec<i64> = times.windows(2).map(pair_gap).collect();
        let lifetime = match usual(&gaps) {
            Some(gap) if prefix >= MIN_PREFIX_TOKENS => CacheLifetime::for_interval(gap),
            Some(_) | None => CacheLifetime::None,
        };
        if lifetime == CacheLifetime::None {
            return CachedInput { lifetime, fresh: input_tokens.saturating_mul(runs), written: 0, read: 0 };
        }
        let reads = gaps.iter().filter(|gap| **gap <= lifetime.ms()).count() as u64;
        CachedInput {
            lifetime,
            fresh: (input_tokens - prefix).saturating_mul(runs),
            written: prefix.saturating_mul(runs - reads),
            read: prefix.saturating_mul(reads),
        }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.fresh.saturating_add(self.written).saturating_add(self.read)
    }

    /// The tokens that would cost as much without a cache.
    #[allow(clippy::cast_precision_loss)] // beyond 2^53 tokens the last cent does not matter
    pub fn weighted(&self) -> f64 {
        self.fresh as f64
            + self.written as f64 * self.lifetime.write_factor()
            + self.read as f64 * READ_FACTOR
    }
}

fn pair_gap(pair: &[UnixMs]) -> i64 {
    match pair {
        [one, next] => next.0.saturating_sub(one.0),
        _ => i64::MAX,
    }
}

/// The one in the middle.
fn usual(gaps: &[i64]) -> Option<i64> {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}
