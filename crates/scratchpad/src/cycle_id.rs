//! The name of a cycle.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

/// When a cycle started, and its number within that second: `20261114_083700`, `20261114_083700-2`. Later ones are
/// greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CycleId {
    second: String,
    number: u32,
}

/// A text that is no name of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cycle is named by its start, like `20261114_083700` or `20261114_083700-2`")]
pub struct NoCycleId;

impl CycleId {
    /// The name of a cycle that starts now, if it is the first in this second.
    #[must_use]
    pub fn starting(now: Timestamp) -> CycleId {
        CycleId { second: now.strftime("%Y%m%d_%H%M%S").to_string(), number: 1 }
    }

    /// The next name in the same second.
    pub(crate) fn next(&self) -> CycleId {
        CycleId { second: self.second.clone(), number: self.number.saturating_add(1) }
    }
}

impl fmt::Display for CycleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.second)?;
        match self.number {
            1 => Ok(()),
            number => write!(out, "-{number}"),
        }
    }
}

impl FromStr for CycleId {
    type Err = NoCycleId;

    fn from_str(text: &str) -> Result<CycleId, NoCycleId> {
        let (second, number) =
            text.split_once('-').map_or((text, None), |(second, number)| (second, Some(number)));
        let (day, time) = second.split_once('_').ok_or(NoCycleId)?;
        let all_digits =
            |part: &str, len: usize| part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(day, 8) || !all_digits(time, 6) {
            return Err(NoCycleId);
        }
        let number = number.map_or(Ok(1), str::parse).map_err(|_| NoCycleId)?;
        let id = CycleId { second: second.to_owned(), number };
        // `-1`, `-02` and `-+2` are not ours.
        if id.to_string() == text { Ok(id) } else { Err(NoCycleId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> CycleId {
        text.parse().unwrap()
    }

    #[test]
    fn a_cycle_is_named_by_its_start_in_utc() {
        let start = CycleId::starting("2026-11-14T10:37:00.9+02:00".parse().unwrap());
        assert_eq!(start.to_string(), "20261114_083700");
        assert_eq!(start.next().to_string(), "20261114_083700-2");
        assert_eq!(start.next().next().to_string(), "20261114_083700-3");
        assert_eq!(id("20261114_083700-3"), start.next().next());
    }

    #[test]
    fn later_cycles_are_greater_also_beyond_nine_in_a_second() {
        let order = ["20261114_083659-12", "20261114_083700", "20261114_083700-9", "20261114_083700-10"];
        assert!(order.windows(2).all(|pair| id(pair[0]) < id(pair[1])));
    }

    #[test]
    fn other_names_are_no_cycles() {
        for text in [
            "",
            "20261114",
            "20261114_0837",
            "20261114_083700-",
            "20261114_083700-1",
            "20261114_083700-02",
            "x0261114_083700",
            "20261114_083700-+2",
            "20261114_083700_before",
        ] {
            assert!(text.parse::<CycleId>().is_err(), "{text}");
        }
    }
}
