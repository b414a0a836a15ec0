//! Five-field cron patterns (`minute hour day month weekday`) in a time zone.
//!
//! What happens when clocks are put forward or back is decided here, in two sentences:
//!
//! - A pattern that names its hours happens exactly once at each of its times, at the first instant at which
//!   the local clock shows that time or a later one. So 02:30 on a day that skips from 02:00 to 03:00 is
//!   03:00, and on a day that has 02:30 twice it is the first of the two.
//! - A pattern whose hours are `*` goes by elapsed time: it skips what the clock skips, and happens in both
//!   of the hours that the clock shows twice.
//!
//! Which library: the crate `cron` refuses five fields, has weekday 1 for Sunday, combines day and weekday with *and*,
//! and for a daily 02:30 over all zones from 2024 to 2028 skipped or doubled 1,065 days (nothing at all on a day
//! that skips 02:30, two runs on a day that repeats it). `croner` parses what people know from
//! `crontab(5)` and is right for one fixed time a day, but takes lists (`0,30 2 * * *`) for elapsed
//! time: four runs on the long day and none on the short one. So `croner` only searches the calendar here, in
//! plain civil time without a zone, and the two sentences above are ours.

use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::UnixMs;

/// How far the clock may be set back before times that are already done count as ahead again.
/// Within it a daily job does not run twice; beyond it waiting would be a standstill.
const BACK_TOLERANCE_NAMED_HOURS_MS: i64 = 3 * 60 * 60 * 1000;
/// The same for patterns with `*` hours, which would stand still for too long otherwise.
const BACK_TOLERANCE_EVERY_HOUR_MS: i64 = 2 * 60 * 1000;
/// How many offset changes a search may cross. A pattern that occurs at all (29 February, a weekday of a
/// month) occurs within 28 years, and no zone changes more than a few times a year.
const MAX_OFFSET_CHANGES: usize = 200;

/// A cron pattern together with the zone whose clock it goes by.
#[derive(Debug, Clone)]
pub struct Cron {
    pattern: croner::Cron,
    zone: TimeZone,
    every_hour: bool,
}

/// Why a text is not a pattern. Worded as the end of a sentence about the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CronProblem {
    /// Not five fields.
    #[error("a pattern has five fields (minute hour day month weekday), and this one has {0}")]
    FieldCount(usize),
    /// A field that cannot be read.
    #[error("its {field} `{value}` cannot be read")]
    Unreadable {
        /// Which of the five.
        field: &'static str,
        /// What stands there.
        value: String,
    },
    /// Such as 30 February.
    #[error("no day matches it, so it would never run")]
    Never,
}

