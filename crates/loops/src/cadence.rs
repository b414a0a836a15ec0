//! How often a loop runs: a duration or a cron pattern.

use jiff::tz::TimeZone;
use subcortex_cadence::{Cron, CronProblem, UnixMs};

const MINUTE_MS: u64 = 60 * 1000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;
const WEEK_MS: u64 = 7 * DAY_MS;
/// The longest duration: a year.
const MAX_INTERVAL_MS: u64 = 366 * DAY_MS;

/// When runs begin.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopCadence {
    /// Each time this many milliseconds after the one before.
    Every(u64),
    /// By the calendar.
    Cron(Box<Cron>),
}

/// Why a text is no cadence. Worded as the end of a sentence about the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CadenceProblem {
    /// Neither of the two forms.
    #[error("it must be a duration such as 10m, 6h, 1d or 1w, or five fields of cron")]
    Unreadable,
    /// `0m`.
    #[error("a loop that never waits never ends; the shortest cadence is 1m")]
    Zero,
    /// Longer than a year.
    #[error("the longest cadence is 366d")]
    TooLong,
    /// A pattern that cannot be read, or never comes.
    #[error(transparent)]
    Cron(#[from] CronProblem),
}

impl LoopCadence {
    /// Reads a cadence; cron patterns go by the clock of `zone`.
    pub fn parse(text: &str, zone: &TimeZone) -> Result<LoopCadence, CadenceProblem> {
        let text = text.trim();
        if text.contains(char::is_whitespace) {
            return Ok(LoopCadence::Cron(Box::new(Cron::parse(text, zone.clone())?)));
        }
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit_ms = match text.get(digits.len()..) {
            Some("m") => MINUTE_MS,
            Some("h") => HOUR_MS,
            Some("d") => DAY_MS,
            Some("w") => WEEK_MS,
            Some(_) | None => return Err(CadenceProblem::Unreadable),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(CadenceProblem::Unreadable);
        }
        // Only a number that is too large for the type is left.
        let count: u64 = digits.parse().map_err(|_| CadenceProblem::TooLong)?;
        match count.checked_mul(unit_ms) {
            Some(0) => Err(CadenceProblem::Zero),
            Some(interval_ms) if interval_ms <= MAX_INTERVAL_MS => Ok(LoopCadence::Every(interval_ms)),
            Some(_) | None => Err(CadenceProblem::TooLong),
        }
    }

    /// The first run after a moment; `None` at the end of the calendar.
    pub fn next_after(&self, moment: UnixMs) -> Option<UnixMs> {
        match self {
            LoopCadence::Every(interval_ms) => {
                Some(UnixMs(moment.0.checked_add(i64::try_from(*interval_ms).ok()?)?))
            }
            LoopCadence::Cron(cron) => cron.next_after(moment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> CadenceProblem {
        LoopCadence::parse(text, &TimeZone::UTC).unwrap_err()
    }

    #[test]
    fn durations_and_patterns_are_read() {
        for (text, expect_ms) in
            [("10m", 600_000), ("1h", 3_600_000), (" 6h ", 21_600_000), ("1d", 86_400_000)]
        {
            assert_eq!(LoopCadence::parse(text, &TimeZone::UTC), Ok(LoopCadence::Every(expect_ms)), "{text}");
        }
        assert!(matches!(LoopCadence::parse("0 9 * * 1-5", &TimeZone::UTC), Ok(LoopCadence::Cron(_))));
    }

    #[test]
    fn what_cannot_happen_is_refused_with_its_reason() {
        assert_eq!(problem("0m"), CadenceProblem::Zero);
        assert_eq!(problem("0000d"), CadenceProblem::Zero);
        assert_eq!(problem("367d"), CadenceProblem::TooLong);
        assert_eq!(problem("99999999999999999999999d"), CadenceProblem::TooLong);
        assert_eq!(problem("0 0 30 2 *"), CadenceProblem::Cron(CronProblem::Never));
        for text in ["", "m", "10", "10s", "-1h", "1.5h", "hourly", "10µ", "1h30m"] {
            assert_eq!(problem(text), CadenceProblem::Unreadable, "{text}");
        }
    }
}
