//! Words for people: counts, times, and how runs and partitions stand. Programs read `--json`, which keeps the raw words.

use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use subcortex_cadence::settle::Outcome;
use subcortex_daemon::PartitionStatus;
pub(crate) use subcortex_guard::counted;
use subcortex_guard::escape_for_display;
use subcortex_runs::Ended;

const HALF_A_MINUTE_S: u64 = 30;
const MINUTE_S: u64 = 60;
const HOUR_S: u64 = 60 * MINUTE_S;
const DAY_S: u64 = 24 * HOUR_S;

/// `1 task`, `3 tasks`.
pub(crate) fn count(number: usize, one: &str) -> String {
    counted(number, one, &format!("{one}s"))
}

/// A path as people write it: `~/web` below their own folder.
pub(crate) fn below_home(path: &str, user_home: Option<&Path>) -> String {
    match user_home.and_then(|home| Path::new(path).strip_prefix(home).ok()) {
        Some(below) if !below.as_os_str().is_empty() => format!("~/{}", below.display()),
        Some(_) | None => path.to_owned(),
    }
}

/// A number with a mark between thousands: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits.get(..first).unwrap_or_default().to_owned();
    for at in (first..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(digits.get(at..at + 3).unwrap_or_default());
    }
    text
}

/// Text from outside in one line of so many characters; what is cut ends in `…`.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = words.chars().take(chars).collect();
    let more = if shown.len() < words.len() { "…" } else { "" };
    format!("{}{more}", escape_for_display(&shown))
}

/// Rows of cells, each column as wide as it must be.
pub(crate) fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// How long something lasts, in at most two units: `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 days`.
pub(crate) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    let two = |big: u64, unit: &str, small: u64, smaller: &str| match small {
        0 => format!("{big} {unit}"),
        small => format!("{big} {unit} {small} {smaller}"),
    };
    match seconds {
        0 => format!("{ms} ms"),
        s if s < MINUTE_S => format!("{s} s"),
        s if s < HOUR_S => two(s / MINUTE_S, "min", s % MINUTE_S, "s"),
        s if s < 2 * DAY_S => two(s / HOUR_S, "h", s % HOUR_S / MINUTE_S, "min"),
        s => count(usize::try_from(s / DAY_S).unwrap_or(usize::MAX), "day"),
    }
}

/// Now, where the person is: what every time is told by.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    now: Zoned,
}

impl Clock {
    /// The clock on this person's wall.
    pub(crate) fn here() -> Self {
        Self::at(Timestamp::now(), TimeZone::system())
    }

    /// A clock that shows this moment.
    pub(crate) fn at(now: Timestamp, zone: TimeZone) -> Self {
        Self { now: now.to_zoned(zone) }
    }

    /// A local time, as short as it is clear: `13:58`, `tomorrow 02:30`, `Nov 20, 13:58`, `2025-11-20 13:58`.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        let at = at.to_zoned(self.now.time_zone().clone());
        let (today, day) = (self.now.date(), at.date());
        let clock = at.strftime("%H:%M");
        if day == today {
            clock.to_string()
        } else if today.tomorrow().is_ok_and(|tomorrow| day == tomorrow) {
            format!("tomorrow {clock}")
        } else if today.yesterday().is_ok_and(|yesterday| day == yesterday) {
            format!("yesterday {clock}")
        } else if day.year() == today.year() {
            at.strftime("%b %-d, %H:%M").to_string()
        } else {
            at.strftime("%Y-%m-%d %H:%M").to_string()
        }
    }

    /// How far away it is, about, in one unit: `just now`, `3 min ago`, `in 2 h`.
    pub(crate) fn relative(&self, at: Timestamp) -> String {
        let away_s = at.as_second() - self.now.timestamp().as_second();
        let far = match away_s.unsigned_abs() {
            0..=4 => return if away_s > 0 { "in a moment".into() } else { "just now".into() },
            s if s < MINUTE_S => format!("{s} s"),
            s if s < HOUR_S - HALF_A_MINUTE_S => format!("{} min", (s + HALF_A_MINUTE_S) / MINUTE_S),
            s if s < 2 * DAY_S => format!("{} h", (s + HOUR_S / 2) / HOUR_S),
            s => count(usize::try_from(s / DAY_S).unwrap_or(usize::MAX), "day"),
        };
        if away_s > 0 { format!("in {far}") } else { format!("{far} ago") }
    }

    /// Both: `13:58 (in 3 min)`.
    pub(crate) fn time_and_distance(&self, at: Timestamp) -> String {
        format!("{} ({})", self.time(at), self.relative(at))
    }

    /// A time that was written down in RFC 3339; what is none is shown as it is.
    pub(crate) fn written(&self, at: &str) -> String {
        at.parse().map_or_else(|_| at.to_owned(), |at| self.time(at))
    }
}

/// What a run came to.
pub(crate) fn outcome(ended: &Ended) -> &str {
    match ended {
        Ended::NotYet => "running",
        Ended::As(outcome) => match outcome {
            Outcome::Terminal => "done",
            Outcome::Partial => "not finished",
            Outcome::InvalidOutput => "no result",
            Outcome::Error => "failed",
            Outcome::Timeout => "out of time",
            Outcome::Paused => "paused",
            Outcome::Refused => "not started",
        },
        Ended::Unreadable => "unreadable",
        Ended::Unknown(word) => word,
    }
}