impl Cron {
    /// Reads a pattern.
    pub fn parse(pattern: &str, zone: TimeZone) -> Result<Cron, CronProblem> {
        let fields: Vec<&str> = pattern.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(CronProblem::FieldCount(fields.len()));
        };
        for (field, value, alone) in [
            ("minute", minute, format!("{minute} * * * *")),
            ("hour", hour, format!("* {hour} * * *")),
            ("day", day, format!("* * {day} * *")),
            ("month", month, format!("* * * {month} *")),
            ("weekday", weekday, format!("* * * * {weekday}")),
        ] {
            read(&alone).map_err(|_| CronProblem::Unreadable { field, value: value.into() })?;
        }
        let parsed = read(pattern).map_err(|_| CronProblem::Never)?;
        if parsed.find_next_occurrence(&DateTime::constant(2000, 1, 1, 0, 0, 0, 0), true).is_err() {
            return Err(CronProblem::Never);
        }
        Ok(Cron { pattern: parsed, zone, every_hour: hour == "*" })
    }

    /// The first time strictly after a moment; `None` at the end of the calendar.
    pub fn next_after(&self, after: UnixMs) -> Option<UnixMs> {
        let after = Timestamp::from_millisecond(after.0).ok()?;
        let next =
            if self.every_hour { self.next_by_elapsed_time(after) } else { self.next_by_clock_face(after) };
        next.map(|instant| UnixMs(instant.as_millisecond()))
    }

    /// How far the wall clock may fall behind the last time that counted as done.
    pub fn back_tolerance_ms(&self) -> i64 {
        if self.every_hour { BACK_TOLERANCE_EVERY_HOUR_MS } else { BACK_TOLERANCE_NAMED_HOURS_MS }
    }

    /// Names the pattern and its zone, to notice that either was edited.
    pub fn describe(&self) -> String {
        format!("{} {}", self.pattern.as_str(), self.zone.iana_name().unwrap_or("local time"))
    }

    /// The civil times of the pattern rise, and [`Cron::first_shown`] never falls, so the first civil time
    /// whose instant lies ahead is the answer. More than one step is needed only in a repeated hour.
    fn next_by_clock_face(&self, after: Timestamp) -> Option<Timestamp> {
        let mut civil = self.zone.to_datetime(after);
        loop {
            civil = self.pattern.find_next_occurrence(&civil, false).ok()?;
            let instant = self.first_shown(civil)?;
            if instant > after {
                return Some(instant);
            }
        }
    }

    /// The first instant at which the zone's clock shows a civil time or a later one.
    fn first_shown(&self, civil: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(civil).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(civil).ok(),
            // By the offset after the change the skipped time lies before the change, so the next change is it.
            AmbiguousOffset::Gap { after, .. } => {
                let before_the_change = after.to_timestamp(civil).ok()?;
                self.zone.following(before_the_change).next().map(|change| change.timestamp())
            }
        }
    }

    /// Searches stretch by stretch: between two changes of the offset, civil time is elapsed time.
    fn next_by_elapsed_time(&self, after: Timestamp) -> Option<Timestamp> {
        let mut from = after;
        for inclusive in std::iter::once(false).chain(std::iter::repeat_n(true, MAX_OFFSET_CHANGES)) {
            let offset = self.zone.to_offset(from);
            let civil = self.pattern.find_next_occurrence(&offset.to_datetime(from), inclusive).ok()?;
            let instant = offset.to_timestamp(civil).ok()?;
            match self.zone.following(from).next().map(|change| change.timestamp()) {
                Some(change) if change <= instant => from = change,
                Some(_) | None => return Some(instant),
            }
        }
        None
    }
}

fn read(pattern: &str) -> Result<croner::Cron, croner::errors::CronError> {
    CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build().parse(pattern)
}

impl PartialEq for Cron {
    fn eq(&self, other: &Cron) -> bool {
        self.pattern == other.pattern && self.zone == other.zone
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::tz::TimeZoneDatabase;
    use jiff::{SignedDuration, ToSpan, Zoned, civil};

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZoneDatabase::bundled().get(name).expect("a zone of the world")
    }

    fn cron(pattern: &str, zone_name: &str) -> Cron {
        Cron::parse(pattern, zone(zone_name)).expect("a good pattern")
    }

    /// All times of a pattern after one moment and up to another, as `day hour:minute offset`.
    #[track_caller]
    fn check(pattern: &str, zone_name: &str, after: &str, until: &str, expect: &str) {
        let cron = cron(pattern, zone_name);
        let moment = |civil: &str| civil.parse::<DateTime>().unwrap().to_zoned(zone(zone_name)).unwrap();
        let until = UnixMs(moment(until).timestamp().as_millisecond());
        let first = UnixMs(moment(after).timestamp().as_millisecond());
        let times: Vec<String> = std::iter::successors(cron.next_after(first), |last| cron.next_after(*last))
            .take_while(|time| *time <= until)
            .map(|time| local(time, zone_name).strftime("%d %H:%M%:z").to_string())
            .collect();
        assert_eq!(times.join(", "), expect, "{pattern} in {zone_name}");
    }

    fn local(time: UnixMs, zone_name: &str) -> Zoned {
        Timestamp::from_millisecond(time.0).unwrap().to_zoned(zone(zone_name))
    }

