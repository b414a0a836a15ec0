//! How long to wait before a question is asked again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The pause before the first retry, in milliseconds; each further one is twice as long.
pub(crate) const FIRST_PAUSE_MS: u64 = 500;
/// The longest pause, in milliseconds, also when the other side asks for a longer one.
pub(crate) const MAX_PAUSE_MS: u64 = 30_000;

/// The pause before retry `retry` (0 is the first). `told` is what the other side asks for; less than that is not
/// waited, unless it is more than [`MAX_PAUSE_MS`].
pub(crate) fn pause(first_pause_ms: u64, retry: u32, told: Option<Duration>) -> Duration {
    let longest = Duration::from_millis(MAX_PAUSE_MS);
    let grown_ms = first_pause_ms.saturating_mul(2_u64.saturating_pow(retry)).min(MAX_PAUSE_MS);
    // Between half and all of it, so that those who were refused together do not come back together.
    let own = Duration::from_millis(grown_ms).mul_f64(0.5 + chance() / 2.0);
    own.max(told.unwrap_or_default()).min(longest)
}

/// A number from 0 to 1. The keys of hash maps are random; nothing better is needed here.
fn chance() -> f64 {
    let drawn = u32::try_from(RandomState::new().hash_one(0) >> 32).unwrap_or_default();
    f64::from(drawn) / f64::from(u32::MAX)
}

/// How long the other side asks us to wait: `retry-after-ms`, or `retry-after` in seconds. A date is read over, for the
/// clocks may differ.
pub(crate) fn told(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1_000.0).or_else(|| number(RETRY_AFTER.as_str()))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_differ() {
        for (retry, low_ms, high_ms) in
            [(0, 250, 500), (1, 500, 1_000), (3, 2_000, 4_000), (200, 15_000, 30_000)]
        {
            for _ in 0..50 {
                let pause = pause(FIRST_PAUSE_MS, retry, None);
                assert!(
                    pause >= Duration::from_millis(low_ms) && pause <= Duration::from_millis(high_ms),
                    "{pause:?}"
                );
            }
        }
        let first = pause(FIRST_PAUSE_MS, 5, None);
        assert!((0..50).any(|_| pause(FIRST_PAUSE_MS, 5, None) != first));
    }

    #[test]
    fn what_the_other_side_asks_for_is_honoured_up_to_the_limit() {
        assert_eq!(pause(FIRST_PAUSE_MS, 0, Some(Duration::from_secs(7))), Duration::from_secs(7));
        assert_eq!(
            pause(FIRST_PAUSE_MS, 0, Some(Duration::from_secs(7_000))),
            Duration::from_millis(MAX_PAUSE_MS)
        );
        assert!(pause(FIRST_PAUSE_MS, 0, Some(Duration::ZERO)) >= Duration::from_millis(FIRST_PAUSE_MS / 2));
    }

    #[test]
    fn both_headers_are_read_and_nonsense_is_not() {
        let of = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
            told(&headers)
        };
        assert_eq!(of("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(of("retry-after", " 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(of("retry-after-ms", "40"), Some(Duration::from_millis(40)));
        for nonsense in ["-1", "NaN", "inf", "1e300", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", ""] {
            assert_eq!(of("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