/// How a worker stands; `is_served` says that a daemon runs. The words of [`PartitionStatus::state`] are those of the scheduler.
pub(crate) fn state(partition: &PartitionStatus, is_served: bool, clock: &Clock) -> String {
    let inbox = partition.inbox;
    let idle = || match (inbox.pending, inbox.held) {
        (0, 0) => "idle".to_owned(),
        (0, held) => format!("{held} held"),
        (_, _) if is_served => "waiting".into(),
        (_, _) => "waits for a daemon".into(),
    };
    let next = || partition.next_run_at.as_deref().map(|at| clock.written(at));
    match partition.state.as_str() {
        "unusable" => "cannot be used".into(),
        "running" => "working".into(),
        "disabled" => "switched off".into(),
        "paused" => "paused".into(),
        "backing_off" => next().map_or_else(idle, |at| format!("retrying at {at}")),
        "cooling" | "scheduled" | "nothing_to_do" => next().map_or_else(idle, |at| format!("next run {at}")),
        "catching_up" | "due" if is_served => "about to run".into(),
        "waiting_for_slot" if is_served => "waits for others".into(),
        "catching_up" | "due" | "waiting_for_slot" => idle(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        Clock::at("2026-11-17T12:00:00Z".parse().unwrap(), TimeZone::UTC)
    }

    #[test]
    fn one_is_one_and_none_and_many_are_plural() {
        assert_eq!(count(0, "task"), "0 tasks");
        assert_eq!(count(1, "task"), "1 task");
        assert_eq!(count(2, "task"), "2 tasks");
    }

    #[test]
    fn thousands_are_apart() {
        for (number, expect) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), expect);
        }
    }

    #[test]
    fn a_worker_s_state_says_what_comes_next() {
        let worker = |state: &str, pending, held, next: Option<&str>| PartitionStatus {
            state: state.into(),
            inbox: subcortex_daemon::InboxCounts { pending, held },
            next_run_at: next.map(String::from),
            ..serde_json::from_value(serde_json::json!({
                "name": "w", "enabled": true, "engine": "command", "cooldown_ticks": 1, "last_run_tick": null,
                "next_due_tick": null, "state": "", "last_outcome": null, "backoff_until": null,
                "inbox": { "pending": 0, "held": 0 }
            }))
            .unwrap()
        };
        let soon = Some("2026-11-17T13:58:00Z");
        for (worker, is_served, expect) in [
            (worker("cooling", 1, 0, soon), true, "next run 13:58"),
            (worker("cooling", 0, 0, None), true, "idle"),
            (worker("backing_off", 1, 0, soon), true, "retrying at 13:58"),
            (worker("backing_off", 0, 1, None), true, "1 held"),
            (worker("due", 2, 0, None), true, "about to run"),
            (worker("due", 2, 0, None), false, "waits for a daemon"),
            (worker("running", 1, 0, None), true, "working"),
        ] {
            assert_eq!(state(&worker, is_served, &clock()), expect);
        }
    }

    #[test]
    fn durations_have_at_most_two_units() {
        for (ms, expect) in [
            (850, "850 ms"),
            (12_900, "12 s"),
            (200_000, "3 min 20 s"),
            (7_200_000, "2 h"),
            (7_500_000, "2 h 5 min"),
            (3 * 86_400_000, "3 days"),
        ] {
            assert_eq!(duration(ms), expect);
        }
    }

    #[test]
    fn a_time_is_as_short_as_it_is_clear() {
        for (at, expect) in [
            ("2026-11-17T13:58:30Z", "13:58"),
            ("2026-11-18T02:30:00Z", "tomorrow 02:30"),
            ("2026-11-16T09:12:00Z", "yesterday 09:12"),
            ("2026-11-20T13:58:00Z", "Nov 20, 13:58"),
            ("2025-11-20T13:58:00Z", "2025-11-20 13:58"),
        ] {
            assert_eq!(clock().written(at), expect);
        }
        assert_eq!(clock().written("soon"), "soon");
        let berlin = TimeZone::fixed(jiff::tz::offset(1));
        let here = Clock::at("2026-11-17T23:30:00Z".parse().unwrap(), berlin);
        assert_eq!(here.written("2026-11-17T23:45:00Z"), "00:45", "by the clock of whoever reads it");
    }

    #[test]
    fn the_distance_says_where_it_lies() {
        for (at, expect) in [
            ("2026-11-17T12:00:00Z", "just now"),
            ("2026-11-17T12:00:03Z", "in a moment"),
            ("2026-11-17T11:59:30Z", "30 s ago"),
            ("2026-11-17T12:03:20Z", "in 3 min"),
            ("2026-11-17T12:59:50Z", "in 1 h"),
            ("2026-11-17T14:59:10Z", "in 3 h"),
            ("2026-11-16T18:00:00Z", "18 h ago"),
            ("2026-11-12T12:00:00Z", "5 days ago"),
        ] {
            assert_eq!(clock().relative(at.parse().unwrap()), expect);
        }
    }
}