    #[test]
    fn a_skipped_time_happens_once_at_the_first_valid_instant() {
        check(
            "30 2 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00",
            "2026-03-30T12:00",
            "29 03:00+02:00, 30 02:30+02:00",
        );
        check("0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T23:00", "29 03:00+02:00");
        check(
            "30 2,3 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00",
            "2026-03-29T23:00",
            "29 03:00+02:00, 29 03:30+02:00",
        );
    }

    #[test]
    fn a_repeated_time_happens_once_the_first_time() {
        check(
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00",
            "2026-10-26T12:00",
            "25 02:30+02:00, 26 02:30+01:00",
        );
        check(
            "0,30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00",
            "2026-10-26T12:00",
            "25 02:00+02:00, 25 02:30+02:00, 26 02:00+01:00, 26 02:30+01:00",
        );
    }

    #[test]
    fn every_hour_goes_by_elapsed_time() {
        check(
            "30 * * * *",
            "Europe/Berlin",
            "2026-03-29T01:00",
            "2026-03-29T04:00",
            "29 01:30+01:00, 29 03:30+02:00",
        );
        check(
            "30 * * * *",
            "Europe/Berlin",
            "2026-10-25T01:00",
            "2026-10-25T04:00",
            "25 01:30+02:00, 25 02:30+02:00, 25 02:30+01:00, 25 03:30+01:00",
        );
    }

    #[test]
    fn a_change_of_half_an_hour_is_handled_the_same_way() {
        check("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-04T23:00", "04 02:30+11:00");
        check("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00", "2026-04-05T23:00", "05 01:45+11:00");
    }

    #[test]
    fn day_and_weekday_combine_as_in_crontab() {
        check(
            "0 0 13 * 5",
            "UTC",
            "2026-02-01T00:00",
            "2026-02-28T00:00",
            "06 00:00+00:00, 13 00:00+00:00, 20 00:00+00:00, 27 00:00+00:00",
        );
        check("0 0 * * 0", "UTC", "2026-02-01T00:00", "2026-02-08T00:00", "08 00:00+00:00");
        check("0 0 * * 7", "UTC", "2026-02-01T00:00", "2026-02-08T00:00", "08 00:00+00:00");
        check("0 0 * * SUN", "UTC", "2026-02-01T00:00", "2026-02-08T00:00", "08 00:00+00:00");
        check("0 0 29 2 *", "UTC", "2026-02-01T00:00", "2028-03-01T00:00", "29 00:00+00:00");
    }

    #[test]
    fn a_text_that_is_no_pattern_is_refused_with_the_reason() {
        let refuse = |pattern: &str| Cron::parse(pattern, TimeZone::UTC).expect_err(pattern).to_string();
        assert_eq!(
            refuse("* * * *"),
            "a pattern has five fields (minute hour day month weekday), and this one has 4"
        );
        assert_eq!(
            refuse("0 30 2 * * *"),
            "a pattern has five fields (minute hour day month weekday), and this one has 6"
        );
        assert_eq!(
            refuse(""),
            "a pattern has five fields (minute hour day month weekday), and this one has 0"
        );
        assert_eq!(refuse("0 0 30 2 *"), "no day matches it, so it would never run");
        assert_eq!(refuse("61 * * * *"), "its minute `61` cannot be read");
        assert_eq!(refuse("* 24 * * *"), "its hour `24` cannot be read");
        assert_eq!(refuse("* * 0 * *"), "its day `0` cannot be read");
        assert_eq!(refuse("* * * 13 *"), "its month `13` cannot be read");
        assert_eq!(refuse("* * * * x"), "its weekday `x` cannot be read");
        assert_eq!(refuse("*/0 * * * *"), "its minute `*/0` cannot be read");
        assert_eq!(refuse("5-1 * * * *"), "its minute `5-1` cannot be read");
    }

    #[test]
    fn the_end_of_the_calendar_is_none_and_not_a_panic() {
        let daily = cron("30 2 * * *", "Europe/Berlin");
        for extreme in [i64::MIN, i64::MAX, Timestamp::MAX.as_millisecond()] {
            assert_eq!(daily.next_after(UnixMs(extreme)), None);
        }
        assert!(daily.next_after(UnixMs(0)).is_some());
        assert!(daily.next_after(UnixMs(i64::from(i32::MAX) * 1000)).is_some(), "2038");
    }

