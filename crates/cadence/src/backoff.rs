//! How long a partition rests after it failed, and how starts after a pause of the daemon are spread.
//!
//! Nothing here is random: the jitter comes from the partition's name, so that two partitions that fail
//! together do not come back together, and a decision can be replayed.

use crate::PartitionId;

/// The longest rest after failures: 4 h.
pub const MAX_BACKOFF_MS: u64 = 4 * 60 * 60 * 1000;
/// The number of timeouts in a row with which the rest begins.
pub const TIMEOUTS_BEFORE_BACKOFF: u32 = 3;
/// The number of errors in a row with which the rest begins.
pub const ERRORS_BEFORE_BACKOFF: u32 = 2;
/// Starts that were missed while the daemon was down or the machine slept are spread over this time.
pub const CATCH_UP_SPREAD_MS: u64 = 2_000;

/// The rest after a failure; `None` while it is too early to rest.
///
/// It begins with one tick's interval and doubles with each further failure, up to [`MAX_BACKOFF_MS`]. The jitter
/// takes away up to a quarter, never adds: the limit is a limit.
pub fn backoff_ms(partition: &PartitionId, timeouts: u32, errors: u32, interval_ms: u64) -> Option<u64> {
    let doublings = |failures: u32, threshold: u32| failures.checked_sub(threshold);
    let doublings =
        doublings(timeouts, TIMEOUTS_BEFORE_BACKOFF).max(doublings(errors, ERRORS_BEFORE_BACKOFF))?;
    let factor = 1_u64.checked_shl(doublings).unwrap_or(u64::MAX);
    let full_ms = interval_ms.saturating_mul(factor).min(MAX_BACKOFF_MS);
    let jitter_ms = hash(partition.as_str(), u64::from(doublings)) % (full_ms / 4).max(1);
    Some(full_ms - jitter_ms)
}

/// How long after a pause of the daemon a partition's missed start is made up for.
pub fn catch_up_delay_ms(partition: &PartitionId) -> u64 {
    hash(partition.as_str(), 0) % CATCH_UP_SPREAD_MS
}

/// FNV-1a with a final mix: spreads well, needs no library, and is the same on every machine and version.
fn hash(text: &str, salt: u64) -> u64 {
    let bytes = text.bytes().chain(salt.to_le_bytes());
    let mixed = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: u64 = 60_000;

    fn name(name: &str) -> PartitionId {
        PartitionId::new(name).unwrap()
    }

    #[track_caller]
    fn check(timeouts: u32, errors: u32, expect_at_most_ms: Option<u64>) {
        let rest_ms = backoff_ms(&name("weaver"), timeouts, errors, MINUTE_MS);
        match (rest_ms, expect_at_most_ms) {
            (Some(rest_ms), Some(full_ms)) => assert!(
                rest_ms <= full_ms && rest_ms > full_ms / 4 * 3,
                "{timeouts} timeouts, {errors} errors: {rest_ms} of {full_ms}"
            ),
            (rest_ms, full_ms) => assert_eq!(rest_ms, full_ms, "{timeouts} timeouts, {errors} errors"),
        }
    }

    #[test]
    fn errors_rest_from_the_second_in_a_row_and_timeouts_from_the_third() {
        check(0, 0, None);
        check(0, 1, None);
        check(0, 2, Some(MINUTE_MS));
        check(0, 3, Some(2 * MINUTE_MS));
        check(1, 0, None);
        check(2, 0, None);
        check(3, 0, Some(MINUTE_MS));
        check(4, 0, Some(2 * MINUTE_MS));
        check(3, 5, Some(8 * MINUTE_MS));
    }

    #[test]
    fn a_rest_never_exceeds_four_hours() {
        for failures in [9, 10, 64, 65, 66, 1_000, u32::MAX] {
            check(failures, 0, Some(MAX_BACKOFF_MS.min(MINUTE_MS << (failures - 3).min(20))));
            check(0, failures, Some(MAX_BACKOFF_MS.min(MINUTE_MS << (failures - 2).min(20))));
        }
        assert!(backoff_ms(&name("x"), 0, 9, u64::MAX).unwrap() <= MAX_BACKOFF_MS);
        assert!(backoff_ms(&name("x"), 0, 9, 0).unwrap() == 0);
    }

    #[test]
    fn a_hundred_partitions_do_not_come_back_at_once() {
        let starts: std::collections::BTreeSet<u64> =
            (0..100).map(|n| catch_up_delay_ms(&name(&format!("p{n}")))).collect();
        assert!(starts.len() > 90, "{}", starts.len());
        let tenths: std::collections::BTreeSet<u64> =
            starts.iter().map(|ms| ms * 10 / CATCH_UP_SPREAD_MS).collect();
        assert_eq!(tenths.len(), 10, "all parts of the time are used");
    }
}