    /// The rule of the header, by brute force: walk the instants and note when the clock first shows the time.
    fn first_shown_by_walking(zone: &TimeZone, time: DateTime) -> Timestamp {
        let mut instant = jiff::tz::Offset::UTC.to_timestamp(time).unwrap() - SignedDuration::from_hours(30);
        while zone.to_datetime(instant) < time {
            instant += SignedDuration::from_mins(15);
        }
        instant
    }

    fn midnight(day: civil::Date, zone: &TimeZone) -> Timestamp {
        day.at(0, 0, 0, 0).to_zoned(zone.clone()).unwrap().timestamp()
    }

    /// Zones that differ in these years, each with the instants at which its offset changes.
    fn zones_that_differ(from: civil::Date, until: civil::Date) -> (usize, Vec<(TimeZone, Vec<Timestamp>)>) {
        let mut zones = BTreeMap::new();
        let names: Vec<String> =
            TimeZoneDatabase::bundled().available().map(|name| name.to_string()).collect();
        for name in &names {
            let zone = zone(name);
            let (start, end) = (midnight(from, &zone), midnight(until, &zone));
            let changes: Vec<_> = zone
                .following(start)
                .take_while(|change| change.timestamp() < end)
                .map(|change| (change.timestamp(), change.offset()))
                .collect();
            zones.entry((zone.to_offset(start), changes)).or_insert(zone);
        }
        let instants =
            |changes: Vec<(Timestamp, jiff::tz::Offset)>| changes.into_iter().map(|(at, _)| at).collect();
        (names.len(), zones.into_iter().map(|((_, changes), zone)| (zone, instants(changes))).collect())
    }

    #[test]
    fn a_daily_time_happens_exactly_once_a_day_in_every_zone_of_the_world() {
        let (names, zones) = zones_that_differ(civil::date(2024, 1, 1), civil::date(2029, 1, 1));
        let (mut changes, mut days) = (0, 0);
        for (zone, change) in
            zones.iter().flat_map(|(zone, all)| all.iter().map(move |change| (zone, change)))
        {
            let around = zone.to_datetime(*change).date();
            for (hour, minute) in
                [(0, 0), (0, 30), (1, 30), (1, 45), (2, 0), (2, 15), (2, 30), (3, 0), (23, 30)]
            {
                let cron = Cron::parse(&format!("{minute} {hour} * * *"), zone.clone()).unwrap();
                let mut day = around.saturating_sub(2.days());
                let mut last = UnixMs(midnight(day, zone).as_millisecond() - 1);
                for _ in 0..5 {
                    let next = cron.next_after(last).unwrap();
                    let expect = first_shown_by_walking(zone, day.at(hour, minute, 0, 0));
                    assert_eq!(next.0, expect.as_millisecond(), "{day} {hour}:{minute} in {zone:?}");
                    (last, day) = (next, day.saturating_add(1.day()));
                    days += 1;
                }
            }
            changes += 1;
        }
        println!(
            "{names} zones, {} that differ, {changes} changes of the clock, {days} days around them",
            zones.len()
        );
        assert!(names > 400 && changes > 300);
    }

    #[test]
    fn a_year_of_days_has_as_many_runs_as_days_in_every_zone_of_the_world() {
        let (first, last) = (civil::date(2026, 1, 1), civil::date(2027, 1, 1));
        for (zone, _) in zones_that_differ(first, last).1 {
            let cron = Cron::parse("30 2 * * *", zone.clone()).unwrap();
            let end = UnixMs(midnight(last, &zone).as_millisecond());
            let before = UnixMs(midnight(first, &zone).as_millisecond() - 1);
            let runs = std::iter::successors(cron.next_after(before), |last| cron.next_after(*last));
            assert_eq!(runs.take_while(|run| *run < end).count(), 365, "{zone:?}");
        }
    }
}
